package datachain

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"placard.dev/problem"
	"placard.dev/taxonomy"
)

// bodySize is how large a body may be, unless that would take too long.
const bodySize = 1 << 20 / slowdown

// flood puts as many items as a body holds in the place of "@", which is an
// item of an array, or of "@":0, which is a member.
func flood(document string, item func(i int) string) string { return floodTo(bodySize, document, item) }

func floodTo(size int, document string, item func(i int) string) string {
	mark := `"@"`
	if strings.Contains(document, mark+":0") {
		mark += ":0"
	}
	before, after, _ := strings.Cut(document, mark)
	var b strings.Builder
	b.WriteString(before)
	for i := 0; ; i++ {
		next := item(i)
		if b.Len()+len(next)+len(after) >= size {
			return b.String() + after
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(next)
	}
}

func same(item string) func(int) string { return func(int) string { return item } }

func numbered(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

const manyElements = `{"id":"%x","title":[],"category_id":"sensing","required":true,"max_placements":1}`

// hostile returns bodies that ask for as much work and memory as they can, the
// resolved ones last.
var hostile = sync.OnceValue(func() []hostileBody {
	return []hostileBody{
		{"zeros", flood(with(change{"linked_instance_ids", `["@"]`}), same(`0`))},
		{"unknown members", flood(with(change{"x", `{"@":0}`}), numbered(`"%x":0`))},
		{"unknown members of the document", flood(strings.Replace(exampleDocument, "{", `{"@":0,`, 1), numbered(`"%x":0`))},
		{"placements of nothing", flood(with(change{"elements", `["@"]`}), same(`{"element_id":""}`))},
		{"placements of anything", flood(with(change{"elements", `["@"]`}), numbered(`{"element_id":"element_%x"}`))},
		{"empty placements", flood(with(change{"elements", `["@"]`}), same(`{}`))},
		{"one instance id", flood(with(change{"elements", `["@"]`}), same(`{"element_id":"camera","element_instance_id":"a"}`))},
		{"many instance ids", flood(with(change{"elements", `["@"]`}), numbered(`{"element_id":"camera","element_instance_id":"%x"}`))},
		{"one variable", flood(with(change{"elements[1].variables", `["@"]`}), same(`{"id":"a","value":[]}`))},
		{"many variables", flood(with(change{"elements[1].variables", `["@"]`}), numbered(`{"id":"%x","value":[]}`))},
		{"one option", flood(with(change{"elements[1].variables[1]", `{"id":"formats","value":["@"]}`}), same(`"a"`))},
		{"many options", flood(with(change{"elements[1].variables[1]", `{"id":"formats","value":["@"]}`}), numbered(`"%x"`))},
		{"many locales", flood(with(change{"title", `["@"]`}), numbered(`{"locale":"%x","value":""}`))},
		{"many titles in one locale", flood(with(change{"elements[1].variables[0].value", `["@"]`}), same(`{"locale":"en","value":""}`))},
		{"many keys", flood(with(change{"authoring_provenance", `{"kind":"human","element_provenance":{"@":0}}`}), numbered(`"%x":{}`))},
		{"many oddities", flood(with(change{"authoring_provenance", `{"kind":"human","element_provenance":{"camera":{"source_references":["@"]}}}`}), same(`0`))},
		{"many subchain instances", flood(with(change{"subchain_instances", `["@"]`}), numbered(`{"id":"%x","subchain_id":"a"}`))},
		{"many head refs", flood(with(change{"subchain_instances[0].head_refs", `["@"]`}), numbered(`"element_%x"`))},
		{"deep arrays", flood(with(change{"x", `["@"]`}), same(strings.Repeat("[", 62)+strings.Repeat("]", 62)))},
		{"a long string", with(change{"x", `"` + strings.Repeat("a", bodySize-5000) + `"`})},
		{"a long string of commas", with(change{"x", `"` + strings.Repeat(",", bodySize-5000) + `"`})},
		{"a long number", with(change{"elements[0].priority", strings.Repeat("9", bodySize-5000)})},
		{"a long id", with(change{"elements[0].element_id", `"` + strings.Repeat(`\u00e9`, bodySize/8) + `"`})},
		{"long names on the way to many findings", flood(with(change{
			"authoring_provenance",
			`{"kind":"human","element_provenance":{"` + strings.Repeat("k", bodySize/2) + `":{"variable_rationale":0,"@":0}}}`,
		}), numbered(`"%x":0`))},
		{"rationales under a long id", flood(with(change{"elements[1].element_instance_id", `"` + strings.Repeat("k", bodySize/4) + `"`}, change{
			"authoring_provenance",
			`{"kind":"human","element_provenance":{"` + strings.Repeat("k", bodySize/4) + `":{"variable_rationale":{"@":0}}}}`,
		}), numbered(`"%x":0`))},
		{"not JSON after all", flood(with(change{"linked_instance_ids", `["@"]`}), same(`0`))[:bodySize/2]},
		{"a name twice after many", flood(with(change{"x", `{"@":0,"0":1}`}), numbered(`"%x":0`))},

		{"resolved: many suggestions", flood(resolvedWith(change{"suggested_elements", `["@"]`}), numbered(manyElements))},
		{"resolved: one suggestion many times", flood(resolvedWith(change{"suggested_elements", `["@"]`}), same(`{"id":"a","title":[],"category_id":"b"}`))},
		{"resolved: many categories", flood(resolvedWith(change{"schema_snapshot.categories", `["@"]`}), numbered(`{"id":"%x","name":[],"description":[],"shape":"circle","required":true}`))},
		{"resolved: many variables", flood(resolvedWith(change{"schema_snapshot.categories[1].variables", `["@"]`}), numbered(`{"id":"%x","required":true}`))},
		{"resolved: many options", flood(resolvedWith(change{"schema_snapshot.elements[1].variables[1].options", `["@"]`}), numbered(`{"id":"%x"}`))},
		{"resolved: many context values", flood(resolvedWith(change{"schema_snapshot.categories[1].context.values", `["@"]`}), numbered(`{"id":"%x","label":[],"color":"#000000"}`))},
		{"resolved: many members in the type", flood(resolvedWith(change{"schema_snapshot.datachain_type", `{"id":"","categories":[],"subchains":[],"@":0}`}), numbered(`"%x":0`))},
		{"resolved: many texts in a title", flood(resolvedWith(change{"schema_snapshot.elements[0].title", `["@"]`}), same(`{"locale":"en","value":""}`))},
		{"resolved: near ids that are long", flood(changed(exampleResolved(), suggesting(`[{"id":"` + strings.Repeat("l", bodySize/4) + `1","title":[],"category_id":"b"},{"id":"` + strings.Repeat("l", bodySize/4) + `2","title":[],"category_id":"b"}]`)[1],
			change{"elements", `["@"]`}), same(`{"element_id":"`+strings.Repeat("l", 70)+`"}`))},
	}
})

type hostileBody struct{ name, body string }

// manyIDs is the schema of a taxonomy much larger than real ones.
var manyIDs = sync.OnceValue(func() *Schema {
	x := ExampleTaxonomy()
	for i := range 20000 {
		x.Elements = append(x.Elements, taxonomy.Element{ID: fmt.Sprintf("element_number_%d", i), CategoryID: "sensing"})
	}
	x.Derive()
	return NewSchema(x)
})

// eachHostile calls f with every body and every operation it is meant for.
func eachHostile(t *testing.T, f func(t *testing.T, op Operation, body []byte)) {
	for _, test := range hostile() {
		for _, op := range onAny {
			if strings.HasPrefix(test.name, "resolved: ") == (op == OpValidateResolved) {
				t.Run(test.name+"/"+string(op), func(t *testing.T) { f(t, op, []byte(test.body)) })
			}
		}
	}
}

func TestHostileDocumentsTakeAtMost64MiB(t *testing.T) {
	// Little garbage is left lying about, so that what is in use can be seen.
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	schema := exampleSchema()
	eachHostile(t, func(t *testing.T, op Operation, body []byte) {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		before, peak := stats.HeapAlloc, stats.HeapAlloc
		look := func() error {
			runtime.ReadMemStats(&stats)
			peak = max(peak, stats.HeapAlloc)
			return nil
		}
		report, err := operate(op, body, schema, look)
		look()
		if used := peak - before; used > 64<<20 {
			t.Errorf("%d MiB for %d bytes", used>>20, len(body))
		}
		size := len(fmt.Sprint(report.Errors, report.Warnings, err))
		for _, p := range slices.Concat(report.Errors, report.Warnings) {
			size += len(p.Message) + len(p.FixHint) + len(p.Path.String())
		}
		if size > 1<<20 {
			t.Errorf("a report of %d bytes", size)
		}
	})
}

func TestHostileDocumentsAreSoonDone(t *testing.T) {
	// Between two questions lies less than a millisecond of work, so that these
	// are well under the 500 that a resolve may take.
	const enough = 2000
	schema := manyIDs()
	eachHostile(t, func(t *testing.T, op Operation, body []byte) {
		calls := 0
		_, err := operate(op, body, schema, func() error { calls++; return nil })
		if _, ok := errors.AsType[problem.Problem](err); err != nil && !ok {
			t.Fatal(err)
		}
		if calls > enough {
			t.Errorf("the step was asked %d times", calls)
		}
	})
}

// explosive asks for more work than a request may take: a category with
// thousands of required variables, and thousands of placements without any.
func explosive() string {
	return resolvedWith(
		change{"schema_snapshot.categories[1].variables", floodTo(bodySize/2, `["@"]`, numbered(`{"id":"%x","required":true}`))},
		change{"elements", floodTo(bodySize/2, `["@"]`, same(`{"element_id":"camera"}`))},
	)
}

func TestStepStopsTheWork(t *testing.T) {
	stop := errors.New("stop")
	bodies := map[Operation]string{
		OpValidate: hostile()[0].body, OpResolve: flood(with(change{"x", `{"@":0}`}), numbered(`"%x":0`)), OpValidateResolved: explosive(),
	}
	for op, body := range bodies {
		for _, limit := range []int{1, 2, 10, 100 / slowdown, 400 / slowdown} {
			calls := 0
			report, err := operate(op, []byte(body), exampleSchema(), func() error {
				if calls++; calls >= limit {
					return stop
				}
				return nil
			})
			if err != stop || calls != limit || !report.OK() {
				t.Errorf("%s told to stop at %d: asked %d times, %v", op, limit, calls, err)
			}
		}
	}
}

func TestStepIsAskedMoreOftenTheMoreThereIsToDo(t *testing.T) {
	ask := func(n int) (calls int) {
		document := with(change{"elements", "[" + strings.Repeat(`{"element_id": "camera"},`, n) + `{"element_id": "safety"}]`})
		if _, err := operate(OpValidate, []byte(document), exampleSchema(), func() error { calls++; return nil }); err != nil {
			t.Fatal(err)
		}
		return calls
	}
	few, many := ask(1000), ask(10000)
	if few < 10 || many < 5*few || many > 10*few {
		t.Errorf("asked %d times, and %d times of ten times as much", few, many)
	}
}

func TestWorkIsDoneInShortSteps(t *testing.T) {
	const tries = 5
	for op, body := range map[Operation]string{OpValidate: hostile()[4].body, OpResolve: hostile()[4].body, OpValidateResolved: resolvedHostile()} {
		best := time.Hour
		for range tries {
			calls, start := 0, time.Now()
			if _, err := operate(op, []byte(body), exampleSchema(), func() error { calls++; return nil }); err != nil {
				t.Fatal(err)
			}
			best = min(best, time.Since(start)/time.Duration(calls))
		}
		if best > slowdown*time.Millisecond {
			t.Errorf("%s asks every %v", op, best)
		}
	}
}

func resolvedHostile() string {
	i := slices.IndexFunc(hostile(), func(h hostileBody) bool { return strings.HasPrefix(h.name, "resolved: ") })
	return hostile()[i].body
}

func TestHintsAreGivenWhileTheyAreCheap(t *testing.T) {
	document := with(change{"elements", "[" + strings.Repeat(`{"element_id": "element_number_x1"},`, 150) + `{"element_id": "camra"}]`})
	near := func(s *Schema) (n int) {
		report, err := operate(OpValidate, []byte(document), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range report.Errors {
			if strings.HasPrefix(p.FixHint, "Did you mean") {
				n++
			}
		}
		return n
	}
	if got := near(exampleSchema()); got != 1 {
		t.Errorf("%d hints in a small taxonomy", got)
	}
	if got := near(manyIDs()); got != 1 {
		t.Errorf("%d hints in a large taxonomy", got)
	}
}
