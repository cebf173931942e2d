import { enhanceContents } from "./contents";
import { enhanceCopy } from "./copy";
import { enhanceExplore } from "./explore";
import { enhanceMenus } from "./menu";
import { enhancePreview } from "./preview";
import { enhanceReference } from "./reference";
import { enhanceSearch } from "./search";
import { enhanceTables } from "./tables";
import { enhanceTheme } from "./toggle";

enhanceContents();
enhanceCopy();
enhanceExplore();
enhanceMenus();
enhancePreview();
enhanceReference();
enhanceSearch();
enhanceTables();
enhanceTheme();
