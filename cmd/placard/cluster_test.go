package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"placard/scripts/envtest"
)

// clusterStore is a store in a bucket that several nodes serve.
type clusterStore struct {
	t      *testing.T
	server *envtest.Server
}

func newClusterStore(t *testing.T) *clusterStore {
	t.Helper()
	return &clusterStore{t, envtest.S3(t, "taxonomies")}
}

// setStoreCredentials sets the environment of commands that use a [clusterStore].
func setStoreCredentials(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", envtest.S3AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", envtest.S3SecretKey)
}

// address returns the address of the store, on a server or a proxy of it.
func (*clusterStore) address(addr string) string {
	return "s3://taxonomies/public?endpoint=http://" + addr
}

// run runs a command on the store and returns its output. It must succeed.
func (s *clusterStore) run(args ...string) string {
	s.t.Helper()
	status, output := placard(s.t, "", append(args, "--store", s.address(s.server.Addr))...)
	if status != exitOK {
		s.t.Fatalf("%v: got status %d, want 0\n%s", args, status, output)
	}
	return output
}

// startNodes starts nodes with the same flags and waits until they are ready.
func startNodes(t *testing.T, count int, args ...string) []*node {
	t.Helper()
	var nodes []*node
	for range count {
		nodes = append(nodes, startNode(t, args...))
	}
	for _, n := range nodes {
		n.ready()
	}
	return nodes
}

// node is a server with metrics.
type node struct {
	*daemon
	admin string // URL
}

func startNode(t *testing.T, args ...string) *node {
	t.Helper()
	n := &node{daemon: start(t, append([]string{"--admin-addr", "127.0.0.1:0"}, args...)...)}
	_, metrics, _ := strings.Cut(n.line(), "metrics on ")
	n.admin = strings.TrimSuffix(metrics, "/metrics")
	t.Cleanup(func() {
		if logs := n.logs.String(); strings.Contains(logs, "DATA RACE") || strings.Contains(logs, "panic") {
			t.Errorf("a node failed:\n%.4000s", logs)
		}
	})
	return n
}

func (d *daemon) addr() string { return strings.TrimPrefix(d.url, "http://") }

func (n *node) metric(name string) float64 {
	n.t.Helper()
	return metric(n.t, n.admin+"/metrics", name)
}

// eventually waits until a condition is true.
func (n *node) eventually(name string, condition func() bool) {
	n.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			n.t.Fatalf("timeout waiting for %s\n%s", name, strings.Join(n.events(), "\n"))
		}
	}
}

// events returns the log lines since the last call that are not about a request.
func (n *node) events() (lines []string) {
	n.logs.mu.Lock()
	defer n.logs.mu.Unlock()
	for line := range strings.Lines(n.logs.b.String()) {
		if !strings.Contains(line, "msg=request ") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	n.logs.b.Reset()
	return lines
}

// metrics returns all metrics.
func (n *node) metrics() string {
	n.t.Helper()
	resp, err := http.Get(n.admin + "/metrics")
	if err != nil {
		n.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		n.t.Fatal(err)
	}
	return string(text)
}

// contentHash returns the content hash of a version, or the empty string if it is not
// served.
func (d *daemon) contentHash(version string) string {
	d.t.Helper()
	resp, err := http.Get(d.url + "/api/v2/schemas/" + version + "/manifest")
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.Header.Get("Service-Content-Hash")
}

func addrs(nodes []*node) (all []string) {
	for _, n := range nodes {
		all = append(all, n.addr())
	}
	return all
}

// editedBeta returns the folder of a copy of the built-in beta whose responses to
// [betaRequests] differ from those of every other revision.
func editedBeta(t *testing.T, revision int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "place", "2026-10-19-beta")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(builtinTree, "place", "2026-10-19-beta"))); err != nil {
		t.Fatal(err)
	}
	radar, err := os.ReadFile(filepath.Join(dir, "elements/radar.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	id := fmt.Sprintf("radar_%d", revision)
	radar = bytes.Replace(radar, []byte("id: radar"), []byte("id: "+id), 1)
	if err := os.WriteFile(filepath.Join(dir, "elements", id+".yaml"), radar, 0o644); err != nil {
		t.Fatal(err)
	}
	replace(t, filepath.Join(dir, "elements/radar.yaml"), "en: Radar", fmt.Sprint("en: Radar, revision ", revision))
	replace(t, filepath.Join(dir, "categories/sensing.yaml"), "en: Sensors", fmt.Sprint("en: Sensors, revision ", revision))
	replace(t, filepath.Join(dir, "symbols/radar.svg"), "M18 13.6A4", fmt.Sprintf("M18 13.1%dA4", revision))
	return dir
}

// betaRequests are requests whose responses depend on the content of the beta.
var betaRequests = []request{
	{"GET", "/api/v2/schemas/" + beta + "/manifest", ""},
	{"GET", "/api/v2/schemas/place@latest/manifest", ""},
	{"GET", "/api/v2/schemas/" + beta + "/categories", ""},
	{"GET", "/api/v2/schemas/" + beta + "/elements?fields=all&limit=200", ""},
	{"GET", "/api/v2/schemas/" + beta + "/elements?query=radar", ""},
	{"GET", "/api/v2/schemas/place@latest/elements/radar", ""},
	{"GET", "/api/v2/schemas/" + beta + "/elements/radar/icon.svg", ""},
	{"GET", "/api/v2/schemas/" + beta + "/elements/radar/icon.dark.svg", ""},
	{"GET", "/api/v2/schemas/place@latest/symbols/radar.svg", ""},
	{"POST", "/api/v2/schemas/" + beta + "/validate", strings.NewReplacer(stable, beta, `"radar"`, `"radar_x"`).Replace(testDocument("x"))},
}
