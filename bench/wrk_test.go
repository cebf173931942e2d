package main

import (
	"strings"
	"testing"
	"time"
)

const wrkOutput = `Running 1s test @ http://127.0.0.1:8080
  1 threads and 32 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.03ms  512.00us  12.90ms   92.03%
Requests/sec:  31022.11
result 31100 requests, 0 failed
`

func TestParseWrk(t *testing.T) {
	if got, err := parseWrk(wrkOutput); got != 31100 || err != nil {
		t.Errorf("got %d, %v; want 31100", got, err)
	}
}

func TestParseWrkReportsFailures(t *testing.T) {
	for _, test := range []struct{ name, output string }{
		{"failed requests", strings.Replace(wrkOutput, "0 failed", "3 failed", 1)},
		{"no responses", strings.Replace(wrkOutput, "31100 requests", "0 requests", 1)},
		{"no result", "unable to connect to 127.0.0.1:1\n"},
		{"truncated result", wrkOutput[:len(wrkOutput)-9]},
	} {
		if _, err := parseWrk(test.output); err == nil {
			t.Errorf("%s: got no error, want one", test.name)
		}
	}
}

func TestParseStat(t *testing.T) {
	// A command name can look like several fields.
	stat := "4242 (placard) 1 (x) S 1 4242 4242 0 -1 4194560 9000 0 3 0 1200 345 0 0 20 0 9 0 12345 1265119232 5000\n"
	got, err := parseStat([]byte(stat))
	if err != nil || got != 15450*time.Millisecond {
		t.Errorf("got %v, %v; want 15.45s", got, err)
	}
	if _, err := parseStat([]byte("4242 (placard) S 1")); err == nil {
		t.Error("truncated line: got no error, want one")
	}
}
