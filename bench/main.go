// Command bench measures the performance of Placard. It applies the same load
// alternately to Placard and to a bare net/http handler that sends the same
// responses, and reports the difference. It also measures how building and
// starting grow with the size of a taxonomy, and compares all results with
// targets. It needs Linux and wrk. The method is described in docs/performance.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"

	"placard/internal/storage/builtin"
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatalln("bench:", err)
	}
}

// bench is one run of the program.
type bench struct {
	rounds   int
	parts    string
	only     *regexp.Regexp
	out      string
	baseline string

	dir     string // temporary folder for all files
	self    string // path of this program
	placard string // path of Placard
	builtin *subject
	running []*process
	report  report
}

func run() error {
	b := new(bench)
	flag.IntVar(&b.rounds, "rounds", 5, "`number` of interleaved rounds")
	flag.StringVar(&b.parts, "parts", "routes,sizes", "comma-separated `parts` to measure")
	flag.StringVar(&b.out, "out", "", "write the results as JSON to this `file`")
	flag.StringVar(&b.baseline, "check", "", "compare the routes with the results in this `file`, and fail on regressions instead of missed targets")
	only := flag.String("only", "", "measure only routes whose names match this `regexp`")
	quick := flag.Bool("quick", false, "at most three rounds, and only the routes of the built-in taxonomy")
	responses := flag.String("bare", "", "internal: serve the responses in this `file`")
	flag.Parse()
	if *responses != "" {
		return serveBare(*responses)
	}
	if *quick {
		b.rounds = min(b.rounds, 3)
	}
	if *quick || b.baseline != "" {
		b.parts = "routes"
	}
	var err error
	if b.only, err = regexp.Compile(*only); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer b.close()
	if err := b.prepare(ctx); err != nil {
		return err
	}
	return b.measure(ctx)
}

func (b *bench) prepare(ctx context.Context) error {
	var err error
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if _, err := exec.LookPath("wrk"); err != nil {
		return fmt.Errorf("%w; run scripts/setup wrk", err)
	}
	if b.dir, err = os.MkdirTemp("", "placard-bench-"); err != nil {
		return err
	}
	if err := b.build(ctx); err != nil {
		return err
	}
	r, err := loadFirst(ctx, builtin.Store())
	b.builtin = &subject{name: builtinTaxonomy, release: r}
	b.report.Machine = fmt.Sprintf("%s, %s, %d processors", runtime.Version(), runtime.GOARCH, runtime.NumCPU())
	return err
}

// build builds Placard with probe.go.
func (b *bench) build(ctx context.Context) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	overlay := fmt.Appendf(nil, `{"Replace":{%q:%q}}`,
		filepath.Join(root, "cmd", "placard", "bench_probe.go"), filepath.Join(root, "bench", "probe.go"))
	overlayFile := filepath.Join(b.dir, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o644); err != nil {
		return err
	}
	b.placard = filepath.Join(b.dir, "placard")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-overlay", overlayFile, "-o", b.placard, "./cmd/placard")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

func (b *bench) close() {
	for _, p := range b.running {
		p.stop()
	}
	_ = os.RemoveAll(b.dir)
}

// measure runs all selected measurements and prints the report. It returns an
// error if a target is missed or, with a baseline, if a route has become more
// expensive.
func (b *bench) measure(ctx context.Context) error {
	started := time.Now()
	failures := func() []failure {
		b.report.evaluate()
		return b.report.missed()
	}
	if b.baseline != "" {
		baseline, err := loadReport(b.baseline)
		if err != nil {
			return err
		}
		failures = func() []failure { return findRegressions(baseline, &b.report) }
	}
	subjects := []*subject{b.builtin}
	if strings.Contains(b.parts, "sizes") {
		generated, err := b.measureSizes(ctx)
		if err != nil {
			return err
		}
		subjects = append(subjects, generated...)
	}
	if strings.Contains(b.parts, "routes") {
		if err := b.measureRoutes(ctx, subjects, failures); err != nil {
			return err
		}
	}
	b.report.evaluate()
	b.report.write(os.Stdout)
	log.Printf("Finished in %s.", time.Since(started).Round(time.Second))
	if b.out != "" {
		if err := b.report.save(b.out); err != nil {
			return err
		}
	}
	found := failures()
	for _, f := range found {
		fmt.Println(f.text)
	}
	kind := "missed targets"
	if b.baseline != "" {
		kind = "regressions against " + b.baseline
	}
	if len(found) > 0 {
		return fmt.Errorf("%d %s", len(found), kind)
	}
	fmt.Printf("No %s.\n", kind)
	return nil
}
