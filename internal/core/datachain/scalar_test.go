package datachain

import "testing"

func TestIsTimestamp(t *testing.T) {
	for s, want := range map[string]bool{
		"2026-01-31T09:30:00Z":          true,
		"2026-01-31T09:30:00.123456Z":   true,
		"2026-01-31T09:30:00+02:00":     true,
		"2026-01-31T09:30:00.5-09:30":   true,
		"2026-01-31t09:30:00z":          true,
		"2026-01-31T09:30Z":             true,
		"2026-01-31T09:30+0200":         true,
		"2026-01-31T09:30:00-0000":      true,
		"2024-02-29T00:00:00Z":          true,
		"2016-12-31T23:59:60Z":          true,
		"2017-01-01T00:59:60+01:00":     true,
		"2016-12-31T18:59:60.5-05:00":   true,
		"2026-01-31T09:30:00":           true,
		"2026-01-31":                    false,
		"2026-01-31 09:30:00Z":          false,
		"2026-02-29T00:00:00Z":          false,
		"2026-13-01T00:00:00Z":          false,
		"2026-01-31T24:00:00Z":          false,
		"2026-01-31T09:60:00Z":          false,
		"2026-01-31T09:30:61Z":          false,
		"2026-01-31T09:30:60Z":          true,
		"2026-01-31T09:30:00.Z":         false,
		"2026-01-31T09:30:00,5Z":        true,
		"2026-01-31T09:30:0Z":           false,
		"2026-01-31T09:30:00+2:00":      false,
		"2026-01-31T09:30:00+02":        true,
		"2026-01-31T09:30":              true,
		"2026-01-31T09:30:00.,5Z":       false,
		"2026-01-31T09:30:00+24:00":     false,
		"2026-01-31T09:30:00+02:60":     false,
		"2026-01-31T09:30:00+02:00Z":    false,
		"2026-01-31T09:30:00Z ":         false,
		"2026-01-31T09:30:":             false,
		"20260131T093000Z":              false,
		"2026-1-31T09:30:00Z":           false,
		"２026-01-31T09:30:00Z":          false,
		"yesterday":                     false,
		"":                              false,
		"2026-01-31T0930Z             ": false,
	} {
		if got := isTimestamp(s); got != want {
			t.Errorf("isTimestamp(%q) = %t, want %t", s, got, want)
		}
	}
}

func TestIsWhole(t *testing.T) {
	for raw, want := range map[string]bool{
		"0": true, "-0": true, "7": true, "-7": true, "10": true, "1.0": true, "12.500e1": true, "1e2": true, "1E+2": true,
		"100e-2": true, "0.0e-999999999999999999999": true, "1e999999999999999999999": true, "0.5e1": true,
		"1.5": false, "1e-1": false, "100e-3": false, "0.1": false, "1.25e1": false,
	} {
		if got := isWhole(raw); got != want {
			t.Errorf("isWhole(%s) = %t, want %t", raw, got, want)
		}
	}
}
