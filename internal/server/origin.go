package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the machines in front of a server whose word is taken for where a
// request comes from.
type Proxies struct {
	Trusted []netip.Prefix // none: nobody is believed

	// Header is the one header in which they say it; default [EitherHeader].
	Header ForwardHeader
}

// ForwardHeader is where proxies say whom they speak for.
type ForwardHeader string

const (
	// EitherHeader believes X-Forwarded-For, and Forwarded where that is
	// absent. It is safe with proxies that set or remove both.
	EitherHeader ForwardHeader = "either"

	XForwardedFor ForwardHeader = "x-forwarded-for"
	Forwarded     ForwardHeader = "forwarded" // as in RFC 7239
)

// ParsePrefix reads a network such as 10.0.0.0/8, or a single address.
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

// origin is where a request comes from, and where its sender thinks it went.
type origin struct {
	addr   netip.Addr // not valid where the peer has none
	scheme string
	host   string
}

// origin returns where a request comes from: its peer, or what trusted proxies
// say. Of the addresses that they have passed on, each naming the one before
// it, the last that is not itself a trusted proxy is the client; everything
// before that is hearsay.
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
		o.addr = p.last(o.addr, strings.Join(forwardedFor, ","), forwardedAddr)
		o.proto(lastItem(r.Header["X-Forwarded-Proto"]))
		o.named(lastItem(r.Header["X-Forwarded-Host"]))
	} else if elements := r.Header["Forwarded"]; p.Header != XForwardedFor && len(elements) > 0 {
		list := strings.Join(elements, ",")
		o.addr = p.last(o.addr, list, func(element string) netip.Addr {
			return forwardedAddr(parameter(element, "for"))
		})
		_, nearest := cutLast(list)
		o.proto(parameter(nearest, "proto"))
		o.named(parameter(nearest, "host"))
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

// last returns the last address of a list that is not a trusted proxy. Where
// the list ends before that, or says something that is no address, it is the
// proxy that passed that on.
func (p *Proxies) last(addr netip.Addr, list string, read func(string) netip.Addr) netip.Addr {
	for list != "" && p.trusts(addr) {
		var item string
		list, item = cutLast(list)
		next := read(strings.Trim(item, " \t"))
		if !next.IsValid() {
			break
		}
		addr = next
	}
	return addr
}

// cutLast splits a list before its last item.
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

// forwardedAddr reads an address as proxies write it: with a port or without,
// IPv6 in brackets or not. It is not valid where there is none.
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

// parameter returns the value of a parameter in one element of Forwarded.
func parameter(element, name string) string {
	for pair := range strings.SplitSeq(element, ";") {
		key, value, ok := strings.Cut(pair, "=")
		if ok && strings.EqualFold(strings.Trim(key, " \t"), name) {
			return strings.Trim(strings.Trim(value, " \t"), `"`)
		}
	}
	return ""
}

func (o *origin) proto(s string) {
	switch s = strings.ToLower(s); s {
	case "http", "https":
		o.scheme = s
	}
}

// named takes over the host that a proxy was asked for, if it can be one.
func (o *origin) named(host string) {
	for i := range len(host) {
		c := host[i]
		if !('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z') && !('0' <= c && c <= '9') && !strings.ContainsRune(".-_:[]", rune(c)) {
			return
		}
	}
	if host != "" {
		o.host = host
	}
}

// hostname returns a host without its port and brackets, in lower case.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}
