// Package placard embeds the built-in taxonomy, which lives in the builtin
// folder. Package placard/internal/builtin opens it; nothing else should
// import this package.
package placard

import "embed"

// Builtin holds the folder builtin/compiled: the compiled releases. The
// authoring tree they come from, builtin/tree, is not needed at run time.
//
//go:embed builtin/compiled
var Builtin embed.FS
