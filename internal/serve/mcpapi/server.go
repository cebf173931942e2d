// Package mcpapi serves Placard to agents over the Model Context Protocol, with
// HTTP or standard input and output as the transport. It has its own JSON-RPC
// layer, gets its data from package query, and knows nothing about REST handlers.
package mcpapi

import (
	"crypto/rand"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"net/netip"

	"placard/internal/serve/budget"
	"placard/internal/serve/ratelimit"
	"placard/internal/serve/requestbody"
	"placard/internal/storage/catalog"
)

// Options configure a [Server].
type Options struct {
	Catalog  *catalog.Catalog // required
	Sessions SessionStore     // default [NewMemory]

	Version string // version of Placard reported to clients; default "development"

	FallbackView FallbackView // view of clients without a session; default [FallbackShared]

	// PublicURL is the external base URL of the REST API, such as
	// https://placard.example. The default is the host of each request. If
	// neither is known, icon URLs are data: URLs.
	PublicURL string

	// Admit is called before the body of a request is read. An error that it
	// returns becomes the response; Admit sets the headers for that response,
	// if any. Otherwise the address identifies the client for other limits. The
	// default admits every request and identifies no client.
	Admit func(http.ResponseWriter, *http.Request, ratelimit.Bucket) (client netip.Addr, err error)

	MaxBody   int64        // maximum size of a request body; default [requestbody.DefaultLimit]
	Documents *budget.Pool // limits concurrent work on documents; default a new pool

	Log *slog.Logger // default slog.Default()
}

// Server is an MCP server. It is an [http.Handler] for one path, usually /mcp.
type Server struct {
	Options
	serverInfo []byte // JSON
	handleKey  []byte // random; a handle is looked up, so other servers need not know it
}

// New returns a server.
func New(opts Options) *Server {
	s := &Server{Options: opts, serverInfo: encodeServerInfo(opts.Version), handleKey: make([]byte, sha256.Size)}
	rand.Read(s.handleKey) // never fails
	if s.Sessions == nil {
		s.Sessions = NewMemory(MemoryOptions{})
	}
	if s.FallbackView == "" {
		s.FallbackView = FallbackShared
	}
	if s.Admit == nil {
		s.Admit = func(http.ResponseWriter, *http.Request, ratelimit.Bucket) (netip.Addr, error) {
			return netip.Addr{}, nil
		}
	}
	if s.MaxBody <= 0 {
		s.MaxBody = requestbody.DefaultLimit
	}
	if s.Documents == nil {
		s.Documents = budget.NewPool(0, 0)
	}
	if s.Log == nil {
		s.Log = slog.Default()
	}
	return s
}

func encodeServerInfo(version string) []byte {
	if version == "" {
		version = "development"
	}
	b := []byte(`{"name":"placard","title":"Placard","version":`)
	return append(appendString(b, version), '}')
}
