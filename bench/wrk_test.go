package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const wrkOutput = `Running 1s test @ http://127.0.0.1:8080
  1 threads and 32 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.03ms  512.00us  12.90ms   92.03%
Requests/sec:  31022.11
result {"requests":31100,"micros":1002514,"bytes":71530000,"p50":950.0,"p99":2403.5,"failed":0,"refused":0}
`

func TestParseWrk(t *testing.T) {
	got, err := parseWrk(wrkOutput)
	if err != nil {
		t.Fatal(err)
	}
	want := wrkResult{Requests: 31100, Micros: 1002514, Bytes: 71530000, P50: 950, P99: 2403.5}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestParseWrkReportsFailures(t *testing.T) {
	for _, test := range []struct{ name, output string }{
		{"failed requests", strings.Replace(wrkOutput, `"failed":0`, `"failed":3`, 1)},
		{"refused requests", strings.Replace(wrkOutput, `"refused":0`, `"refused":1`, 1)},
		{"no responses", strings.Replace(wrkOutput, `"requests":31100`, `"requests":0`, 1)},
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

func TestParseMemory(t *testing.T) {
	status := []byte("Name:\tplacard\nVmHWM:\t   51200 kB\nVmRSS:\t   20992 kB\nThreads:\t9\n")
	for field, want := range map[string]float64{"VmHWM": 50, "VmRSS": 20.5} {
		if got, err := parseMemory(status, field); err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", field, got, err, want)
		}
	}
	if _, err := parseMemory([]byte("Name:\tplacard\n"), "VmRSS"); err == nil {
		t.Error("missing VmRSS: got no error, want one")
	}
}
