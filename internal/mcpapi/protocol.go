package mcpapi

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/problem"
)

// modern is the version of the protocol that has neither handshake nor
// sessions: each request says all about itself.
const modern = "2026-07-28"

// handshake are the versions before it, newest first. A request that names no
// version is of this era too.
var handshake = []string{"2025-11-25", "2025-06-18", batching}

// batching is the only version that has batches.
const batching = "2025-03-26"

// supported are all versions, newest first.
var supported = append([]string{modern}, handshake...)

// Names in the _meta of requests and results.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaServer       = "io.modelcontextprotocol/serverInfo"
)

// Headers of requests and answers.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerSession = "Mcp-Session-Id"
)

// isModern reports of which era a message is, and refuses what does not fit
// its era. header is nil where messages come without one.
func isModern(m *message, header http.Header) (bool, *refusal) {
	named := header.Get(headerVersion)
	claim, capabilities := m.claims()
	if claim == nil {
		return namedModern(m, named)
	}
	if claim.Kind() != '"' {
		return true, badMeta(metaVersion, "a string")
	}
	version := unquote(claim)
	switch {
	case named != "" && named != version:
		return true, mismatch("The MCP-Protocol-Version header is %q but _meta has %q.", problem.Clip(named), problem.Clip(version))
	case slices.Contains(handshake, version):
		return false, nil
	case version != modern:
		return true, unsupported(version)
	case header != nil && named == "" && m.isRequest():
		return true, mismatch("The request has no MCP-Protocol-Version header but _meta has %q.", version)
	case capabilities.Kind() != '{' && m.isRequest():
		return true, badMeta(metaCapabilities, "an object")
	case header == nil || !m.isRequest():
		return true, nil
	}
	return true, checkHeaders(m, header)
}

// namedModern decides for a message whose _meta names no version.
func namedModern(m *message, named string) (bool, *refusal) {
	switch {
	case named == modern && m.isRequest():
		return true, badMeta(metaVersion, "a string")
	case named == modern:
		return true, nil
	// The handshake negotiates in its body; whatever else the client speaks.
	case named == "" || slices.Contains(handshake, named) || m.method == "initialize":
		return false, nil
	}
	return true, unsupported(named)
}

// claims returns the version and the capabilities that _meta names.
func (m *message) claims() (version, capabilities jsontext.Value) {
	if m.meta == nil {
		return nil, nil
	}
	for name, value := range members(m.meta) {
		switch string(name) {
		case metaVersion:
			version = value
		case metaCapabilities:
			capabilities = value
		}
	}
	return version, capabilities
}

// checkHeaders compares the headers that repeat what the body says with it.
func checkHeaders(m *message, header http.Header) *refusal {
	if got := header.Get(headerMethod); got != m.method {
		return mismatch("The Mcp-Method header is %q but the method in the body is %q.", problem.Clip(got), problem.Clip(m.method))
	}
	var named jsontext.Value
	switch m.method {
	case "tools/call", "prompts/get":
		named = m.name
	case "resources/read":
		named = m.uri
	}
	if named.Kind() != '"' {
		return nil
	}
	if got := decodeHeader(header.Get(headerName)); got != unquote(named) {
		return mismatch("The Mcp-Name header is %q but the body has %q.", problem.Clip(got), problem.Clip(unquote(named)))
	}
	return nil
}

// decodeHeader returns the text that a header value stands for. Texts that
// cannot be in a header are wrapped as =?base64?...?=.
func decodeHeader(value string) string {
	wrapped, ok := strings.CutPrefix(value, "=?base64?")
	if !ok {
		return value
	}
	if wrapped, ok = strings.CutSuffix(wrapped, "?="); !ok {
		return value
	}
	text, err := base64.StdEncoding.DecodeString(wrapped)
	if err != nil || !utf8.Valid(text) {
		return value
	}
	return string(text)
}

func mismatch(format string, args ...any) *refusal {
	return refuse(codeHeaderMismatch, problem.New(problem.BadRequest, format, args...).
		Hint("As of protocol version %s, send the headers MCP-Protocol-Version, Mcp-Method and, if the request has a name or uri, Mcp-Name, each with the same value as in the body.", modern))
}

func unsupported(version string) *refusal {
	p := problem.New(problem.BadRequest, "Protocol version %q is not supported.", problem.Clip(version)).
		Hint("Use %s.", problem.Or(supported))
	return refuse(codeUnsupportedVersion, p).with("supported", supported).with("requested", version)
}

func badMeta(name, want string) *refusal {
	at := problem.Root.Field("params").Field("_meta").Field(name)
	r := badParams(at, "_meta[%q] must be %s.", name, want)
	r.problem = r.problem.Hint("As of protocol version %s, every request has its version and the client's capabilities in params._meta.", modern)
	r.status = http.StatusBadRequest
	return r
}
