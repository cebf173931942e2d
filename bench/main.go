// Command bench measures the performance of Placard. It applies the same load
// alternately to Placard and to a bare net/http handler that sends the same
// responses, and reports the difference. It also measures startup, growth and
// overload, and compares all results with targets. It needs Linux and wrk.
// The method is described in docs/performance.md.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"placard/internal/core/release"
	"placard/internal/storage/builtin"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options holds the values of the command-line flags.
type options struct {
	rounds   int
	length   time.Duration
	parts    string
	only     *regexp.Regexp
	out      string
	baseline string
	profile  string
	variants string
}

func run() error {
	var o options
	var quick bool
	only := flag.String("only", "", "measure only routes whose names match this `regexp`")
	flag.IntVar(&o.rounds, "rounds", 0, "`number` of interleaved rounds (default 5, or 3 with -quick)")
	flag.DurationVar(&o.length, "length", time.Second, "`duration` of one load, in whole seconds")
	flag.StringVar(&o.parts, "parts", "routes,growth,large,overload", "comma-separated `parts` to measure")
	flag.BoolVar(&quick, "quick", false, "fewer rounds, and only the routes of the built-in taxonomy")
	flag.StringVar(&o.out, "out", "", "write the results as JSON to this `file`")
	flag.StringVar(&o.baseline, "check", "", "compare with the results in this `file`, and fail on regressions")
	flag.StringVar(&o.profile, "profile", "", "write profiles of the routes to this `folder` instead of measuring")
	flag.StringVar(&o.variants, "variants", "", "compare the CPU time of other builds of Placard, a `list` of name=program, instead of measuring")

	// Internal flags, set when the program runs itself as a child process.
	bareResponses := flag.String("bare", "", "internal: serve the responses in this `file`")
	buildDir := flag.String("build", "", "internal: build a generated release in this `folder`")
	elements := flag.Int("elements", 0, "internal: `number` of elements to generate")
	loadAddr := flag.String("load", "", "internal: generate load for the server at this `address`")
	inputs := flag.String("inputs", "", "internal: `file` with the requests to send")
	rate := flag.Float64("rate", 0, "internal: requests per second")
	conns := flag.Int("connections", connections, "internal: `number` of connections")
	flag.Parse()

	switch {
	case *bareResponses != "":
		return serveBare(*bareResponses)
	case *buildDir != "":
		return measureBuild(*buildDir, *elements)
	case *loadAddr != "":
		return generateLoad(*loadAddr, *inputs, *rate, *conns, o.length)
	}
	rounds := 5
	if quick {
		rounds, o.parts = 3, "routes"
	}
	o.rounds = cmp.Or(o.rounds, rounds)
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b, err := newBench(ctx, o)
	if err != nil {
		return err
	}
	defer b.close()
	switch {
	case o.profile != "":
		return b.profiles(ctx)
	case o.variants != "":
		return b.compareVariants(ctx)
	case o.baseline != "":
		return b.check(ctx)
	}
	return b.measure(ctx)
}

// builtinTaxonomy is the name of the subject to which the targets apply.
const builtinTaxonomy = "built-in taxonomy"

// bench is one run of the program.
type bench struct {
	options
	dir     string // temporary folder for all files
	self    string // path of this program
	placard string // path of the normal Placard binary
	probed  string // path of a Placard binary built with probe.go
	builtin *subject
	serial  int
	running []*process
	report  report
}

func newBench(ctx context.Context, o options) (*bench, error) {
	b := &bench{options: o}
	var err error
	if b.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("wrk"); err != nil {
		return nil, fmt.Errorf("%w; run scripts/setup wrk", err)
	}
	if b.dir, err = os.MkdirTemp(tempRoot(), "placard-bench-"); err != nil {
		return nil, err
	}
	if err := b.build(ctx); err != nil {
		b.close()
		return nil, err
	}
	r, err := loadFirst(ctx, builtin.Store())
	if err != nil {
		b.close()
		return nil, err
	}
	b.builtin = &subject{name: builtinTaxonomy, release: r}
	b.report.Rounds = o.rounds
	b.report.Machine = machine{
		Go:         runtime.Version(),
		System:     runtime.GOOS + "/" + runtime.GOARCH,
		Processors: runtime.NumCPU(),
		Commit:     commit(ctx),
	}
	return b, nil
}

// tempRoot returns the parent of the temporary folder: an in-memory file
// system, if one has enough space, because stores sync every file.
func tempRoot() string {
	const memory, minFree = "/dev/shm", 4 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memory, &fs); err == nil && fs.Bavail*uint64(fs.Bsize) > minFree {
		return memory
	}
	return os.TempDir()
}

func commit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// build builds Placard, with and without the probe.
func (b *bench) build(ctx context.Context) error {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", withStderr(err))
	}
	dir := strings.TrimSpace(string(root))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(dir, "cmd", "placard", "bench_probe.go"): filepath.Join(dir, "bench", "probe.go"),
	}})
	if err != nil {
		return err
	}
	overlayFile := filepath.Join(b.dir, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o644); err != nil {
		return err
	}
	b.placard, b.probed = filepath.Join(b.dir, "placard"), filepath.Join(b.dir, "placard-probed")
	for _, arguments := range [][]string{{"-o", b.placard}, {"-o", b.probed, "-overlay", overlayFile}} {
		arguments = append([]string{"build", "-trimpath", "-buildvcs=false"}, arguments...)
		cmd := exec.CommandContext(ctx, "go", append(arguments, "placard/cmd/placard")...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	return nil
}

func (b *bench) close() {
	for _, p := range b.running {
		p.stop()
	}
	_ = os.RemoveAll(b.dir)
}

// start starts a server that is stopped at the end of the benchmark.
func (b *bench) start(name string, env []string, command ...string) (*process, error) {
	p, err := start(filepath.Join(b.dir, name+".log"), env, command...)
	if err == nil {
		b.running = append(b.running, p)
	}
	return p, err
}

// serve starts a Placard binary with its usual settings, logging to a file, but
// without rate limits, because all load comes from one client. The caller must
// stop the server or add it to b.running.
func (b *bench) serve(name, program string, prefix []string, s *subject, env ...string) (*process, error) {
	command := append(append(prefix, program, "serve", "--addr", "127.0.0.1:0"), s.args...)
	return start(filepath.Join(b.dir, name+".log"), append(env, "PLACARD_RATE_LIMIT=off"), command...)
}

// newRequestBuilder returns a requestBuilder. The same seed gives the same
// requests.
func newRequestBuilder(r *release.Release, seed string) requestBuilder {
	h := fnv.New64a()
	_, _ = h.Write([]byte(seed))
	return requestBuilder{r, rand.New(rand.NewPCG(h.Sum64(), uint64(len(r.Elements))))}
}

func (b *bench) has(part string) bool { return strings.Contains(b.parts, part) }

func (b *bench) progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}
