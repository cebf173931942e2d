package source

import (
	"fmt"
	"io/fs"
	"reflect"
	"runtime"
	"testing"
	"testing/fstest"

	"placard/internal/core/taxonomy"
)

// manyFiles returns a release with several batches of elements and symbols, of
// which every tenth has findings.
func manyFiles() (fstest.MapFS, taxonomy.ID) {
	id := taxonomy.ID{Type: "parks", Date: "2026-06-01", Status: taxonomy.Beta}
	fsys := fstest.MapFS{}
	add := func(name, content string) { fsys[id.Folder()+"/"+name] = &fstest.MapFile{Data: []byte(content)} }
	add("meta.yaml", "locales: [en, fr]\n")
	add("datachain-type.yaml", "{id: parks, name: {en: Parks, fr: Parcs}, categories: [kind]}\n")
	add("categories/kind.yaml", "{id: kind, name: {en: Kind, fr: Genre}, description: {en: Kind., fr: Genre.}, shape: circle}\n")
	for i := range 5 * batchSize / 2 {
		element := "id: e%[1]d\ncategory_id: kind\nsymbol_id: s%[1]d\ntitle: {en: One, fr: Un}\ndescription: {en: One., fr: Un.}\n"
		symbol := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><path d="M8 8L28 28H8Z"/></svg>`
		switch i % 10 {
		case 3:
			element = "id: [e%[1]d\n"
		case 5:
			element += "titel: {en: One}\nid: e%[1]d\n"
		case 7:
			symbol = "<svg>"
		}
		add(fmt.Sprintf("elements/e%d.yaml", i), fmt.Sprintf(element, i))
		add(fmt.Sprintf("symbols/s%d.svg", i), symbol)
	}
	return fsys, id
}

func TestFindingsDoNotDependOnTheNumberOfProcessors(t *testing.T) {
	fsys, id := manyFiles()
	load := func(processors int) any {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		_, found := Load(fsys, id)
		return found
	}
	want := load(1)
	if n := reflect.ValueOf(want).Len(); n < 3*batchSize/4 {
		t.Fatalf("got %d findings, want some in every batch", n)
	}
	for _, processors := range []int{2, 4, 8} {
		if got := load(processors); !reflect.DeepEqual(got, want) {
			t.Errorf("%d processors: got\n%v\nwant\n%v", processors, got, want)
		}
	}
}

// panickingFS panics when the given file is opened.
type panickingFS struct {
	fstest.MapFS
	file string
}

func (p panickingFS) Open(name string) (fs.File, error) {
	if name == p.file {
		panic("open " + name)
	}
	return p.MapFS.Open(name)
}

// A server that follows a tree recovers from panics.
func TestAPanicWhileReadingAFileReachesTheCaller(t *testing.T) {
	fsys, id := manyFiles()
	defer func() {
		if recover() == nil {
			t.Error("got no panic")
		}
	}()
	Load(panickingFS{fsys, id.Folder() + "/elements/e9.yaml"}, id)
}
