package mcpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"placard/internal/testenv"

	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json"
)

// evaluate returns what the promise of a call in the page comes to.
func evaluate[T any](t *testing.T, ctx context.Context, function string, arguments any) T {
	t.Helper()
	encoded, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](function+"("+string(encoded)+")", chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", function, err)
	}
	return value
}

// defaultPolicy is what hosts allow a view that asks for nothing.
const defaultPolicy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; media-src 'self' data:; connect-src 'none'"

// seen is what is in the frame.
type seen struct {
	Title      string   `json:"title"`
	Heading    string   `json:"heading"`
	Drawn      bool     `json:"drawn"`
	Placements int      `json:"placements"`
	Images     int      `json:"images"`
	Loaded     int      `json:"loaded"`
	Background string   `json:"background"`
	Theme      string   `json:"theme"`
	Height     float64  `json:"height"`
	Violations []string `json:"violations"`
}

func TestAnAppsHostDrawsTheResultWheneverItReadsTheResource(t *testing.T) {
	s := guarded(t)
	pages := http.NewServeMux()
	pages.Handle("/npm/", http.StripPrefix("/npm/", http.FileServer(http.Dir(filepath.Join(testenv.NPM(t), "node_modules")))))
	pages.HandleFunc("/host", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "testdata/clients/host.html") })
	pages.HandleFunc("/sandbox", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", defaultPolicy)
		http.ServeFile(w, r, "testdata/clients/sandbox.html")
	})
	host := httptest.NewServer(pages)
	t.Cleanup(host.Close)
	sandbox := strings.Replace(host.URL, "127.0.0.1", "localhost", 1) + "/sandbox" // another origin, and another site

	ctx := testenv.Browser(t)
	if err := chromedp.Do(ctx, chromedp.Navigate(host.URL+"/host")); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`new Promise((r) => { const f = () => window.loaded ? r(true) : setTimeout(f, 10); f(); })`, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatal(err)
	}
	// What another session draws meanwhile is none of this host's business.
	s.call("render_datachain", with(stable, example(t, stable, "station_gates")), "Mcp-Session-Id", "another")

	var document any
	if err := json.Unmarshal([]byte(example(t, stable, "smart_crossing")), &document); err != nil {
		t.Fatal(err)
	}
	// Before the first call there is only the placeholder to be read.
	for _, tc := range []struct{ when, reads string }{
		{"before", "datachain (awaiting tool call)"},
		{"after", "crossing"},
		{"beside", ""},
	} {
		t.Run(tc.when, func(t *testing.T) {
			state := evaluate[struct {
				Read     string `json:"read"`
				MIMEType string `json:"mimeType"`
			}](t, ctx, "open", map[string]any{
				"server": s.URL + "/mcp", "sandbox": sandbox, "when": tc.when,
				"call": map[string]any{"version": stable, "datachain": document},
			})
			if title, _, _ := strings.Cut(state.Read, "</title>"); state.MIMEType != "text/html;profile=mcp-app" || !strings.Contains(title, tc.reads) {
				t.Errorf("the resource is %s: %.300s", state.MIMEType, title)
			}
			drawn := evaluate[seen](t, ctx, "settled", nil)
			if !strings.Contains(drawn.Title, "crossing") || drawn.Placements < 10 || drawn.Images == 0 || drawn.Loaded != drawn.Images || len(drawn.Violations) > 0 {
				t.Errorf("%+v", drawn)
			}
			if drawn.Height < 1000 {
				t.Errorf("the view is %g high", drawn.Height)
			}
			light := evaluate[seen](t, ctx, "theme", "light")
			dark := evaluate[seen](t, ctx, "theme", "dark")
			if light.Background == dark.Background || dark.Loaded != dark.Images {
				t.Errorf("light is %s, dark %s", light.Background, dark.Background)
			}
			evaluate[any](t, ctx, "teardown", nil)
		})
	}
}
