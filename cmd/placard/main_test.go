package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
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
			env.Setenv("DOCS", here+"/../../docs")
			return err
		},
	})
}

func TestREADMEShowsRealOutput(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := txtar.ParseFile("testdata/script/docs.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range script.Files {
		if !bytes.Contains(readme, file.Data) {
			t.Errorf("README.md does not contain the output in %s of docs.txt:\n%s", file.Name, file.Data)
		}
	}
}
