package ratelimit

import "net/netip"

// Client identifies the sender of a request.
type Client struct {
	addr netip.Addr
	name string
}

// DefaultIPv6Prefix is the default number of bits of an IPv6 address that
// identify a client. A subscriber usually has a network of this size and could
// otherwise appear as a new client with every request.
const DefaultIPv6Prefix = 64

const maxNameLength = 128

// NewClient returns the client with the given address and self-chosen name. Only
// the first ipv6Prefix bits (0 to 128) of an IPv6 address are significant. A name
// is ignored unless it consists of 1 to 128 printable ASCII characters.
func NewClient(addr netip.Addr, name string, ipv6Prefix int) Client {
	addr = addr.Unmap().WithZone("")
	if addr.Is6() {
		if prefix, err := addr.Prefix(ipv6Prefix); err == nil {
			addr = prefix.Addr()
		}
	}
	if !isValidName(name) {
		name = ""
	}
	return Client{addr, name}
}

// Addr returns the address of the client or, for IPv6, of its network.
func (c Client) Addr() netip.Addr { return c.addr }

// Name returns the name that the client chose, or the empty string.
func (c Client) Name() string { return c.name }

func isValidName(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || '~' < s[i] {
			return false
		}
	}
	return len(s) <= maxNameLength
}
