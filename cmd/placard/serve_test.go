package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"placard/internal/core/taxonomy"
	"placard/scripts/envtest"
)

const (
	builtinTree = "../../builtin/tree"
	stable      = "place@2026-06-01-stable"
	beta        = "place@2026-10-19-beta"
)

// daemon is a running placard serve process.
type daemon struct {
	t    *testing.T
	url  string
	cmd  *exec.Cmd
	out  *bufio.Reader
	logs *syncBuffer
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// runAsPlacard is an environment variable that makes the test binary run as
// placard.
const runAsPlacard = "PLACARD_TEST_RUN"

// daemonTimeout is how long a daemon may run. It is killed afterwards, so that no
// test waits for it indefinitely.
const daemonTimeout = 2 * time.Minute

func start(t *testing.T, args ...string) *daemon {
	t.Helper()
	d := &daemon{t: t, logs: new(syncBuffer)}
	ctx, cancel := context.WithTimeout(t.Context(), daemonTimeout+*tortureTime)
	t.Cleanup(cancel)
	d.cmd = exec.CommandContext(ctx, os.Args[0], append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	d.cmd.Env = append(os.Environ(), runAsPlacard+"=1")
	d.cmd.Stderr = d.logs
	stdout, err := d.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.cmd.Process.Kill() })
	d.out = bufio.NewReader(stdout)
	_, d.url, _ = strings.Cut(d.line(), "Listening on ")
	return d
}

// line returns the next line of the daemon's output.
func (d *daemon) line() string {
	d.t.Helper()
	line, err := d.out.ReadString('\n')
	if err != nil {
		d.t.Fatalf("no output: %v\n%s", err, d.logs)
	}
	return strings.TrimSpace(line)
}

// stop terminates the daemon and returns its exit status.
func (d *daemon) stop() int {
	d.t.Helper()
	d.terminate()
	return d.wait()
}

func (d *daemon) get(path string) (int, string) {
	d.t.Helper()
	resp, err := http.Get(d.url + path)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// eventually waits until a condition is true. Conditions usually take less than
// two seconds; a loaded machine gets more.
func (d *daemon) eventually(name string, condition func() bool) {
	d.t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !condition() {
		if time.Now().After(deadline) {
			d.t.Fatalf("timeout waiting for %s\n%s", name, d.logs)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (d *daemon) ready() {
	d.t.Helper()
	d.eventually("readiness", func() bool { status, _ := d.get("/readyz"); return status == 200 })
}

func copyTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(builtinTree)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// replace edits a file the way editors do: it writes a new file and renames it.
func replace(t *testing.T, file, before, after string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(data, []byte(before)) {
		t.Fatalf("%s: %q not found (%v)", file, before, err)
	}
	if err := os.WriteFile(file+"~", bytes.Replace(data, []byte(before), []byte(after), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+"~", file); err != nil {
		t.Fatal(err)
	}
}

func TestServeUsesTheBuiltInTaxonomyByDefault(t *testing.T) {
	t.Parallel()
	d := start(t)
	d.ready()
	var list struct {
		Versions []struct{ ID string }
	}
	status, body := d.get("/api/v2/schemas")
	if err := json.Unmarshal([]byte(body), &list, json.MatchCaseInsensitiveNames(true)); err != nil || status != 200 {
		t.Fatalf("GET /api/v2/schemas: got %d %s (%v), want 200 with a list", status, body, err)
	}
	if len(list.Versions) != 2 || list.Versions[0].ID != stable || list.Versions[1].ID != beta {
		t.Errorf("got versions %s, want %s and %s", body, stable, beta)
	}
	if _, body := d.get("/api/v2/schemas/place@latest/elements"); !strings.Contains(body, `"total":84`) {
		t.Errorf("got elements %.300s, want a total of 84", body)
	}
	if status, _ := d.get("/healthz"); status != 200 {
		t.Errorf("/healthz: got %d, want 200", status)
	}
	if status := d.stop(); status != 0 {
		t.Errorf("exit status = %d, want 0\n%s", status, d.logs)
	}
}

func TestUnusualPathsAndQueriesGetTheEnvelope(t *testing.T) {
	t.Parallel()
	d := start(t)
	d.ready()
	for target, want := range map[string]int{
		"//api/v2/schemas":      404,
		"//":                    404,
		"/docs//api":            404,
		"/%2Ffoo":               404,
		"/api/v2/nothing":       404,
		"/api/v2/schemas?x=a;b": 200,
		"/api/v2/schemas/place@latest/elements?query=a;camera&limit=1": 200,
	} {
		status, body := d.get(target)
		if status != want || !strings.HasPrefix(body, `{"ok":`+strconv.FormatBool(want == 200)+`,`) {
			t.Errorf("GET %s: got %d %.200s, want %d", target, status, body, want)
		}
	}
}

func TestServeSourceFollowsEditsAndKeepsLastGoodRelease(t *testing.T) {
	t.Parallel()
	dir := copyTree(t)
	file := filepath.Join(dir, "place/2026-10-19-beta/elements/radar.yaml")
	d := start(t, "--source", dir)
	d.ready()
	title := func() string {
		_, body := d.get("/api/v2/schemas/" + beta + "/elements/radar?fields=title&locales=en")
		return body
	}
	if !strings.Contains(title(), `"Radar"`) {
		t.Fatalf("title = %s, want Radar", title())
	}
	replace(t, file, "en: Radar", "en: Radar gun")
	d.eventually("the edit", func() bool { return strings.Contains(title(), `"Radar gun"`) })

	replace(t, file, "category_id: sensing", "category_id: sensnig")
	d.eventually("log line of the error", func() bool { return strings.Contains(d.logs.String(), "elements/radar.yaml:2:14") })
	if !strings.Contains(title(), `"Radar gun"`) {
		t.Errorf("after an invalid edit: title = %s, want Radar gun", title())
	}
	replace(t, file, "category_id: sensnig", "category_id: sensing")
	replace(t, file, "en: Radar gun", "en: Radar dish")
	d.eventually("the corrected edit", func() bool { return strings.Contains(title(), `"Radar dish"`) })
}

func TestServeStorePicksUpNewReleases(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	d := start(t, "--store", dir)
	if status, body := d.get("/readyz"); status != 503 {
		t.Errorf("/readyz without a store: got %d %s, want 503", status, body)
	}
	if status, body := d.get("/api/v2/schemas"); status != 502 || !strings.Contains(body, "upstream_error") {
		t.Errorf("missing store: got %d %s, want 502 upstream_error", status, body)
	}
	publish := func(tree string) {
		t.Helper()
		var out bytes.Buffer
		if code := execute(t.Context(), []string{"publish", tree, "--store", dir}, &out, &out); code != 0 {
			t.Fatalf("publish: exit status = %d, want 0\n%s", code, out.String())
		}
	}
	publish(filepath.Join(builtinTree, "place/2026-10-19-beta"))
	d.ready()
	if _, body := d.get("/api/v2/schemas/place@latest/manifest"); !strings.Contains(body, `"version":"`+beta+`"`) {
		t.Errorf("place@latest: got %s, want %s", body, beta)
	}
	publish(filepath.Join(builtinTree, "place/2026-06-01-stable"))
	d.eventually("the second publish", func() bool {
		_, body := d.get("/api/v2/schemas/place@latest/manifest")
		return strings.Contains(body, `"version":"`+stable+`"`)
	})
}

func TestServeFollowsRetiredAndRestoredReleases(t *testing.T) {
	t.Parallel()
	dir, tree := filepath.Join(t.TempDir(), "store"), copyTree(t)
	run := func(args ...string) string {
		t.Helper()
		status, output := placard(t, "", append(args, "--store", dir)...)
		if status != exitOK {
			t.Fatalf("%v: got status %d, want 0\n%s", args, status, output)
		}
		return output
	}
	run("publish", tree)
	run("alias", "set", "place@pilot", beta)
	resolved := run("resolve", filepath.Join(tree, "place/2026-10-19-beta/examples/river_watch.json"))
	// The snapshot in the document differs from the beta that is published now.
	replace(t, filepath.Join(tree, "place/2026-10-19-beta/elements/water_gauge.yaml"), "en: Water gauge", "en: River gauge")
	run("publish", tree)
	d := start(t, "--store", dir)
	d.ready()
	found := func(version string) bool {
		status, _ := d.get("/api/v2/schemas/" + version + "/manifest")
		return status == http.StatusOK
	}
	drifts := func() bool {
		resp, err := http.Post(d.url+"/api/v2/schemas/"+stable+"/validate_resolved", "application/json", strings.NewReader(resolved))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(body), "snapshot_drift")
	}
	all := []string{beta, "place@pilot", "place@beta", "place@2026-10-19"}
	check := func(name string, want bool) {
		t.Helper()
		d.eventually(name, func() bool { return found(beta) == want })
		for _, version := range all {
			if found(version) != want {
				t.Errorf("after %s: found %s: %t, want %t", name, version, !want, want)
			}
		}
		if drifts() != want {
			t.Errorf("after %s: drift is reported: %t, want %t", name, !want, want)
		}
		if !found("place@latest") {
			t.Errorf("after %s: place@latest is not found", name)
		}
	}
	check("publish", true)
	run("retire", beta)
	check("retire", false)
	run("restore", beta)
	check("restore", true)
	run("retire", beta, stable)
	d.eventually("an empty store", func() bool { return !found("place@latest") })
	if status, body := d.get("/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(body, "all of them are retired") {
		t.Errorf("GET /readyz: got %d %s, want 503 because all releases are retired", status, body)
	}
}

func TestServeSaysThatTheStoreIsEmpty(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := start(t, "--store", dir)
	want := strings.ReplaceAll(fmt.Sprintf("Nothing is published in %q.", dir), `"`, `\"`)
	var body string
	d.eventually("the name of the empty store", func() bool {
		_, body = d.get("/readyz")
		return strings.Contains(body, want)
	})
	if strings.Contains(body, "Retry") {
		t.Errorf("got %s, want no advice to retry", body)
	}
}

func TestServeReportsInvalidUsage(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--addr", l.Addr().String()}, exitFailure, "Another program is listening"},
		{[]string{"--source", "nowhere"}, exitUsage, "nowhere"},
		{[]string{"--source", "serve.go"}, exitUsage, "not a folder"},
		{[]string{"--source", ".", "--store", "."}, exitUsage, "cannot be used together"},
		{[]string{"extra"}, exitUsage, "takes no arguments"},
		{[]string{"--log-level", "verbose"}, exitUsage, `--log-level: "verbose" is not a log level.` + "\n      = hint: Use debug, info, warn or error."},
		{[]string{"--cache", "cache"}, exitUsage, "--cache: there is no --store.\n      = hint: Only a store can be cached."},
		{[]string{"--source", "../../builtin/tree", "--cache", "cache"}, exitUsage, "--cache: there is no --store."},
		{[]string{"--store", "store", "--cache", "./store"}, exitUsage, `--cache: "./store" is a store.`},
		{[]string{"--store", "store", "--cache", "testdata"}, exitUsage, `--cache: "testdata" is not a cache, because it contains "`},
		{[]string{"--max-resident", "1"}, exitUsage, "--max-resident: there is no --store."},
		{[]string{"--store", "store", "--max-resident=-1"}, exitUsage, "--max-resident: -1 is negative."},
		{[]string{"--refresh", "1ms"}, exitUsage, "--refresh: 1ms is too short.\n      = hint: Use 0 or at least 10ms."},
	} {
		var out bytes.Buffer
		if code := execute(t.Context(), append([]string{"serve"}, tc.args...), &out, &out); code != tc.code || !strings.Contains(out.String(), tc.want) {
			t.Errorf("%v: got exit status %d and %q, want %d and %q", tc.args, code, out.String(), tc.code, tc.want)
		}
	}
}

func TestServeRealTaxonomy(t *testing.T) {
	t.Parallel()
	d := start(t, "--source", envtest.RealTree(t))
	d.ready()
	const version = "/api/v2/schemas/ai@2026-08-12-beta"
	var categories struct {
		Categories []taxonomy.Category `json:"categories"`
	}
	_, body := d.get(version + "/categories")
	if err := json.Unmarshal([]byte(body), &categories); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, c := range categories.Categories {
		order = append(order, c.ID)
	}
	want := "purpose accountable affected functional_modes risks_mitigation rights input_dataset processing output_dataset access retention storage"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("categories = %s, want %s", got, want)
	}
	var page struct {
		Elements []taxonomy.Element `json:"elements"`
		Meta     struct {
			Total int `json:"total"`
		} `json:"meta"`
	}
	_, body = d.get(version + "/elements?fields=all&limit=200")
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		t.Fatal(err)
	}
	if page.Meta.Total != 109 || len(page.Elements) != 109 {
		t.Errorf("got %d elements of %d, want 109 of 109", len(page.Elements), page.Meta.Total)
	}
	for _, e := range page.Elements {
		for _, variant := range e.IconVariants {
			status, svg := d.get(fmt.Sprintf("%s/elements/%s/icon.%s.svg", version, e.ID, variant))
			if status != 200 || !strings.HasPrefix(svg, "<svg") {
				t.Errorf("icon %s of %s: got %d %.80s, want 200 with SVG", variant, e.ID, status, svg)
			}
		}
	}
}

func TestSharedViewBeyondLoopbackIsLogged(t *testing.T) {
	for _, tc := range []struct {
		addr, view string
		want       bool
	}{
		{"127.0.0.1:80", "shared", false},
		{"[::1]:80", "shared", false},
		{"0.0.0.0:80", "shared", true},
		{"[::]:80", "shared", true},
		{"192.0.2.1:80", "shared", true},
		{"192.0.2.1:80", "client", false},
		{"192.0.2.1:80", "none", false},
	} {
		var logs bytes.Buffer
		f := serveFlags{fallbackView: tc.view}
		f.warnAboutViews(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(tc.addr)), slog.New(slog.NewTextHandler(&logs, nil)))
		if got := strings.Contains(logs.String(), "--fallback-view"); got != tc.want {
			t.Errorf("%s, %s: logged a warning: got %t, want %t", tc.addr, tc.view, got, tc.want)
		}
	}
}
