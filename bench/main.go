// Command bench is the judge of Placard's speed. It starts Placard as users
// run it and, alternately and under the same load, a bare net/http handler
// that sends the same answers, and prints what Placard costs beyond that. It
// also measures starting, growth and overload, and compares all with targets.
// It needs Linux and wrk; docs/performance.md tells the method.
package main

import (
	"cmp"
	"context"
	"errors"
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

	"placard.dev/builtin"
	"placard.dev/release"
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
		cmd := exec.CommandContext(ctx, "go", append(arguments, "placard.dev/cmd/placard")...)
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

// measure does everything and prints it.
func (b *bench) measure(ctx context.Context) error {
	begun := time.Now()
	subjects := []*subject{b.own}
	if b.has("growth") {
		for _, size := range sizes {
			b.progress("generating %d elements ...", size)
			s, made, err := b.generated(ctx, size)
			if err != nil {
				return err
			}
			subjects = append(subjects, s)
			b.report.Makings = append(b.report.Makings, made)
		}
		if err := b.starts(ctx, subjects); err != nil {
			return err
		}
	}
	if b.has("routes") {
		contests, err := b.prepareAll(ctx, subjects)
		if err != nil {
			return err
		}
		if err := b.fightAll(ctx, contests, b.rounds); err != nil {
			return err
		}
		if err := b.collect(ctx, contests); err != nil {
			return err
		}
	}
	b.grow()
	if b.has("overload") {
		b.progress("overload ...")
		var err error
		if b.report.Overload, err = b.overload(ctx, routeNamed("resolve"), b.own); err != nil {
			return fmt.Errorf("overload: %w", err)
		}
	}
	b.report.judge()
	b.report.write(os.Stdout)
	b.progress("It took %s.", time.Since(begun).Round(time.Second))
	if b.out != "" {
		if err := b.report.save(b.out); err != nil {
			return err
		}
	}
	if n := len(b.report.missed()); n > 0 {
		return fmt.Errorf("%d targets are missed", n)
	}
	return nil
}

// prepareAll starts everything that fights. A route that Placard does not have
// is reported and left out.
func (b *bench) prepareAll(ctx context.Context, subjects []*subject) ([]*contest, error) {
	var all []*contest
	for _, s := range subjects {
		var err error
		if s.server, err = b.serve(fmt.Sprintf("placard-%d", len(s.release.Elements)), b.placard, nil, s); err != nil {
			return nil, err
		}
		b.running = append(b.running, s.server)
		if err := s.server.await(ctx, newAsker(s.release, "").path("/manifest")); err != nil {
			return nil, err
		}
		for i := range routes {
			r := &routes[i]
			largest := len(s.release.Elements) == sizes[len(sizes)-1]
			if !b.only.MatchString(r.name) || s != b.own && !r.small && !(r.large && largest) {
				continue
			}
			b.progress("preparing %s (%s) ...", r.name, s.name)
			c, err := b.prepare(r, s)
			switch {
			case errors.Is(err, errUnanswered):
				b.report.Missing = append(b.report.Missing, unanswered{r.name, s.name, err.Error()})
			case err != nil:
				return nil, fmt.Errorf("%s (%s): %w", r.name, s.name, err)
			default:
				all = append(all, c)
			}
		}
	}
	return all, nil
}

// fightAll lets each contest have a round, and again from the first, so that
// what else the machine does at some time falls on all alike.
func (b *bench) fightAll(ctx context.Context, contests []*contest, rounds int) error {
	for n := range rounds {
		b.progress("round %d of %d ...", n+1, rounds)
		for _, c := range contests {
			if err := c.fight(ctx, b.length); err != nil {
				return err
			}
		}
	}
	return nil
}

// collect puts what was measured into the report, with what is allocated.
func (b *bench) collect(ctx context.Context, contests []*contest) error {
	b.contests++
	socket := filepath.Join(b.dir, fmt.Sprintf("probe-%d", b.contests))
	server, err := b.probedServer(ctx, "counted", probeSocket+"="+socket)
	if err != nil {
		return err
	}
	placard, err := openProbe(socket)
	if err != nil {
		return err
	}
	defer placard.close()
	b.report.Routes = nil
	for _, c := range contests {
		r := result{
			Route:    c.route.name,
			Taxonomy: c.subject.name,
			Inputs:   len(c.requests),
			Spoilt:   c.spoilt,
			Body:     c.bodyBytes(),
			Placard:  c.middle(func(r round) effort { return r.Placard }),
			Bare:     c.middle(func(r round) effort { return r.Bare }),
			Ratios:   c.ratios(),
			Ratio:    summarize(c.ratios()),
		}
		if c.subject == b.own {
			if err := c.allocations(&r, placard, server.addr); err != nil {
				return err
			}
		}
		b.report.Routes = append(b.report.Routes, r)
	}
	return nil
}

// allocations counts what Placard allocates for a request beyond the bare
// handler.
func (c *contest) allocations(r *result, placard *probe, addr string) error {
	bare, err := openProbe(c.probe)
	if err != nil {
		return err
	}
	defer bare.close()
	limit, err := bare.countAllocations(c.bare.addr, c.requests)
	if err != nil {
		return err
	}
	ours, err := placard.countAllocations(addr, c.requests)
	if err != nil {
		return err
	}
	r.BareAlloc = &limit
	r.Allocated = &allocated{ours.Objects - limit.Objects, ours.Bytes - limit.Bytes}
	return nil
}

// starts measures how long it takes to begin and what is resident then.
func (b *bench) starts(ctx context.Context, subjects []*subject) error {
	times := map[string]int{ownTaxonomy: 15}
	for _, count := range []int{1, 10, 50} {
		s, err := b.releases(ctx, b.own.release, count)
		if err != nil {
			return err
		}
		subjects = append(subjects, s)
	}
	for _, s := range subjects {
		b.progress("starting: %s ...", s.name)
		n := times[s.name]
		if n == 0 {
			n = 3
		}
		started, err := b.coldStart(ctx, s, n)
		if err != nil {
			return err
		}
		b.report.Starts = append(b.report.Starts, started)
	}
	return nil
}

// grow fits how what was measured grows with the size of the taxonomy.
func (b *bench) grow() {
	r := &b.report
	if len(r.Makings) != len(sizes) {
		return
	}
	of := func(part func(making) float64) []float64 {
		var values []float64
		for _, m := range r.Makings {
			values = append(values, part(m))
		}
		return values
	}
	begun := func(part func(starting) float64) []float64 {
		var values []float64
		for _, s := range r.Starts {
			if strings.HasPrefix(s.Name, "generated") {
				values = append(values, part(s))
			}
		}
		return values
	}
	r.Growth = []growth{
		newGrowth("read and check a tree", "ms CPU", maxExponent, of(func(m making) float64 { return m.Read })),
		newGrowth("compile", "ms CPU", maxExponent, of(func(m making) float64 { return m.Compile })),
		newGrowth("load", "ms CPU", maxExponent, of(func(m making) float64 { return m.Load })),
		newGrowth("memory of a loaded release", "MiB", maxExponent, of(func(m making) float64 { return m.Live })),
		newGrowth("resident after start", "MiB", maxExponent, begun(func(s starting) float64 { return s.Resident.Median })),
		newGrowth("first answer after start", "ms", maxExponent, begun(func(s starting) float64 { return s.First.Median })),
	}
	for _, row := range routes {
		var values []float64
		for _, x := range r.Routes {
			if x.Route == row.name && x.Taxonomy != ownTaxonomy {
				values = append(values, x.Ratio.Median)
			}
		}
		if row.small && len(values) == len(sizes) {
			r.Growth = append(r.Growth, newGrowth(row.name, "CPU ratio", noGrowth, values))
		}
	}
}

// check measures our own taxonomy and fails on what became more expensive than
// the baseline says. What looks like it is measured again before it is believed.
func (b *bench) check(ctx context.Context) error {
	baseline, err := loadReport(b.baseline)
	if err != nil {
		return err
	}
	contests, err := b.prepareAll(ctx, []*subject{b.own})
	if err != nil {
		return err
	}
	suspects := contests
	var found []loss
	for attempt := range 3 {
		if err := b.fightAll(ctx, suspects, b.rounds); err != nil {
			return err
		}
		if err := b.collect(ctx, contests); err != nil {
			return err
		}
		found = losses(baseline, &b.report)
		if len(found) == 0 || attempt == 2 {
			break
		}
		suspects = nil
		for _, c := range contests {
			for _, l := range found {
				if l.route == c.route.name {
					b.progress("measuring again: %s", l)
					suspects = append(suspects, c)
					break
				}
			}
		}
	}
	b.report.judge()
	b.report.write(os.Stdout)
	if b.out != "" {
		if err := b.report.save(b.out); err != nil {
			return err
		}
	}
	for _, l := range found {
		fmt.Println("loss:", l)
	}
	if len(found) > 0 {
		return fmt.Errorf("%d losses against %s", len(found), b.baseline)
	}
	fmt.Printf("No loss against %s.\n", b.baseline)
	return nil
}
