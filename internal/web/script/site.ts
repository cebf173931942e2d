import { enhanceContents } from "./contents";
import { enhanceCopy } from "./copy";
import { enhanceExplore } from "./explore";
import { enhanceMenus } from "./menu";
import { enhanceReference } from "./reference";
import { enhanceSearch } from "./search";
import { enhanceTheme } from "./toggle";

enhanceContents();
enhanceCopy();
enhanceExplore();
enhanceMenus();
enhanceReference();
enhanceSearch();
enhanceTheme();
