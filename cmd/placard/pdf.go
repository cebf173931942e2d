package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"placard/internal/core/problem"
)

// browsers lists the names of Chromium and browsers based on it.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge", "microsoft-edge"}

// browserPaths lists places outside PATH in which installers put browsers.
var browserPaths = []string{
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
	`C:\Program Files\Google\Chrome\Application\chrome.exe`,
	`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
}

// printTimeout is the time that a browser has to print a page.
const printTimeout = time.Minute

// findBrowser returns the path of the given browser or, if the name is empty, of an
// installed one.
func findBrowser(name string) (string, error) {
	if name = cmp.Or(name, os.Getenv("CHROME_PATH")); name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", problem.Failure("%q is not a program.", name).Hint("Set --chromium to the path of Chromium or Chrome.")
		}
		return path, nil
	}
	for _, name := range slices.Concat(browsers, browserPaths) {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", problem.Failure("PDF needs Chromium or Chrome, which was not found.").
		Hint("Install it, set --chromium to its path, or write an .html file and print it with any browser.")
}

// printPDF prints a page, which needs no network, with the given browser or an
// installed one.
func printPDF(ctx context.Context, browser string, page []byte) ([]byte, error) {
	browser, err := findBrowser(browser)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "placard-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // a browser that was killed may still be writing to it
	input, output := filepath.Join(dir, "sign.html"), filepath.Join(dir, "sign.pdf")
	if err := os.WriteFile(input, page, 0o600); err != nil {
		return nil, err
	}
	args := []string{
		"--headless", "--disable-gpu", "--disable-extensions", "--disable-background-networking", "--no-first-run",
		"--user-data-dir=" + filepath.Join(dir, "profile"), "--no-pdf-header-footer", "--print-to-pdf=" + output,
	}
	if os.Geteuid() == 0 {
		// Chromium has no sandbox for root, as in most containers. The page has no script.
		args = append(args, "--no-sandbox")
	}
	// The processes of the browser keep a pipe open for a while after they are killed.
	messages, err := os.Create(filepath.Join(dir, "messages"))
	if err != nil {
		return nil, err
	}
	defer messages.Close()
	limited, cancel := context.WithTimeout(ctx, printTimeout)
	defer cancel()
	cmd := exec.CommandContext(limited, browser, append(args, fileURL(input))...)
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	cmd.Stderr = messages
	err = cmd.Run()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	pdf, readErr := os.ReadFile(output)
	switch {
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return nil, problem.Failure("%s did not finish within %v.", browser, printTimeout).
			Hint("Try again, or write an .html file and print it with any browser.")
	case err == nil && readErr == nil:
		return pdf, nil
	case err == nil:
		err = readErr
	}
	return nil, problem.Failure("%s could not print the sign: %v. %s", browser, err, lastLine(messages.Name())).
		Hint("Write an .html file and print it with any browser.")
}

// fileURL returns the URL of a local file.
func fileURL(name string) string {
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(name), "/")}).String()
}

// lastLine returns the last line of a file, or "" if it cannot be read.
func lastLine(name string) string {
	data, _ := os.ReadFile(name)
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	return problem.Clip(string(lines[len(lines)-1]))
}
