package web_test

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/budget"
	"placard/internal/serve/ratelimit"
	"placard/internal/serve/web"
	"placard/internal/storage/builtin"
)

func decodePNG(tb testing.TB, r response) image.Image {
	tb.Helper()
	if got := r.header.Get("Content-Type"); got != "image/png" {
		tb.Fatalf("got Content-Type %q, want image/png", got)
	}
	img, err := png.Decode(strings.NewReader(r.body))
	if err != nil {
		tb.Fatal(err)
	}
	return img
}

func TestIconsAsPNG(t *testing.T) {
	s := builtinService(t)
	for _, tt := range []struct {
		path string
		size int
	}{
		{"/explore/" + stable + "/video_camera/png/64/default.png", 64},
		{"/explore/place@latest/video_camera/png/256/dark.png", 256},
		{"/explore/" + stable + "/face_template/png/1024/identifying.png", 1024},
	} {
		first := s.get(tt.path, "Accept-Encoding", "gzip, br")
		if got := decodePNG(t, first).Bounds().Size(); got != image.Pt(tt.size, tt.size) {
			t.Errorf("%s: got %v, want a width of %d", tt.path, got, tt.size)
		}
		if got := first.header.Get("Content-Encoding"); got != "" {
			t.Errorf("%s: got Content-Encoding %q, want none", tt.path, got)
		}
		if got := s.do("GET", tt.path, "If-None-Match", first.header.Get("Etag")); got.status != http.StatusNotModified {
			t.Errorf("%s: got status %d with its ETag, want 304", tt.path, got.status)
		}
		if got := s.do("HEAD", tt.path); got.status != http.StatusOK || got.body != "" {
			t.Errorf("HEAD %s: got status %d and %d bytes", tt.path, got.status, len(got.body))
		}
	}
	for _, path := range []string{
		"/explore/" + stable + "/video_camera/png/65/default.png",
		"/explore/" + stable + "/video_camera/png/064/default.png",
		"/explore/" + stable + "/video_camera/png/+64/default.png",
		"/explore/" + stable + "/video_camera/png/4096/default.png",
		"/explore/" + stable + "/video_camera/png/64/default.svg",
		"/explore/" + stable + "/video_camera/png/64/none.png",
		"/explore/" + stable + "/none/png/64/default.png",
		"/explore/place@2001-01-01-stable/video_camera/png/64/default.png",
		"/explore/" + stable + "/none/preview.png",
	} {
		if got := s.do("GET", path); got.status != http.StatusNotFound || !strings.Contains(got.body, "<h1>") {
			t.Errorf("%s: got status %d, want 404 with a page", path, got.status)
		}
	}
	if got := s.do("POST", "/explore/"+stable+"/preview.png"); got.status != http.StatusMethodNotAllowed {
		t.Errorf("POST: got status %d, want 405", got.status)
	}
}

func TestOnlyDrawnPicturesAreCharged(t *testing.T) {
	reads, isLimited := 0, false
	s := newService(t, builtin.Store(), web.Options{Admit: func(_ http.ResponseWriter, _ *http.Request, b ratelimit.Bucket) (netip.Addr, error) {
		if b == ratelimit.Read {
			reads++
			if isLimited {
				return netip.Addr{}, problem.New(problem.RateLimited, "Too many requests.")
			}
		}
		return netip.Addr{}, nil
	}})
	path := "/explore/" + stable + "/video_camera/preview.png"
	s.get(path)
	isLimited = true
	s.get(path)
	if reads != 1 {
		t.Errorf("got %d reads for two requests, want 1", reads)
	}
	if got := s.do("GET", "/explore/"+stable+"/radar/preview.png"); got.status != http.StatusTooManyRequests {
		t.Errorf("got status %d for a picture that is not drawn yet, want 429", got.status)
	}
}

func TestPicturesWaitForAPlace(t *testing.T) {
	defer func(b budget.Budget) { budget.Read = b }(budget.Read)
	budget.Read = budget.Budget{Wall: time.Millisecond}
	work := budget.NewPool(1, 0)
	s := newService(t, builtin.Store(), web.Options{Work: work})
	taken, err := work.Start(t.Context(), netip.Addr{}, budget.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	path := "/explore/" + stable + "/radar/png/1024/default.png"
	if got := s.do("GET", path); got.status != http.StatusServiceUnavailable {
		t.Errorf("without a free place: got status %d, want 503", got.status)
	}
	taken.Stop()
	budget.Read = budget.Budget{}
	if got := s.do("GET", path); got.status != http.StatusOK {
		t.Errorf("with a free place: got status %d, want 200", got.status)
	}
}

func TestPreviewsOfLinks(t *testing.T) {
	empty := releasetest.Taxonomy(t, "empty@2026-01-02-stable")
	empty.Elements = nil
	compiled, err := release.Compile(empty)
	if err != nil {
		t.Fatal(err)
	}
	many := releasetest.Taxonomy(t, "many@2026-01-02-stable")
	values := &many.Categories[1].Context.Values
	for _, id := range strings.Fields("a b c d e f g h i") {
		*values = append(*values, taxonomy.ContextValue{ID: id, Label: (*values)[0].Label, Color: "#A85A00"})
	}
	many.Derive()
	compiledMany, err := release.Compile(many)
	if err != nil {
		t.Fatal(err)
	}
	s := publishedService(t, releasetest.Release(t, "small@2026-01-02-stable"), compiled, compiledMany)
	for _, path := range []string{
		"/explore/small@latest/preview.png",
		"/explore/small@latest/safety/preview.png",
		"/explore/small@latest/sound/preview.png",
		"/explore/many@latest/pictures/preview.png",
		"/explore/empty@latest/preview.png",
	} {
		img := decodePNG(t, s.get(path))
		if got := img.Bounds().Size(); got != image.Pt(1200, 630) {
			t.Errorf("%s: got %v, want 1200 by 630 pixels", path, got)
		}
		// Icons are inside the picture: its margins are empty.
		margin := image.NewUniform(img.At(1, 100))
		for y := 40; y < 630; y++ {
			for _, x := range []int{0, 40, 1160, 1199} {
				if img.At(x, y) != margin.C {
					t.Fatalf("%s: the pixel at %d, %d is not empty", path, x, y)
				}
			}
		}
	}
	if a, b := s.get("/explore/small@latest/safety/preview.png"), s.get("/explore/small@latest/sound/preview.png"); bytes.Equal([]byte(a.body), []byte(b.body)) {
		t.Error("two elements have the same preview")
	}
}
