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
	testscript.Main(m, map[string]func(){"placard": func() { os.Exit(run()) }})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			here, err := os.Getwd()
			env.Setenv("BUILTIN", here+"/../../builtin/tree")
			env.Setenv("EXAMPLE", here+"/../../docs/example")
			return err
		},
	})
}
