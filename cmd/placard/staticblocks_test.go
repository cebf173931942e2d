package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"placard/scripts/envtest"
)

// routedRequest is a request to a service that consists of the files of an export and
// a node.
type routedRequest struct {
	method, path, query string
	file                string // the path of the file; empty if a node serves the request
}

var routedRequests = []routedRequest{
	{"GET", "/api/v2/schemas", "", "/api/v2/schemas"},
	{"HEAD", "/api/v2/schemas/place@latest/elements", "", "/api/v2/schemas/place@latest/elements"},
	{"GET", "/api/v2/schemas/place@latest/elements/radar/icon.dark.svg", "", "/api/v2/schemas/place@latest/elements/radar/icon.dark.svg"},
	{"GET", "/api/v2/schemas/place@latest/elements", "cursor=Mr-B_o", "/api/v2/schemas/place@latest/lists/cursor=Mr-B_o.json"},
	{"GET", "/api/v2/schemas/place@latest/elements", "category_id=sensing", "/api/v2/schemas/place@latest/lists/category_id=sensing.json"},
	{"GET", "/api/v2/schemas/place@latest/elements", "category_id=sensing&cursor=Mr", "/api/v2/schemas/place@latest/lists/category_id=sensing&cursor=Mr.json"},
	{"GET", "/api/v2/schemas/place@latest/elements", "fields=all&limit=200", "/api/v2/schemas/place@latest/lists/fields=all&limit=200.json"},
	{"GET", "/api/v2/schemas/place@latest/elements", "cursor=Mr&fields=all&limit=200", "/api/v2/schemas/place@latest/lists/cursor=Mr&fields=all&limit=200.json"},
	{"GET", "/api/v2/schemas/place@latest/elements", "query=camera", ""},
	{"GET", "/api/v2/schemas/place@latest/elements", "category_id=sensing&query=camera", ""},
	{"GET", "/api/v2/schemas/place@latest/elements", "fields=id&limit=200", ""},
	{"GET", "/api/v2/schemas/place@latest/categories", "locales=en", ""},
	{"POST", "/api/v2/schemas/place@latest/validate", "", ""},
	{"OPTIONS", "/api/v2/schemas/place@latest/elements", "", ""},
	{"POST", "/mcp", "", ""},
	{"GET", "/readyz", "", ""},
}

// checkBalancer runs HAProxy with the configuration and checks which server each
// request reaches.
func checkBalancer(t *testing.T, b block) {
	if !envtest.Long {
		return
	}
	config := b.text
	for name, addr := range map[string]string{"files": "127.0.0.1:8081", "node": "127.0.0.1:8080"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Served-By", name) }))
		defer s.Close()
		config = strings.Replace(config, addr, s.Listener.Addr().String(), 1)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(file, []byte("global\n    maxconn 100\n"+strings.Replace(config, "bind :80\n", "bind fd@3\n", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), envtest.Program(t, "haproxy"), "-db", "-f", file)
	cmd.ExtraFiles = []*os.File{socket}
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // always an error: the process was killed
	}()
	for _, r := range routedRequests {
		url := "http://" + listener.Addr().String() + r.path
		if r.query != "" {
			url += "?" + r.query
		}
		request, err := http.NewRequestWithContext(t.Context(), r.method, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		want := "node"
		if r.file != "" {
			want = "files"
		}
		if got := response.Header.Get("Served-By"); got != want {
			t.Errorf("%s %s: got %q, want %q", r.method, url, got, want)
		}
	}
}

// checkEdgeFunction runs a function of CloudFront.
func checkEdgeFunction(t *testing.T, b block) {
	type value struct {
		Value string `json:"value"`
	}
	type request struct {
		Method      string           `json:"method"`
		URI         string           `json:"uri"`
		QueryString map[string]value `json:"querystring"`
		Origin      string           `json:"origin"`
	}
	var requests, want []request
	for _, r := range routedRequests {
		query := make(map[string]value)
		for pair := range strings.SplitSeq(r.query, "&") {
			if name, v, ok := strings.Cut(pair, "="); ok {
				query[name] = value{v}
			}
		}
		requests = append(requests, request{r.method, r.path, query, ""})
		if r.file != "" {
			want = append(want, request{r.method, r.file, map[string]value{}, ""})
		} else {
			want = append(want, request{r.method, r.path, query, "node"})
		}
	}
	input, err := json.Marshal(requests)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"node_modules/cloudfront/package.json": `{"type":"module","exports":"./index.js"}`,
		"node_modules/cloudfront/index.js":     "export default { selectRequestOriginById(id) { globalThis.origin = id; } };",
		"function.mjs": b.text + `
const results = ` + string(input) + `.map((request) => {
  globalThis.origin = '';
  const result = handler({ request });
  return { ...result, origin: globalThis.origin };
});
console.log(JSON.stringify(results));`,
	} {
		if err := writeFile(filepath.Join(dir, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), envtest.Node(t), filepath.Join(dir, "function.mjs"))
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []request
	if err := json.Unmarshal(output, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests after the function (-want +got):\n%s", diff)
	}
}
