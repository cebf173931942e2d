package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/spf13/cobra"

	embedded "placard"
	"placard/internal/core/problem"
	"placard/internal/serve/budget"
	"placard/internal/serve/compress"
	"placard/internal/serve/httpapi"
	"placard/internal/serve/mcpapi"
	"placard/internal/serve/redisdb"
	"placard/internal/serve/server"
	"placard/internal/serve/web"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
)

func newServe() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve [--addr HOST:PORT] [--source DIR | --store STORE] [flags]",
		Short: "Serve releases over HTTP",
		Long: `Serve provides the REST API below /api/v2 and an MCP server at /mcp.

Without --source or --store, it serves the built-in taxonomy. With --store, it
serves the releases in a store and picks up new ones; if the store is missing or
cannot be read, it starts anyway and retries. With --cache, it keeps copies of the
releases on disk and serves those until the store can be read. With --source, it
compiles an authoring tree, which must contain a release, and follows changes;
while a release has errors, it logs the findings, shows them on its pages, and
keeps serving the last good version. Pages reload when the tree changes. Clients of
such a preview must revalidate every response.

With --redis, nodes that serve the same releases also share rate limits and MCP
sessions. A request waits for Redis for at most --redis-timeout. After three
replies in a row that come too late, a node decides alone until Redis answers.

/healthz reports whether the process is alive, /readyz whether it can serve
requests and which releases are out of date. On SIGTERM or SIGINT, /readyz fails
immediately; after --drain-delay the server stops accepting connections and
finishes the requests in flight within --drain. A second signal kills the
process.`,
		Example: `  placard serve
  placard serve --addr 127.0.0.1:9000 --source taxonomy
  placard serve --addr :8080 --store /srv/placard --admin-addr 127.0.0.1:9090 --trusted-proxies 10.0.0.0/8
  PLACARD_RATE_LIMIT_READ=600/60s placard serve --print-config`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			// Closing connections to clients and Redis may take as long as everything else.
			grace := f.drainDelay + f.drain + 2*interruptGrace
			return runInterruptible(cmd.Context(), grace, func() error { return f.run(cmd) })
		},
	}
	f.add(cmd)
	return cmd
}

// run checks the settings, opens the listeners and serves until the command's
// context is done.
func (f *serveFlags) run(cmd *cobra.Command) error {
	log := f.logger(cmd.ErrOrStderr())
	errs := append(settingErrors(cmd), f.check(cmd)...)
	releases, cache, err := f.openReleases(log)
	if err != nil {
		errs = append(errs, err)
	}
	if len(errs) > 0 {
		return joinSettingErrors(errs)
	}
	warnAboutVariables(cmd.Root(), os.Environ(), log)
	if f.printConfig {
		return printConfig(cmd.OutOrStdout(), cmd)
	}
	var listener net.ListenConfig
	public, err := listener.Listen(cmd.Context(), "tcp", f.addr)
	if err != nil {
		return failure{err}
	}
	// Containers often merge both outputs, which must then be JSON only.
	output := cmd.OutOrStdout()
	if f.logFormat == "json" {
		output = io.Discard
	}
	fmt.Fprintf(output, "Listening on http://%s\n", public.Addr())
	f.warnAboutViews(public.Addr(), log)
	var admin net.Listener
	if f.adminAddr != "" {
		if admin, err = listener.Listen(cmd.Context(), "tcp", f.adminAddr); err != nil {
			return failure{errors.Join(err, public.Close())}
		}
		fmt.Fprintf(output, "Serving metrics on http://%s/metrics\n", admin.Addr())
	}
	f.logStart(public, admin, log)
	if err := f.serve(cmd.Context(), public, admin, releases, cache, log); err != nil {
		return failure{err}
	}
	log.Info("stopped")
	return nil
}

// logStart logs the version and the settings on which other machines depend. admin
// may be nil.
func (f *serveFlags) logStart(public, admin net.Listener, log *slog.Logger) {
	attrs := []any{"version", versionText(), "addr", public.Addr().String()}
	if admin != nil {
		attrs = append(attrs, "admin_addr", admin.Addr().String())
	}
	for _, setting := range []struct{ name, value string }{
		{"source", f.releases.source}, {"store", f.releases.store}, {"cache", f.cache}, {"redis", f.redis.String()},
	} {
		if setting.value != "" {
			attrs = append(attrs, setting.name, setting.value)
		}
	}
	log.Info("starting", attrs...)
}

// serve runs the catalog and the server until ctx is done.
func (f *serveFlags) serve(ctx context.Context, public, admin net.Listener, releases catalog.Store, cache *store.Cache, log *slog.Logger) error {
	// A few releases are a small heap, which would be collected a dozen times per
	// second.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	var metrics *server.Metrics
	if admin != nil {
		metrics = server.NewMetrics(versionText())
	}
	c := catalog.New(metrics.Store(releases, cache), f.catalogOptions(log))
	metrics.Catalog(c)
	metrics.Cache(cache)
	var db *redisdb.DB
	if !f.redis.IsZero() {
		db = redisdb.Open(f.redis.Address, redisdb.Options{Timeout: f.redisTimeout, Log: log, Observe: metrics.RedisOperation})
		metrics.Redis(db)
	}
	guard := f.guard(db, metrics, log)
	documents := budget.NewPool(f.maxDocuments, f.documentsPerClient())
	encoded := compress.NewCache(int(f.compressionMemory))
	pages := web.New(web.Options{
		Catalog:     c,
		Preview:     f.releases.source != "",
		PublicURL:   f.publicURL,
		Publisher:   f.publisher.Link,
		Licence:     f.licenceLink(),
		FooterLinks: f.links(),
		Version:     versionText(),
		Admit:       guard.Admit,
		Docs:        embedded.Docs,
		Examples:    f.releases.examples(),
		Findings:    f.releases.findings(releases),
		Encoded:     encoded,
		Log:         log,
	})
	opts := server.Options{
		Handler: handlers{
			rest: httpapi.New(httpapi.Options{
				Catalog:      c,
				Preview:      f.releases.source != "",
				Admit:        guard.Admit,
				MaxBody:      int64(f.maxBody),
				Documents:    documents,
				Encoded:      encoded,
				IconMissed:   metrics.IconMissed,
				Others:       []string{"GET /healthz", "GET /readyz", "POST " + mcpPath},
				NotFoundPage: pages.NotFound,
				CodePage:     web.CodePath,
				Log:          log,
			}),
			mcp: mcpapi.New(mcpapi.Options{
				Catalog:      c,
				Sessions:     f.sessions(db),
				FallbackView: mcpapi.FallbackView(f.fallbackView),
				Version:      versionText(),
				PublicURL:    f.publicURL,
				Admit:        guard.Admit,
				MaxBody:      int64(f.maxBody),
				Documents:    documents,
				Log:          log,
			}),
			web: pages,
		},
		Refuse:       writeRefusal,
		Ready:        func() error { return ready(c, f.releases.store) },
		Degraded:     c.Degraded,
		Guard:        guard,
		Proxies:      server.Proxies{Trusted: f.proxies.items, Header: server.ForwardHeader(f.proxyHeader)},
		AllowedHosts: f.allowedHosts.items,
		RobotsTag:    f.robotsTag,
		Timeouts:     f.timeouts,
		MinBodyRate:  int64(f.minBodyRate),
		MaxHeader:    int(f.maxHeader),
		DrainDelay:   f.drainDelay,
		Drain:        f.drain,
		Admin:        admin,
		Pprof:        f.pprof,
		Metrics:      metrics,
		Version:      versionText(),
		Log:          log,
	}
	if f.minBodyRate == 0 {
		opts.MinBodyRate = -1
	}
	// Requests that arrive before the releases are loaded, or before their limits are
	// shared, wait briefly.
	waiting, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	// Run only reads, and may outlast ctx: a large tree or a stalled file system must not
	// delay the exit.
	go c.Run(ctx)
	if db != nil {
		opts.RequestContext = redisdb.RequestContext
		defer connectRedis(ctx, db)()
	}
	waitForReleases(waiting, c)
	if db != nil {
		select {
		case <-db.Tried():
		case <-waiting.Done():
		}
	}
	return server.Run(ctx, public, opts)
}

// waitForReleases returns when the releases are loaded, or soon after the first one
// is: requests then load others on demand.
func waitForReleases(ctx context.Context, c *catalog.Catalog) {
	select {
	case <-c.Ready():
	case <-ctx.Done():
	}
	select {
	case <-c.Loaded():
	case <-time.After(200 * time.Millisecond):
	case <-ctx.Done():
	}
}

// connectRedis keeps db connected until the returned function is called: requests in
// flight need it until the server has stopped, which is after ctx is done.
func connectRedis(ctx context.Context, db *redisdb.DB) (disconnect func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { db.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// warnAboutViews logs a warning if clients on other machines share a view.
func (f *serveFlags) warnAboutViews(listening net.Addr, log *slog.Logger) {
	tcp, ok := listening.(*net.TCPAddr)
	if f.fallbackView == string(mcpapi.FallbackShared) && !(ok && tcp.IP.IsLoopback()) {
		log.Warn("MCP clients without a session can read each other's last view; set --fallback-view to client or none", "addr", listening.String())
	}
}

// handlers routes requests to the REST API, the MCP server and the pages.
type handlers struct {
	rest, mcp http.Handler
	web       *web.Handler
}

const mcpPath = "/mcp"

func (h handlers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !httpapi.IsClean(r.URL): // the muxes would redirect it
		h.rest.ServeHTTP(w, r)
	case h.web.Serves(r):
		h.web.ServeHTTP(w, r)
	case r.URL.Path == mcpPath:
		r.Pattern = mcpPath
		h.mcp.ServeHTTP(w, r)
	default:
		h.rest.ServeHTTP(w, r)
	}
}

// writeRefusal writes a problem in the form of the requested API.
func writeRefusal(w http.ResponseWriter, r *http.Request, p problem.Problem) {
	if r.URL.Path == mcpPath {
		mcpapi.WriteError(w, p)
		return
	}
	httpapi.WriteError(w, p)
}

func (f *serveFlags) guard(db *redisdb.DB, metrics *server.Metrics, log *slog.Logger) *server.Guard {
	opts := server.GuardOptions{
		Limiter:                f.limiter(db),
		IPv6Prefix:             f.ipv6Prefix,
		MaxInFlight:            f.maxInFlight,
		MaxInFlightPerClient:   f.maxInFlightPerClient,
		MaxBodyMemory:          int64(f.maxBodyMemory),
		MaxBodyMemoryPerClient: int64(f.bodyMemoryPerClient()),
		Metrics:                metrics,
		Log:                    log,
	}
	if opts.Limiter == nil {
		opts.MaxInFlightPerClient = 0
	}
	return server.NewGuard(opts)
}

// ready returns an error while there is no release to serve. name is the value of
// --store, if any.
func ready(c *catalog.Catalog, name string) error {
	snapshot, err := c.Current()
	if err != nil {
		return err
	}
	switch index := snapshot.Index(); {
	case len(index.Releases) == 0 && len(index.Retired) > 0:
		return problem.New(problem.NotReady, "No release is published, because all of them are retired.").Hint("Publish or restore a release.")
	case len(index.Releases) == 0 && name != "":
		return problem.New(problem.NotReady, "Nothing is published in %s.", storeLabel(name)).Hint("Publish a release, or check the name of the store.")
	case len(snapshot.Releases()) == 0:
		return errors.New("no release is published")
	}
	return nil
}

// findings returns the function that returns the findings in the authoring tree of a
// preview and in its examples, or nil if releases is another store.
func (f releaseFlags) findings(releases catalog.Store) func() problem.List {
	if described, ok := releases.(describedStore); ok {
		releases = described.Store
	}
	if t, ok := releases.(*catalog.Tree); ok {
		t.Check = tree{dir: f.source, fsys: os.DirFS(f.source)}.checkExamples
		return t.Findings
	}
	return nil
}

// examples returns the authoring tree with example documents: the previewed one, or
// that of the built-in taxonomy.
func (f releaseFlags) examples() fs.FS {
	if f.source != "" {
		return os.DirFS(f.source)
	}
	examples, err := fs.Sub(embedded.Examples, "builtin/tree")
	if err != nil {
		panic(err) // the path is valid
	}
	return examples
}
