package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"placard/internal/source"
	"placard/internal/taxonomy"
	"placard/internal/testenv"
)

const (
	builtinTree = "../../builtin/tree"
	stable      = "place@2026-06-01-stable"
	beta        = "place@2026-10-19-beta"
)

// daemon is placard serve in a process of its own.
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

// runAsPlacard makes the test binary behave as placard itself.
const runAsPlacard = "PLACARD_TEST_RUN"

func start(t *testing.T, args ...string) *daemon {
	t.Helper()
	d := &daemon{t: t, logs: new(syncBuffer)}
	d.cmd = exec.CommandContext(t.Context(), os.Args[0], append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
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
	_, d.url, _ = strings.Cut(d.line(), "listens on ")
	return d
}

// line returns the next line that the daemon prints.
func (d *daemon) line() string {
	d.t.Helper()
	line, err := d.out.ReadString('\n')
	if err != nil {
		d.t.Fatalf("nothing was printed: %v\n%s", err, d.logs)
	}
	return strings.TrimSpace(line)
}

// stop ends the daemon as an operator does and returns its exit status.
func (d *daemon) stop() int {
	d.t.Helper()
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		d.t.Fatal(err)
	}
	_ = d.cmd.Wait() // the status is read below
	return d.cmd.ProcessState.ExitCode()
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

// eventually waits for a condition that is promised within two seconds.
func (d *daemon) eventually(what string, holds func() bool) {
	d.t.Helper()
	deadline := time.Now().Add(10 * time.Second) // a loaded machine gets more
	for !holds() {
		if time.Now().After(deadline) {
			d.t.Fatalf("%s does not happen\n%s", what, d.logs)
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

// replace edits a file as an editor does: written aside, then renamed.
func replace(t *testing.T, file, old, new string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(data, []byte(old)) {
		t.Fatalf("%s: no %q (%v)", file, old, err)
	}
	if err := os.WriteFile(file+"~", bytes.Replace(data, []byte(old), []byte(new), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+"~", file); err != nil {
		t.Fatal(err)
	}
}

func TestServeWithoutFlagsServesTheBuiltInTaxonomyAndStopsGracefully(t *testing.T) {
	d := start(t)
	d.ready()
	var list struct {
		Versions []struct{ ID string }
	}
	status, body := d.get("/api/v2/schemas")
	if err := json.Unmarshal([]byte(body), &list, json.MatchCaseInsensitiveNames(true)); err != nil || status != 200 {
		t.Fatalf("%d %s (%v)", status, body, err)
	}
	if len(list.Versions) != 2 || list.Versions[0].ID != stable || list.Versions[1].ID != beta {
		t.Errorf("got %s", body)
	}
	if _, body := d.get("/api/v2/schemas/place@latest/elements"); !strings.Contains(body, `"total":82`) {
		t.Errorf("got %.300s", body)
	}
	if status, _ := d.get("/healthz"); status != 200 {
		t.Errorf("healthz: %d", status)
	}
	if code := d.stop(); code != 0 {
		t.Errorf("exit status %d\n%s", code, d.logs)
	}
}

func TestServeSourceFollowsEditsAndOutlivesFaultyOnes(t *testing.T) {
	dir := copyTree(t)
	file := filepath.Join(dir, "place/2026-10-19-beta/elements/radar.yaml")
	d := start(t, "--source", dir)
	d.ready()
	title := func() string {
		_, body := d.get("/api/v2/schemas/" + beta + "/elements/radar?fields=title&locales=en")
		return body
	}
	if !strings.Contains(title(), `"Radar"`) {
		t.Fatalf("got %s", title())
	}
	replace(t, file, "en: Radar", "en: Radar gun")
	d.eventually("the edit", func() bool { return strings.Contains(title(), `"Radar gun"`) })

	replace(t, file, "category_id: sensing", "category_id: sensnig")
	d.eventually("a log of the fault", func() bool { return strings.Contains(d.logs.String(), "elements/radar.yaml:2:14") })
	if !strings.Contains(title(), `"Radar gun"`) {
		t.Errorf("after the faulty edit: %s", title())
	}
	replace(t, file, "category_id: sensnig", "category_id: sensing")
	replace(t, file, "en: Radar gun", "en: Radar dish")
	d.eventually("the mended edit", func() bool { return strings.Contains(title(), `"Radar dish"`) })
}

func TestServeStoreShowsWhatIsPublishedLater(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	d := start(t, "--store", dir)
	if status, body := d.get("/readyz"); status != 503 {
		t.Errorf("readyz of nothing: %d %s", status, body)
	}
	if status, body := d.get("/api/v2/schemas"); status != 502 || !strings.Contains(body, "upstream_error") {
		t.Errorf("a store that is not there: %d %s", status, body)
	}
	publish := func(tree string) {
		t.Helper()
		var out bytes.Buffer
		if code := execute(t.Context(), []string{"publish", tree, "--store", dir}, &out, &out); code != 0 {
			t.Fatalf("publish: %d %s", code, out.String())
		}
	}
	publish(filepath.Join(builtinTree, "place/2026-10-19-beta"))
	d.ready()
	if _, body := d.get("/api/v2/schemas/place@latest/manifest"); !strings.Contains(body, `"version":"`+beta+`"`) {
		t.Errorf("got %s", body)
	}
	publish(filepath.Join(builtinTree, "place/2026-06-01-stable"))
	d.eventually("the second publish", func() bool {
		_, body := d.get("/api/v2/schemas/place@latest/manifest")
		return strings.Contains(body, `"version":"`+stable+`"`)
	})
}

func TestServeRefusesWhatCannotWork(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, tc := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--addr", l.Addr().String()}, exitFindings, "in use"},
		{[]string{"--source", "nowhere"}, exitUsage, "nowhere"},
		{[]string{"--source", "serve.go"}, exitUsage, "not a folder"},
		{[]string{"--source", ".", "--store", "."}, exitUsage, "none of the others can be"},
		{[]string{"extra"}, exitUsage, "extra"},
	} {
		var out bytes.Buffer
		if code := execute(t.Context(), append([]string{"serve"}, tc.args...), &out, &out); code != tc.code || !strings.Contains(out.String(), tc.says) {
			t.Errorf("%v: %d %s", tc.args, code, out.String())
		}
	}
}

func TestARealTaxonomyIsServedUnchanged(t *testing.T) {
	d := start(t, "--source", testenv.RealTree(t))
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
		t.Errorf("categories %s", got)
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
		t.Errorf("%d elements of %d", len(page.Elements), page.Meta.Total)
	}
	for _, e := range page.Elements {
		for _, variant := range e.IconVariants {
			status, svg := d.get(fmt.Sprintf("%s/elements/%s/icon.%s.svg", version, e.ID, variant))
			if status != 200 || !strings.HasPrefix(svg, "<svg") {
				t.Errorf("%s %s: %d %.80s", e.ID, variant, status, svg)
			}
		}
	}
}

func TestTheEmbeddedTreeIsTheOneOnDisk(t *testing.T) {
	ids, problems := source.Releases(testenv.BuiltinTree())
	if len(ids) != 2 || len(problems) != 0 {
		t.Errorf("%v, %v", ids, problems)
	}
}

func TestNoHeadroomIsTakenWhereMemoryIsScarce(t *testing.T) {
	if len(headroom()) == 0 {
		t.Error("without a limit there is none")
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(100 << 20))
	if n := len(headroom()); n != 0 {
		t.Errorf("%d bytes of 100 MiB", n)
	}
}
