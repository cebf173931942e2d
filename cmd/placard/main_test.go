package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if os.Getenv(runAsPlacard) != "" {
		os.Exit(run())
	}
	// Race builds sleep for a second before they exit, which adds up over hundreds
	// of child processes.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	testscript.Main(m, map[string]func(){"placard": func() { os.Exit(run()) }})
}

func TestScripts(t *testing.T) { runScripts(t, "testdata/script", nil) }

// runScripts runs the scripts in a folder, with additional variables.
func runScripts(t *testing.T, dir string, variables map[string]string) {
	small := smallTree(t)
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			for name, value := range variables {
				env.Setenv(name, value)
			}
			env.Setenv("GORACE", os.Getenv("GORACE"))
			here, err := os.Getwd()
			env.Setenv("BUILTIN", here+"/../../builtin/tree")
			env.Setenv("SMALL", small)
			env.Setenv("EXAMPLE", here+"/../../docs/example")
			return err
		},
	})
}
