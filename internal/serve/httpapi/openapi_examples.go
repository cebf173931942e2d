package httpapi

import (
	_ "embed"

	"github.com/go-json-experiment/json/jsontext"
)

// thinExample is valid for a release of the built-in taxonomy.
//
//go:embed examples/thin.json
var thinExample jsontext.Value

// resolvedExample refers to a version that is not built in. It is valid on any
// server that does not publish that version with other content.
//
//go:embed examples/resolved.json
var resolvedExample jsontext.Value
