package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
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

func TestLinksOfElementPages(t *testing.T) {
	s := builtinService(t)
	for _, id := range []string{"video_camera", "face_template", "kept_for", "no_automated_action"} {
		path := "/explore/" + stable + "/" + id
		root, err := html.Parse(strings.NewReader(s.get(path + "?lang=fr").body))
		if err != nil {
			t.Fatal(err)
		}
		followed := 0
		for n := range root.Descendants() {
			for _, a := range n.Attr {
				isExplorer := strings.Count(a.Val, "/") == 2 && strings.HasPrefix(a.Val, "/explore/")
				if (a.Key != "href" && a.Key != "data-copy-from") || isExplorer ||
					!strings.HasPrefix(a.Val, "/explore/") && !strings.HasPrefix(a.Val, "/api/") {
					continue
				}
				followed++
				target := s.get(a.Val)
				if strings.HasPrefix(a.Val, "/explore/") && strings.Count(a.Val, "/") == 3 && n.Data == "a" && !strings.Contains(a.Val, "lang=") {
					t.Errorf("%s: the link to %s does not keep the language", path, a.Val)
				}
				if target.body == "" {
					t.Errorf("%s: %s is empty", path, a.Val)
				}
			}
		}
		if followed < 15 {
			t.Errorf("%s: got %d links, want more", path, followed)
		}
	}
}
