package datachain

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/taxonomy"
)

// outcomes returns the results of all operations on body as strings. It releases
// the documents it parses.
func outcomes(body string) (results []string) {
	for _, op := range onAny {
		report, err := run(op, []byte(body), exampleSchema(), nil)
		results = append(results, fmt.Sprintln(op, report, err))
	}
	d, _, _ := Parse([]byte(body), nil)
	if d == nil {
		return results
	}
	r, err := Resolve(d, exampleSchema(), nil)
	results = append(results, fmt.Sprintln(d.printable(), string(r.Response()), string(r.Document()), err))
	r.Release()
	if r.Response() != nil || r.Document() != nil {
		results = append(results, "The response is not nil after Release.")
	}
	d.Release()
	return results
}

// printable returns a copy of d without pointers, which differ between runs.
func (d *Document) printable() Document {
	content := *d
	content.scratch, content.tree, content.Provenance = nil, nil, nil
	return content
}

// bodies returns a variety of documents.
func bodies() []string {
	list := []string{"", "{}", "[", exampleDocument, exampleResolved(), exampleWithWholeSchema(), string(twentyPlacements())}
	for _, r := range Rules() {
		list = append(list, r.Example)
	}
	for _, b := range hostileBodies(1 << 13) {
		list = append(list, b.body)
	}
	return list
}

func TestConcurrentDocumentsShareNoMemory(t *testing.T) {
	list := bodies()
	want := make([][]string, len(list))
	for i, body := range list {
		want[i] = outcomes(body)
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range list {
				i = (i*(2*worker+1) + worker) % len(list)
				if diff := cmp.Diff(want[i], outcomes(list[i])); diff != "" {
					t.Errorf("%.200s (-sequential +concurrent):\n%s", list[i], diff)
				}
			}
		})
	}
	wg.Wait()
}

func TestDocumentsKeepTheirMemoryUntilReleased(t *testing.T) {
	kept, _, err := Parse(twentyPlacements(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want, _, _ := Parse(twentyPlacements(), nil)
	for _, body := range bodies() {
		outcomes(body)
	}
	if diff := cmp.Diff(want, kept, sameContent); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, p := range kept.Elements {
		if want := fmt.Sprintf("element_%d_%d", i%12, i%10); p.ElementID != want || len(p.Variables) != 2 || p.Variables[0].ID != "detail" {
			t.Errorf("placement %d: got %+v, want element %s with 2 variables", i, p, want)
		}
	}
}

func TestReleasedDocumentsKeepNoReferences(t *testing.T) {
	d, _, err := ParseResolved([]byte(exampleResolved()), nil)
	if err != nil {
		t.Fatal(err)
	}
	released := d.scratch
	d.Release()
	if diff := cmp.Diff(&Resolved{}, d, sameContent); diff != "" || d.scratch != nil || d.tree != nil {
		t.Errorf("(-want +got):\n%s", diff)
	}
	d.Release() // A second call has no effect.
	if released.tree.text != "" {
		t.Error("the scratch memory refers to the text")
	}
	for _, text := range released.texts.block {
		if text != (taxonomy.Text{}) {
			t.Errorf("the scratch memory contains %q, want no references", text)
		}
	}
	for _, s := range released.strings.block {
		if s != "" {
			t.Errorf("the scratch memory contains %q, want no references", s)
		}
	}
	for _, v := range released.variables.block {
		if v.ID != "" || v.Value.text != nil || v.Value.options != nil {
			t.Errorf("the scratch memory contains %v, want no references", v)
		}
	}
	for _, p := range released.placements[:cap(released.placements)] {
		if p.ElementID != "" || p.Variables != nil || p.refs != (placementRefs{}) {
			t.Errorf("the scratch memory contains %v, want no references", p)
		}
	}
}

func TestReleasedCheckersKeepNoReferences(t *testing.T) {
	d, _, err := Parse(twentyPlacements(), nil)
	if err != nil {
		t.Fatal(err)
	}
	schema := NewSchema(largeTaxonomy())
	c := newChecker(d, schema.definitions, OpResolve, newMeter(nil))
	c.schema = schema
	if report, err := c.report(); err != nil || !report.OK() {
		t.Fatal(report, err)
	}
	c.seen.add("a string of the document")
	c.writer = writer{tree: d.tree, meter: &c.meter, out: []byte("{"), members: []member{{name: "a name of the document"}}}
	c.release()
	if c.Document != nil || c.schema != nil || c.definitions != nil || len(c.byElement)+len(c.byInstance) > 0 {
		t.Error("the checker refers to the document or the release")
	}
	if c.writer.tree != nil || c.writer.meter != nil || c.writer.out != nil {
		t.Error("the checker refers to the response")
	}
	for _, m := range c.writer.members[:cap(c.writer.members)] {
		if m != (member{}) {
			t.Errorf("the checker contains %v, want no references", m)
		}
	}
	if len(c.seen) > 0 {
		t.Errorf("the checker contains %v, want no references", c.seen)
	}
	for _, e := range c.placed[:cap(c.placed)] {
		if e != nil {
			t.Errorf("the checker refers to element %q", e.id)
		}
	}
}
