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

	"placard/internal/problem"
)

// streamSession is whose view the one client of a stream sees.
const streamSession = "stream"

// ServeStream answers messages that come one to a line, as programs on the same
// machine exchange them over standard input and output. It returns when in
// ends, or with ctx's error when that does; a read that is under way then is
// left behind.
func (s *Server) ServeStream(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := make(chan line)
	go readLines(ctx, in, s.MaxBody, lines)
	from := peer{session: streamSession}
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
			answer := s.answerLine(ctx, l, from)
			from.version = cmp.Or(answer.agreed, from.version)
			if answer.refused != nil {
				answer.body = answer.refused.append(nil, answer.id)
			}
			if len(answer.body) == 0 {
				continue
			}
			if _, err := out.Write(append(answer.body, '\n')); err != nil {
				return err
			}
		}
	}
}

// answerLine answers one line, also where that fails.
func (s *Server) answerLine(ctx context.Context, l line, from peer) (answer reply) {
	defer func() {
		if v := recover(); v != nil {
			s.Log.Error("panic", "error", fmt.Sprint(v), "stack", string(debug.Stack()))
			answer = reply{refused: stop(ourFault)}
		}
	}()
	if l.tooLong {
		return reply{refused: stop(tooLong(s.MaxBody))}
	}
	return s.exchange(ctx, nil, l.text, from)
}

func tooLong(most int64) problem.Problem {
	return problem.New(problem.PayloadTooLarge, "The message is larger than %d bytes.", most).
		Hint("Send a smaller document, or split it into several that refer to each other in linked_instance_ids.")
}

// line is one line of input.
type line struct {
	text    []byte
	tooLong bool // text is not all of it
	err     error
}

// readLines sends the lines of in that are not blank, until it ends.
func readLines(ctx context.Context, in io.Reader, most int64, lines chan<- line) {
	defer close(lines)
	r := bufio.NewReader(in)
	for {
		l, err := readLine(r, most)
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

// readLine reads up to the end of a line, and keeps no more of it than it may
// have.
func readLine(r *bufio.Reader, most int64) (l line, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if !l.tooLong {
			l.text = append(l.text, part...)
		}
		if int64(len(bytes.TrimSuffix(l.text, []byte("\n")))) > most {
			l.text, l.tooLong = nil, true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l, err
		}
	}
}
