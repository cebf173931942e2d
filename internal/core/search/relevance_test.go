package search_test

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"placard/internal/core/search"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
	"placard/scripts/envtest"
)

const (
	stableID = "place@2026-06-01-stable"
	betaID   = "place@2026-10-19-beta"
	realID   = "ai@2026-08-12-beta"
)

// figuresFile holds the qualities of all relevance sets. No change may lower one.
const figuresFile = "testdata/relevance/figures.txt"

var update = flag.Bool("update", false, "rewrite "+figuresFile)

// judgement is one line of a relevance set.
type judgement struct {
	kind, query string
	want        []string // element ids
}

var (
	kinds    = []string{"word", "description", "plural", "partial", "typo", "question"}
	personas = []string{"citizen", "officer", "vendor", "lawyer"} // the kinds of blind queries
)

// readJudgements reads a relevance set.
func readJudgements(t *testing.T, name string) []judgement {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "relevance", name))
	if err != nil {
		t.Fatal(err)
	}
	var list []judgement
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "|")
		if len(parts) != 3 {
			t.Fatalf("%s: got line %q, want the form kind | query | ids", name, line)
		}
		j := judgement{strings.TrimSpace(parts[0]), strings.TrimSpace(parts[1]), strings.Fields(parts[2])}
		if !slices.Contains(kinds, j.kind) && !slices.Contains(personas, j.kind) || j.query == "" || len(j.want) == 0 {
			t.Fatalf("%s: line %q has an unknown kind, no query or no ids", name, line)
		}
		list = append(list, j)
	}
	return list
}

func load(t *testing.T, fsys fs.FS, id string) *taxonomy.Taxonomy {
	t.Helper()
	parsed, err := taxonomy.ParseID(id)
	if err != nil {
		t.Fatal(err)
	}
	tax, problems := source.Load(fsys, parsed)
	if tax == nil {
		t.Fatal(problems)
	}
	return tax
}

func indexOf(tax *taxonomy.Taxonomy, locale string) (*search.Index, []search.Document) {
	docs := make([]search.Document, len(tax.Elements))
	for i, e := range tax.Elements {
		docs[i].Title, _ = e.Title.Get(locale)
		docs[i].Description, _ = e.Description.Get(locale)
		docs[i].Keywords = e.Keywords.Get(locale).List()
	}
	return search.Build(locale, docs), docs
}

// quality holds the mean reciprocal rank of the first wanted element, the mean
// recall of wanted elements among the first five hits, and the share of queries
// with at least one wanted element among them.
type quality struct {
	queries                       int
	reciprocalRank, recall, found float64
}

// rounded returns x with three decimals, as in the figures file.
func rounded(x float64) float64 { return math.Round(1000*x) / 1000 }

func measure(t *testing.T, tax *taxonomy.Taxonomy, locale string, judgements []judgement) (q quality) {
	t.Helper()
	ix, _ := indexOf(tax, locale)
	for _, j := range judgements {
		for _, id := range j.want {
			if !slices.ContainsFunc(tax.Elements, func(e taxonomy.Element) bool { return e.ID == id }) {
				t.Errorf("query %q wants unknown element %s", j.query, id)
			}
		}
		var ids []string
		for _, h := range ix.Search(j.query, nil) {
			ids = append(ids, tax.Elements[h.Doc].ID)
		}
		first := slices.IndexFunc(ids, func(id string) bool { return slices.Contains(j.want, id) })
		recalled := 0
		for _, id := range ids[:min(5, len(ids))] {
			if slices.Contains(j.want, id) {
				recalled++
			}
		}
		q.queries++
		if first >= 0 {
			q.reciprocalRank += 1 / float64(first+1)
		}
		q.recall += float64(recalled) / float64(len(j.want))
		if recalled > 0 {
			q.found++
		}
		if first != 0 || recalled < len(j.want) {
			t.Logf("%s, %s: query %q: want %v, got %v", locale, j.kind, j.query, j.want, ids[:min(5, len(ids))])
		}
	}
	q.reciprocalRank = rounded(q.reciprocalRank / float64(q.queries))
	q.recall = rounded(q.recall / float64(q.queries))
	q.found = rounded(q.found / float64(q.queries))
	t.Logf("%s %s: %d queries, mean reciprocal rank %.3f, recall at five %.3f, found among five %.3f",
		tax.ID, locale, q.queries, q.reciprocalRank, q.recall, q.found)
	return q
}

// check reports figures below the wanted ones.
func (q quality) check(t *testing.T, want quality) {
	t.Helper()
	if q.queries < want.queries {
		t.Errorf("got %d queries, want at least %d", q.queries, want.queries)
	}
	if q.reciprocalRank < want.reciprocalRank {
		t.Errorf("mean reciprocal rank is %.3f, want at least %.3f", q.reciprocalRank, want.reciprocalRank)
	}
	if q.recall < want.recall {
		t.Errorf("recall at five is %.3f, want at least %.3f", q.recall, want.recall)
	}
	if q.found < want.found {
		t.Errorf("%.3f of the queries find a wanted element among the first five, want at least %.3f", q.found, want.found)
	}
}

// readFigures returns the recorded qualities by relevance set and release.
func readFigures(t *testing.T) map[string]quality {
	t.Helper()
	data, err := os.ReadFile(figuresFile)
	if err != nil {
		t.Fatal(err)
	}
	figures := map[string]quality{}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var set, release string
		var q quality
		if _, err := fmt.Sscanln(line, &set, &release, &q.queries, &q.reciprocalRank, &q.recall, &q.found); err != nil {
			t.Fatalf("%s: line %q: %v", figuresFile, line, err)
		}
		figures[set+" "+release] = q
	}
	return figures
}

func writeFigures(t *testing.T, figures map[string]quality) {
	t.Helper()
	table := "# set, release, queries, mean reciprocal rank, recall at five, found among five\n"
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		q := figures[name]
		table += fmt.Sprintf("%s %d %.3f %.3f %.3f\n", name, q.queries, q.reciprocalRank, q.recall, q.found)
	}
	if err := os.WriteFile(figuresFile, []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRelevance(t *testing.T) {
	builtinTree := func(*testing.T) fs.FS { return envtest.BuiltinTree() }
	realTree := func(t *testing.T) fs.FS { return os.DirFS(envtest.RealTree(t)) }
	figures := readFigures(t)
	for _, set := range []struct {
		name    string
		tree    func(*testing.T) fs.FS
		release string
		locales []string
	}{
		{"place", builtinTree, stableID, []string{"en", "fr", "es", "ja"}},
		{"place", builtinTree, betaID, []string{"en", "fr", "es", "ja"}},
		{"blind", builtinTree, betaID, []string{"en", "fr", "es", "ja"}},
		{"fresh", builtinTree, betaID, []string{"en", "fr", "es", "ja"}},
		{"real", realTree, realID, []string{"en", "fr"}},
	} {
		for _, locale := range set.locales {
			name := set.name + "." + locale + " " + set.release
			t.Run(name, func(t *testing.T) {
				tax := load(t, set.tree(t), set.release)
				q := measure(t, tax, locale, readJudgements(t, set.name+"."+locale+".txt"))
				if *update {
					figures[name] = q
				}
				want, found := figures[name]
				if !found {
					t.Fatalf("%s has no figures of this set; add them with -update", figuresFile)
				}
				q.check(t, want)
			})
		}
	}
	if *update {
		writeFigures(t, figures)
	}
}

func TestOwnQueriesAreOfEveryKind(t *testing.T) {
	for _, locale := range []string{"en", "fr", "es", "ja"} {
		judgements := readJudgements(t, "place."+locale+".txt")
		for _, kind := range kinds {
			if kind == "plural" && locale == "ja" {
				continue
			}
			if !slices.ContainsFunc(judgements, func(j judgement) bool { return j.kind == kind }) {
				t.Errorf("%s: got no query of kind %s, want at least one", locale, kind)
			}
		}
	}
}

func TestTitleFindsItsElementFirst(t *testing.T) {
	for name, loadTaxonomy := range map[string]func(*testing.T) *taxonomy.Taxonomy{
		"built-in": func(t *testing.T) *taxonomy.Taxonomy { return load(t, envtest.BuiltinTree(), betaID) },
		"real":     func(t *testing.T) *taxonomy.Taxonomy { return load(t, os.DirFS(envtest.RealTree(t)), realID) },
	} {
		t.Run(name, func(t *testing.T) {
			tax := loadTaxonomy(t)
			for _, locale := range tax.Locales {
				ix, docs := indexOf(tax, locale)
				for i, d := range docs {
					hits := docsOf(ix.Search(d.Title, nil))
					if !slices.Contains(hits, i) || docs[hits[0]].Title != d.Title {
						t.Errorf("%s: %q finds documents %v, want %d among them and its title first", locale, d.Title, hits, i)
					}
				}
			}
		})
	}
}
