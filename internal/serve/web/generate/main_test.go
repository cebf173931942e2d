package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestBundleIsUpToDate(t *testing.T) {
	files, err := bundle("..")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", "script", "bundle", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date; run \"make generate\"", name)
		}
	}
}
