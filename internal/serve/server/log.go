package server

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/problem"
)

// LogHandler logs in the format of slog's own handlers. The line of a request is
// formatted without an [slog.Record] and without slog's lock, in a fraction of the
// time. The underlying writer must therefore be safe for concurrent use, as a
// [BatchWriter] and an [os.File] are.
//
// Records of level [slog.LevelWarn] and above are flushed if the writer has a
// method Flush.
type LogHandler struct {
	slog.Handler
	w      io.Writer
	flush  func()
	format lineFormat
	second atomic.Pointer[formattedSecond]
}

// NewTextHandler returns a handler like [slog.NewTextHandler] for records of the
// given level and above; nil means [slog.LevelInfo].
func NewTextHandler(w io.Writer, level slog.Leveler) *LogHandler {
	return newLogHandler(w, slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}), textFormat)
}

// NewJSONHandler returns a handler like [slog.NewJSONHandler] for records of the
// given level and above; nil means [slog.LevelInfo].
func NewJSONHandler(w io.Writer, level slog.Leveler) *LogHandler {
	return newLogHandler(w, slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}), jsonFormat)
}

func newLogHandler(w io.Writer, h slog.Handler, format lineFormat) *LogHandler {
	flush := func() {}
	if f, ok := w.(interface{ Flush() }); ok {
		flush = f.Flush
	}
	return &LogHandler{Handler: flushHandler{h, flush}, w: w, flush: flush, format: format}
}

// flushLevel is the lowest level whose lines are flushed.
const flushLevel = slog.LevelWarn

// flushHandler flushes the log after records of flushLevel and above.
type flushHandler struct {
	slog.Handler
	flush func()
}

func (h flushHandler) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Level >= flushLevel {
		h.flush()
	}
	return err
}

func (h flushHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return flushHandler{h.Handler.WithAttrs(attrs), h.flush}
}

func (h flushHandler) WithGroup(name string) slog.Handler {
	return flushHandler{h.Handler.WithGroup(name), h.flush}
}

// lineFormat is the syntax of a log line.
type lineFormat struct {
	open, end string
	quote     string // around times and addresses
	name      func([]byte, string) []byte
	text      func([]byte, string) []byte // quotes the text if necessary
	duration  func([]byte, time.Duration) []byte
}

var textFormat = lineFormat{
	open: "time=",
	end:  "\n",
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

var jsonFormat = lineFormat{
	open:  `{"time":`,
	quote: `"`,
	end:   "}\n",
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
		// The error reports invalid UTF-8, which is replaced.
		b, _ = jsontext.AppendQuote(b, s)
		return b
	},
	duration: func(b []byte, d time.Duration) []byte { return strconv.AppendInt(b, int64(d), 10) },
}

// isPlain reports whether s needs no quotes or escapes in either format.
func isPlain(s string) bool {
	for i := range len(s) {
		if !plainBytes[s[i]] {
			return false
		}
	}
	return s != ""
}

var plainBytes = func() (plain [256]bool) {
	for c := byte('!'); c <= '~'; c++ {
		plain[c] = c != '=' && c != '"' && c != '\\'
	}
	return plain
}()

// maxLogged limits the logged bytes of a method or path, both of which clients
// choose.
const maxLogged = 512

func clip(s string) string { return problem.ClipTo(s, maxLogged) }

// request logs a request that ended at the given time.
func (h *LogHandler) request(x *exchange, level slog.Level, end time.Time, took time.Duration) {
	f := &h.format
	b := append(x.line[:0], f.open...)
	b = append(b, f.quote...)
	b = h.appendTime(b, end)
	b = append(b, f.quote...)
	b = f.text(f.name(b, "level"), level.String())
	b = f.text(f.name(b, "msg"), "request")
	b = f.text(f.name(b, "method"), clip(x.request.Method))
	b = f.text(f.name(b, "path"), clip(x.request.URL.EscapedPath()))
	b = f.text(f.name(b, "route"), x.route)
	b = strconv.AppendInt(f.name(b, "status"), int64(x.status), 10)
	b = strconv.AppendInt(f.name(b, "bytes"), x.bytes, 10)
	b = f.duration(f.name(b, "took"), took)
	b = append(f.name(b, "client"), f.quote...)
	b = x.origin.addr.AppendTo(b)
	b = append(b, f.quote...)
	b = f.text(f.name(b, "request_id"), x.id[0])
	b = append(b, f.end...)
	x.line = b
	// A log that cannot be written cannot be reported either.
	_, _ = h.w.Write(b)
	if level >= flushLevel {
		h.flush()
	}
}

// formattedSecond is a time as it appears in logs, without its fraction.
type formattedSecond struct {
	unix         int64
	prefix, zone string
}

// appendTime appends a time with millisecond precision. Everything but the
// milliseconds is formatted once per second.
func (h *LogHandler) appendTime(b []byte, t time.Time) []byte {
	s := h.second.Load()
	if s == nil || s.unix != t.Unix() {
		s = &formattedSecond{t.Unix(), t.Format("2006-01-02T15:04:05."), t.Format("Z07:00")}
		h.second.Store(s)
	}
	b = append(b, s.prefix...)
	millis := t.Nanosecond() / int(time.Millisecond)
	b = append(b, byte('0'+millis/100), byte('0'+millis/10%10), byte('0'+millis%10))
	return append(b, s.zone...)
}
