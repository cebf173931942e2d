// Package view renders a disclosure as a self-contained HTML document. All icons
// are inline, and the document needs neither network access nor scripting to be
// read. The package does not know about sessions or HTTP.
//
// [Build] and [BuildResolved] convert a valid document to a [Model], which holds
// everything the page shows, in one locale. [Model.HTML] renders the model. The
// page contains a small script that renders the same page from the JSON of a
// model: inside an MCP Apps host, it redraws the page from the model under
// [MetaKey] in the tool result. [Placeholder] returns the page without a model.
package view

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"

	"placard/internal/problem"
)

// MetaKey is the member of a tool result's _meta that holds the model.
const MetaKey = "placard/view"

// MaxBytes is the maximum size of a page and of a model in JSON.
const MaxBytes = 4 << 20

// HTML renders the model as a page. The same model always gives the same bytes.
// If the page exceeds [MaxBytes], the error is a payload_too_large
// [problem.Problem]. HTML calls step regularly and stops if it returns an error; a
// nil step never stops it.
func (m *Model) HTML(step func() error) ([]byte, error) {
	b := limitedBuffer{step: step}
	if err := page.Execute(&b, m); err != nil {
		return nil, b.writeError(err)
	}
	return b.Bytes(), nil
}

// JSON encodes the model for the script of the page. The same model always gives
// the same bytes. If there are more than [MaxBytes], the error is a
// payload_too_large [problem.Problem].
func (m *Model) JSON() ([]byte, error) {
	var b limitedBuffer
	if err := json.MarshalWrite(&b, m); err != nil {
		return nil, b.writeError(err)
	}
	return b.Bytes(), nil
}

// limitedBuffer is a buffer that holds at most MaxBytes.
type limitedBuffer struct {
	bytes.Buffer
	step     func() error // may be nil
	nextStep int          // the length at which step is called
	err      error        // the reason why nothing more is written
}

// stepInterval is the number of bytes between two calls to step. The page template
// takes less than a millisecond to write them.
const stepInterval = 4 << 10

func (b *limitedBuffer) Write(p []byte) (int, error) {
	switch {
	case b.err != nil:
	case b.Len()+len(p) > MaxBytes:
		b.err = errTooLarge
	case b.step != nil && b.Len() >= b.nextStep:
		b.nextStep = b.Len() + stepInterval
		b.err = b.step()
	}
	if b.err != nil {
		return 0, b.err
	}
	return b.Buffer.Write(p)
}

// WriteString shadows [bytes.Buffer.WriteString], which has no limit.
func (b *limitedBuffer) WriteString(s string) (int, error) { return b.Write([]byte(s)) }

// writeError returns the error to report when writing to b has failed with err.
func (b *limitedBuffer) writeError(err error) error {
	if b.err != nil {
		return b.err
	}
	return fmt.Errorf("render the view: %w", err)
}

var errTooLarge = problem.New(problem.PayloadTooLarge, "The rendered document exceeds %d bytes.", MaxBytes).
	Hint("Split the placements among several documents that refer to one another in linked_instance_ids.")
