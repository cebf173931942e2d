package search

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"unicode/utf8"
)

// Document is what is searched of one element.
type Document struct{ Title, Description string }

// Build makes the index of docs, which are numbered from 0 in the order given
// and written in locale. There may be a million of them.
func Build(locale string, docs []Document) *Index {
	b := builder{
		lang:  languageOf(locale),
		terms: make(map[string]int),
		roots: make(map[string]int),
		known: make(map[string]int),
	}
	buffer := make([]byte, 0, 64)
	for doc, d := range docs {
		title := normalize(d.Title)
		if key := titleKey(buffer, title); key != 0 {
			b.titles = append(b.titles, titleEntry{key, doc})
		}
		b.lengths = append(b.lengths, [fields]int{
			b.add(doc, inTitle, title),
			b.add(doc, inDescription, normalize(d.Description)),
		})
	}
	data := b.encode(locale)
	ix, err := Decode(data)
	if err != nil {
		panic("search: built an index that does not decode: " + err.Error())
	}
	return ix
}

// The fields of a document.
const (
	inTitle = iota
	inDescription
	fields
)

// builder collects what an index is made of.
type builder struct {
	lang    *language
	titles  []titleEntry
	lengths [][fields]int // in words, of each document

	list  []term
	terms map[string]int // folded words, to list
	known map[string]int // normalized words that have been seen, to list

	// Words with the same stem are one class, and so are words that accents
	// alone tell apart. parents is a union-find forest over the stems.
	stems   []string
	roots   map[string]int // folded stems, to stems
	parents []int
}

// titleEntry says which document has a title.
type titleEntry struct {
	key uint64
	doc int
}

func (t titleEntry) compare(u titleEntry) int {
	return cmp.Or(cmp.Compare(t.key, u.key), t.doc-u.doc)
}

// term is a folded word or gram, and where it occurs.
type term struct {
	text    string
	letters int
	stem    int
	in      []occurrence
}

// occurrence counts a term in the fields of one document.
type occurrence struct {
	doc   int
	times [fields]int
}

// add reads one field of a document and returns its length.
func (b *builder) add(doc, field int, normalized string) (length int) {
	var before token
	var compound []byte // the words before, if they are glued
	parts := 0
	tokens := b.lang.tokenize(normalized)
	for {
		tok, ok := tokens.next()
		if !tok.glued || tok.script != spaced {
			if parts > 1 {
				b.occurs(b.word(string(compound)), doc, field)
			}
			compound, parts = compound[:0], 0
		}
		if !ok {
			return length
		}
		if tok.script == spaced {
			b.occurs(b.word(tok.text), doc, field)
			compound = append(compound, tok.text...)
			parts++
			length++
		} else {
			if tok.inflects(before) {
				_, last := utf8.DecodeLastRuneInString(before.text)
				b.occurs(b.gram(before.text[len(before.text)-last:]+tok.text[:cluster(tok.text)]), doc, field)
			}
			length += b.addRun(doc, field, tok.text)
		}
		before = tok
	}
}

// addRun counts the characters of a run and the pairs they make.
func (b *builder) addRun(doc, field int, run string) (length int) {
	for run != "" {
		n := cluster(run)
		b.occurs(b.gram(run[:n]), doc, field)
		if n < len(run) {
			b.occurs(b.gram(run[:n+cluster(run[n:])]), doc, field)
		}
		run = run[n:]
		length++
	}
	return length
}

func (b *builder) occurs(term, doc, field int) {
	t := &b.list[term]
	if n := len(t.in); n == 0 || t.in[n-1].doc != doc {
		t.in = append(t.in, occurrence{doc: doc})
	}
	t.in[len(t.in)-1].times[field]++
}

// word returns the term of a normalized word.
func (b *builder) word(word string) int {
	if n, ok := b.known[word]; ok {
		return n
	}
	n := b.term(appendFolded(nil, word), b.lang.appendStem(nil, word))
	b.known[word] = n
	return n
}

// gram returns the term of one or two characters of a run.
func (b *builder) gram(gram string) int {
	if n, ok := b.known[gram]; ok {
		return n
	}
	folded := appendFolded(nil, gram)
	n := b.term(folded, folded)
	b.known[gram] = n
	return n
}

func (b *builder) term(folded, stem []byte) int {
	folded, letters := clip(folded)
	stem, _ = clip(stem)
	root, ok := b.roots[string(stem)]
	if !ok {
		root = len(b.stems)
		b.roots[string(stem)] = root
		b.stems = append(b.stems, string(stem))
		b.parents = append(b.parents, root)
	}
	n, ok := b.terms[string(folded)]
	if ok {
		b.parents[b.find(root)] = b.find(b.list[n].stem)
		return n
	}
	n = len(b.list)
	b.terms[string(folded)] = n
	b.list = append(b.list, term{text: string(folded), letters: letters, stem: root})
	return n
}

func (b *builder) find(stem int) int {
	for b.parents[stem] != stem {
		b.parents[stem] = b.parents[b.parents[stem]]
		stem = b.parents[stem]
	}
	return stem
}

// entry is one word of a dictionary.
type entry struct {
	text           []byte
	letters, class int
}

func sortEntries(entries []entry) {
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(a.letters-b.letters, len(a.text)-len(b.text), bytes.Compare(a.text, b.text))
	})
}

// classes numbers the classes of words in dictionary order, and returns both
// dictionaries and where each class occurs, by document.
func (b *builder) classes() (words, stems []entry, lists [][]occurrence) {
	numbers := make(map[int]int)
	for n, t := range b.list {
		words = append(words, entry{[]byte(t.text), t.letters, n})
	}
	sortEntries(words)
	for i := range words {
		t := &b.list[words[i].class]
		root := b.find(t.stem)
		class, ok := numbers[root]
		if !ok {
			class = len(lists)
			numbers[root] = class
			lists = append(lists, nil)
		}
		words[i].class = class
		lists[class] = append(lists[class], t.in...)
	}
	for i, list := range lists {
		lists[i] = merge(list)
	}
	for n, stem := range b.stems {
		class := numbers[b.find(n)]
		// A stem that is also a word of its class is found there.
		if w, ok := b.terms[stem]; ok && numbers[b.find(b.list[w].stem)] == class {
			continue
		}
		_, letters := clip([]byte(stem))
		stems = append(stems, entry{[]byte(stem), letters, class})
	}
	sortEntries(stems)
	return words, stems, lists
}

// merge adds up what is counted for the same document.
func merge(list []occurrence) []occurrence {
	slices.SortFunc(list, func(a, b occurrence) int { return a.doc - b.doc })
	merged := list[:0]
	for _, o := range list {
		if n := len(merged); n > 0 && merged[n-1].doc == o.doc {
			for f := range fields {
				merged[n-1].times[f] += o.times[f]
			}
		} else {
			merged = append(merged, o)
		}
	}
	return merged
}

// The parameters of BM25.
const (
	k1         = 1.2
	b          = 0.75
	titleBoost = 3
)

var boosts = [fields]float64{inTitle: titleBoost, inDescription: 1}

// impact is how much a class of words weighs in a document that it occurs in.
// Products are rounded before they are added to, so that no machine fuses the
// two and every one builds the same bytes.
func impact(times, lengths [fields]int, average [fields]float64) float64 {
	var sum float64
	for f, n := range times {
		if n > 0 {
			tf := float64(n)
			norm := 1 - b + b*float64(lengths[f])/average[f]
			sum += boosts[f] * (k1 + 1) * tf / (tf + float64(k1*norm))
		}
	}
	return sum
}

// idf is how much a word that so many of the documents have tells about them.
func idf(docs, having int) float64 {
	return math.Log1p((float64(docs-having) + 0.5) / (float64(having) + 0.5))
}

func (b *builder) averages() (average [fields]float64) {
	for _, lengths := range b.lengths {
		for f, n := range lengths {
			average[f] += float64(n) / float64(len(b.lengths))
		}
	}
	return average
}
