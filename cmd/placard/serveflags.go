package main

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"placard/internal/compress"
	"placard/internal/httpapi"
	"placard/internal/ratelimit"
	"placard/internal/server"
)

// serveFlags are what an operator can decide about placard serve.
type serveFlags struct {
	addr, adminAddr string
	releases        releaseFlags
	printConfig     bool

	rateLimit   string
	policy      ratelimit.Policy
	clients     int
	ipv6Prefix  int
	proxies     networks
	proxyHeader string

	publicURL    string
	allowedHosts hosts
	robotsTag    string

	maxBody, maxBodyMemory, maxHeader size
	maxInFlight, maxInFlightPerClient int
	maxDocuments                      int
	compressionMemory                 size

	timeouts          server.Timeouts
	drainDelay, drain time.Duration

	logLevel     slog.Level
	logFormat    string
	otlpEndpoint string
	pprof        bool
}

func (f *serveFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.addr, "addr", "127.0.0.1:8080", "`address` to listen on; port 0 takes a free one")
	flags.StringVar(&f.adminAddr, "admin-addr", "", "`address` for metrics, build info and profiles; keep it private (default none)")
	f.releases.add(cmd)

	flags.Var(newChoice(&f.rateLimit, "on", "off"), "rate-limit", "whether clients are limited")
	for _, l := range []struct {
		limit    *ratelimit.Limit
		fallback ratelimit.Limit
		name     string
		of       string
	}{
		{&f.policy.Read, ratelimit.DefaultPolicy.Read, "read", "requests of one client for data"},
		{&f.policy.Icons, ratelimit.DefaultPolicy.Icons, "icons", "requests of one client for shapes, symbols and icons"},
		{&f.policy.Validate, ratelimit.DefaultPolicy.Validate, "validate", "datachains that one client may have validated"},
		{&f.policy.Resolve, ratelimit.DefaultPolicy.Resolve, "resolve", "datachains that one client may have resolved, or validated as resolved"},
		{&f.policy.Names, ratelimit.DefaultPolicy.Names, "names", "Service-Client names that one address may open"},
	} {
		flags.TextVar(l.limit, "rate-limit-"+l.name, l.fallback, l.of+", as `number/time`, or off")
	}
	flags.IntVar(&f.clients, "rate-limit-clients", ratelimit.DefaultClients, "clients that are remembered, at 105 bytes each")
	flags.IntVar(&f.ipv6Prefix, "rate-limit-ipv6-prefix", ratelimit.DefaultIPv6Prefix, "`bits` of an IPv6 address that tell clients apart")
	flags.Var(&f.proxies, "trusted-proxies", "`networks` or addresses of proxies that are believed about clients' addresses, separated by commas (default none)")
	flags.Var(newChoice(&f.proxyHeader, string(server.EitherHeader), string(server.XForwardedFor), string(server.Forwarded)), "proxy-header",
		"where trusted proxies say whom they speak for")

	flags.StringVar(&f.publicURL, "public-url", "", "`URL` under which clients reach this server, for addresses in answers (default as each request says)")
	flags.Var(&f.allowedHosts, "allowed-hosts", "answer only requests for these `hosts`, separated by commas (default all)")
	flags.StringVar(&f.robotsTag, "robots-tag", "", "X-Robots-Tag of every answer, such as noindex (default none)")

	f.maxBody, f.maxBodyMemory, f.maxHeader = httpapi.DefaultMaxBody, server.DefaultMaxBodyMemory, server.DefaultMaxHeader
	f.compressionMemory = compress.DefaultCacheSize
	flags.Var(&f.maxBody, "max-body", "largest body of a request")
	flags.Var(&f.maxBodyMemory, "max-body-memory", "all bodies being held at a time; 0: no bound")
	flags.Var(&f.maxHeader, "max-header", "largest header of a request")
	flags.IntVar(&f.maxInFlight, "max-in-flight", server.DefaultMaxInFlight, "requests being answered at a time; 0: no bound")
	flags.IntVar(&f.maxInFlightPerClient, "max-in-flight-per-client", server.DefaultMaxInFlightPerClient, "those of one address, unless --rate-limit=off; 0: no bound")
	flags.IntVar(&f.maxDocuments, "max-documents", 0, "datachains being worked on at a time; 0: two for each processor")
	flags.Var(&f.compressionMemory, "compression-memory", "compressed answers that are kept")

	flags.DurationVar(&f.timeouts.Header, "header-timeout", server.DefaultTimeouts.Header, "for the headers of a request to arrive")
	flags.DurationVar(&f.timeouts.Read, "read-timeout", server.DefaultTimeouts.Read, "for headers and body to arrive")
	flags.DurationVar(&f.timeouts.Write, "write-timeout", server.DefaultTimeouts.Write, "from the end of the headers to the end of the answer")
	flags.DurationVar(&f.timeouts.Idle, "idle-timeout", server.DefaultTimeouts.Idle, "for the next request on a connection")
	flags.DurationVar(&f.drainDelay, "drain-delay", 0, "how long to go on accepting after /readyz has begun to fail")
	flags.DurationVar(&f.drain, "drain", server.DefaultDrain, "how long requests in flight may take to end")

	flags.TextVar(&f.logLevel, "log-level", slog.LevelInfo, "log no less than this `level`: debug, info, warn or error")
	flags.Var(newChoice(&f.logFormat, "text", "json"), "log-format", "how logs are written")
	flags.StringVar(&f.otlpEndpoint, "otlp-endpoint", "", "send traces to the OpenTelemetry collector at this `URL` (default none, or as OTEL_EXPORTER_OTLP_ENDPOINT says)")
	flags.BoolVar(&f.pprof, "pprof", false, "serve profiles on the admin address")
	flags.BoolVar(&f.printConfig, "print-config", false, "print every flag's value and where it came from, and end")
	collectFaults(cmd)
}

// check returns all that is wrong with the flags of cmd beside their syntax.
func (f *serveFlags) check(cmd *cobra.Command) []error {
	var faults []error
	require := func(holds bool, flag, format string, args ...any) {
		if !holds {
			faults = append(faults, fmt.Errorf("%s: %s", settingOf(cmd, flag).from, fmt.Sprintf(format, args...)))
		}
	}
	require(isAddr(f.addr), "addr", "%q is not an address; write host:port or :port", f.addr)
	require(f.adminAddr == "" || isAddr(f.adminAddr), "admin-addr", "%q is not an address; write host:port or :port", f.adminAddr)
	require(f.adminAddr != f.addr || strings.HasSuffix(f.addr, ":0"), "admin-addr", "%s is the public address, and metrics are not for everybody", f.adminAddr)
	require(!f.pprof || f.adminAddr != "", "pprof", "profiles are served on the admin address; give --admin-addr too")

	require(1 <= f.clients && f.clients <= 1<<24, "rate-limit-clients", "%d is not between 1 and %d", f.clients, 1<<24)
	require(1 <= f.ipv6Prefix && f.ipv6Prefix <= 128, "rate-limit-ipv6-prefix", "%d is not between 1 and 128", f.ipv6Prefix)
	require(f.publicURL == "" || isHTTP(f.publicURL), "public-url", "%q is not a URL such as https://placard.example", f.publicURL)
	require(isHeaderText(f.robotsTag), "robots-tag", "%q has characters that no header may have", f.robotsTag)

	require(1 <= f.maxBody && f.maxBody <= 1<<30, "max-body", "%v is not between 1 byte and 1GiB", f.maxBody)
	require(f.maxBodyMemory == 0 || f.maxBodyMemory >= f.maxBody, "max-body-memory", "%v is less than --max-body, %v", f.maxBodyMemory, f.maxBody)
	require(4<<10 <= f.maxHeader && f.maxHeader <= 1<<20, "max-header", "%v is not between 4KiB and 1MiB", f.maxHeader)
	require(f.maxInFlight >= 0, "max-in-flight", "%d is negative", f.maxInFlight)
	require(f.maxInFlightPerClient >= 0, "max-in-flight-per-client", "%d is negative", f.maxInFlightPerClient)
	require(f.maxDocuments >= 0, "max-documents", "%d is negative", f.maxDocuments)
	require(f.compressionMemory > 0, "compression-memory", "something must be kept")

	require(f.timeouts.Header > 0, "header-timeout", "%v is not positive", f.timeouts.Header)
	require(f.timeouts.Read >= f.timeouts.Header, "read-timeout", "%v is less than --header-timeout, which is part of it", f.timeouts.Read)
	require(f.timeouts.Write > 0, "write-timeout", "%v is not positive", f.timeouts.Write)
	require(f.timeouts.Idle > 0, "idle-timeout", "%v is not positive", f.timeouts.Idle)
	require(f.drainDelay >= 0, "drain-delay", "%v is negative", f.drainDelay)
	require(f.drain > 0, "drain", "%v is not positive", f.drain)

	require(f.otlpEndpoint == "" || isHTTP(f.otlpEndpoint), "otlp-endpoint", "%q is not a URL such as http://localhost:4318", f.otlpEndpoint)
	return faults
}

func isAddr(s string) bool {
	_, port, err := net.SplitHostPort(s)
	return err == nil && port != ""
}

func isHeaderText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || '~' < r })
}

func isHTTP(s string) bool {
	target, err := url.Parse(s)
	return err == nil && target.Host != "" && (target.Scheme == "http" || target.Scheme == "https")
}

func (f *serveFlags) logger(w io.Writer) *slog.Logger {
	if f.logFormat == "json" {
		return slog.New(server.NewJSONHandler(w, f.logLevel))
	}
	return slog.New(server.NewTextHandler(w, f.logLevel))
}

// limiter returns what counts requests, nil where nothing does.
func (f *serveFlags) limiter() ratelimit.Limiter {
	if f.rateLimit == "off" {
		return nil
	}
	return ratelimit.NewMemory(f.policy, ratelimit.MemoryOptions{Clients: f.clients})
}

// traces reports whether there is somewhere to send traces.
func (f *serveFlags) traces() bool {
	return f.otlpEndpoint != "" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}
