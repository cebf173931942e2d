package mcpapi

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/problem"
)

// modernVersion is the first stateless version of the protocol: it has neither
// a handshake nor sessions, and every request carries its own version and
// capabilities.
const modernVersion = "2026-07-28"

// handshakeVersions are the earlier versions, newest first. A request that names
// no version is handled in the same way.
var handshakeVersions = []string{"2025-11-25", "2025-06-18", batchVersion}

// batchVersion is the only version that supports batches.
const batchVersion = "2025-03-26"

// supportedVersions are all versions, newest first.
var supportedVersions = append([]string{modernVersion}, handshakeVersions...)

// Keys in the _meta of requests and results.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaServer       = "io.modelcontextprotocol/serverInfo"
)

// Request and response headers.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerSession = "Mcp-Session-Id"
)

// isModern reports whether a message uses [modernVersion]. It returns an error if
// the message violates the rules of its version. header is nil on a stream.
func isModern(m *message, header http.Header) (bool, *rpcError) {
	inHeader := header.Get(headerVersion)
	inMeta, capabilities := m.readMeta()
	if inMeta == nil {
		return isModernByHeader(m, inHeader)
	}
	if inMeta.Kind() != '"' {
		return true, invalidMeta(metaVersion, "a string")
	}
	version := unquote(inMeta)
	switch {
	case inHeader != "" && inHeader != version:
		return true, headerMismatch("The MCP-Protocol-Version header is %q but _meta has %q.", problem.Clip(inHeader), problem.Clip(version))
	case slices.Contains(handshakeVersions, version):
		return false, nil
	case version != modernVersion:
		return true, unsupportedVersion(version)
	case header != nil && inHeader == "" && m.isRequest():
		return true, headerMismatch("The request has no MCP-Protocol-Version header but _meta has %q.", version)
	case capabilities.Kind() != '{' && m.isRequest():
		return true, invalidMeta(metaCapabilities, "an object")
	case header == nil || !m.isRequest():
		return true, nil
	}
	return true, checkHeaders(m, header)
}

// isModernByHeader is [isModern] for a message without a version in _meta. version
// is the version in the header.
func isModernByHeader(m *message, version string) (bool, *rpcError) {
	switch {
	case version == modernVersion && m.isRequest():
		return true, invalidMeta(metaVersion, "a string")
	case version == modernVersion:
		return true, nil
	// initialize negotiates the version in its body, regardless of the header.
	case version == "" || slices.Contains(handshakeVersions, version) || m.method == "initialize":
		return false, nil
	}
	return true, unsupportedVersion(version)
}

// readMeta returns the protocol version and the client capabilities in _meta, each
// nil if absent.
func (m *message) readMeta() (version, capabilities jsontext.Value) {
	for name, value := range members(m.meta) {
		switch name {
		case metaVersion:
			version = value
		case metaCapabilities:
			capabilities = value
		}
	}
	return version, capabilities
}

// checkHeaders compares the headers that repeat parts of the body with the body.
func checkHeaders(m *message, header http.Header) *rpcError {
	if got := header.Get(headerMethod); got != m.method {
		return headerMismatch("The Mcp-Method header is %q but the method in the body is %q.", problem.Clip(got), problem.Clip(m.method))
	}
	var name jsontext.Value
	switch m.method {
	case "tools/call", "prompts/get":
		name = m.name
	case "resources/read":
		name = m.uri
	}
	if name.Kind() != '"' {
		return nil
	}
	if got := decodeHeader(header.Get(headerName)); got != unquote(name) {
		return headerMismatch("The Mcp-Name header is %q but the body has %q.", problem.Clip(got), problem.Clip(unquote(name)))
	}
	return nil
}

// decodeHeader decodes a header value. Text that is not allowed in a header is
// encoded as =?base64?...?=.
func decodeHeader(value string) string {
	encoded, ok := strings.CutPrefix(value, "=?base64?")
	if !ok {
		return value
	}
	if encoded, ok = strings.CutSuffix(encoded, "?="); !ok {
		return value
	}
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || !utf8.Valid(text) {
		return value
	}
	return string(text)
}

func headerMismatch(format string, args ...any) *rpcError {
	return newError(codeHeaderMismatch, problem.New(problem.BadRequest, format, args...).
		Hint("As of protocol version %s, send the headers MCP-Protocol-Version, Mcp-Method and, if the request has a name or uri, Mcp-Name, each with the same value as in the body.", modernVersion))
}

func unsupportedVersion(version string) *rpcError {
	p := problem.New(problem.BadRequest, "Protocol version %q is not supported.", problem.Clip(version)).
		Hint("Use %s.", problem.Or(supportedVersions))
	return newError(codeUnsupportedVersion, p).withData("supported", supportedVersions).withData("requested", version)
}

func invalidMeta(name, want string) *rpcError {
	at := problem.Root.Field("params").Field("_meta").Field(name)
	e := invalidParams(at, "_meta[%q] must be %s.", name, want)
	e.problem = e.problem.Hint("As of protocol version %s, every request has its version and the client's capabilities in params._meta.", modernVersion)
	e.status = http.StatusBadRequest
	return e
}
