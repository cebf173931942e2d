import { enhanceCopy } from "./copy";
import { enhanceMenus } from "./menu";
import { enhanceTheme } from "./toggle";

enhanceCopy();
enhanceMenus();
enhanceTheme();
