package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const (
	progressDelay    = 300 * time.Millisecond // before the line appears
	progressInterval = 100 * time.Millisecond // between updates of the line
	eraseLine        = "\r\x1b[K"
)

// progress is a line on the terminal that says what a command is doing:
//
//	p := progressFrom(cmd.Context())
//	for i, id := range ids {
//		p.show("Compiling %s: %d of %d", id, i+1, len(ids))
//		…
//	}
//
// It appears only if the command takes a while, and only if standard error is a
// terminal. Writes to the outputs of the command remove it, and so does the end
// of the command. The methods of a nil progress do nothing.
type progress struct {
	terminal *os.File

	mu      sync.Mutex
	text    string
	timer   *time.Timer // draws the line; nil if no update is due
	shown   bool        // the line has been drawn since the last stop
	visible bool        // the line is on the terminal now
	midline bool        // the output of the command ends in an incomplete line
}

type progressKey struct{}

// newProgress returns the progress line of a command with the given standard
// error, or nil if that is not a terminal.
func newProgress(stderr io.Writer) *progress {
	if terminal := terminalOf(stderr); terminal != nil {
		return &progress{terminal: terminal}
	}
	return nil
}

// withProgress returns a context that carries p.
func withProgress(ctx context.Context, p *progress) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
}

// progressFrom returns the progress line of the command that has the context.
func progressFrom(ctx context.Context) *progress {
	p, _ := ctx.Value(progressKey{}).(*progress)
	return p
}

// show sets the text of the line.
func (p *progress) show(format string, args ...any) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = fmt.Sprintf(format, args...)
	if p.timer == nil {
		delay := progressInterval
		if !p.shown {
			delay = progressDelay
		}
		p.timer = time.AfterFunc(delay, p.draw)
	}
}

func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil {
		return // stopped
	}
	p.timer = nil
	if p.midline {
		return
	}
	p.shown, p.visible = true, true
	columns, _ := terminalSize(p.terminal)
	// The last column stays empty: some terminals wrap a line that fills it.
	_, _ = io.WriteString(p.terminal, eraseLine+clipWidth(printable(p.text), columns-1))
}

// stop removes the line until the next call of show. It returns soon even if the
// terminal accepts no output.
func (p *progress) stop() {
	if p == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.erase()
		p.shown = false
		if p.timer != nil {
			p.timer.Stop()
			p.timer = nil
		}
	}()
	select {
	case <-done:
	case <-time.After(progressInterval):
	}
}

func (p *progress) erase() {
	if p.visible {
		p.visible = false
		_, _ = io.WriteString(p.terminal, eraseLine)
	}
}

// guard returns a writer that removes the line before it writes to w. It returns w
// itself if that is not a terminal.
func (p *progress) guard(w io.Writer) io.Writer {
	if p == nil || terminalOf(w) == nil {
		return w
	}
	return &guardedWriter{w, p}
}

type guardedWriter struct {
	io.Writer
	progress *progress
}

func (g *guardedWriter) Write(b []byte) (int, error) {
	p := g.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	if len(b) > 0 {
		p.midline = b[len(b)-1] != '\n'
	}
	return g.Writer.Write(b)
}

func (g *guardedWriter) unwrap() io.Writer { return g.Writer }
