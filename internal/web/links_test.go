package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func TestInternalLinksExist(t *testing.T) {
	s := builtinService(t)
	seen := make(map[string]bool)
	href := regexp.MustCompile(`<a [^>]*href="([^"]+)"`)
	for _, path := range addresses {
		page := s.do("GET", path)
		if page.status != http.StatusOK {
			continue // its links to other languages do not exist either
		}
		for _, match := range href.FindAllStringSubmatch(page.body, -1) {
			target, err := url.Parse(strings.ReplaceAll(match[1], "&amp;", "&"))
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			if target.Host != "" || target.Path == "" || target.Scheme != "" || seen[target.RequestURI()] {
				continue
			}
			seen[target.RequestURI()] = true
			if got := s.do("GET", target.RequestURI()); got.status >= 400 {
				t.Errorf("%s links to %s: got status %d", path, target, got.status)
			}
		}
	}
}
