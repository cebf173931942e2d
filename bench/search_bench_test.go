package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	engine "placard/internal/core/search"
)

// corpus is a set of generated elements.
type corpus struct {
	rand *rand.Rand
	docs []engine.Document
}

func newCorpus(size int) *corpus {
	c := &corpus{rand: rand.New(rand.NewPCG(7, uint64(size)))}
	words := newTextGenerator(c.rand, 50_000)
	for range size {
		c.docs = append(c.docs, engine.Document{Title: words.text(1, 5), Description: words.text(20, 60)})
	}
	return c
}

// words returns n different words of at least minLetters letters from one
// element.
func (c *corpus) words(n, minLetters int) []string {
	for {
		doc := c.docs[c.rand.IntN(len(c.docs))]
		all := strings.Fields(doc.Title + " " + doc.Description)
		c.rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		var selected []string
		for _, w := range all {
			if len(w) >= minLetters && !slices.Contains(selected, w) {
				selected = append(selected, w)
			}
			if len(selected) == n {
				return selected
			}
		}
	}
}

// mistype adds as many typing errors to a word as search tolerates.
func (c *corpus) mistype(word string) string {
	b := []byte(word)
	for range min(2, len(word)/4) {
		i := c.rand.IntN(len(b) - 1)
		letter := byte('a' + c.rand.IntN(26))
		switch c.rand.IntN(4) {
		case 0:
			b[i] = letter
		case 1:
			b[i], b[i+1] = b[i+1], b[i]
		case 2:
			b = slices.Insert(b, i, letter)
		case 3:
			b = slices.Delete(b, i, i+1)
		}
	}
	return string(b)
}

var corpusSizes = []int{300, 20_000}

func BenchmarkSearchBuild(b *testing.B) {
	for _, size := range corpusSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			docs := newCorpus(size).docs
			var data []byte
			for b.Loop() {
				data, _ = engine.Build("en", docs).AppendBinary(data[:0])
			}
			b.ReportMetric(float64(len(data)), "bytes")
		})
	}
}

func BenchmarkSearchLoad(b *testing.B) {
	for _, size := range corpusSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			data, err := engine.Build("en", newCorpus(size).docs).AppendBinary(nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := engine.Decode(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	kinds := []struct {
		name  string
		query func(c *corpus) string
	}{
		{"exact", func(c *corpus) string { return c.words(1, 1)[0] }},
		{"prefix", func(c *corpus) string { w := c.words(1, 4)[0]; return w[:3+c.rand.IntN(len(w)-3)] }},
		{"typo", func(c *corpus) string { return c.mistype(c.words(1, 4)[0]) }},
		{"six words", func(c *corpus) string { return strings.Join(c.words(6, 1), " ") }},
	}
	for _, size := range corpusSizes {
		c := newCorpus(size)
		index := engine.Build("en", c.docs)
		for _, kind := range kinds {
			b.Run(fmt.Sprintf("%d/%s", size, kind.name), func(b *testing.B) {
				queries := make([]string, 400)
				for i := range queries {
					queries[i] = kind.query(c)
				}
				measure(b, index, queries)
			})
		}
	}
}

// BenchmarkSearchWorstCase runs expensive queries: no query of up to 256
// characters should take more than 10 ms.
func BenchmarkSearchWorstCase(b *testing.B) {
	c := newCorpus(20_000)
	index := engine.Build("en", c.docs)
	truncate := func(s string) string { return string([]rune(s)[:min(256, len([]rune(s)))]) }
	queries := []string{
		"s p t c m d b r l f g h",
		"st sp ca re de pr co in tr ma pe la",
		truncate(strings.Repeat("a", 256)),
		truncate(strings.Repeat("ab ", 100)),
		truncate(strings.Repeat("é̂", 200)),
		truncate(strings.Repeat("防犯カメラ", 60)),
		truncate(strings.Repeat("กล้องวงจรปิด", 30)),
		truncate(strings.Repeat("-a", 128)),
		truncate(strings.Repeat("'", 256)),
		truncate(strings.Repeat("\xff\xfe", 128)),
		truncate(strings.Repeat("{{", 128)),
		truncate(strings.Repeat("👩‍👩‍👧‍👦", 40)),
		truncate(strings.Repeat("ﷺ", 256)),
		truncate(strings.Repeat("ß", 256)),
	}
	frequency := make(map[string]int)
	for _, d := range c.docs {
		for _, w := range strings.Fields(d.Description) {
			frequency[w]++
		}
	}
	var words []string
	for w := range frequency {
		words = append(words, w)
	}
	slices.SortFunc(words, func(a, b string) int {
		if d := frequency[b] - frequency[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	queries = append(queries, strings.Join(words[:12], " "))
	long := slices.DeleteFunc(words, func(w string) bool { return len(w) < 8 || len(w) > 12 })
	for i := range 20 {
		var mistyped []string
		for _, w := range long[12*i : 12*i+12] {
			mistyped = append(mistyped, c.mistype(w))
		}
		queries = append(queries, truncate(strings.Join(mistyped, " ")), truncate(strings.Join(long[12*i:12*i+12], " ")))
	}
	measure(b, index, queries)
}

// measure reports the durations of queries. It uses the shortest duration of each
// query, because other load on the machine adds noise.
func measure(b *testing.B, index *engine.Index, queries []string) {
	best := make([]time.Duration, len(queries))
	hits := 0
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		n := i % len(queries)
		start := time.Now()
		hits += len(index.Search(queries[n], nil))
		if took := time.Since(start); i < len(queries) || took < best[n] {
			best[n] = took
		}
		i++
	}
	best = best[:min(i, len(best))]
	slices.Sort(best)
	micros := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
	b.ReportMetric(micros(best[len(best)/2]), "µs-p50")
	b.ReportMetric(micros(best[len(best)*99/100]), "µs-p99")
	b.ReportMetric(micros(best[len(best)-1]), "µs-max")
	b.ReportMetric(float64(hits)/float64(i), "hits")
}
