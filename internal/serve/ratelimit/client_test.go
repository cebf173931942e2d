package ratelimit_test

import (
	"net/netip"
	"strings"
	"testing"

	"placard/internal/serve/ratelimit"
)

func TestNewClientNormalizesAddressAndName(t *testing.T) {
	for _, tc := range []struct {
		addr, name         string
		prefix             int
		wantAddr, wantName string
	}{
		{"192.0.2.7", "", 64, "192.0.2.7", ""},
		{"::ffff:192.0.2.7", "", 64, "192.0.2.7", ""},
		{"2001:db8:1:2:3:4:5:6", "", 64, "2001:db8:1:2::", ""},
		{"2001:db8:1:2:3:4:5:6", "", 48, "2001:db8:1::", ""},
		{"2001:db8:1:2:3:4:5:6", "", 128, "2001:db8:1:2:3:4:5:6", ""},
		{"fe80::1:2:3:4%eth0", "", 128, "fe80::1:2:3:4", ""},
		{"192.0.2.7", "City of Example/2.0 (~a b~)", 64, "192.0.2.7", "City of Example/2.0 (~a b~)"},
		{"192.0.2.7", strings.Repeat("x", 128), 64, "192.0.2.7", strings.Repeat("x", 128)},
		{"192.0.2.7", strings.Repeat("x", 129), 64, "192.0.2.7", ""},
		{"192.0.2.7", "Zoë", 64, "192.0.2.7", ""},
		{"192.0.2.7", "a\tb", 64, "192.0.2.7", ""},
		{"192.0.2.7", "a\x7f", 64, "192.0.2.7", ""},
	} {
		c := ratelimit.NewClient(netip.MustParseAddr(tc.addr), tc.name, tc.prefix)
		if c.Addr().String() != tc.wantAddr || c.Name() != tc.wantName {
			t.Errorf("%s %q /%d: got %s %q, want %s %q", tc.addr, tc.name, tc.prefix, c.Addr(), c.Name(), tc.wantAddr, tc.wantName)
		}
	}
}
