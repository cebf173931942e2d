package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies configures the proxies that may forward requests for clients.
type Proxies struct {
	Trusted []netip.Prefix // addresses of trusted proxies

	// Header is the header with the address of the client; default [EitherHeader].
	Header ForwardHeader
}

// ForwardHeader selects the header in which trusted proxies send the address of
// the client.
type ForwardHeader string

const (
	// EitherHeader uses X-Forwarded-For, or Forwarded if that is absent. It
	// is safe only with proxies that set or remove both.
	EitherHeader ForwardHeader = "either"

	XForwardedFor ForwardHeader = "x-forwarded-for"
	Forwarded     ForwardHeader = "forwarded" // RFC 7239
)

// ParsePrefix parses a network such as 10.0.0.0/8 or a single address.
func ParsePrefix(s string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(s); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(s)
	if err != nil || prefix.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("%q is neither a network such as 10.0.0.0/8 nor an address", s)
	}
	return prefix.Masked(), nil
}

// origin is the address of a client and the scheme and host of its request.
type origin struct {
	addr   netip.Addr // invalid if the peer has no IP address
	scheme string
	host   string
}

// origin returns the origin of a request. Forwarding headers are used only if the
// peer is a trusted proxy. Each proxy appends the address of its peer, so the
// client is the last address that is not a trusted proxy; earlier addresses may
// be forged.
func (p *Proxies) origin(r *http.Request) origin {
	o := origin{scheme: "http", host: r.Host}
	if r.TLS != nil {
		o.scheme = "https"
	}
	if peer, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		o.addr = peer.Addr().Unmap().WithZone("")
	}
	if len(p.Trusted) == 0 || !p.trusts(o.addr) {
		return o
	}
	forwardedFor := r.Header["X-Forwarded-For"]
	if p.Header != Forwarded && len(forwardedFor) > 0 {
		o.addr = p.clientAddr(o.addr, strings.Join(forwardedFor, ","), forwardedAddr)
		o.setScheme(lastItem(r.Header["X-Forwarded-Proto"]))
		o.setHost(lastItem(r.Header["X-Forwarded-Host"]))
	} else if elements := r.Header["Forwarded"]; p.Header != XForwardedFor && len(elements) > 0 {
		list := strings.Join(elements, ",")
		o.addr = p.clientAddr(o.addr, list, func(element string) netip.Addr {
			return forwardedAddr(parameter(element, "for"))
		})
		_, last := cutLast(list)
		o.setScheme(parameter(last, "proto"))
		o.setHost(parameter(last, "host"))
	}
	return o
}

func (p *Proxies) trusts(addr netip.Addr) bool {
	for _, prefix := range p.Trusted {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// clientAddr returns the last address in a list that is not a trusted proxy. If
// all of them are trusted, it returns the first; at an invalid item, it returns
// the address after it. addr is the peer, which follows the list.
func (p *Proxies) clientAddr(addr netip.Addr, list string, parse func(string) netip.Addr) netip.Addr {
	for list != "" && p.trusts(addr) {
		var item string
		list, item = cutLast(list)
		next := parse(strings.Trim(item, " \t"))
		if !next.IsValid() {
			break
		}
		addr = next
	}
	return addr
}

// cutLast splits a comma-separated list before its last item.
func cutLast(list string) (before, last string) {
	i := strings.LastIndexByte(list, ',')
	if i < 0 {
		return "", list
	}
	return list[:i], list[i+1:]
}

func lastItem(values []string) string {
	if len(values) == 0 {
		return ""
	}
	_, last := cutLast(values[len(values)-1])
	return strings.Trim(last, " \t")
}

// forwardedAddr parses an address with or without a port; IPv6 addresses may be in
// brackets. It returns the zero Addr if s is not an address.
func forwardedAddr(s string) netip.Addr {
	addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
	if err != nil {
		withPort, err := netip.ParseAddrPort(s)
		if err != nil {
			return netip.Addr{}
		}
		addr = withPort.Addr()
	}
	return addr.Unmap().WithZone("")
}

// parameter returns the value of a parameter in an element of a Forwarded header.
func parameter(element, name string) string {
	for pair := range strings.SplitSeq(element, ";") {
		key, value, ok := strings.Cut(pair, "=")
		if ok && strings.EqualFold(strings.Trim(key, " \t"), name) {
			return strings.Trim(strings.Trim(value, " \t"), `"`)
		}
	}
	return ""
}

// setScheme sets the scheme if s is http or https.
func (o *origin) setScheme(s string) {
	switch s = strings.ToLower(s); s {
	case "http", "https":
		o.scheme = s
	}
}

// setHost sets the host if it is not empty and has only valid characters.
func (o *origin) setHost(host string) {
	if host != "" && strings.Trim(host, lettersAndDigits+".-_:[]") == "" {
		o.host = host
	}
}

// hostname returns a host in lower case, without port, brackets and trailing dot.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}
