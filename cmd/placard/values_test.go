package main

import (
	"testing"

	"github.com/spf13/pflag"
	"pgregory.net/rapid"
)

func TestSizesAreReadAndWritten(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "512": "512", "1024": "1KiB", "64KiB": "64KiB", "1536KiB": "1536KiB", "1024KiB": "1MiB", "2GiB": "2GiB", "1024GiB": "1024GiB",
		"": "", "KiB": "", "-1": "", "1.5MiB": "", "1 MiB": "", "1MB": "", "1025GiB": "", "99999999999999999999": "",
	} {
		var s size
		err := s.Set(text)
		if (err != nil) != (want == "") || err == nil && s.String() != want {
			t.Errorf("%q: %v (%v), want %q", text, s, err, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		want := size(rapid.Int64Range(0, 1<<40).Draw(t, "bytes"))
		var got size
		if err := got.Set(want.String()); err != nil || got != want {
			t.Fatalf("%d is written %v and read %d (%v)", want, want, got, err)
		}
	})
}

func TestHostsAreNamesWithoutSchemeAndPort(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Placard.Example": "placard.example", "a.example, b.example,": "a.example,b.example", "[::1],127.0.0.1": "::1,127.0.0.1",
		"https://a.example": "fault", "a.example:80": "fault", "*.example": "fault", "a b": "fault",
	} {
		var h hosts
		err := h.Set(text)
		if (err != nil) != (want == "fault") || err == nil && h.String() != want {
			t.Errorf("%q: %v (%v), want %q", text, h, err, want)
		}
	}
}

// TestEveryFlagHasAVariable keeps a flag from hiding another's variable, and
// from having a default that it would not accept.
func TestEveryFlagHasAVariable(t *testing.T) {
	for _, cmd := range newRoot().Commands() {
		seen := make(map[string]string)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			name := variable(f.Name)
			if other, taken := seen[name]; taken {
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
			if variable(f.Name) == name {
				value = f.DefValue
			}
		})
		return value, true
	}
	if err := fromEnvironment(serve, lookup); err != nil {
		t.Error(err)
	}
	for _, fault := range faultySettings(serve) {
		t.Error(fault)
	}
	serve.Flags().VisitAll(func(f *pflag.Flag) {
		if f.DefValue != "" && (!f.Changed || settingOf(serve, f.Name).from != variable(f.Name) || f.Value.String() != f.DefValue) {
			t.Errorf("--%s did not take %q from %s", f.Name, f.DefValue, variable(f.Name))
		}
	})
}
