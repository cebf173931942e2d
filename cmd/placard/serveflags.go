package main

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"placard/internal/core/problem"
	"placard/internal/serve/compress"
	"placard/internal/serve/mcpapi"
	"placard/internal/serve/ratelimit"
	"placard/internal/serve/redisdb"
	"placard/internal/serve/requestbody"
	"placard/internal/serve/server"
	"placard/internal/serve/web"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
)

// defaultAddr is the address of a server without --addr.
const defaultAddr = "127.0.0.1:8080"

// serveFlags are the flags of placard serve.
type serveFlags struct {
	addr, adminAddr string
	releases        releaseFlags
	redis           redisAddress
	redisTimeout    time.Duration
	printConfig     bool

	refresh     time.Duration
	cache       string
	maxResident int

	rateLimit   string
	policy      ratelimit.Policy
	clients     int
	ipv6Prefix  int
	proxies     list[netip.Prefix]
	proxyHeader string

	publicURL    string
	allowedHosts list[string]
	robotsTag    string

	publisher, licence siteLink
	footerLinks        list[siteLink]
	fallbackView       string

	maxBody, maxBodyMemory, maxHeader size
	maxBodyMemoryPerClient            size
	minBodyRate                       size
	maxInFlight, maxInFlightPerClient int
	maxDocuments                      int
	maxDocumentsPerClient             int
	compressionMemory, viewMemory     size

	timeouts          server.Timeouts
	drainDelay, drain time.Duration

	logLevel  logLevel
	logFormat string
	pprof     bool
}

func (f *serveFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	f.proxies = list[netip.Prefix]{parse: server.ParsePrefix, noun: "networks"}
	f.allowedHosts = list[string]{parse: parseHost, noun: "hosts"}
	f.footerLinks = list[siteLink]{parse: parseSiteLink, noun: "NAME=URL,..."}
	flags.StringVar(&f.addr, "addr", defaultAddr, "listen `address`; port 0 selects a free port")
	flags.StringVar(&f.adminAddr, "admin-addr", "", "listen `address` for metrics, build info and profiles; keep it private (default none)")
	f.releases.add(cmd)
	flags.Var(&f.redis, "redis", "`URL` of a Redis or Valkey server in which several nodes share rate limits and the views and documents of MCP sessions (default none)")
	flags.DurationVar(&f.redisTimeout, "redis-timeout", 50*time.Millisecond, "maximum time that a request waits for --redis")
	flags.DurationVar(&f.refresh, "refresh", 0, "mean time between reads of the list of releases; 0 for 10s with a bucket, and otherwise 500ms or, for a large tree, longer")
	flags.StringVar(&f.cache, "cache", "", "keep copies of the releases of --store in the folder `DIR`, to start without the store (default none)")
	flags.IntVar(&f.maxResident, "max-resident", 0, "maximum number of releases of --store in memory; others are loaded on demand; 0 for all")

	flags.Var(newChoice(&f.rateLimit, "on", "off"), "rate-limit", "rate limits per client")
	for _, l := range []struct {
		limit        *ratelimit.Limit
		defaultLimit ratelimit.Limit
		name         string
		usage        string
	}{
		{&f.policy.Read, ratelimit.DefaultPolicy.Read, "read", "requests per client for data"},
		{&f.policy.Icons, ratelimit.DefaultPolicy.Icons, "icons", "requests per client for shapes, symbols and icons"},
		{&f.policy.Validate, ratelimit.DefaultPolicy.Validate, "validate", "validate requests per client"},
		{&f.policy.Resolve, ratelimit.DefaultPolicy.Resolve, "resolve", "resolve, validate_resolved, render and sign requests per client"},
		{&f.policy.Names, ratelimit.DefaultPolicy.Names, "names", "new Service-Client names per address"},
	} {
		flags.TextVar(l.limit, "rate-limit-"+l.name, l.defaultLimit, l.usage+", as `number/duration` or off")
	}
	flags.IntVar(&f.clients, "rate-limit-clients", ratelimit.DefaultClients, "maximum number of tracked clients, at 105 bytes each")
	flags.IntVar(&f.ipv6Prefix, "rate-limit-ipv6-prefix", ratelimit.DefaultIPv6Prefix, "`bits` of an IPv6 address that identify a client")
	flags.Var(&f.proxies, "trusted-proxies", "comma-separated `networks` or addresses of proxies whose forwarding headers are trusted (default none)")
	flags.Var(newChoice(&f.proxyHeader, string(server.EitherHeader), string(server.XForwardedFor), string(server.Forwarded)), "proxy-header",
		"forwarding header set by trusted proxies")

	flags.StringVar(&f.publicURL, "public-url", "", "public `URL` of this server, for icon URLs (default derived from each request)")
	flags.Var(&f.allowedHosts, "allowed-hosts", "comma-separated `hosts` that requests may be addressed to (default all)")
	flags.StringVar(&f.robotsTag, "robots-tag", "", "`VALUE` of the X-Robots-Tag header of every response, for example noindex (default none)")
	flags.Var(&f.publisher, "publisher", "publisher of the pages, in their footer, as NAME or `NAME=URL` (default none)")
	flags.Var(&f.licence, "licence", "licence of the texts and icons, in the footer of pages, as NAME or `NAME=URL` (default Apache 2.0 for the built-in taxonomy)")
	flags.Var(&f.footerLinks, "footer-links", "comma-separated links in the footer of pages, such as contact, accessibility and privacy, each as `NAME=URL` (default none)")
	flags.Var(newChoice(&f.fallbackView, string(mcpapi.FallbackShared), string(mcpapi.FallbackClient), string(mcpapi.FallbackNone)), "fallback-view",
		"last view of MCP clients without a session: one for all, one per address, or none")

	f.maxBody, f.maxBodyMemory, f.maxHeader = requestbody.DefaultLimit, server.DefaultMaxBodyMemory, server.DefaultMaxHeader
	f.compressionMemory, f.viewMemory = compress.DefaultCacheSize, mcpapi.DefaultSessionMemory
	f.minBodyRate = server.DefaultMinBodyRate
	flags.Var(&f.maxBody, "max-body", "maximum size of a request body")
	flags.Var(&f.maxBodyMemory, "max-body-memory", "maximum total size of buffers for request bodies; 0 for no limit")
	flags.Var(&f.maxBodyMemoryPerClient, "max-body-memory-per-client", "maximum total size of buffers for request bodies per address, unless --rate-limit=off; 0 for an eighth of --max-body-memory")
	flags.Var(&f.minBodyRate, "min-body-rate", "minimum number of bytes per second at which a request body must arrive after --body-grace; 0 for no limit")
	flags.Var(&f.maxHeader, "max-header", "maximum size of request headers")
	flags.IntVar(&f.maxInFlight, "max-in-flight", server.DefaultMaxInFlight, "maximum number of concurrent requests, once their body is complete; 0 for no limit")
	flags.IntVar(&f.maxInFlightPerClient, "max-in-flight-per-client", server.DefaultMaxInFlightPerClient, "maximum number of concurrent requests per address, including incomplete ones, unless --rate-limit=off; 0 for no limit")
	flags.IntVar(&f.maxDocuments, "max-documents", 0, "maximum number of datachains processed concurrently; 0 for two per processor")
	flags.IntVar(&f.maxDocumentsPerClient, "max-documents-per-client", 0, "maximum number of datachains processed concurrently per address, unless --rate-limit=off; 0 for an eighth of the total")
	flags.Var(&f.compressionMemory, "compression-memory", "size of the cache of compressed responses")
	flags.Var(&f.viewMemory, "view-memory", "maximum total size of the views and documents of MCP sessions")

	flags.DurationVar(&f.timeouts.Header, "header-timeout", server.DefaultTimeouts.Header, "time limit for reading request headers")
	flags.DurationVar(&f.timeouts.Read, "read-timeout", server.DefaultTimeouts.Read, "time limit for reading a request, including the body")
	flags.DurationVar(&f.timeouts.BodyGrace, "body-grace", server.DefaultTimeouts.BodyGrace, "time from the end of the request headers until --min-body-rate applies")
	flags.DurationVar(&f.timeouts.Write, "write-timeout", server.DefaultTimeouts.Write, "time limit from the end of the request headers to the end of the response")
	flags.DurationVar(&f.timeouts.Idle, "idle-timeout", server.DefaultTimeouts.Idle, "time limit for the next request on a connection")
	flags.DurationVar(&f.drainDelay, "drain-delay", 0, "time to keep accepting connections after /readyz starts failing")
	flags.DurationVar(&f.drain, "drain", server.DefaultDrain, "time limit for requests in flight to finish on shutdown")

	flags.Var(&f.logLevel, "log-level", "minimum log `level`: debug, info, warn or error")
	flags.Var(newChoice(&f.logFormat, "text", "json"), "log-format", "log format")
	flags.BoolVar(&f.pprof, "pprof", false, "serve profiles on the admin address")
	flags.BoolVar(&f.printConfig, "print-config", false, "print the value and origin of every flag and exit")
	wrapSettings(cmd)
}

// minRefresh is the shortest --refresh.
const minRefresh = 10 * time.Millisecond

// catalogOptions returns the options of the catalog.
func (f *serveFlags) catalogOptions(log *slog.Logger) catalog.Options {
	opts := f.releases.catalogOptions(log)
	if f.refresh > 0 {
		opts.Poll, opts.MaxLoad = f.refresh, 0
	}
	opts.MaxResident = f.maxResident
	return opts
}

// licenceLink returns the licence of the releases that are served. Only that of the
// built-in taxonomy is known.
func (f *serveFlags) licenceLink() web.Link {
	if f.licence.Name == "" && f.releases.source == "" && f.releases.store == "" {
		return web.Link{Name: "Apache License 2.0", Address: "https://www.apache.org/licenses/LICENSE-2.0"}
	}
	return f.licence.Link
}

// links returns the links in the footer of pages.
func (f *serveFlags) links() []web.Link {
	var all []web.Link
	for _, item := range f.footerLinks.items {
		all = append(all, item.Link)
	}
	return all
}

// openReleases returns the releases to serve, and their cache, which is nil without
// --cache.
func (f *serveFlags) openReleases(log *slog.Logger) (catalog.Store, *store.Cache, error) {
	releases, err := f.releases.open(log)
	described, ok := releases.(describedStore)
	if err != nil || f.cache == "" || !ok {
		return releases, nil, err
	}
	uncached, ok := described.Store.(*store.Store)
	if !ok {
		return releases, nil, nil
	}
	name := f.releases.store
	if !store.IsAddress(name) {
		if name, err = filepath.Abs(name); err != nil {
			return nil, nil, err
		}
	}
	cache := store.NewCache(uncached, name, f.cache, log)
	return describedStore{described.name, cache}, cache, nil
}

// check returns the errors in the values of flags, other than syntax errors.
func (f *serveFlags) check(cmd *cobra.Command) []error {
	var errs []error
	requireHinted := func(condition bool, flag, hint, format string, args ...any) {
		if !condition {
			errs = append(errs, problem.Failure("%s: %s", settingOf(cmd, flag).origin, fmt.Sprintf(format, args...)).Hint("%s", hint))
		}
	}
	require := func(condition bool, flag, format string, args ...any) {
		requireHinted(condition, flag, "", format, args...)
	}
	requireHinted(isAddr(f.addr), "addr", "Use host:port or :port.", "%q is not an address", f.addr)
	requireHinted(f.adminAddr == "" || isAddr(f.adminAddr), "admin-addr", "Use host:port or :port.", "%q is not an address", f.adminAddr)
	requireHinted(f.adminAddr != f.addr || strings.HasSuffix(f.addr, ":0"), "admin-addr", "Use another port.", "%s is the public address, and metrics must not be public", f.adminAddr)
	require(!f.pprof || f.adminAddr != "", "pprof", "profiles require --admin-addr")

	requireHinted(f.refresh == 0 || f.refresh >= minRefresh, "refresh", fmt.Sprintf("Use 0 or at least %v.", minRefresh), "%v is too short", f.refresh)
	requireHinted(!store.IsAddress(f.cache), "cache", "Use a folder on this machine.", "it is an address")
	requireHinted(f.cache == "" || f.releases.store != "", "cache", "Only a store can be cached.", "there is no --store")
	requireHinted(f.cache == "" || !store.IsFolder(f.cache) && !sameFile(f.cache, f.releases.store), "cache", "Use a folder of its own.", "%q is a store", f.cache)
	foreign := store.ForeignFile(f.cache)
	requireHinted(f.cache == "" || foreign == "", "cache", "Use a new or empty folder.", "%q is not a cache, because it contains %q", f.cache, foreign)
	require(f.maxResident >= 0, "max-resident", "%d is negative", f.maxResident)
	requireHinted(f.maxResident == 0 || f.releases.store != "", "max-resident", "Other releases are always in memory.", "there is no --store")

	require(1 <= f.clients && f.clients <= 1<<24, "rate-limit-clients", "%d is not between 1 and %d", f.clients, 1<<24)
	require(1 <= f.ipv6Prefix && f.ipv6Prefix <= 128, "rate-limit-ipv6-prefix", "%d is not between 1 and 128", f.ipv6Prefix)
	requireHinted(f.publicURL == "" || isHTTPURL(f.publicURL), "public-url", "Use the form https://placard.example.", "%q is not a URL", f.publicURL)
	require(isHeaderValue(f.robotsTag), "robots-tag", "%q contains characters that are not allowed in a header", f.robotsTag)

	require(1 <= f.maxBody && f.maxBody <= 1<<30, "max-body", "%v is not between 1 byte and 1GiB", f.maxBody)
	require(f.maxBodyMemory == 0 || f.maxBodyMemory >= f.maxBody, "max-body-memory", "%v is less than --max-body, %v", f.maxBodyMemory, f.maxBody)
	require(f.maxBodyMemoryPerClient == 0 || f.maxBodyMemoryPerClient >= f.maxBody, "max-body-memory-per-client", "%v is less than --max-body, %v", f.maxBodyMemoryPerClient, f.maxBody)
	require(4<<10 <= f.maxHeader && f.maxHeader <= 1<<20, "max-header", "%v is not between 4KiB and 1MiB", f.maxHeader)
	require(f.maxInFlight >= 0, "max-in-flight", "%d is negative", f.maxInFlight)
	require(f.maxInFlightPerClient >= 0, "max-in-flight-per-client", "%d is negative", f.maxInFlightPerClient)
	require(f.maxDocuments >= 0, "max-documents", "%d is negative", f.maxDocuments)
	require(f.maxDocumentsPerClient >= 0, "max-documents-per-client", "%d is negative", f.maxDocumentsPerClient)
	require(f.compressionMemory > 0, "compression-memory", "%v is not positive", f.compressionMemory)
	require(f.viewMemory > 0, "view-memory", "%v is not positive", f.viewMemory)

	require(f.timeouts.Header > 0, "header-timeout", "%v is not positive", f.timeouts.Header)
	require(f.timeouts.Read >= f.timeouts.Header, "read-timeout", "%v is less than --header-timeout, %v", f.timeouts.Read, f.timeouts.Header)
	require(f.timeouts.BodyGrace > 0, "body-grace", "%v is not positive", f.timeouts.BodyGrace)
	require(f.timeouts.Write > 0, "write-timeout", "%v is not positive", f.timeouts.Write)
	require(f.timeouts.Idle > 0, "idle-timeout", "%v is not positive", f.timeouts.Idle)
	require(f.drainDelay >= 0, "drain-delay", "%v is negative", f.drainDelay)
	require(f.drain > 0, "drain", "%v is not positive", f.drain)

	return errs
}

// sameFile reports whether two names refer to the same file or folder, which need not
// exist.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA != nil || errB != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	return os.SameFile(infoA, infoB)
}

func isAddr(s string) bool {
	_, port, err := net.SplitHostPort(s)
	return err == nil && port != ""
}

func isHeaderValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || '~' < r })
}

// notAURL returns the error for a flag whose value is not a URL.
func notAURL(flag, value string) error {
	return problem.Failure("%s: %q is not a URL.", flag, value).Hint("Use the form https://placard.example.")
}

func isHTTPURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

func (f *serveFlags) logger(w io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: slog.Level(f.logLevel)}
	if f.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// limiter returns the rate limiter, or nil if rate limits are off. It counts in db,
// unless db is nil.
func (f *serveFlags) limiter(db *redisdb.DB) ratelimit.Limiter {
	opts := ratelimit.MemoryOptions{Clients: f.clients}
	switch {
	case f.rateLimit == "off":
		return nil
	case db != nil:
		return redisdb.NewLimiter(db, f.policy, opts)
	}
	return ratelimit.NewMemory(f.policy, opts)
}

// sessions returns the store of MCP sessions. It is in db, unless db is nil.
func (f *serveFlags) sessions(db *redisdb.DB) mcpapi.SessionStore {
	memory := mcpapi.NewMemory(mcpapi.MemoryOptions{MaxBytes: int(f.viewMemory)})
	if db == nil {
		return memory
	}
	return redisdb.NewSessions(db, memory, redisdb.SessionOptions{
		IdleTimeout: mcpapi.DefaultIdleTimeout,
		MaxEntries:  mcpapi.DefaultSessionEntries,
		MaxBytes:    int(f.viewMemory),
	})
}

// bodyMemoryPerClient returns the limit on the buffers for request bodies of one
// client, or 0 for no limit.
func (f *serveFlags) bodyMemoryPerClient() size {
	switch {
	case f.rateLimit == "off":
		return 0
	case f.maxBodyMemoryPerClient == 0 && f.maxBodyMemory > 0:
		return max(f.maxBodyMemory/8, f.maxBody)
	}
	return f.maxBodyMemoryPerClient
}

// documentsPerClient returns the number of documents of one client that may be
// processed concurrently, in the form that [budget.NewPool] expects.
func (f *serveFlags) documentsPerClient() int {
	if f.rateLimit == "off" {
		return math.MaxInt
	}
	return f.maxDocumentsPerClient
}
