package qr_test

import (
	"errors"
	"strings"
	"testing"

	"placard/internal/core/problem"
	"placard/internal/show/qr"
)

func TestCodesHaveAQuietZone(t *testing.T) {
	code, err := qr.Encode("https://example.org/crossing")
	if err != nil {
		t.Fatal(err)
	}
	// The finder pattern in the upper left corner begins with a bar of seven modules.
	if want := "M4 4h7v1H4z"; !strings.HasPrefix(code.Path, want) {
		t.Errorf("got path %.20q, want prefix %q", code.Path, want)
	}
	// Version 3, the smallest for 28 bytes at level Q, has 29 modules.
	if want := 29 + 8; code.Size != want {
		t.Errorf("got size %d, want %d", code.Size, want)
	}
}

func TestAddressesAreEncodedInASCII(t *testing.T) {
	for address, want := range map[string]string{
		"http://example.org":                    "http://example.org",
		"  https://example.org/a b ":            "https://example.org/a%20b",
		"https://münchen.example:8443/zähler?ü": "https://xn--mnchen-3ya.example:8443/z%C3%A4hler?%C3%BC",
		"https://[2001:db8::1]/":                "https://[2001:db8::1]/",
	} {
		code, err := qr.Encode(address)
		if err != nil || code.Address != want {
			t.Errorf("%q: got %q, %v, want %q", address, code.Address, err, want)
		}
	}
}

func TestAddressesThatCannotBePrintedAreRefused(t *testing.T) {
	const prefix = "https://example.org/"
	longest := prefix + strings.Repeat("a", qr.MaxLength-len(prefix))
	code, err := qr.Encode(longest)
	if err != nil || code.Size != 57+8 {
		t.Errorf("longest address: got size %d, %v, want %d", code.Size, err, 57+8)
	}
	for _, address := range []string{"", "example.org", "mailto:a@example.org", "javascript:alert(1)", "https://", "https://user@example.org", "https://a\u2028b.example/", longest + "a"} {
		_, err := qr.Encode(address)
		if p, ok := errors.AsType[problem.Problem](err); !ok || p.Code != problem.BadRequest || p.FixHint == "" {
			t.Errorf("%q: got %v, want a problem with a hint", address, err)
		}
	}
}
