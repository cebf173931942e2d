import { enhanceMenus } from "./menu";
import { enhanceTheme } from "./toggle";

enhanceMenus();
enhanceTheme();
