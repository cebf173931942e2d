import { enhanceCopy } from "./copy";
import { enhanceExplore } from "./explore";
import { enhanceMenus } from "./menu";
import { enhanceSearch } from "./search";
import { enhanceTheme } from "./toggle";

enhanceCopy();
enhanceExplore();
enhanceMenus();
enhanceSearch();
enhanceTheme();
