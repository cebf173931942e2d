package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

var tortureTime = flag.Duration("torture", 2*time.Second, "`duration` of the load in TestTorture")

// TestTorture applies a mixed load to a server: reads, searches, documents and
// MCP in every content coding, pipelined requests, and clients that disconnect.
// Each response must equal the response that the same request got before the
// load, when it was the only one. Afterwards no goroutines and no memory may be
// left. Built with the race detector, the server must report no data race.
func TestTorture(t *testing.T) {
	d := start(t, "--admin-addr", "127.0.0.1:0", "--pprof", "--rate-limit=off", "--log-level", "error")
	_, metrics, _ := strings.Cut(d.line(), "metrics on ")
	admin := strings.TrimSuffix(metrics, "/metrics")
	d.ready()

	l := &tortureLoad{daemon: d, addr: strings.TrimPrefix(d.url, "http://")}
	l.record(l.requests())
	// The first part of the load fills caches and pools.
	l.run(*tortureTime / 4)
	heap := heapAfterGC(t, admin)
	goroutines := metric(t, metrics, "go_goroutines")
	l.run(*tortureTime - *tortureTime/4)
	d.eventually("all goroutines of requests have ended", func() bool { return metric(t, metrics, "go_goroutines") <= goroutines+2 })
	// Pooled buffers and idle encoders vary.
	if grown := heapAfterGC(t, admin) - heap; grown > 32<<20 {
		t.Errorf("the heap has grown by %d bytes", int(grown))
	}
	t.Logf("%d responses compared, %d requests refused, %d aborted", l.compared.Load(), l.refused.Load(), l.aborted.Load())
	if l.compared.Load() < 100 || l.refused.Load() > l.compared.Load()/10 {
		t.Error("too few requests were served")
	}
	if code := d.stop(); code != 0 {
		t.Errorf("the server exited with status %d", code)
	}
	if logs := d.logs.String(); logs != "" {
		t.Errorf("the server logged errors:\n%.4000s", logs)
	}
}

// tortureLoad sends the requests of the torture test.
type tortureLoad struct {
	*daemon
	addr      string
	exchanges []tortureExchange

	compared, refused, aborted atomic.Int64
}

// tortureExchange is a request and the response that it must get.
type tortureExchange struct {
	method  string
	request []byte
	want    tortureResponse
}

// tortureResponse is a response without its date and request id.
type tortureResponse struct {
	status int
	header string
	body   []byte
	closed bool // the server closes the connection
}

// requests returns the requests of the load.
func (l *tortureLoad) requests() (all []tortureExchange) {
	add := func(method, path, body string, header ...string) {
		for _, coding := range []string{"", "gzip", "br", "zstd"} {
			b := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: placard.example\r\n", method, path)
			if coding != "" {
				b = fmt.Appendf(b, "Accept-Encoding: %s\r\n", coding)
			}
			for i := 0; i < len(header); i += 2 {
				b = fmt.Appendf(b, "%s: %s\r\n", header[i], header[i+1])
			}
			if method == "POST" {
				b = fmt.Appendf(b, "Content-Length: %d\r\n", len(body))
			}
			all = append(all, tortureExchange{method: method, request: append(append(b, "\r\n"...), body...)})
		}
	}
	call := func(session, tool, arguments string) {
		add("POST", mcpPath, `{"jsonrpc":"2.0","id":"`+session+`","method":"tools/call","params":{"name":"`+tool+`","arguments":`+arguments+`}}`, "Mcp-Session-Id", session)
	}
	_, body := l.get("/api/v2/schemas/" + stable + "/elements?limit=100&fields=id")
	var list struct {
		Elements []struct {
			ID string `json:"id"`
		} `json:"elements"`
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Elements) == 0 {
		l.t.Fatalf("%v in %.300s", err, body)
	}
	for i, e := range list.Elements[:min(30, len(list.Elements))] {
		path := "/api/v2/schemas/" + stable + "/elements"
		add("GET", path+"/"+e.ID, "")
		add("GET", path+"/"+e.ID+"?locales=en&fields=id,title", "")
		add("GET", path+"/"+e.ID+"/icon.svg", "")
		add("GET", path+"?query="+url.QueryEscape(strings.ReplaceAll(e.ID, "_", " ")), "")
		add("GET", path+"?limit="+strconv.Itoa(i+1), "")
		add("GET", path+"/"+e.ID+"x", "")
		add("HEAD", path+"/"+e.ID, "")
		call("reader", "get_element", `{"version":"`+stable+`","element_id":"`+e.ID+`"}`)
		call("reader", "list_elements", `{"version":"`+stable+`","query":"`+e.ID+`"}`)
	}
	for _, path := range []string{"/api/v2/schemas", "/api/v2/openapi.json", "/api/v2/codes", "/api/v2/schemas/" + beta + "/categories", "/api/v2/nothing"} {
		add("GET", path, "")
	}
	add("POST", mcpPath, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	add("POST", mcpPath, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"prompts/list"}]`)
	add("POST", mcpPath, `{"jsonrpc":`)
	for i := range 8 {
		id := fmt.Sprint("document-", i)
		document := testDocument(id)
		add("POST", "/api/v2/schemas/"+stable+"/validate", document)
		add("POST", "/api/v2/schemas/"+stable+"/resolve", document)
		add("POST", "/api/v2/schemas/"+stable+"/render?locale=fr", document)
		add("POST", "/api/v2/schemas/"+stable+"/validate", strings.Replace(document, "radar", "rader", 1))
		add("POST", "/api/v2/schemas/"+stable+"/validate", document[:len(document)-1-i])
		arguments := `{"version":"` + stable + `","datachain":` + document + `}`
		call(id, "validate_datachain", arguments)
		call(id, "resolve_datachain", arguments)
		// Every rendering of a session is of the same document, so its view does not
		// depend on the order of requests.
		call(id, "render_datachain", arguments)
		add("POST", mcpPath, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ui://service/datachain/view.html"}}`, "Mcp-Session-Id", id)
	}
	return all
}

// testDocument returns a small valid datachain.
func testDocument(id string) string {
	return `{"elements":[{"element_id":"upkeep"},{"element_id":"radar","context_type_id":"continuous"},{"element_id":"surroundings","context_type_id":"not_personal"},` +
		`{"element_id":"public_authority","context_type_id":"decides","variables":[{"id":"name","value":[{"locale":"en","value":"The town of ` + id + `"}]}]},` +
		`{"element_id":"open_data"},{"element_id":"never_stored"},{"element_id":"contact_point"}],"id":"` + id + `","schema_version":"` + stable + `","created_at":"2026-01-05T10:00:00Z"}`
}

// record sends all requests one after another and records their responses.
func (l *tortureLoad) record(all []tortureExchange) {
	l.t.Helper()
	c := &tortureConn{addr: l.addr}
	defer c.close()
	for _, x := range all {
		got, err := c.do(x)
		if err != nil || got.status >= 500 {
			l.t.Fatalf("%s\ngot status %d, error %v", x.request, got.status, err)
		}
		x.want = got
		l.exchanges = append(l.exchanges, x)
	}
}

// run applies the load for a duration.
func (l *tortureLoad) run(duration time.Duration) {
	end := time.Now().Add(duration)
	var group sync.WaitGroup
	for worker := range 12 {
		step := []func(*rand.Rand, *tortureConn) error{l.single, l.pipeline, l.abort}[worker%3]
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), uint64(duration)))
			c := &tortureConn{addr: l.addr}
			defer c.close()
			for time.Now().Before(end) && !l.t.Failed() {
				if err := step(random, c); err != nil {
					l.t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

func (l *tortureLoad) choose(random *rand.Rand) tortureExchange {
	return l.exchanges[random.IntN(len(l.exchanges))]
}

// single sends one request and compares the response.
func (l *tortureLoad) single(random *rand.Rand, c *tortureConn) error {
	x := l.choose(random)
	got, err := c.do(x)
	if err != nil {
		return fmt.Errorf("%.300s\n%w", x.request, err)
	}
	return l.compare(x, got)
}

// pipeline sends several requests at once and compares the responses, which
// must have the same order.
func (l *tortureLoad) pipeline(random *rand.Rand, c *tortureConn) error {
	var batch []tortureExchange
	var bytes []byte
	for range 1 + random.IntN(8) {
		if x := l.choose(random); !x.want.closed {
			batch = append(batch, x)
			bytes = append(bytes, x.request...)
		}
	}
	if err := c.write(bytes); err != nil {
		return err
	}
	for _, x := range batch {
		got, err := c.read(x.method)
		if err != nil {
			return fmt.Errorf("pipelined %.300s\n%w", x.request, err)
		}
		if err := l.compare(x, got); err != nil {
			return err
		}
		if got.closed {
			return nil // a refusal; the rest of the batch is lost
		}
	}
	return nil
}

// abort disconnects while it sends a request or reads the response.
func (l *tortureLoad) abort(random *rand.Rand, c *tortureConn) error {
	l.aborted.Add(1)
	defer c.close()
	x := l.choose(random)
	sent := x.request
	if random.IntN(2) == 0 {
		sent = sent[:random.IntN(len(sent))]
	}
	if err := c.write(sent); err != nil {
		return err
	}
	if len(sent) == len(x.request) && random.IntN(2) == 0 && len(x.want.body) > 0 {
		if _, err := io.CopyN(io.Discard, c.reader, int64(random.IntN(len(x.want.body)))); err != nil {
			return fmt.Errorf("%.300s\n%w", x.request, err)
		}
	}
	if random.IntN(2) == 0 {
		return c.conn.SetLinger(0) // reset the connection
	}
	return nil
}

// compare returns an error if a response is neither the expected one nor a
// refusal because of overload.
func (l *tortureLoad) compare(x tortureExchange, got tortureResponse) error {
	switch {
	case got.status == http.StatusServiceUnavailable && bytes.Contains(got.body, []byte(`"code":"overloaded"`)):
		l.refused.Add(1)
		return nil
	case got.status != x.want.status || got.header != x.want.header || !bytes.Equal(got.body, x.want.body):
		return fmt.Errorf("%.300s\ngot  %d %s%.300q\nwant %d %s%.300q", x.request,
			got.status, got.header, got.body, x.want.status, x.want.header, x.want.body)
	}
	l.compared.Add(1)
	return nil
}

// tortureConn is a connection that is opened when it is needed.
type tortureConn struct {
	addr   string
	conn   *net.TCPConn
	reader *bufio.Reader
}

func (c *tortureConn) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

func (c *tortureConn) do(x tortureExchange) (tortureResponse, error) {
	if err := c.write(x.request); err != nil {
		return tortureResponse{}, err
	}
	return c.read(x.method)
}

func (c *tortureConn) write(b []byte) error {
	if c.conn == nil {
		conn, err := net.Dial("tcp", c.addr)
		if err != nil {
			return err
		}
		c.conn = conn.(*net.TCPConn)
		c.reader = bufio.NewReader(conn)
	}
	if err := c.conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return err
	}
	_, err := c.conn.Write(b)
	return err
}

func (c *tortureConn) read(method string) (tortureResponse, error) {
	resp, err := http.ReadResponse(c.reader, &http.Request{Method: method})
	if err != nil {
		c.close()
		return tortureResponse{}, err
	}
	body, err := io.ReadAll(resp.Body)
	if resp.Close || err != nil {
		c.close()
	}
	var header []string
	for name, values := range resp.Header {
		if name != "Date" && name != "X-Request-Id" {
			header = append(header, fmt.Sprintln(name, values))
		}
	}
	slices.Sort(header)
	return tortureResponse{resp.StatusCode, strings.Join(header, ""), body, resp.Close}, err
}

// heapAfterGC runs the garbage collector of a server and returns the size of its
// heap.
func heapAfterGC(t *testing.T, admin string) float64 {
	t.Helper()
	for range 2 { // the first one empties pools only partly
		resp, err := http.Get(admin + "/debug/pprof/heap?gc=1")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	return metric(t, admin+"/metrics", "go_memstats_heap_alloc_bytes")
}

// metric returns the value of a metric without labels.
func metric(t *testing.T, metrics, name string) float64 {
	t.Helper()
	resp, err := http.Get(metrics)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("metrics lack %s", name)
	return 0
}
