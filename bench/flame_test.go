package main

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"
)

const traces = `File: placard-probed
Type: cpu
Duration: 5.02s, Total samples = 1.06s (21 %)
-----------+-------------------------------------------------------
      10ms   strings.Cut (inline)
             placard.dev/httpapi.(*api).element
             net/http.(*conn).serve
-----------+-------------------------------------------------------
        1s   internal/runtime/syscall/linux.Syscall6
             net/http.(*conn).serve
-----------+-------------------------------------------------------
      50ms   placard.dev/httpapi.(*api).element
             net/http.(*conn).serve
`

func TestTracesBecomeATree(t *testing.T) {
	root, err := readTraces(strings.NewReader(traces))
	if err != nil {
		t.Fatal(err)
	}
	serve := root.call("net/http.(*conn).serve")
	element := serve.call("placard.dev/httpapi.(*api).element")
	for _, test := range []struct {
		of        *frame
		want      time.Duration
		functions int
	}{
		{root, 1060 * time.Millisecond, 1},
		{serve, 1060 * time.Millisecond, 2},
		{element, 60 * time.Millisecond, 1},
		{element.call("strings.Cut"), 10 * time.Millisecond, 0},
	} {
		if test.of.total != test.want || len(test.of.calls) != test.functions {
			t.Errorf("%s: %v and %d functions, want %v and %d", test.of.name, test.of.total, len(test.of.calls), test.want, test.functions)
		}
	}
}

func TestFlameIsAnSVGThatNamesFunctionsAndOwners(t *testing.T) {
	root, err := readTraces(strings.NewReader(traces))
	if err != nil {
		t.Fatal(err)
	}
	svg := string(drawFlame("element: a & b", root))
	for _, want := range []string{"element: a &amp; b", "Placard 6 %", "system calls 94 %", "http.(*conn).serve</text>", "(*api).element 5.7 %</title>"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is not in it", want)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestTracesThatAreNoneAreRefused(t *testing.T) {
	if _, err := readTraces(strings.NewReader("-----------+---\n  many   main.main\n")); err == nil {
		t.Error("no error")
	}
}
