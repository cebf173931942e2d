package main

import (
	"testing"

	"github.com/spf13/pflag"
	"pgregory.net/rapid"
)

func TestSizeSetAndString(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "512": "512", "1024": "1KiB", "64KiB": "64KiB", "1536KiB": "1536KiB", "1024KiB": "1MiB", "2GiB": "2GiB", "1024GiB": "1024GiB",
		"": "", "KiB": "", "-1": "", "1.5MiB": "", "1 MiB": "", "1MB": "", "1025GiB": "", "99999999999999999999": "",
	} {
		var s size
		err := s.Set(text)
		if (err != nil) != (want == "") || err == nil && s.String() != want {
			t.Errorf("Set(%q): got %v (%v), want %q", text, s, err, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		want := size(rapid.Int64Range(0, 1<<40).Draw(t, "bytes"))
		var got size
		if err := got.Set(want.String()); err != nil || got != want {
			t.Fatalf("Set(%q) = %d (%v), want %d", want, int64(got), err, int64(want))
		}
	})
}

func TestAgeSetAndString(t *testing.T) {
	for text, want := range map[string]string{
		"0d": "0d", "30d": "30d", "12h": "12h", "48h": "2d", "0h": "0d", "36500d": "36500d", "025d": "25d",
		"": "", "d": "", "30": "", "30m": "", "-1d": "", "+1d": "", "1.5d": "", "1 d": "", "36501d": "", "876001h": "", "99999999999999999999d": "",
	} {
		var a age
		err := a.Set(text)
		if (err != nil) != (want == "") || err == nil && a.String() != want {
			t.Errorf("Set(%q): got %v (%v), want %q", text, a, err, want)
		}
	}
}

func TestDescribeSize(t *testing.T) {
	for bytes, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 1 << 20: "1.0 MiB", 5<<30 + 1<<29: "5.5 GiB", 1<<63 - 1: "8.0 EiB",
	} {
		if got := describeSize(bytes); got != want {
			t.Errorf("describeSize(%d) = %q, want %q", bytes, got, want)
		}
	}
}

func TestHostsHaveNoSchemeOrPort(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Placard.Example": "placard.example", "a.example, b.example,": "a.example,b.example", "[::1],127.0.0.1": "::1,127.0.0.1",
		"https://a.example": "error", "a.example:80": "error", "*.example": "error", "a b": "error",
	} {
		h := list[string]{parse: parseHost}
		err := h.Set(text)
		if (err != nil) != (want == "error") || err == nil && h.String() != want {
			t.Errorf("Set(%q): got %v (%v), want %q", text, h.items, err, want)
		}
	}
}

func TestLinksInTheFooterHaveANameAndAnAddress(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " , ": "", "Contact=info@city.example": "Contact=mailto:info@city.example",
		" Privacy =https://city.example/p?a=b, Contact=mailto:info@city.example,": "Privacy=https://city.example/p?a=b,Contact=mailto:info@city.example",
		"Contact": "error", "=https://city.example": "error", "Contact=": "error", "Contact=javascript:alert(1)": "error", "Contact=/contact": "error",
	} {
		l := list[siteLink]{parse: parseSiteLink}
		err := l.Set(text)
		if (err != nil) != (want == "error") || err == nil && l.String() != want {
			t.Errorf("Set(%q): got %v (%v), want %q", text, l.items, err, want)
		}
	}
	var l siteLink
	if err := l.Set("City of Example"); err != nil || l.String() != "City of Example" {
		t.Errorf("got %v (%v), want a name without an address", l, err)
	}
}

// TestEveryFlagHasAVariable ensures that no two flags share a variable and that
// every flag accepts its default.
func TestEveryFlagHasAVariable(t *testing.T) {
	for _, cmd := range newRoot().Commands() {
		seen := make(map[string]string)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			name := envName(f.Name)
			if other, ok := seen[name]; ok {
				t.Errorf("%s: --%s and --%s share %s", cmd.Name(), f.Name, other, name)
			}
			seen[name] = f.Name
		})
	}
	serve, _, err := newRoot().Find([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	lookup := func(name string) (string, bool) {
		var value string
		serve.Flags().VisitAll(func(f *pflag.Flag) {
			if envName(f.Name) == name {
				value = f.DefValue
			}
		})
		return value, true
	}
	if err := setFromEnvironment(serve, lookup); err != nil {
		t.Error(err)
	}
	for _, err := range settingErrors(serve) {
		t.Error(err)
	}
	serve.Flags().VisitAll(func(f *pflag.Flag) {
		if f.DefValue != "" && (!f.Changed || settingOf(serve, f.Name).origin != envName(f.Name) || f.Value.String() != f.DefValue) {
			t.Errorf("--%s was not set to %q from %s", f.Name, f.DefValue, envName(f.Name))
		}
	})
}
