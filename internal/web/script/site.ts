import { enhanceCopy } from "./copy";
import { enhanceMenus } from "./menu";
import { enhanceSearch } from "./search";
import { enhanceTheme } from "./toggle";

enhanceCopy();
enhanceMenus();
enhanceSearch();
enhanceTheme();
