// The script of example documents in a preview, which have no frame.
import { enhancePreview } from "./preview";

enhancePreview();
