// Package server runs the faces of Placard on the network: what all answers
// have in common, who may ask how much, health, logs, metrics and traces, start
// and graceful stop. It knows no rules.
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

	"placard/internal/problem"
)

// Options configure a server.
type Options struct {
	Handler http.Handler // answers everything but health; required

	// Refuse answers a request that no handler answers for: one that failed,
	// or that came to the wrong host. Default: as the REST API does.
	Refuse func(http.ResponseWriter, *http.Request, problem.Problem)

	// Ready says why the server cannot answer yet, or nil.
	Ready func() error

	Guard        *Guard   // the one that Handler asks; nil: none
	Proxies      Proxies  // whose word is taken for where requests come from
	AllowedHosts []string // in lower case and without ports; none: all
	RobotsTag    string   // X-Robots-Tag of every answer; default none

	Timeouts   Timeouts
	MaxHeader  int           // bytes of a request's headers; default 32 KiB
	DrainDelay time.Duration // how long to go on accepting after readiness has ended
	Drain      time.Duration // how long requests in flight may take to end; default 10s

	Admin   net.Listener // for metrics, build info and profiles; nil: they are not served
	Pprof   bool         // profiles too
	Metrics *Metrics     // nil: nothing is measured
	Tracing *Tracing     // nil: nothing is traced
	Version string       // of Placard

	Log *slog.Logger // default slog.Default()
}

// Timeouts bound how long a client may take. Zero means the default.
type Timeouts struct {
	Header time.Duration // to send the headers; default 5s
	Read   time.Duration // to send headers and body; default 15s
	Write  time.Duration // from the end of the headers to the end of the answer; default 30s
	Idle   time.Duration // between two requests; default 2m
}

// DefaultTimeouts are those of a server that is told none.
var DefaultTimeouts = Timeouts{Header: 5 * time.Second, Read: 15 * time.Second, Write: 30 * time.Second, Idle: 2 * time.Minute}

const (
	DefaultMaxHeader = 32 << 10
	DefaultDrain     = 10 * time.Second
)

func (o *Options) fill() {
	o.Timeouts.Header = cmp.Or(o.Timeouts.Header, DefaultTimeouts.Header)
	o.Timeouts.Read = cmp.Or(o.Timeouts.Read, DefaultTimeouts.Read)
	o.Timeouts.Write = cmp.Or(o.Timeouts.Write, DefaultTimeouts.Write)
	o.Timeouts.Idle = cmp.Or(o.Timeouts.Idle, DefaultTimeouts.Idle)
	o.MaxHeader = cmp.Or(o.MaxHeader, DefaultMaxHeader)
	o.Drain = cmp.Or(o.Drain, DefaultDrain)
	if o.Log == nil {
		o.Log = slog.Default()
	}
}

// Run serves on l until ctx ends. Then readiness ends first; after the drain
// delay no more connections are accepted, and requests in flight are finished.
func Run(ctx context.Context, l net.Listener, opts Options) error {
	opts.fill()
	h := newHandler(opts)
	public := opts.newServer(h)
	public.WriteTimeout = opts.Timeouts.Write
	public.ConnContext = withConn
	// A profile takes as long as was asked for, so there is no such timeout here.
	admin := opts.newServer(h.adminHandler())

	group, running := errgroup.WithContext(ctx)
	group.Go(func() error { return serve(public, listener{l}) })
	if opts.Admin != nil {
		group.Go(func() error { return serve(admin, opts.Admin) })
	}
	group.Go(func() error {
		<-running.Done()
		// The admin address answers to the end, so that the stop can be watched.
		defer admin.Close()
		if ctx.Err() == nil {
			return public.Close() // one of them has failed
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
		// OPTIONS * is answered like any other preflight.
		DisableGeneralOptionsHandler: true,
	}
}

func serve(s *http.Server, l net.Listener) error {
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// stop ends readiness, waits for those who balance load to notice, and lets
// the requests in flight end.
func (s *handler) stop(public *http.Server) error {
	s.draining.Store(true)
	s.Log.Info("stopping", "drain_delay", s.DrainDelay, "drain", s.Drain)
	<-time.After(s.DrainDelay)
	ctx, cancel := context.WithTimeout(context.Background(), s.Drain)
	defer cancel()
	err := public.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(fmt.Errorf("requests in flight did not end within %v", s.Drain), public.Close())
	}
	return err
}

// serverLog takes what net/http has to say. Most of it is about what clients
// do wrong, as often as they like.
type serverLog struct{ log *slog.Logger }

func (l serverLog) Write(line []byte) (int, error) {
	text := strings.TrimSpace(string(line))
	if strings.Contains(text, "Accept error") {
		l.log.Error("connections cannot be accepted", "error", text)
	} else {
		l.log.Debug("http", "message", text)
	}
	return len(line), nil
}
