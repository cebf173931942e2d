package server

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func proxies(t testing.TB, header ForwardHeader, networks ...string) Proxies {
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

// from returns a request of a peer with header lines such as "Name: value".
func from(peer string, lines ...string) *http.Request {
	r := httptest.NewRequest("GET", "http://asked.example/", nil)
	r.RemoteAddr = peer
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	return r
}

func TestTheClientIsTheLastAddressThatIsNoTrustedProxy(t *testing.T) {
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
		{"a direct client", client, nil, "203.0.113.7"},
		{"a direct client over IPv6", "[2001:db8::7]:4000", nil, "2001:db8::7"},
		{"an IPv4 client of an IPv6 socket", "[::ffff:203.0.113.7]:4000", nil, "203.0.113.7"},
		{"a direct client on one link", "[fe80::7%eth0]:4000", nil, "fe80::7"},
		{"a peer without an address", "@", nil, "invalid IP"},

		{"a forged header from elsewhere", client, []string{"X-Forwarded-For: 198.51.100.1"}, "203.0.113.7"},
		{"another forged header from elsewhere", client, []string{"Forwarded: for=198.51.100.1"}, "203.0.113.7"},
		{"a forger who pretends to be behind a proxy", client, []string{"X-Forwarded-For: 198.51.100.1, 10.0.0.1"}, "203.0.113.7"},

		{"a proxy that says nothing", proxy, nil, "10.0.0.1"},
		{"one proxy", proxy, []string{"X-Forwarded-For: 203.0.113.7"}, "203.0.113.7"},
		{"a forged beginning", proxy, []string{"X-Forwarded-For: 198.51.100.1, 203.0.113.7"}, "203.0.113.7"},
		{"a forged line", proxy, []string{"X-Forwarded-For: 198.51.100.1", "X-Forwarded-For: 203.0.113.7"}, "203.0.113.7"},
		{"a forged trusted proxy", proxy, []string{"X-Forwarded-For: 10.0.0.9, 203.0.113.7"}, "203.0.113.7"},
		{"two proxies", proxy, []string{"X-Forwarded-For: 198.51.100.1, 203.0.113.7, 10.2.3.4"}, "203.0.113.7"},
		{"only proxies", proxy, []string{"X-Forwarded-For: 10.0.0.8, 10.0.0.9"}, "10.0.0.8"},
		{"nonsense before a proxy", proxy, []string{"X-Forwarded-For: nonsense, 10.0.0.9"}, "10.0.0.9"},
		{"nonsense", proxy, []string{"X-Forwarded-For: nonsense"}, "10.0.0.1"},
		{"an empty header", proxy, []string{"X-Forwarded-For: "}, "10.0.0.1"},
		{"blanks and empty items", proxy, []string{"X-Forwarded-For:  ,\t203.0.113.7 "}, "203.0.113.7"},
		{"ports", proxy, []string{"X-Forwarded-For: 203.0.113.7:1234"}, "203.0.113.7"},
		{"IPv6", proxy, []string{"X-Forwarded-For: 2001:db8::7"}, "2001:db8::7"},
		{"IPv6 in brackets", proxy, []string{"X-Forwarded-For: [2001:db8::7]"}, "2001:db8::7"},
		{"IPv6 with a port", proxy, []string{"X-Forwarded-For: [2001:db8::7]:99"}, "2001:db8::7"},
		{"a proxy over IPv6", "[fd00::1]:80", []string{"X-Forwarded-For: 203.0.113.7"}, "203.0.113.7"},

		{"RFC 7239", proxy, []string{"Forwarded: for=203.0.113.7"}, "203.0.113.7"},
		{"RFC 7239 in full", proxy, []string{`Forwarded: for=198.51.100.1, For="[2001:db8::7]:4711" ; proto=https;by=10.0.0.1`}, "2001:db8::7"},
		{"RFC 7239, two proxies", proxy, []string{`Forwarded: for=203.0.113.7`, `Forwarded: for=10.0.0.2;host=x`}, "203.0.113.7"},
		{"RFC 7239, unknown", proxy, []string{"Forwarded: for=unknown"}, "10.0.0.1"},
		{"RFC 7239, hidden", proxy, []string{"Forwarded: for=_hidden, for=10.0.0.4"}, "10.0.0.4"},
		{"both: the first is believed", proxy, []string{"Forwarded: for=198.51.100.1", "X-Forwarded-For: 203.0.113.7"}, "203.0.113.7"},
	} {
		p := proxies(t, EitherHeader, "10.0.0.0/8", "fd00::1")
		if got := p.origin(from(tc.peer, tc.lines...)).addr.String(); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
		if nobody := new(Proxies).origin(from(tc.peer, tc.lines...)).addr; nobody != new(Proxies).origin(from(tc.peer)).addr {
			t.Errorf("%s: believed where nobody is trusted", tc.name)
		}
	}
}

func TestOnlyTheConfiguredHeaderIsBelieved(t *testing.T) {
	r := func() *http.Request {
		return from("10.0.0.1:1", "X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.2")
	}
	for header, want := range map[ForwardHeader]string{"": "192.0.2.1", EitherHeader: "192.0.2.1", XForwardedFor: "192.0.2.1", Forwarded: "192.0.2.2"} {
		p := proxies(t, header, "10.0.0.0/8")
		if got := p.origin(r()).addr.String(); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
	p := proxies(t, XForwardedFor, "10.0.0.0/8")
	if got := p.origin(from("10.0.0.1:1", "Forwarded: for=192.0.2.2")).addr.String(); got != "10.0.0.1" {
		t.Errorf("Forwarded is believed where only X-Forwarded-For is: %s", got)
	}
}

func TestSchemeAndHostAreThoseThatTheClientSees(t *testing.T) {
	for _, tc := range []struct {
		peer  string
		lines []string
		want  string
	}{
		{"203.0.113.7:1", nil, "http://asked.example"},
		{"203.0.113.7:1", []string{"X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https", "X-Forwarded-Host: evil.example"}, "http://asked.example"},
		{"10.0.0.1:1", []string{"X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https", "X-Forwarded-Host: placard.example:8443"}, "https://placard.example:8443"},
		{"10.0.0.1:1", []string{"X-Forwarded-For: 192.0.2.1", "X-Forwarded-Host: evil.example, placard.example"}, "http://placard.example"},
		{"10.0.0.1:1", []string{"X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: gopher", "X-Forwarded-Host: a b<script>"}, "http://asked.example"},
		{"10.0.0.1:1", []string{`Forwarded: for=192.0.2.1;host=evil.example, for=10.0.0.9;proto=HTTPS;host="placard.example"`}, "https://placard.example"},
	} {
		p := proxies(t, EitherHeader, "10.0.0.0/8")
		o := p.origin(from(tc.peer, tc.lines...))
		if got := o.scheme + "://" + o.host; got != tc.want {
			t.Errorf("%v: %s, want %s", tc.lines, got, tc.want)
		}
	}
}

func TestHostnames(t *testing.T) {
	for host, want := range map[string]string{
		"Placard.Example": "placard.example", "placard.example:80": "placard.example", "placard.example.": "placard.example",
		"[::1]": "::1", "[::1]:80": "::1", "::1": "::1", "127.0.0.1:8080": "127.0.0.1", "": "", "a:b:c": "a:b:c",
	} {
		if got := hostname(host); got != want {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
	}
}

func TestNetworks(t *testing.T) {
	for text, want := range map[string]string{
		"10.0.0.0/8": "10.0.0.0/8", "10.1.2.3/8": "10.0.0.0/8", "10.1.2.3": "10.1.2.3/32", "::1": "::1/128", "fd00::/8": "fd00::/8",
		"::ffff:10.1.2.3": "10.1.2.3/32", "::ffff:10.0.0.0/104": "", "10.0.0.0/33": "", "nonsense": "", "": "", "fe80::1%eth0": "",
	} {
		got, err := ParsePrefix(text)
		if (err != nil) != (want == "") || err == nil && got.String() != want {
			t.Errorf("%q: %v (%v), want %q", text, got, err, want)
		}
	}
}

func FuzzOrigin(f *testing.F) {
	f.Add("10.0.0.1:5000", "198.51.100.1, 203.0.113.7", "for=192.0.2.1;proto=https")
	f.Add("203.0.113.7:1", "10.0.0.1", `for="[2001:db8::7]:4711"`)
	trusting := proxies(f, EitherHeader, "10.0.0.0/8", "fd00::/8")
	f.Fuzz(func(t *testing.T, peer, forwardedFor, forwarded string) {
		o := trusting.origin(from(peer, "X-Forwarded-For: "+forwardedFor, "Forwarded: "+forwarded, "X-Forwarded-Host: "+forwarded))
		direct := new(Proxies).origin(from(peer))
		if !trusting.trusts(direct.addr) && o != direct {
			t.Errorf("%s is not trusted and changes %+v into %+v", peer, direct, o)
		}
		if o.addr.Zone() != "" || o.addr.Is4In6() || strings.ContainsAny(o.host, " <>\"'/\\") {
			t.Errorf("%+v", o)
		}
	})
}

func BenchmarkOrigin(b *testing.B) {
	p := Proxies{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	for name, r := range map[string]*http.Request{
		"direct":  from("203.0.113.7:4000"),
		"proxied": from("10.0.0.1:5000", "X-Forwarded-For: 198.51.100.1, 203.0.113.7", "X-Forwarded-Proto: https"),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.origin(r)
			}
		})
	}
}
