package server

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
)

// volatile matches times and durations, which differ between requests.
var volatile = regexp.MustCompile(`(time="?)[^ ",]+|("time":")[^"]+|(took=)[^ ]+|("took":)[0-9]+`)

func TestRequestLinesHaveTheFormatOfSlog(t *testing.T) {
	type newHandler func(io.Writer) slog.Handler
	for name, c := range map[string]struct{ ours, theirs newHandler }{
		"text": {
			func(w io.Writer) slog.Handler { return NewTextHandler(w, nil) },
			func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) },
		},
		"json": {
			func(w io.Writer) slog.Handler { return NewJSONHandler(w, nil) },
			func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{
				"/", "/api/v2/schemas", "/a=b", "/a%20b", "/%22quoted%22", `/back\slash`, "/%E2%80%A8%FF",
				"/" + strings.Repeat("long", 1000), "/" + strings.Repeat("a=b", 1000),
			} {
				for _, method := range []string{"GET", "POST", `G"E=T`, strings.Repeat("GET", 1000)} {
					for _, status := range []int{200, 304, 404, 503} {
						log := func(h newHandler) string {
							var out bytes.Buffer
							r := httptest.NewRequest("GET", "http://placard.test/", nil)
							r.URL.Path, r.Method, r.Pattern = path, method, "/{rest...}"
							r.Header.Set(requestID, "the-id")
							Handler(Options{Log: slog.New(h(&out)), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
								w.WriteHeader(status)
								_, _ = w.Write([]byte("body"))
							})}).ServeHTTP(httptest.NewRecorder(), r)
							return volatile.ReplaceAllString(out.String(), "$1$2$3$4-")
						}
						ours, theirs := log(c.ours), log(c.theirs)
						if len(ours) > 2000 {
							t.Errorf("the line has %d bytes, want at most 2000", len(ours))
						}
						if ours != theirs {
							t.Errorf("%s %s %d:\ngot  %swant %s", method, path, status, ours, theirs)
						}
					}
				}
			}
		})
	}
}

func TestRequestLinesHaveTheAttributesOfTheLogger(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(NewTextHandler(&out, nil)).With("machine", "a")
	Handler(Options{Log: log, Handler: http.NotFoundHandler()}).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/x", nil))
	if !strings.Contains(out.String(), " machine=a method=GET path=/x ") {
		t.Errorf("got log %q, want the attribute machine", &out)
	}
}

func TestFailedRequestsAreLoggedImmediately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for status, immediate := range map[int]bool{200: false, 404: true, 503: true} {
			out := new(bytes.Buffer)
			b := NewBatchWriter(out)
			h := Handler(Options{Log: slog.New(NewTextHandler(b, nil)), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(status)
			})})
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/x", nil))
			if got := out.Len() > 0; got != immediate {
				t.Errorf("status %d: written immediately = %t, want %t", status, got, immediate)
			}
			b.Close()
		}
	})
}

func TestRequestIDsAreUnique(t *testing.T) {
	seen := make(map[string]bool)
	var ids requestIDs
	r := httptest.NewRequest("GET", "/", nil)
	for range 1000 {
		id := ids.forRequest(r)
		if len(id) != 1 || len(id[0]) != 20 || !validRequestID(id[0]) || seen[id[0]] {
			t.Fatalf("id %d: got %q, want a new valid id of 20 characters", len(seen), id)
		}
		seen[id[0]] = true
	}
}
