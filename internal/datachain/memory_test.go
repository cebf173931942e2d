package datachain

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/taxonomy"
)

// outcomes tells what every operation makes of body, in words. What it parses
// it releases.
func outcomes(body string) (told []string) {
	for _, op := range onAny {
		report, err := operate(op, []byte(body), exampleSchema(), nil)
		told = append(told, fmt.Sprintln(op, report, err))
	}
	d, _, _ := Parse([]byte(body), nil)
	if d == nil {
		return told
	}
	r, err := Resolve(d, exampleSchema(), nil)
	told = append(told, fmt.Sprintln(*d.copied(), string(r.Answer()), string(r.Document()), err))
	r.Release()
	if r.Answer() != nil || r.Document() != nil {
		told = append(told, "An answer is there after its release.")
	}
	d.Release()
	return told
}

// copied returns what d says, to print it without what it is made of.
func (d *Document) copied() *Document {
	content := *d
	content.memory, content.tree, content.Provenance = nil, nil, nil
	return &content
}

// bodies are those that differ most.
func bodies() []string {
	list := []string{"", "{}", "[", exampleDocument, exampleResolved(), exampleWithWholeSchema(), string(twenty())}
	for _, r := range Rules() {
		list = append(list, r.Example)
	}
	for _, b := range hostile(1 << 13) {
		list = append(list, b.body)
	}
	return list
}

func TestDocumentsInUseShareNoMemory(t *testing.T) {
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
					t.Errorf("%.200s (-alone +among others):\n%s", list[i], diff)
				}
			}
		})
	}
	wg.Wait()
}

func TestADocumentKeepsItsMemoryUntilItIsReleased(t *testing.T) {
	kept, _, err := Parse(twenty(), nil)
	if err != nil {
		t.Fatal(err)
	}
	again, _, _ := Parse(twenty(), nil)
	for _, body := range bodies() {
		outcomes(body)
	}
	if diff := cmp.Diff(again, kept, sameContent); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, p := range kept.Elements {
		if want := fmt.Sprintf("element_%d_%d", i%12, i%10); p.ElementID != want || len(p.Variables) != 2 || p.Variables[0].ID != "detail" {
			t.Errorf("placement %d is %+v", i, p)
		}
	}
}

func TestAReleasedDocumentIsEmptyAndHoldsOnToNothing(t *testing.T) {
	d, _, err := ParseResolved([]byte(exampleResolved()), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := d.memory
	d.Release()
	if diff := cmp.Diff(&Resolved{}, d, sameContent); diff != "" || d.memory != nil || d.tree != nil {
		t.Errorf("(-want +got):\n%s", diff)
	}
	d.Release() // once more does nothing
	if m.tree.text != "" {
		t.Error("the text is kept")
	}
	for _, text := range m.texts.block {
		if text != (taxonomy.Text{}) {
			t.Errorf("%q is kept", text)
		}
	}
	for _, word := range m.words.block {
		if word != "" {
			t.Errorf("%q is kept", word)
		}
	}
	for _, v := range m.variables.block {
		if v.ID != "" || v.Text != nil || v.Options != nil {
			t.Errorf("%v is kept", v)
		}
	}
	for _, p := range m.placements[:cap(m.placements)] {
		if p.ElementID != "" || p.Variables != nil || p.at != (placementRefs{}) {
			t.Errorf("%v is kept", p)
		}
	}
}

func TestAReleasedRunHoldsOnToNothing(t *testing.T) {
	d, _, err := Parse(twenty(), nil)
	if err != nil {
		t.Fatal(err)
	}
	schema := NewSchema(largeTaxonomy())
	c := newRun(d, schema.pool, OpResolve, newMeter(nil))
	c.schema = schema
	if report, err := c.report(); err != nil || !report.OK() {
		t.Fatal(report, err)
	}
	c.seen.add("a word of the document")
	c.writer = writer{tree: d.tree, meter: &c.meter, out: []byte("{"), members: []member{{name: "a name of the document"}}}
	c.release()
	if c.Document != nil || c.schema != nil || c.pool != nil || len(c.byElement)+len(c.byInstance) > 0 {
		t.Error("the document or the release is kept")
	}
	if c.writer.tree != nil || c.writer.meter != nil || c.writer.out != nil {
		t.Error("the answer is kept")
	}
	for _, m := range c.writer.members[:cap(c.writer.members)] {
		if m != (member{}) {
			t.Errorf("%v is kept", m)
		}
	}
	for _, word := range c.seen.few[:cap(c.seen.few)] {
		if word != "" {
			t.Errorf("%q is kept", word)
		}
	}
	for _, e := range c.placed[:cap(c.placed)] {
		if e != nil {
			t.Errorf("element %q is kept", e.id)
		}
	}
}
