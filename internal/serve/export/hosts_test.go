package export_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/serve/export"
)

func TestHostsAnswerLikeTheAPI(t *testing.T) {
	c := api(t, manyElements)
	opts := options(t, c)
	want := live(t, opts)
	dir := t.TempDir()
	report := mustExport(t, export.Folder(dir), opts)
	if report.Files != len(opts.Resources) || report.Written != report.Files || report.LeftOut != nil || report.Notes != nil {
		t.Errorf("got report %+v, want %d files and no limitations", report, len(opts.Resources))
	}
	for name, host := range map[string]http.Handler{
		"Netlify":          newPagesHost(t, dir, true),
		"Cloudflare Pages": newPagesHost(t, dir, false),
	} {
		t.Run(name, func(t *testing.T) {
			lists := 0
			for _, resource := range opts.Resources {
				target := resource.String()
				if resource.Query != "" && name == "Cloudflare Pages" {
					target = strings.TrimSuffix(resource.Path, "elements") + "lists/" + resource.Query + ".json"
				}
				if resource.Query != "" {
					lists++
				}
				got := request(t, host, "GET", target)
				if diff := cmp.Diff(want[resource.String()], answerOf(got.Code, got.Header(), got.Body.String())); diff != "" {
					t.Fatalf("GET %s (-API +host):\n%s", target, diff)
				}
				etag := got.Header().Get("ETag")
				if got := request(t, host, "GET", target, "If-None-Match", etag); got.Code != http.StatusNotModified || got.Body.Len() > 0 {
					t.Fatalf("GET %s with If-None-Match: got status %d, want 304", target, got.Code)
				}
			}
			if lists < 20 {
				t.Errorf("got %d pages of lists, want all of them", lists)
			}
		})
	}
}
