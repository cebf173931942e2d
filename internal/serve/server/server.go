// Package server serves the HTTP APIs on the network: common headers, limits per
// client, health checks, logs and metrics, and graceful shutdown. It knows nothing
// about taxonomies or documents.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"placard/internal/core/problem"
	"placard/internal/storage/catalog"
)

// Options configures a server.
type Options struct {
	Handler http.Handler // serves all requests but health checks; required

	// RequestContext derives the context of a request. Default: it is not changed.
	RequestContext func(context.Context) context.Context

	// Refuse writes the error response for a request that does not reach Handler
	// or whose handler panicked. Default: in the format of the REST API.
	Refuse func(http.ResponseWriter, *http.Request, problem.Problem)

	// Ready returns an error while the server is not ready for requests. An error with
	// the code NotReady is shown to clients.
	Ready func() error

	// Degraded returns the releases that /readyz reports as degraded. Default:
	// none.
	Degraded func() []catalog.DegradedRelease

	Guard        *Guard   // the guard that Handler uses, or nil
	Proxies      Proxies  // proxies that may report the origin of requests
	AllowedHosts []string // in lower case and without ports; empty to allow all
	RobotsTag    string   // X-Robots-Tag of every response; default none

	Timeouts    Timeouts
	MinBodyRate int64         // minimum rate of request bodies in bytes per second; default 1 KiB; negative for none
	MaxHeader   int           // maximum size of request headers; default 32 KiB
	DrainDelay  time.Duration // time between failing readiness checks and closing the listener
	Drain       time.Duration // timeout for requests in flight; default 10s

	Admin   net.Listener // serves metrics, build info and profiles, unless it is nil
	Pprof   bool         // serve profiles on Admin
	Metrics *Metrics     // may be nil
	Version string       // version of Placard

	Log *slog.Logger // default slog.Default()
}

// Timeouts contains limits on the time that a client may take. Zero means the
// default.
type Timeouts struct {
	Header time.Duration // to send the headers; default 5s
	Read   time.Duration // to send headers and body; default 15s
	Write  time.Duration // from the end of the request headers to the end of the response; default 30s
	Idle   time.Duration // between two requests; default 2m

	// BodyGrace is the time from the end of the request headers to the moment
	// from which the minimum rate of bodies applies; default 5s.
	BodyGrace time.Duration
}

// DefaultTimeouts are the timeouts used for zero values.
var DefaultTimeouts = Timeouts{Header: 5 * time.Second, Read: 15 * time.Second, Write: 30 * time.Second, Idle: 2 * time.Minute, BodyGrace: 5 * time.Second}

const (
	DefaultMinBodyRate = 1 << 10
	DefaultMaxHeader   = 32 << 10
	DefaultDrain       = 10 * time.Second
)

func (o *Options) fill() {
	o.Timeouts.Header = cmp.Or(o.Timeouts.Header, DefaultTimeouts.Header)
	o.Timeouts.Read = cmp.Or(o.Timeouts.Read, DefaultTimeouts.Read)
	o.Timeouts.Write = cmp.Or(o.Timeouts.Write, DefaultTimeouts.Write)
	o.Timeouts.Idle = cmp.Or(o.Timeouts.Idle, DefaultTimeouts.Idle)
	o.Timeouts.BodyGrace = cmp.Or(o.Timeouts.BodyGrace, DefaultTimeouts.BodyGrace)
	o.MinBodyRate = cmp.Or(o.MinBodyRate, DefaultMinBodyRate)
	o.MaxHeader = cmp.Or(o.MaxHeader, DefaultMaxHeader)
	o.Drain = cmp.Or(o.Drain, DefaultDrain)
	if o.Log == nil {
		o.Log = slog.Default()
	}
}

// Run serves on l until ctx is done. It then fails readiness checks, waits for
// the drain delay, stops accepting connections and finishes requests in flight.
func Run(ctx context.Context, l net.Listener, opts Options) error {
	h := newHandler(opts)
	opts = h.Options // with defaults
	public := opts.newServer(h)
	public.WriteTimeout = opts.Timeouts.Write
	// No write timeout: the request determines how long a profile takes.
	admin := opts.newServer(h.adminHandler())

	group, running := errgroup.WithContext(ctx)
	group.Go(func() error { return serve(public, listener{l}) })
	if opts.Admin != nil {
		group.Go(func() error { return serve(admin, opts.Admin) })
	}
	group.Go(func() error {
		<-running.Done()
		// The admin address is served to the end, so that shutdown can be observed.
		defer admin.Close()
		if ctx.Err() == nil {
			return public.Close() // a listener failed
		}
		return h.stop(public)
	})
	return group.Wait()
}

func (o *Options) newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: o.Timeouts.Header,
		ReadTimeout:       o.Timeouts.Read,
		IdleTimeout:       o.Timeouts.Idle,
		MaxHeaderBytes:    o.MaxHeader,
		ErrorLog:          log.New(serverLog{o.Log}, "", 0),
		// OPTIONS * is handled like any other preflight.
		DisableGeneralOptionsHandler: true,
	}
}

func serve(s *http.Server, l net.Listener) error {
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// stop fails readiness checks, waits for load balancers to notice, and finishes
// requests in flight.
func (s *handler) stop(public *http.Server) error {
	s.draining.Store(true)
	s.Log.Info("stopping", "drain_delay", s.DrainDelay, "drain", s.Drain)
	<-time.After(s.DrainDelay)
	ctx, cancel := context.WithTimeout(context.Background(), s.Drain)
	defer cancel()
	err := public.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(fmt.Errorf("requests in flight did not finish within %v", s.Drain), public.Close())
	}
	return err
}

// serverLog receives the log messages of net/http. Most are caused by clients,
// which can cause any number of them, and are logged at debug level.
type serverLog struct{ log *slog.Logger }

func (l serverLog) Write(line []byte) (int, error) {
	text := strings.TrimSpace(string(line))
	if strings.Contains(text, "Accept error") {
		l.log.Error("accepting connections failed", "error", text)
	} else {
		l.log.Debug("http", "message", text)
	}
	return len(line), nil
}
