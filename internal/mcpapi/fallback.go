package mcpapi

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

// viewSession returns the session whose view a request reads or replaces, or the
// empty string if it has none. The stateless protocol never uses the shared view:
// its results carry the view.
func (s *Server) viewSession(req *request) string {
	switch {
	case req.modern && (req.session == "" || req.session == sharedSession):
		return ""
	case req.session != "":
		return req.session
	case s.FallbackView == FallbackShared:
		return sharedSession
	case s.FallbackView == FallbackClient && req.addr.IsValid():
		// No header can contain NUL, so no client can choose this id.
		return "\x00" + req.addr.String()
	}
	return ""
}
