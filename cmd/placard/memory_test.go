//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// TestMemoryStaysWithinTheDocumentedLimits drives a server to all limits of the
// memory table in docs/operating.md at once. Some limits are lower than their
// defaults, so that they are reached within seconds.
func TestMemoryStaysWithinTheDocumentedLimits(t *testing.T) {
	const (
		clients   = 16384
		inFlight  = 64
		stalled   = 40 // clients that do not read responses
		senders   = 11 // clients that do not finish sending a body; leaves room for the documents
		documents = 2
	)
	t.Setenv("GOMAXPROCS", "2")
	d := start(t, "--admin-addr", "127.0.0.1:0", "--log-level", "error",
		"--rate-limit-clients", strconv.Itoa(clients), "--rate-limit-read", "1000000/1s", "--rate-limit-icons", "1000000/1s",
		"--rate-limit-validate", "1000000/1s", "--rate-limit-resolve", "1000000/1s",
		"--max-in-flight", strconv.Itoa(inFlight), "--max-body-memory", "16MiB", "--max-documents", strconv.Itoa(documents),
		"--compression-memory", "1MiB", "--view-memory", "16MiB")
	_, admin, _ := strings.Cut(d.line(), "metrics on ")
	d.ready()
	l := &memoryLoad{d}
	response := len(l.post("127.0.0.1", mcpPath, "", fullSchema))

	const kib, mib = 1 << 10, 1 << 20
	rows := map[string]int{
		"rate limit table":     clients * 105,
		"compressed responses": mib,
		// Icon packs: 0.4 MiB for both releases, and 3 MiB to write one. Linked data: 0.2 MiB
		// for each syntax of both releases.
		"icon packs and linked data":          5 * mib,
		"encoders for compressed responses":   48 * mib,
		"views and documents of MCP sessions": 16 * mib,
		"request bodies":                      16 * mib * 3 / 2,
		"documents being processed":           documents * 14 * mib,
		"responses being sent":                inFlight * 3 * response,
		"connections":                         (stalled + senders + inFlight) * 50 * kib,
	}
	checkMemoryTable(t, rows)
	base := l.resident("VmRSS")
	sum := 0
	for _, n := range rows {
		sum += n
	}
	limit := 3 * (base + sum) // GOGC=200

	var group sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	for i := range senders {
		group.Go(func() { l.stallBody(ctx, fmt.Sprintf("127.0.1.%d", i+1)) })
	}
	for i := range stalled {
		group.Go(func() { l.stallResponse(ctx, fmt.Sprintf("127.0.2.%d", i+1)) })
	}
	d.eventually("stalled bodies and responses", func() bool {
		return metric(t, admin, "placard_http_request_body_bytes") > (senders-1)*mib && metric(t, admin, "placard_http_requests_in_flight") >= stalled
	})
	var work sync.WaitGroup
	work.Go(func() { l.fillSessions(400) })
	work.Go(func() { l.fillCache() })
	for i := range 2 * documents {
		work.Go(func() { l.postDocuments(20, fmt.Sprintf("127.0.3.%d", i+1)) })
	}
	work.Wait()
	live := int(metric(t, admin, "go_memstats_next_gc_bytes")) / 3
	cancel()
	group.Wait()
	peak := l.resident("VmHWM")
	t.Logf("start %d MiB, rows %d MiB, limit %d MiB, peak %d MiB, live at the end %d MiB", base/mib, sum/mib, limit/mib, peak/mib, live/mib)
	if peak > limit {
		t.Errorf("got a peak of %d bytes, want at most %d", peak, limit)
	}
	if live > base+sum {
		t.Errorf("got %d live bytes, want at most %d", live, base+sum)
	}
}

// checkMemoryTable compares the rows of the table with the names in rows.
func checkMemoryTable(t *testing.T, rows map[string]int) {
	t.Helper()
	text, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| Use | Limit | Flag |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	seen := make(map[string]bool)
	for line := range strings.Lines(table) {
		use := strings.TrimSpace(strings.Split(line, "|")[1])
		seen[use] = true
		if _, ok := rows[use]; !ok && use != "garbage" {
			t.Errorf("the row %q of the table in docs/operating.md is not tested", use)
		}
	}
	for use := range rows {
		if !seen[use] {
			t.Errorf("docs/operating.md has no row for %q", use)
		}
	}
}

// fullSchema requests the longest response.
const fullSchema = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_schema","arguments":{"version":"` + beta + `","include":"full","locales":"*"}}}`

// memoryLoad sends the requests of the memory test.
type memoryLoad struct{ *daemon }

// resident returns the size in a field of /proc/PID/status, in bytes.
func (l *memoryLoad) resident(field string) int {
	l.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", l.cmd.Process.Pid))
	if err != nil {
		l.t.Fatal(err)
	}
	found := regexp.MustCompile(field + `:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		l.t.Fatalf("process status has no %s:\n%s", field, status)
	}
	kib, err := strconv.Atoi(string(found[1]))
	if err != nil {
		l.t.Fatal(err)
	}
	return kib << 10
}

// dial connects from one of the addresses of the loopback interface. Each address
// is a separate client.
func (l *memoryLoad) dial(from string, receiveBuffer int) (*net.TCPConn, error) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.Dial("tcp", strings.TrimPrefix(l.url, "http://"))
	if err != nil {
		return nil, err
	}
	tcp := conn.(*net.TCPConn)
	if receiveBuffer > 0 {
		err = tcp.SetReadBuffer(receiveBuffer)
	}
	return tcp, err
}

// stallBody sends all but the last byte of a body, repeatedly: the server closes
// the connection after a while.
func (l *memoryLoad) stallBody(ctx context.Context, from string) {
	for ctx.Err() == nil {
		conn, err := l.dial(from, 0)
		if err != nil {
			l.t.Error(err)
			return
		}
		stop := context.AfterFunc(ctx, func() { conn.Close() })
		const size = 1 << 20
		fmt.Fprintf(conn, "POST /api/v2/schemas/%s/validate HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", stable, size)
		_, _ = conn.Write(bytes.Repeat([]byte(" "), size-1))
		_, _ = io.Copy(io.Discard, conn)
		conn.Close()
		stop()
	}
}

// stallResponse sends many requests on one connection and reads nothing,
// repeatedly: the server closes the connection after a while.
func (l *memoryLoad) stallResponse(ctx context.Context, from string) {
	for ctx.Err() == nil {
		conn, err := l.dial(from, 4<<10)
		if err != nil {
			l.t.Error(err)
			return
		}
		stop := context.AfterFunc(ctx, func() { conn.Close() })
		for range 40 {
			fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(fullSchema), fullSchema)
		}
		waitClosed(ctx, conn)
		conn.Close()
		stop()
	}
}

// waitClosed waits until the server has closed a connection, without reading.
func waitClosed(ctx context.Context, conn *net.TCPConn) {
	for ctx.Err() == nil {
		if _, err := conn.Write([]byte("\r\n")); err != nil {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// post sends a request and returns the response body.
func (l *memoryLoad) post(from, path, session, body string) string {
	l.t.Helper()
	client := http.Client{Transport: &http.Transport{
		DisableCompression: true,
		DisableKeepAlives:  true,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			return l.dial(from, 0)
		},
	}}
	req, err := http.NewRequest("POST", l.url+path, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	req.Header.Set("Mcp-Session-Id", session)
	resp, err := client.Do(req)
	if err != nil {
		l.t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		l.t.Error(err)
	}
	return string(text)
}

// fillSessions renders and resolves a document in n sessions.
func (l *memoryLoad) fillSessions(n int) {
	for i := range n {
		for _, tool := range []string{"render_datachain", "resolve_datachain"} {
			got := l.post("127.0.0.1", mcpPath, fmt.Sprint("session-", i), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":{"version":"`+stable+`","datachain":`+smallDocument+`}}}`)
			if !strings.Contains(got, `"structuredContent":{"ok":true`) || !strings.Contains(got, `"handle":"doc_`) {
				l.t.Errorf("%s: got %.300s, want success and a handle", tool, got)
				return
			}
		}
	}
}

// fillCache requests every element and icon in every coding, and all icon packs and
// linked data.
func (l *memoryLoad) fillCache() {
	for _, version := range []string{stable, beta} {
		if status, body := l.get("/api/v2/schemas/" + version + "/icons.zip"); status != http.StatusOK {
			l.t.Errorf("%s: got status %d and %.300s, want a pack of icons", version, status, body)
		}
		for _, name := range []string{"/skos.ttl", "/skos.jsonld"} {
			if status, body := l.get("/api/v2/schemas/" + version + name); status != http.StatusOK {
				l.t.Errorf("%s: got status %d and %.300s, want linked data", version, status, body)
			}
		}
	}
	_, body := l.get("/api/v2/schemas/" + stable + "/elements?limit=100&fields=id")
	var list struct {
		Elements []struct {
			ID string `json:"id"`
		} `json:"elements"`
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Elements) == 0 {
		l.t.Errorf("got elements %.300s (%v), want some", body, err)
		return
	}
	for _, coding := range []string{"gzip", "br", "zstd"} {
		for _, e := range list.Elements {
			for _, suffix := range []string{"", "?locales=en", "/icon.svg"} {
				req, err := http.NewRequest("GET", l.url+"/api/v2/schemas/"+stable+"/elements/"+e.ID+suffix, nil)
				if err != nil {
					l.t.Fatal(err)
				}
				req.Header.Set("Accept-Encoding", coding)
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					l.t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		}
	}
}

// postDocuments validates and resolves n documents of almost 1 MiB.
func (l *memoryLoad) postDocuments(n int, from string) {
	const placement = `{"element_id":"radar","context_type_id":"continuous"},`
	before, after, _ := strings.Cut(smallDocument, "[")
	large := before + "[" + strings.Repeat(placement, (1<<20-len(smallDocument))/len(placement)) + after
	for i := range n {
		route := []string{"/validate", "/resolve"}[i%2]
		if got := l.post(from, "/api/v2/schemas/"+stable+route, "", large); got == "" {
			return
		}
	}
}

// smallDocument is a small valid datachain.
var smallDocument = testDocument("d")
