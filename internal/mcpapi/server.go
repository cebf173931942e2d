// Package mcpapi is the face of Placard for agents: the Model Context Protocol
// over HTTP and over standard input and output, in both of its eras. It has a
// JSON-RPC layer of its own, asks the questions of package query, and knows
// nothing of REST handlers.
package mcpapi

import (
	"log/slog"
	"net/http"

	"placard/internal/budget"
	"placard/internal/catalog"
	"placard/internal/ratelimit"
	"placard/internal/requestbody"
)

// Options configure a [Server].
type Options struct {
	Catalog *catalog.Catalog // required
	Views   Views            // where sessions' views are kept; default [NewMemory]
	Version string           // of Placard, as clients are told; default "development"

	// PublicURL is where the REST API is reached from outside, such as
	// https://placard.example; default is the address that a request was sent
	// to. Without either, icons are handed out as data: URLs.
	PublicURL string

	// Admit is asked before a request's body is read and any work is done. An
	// error is the answer, and Admit sets headers that go with it. Default:
	// everything is admitted.
	Admit func(http.ResponseWriter, *http.Request, ratelimit.Bucket) error

	MaxBody   int64        // bytes in one request; default [requestbody.DefaultLimit]
	Documents *budget.Pool // where work on documents waits for its turn; default its own

	Log *slog.Logger // default slog.Default()
}

// Server answers the Model Context Protocol. It is an [http.Handler] for one
// path, usually /mcp.
type Server struct {
	Options
	identity []byte // JSON of serverInfo
}

// New returns a server.
func New(opts Options) *Server {
	s := &Server{Options: opts, identity: identity(opts.Version)}
	if s.Views == nil {
		s.Views = NewMemory(MemoryOptions{})
	}
	if s.Admit == nil {
		s.Admit = func(http.ResponseWriter, *http.Request, ratelimit.Bucket) error { return nil }
	}
	if s.MaxBody <= 0 {
		s.MaxBody = requestbody.DefaultLimit
	}
	if s.Documents == nil {
		s.Documents = budget.NewPool(0)
	}
	if s.Log == nil {
		s.Log = slog.Default()
	}
	return s
}

func identity(version string) []byte {
	if version == "" {
		version = "development"
	}
	b := []byte(`{"name":"placard","title":"Placard","version":`)
	return append(appendString(b, version), '}')
}
