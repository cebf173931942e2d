// Package view draws a disclosure as one self-contained HTML document: no
// network, every icon inline, nothing in it that needs script to be read. It
// knows neither sessions nor HTTP.
//
// [Build] and [BuildResolved] make a [Model] of a valid document: plain data,
// chosen for one locale, with every decision about what is shown already taken.
// [Model.HTML] writes it as a page. The page carries a small script that draws
// the very same page from the model's JSON: inside an MCP Apps host it redraws
// itself from the result of the tool call, found under [MetaKey].
// [Placeholder] is that page with nothing drawn yet.
package view

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"

	"placard/internal/problem"
)

// MetaKey is the member of a tool result's _meta in which the page looks for
// the model to draw.
const MetaKey = "placard/view"

// MaxBytes is how large a page, or a model in JSON, may be.
const MaxBytes = 4 << 20

// HTML returns the model as a page. The same model always gives the same bytes.
// A page that would have more than [MaxBytes] is a payload_too_large
// [problem.Problem].
func (m *Model) HTML() ([]byte, error) {
	var b bounded
	if err := page.Execute(&b, m); err != nil {
		return nil, b.cause(err)
	}
	return b.Bytes(), nil
}

// JSON returns the model as the page's script reads it. The same model always
// gives the same bytes. More than [MaxBytes] of them are a payload_too_large
// [problem.Problem].
func (m *Model) JSON() ([]byte, error) {
	var b bounded
	if err := json.MarshalWrite(&b, m); err != nil {
		return nil, b.cause(err)
	}
	return b.Bytes(), nil
}

// bounded is a buffer that takes no more than a page may have.
type bounded struct {
	bytes.Buffer
	full bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.full = b.full || b.Len()+len(p) > MaxBytes; b.full {
		return 0, errTooLarge
	}
	return b.Buffer.Write(p)
}

// WriteString hides that of the buffer, which knows no bound.
func (b *bounded) WriteString(s string) (int, error) { return b.Write([]byte(s)) }

// cause is what a failure to write is to be reported as.
func (b *bounded) cause(err error) error {
	if b.full {
		return errTooLarge
	}
	return fmt.Errorf("draw the view: %w", err)
}

var errTooLarge = problem.New(problem.PayloadTooLarge, "Drawn, the document has more than %d bytes.", MaxBytes).
	Hint("Divide the placements among several documents that name each other in linked_instance_ids.")
