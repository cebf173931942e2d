// Package view renders a disclosure as a self-contained HTML document. All icons
// are inline, and the document needs neither network access nor scripting to be
// read. The package does not know about sessions or HTTP.
//
// [Build] and [BuildResolved] convert a valid document to a [Model], which holds
// everything the page shows, in one locale; [BuildAll] and [BuildAllResolved] do so
// for all locales of the document. [Page.HTML] renders models. Inside an MCP Apps
// host, the script of the page replaces its contents with those under [MetaKey] in
// the tool result. [Placeholder] returns the page without a model.
package view

import (
	"bytes"
	"fmt"

	"placard/internal/problem"
)

// MetaKey is the member of a tool result's _meta that holds the JSON of a page.
const MetaKey = "placard/view"

// MaxBytes is the maximum size of a page, and approximately that of a model.
const MaxBytes = 4 << 20

// limitedBuffer is a buffer that holds at most MaxBytes.
type limitedBuffer struct {
	buffer   bytes.Buffer
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
	case b.buffer.Len()+len(p) > MaxBytes:
		b.err = errTooLarge
	case b.step != nil && b.buffer.Len() >= b.nextStep:
		b.nextStep = b.buffer.Len() + stepInterval
		b.err = b.step()
	}
	if b.err != nil {
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
