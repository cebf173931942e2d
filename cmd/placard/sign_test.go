package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"placard/scripts/envtest"
)

func TestSignIsPrintedAsPDF(t *testing.T) {
	chromium := envtest.Program(t, "chromium")
	out := filepath.Join(t.TempDir(), "sign.pdf")
	status, output := placard(t, "", "sign", builtinTree+"/place/2026-06-01-stable/examples/smart_crossing.json",
		"--url", "https://example.org/crossing", "--size", "A5", "--chromium", chromium, "-o", out)
	if status != exitOK || output != "" {
		t.Fatalf("got status %d, output %q", status, output)
	}
	pdf, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if pages := bytes.Count(pdf, []byte("/Type /Page\n")); pages != 1 {
		t.Errorf("got %d pages, want 1", pages)
	}
	// 148 by 210 mm in points.
	if size := regexp.MustCompile(`/MediaBox \[0 0 4(19|20)[.\d]* 59[45][.\d]*\]`); !size.Match(pdf) {
		t.Errorf("got %s, want A5", regexp.MustCompile(`/MediaBox[^\n]*`).Find(pdf))
	}
}
