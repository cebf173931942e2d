package ratelimit

import "net/netip"

// Client is who a request is charged to.
type Client struct {
	addr netip.Addr
	name string
}

// DefaultIPv6Prefix is how many bits of an IPv6 address tell clients apart: one
// subscriber usually has a network of that size, and could otherwise be a new
// client with every request.
const DefaultIPv6Prefix = 64

const maxName = 128

// NewClient returns the client at addr that calls itself name. Of an IPv6
// address only the first ipv6Prefix bits count, 0 to 128. A name that is not 1
// to 128 printable ASCII characters is as good as none.
func NewClient(addr netip.Addr, name string, ipv6Prefix int) Client {
	addr = addr.Unmap().WithZone("")
	if addr.Is6() {
		if prefix, err := addr.Prefix(ipv6Prefix); err == nil {
			addr = prefix.Addr()
		}
	}
	if !validName(name) {
		name = ""
	}
	return Client{addr, name}
}

// Addr returns the address of the client, or of its network.
func (c Client) Addr() netip.Addr { return c.addr }

// Name returns the name the client has given itself, or none.
func (c Client) Name() string { return c.name }

func validName(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || '~' < s[i] {
			return false
		}
	}
	return len(s) <= maxName
}
