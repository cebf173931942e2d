// Command bench is the judge of Placard's speed. It starts Placard as users
// run it and, alternately and under the same load, a bare net/http handler
// that sends the same answers, and prints what Placard costs beyond that. It
// also measures starting, growth and overload, and compares all with targets.
// It needs Linux and wrk; docs/performance.md tells the method.
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

	"placard/internal/builtin"
	"placard/internal/release"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are the flags of the command.
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
	only := flag.String("only", "", "measure only `routes` whose name matches this pattern")
	flag.IntVar(&o.rounds, "rounds", 0, "`number` of interleaved rounds (default 5, or 3 with -quick)")
	flag.DurationVar(&o.length, "length", time.Second, "`duration` of one load, in whole seconds")
	flag.StringVar(&o.parts, "parts", "routes,growth,overload", "what to measure")
	flag.BoolVar(&quick, "quick", false, "fewer rounds, and the routes of our own taxonomy only: to try something")
	flag.StringVar(&o.out, "out", "", "write the figures as JSON to this `file`")
	flag.StringVar(&o.baseline, "check", "", "compare with the figures in this `file`, and fail on a loss")
	flag.StringVar(&o.profile, "profile", "", "instead of measuring, write profiles of the routes into this `folder`")
	flag.StringVar(&o.variants, "variants", "", "instead of measuring, compare the CPU time of other builds of Placard, a `list` of name=program")

	// How the program starts itself.
	bareAnswers := flag.String("bare", "", "internal: answer with what is in this `file`")
	makeIn := flag.String("make", "", "internal: make a release in this `folder`")
	elements := flag.Int("elements", 0, "internal: `number` of elements to make")
	offerTo := flag.String("offer", "", "internal: offer load to this `address`")
	inputs := flag.String("inputs", "", "internal: the `file` of requests to offer")
	rate := flag.Float64("rate", 0, "internal: requests to offer in a second")
	conns := flag.Int("connections", connections, "internal: `number` of connections to offer them over")
	flag.Parse()

	switch {
	case *bareAnswers != "":
		return serveBare(*bareAnswers)
	case *makeIn != "":
		return makeRelease(*makeIn, *elements)
	case *offerTo != "":
		return offer(*offerTo, *inputs, *rate, *conns, o.length)
	}
	usual := 5
	if quick {
		usual, o.parts = 3, "routes"
	}
	o.rounds = cmp.Or(o.rounds, usual)
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

// ownTaxonomy is the name of the subject that the targets are for.
const ownTaxonomy = "our own taxonomy"

// bench is one run of the program.
type bench struct {
	options
	dir      string // for everything that is written; removed at the end
	self     string // this program
	placard  string // Placard as users run it
	probed   string // the same with probe.go in it
	own      *subject
	contests int
	running  []*process
	report   report
}

func newBench(ctx context.Context, o options) (*bench, error) {
	b := &bench{options: o}
	var err error
	if b.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("wrk"); err != nil {
		return nil, fmt.Errorf("%w; scripts/setup wrk installs it", err)
	}
	if b.dir, err = os.MkdirTemp(scratch(), "placard-bench-"); err != nil {
		return nil, err
	}
	if err := b.build(ctx); err != nil {
		b.close()
		return nil, err
	}
	own, err := loadFirst(ctx, builtin.Store())
	if err != nil {
		b.close()
		return nil, err
	}
	b.own = &subject{name: ownTaxonomy, release: own}
	b.report.Rounds = o.rounds
	b.report.Machine = machine{
		Go:         runtime.Version(),
		System:     runtime.GOOS + "/" + runtime.GOARCH,
		Processors: runtime.NumCPU(),
		Commit:     commit(ctx),
	}
	return b, nil
}

// scratch returns a folder in memory where there is one with room: a store of
// 20,000 elements has many files, each of which is synced.
func scratch() string {
	const shared, room = "/dev/shm", 4 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(shared, &fs); err == nil && fs.Bavail*uint64(fs.Bsize) > room {
		return shared
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

// build makes Placard, and once more with the probe laid over it.
func (b *bench) build(ctx context.Context) error {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", failed(err))
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

// start runs a server that ends with the benchmark at the latest.
func (b *bench) start(name string, env []string, command ...string) (*process, error) {
	p, err := start(filepath.Join(b.dir, name+".log"), env, command...)
	if err == nil {
		b.running = append(b.running, p)
	}
	return p, err
}

// serve starts a Placard as users run it, with its log in a file, but without
// limits for a client: all the load comes from one.
func (b *bench) serve(name, program string, before []string, s *subject, env ...string) (*process, error) {
	command := append(append(before, program, "serve", "--addr", "127.0.0.1:0"), s.args...)
	return start(filepath.Join(b.dir, name+".log"), append(env, "PLACARD_RATE_LIMIT=off"), command...)
}

// newAsker returns one who asks the same each time.
func newAsker(r *release.Release, seed string) asker {
	h := fnv.New64a()
	_, _ = h.Write([]byte(seed))
	return asker{r, rand.New(rand.NewPCG(h.Sum64(), uint64(len(r.Elements))))}
}

func (b *bench) has(part string) bool { return strings.Contains(b.parts, part) }

func (b *bench) progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}
