package export_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// serveFile serves a file of an export as static hosts do, with an ETag of its own.
func serveFile(w http.ResponseWriter, r *http.Request, dir, name string) {
	file := filepath.Join(dir, filepath.FromSlash(name))
	data, err := os.ReadFile(file)
	if err != nil {
		http.Error(w, "no such file", http.StatusNotFound)
		return
	}
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(data)))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// pagesHost serves an export according to its _headers and _redirects.
type pagesHost struct {
	t        *testing.T
	dir      string
	headers  []headerRule
	rewrites []rewriteRule
	// filesFirst says that rewrites apply only to paths without a file, and that they
	// may have query parameters, as on Netlify. Cloudflare Pages does neither.
	filesFirst bool
}

type headerRule struct {
	path   *regexp.Regexp
	header http.Header
}

type rewriteRule struct {
	path   *regexp.Regexp
	params map[string]string // placeholders by parameter
	target string
}

// rulePath returns a regular expression that matches as the path of a rule does.
func rulePath(path string) *regexp.Regexp {
	path = regexp.MustCompile(`:(\w+)`).ReplaceAllString(regexp.QuoteMeta(path), `(?P<$1>[^/]+)`)
	return regexp.MustCompile("^" + strings.Replace(path, `\*`, "(?P<splat>.*)", 1) + "$")
}

func newPagesHost(t *testing.T, dir string, filesFirst bool) *pagesHost {
	t.Helper()
	h := &pagesHost{t: t, dir: dir, filesFirst: filesFirst}
	for _, line := range lines(t, dir, "_headers") {
		if !strings.HasPrefix(line, "  ") {
			h.headers = append(h.headers, headerRule{rulePath(line), make(http.Header)})
			continue
		}
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		h.headers[len(h.headers)-1].header.Set(name, value)
	}
	for _, line := range lines(t, dir, "_redirects") {
		words := strings.Fields(line)
		last := len(words) - 1
		if words[last] != "200" {
			t.Fatalf("%q is not a rewrite", line)
		}
		r := rewriteRule{rulePath(words[0]), make(map[string]string), words[last-1]}
		for _, param := range words[1 : last-1] {
			name, value, _ := strings.Cut(param, "=")
			r.params[name] = value
		}
		if filesFirst || len(r.params) == 0 {
			h.rewrites = append(h.rewrites, r)
		}
	}
	return h
}

// lines returns the lines of a file, without comments.
func lines(t *testing.T, dir, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(string(data)), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "#")
	})
}

// apply returns the file that the rule maps a request to.
func (r *rewriteRule) apply(u *url.URL) (string, bool) {
	match := r.path.FindStringSubmatch(u.Path)
	query := u.Query()
	if match == nil || len(r.params) > 0 && len(r.params) != len(query) {
		return "", false
	}
	target := r.target
	for i, name := range r.path.SubexpNames()[1:] {
		target = strings.Replace(target, ":"+name, match[i+1], 1)
	}
	for name, value := range r.params {
		if !query.Has(name) {
			return "", false
		}
		target = strings.Replace(target, value, query.Get(name), 1)
	}
	return target, true
}

func (h *pagesHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, rule := range h.headers {
		if !rule.path.MatchString(r.URL.Path) {
			continue
		}
		for name, values := range rule.header {
			if w.Header().Get(name) != "" {
				h.t.Errorf("%s: two rules set %s", r.URL.Path, name)
			}
			w.Header()[name] = values
		}
	}
	file := r.URL.Path
	if info, err := os.Stat(filepath.Join(h.dir, file)); !h.filesFirst || err != nil || info.IsDir() {
		for _, rule := range h.rewrites {
			if target, ok := rule.apply(r.URL); ok {
				file = target
				break
			}
		}
	}
	serveFile(w, r, h.dir, file)
}
