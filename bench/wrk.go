package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

//go:embed wrk.lua
var wrkScript []byte

// connections is the number of concurrent connections.
const connections = 32

// wrkResult is the output of the script.
type wrkResult struct {
	Requests int64   `json:"requests"`
	Micros   int64   `json:"micros"`
	Bytes    int64   `json:"bytes"`
	P50      float64 `json:"p50"` // microseconds
	P99      float64 `json:"p99"`
	Failed   int64   `json:"failed"`
	Refused  int64   `json:"refused"`
}

// load runs wrk with the requests of a route.
type load struct {
	script, inputs string
}

func newLoad(dir, name string, requests [][]byte) (*load, error) {
	l := &load{filepath.Join(dir, "wrk.lua"), filepath.Join(dir, name+".requests")}
	if err := os.WriteFile(l.script, wrkScript, 0o644); err != nil {
		return nil, err
	}
	return l, writeInputs(l.inputs, requests)
}

// run applies the load to a server. The duration is in whole seconds.
func (l *load) run(ctx context.Context, addr string, length time.Duration) (wrkResult, error) {
	cmd := exec.CommandContext(ctx, "wrk", "--threads", "1", "--connections", fmt.Sprint(connections),
		"--duration", fmt.Sprintf("%ds", int(length/time.Second)), "--script", l.script, "http://"+addr, "--", l.inputs)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return wrkResult{}, fmt.Errorf("wrk: %w: %s", err, out)
	}
	return parseWrk(string(out))
}

// parseWrk parses the output of the script. Failed and refused requests are an
// error, because they cost less than successful ones.
func parseWrk(out string) (wrkResult, error) {
	var r wrkResult
	_, line, found := strings.Cut(out, "\nresult ")
	if !found {
		return r, fmt.Errorf("wrk printed no result: %s", out)
	}
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		return r, fmt.Errorf("wrk printed %q: %w", line, err)
	}
	switch {
	case r.Failed > 0 || r.Refused > 0:
		return r, fmt.Errorf("of %d requests, %d failed and %d were refused", r.Requests, r.Failed, r.Refused)
	case r.Requests == 0:
		return r, errors.New("no responses")
	}
	return r, nil
}
