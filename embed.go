// Package placard embeds the built-in taxonomy. Only package
// placard/internal/builtin should import it.
package placard

import "embed"

// Builtin contains the compiled releases, in the folder builtin/compiled. Their
// authoring tree, builtin/tree, is not needed at run time.
//
//go:embed builtin/compiled
var Builtin embed.FS
