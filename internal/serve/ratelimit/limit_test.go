package ratelimit_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"placard/internal/serve/ratelimit"
)

func TestParseLimit(t *testing.T) {
	for text, want := range map[string]ratelimit.Limit{
		"300/60s":         {Requests: 300, Window: time.Minute},
		"300/1m":          {Requests: 300, Window: time.Minute},
		"1/1ms":           {Requests: 1, Window: time.Millisecond},
		"1000000000/24h":  {Requests: 1_000_000_000, Window: 24 * time.Hour},
		"off":             {},
		"":                {-1, -1},
		"300":             {-1, -1},
		"/60s":            {-1, -1},
		"0/60s":           {-1, -1},
		"-1/60s":          {-1, -1},
		"1000000001/60s":  {-1, -1},
		"300/60":          {-1, -1},
		"300/0s":          {-1, -1},
		"300/-1m":         {-1, -1},
		"300/25h":         {-1, -1},
		"300/60s/2":       {-1, -1},
		"3e2/60s":         {-1, -1},
		"300 / 60s":       {-1, -1},
		"99999999999/60s": {-1, -1},
	} {
		got, err := ratelimit.ParseLimit(text)
		if want.Requests < 0 {
			if err == nil {
				t.Errorf("ParseLimit(%q) = %+v, want an error", text, got)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("ParseLimit(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestLimitTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := ratelimit.Limit{
			Requests: rapid.IntRange(1, 1_000_000_000).Draw(t, "requests"),
			Window:   time.Duration(rapid.Int64Range(int64(time.Millisecond), int64(24*time.Hour)).Draw(t, "window")),
		}
		text, err := want.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var got ratelimit.Limit
		if err := got.UnmarshalText(text); err != nil || got != want {
			t.Fatalf("%+v marshals to %s, which unmarshals to %+v (%v)", want, text, got, err)
		}
	})
}

func TestDefaultPolicyHasTheDocumentedLimits(t *testing.T) {
	for bucket, want := range map[ratelimit.Bucket]string{
		ratelimit.Icons: "1200/60s", ratelimit.Read: "300/60s", ratelimit.Validate: "30/60s", ratelimit.Resolve: "15/60s", ratelimit.Free: "off",
	} {
		if got := ratelimit.DefaultPolicy.Limit(bucket).String(); got != want {
			t.Errorf("limit of %v is %s, want %s", bucket, got, want)
		}
	}
}
