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
)

//go:embed wrk.lua
var wrkScript []byte

// applyLoad sends the requests in a file to a server for a second, over 32
// connections, and returns the number of responses. A load with failed requests is
// repeated up to three times: on a shared machine, a server may get no CPU time for
// seconds.
func (b *bench) applyLoad(ctx context.Context, addr, inputs string) (int, error) {
	script := filepath.Join(b.dir, "wrk.lua")
	if err := os.WriteFile(script, wrkScript, 0o644); err != nil {
		return 0, err
	}
	var errs []error
	for len(errs) < 4 && ctx.Err() == nil {
		out, err := exec.CommandContext(ctx, "wrk", "--threads", "1", "--connections", "32", "--duration", "1s",
			"--script", script, "http://"+addr, "--", inputs).CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("wrk: %w: %s", err, out)
		}
		requests, err := parseWrk(string(out))
		if err == nil {
			return requests, nil
		}
		errs = append(errs, err)
	}
	return 0, errors.Join(append(errs, ctx.Err())...)
}

// parseWrk returns the number of responses in the output of the script. Failed
// requests are an error, because they cost less than successful ones.
func parseWrk(out string) (requests int, err error) {
	_, line, _ := strings.Cut(out, "\nresult ")
	var failed int
	if _, err := fmt.Sscanf(line, "%d requests, %d failed\n", &requests, &failed); err != nil {
		return 0, fmt.Errorf("wrk printed no result: %s", out)
	}
	if failed > 0 || requests == 0 {
		return 0, fmt.Errorf("%d of %d requests failed", failed, requests)
	}
	return requests, nil
}
