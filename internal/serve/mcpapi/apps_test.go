package mcpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json"

	"placard/scripts/envtest"
)

func TestMain(m *testing.M) { envtest.Main(m) }

// evaluate calls an asynchronous function in the page and returns its result.
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

// defaultPolicy is the content security policy that hosts apply to a view that
// declares none.
const defaultPolicy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; media-src 'self' data:; connect-src 'none'"

// viewState is the state of the view in its frame.
type viewState struct {
	Title      string   `json:"title"`
	Heading    string   `json:"heading"`
	Rendered   bool     `json:"rendered"`
	Placements int      `json:"placements"`
	Images     int      `json:"images"`
	Loaded     int      `json:"loaded"`
	Background string   `json:"background"`
	Theme      string   `json:"theme"`
	Height     float64  `json:"height"`
	Violations []string `json:"violations"`
}

func TestAppsHostDisplaysResultRegardlessOfWhenItReadsTheResource(t *testing.T) {
	s := newServiceWithMiddleware(t)
	pages := http.NewServeMux()
	pages.Handle("/npm/", http.StripPrefix("/npm/", http.FileServer(http.Dir(filepath.Join(envtest.NPM(t), "node_modules")))))
	pages.HandleFunc("/host", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "testdata/clients/host.html") })
	pages.HandleFunc("/sandbox", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", defaultPolicy)
		http.ServeFile(w, r, "testdata/clients/sandbox.html")
	})
	host := httptest.NewServer(pages)
	t.Cleanup(host.Close)
	sandbox := strings.Replace(host.URL, "127.0.0.1", "localhost", 1) + "/sandbox" // a different origin and site

	ctx := envtest.Browser(t)
	if err := chromedp.Do(ctx, chromedp.Navigate(host.URL+"/host")); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`new Promise((r) => { const f = () => window.loaded ? r(true) : setTimeout(f, 10); f(); })`, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatal(err)
	}
	// The view of another session must not affect this host.
	s.call("render_datachain", documentArguments(stable, example(t, stable, "station_gates")), "Mcp-Session-Id", "another")

	var document any
	if err := json.Unmarshal([]byte(example(t, stable, "smart_crossing")), &document); err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"before", "after", "during"} {
		t.Run(when, func(t *testing.T) {
			state := evaluate[struct {
				Read     string `json:"read"`
				MIMEType string `json:"mimeType"`
			}](t, ctx, "openView", map[string]any{
				"server": s.URL + "/mcp", "sandbox": sandbox, "when": when,
				"call": map[string]any{"version": stable, "datachain": document},
			})
			// The host uses the stateless protocol, which stores no view.
			if title, _, _ := strings.Cut(state.Read, "</title>"); state.MIMEType != "text/html;profile=mcp-app" || !strings.Contains(title, "datachain (awaiting tool call)") {
				t.Errorf("got resource of type %s: %.300s; want the placeholder", state.MIMEType, title)
			}
			view := evaluate[viewState](t, ctx, "waitForLayout", nil)
			if !strings.Contains(view.Title, "crossing") || view.Placements < 10 || view.Images == 0 || view.Loaded != view.Images || len(view.Violations) > 0 {
				t.Errorf("got %+v", view)
			}
			if view.Height < 1000 {
				t.Errorf("got a view height of %g, want at least 1000", view.Height)
			}
			light := evaluate[viewState](t, ctx, "setTheme", "light")
			dark := evaluate[viewState](t, ctx, "setTheme", "dark")
			if light.Background == dark.Background || dark.Loaded != dark.Images {
				t.Errorf("got background %s in the light theme, %s in the dark theme; %d of %d images loaded", light.Background, dark.Background, dark.Loaded, dark.Images)
			}
			evaluate[any](t, ctx, "teardown", nil)
		})
	}
}
