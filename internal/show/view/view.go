// Package view renders a document as a self-contained HTML page. All icons
// are inline, and the page needs neither network access nor scripting to be
// read. The package does not know about sessions or HTTP.
//
// A valid document is a [Document]. [Document.Model] converts it to a [Model], which
// holds everything the page shows, in one locale; [Document.Models] does so for all
// locales of the document. [Page.HTML] renders models. Inside an MCP Apps host, the
// script of the page replaces its contents with those under [MetaKey] in the tool
// result. [Placeholder] returns the page without a model.
package view

import (
	"bytes"
	"fmt"

	"placard/internal/core/problem"
)

// MetaKey is the member of a tool result's _meta that holds the JSON of a page.
const MetaKey = "placard/view"

// MaxBytes is the maximum size of a page, and approximately that of a model. Even a
// small document may show a large value many times.
const MaxBytes = 4 << 20

// meter limits the size of a model or a page.
type meter struct {
	size     int
	step     func() error // may be nil
	nextStep int          // the size at which step is called
	err      error        // the reason to stop
}

// stepInterval is the number of bytes between two calls to step. It takes less than a
// millisecond to build or write them.
const stepInterval = 4 << 10

// add adds to the size. It calls step regularly.
func (m *meter) add(bytes int) {
	m.size += bytes
	switch {
	case m.err != nil:
	case m.size > MaxBytes:
		m.err = errTooLarge
	case m.step != nil && m.size >= m.nextStep:
		m.nextStep = m.size + stepInterval
		m.err = m.step()
	}
}

// limitedBuffer is a buffer that holds at most MaxBytes.
type limitedBuffer struct {
	meter
	buffer bytes.Buffer
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.add(len(p)); b.err != nil {
		return 0, b.err
	}
	return b.buffer.Write(p)
}

// writeError returns the error to report when writing to b has failed with err.
func (b *limitedBuffer) writeError(err error) error {
	if b.err != nil {
		return b.err
	}
	return fmt.Errorf("render the view: %w", err)
}

var errTooLarge = problem.New(problem.PayloadTooLarge, "The rendered document exceeds %d bytes.", MaxBytes).
	Hint("Split the placements among several documents that refer to one another in linked_instance_ids.")
