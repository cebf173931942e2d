package mcpapi

import "net/netip"

// FallbackView selects the view of clients that send no session id.
type FallbackView string

const (
	// FallbackShared is one view shared by all clients: each of them can read the
	// document that another rendered last.
	FallbackShared FallbackView = "shared"
	// FallbackClient is one view for each client, identified by its address.
	FallbackClient FallbackView = "client"
	// FallbackNone stores no view.
	FallbackNone FallbackView = "none"
)

// sharedSession is the session of clients without an id under [FallbackShared].
const sharedSession = "__service_default_session__"

// viewKey returns the key of the view that a request reads or replaces, or the
// empty string if it has none. The stateless protocol never uses the shared view:
// its results carry the view.
func (s *Server) viewKey(req *request) string {
	const prefix = "view:"
	switch {
	case req.modern && (req.session == "" || req.session == sharedSession):
		return ""
	case req.session != "":
		return prefix + req.session
	case s.FallbackView == FallbackShared:
		return prefix + sharedSession
	case s.FallbackView == FallbackClient && req.addr.IsValid():
		return prefix + addressSession(req.addr)
	}
	return ""
}

// documentSession returns the session that the documents of a request belong to:
// its own or, without one, the address of the client. It is empty if the client
// has neither.
func (req *request) documentSession() string {
	if req.session == "" && req.addr.IsValid() {
		return addressSession(req.addr)
	}
	return req.session
}

// documentKey returns the key of the document with the given handle in a session.
// Handles have a fixed size, so no other handle and session have the same key.
func documentKey(handle, session string) string { return "document:" + handle + ":" + session }

// addressSession returns the session of clients without an id at an address. No
// header can contain NUL, so no client can choose this id.
func addressSession(addr netip.Addr) string {
	var b [64]byte // avoids an allocation
	return string(addr.AppendTo(append(b[:0], 0)))
}
