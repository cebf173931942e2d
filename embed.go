// Package placard embeds the built-in taxonomy and the documents, which are in
// folders without code. Only package placard/internal/storage/builtin and the command should
// import it.
package placard

import "embed"

// Builtin contains the compiled releases, in the folder builtin/compiled. Of
// their authoring tree, builtin/tree, only the examples are needed at run time.
//
//go:embed builtin/compiled
var Builtin embed.FS

// Docs contains the documents that are also shown as pages, their images, and the
// OpenAPI document.
//
//go:embed ARCHITECTURE.md CHANGELOG.md SECURITY.md docs/*.md docs/adr/*.md docs/images docs/openapi.json
var Docs embed.FS

// Examples contains the example documents of the built-in taxonomy, in the folder
// builtin/tree.
//
//go:embed builtin/tree/place/*/examples
var Examples embed.FS
