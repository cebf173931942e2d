package view_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"placard/internal/core/problem"
	"placard/internal/show/view"
)

func TestSizeIsLimited(t *testing.T) {
	var p problem.Problem
	tooLarge := func(err error) bool {
		return errors.As(err, &p) && p.Code == problem.PayloadTooLarge && p.FixHint != ""
	}

	long := strings.Repeat("x", 1<<19)
	// The title repeats a large value 1000 times.
	document := bytes.Replace(file(t, "everything.json"), []byte("a bell"), []byte(long), 1)
	document = bytes.Replace(document, []byte("Sound of {{note}}"), bytes.Repeat([]byte("{{note}}"), 1000), 1)
	if _, err := view.Resolved(resolved(t, document), nil).Model("", nil); !tooLarge(err) {
		t.Errorf("BuildResolved: got error %v, want payload_too_large with a hint", err)
	}

	// Each model fits, but there are many of them.
	const title = `{"locale": "en", "value": "Everything at once"}`
	titles := title
	for c := 'a'; c <= 't'; c++ {
		titles += `, {"locale": "x` + string(c) + `", "value": "X"}`
	}
	document = bytes.Replace(file(t, "everything.json"), []byte("a bell"), []byte(long+long), 1)
	document = bytes.Replace(document, []byte(title), []byte(titles), 1)
	if _, err := view.Resolved(resolved(t, document), nil).Models("", nil); !tooLarge(err) {
		t.Errorf("BuildAllResolved: got error %v, want payload_too_large with a hint", err)
	}

	m := everything(t, "")
	m.About.Facts = make([]view.Fact, 10)
	for i := range m.About.Facts {
		m.About.Facts[i].Value.Text = long
	}
	page := &view.Page{Models: []*view.Model{m}}
	if _, err := page.HTML(nil); !tooLarge(err) {
		t.Errorf("HTML: got error %v, want payload_too_large with a hint", err)
	}
	if _, err := page.JSON(nil); !tooLarge(err) {
		t.Errorf("JSON: got error %v, want payload_too_large with a hint", err)
	}
}

func TestPagesInAllLanguagesAreSmall(t *testing.T) {
	for _, name := range exampleNames {
		page, err := view.NewPage(examples(t, name, ""), "").HTML(nil)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(page); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		const limit = 60_000
		if b.Len() > limit || bytes.Count(page, []byte("<main ")) != 4 {
			t.Errorf("%s: got %d compressed bytes, want at most %d, in 4 languages", name, b.Len(), limit)
		}
	}
}

func TestHTMLStopsWhenStepFails(t *testing.T) {
	page := &view.Page{Models: []*view.Model{everything(t, "")}}
	want, err := page.HTML(nil)
	if err != nil {
		t.Fatal(err)
	}
	stop, steps := errors.New("stop"), 0
	step := func() error {
		if steps++; steps == 3 {
			return stop
		}
		return nil
	}
	if got, err := page.HTML(step); got != nil || !errors.Is(err, stop) || steps != 3 {
		t.Errorf("got %d bytes, error %v after %d steps, want no page and the error of the third step", len(got), err, steps)
	}
	steps = 3
	if got, err := page.HTML(step); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got error %v, want the same page as without a step", err)
	}
}

// The sources of a suggested element are shown for each of its placements.
func TestMemoryOfSourcesIsLimited(t *testing.T) {
	sources := make([]string, 15_000)
	for i := range sources {
		sources[i] = fmt.Sprintf(`{"type": "%d", "title": "x"}`, i)
	}
	document := strings.Replace(string(file(t, "everything.json")), `"elements": [`, `"elements": [`+strings.Repeat(`{"element_id": "new"},`, 140), 1)
	document = strings.Replace(document, `"suggested_elements": [`, `"suggested_elements": [{"id": "new", "title": [], "category_id": "x", "sources": [`+strings.Join(sources, ",")+`]},`, 1)
	d := resolved(t, []byte(document))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := view.Resolved(d, nil).Model("", nil)
	runtime.ReadMemStats(&after)
	if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(64<<20); got > limit {
		t.Errorf("the model takes %d bytes, want at most %d (error %v)", got, limit, err)
	}
}

func TestModelStopsWhenStepFails(t *testing.T) {
	stop, steps := errors.New("stop"), 0
	step := func() error {
		if steps++; steps == 3 {
			return stop
		}
		return nil
	}
	// One placement repeats a text that has many locales.
	var locales strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&locales, `{"locale": "en-Cyrl-x-%d", "value": "x"},`, i)
	}
	document := strings.Replace(string(file(t, "everything.json")), "Sound of {{note}}", strings.Repeat("{{note}}", 500), 1)
	document = strings.Replace(document, `{"locale": "en", "value": "a bell"}`, strings.TrimSuffix(locales.String(), ","), 1)
	d := view.Resolved(resolved(t, []byte(document)), nil)
	if m, err := d.Model("", step); m != nil || !errors.Is(err, stop) || steps != 3 {
		t.Errorf("got model %v, error %v after %d steps, want no model and the error of the third step", m, err, steps)
	}
	steps = 3
	if _, err := d.Model("", step); err != nil || steps < 500 {
		t.Errorf("got error %v after %d steps, want at least 500", err, steps)
	}
}
