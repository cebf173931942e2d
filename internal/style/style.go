// Package style is the style sheet that all pages start with: colours, sizes, and the
// look of plain HTML elements and icons. It does not know what the pages show.
package style

import _ "embed" // for the style sheet

// Base is the style sheet.
//
//go:embed base.css
var Base string
