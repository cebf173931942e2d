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

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
	"placard/scripts/envtest"
)

// bodySize is the maximum size of a request body.
const bodySize = 1 << 20

// slowdown is how much slower a machine may be than those for which the durations in
// these tests are meant.
const slowdown = 5

// stride is the distance of the cases that tests of every number try.
var stride = 16

func init() {
	if envtest.Long {
		stride = 1
	}
}

// flood replaces the array item "@", or the member "@":0, with items until the
// document is about size bytes long.
func flood(size int, document string, item func(i int) string) string {
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

func repeated(item string) func(int) string { return func(int) string { return item } }

func numbered(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

const manyElements = `{"id":"%x","title":[],"category_id":"sensing","required":true,"max_placements":1}`

// hostileBody is a document that is expensive to process.
type hostileBody struct{ name, body string }

// hostileBodies returns documents of about this size, the resolved ones last.
func hostileBodies(size int) []hostileBody {
	return []hostileBody{
		{"zeros", flood(size, with(change{"linked_instance_ids", `["@"]`}), repeated(`0`))},
		{"unknown members", flood(size, with(change{"x", `{"@":0}`}), numbered(`"%x":0`))},
		{"unknown members of the document", flood(size, strings.Replace(exampleDocument, "{", `{"@":0,`, 1), numbered(`"%x":0`))},
		{"placements with an empty element id", flood(size, with(change{"elements", `["@"]`}), repeated(`{"element_id":""}`))},
		{"placements of unknown elements", flood(size, with(change{"elements", `["@"]`}), numbered(`{"element_id":"element_%x"}`))},
		{"empty placements", flood(size, with(change{"elements", `["@"]`}), repeated(`{}`))},
		{"one instance id", flood(size, with(change{"elements", `["@"]`}), repeated(`{"element_id":"camera","element_instance_id":"a"}`))},
		{"many instance ids", flood(size, with(change{"elements", `["@"]`}), numbered(`{"element_id":"camera","element_instance_id":"%x"}`))},
		{"one variable", flood(size, with(change{"elements[1].variables", `["@"]`}), repeated(`{"id":"a","value":[]}`))},
		{"many variables", flood(size, with(change{"elements[1].variables", `["@"]`}), numbered(`{"id":"%x","value":[]}`))},
		{"one option", flood(size, with(change{"elements[1].variables[1]", `{"id":"formats","value":["@"]}`}), repeated(`"a"`))},
		{"many options", flood(size, with(change{"elements[1].variables[1]", `{"id":"formats","value":["@"]}`}), numbered(`"%x"`))},
		{"many locales", flood(size, with(change{"title", `["@"]`}), numbered(`{"locale":"%x","value":""}`))},
		{"many titles in one locale", flood(size, with(change{"elements[1].variables[0].value", `["@"]`}), repeated(`{"locale":"en","value":""}`))},
		{"many keys", flood(size, with(change{"authoring_provenance", `{"kind":"human","element_provenance":{"@":0}}`}), numbered(`"%x":{}`))},
		{"many unexpected values", flood(size, with(change{"authoring_provenance", `{"kind":"human","element_provenance":{"camera":{"source_references":["@"]}}}`}), repeated(`0`))},
		{"many subchain instances", flood(size, with(change{"subchain_instances", `["@"]`}), numbered(`{"id":"%x","subchain_id":"a"}`))},
		{"many labels of instances", flood(size, with(change{"subchain_instances", `["@"]`}), numbered(`{"id":"%x","subchain_id":"flow","label":""}`))},
		{"many instances with a placement each", flood(size, with(
			change{"subchain_instances", flood(size/2, `["@"]`, numbered(`{"id":"%x","subchain_id":"flow"}`))},
			change{"elements", `["@"]`}), numbered(`{"element_id":"staff","subchain_instance_id":"%x"}`))},
		{"many head refs", flood(size, with(change{"subchain_instances[0].head_refs", `["@"]`}), numbered(`"element_%x"`))},
		{"deep arrays", flood(size, with(change{"x", `["@"]`}), repeated(strings.Repeat("[", 62)+strings.Repeat("]", 62)))},
		{"a long string", with(change{"x", `"` + strings.Repeat("a", size-5000) + `"`})},
		{"a long string of commas", with(change{"x", `"` + strings.Repeat(",", size-5000) + `"`})},
		{"a long number", with(change{"elements[0].priority", strings.Repeat("9", size-5000)})},
		{"a long id", with(change{"elements[0].element_id", `"` + strings.Repeat(`\u00e9`, size/8) + `"`})},
		{"many findings below a long name", flood(size, with(change{
			"authoring_provenance",
			`{"kind":"human","element_provenance":{"` + strings.Repeat("k", size/2) + `":{"variable_rationale":0,"@":0}}}`,
		}), numbered(`"%x":0`))},
		{"rationales under a long id", flood(size, with(change{"elements[1].element_instance_id", `"` + strings.Repeat("k", size/4) + `"`}, change{
			"authoring_provenance",
			`{"kind":"human","element_provenance":{"` + strings.Repeat("k", size/4) + `":{"variable_rationale":{"@":0}}}}`,
		}), numbered(`"%x":0`))},
		{"a syntax error at the end", flood(size, with(change{"linked_instance_ids", `["@"]`}), repeated(`0`))[:size/2]},
		{"a duplicate name after many names", flood(size, with(change{"x", `{"@":0,"0":1}`}), numbered(`"%x":0`))},

		{"resolved: many suggestions", flood(size, resolvedWith(change{"suggested_elements", `["@"]`}), numbered(manyElements))},
		{"resolved: one suggestion many times", flood(size, resolvedWith(change{"suggested_elements", `["@"]`}), repeated(`{"id":"a","title":[],"category_id":"b"}`))},
		{"resolved: many categories", flood(size, resolvedWith(change{"schema_snapshot.categories", `["@"]`}), numbered(`{"id":"%x","name":[],"description":[],"shape":"circle","required":true}`))},
		{"resolved: many variables", flood(size, resolvedWith(change{"schema_snapshot.categories[1].variables", `["@"]`}), numbered(`{"id":"%x","required":true}`))},
		{"resolved: many options", flood(size, resolvedWith(change{"schema_snapshot.elements[1].variables[1].options", `["@"]`}), numbered(`{"id":"%x"}`))},
		{"resolved: many context values", flood(size, resolvedWith(change{"schema_snapshot.categories[1].context.values", `["@"]`}), numbered(`{"id":"%x","label":[],"color":"#000000"}`))},
		{"resolved: many members in the type", flood(size, resolvedWith(change{"schema_snapshot.datachain_type", `{"id":"","categories":[],"subchains":[],"@":0}`}), numbered(`"%x":0`))},
		{"resolved: many instances of many categories", flood(size, resolvedWith(
			change{"schema_snapshot.categories", flood(size/4, `["@"]`, numbered(`{"id":"%x","name":[],"description":[],"shape":"circle","required":true}`))},
			change{"schema_snapshot.datachain_type.subchains[0].categories", flood(size/16, `["@"]`, numbered(`"%x"`))},
			change{"suggested_elements", flood(size/4, `["@"]`, numbered(`{"id":"e%[1]x","title":[],"category_id":"%[1]x"}`))},
			change{"subchain_instances", flood(size/8, `["@"]`, numbered(`{"id":"%x","subchain_id":"flow"}`))},
			change{"elements", `["@"]`}), func(i int) string {
			return fmt.Sprintf(`{"element_id":"e%[1]x","subchain_instance_id":"%[1]x"}`, i%3000)
		})},
		{"resolved: one element with many exclusions in many instances", flood(size, resolvedWith(
			change{"suggested_elements", flood(size/4, `["@"]`, numbered(`{"id":"e%x","title":[],"category_id":"sensing","excludes":["camera"]}`))},
			change{"subchain_instances", flood(size/8, `["@"]`, numbered(`{"id":"%x","subchain_id":"flow"}`))},
			change{"elements", `["@"]`}), func(i int) string {
			if i%2 == 0 {
				return fmt.Sprintf(`{"element_id":"e%x","subchain_instance_id":"0"}`, i/2)
			}
			return fmt.Sprintf(`{"element_id":"camera","subchain_instance_id":"%x"}`, i/2%3000)
		})},
		{"resolved: many texts in a title", flood(size, resolvedWith(change{"schema_snapshot.elements[0].title", `["@"]`}), repeated(`{"locale":"en","value":""}`))},
		{"resolved: similar long ids", flood(size, changed(exampleResolved(), suggesting(`[{"id":"` + strings.Repeat("l", size/4) + `1","title":[],"category_id":"b"},{"id":"` + strings.Repeat("l", size/4) + `2","title":[],"category_id":"b"}]`)[1],
			change{"elements", `["@"]`}), repeated(`{"element_id":"`+strings.Repeat("l", 70)+`"}`))},
	}
}

// manyIDs is the schema of a taxonomy much larger than real ones.
var manyIDs = sync.OnceValue(func() *Schema {
	tax := ExampleTaxonomy()
	for i := range 20000 {
		tax.Elements = append(tax.Elements, taxonomy.Element{ID: fmt.Sprintf("element_number_%d", i), CategoryID: "sensing"})
	}
	tax.Derive()
	return NewSchema(tax)
})

// eachHostile calls f with every body and its most expensive operation.
func eachHostile(t *testing.T, size int, f func(t *testing.T, op Operation, body []byte)) {
	for _, test := range hostileBodies(size) {
		op := OpResolve
		if strings.HasPrefix(test.name, "resolved: ") {
			op = OpValidateResolved
		}
		t.Run(test.name, func(t *testing.T) { f(t, op, []byte(test.body)) })
	}
}

func TestHostileDocumentsUseLittleMemoryAndTime(t *testing.T) {
	// With frequent garbage collections, HeapAlloc is close to the memory in use.
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	// Calls to step are far less than a millisecond apart, so this is well below
	// the 500 ms that a resolve may take.
	const maxCalls = 2000
	eachHostile(t, bodySize, func(t *testing.T, op Operation, body []byte) {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		before, peak, calls := stats.HeapAlloc, stats.HeapAlloc, 0
		step := func() error {
			if calls++; calls%4 == 0 {
				runtime.ReadMemStats(&stats)
				peak = max(peak, stats.HeapAlloc)
			}
			return nil
		}
		report, err := run(op, body, exampleSchema(), step)
		if _, ok := errors.AsType[problem.Problem](err); err != nil && !ok {
			t.Fatal(err)
		}
		if used := peak - before; used > 64<<20 {
			t.Errorf("got %d MiB used for %d bytes, want at most 64", used>>20, len(body))
		}
		if calls > maxCalls {
			t.Errorf("got %d calls to step, want at most %d", calls, maxCalls)
		}
		size := 0
		for _, p := range slices.Concat(report.Errors, report.Warnings) {
			size += len(p.Message) + len(p.FixHint) + len(p.Path.String())
		}
		if size > 1<<20 {
			t.Errorf("got a report of %d bytes, want at most %d", size, 1<<20)
		}
	})
}

func TestSmallObjectsWithEscapedNamesUseLittleMemory(t *testing.T) {
	body := []byte(flood(1<<16, `["@"]`, repeated(`{"\n":0}`)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := readTree(body, new(meter)); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 100*uint64(len(body)) {
		t.Errorf("got %d bytes allocated for %d, want at most %d", used, len(body), 100*len(body))
	}
}

// explosive returns a document that takes longer than a request may: it has a
// category with thousands of required variables, and thousands of placements
// without any.
func explosive() string {
	return resolvedWith(
		change{"schema_snapshot.categories[1].variables", flood(bodySize/2, `["@"]`, numbered(`{"id":"%x","required":true}`))},
		change{"elements", flood(bodySize/2, `["@"]`, repeated(`{"element_id":"camera"}`))},
	)
}

func TestStepErrorStopsTheWork(t *testing.T) {
	stop := errors.New("stop")
	bodies := map[Operation]string{
		OpValidate:         flood(bodySize, with(change{"linked_instance_ids", `["@"]`}), repeated(`0`)),
		OpResolve:          flood(bodySize, with(change{"x", `{"@":0}`}), numbered(`"%x":0`)),
		OpValidateResolved: explosive(),
	}
	for op, body := range bodies {
		for _, limit := range []int{1, 2, 10, 100, 400} {
			calls := 0
			report, err := run(op, []byte(body), exampleSchema(), func() error {
				if calls++; calls >= limit {
					return stop
				}
				return nil
			})
			if err != stop || calls != limit || !report.OK() {
				t.Errorf("%s: got error %v after %d calls to step, want %v after %d", op, err, calls, stop, limit)
			}
		}
	}
}

func TestStepErrorStopsTheWorkAtAnyCall(t *testing.T) {
	stop := errors.New("stop")
	eachHostile(t, 1<<15, func(t *testing.T, op Operation, body []byte) {
		total := 0
		run(op, body, exampleSchema(), func() error { total++; return nil })
		for limit := 1; limit <= total; limit += stride {
			calls := 0
			_, err := run(op, body, exampleSchema(), func() error {
				if calls++; calls >= limit {
					return stop
				}
				return nil
			})
			if err != stop || calls != limit {
				t.Errorf("got error %v after %d of %d calls to step, want %v after %d", err, calls, total, stop, limit)
			}
		}
	})
}

func TestStepCallsGrowLinearly(t *testing.T) {
	count := func(n int) (calls int) {
		document := with(change{"elements", "[" + strings.Repeat(`{"element_id": "camera"},`, n) + `{"element_id": "safety"}]`})
		if _, err := run(OpValidate, []byte(document), exampleSchema(), func() error { calls++; return nil }); err != nil {
			t.Fatal(err)
		}
		return calls
	}
	small, large := count(1000), count(10000)
	if small < 10 || large < 5*small || large > 10*small {
		t.Errorf("got %d calls to step, and %d for ten times as many placements; want at least 10, and 5 to 10 times as many", small, large)
	}
}

func TestStepIsCalledWhileVariablesAreSearched(t *testing.T) {
	const variables, placements = 5000, 200
	times := func(n int, item string) string { return "[" + strings.Repeat(item+",", n-1) + item + "]" }
	for name, changes := range map[string][]change{
		"required variables": {
			{"schema_snapshot.categories[1].variables", times(variables, `{"id":"a","required":true}`)},
			{"schema_snapshot.elements[1].variables", `[{"id":"a"}]`},
			{"elements", times(placements, `{"element_id":"camera"}`)},
		},
		"listed ids": {
			{"schema_snapshot.categories[1].variables", times(variables, `{"id":"a"}`)},
			{"schema_snapshot.elements[1].variables", `[{"id":"a"}]`},
			{"elements", times(placements, `{"element_id":"camera","variables":[{"id":"b","value":[{"locale":"en","value":"b"}]}]}`)},
		},
	} {
		calls := 0
		if _, err := run(OpValidateResolved, []byte(resolvedWith(changes...)), nil, func() error { calls++; return nil }); err != nil {
			t.Fatal(err)
		}
		if lookups := variables * placements; calls < lookups/checkInterval {
			t.Errorf("%s: got %d calls to step for %d lookups, want at least %d", name, calls, lookups, lookups/checkInterval)
		}
	}
}

func TestStepIsCalledWhileNamesAreCompared(t *testing.T) {
	const names, placements = 30, 200
	var members strings.Builder
	for i := range names {
		fmt.Fprintf(&members, `,"contxt_tpe_%02d":0`, i)
	}
	placement := `{"element_id":"camera"` + members.String() + `}`
	calls := 0
	document := with(change{"elements", "[" + strings.Repeat(placement+",", placements-1) + placement + "]"})
	if _, err := run(OpValidate, []byte(document), exampleSchema(), func() error { calls++; return nil }); err != nil {
		t.Fatal(err)
	}
	if want := 32 * names * placements / checkInterval; calls < want {
		t.Errorf("got %d calls to step, want at least %d", calls, want)
	}
}

func TestStepIsCalledEveryMillisecond(t *testing.T) {
	const tries = 5
	for op, body := range map[Operation]string{
		OpValidate:         flood(bodySize, with(change{"elements", `["@"]`}), numbered(`{"element_id":"element_%x"}`)),
		OpResolve:          flood(bodySize/4, with(change{"x", `{"@":0}`}), numbered(`"%x":0`)),
		OpValidateResolved: flood(bodySize, resolvedWith(change{"suggested_elements", `["@"]`}), numbered(manyElements)),
	} {
		best := time.Hour
		for range tries {
			calls, start := 0, time.Now()
			if _, err := run(op, []byte(body), exampleSchema(), func() error { calls++; return nil }); err != nil {
				t.Fatal(err)
			}
			best = min(best, time.Since(start)/time.Duration(calls))
		}
		if best > slowdown*time.Millisecond {
			t.Errorf("%s: got a call to step every %v, want every %v", op, best, slowdown*time.Millisecond)
		}
	}
}

func TestHintsDoNotSearchTheDocumentAgain(t *testing.T) {
	const tries, maxPause = 20, slowdown * 20 * time.Millisecond // one of several tries must be quick; other programs may slow down most of them
	wrong := change{"elements", "[" + strings.Repeat(`{"element_id":7},`, maxFindings) + "7]"}
	for name, body := range map[string]string{
		"many members": flood(bodySize, strings.Replace(with(wrong), "{", `{"@":0,`, 1), numbered(`"%x":0`)),
		"many members of a placement": flood(bodySize, with(change{
			"elements[1]", `{"@":0,"element_id":"camera","variables":[` + strings.Repeat(`{"id":"position","value":7},`, maxFindings) + `7]}`,
		}), numbered(`"%x":0`)),
		"a long element id": with(change{
			"elements[1]", `{"element_id":"` + strings.Repeat(`\u00e9`, bodySize/8) + `","variables":[` + strings.Repeat(`{"id":"position","value":7},`, maxFindings) + `7]}`,
		}),
		"a long member name": with(change{
			"elements[1]", `{"` + strings.Repeat(`\u00e9`, bodySize/8) + `":0,"element_id":"camera","variables":[` + strings.Repeat(`{"id":"position","value":7},`, maxFindings) + `7]}`,
		}),
		"a long provenance key": with(change{
			"authoring_provenance",
			`{"kind":"human","element_provenance":{"` + strings.Repeat(`\u00e9`, bodySize/8) + `":{"source_references":[` + strings.Repeat("0,", maxFindings) + `0]}}}`,
		}),
		"many locales": flood(bodySize, with(change{"title", `["@"]`}), repeated(`{"locale":"abcdefgh-abcdefgh-!","value":7}`)),
	} {
		best := time.Hour
		for try := 0; try < tries && best > maxPause; try++ {
			last, longest := time.Now(), time.Duration(0)
			pause := func() error {
				longest, last = max(longest, time.Since(last)), time.Now()
				return nil
			}
			if _, err := run(OpValidate, []byte(body), exampleSchema(), pause); err != nil {
				t.Fatal(err)
			}
			pause()
			best = min(best, longest)
		}
		if best > maxPause {
			t.Errorf("%s: got %v between two calls to step, want at most %v", name, best, maxPause)
		}
	}
}

func TestHintsAreLimited(t *testing.T) {
	var unknown strings.Builder
	for i := range 150 {
		fmt.Fprintf(&unknown, `{"element_id": "element_number_x%d"},`, i)
	}
	document := with(change{"elements", "[" + unknown.String() + `{"element_id": "camra"}]`})
	countHints := func(s *Schema) (n int) {
		report, err := run(OpValidate, []byte(document), s, nil)
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
	if got := countHints(exampleSchema()); got != 1 {
		t.Errorf("small taxonomy: got %d hints, want 1", got)
	}
	if got := countHints(manyIDs()); got != 1 {
		t.Errorf("large taxonomy: got %d hints, want 1", got)
	}
}

func TestIDComparisonsAreLimited(t *testing.T) {
	body := flood(bodySize, with(change{"elements", `["@"]`}), numbered(`{"element_id":"element_%x"}`))
	count := func(s *Schema) (calls int) {
		if _, err := run(OpValidate, []byte(body), s, func() error { calls++; return nil }); err != nil {
			t.Fatal(err)
		}
		return calls
	}
	const extra = maxComparisons * 32 / checkInterval
	if small, large := count(exampleSchema()), count(manyIDs()); large > small+extra {
		t.Errorf("got %d calls to step with few ids and %d with many, want at most %d more", small, large, extra)
	}
}
