package server

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// logLine returns the log line of a request as JSON, and its values.
func logLine(t *testing.T, r *http.Request) (string, map[string]any) {
	t.Helper()
	var out bytes.Buffer
	Handler(Options{Log: slog.New(slog.NewJSONHandler(&out, nil)), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("body"))
	})}).ServeHTTP(httptest.NewRecorder(), r)
	values := make(map[string]any)
	if err := json.Unmarshal(out.Bytes(), &values); err != nil {
		t.Fatalf("%s: %v", &out, err)
	}
	return out.String(), values
}

func TestRequestsAreLogged(t *testing.T) {
	r := httptest.NewRequest("GET", "/things/7?query=secret", nil)
	r.Pattern, r.RemoteAddr = "/things/{id}", "203.0.113.7:1"
	r.Header.Set(requestID, "the-id")
	line, values := logLine(t, r)
	for name, want := range map[string]any{
		"level": "WARN", "msg": "request", "method": "GET", "path": "/things/7", "route": "/things/{id}",
		"status": 404.0, "bytes": 4.0, "client": "203.0.113.7", "request_id": "the-id", "trace_id": nil,
	} {
		if values[name] != want {
			t.Errorf("%s: got %v, want %v", name, values[name], want)
		}
	}
	if took, ok := values["took"].(float64); !ok || took <= 0 {
		t.Errorf("got took %v, want a duration", values["took"])
	}
	if strings.Contains(line, "secret") {
		t.Errorf("the log contains the query: %s", line)
	}
}

func TestLogLinesAreShort(t *testing.T) {
	r := httptest.NewRequest("GET", "http://placard.test/", nil)
	r.Method, r.URL.Path = strings.Repeat(`G"E=T`, 1000), "/"+strings.Repeat("a=b", 1000)
	if line, _ := logLine(t, r); len(line) > 2000 {
		t.Errorf("the line has %d bytes, want at most 2000", len(line))
	}
}

func TestTraceIDsAreLogged(t *testing.T) {
	const id, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for header, want := range map[string]any{
		"00-" + id + "-" + parent + "-01":                 id,
		"00-" + id + "-" + parent + "-00":                 id,
		"cc-" + id + "-" + parent + "-01-a later version": id,
		"":                                     nil,
		id:                                     nil,
		"ff-" + id + "-" + parent + "-01":      nil,
		"00-" + id + "-" + parent + "-01-more": nil,
		"00-" + id + "-" + parent:              nil,
		"00-" + id + "-" + parent + "-1":       nil,
		"00-" + strings.ToUpper(id) + "-" + parent + "-01":      nil,
		"00-" + id[1:] + "-" + parent + "-01":                   nil,
		"00-" + strings.Repeat("0", 32) + "-" + parent + "-01":  nil,
		"00-" + id + "-" + strings.Repeat("0", 16) + "-01":      nil,
		"00-" + id[2:] + "\r\n" + "-" + parent + "-01":          nil,
		"00-" + strings.Repeat(id, 1000) + "-" + parent + "-01": nil,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Traceparent", header)
		if _, values := logLine(t, r); values["trace_id"] != want {
			t.Errorf("%q: got trace_id %v, want %v", header, values["trace_id"], want)
		}
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.Header["Traceparent"] = []string{"00-" + id + "-" + parent + "-01", "00-" + id + "-" + parent + "-01"}
	if _, values := logLine(t, r); values["trace_id"] != nil {
		t.Errorf("two headers: got trace_id %v, want none", values["trace_id"])
	}
}

func TestRequestIDsAreUnique(t *testing.T) {
	seen := make(map[string]bool)
	r := httptest.NewRequest("GET", "/", nil)
	for range 1000 {
		id := requestIDOf(r)
		if !validRequestID(id) || len(id) < 20 || seen[id] {
			t.Fatalf("id %d: got %q, want a new valid id", len(seen), id)
		}
		seen[id] = true
	}
}
