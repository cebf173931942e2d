package server

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func newProxies(t testing.TB, header ForwardHeader, networks ...string) Proxies {
	p := Proxies{Header: header}
	for _, n := range networks {
		prefix, err := ParsePrefix(n)
		if err != nil {
			t.Fatal(err)
		}
		p.Trusted = append(p.Trusted, prefix)
	}
	return p
}

// requestFrom returns a request from a peer with header lines such as
// "Name: value".
func requestFrom(peer string, lines ...string) *http.Request {
	r := httptest.NewRequest("GET", "http://host.example/", nil)
	r.RemoteAddr = peer
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	return r
}

func TestClientIsTheLastUntrustedAddress(t *testing.T) {
	const (
		proxy  = "10.0.0.1:5000"
		client = "203.0.113.7:4000"
	)
	for _, tc := range []struct {
		name  string
		peer  string
		lines []string
		want  string
	}{
		{"direct client", client, nil, "203.0.113.7"},
		{"direct client, IPv6", "[2001:db8::7]:4000", nil, "2001:db8::7"},
		{"direct client, IPv4-mapped", "[::ffff:203.0.113.7]:4000", nil, "203.0.113.7"},
		{"direct client, link-local", "[fe80::7%eth0]:4000", nil, "fe80::7"},
		{"peer without an address", "@", nil, "invalid IP"},

		{"forged X-Forwarded-For from an untrusted peer", client, []string{"X-Forwarded-For: 198.51.100.1"}, "203.0.113.7"},
		{"forged Forwarded from an untrusted peer", client, []string{"Forwarded: for=198.51.100.1"}, "203.0.113.7"},
		{"forged chain from an untrusted peer", client, []string{"X-Forwarded-For: 198.51.100.1, 10.0.0.1"}, "203.0.113.7"},

		{"proxy without a header", proxy, nil, "10.0.0.1"},
		{"one proxy", proxy, []string{"X-Forwarded-For: 203.0.113.7"}, "203.0.113.7"},
		{"forged first address", proxy, []string{"X-Forwarded-For: 198.51.100.1, 203.0.113.7"}, "203.0.113.7"},
		{"forged first header line", proxy, []string{"X-Forwarded-For: 198.51.100.1", "X-Forwarded-For: 203.0.113.7"}, "203.0.113.7"},
		{"forged trusted proxy", proxy, []string{"X-Forwarded-For: 10.0.0.9, 203.0.113.7"}, "203.0.113.7"},
		{"two proxies", proxy, []string{"X-Forwarded-For: 198.51.100.1, 203.0.113.7, 10.2.3.4"}, "203.0.113.7"},
		{"only trusted proxies", proxy, []string{"X-Forwarded-For: 10.0.0.8, 10.0.0.9"}, "10.0.0.8"},
		{"invalid address before a proxy", proxy, []string{"X-Forwarded-For: nonsense, 10.0.0.9"}, "10.0.0.9"},
		{"invalid address", proxy, []string{"X-Forwarded-For: nonsense"}, "10.0.0.1"},
		{"empty header", proxy, []string{"X-Forwarded-For: "}, "10.0.0.1"},
		{"spaces and empty items", proxy, []string{"X-Forwarded-For:  ,\t203.0.113.7 "}, "203.0.113.7"},
		{"port", proxy, []string{"X-Forwarded-For: 203.0.113.7:1234"}, "203.0.113.7"},
		{"IPv6", proxy, []string{"X-Forwarded-For: 2001:db8::7"}, "2001:db8::7"},
		{"IPv6 in brackets", proxy, []string{"X-Forwarded-For: [2001:db8::7]"}, "2001:db8::7"},
		{"IPv6 with a port", proxy, []string{"X-Forwarded-For: [2001:db8::7]:99"}, "2001:db8::7"},
		{"IPv6 proxy", "[fd00::1]:80", []string{"X-Forwarded-For: 203.0.113.7"}, "203.0.113.7"},

		{"RFC 7239", proxy, []string{"Forwarded: for=203.0.113.7"}, "203.0.113.7"},
		{"RFC 7239, all parameters", proxy, []string{`Forwarded: for=198.51.100.1, For="[2001:db8::7]:4711" ; proto=https;by=10.0.0.1`}, "2001:db8::7"},
		{"RFC 7239, two proxies", proxy, []string{`Forwarded: for=203.0.113.7`, `Forwarded: for=10.0.0.2;host=x`}, "203.0.113.7"},
		{"RFC 7239, unknown", proxy, []string{"Forwarded: for=unknown"}, "10.0.0.1"},
		{"RFC 7239, obfuscated", proxy, []string{"Forwarded: for=_hidden, for=10.0.0.4"}, "10.0.0.4"},
		{"X-Forwarded-For and Forwarded", proxy, []string{"Forwarded: for=198.51.100.1", "X-Forwarded-For: 203.0.113.7"}, "203.0.113.7"},
	} {
		p := newProxies(t, EitherHeader, "10.0.0.0/8", "fd00::1")
		if got := p.origin(requestFrom(tc.peer, tc.lines...)).addr.String(); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
		direct := new(Proxies).origin(requestFrom(tc.peer)).addr
		if got := new(Proxies).origin(requestFrom(tc.peer, tc.lines...)).addr; got != direct {
			t.Errorf("%s, no trusted proxies: got %s, want %s", tc.name, got, direct)
		}
	}
}

func TestOnlyTheConfiguredHeaderIsUsed(t *testing.T) {
	r := func() *http.Request {
		return requestFrom("10.0.0.1:1", "X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.2")
	}
	for header, want := range map[ForwardHeader]string{"": "192.0.2.1", EitherHeader: "192.0.2.1", XForwardedFor: "192.0.2.1", Forwarded: "192.0.2.2"} {
		p := newProxies(t, header, "10.0.0.0/8")
		if got := p.origin(r()).addr.String(); got != want {
			t.Errorf("%q: got %s, want %s", header, got, want)
		}
	}
	p := newProxies(t, XForwardedFor, "10.0.0.0/8")
	if got := p.origin(requestFrom("10.0.0.1:1", "Forwarded: for=192.0.2.2")).addr.String(); got != "10.0.0.1" {
		t.Errorf("only Forwarded is set: got %s, want 10.0.0.1", got)
	}
}

func TestTrustedProxiesSetSchemeAndHost(t *testing.T) {
	for _, tc := range []struct {
		peer  string
		lines []string
		want  string
	}{
		{"203.0.113.7:1", nil, "http://host.example"},
		{"203.0.113.7:1", []string{"X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https", "X-Forwarded-Host: evil.example"}, "http://host.example"},
		{"10.0.0.1:1", []string{"X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https", "X-Forwarded-Host: placard.example:8443"}, "https://placard.example:8443"},
		{"10.0.0.1:1", []string{"X-Forwarded-For: 192.0.2.1", "X-Forwarded-Host: evil.example, placard.example"}, "http://placard.example"},
		{"10.0.0.1:1", []string{"X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: gopher", "X-Forwarded-Host: a b<script>"}, "http://host.example"},
		{"10.0.0.1:1", []string{`Forwarded: for=192.0.2.1;host=evil.example, for=10.0.0.9;proto=HTTPS;host="placard.example"`}, "https://placard.example"},
	} {
		p := newProxies(t, EitherHeader, "10.0.0.0/8")
		o := p.origin(requestFrom(tc.peer, tc.lines...))
		if got := o.scheme + "://" + o.host; got != tc.want {
			t.Errorf("%v: got %s, want %s", tc.lines, got, tc.want)
		}
	}
}

func TestHostname(t *testing.T) {
	for host, want := range map[string]string{
		"Placard.Example": "placard.example", "placard.example:80": "placard.example", "placard.example.": "placard.example",
		"[::1]": "::1", "[::1]:80": "::1", "::1": "::1", "127.0.0.1:8080": "127.0.0.1", "": "", "a:b:c": "a:b:c",
	} {
		if got := hostname(host); got != want {
			t.Errorf("hostname(%q) = %q, want %q", host, got, want)
		}
	}
}

func TestParsePrefix(t *testing.T) {
	for text, want := range map[string]string{
		"10.0.0.0/8": "10.0.0.0/8", "10.1.2.3/8": "10.0.0.0/8", "10.1.2.3": "10.1.2.3/32", "::1": "::1/128", "fd00::/8": "fd00::/8",
		"::ffff:10.1.2.3": "10.1.2.3/32", "::ffff:10.0.0.0/104": "", "10.0.0.0/33": "", "nonsense": "", "": "", "fe80::1%eth0": "",
	} {
		got, err := ParsePrefix(text)
		if (err != nil) != (want == "") || err == nil && got.String() != want {
			t.Errorf("ParsePrefix(%q) = %v, %v; want %q", text, got, err, want)
		}
	}
}

func FuzzOrigin(f *testing.F) {
	f.Add("10.0.0.1:5000", "198.51.100.1, 203.0.113.7", "for=192.0.2.1;proto=https")
	f.Add("203.0.113.7:1", "10.0.0.1", `for="[2001:db8::7]:4711"`)
	trusted := newProxies(f, EitherHeader, "10.0.0.0/8", "fd00::/8")
	f.Fuzz(func(t *testing.T, peer, forwardedFor, forwarded string) {
		o := trusted.origin(requestFrom(peer, "X-Forwarded-For: "+forwardedFor, "Forwarded: "+forwarded, "X-Forwarded-Host: "+forwarded))
		direct := new(Proxies).origin(requestFrom(peer))
		if !trusted.trusts(direct.addr) && o != direct {
			t.Errorf("untrusted peer %s: got %+v, want %+v", peer, o, direct)
		}
		if o.addr.Zone() != "" || o.addr.Is4In6() || strings.ContainsAny(o.host, " <>\"'/\\") {
			t.Errorf("got origin %+v, want a plain address and a valid host", o)
		}
	})
}

func BenchmarkOrigin(b *testing.B) {
	p := Proxies{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	for name, r := range map[string]*http.Request{
		"direct":  requestFrom("203.0.113.7:4000"),
		"proxied": requestFrom("10.0.0.1:5000", "X-Forwarded-For: 198.51.100.1, 203.0.113.7", "X-Forwarded-Proto: https"),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.origin(r)
			}
		})
	}
}
