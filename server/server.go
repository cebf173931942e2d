// Package server runs the faces of Placard on the network: what every answer
// has in common, health, logs, start and graceful stop. It knows no rules.
package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Options configure a server.
type Options struct {
	Handler http.Handler // answers everything but health; required

	// Ready says why the server cannot answer yet, or nil.
	Ready func() error

	Drain time.Duration // how long requests in flight may take to end; default 10s
	Log   *slog.Logger  // default slog.Default()
}

// Run serves on l until ctx ends, then finishes the requests in flight.
func Run(ctx context.Context, l net.Listener, opts Options) error {
	if opts.Drain <= 0 {
		opts.Drain = 10 * time.Second
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	srv := &http.Server{
		Handler:           Handler(opts),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(opts.Log.Handler(), slog.LevelDebug),
		// OPTIONS * is answered like any other preflight.
		DisableGeneralOptionsHandler: true,
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	opts.Log.Info("stopping", "drain", opts.Drain)
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), opts.Drain)
	defer cancel()
	err := srv.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(errors.New("requests in flight did not end in time"), srv.Close())
	}
	<-served
	return err
}
