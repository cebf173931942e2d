package server

import (
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/problem"
)

// LogHandler writes logs as slog's own handlers do. The one line that every
// request adds is written without a record in between, in a fraction of the
// time. Nor is slog's lock taken for it: what is written to must take lines from
// several goroutines at a time, as a [Journal] and a file do.
type LogHandler struct {
	slog.Handler
	w      io.Writer
	syntax syntax
	second atomic.Pointer[second]
}

// NewTextHandler returns a handler like [slog.NewTextHandler], of what is of a
// level or above; nil means [slog.LevelInfo]. Its other options are left out,
// because the lines of requests would not heed them.
func NewTextHandler(w io.Writer, level slog.Leveler) *LogHandler {
	handler := slog.NewTextHandler(w, &slog.HandlerOptions{Level: level})
	return &LogHandler{Handler: handler, w: w, syntax: textSyntax}
}

// NewJSONHandler returns a handler like [slog.NewJSONHandler], as
// [NewTextHandler] does.
func NewJSONHandler(w io.Writer, level slog.Leveler) *LogHandler {
	handler := slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})
	return &LogHandler{Handler: handler, w: w, syntax: jsonSyntax}
}

// syntax is how a line is put together.
type syntax struct {
	open, quote, close string
	name               func([]byte, string) []byte
	text               func([]byte, string) []byte // quotes it, if need be
	duration           func([]byte, time.Duration) []byte
}

var textSyntax = syntax{
	open:  "time=",
	close: "\n",
	name: func(b []byte, name string) []byte {
		b = append(b, ' ')
		b = append(b, name...)
		return append(b, '=')
	},
	text: func(b []byte, s string) []byte {
		if isPlain(s) || isPlain(strings.TrimSuffix(s, problem.Ellipsis)) {
			return append(b, s...)
		}
		return strconv.AppendQuote(b, s)
	},
	duration: func(b []byte, d time.Duration) []byte { return append(b, d.String()...) },
}

var jsonSyntax = syntax{
	open:  `{"time":`,
	quote: `"`,
	close: "}\n",
	name: func(b []byte, name string) []byte {
		b = append(b, `,"`...)
		b = append(b, name...)
		return append(b, `":`...)
	},
	text: func(b []byte, s string) []byte {
		if isPlain(s) {
			b = append(b, '"')
			b = append(b, s...)
			return append(b, '"')
		}
		// What is not UTF-8 is replaced, and that is no reason to lose the line.
		b, _ = jsontext.AppendQuote(b, s)
		return b
	},
	duration: func(b []byte, d time.Duration) []byte { return strconv.AppendInt(b, int64(d), 10) },
}

// isPlain reports whether a text can stand in a line as it is, in either syntax.
func isPlain(s string) bool {
	for i := range len(s) {
		if !plain[s[i]] {
			return false
		}
	}
	return s != ""
}

// plain says of each byte whether it can.
var plain = func() (plain [256]bool) {
	for c := byte('!'); c <= '~'; c++ {
		plain[c] = c != '=' && c != '"' && c != '\\'
	}
	return plain
}()

// maxLogged is how many bytes of a method or path are logged. A client can send
// as many as its headers may have.
const maxLogged = 512

func clip(s string) string { return problem.ClipTo(s, maxLogged) }

// request writes the line of a request that ended at the given time.
func (h *LogHandler) request(x *exchange, level slog.Level, end time.Time, took time.Duration) {
	s := &h.syntax
	b := append(x.line[:0], s.open...)
	b = append(b, s.quote...)
	b = h.appendTime(b, end)
	b = append(b, s.quote...)
	b = s.text(s.name(b, "level"), level.String())
	b = s.text(s.name(b, "msg"), "request")
	b = s.text(s.name(b, "method"), clip(x.request.Method))
	b = s.text(s.name(b, "path"), clip(x.request.URL.EscapedPath()))
	b = s.text(s.name(b, "route"), x.route)
	b = strconv.AppendInt(s.name(b, "status"), int64(x.status), 10)
	b = strconv.AppendInt(s.name(b, "bytes"), x.bytes, 10)
	b = s.duration(s.name(b, "took"), took)
	b = append(s.name(b, "client"), s.quote...)
	b = x.origin.addr.AppendTo(b)
	b = append(b, s.quote...)
	b = s.text(s.name(b, "request_id"), x.id[0])
	b = append(b, s.close...)
	x.line = b
	// There is nobody to tell that a log cannot be written.
	_, _ = h.w.Write(b)
}

// second is one as logs write it, in two parts: before and after its fractions.
type second struct {
	unix        int64
	start, zone string
}

// appendTime appends a time to the millisecond. Most of it is that of the line
// before.
func (h *LogHandler) appendTime(b []byte, t time.Time) []byte {
	s := h.second.Load()
	if s == nil || s.unix != t.Unix() {
		s = &second{t.Unix(), t.Format("2006-01-02T15:04:05."), t.Format("Z07:00")}
		h.second.Store(s)
	}
	b = append(b, s.start...)
	millis := t.Nanosecond() / int(time.Millisecond)
	b = append(b, byte('0'+millis/100), byte('0'+millis/10%10), byte('0'+millis%10))
	return append(b, s.zone...)
}
