package mcpapi

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"placard/internal/core/problem"
)

// streamSession is the session of the only client of a stream.
const streamSession = "stream"

// ServeStream serves newline-delimited messages, the transport of MCP over
// standard input and output. It returns nil at the end of in. When ctx is done, it
// returns ctx.Err() and abandons a pending read of in.
func (s *Server) ServeStream(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := make(chan line)
	go readLines(ctx, in, s.MaxBody, lines)
	client := peer{session: streamSession}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case l, ok := <-lines:
			if !ok {
				return nil
			}
			if l.err != nil {
				return l.err
			}
			resp := s.serveLine(ctx, l, client)
			client.version = cmp.Or(resp.negotiated, client.version)
			if resp.err != nil {
				resp.body = resp.err.append(nil, resp.id)
			}
			if len(resp.body) == 0 {
				continue
			}
			if _, err := out.Write(append(resp.body, '\n')); err != nil {
				return err
			}
		}
	}
}

// serveLine handles one line. A panic becomes an internal error.
func (s *Server) serveLine(ctx context.Context, l line, client peer) (resp response) {
	defer func() {
		if v := recover(); v != nil {
			s.Log.Error("panic", "error", fmt.Sprint(v), "stack", string(debug.Stack()))
			resp = response{err: fatalError(internalError)}
		}
	}()
	if l.tooLong {
		return response{err: fatalError(messageTooLarge(s.MaxBody))}
	}
	return s.exchange(ctx, nil, l.text, client)
}

func messageTooLarge(limit int64) problem.Problem {
	return problem.New(problem.PayloadTooLarge, "The message is larger than %d bytes.", limit).
		Hint("Send a smaller document, or split it into several that refer to each other in linked_instance_ids.")
}

// line is one line of input.
type line struct {
	text    []byte
	tooLong bool // text has been discarded
	err     error
}

// readLines sends the non-blank lines of in to lines, until the end of in.
func readLines(ctx context.Context, in io.Reader, limit int64, lines chan<- line) {
	defer close(lines)
	r := bufio.NewReader(in)
	for {
		l, err := readLine(r, limit)
		if len(bytes.TrimSpace(l.text)) > 0 || l.tooLong {
			select {
			case lines <- l:
			case <-ctx.Done():
				return
			}
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			select {
			case lines <- line{err: err}:
			case <-ctx.Done():
			}
			return
		}
	}
}

// readLine reads a line. It discards the text if the line is longer than limit
// bytes.
func readLine(r *bufio.Reader, limit int64) (l line, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if !l.tooLong {
			l.text = append(l.text, part...)
		}
		if int64(len(bytes.TrimSuffix(l.text, []byte("\n")))) > limit {
			l.text, l.tooLong = nil, true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l, err
		}
	}
}
