package search

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"unicode/utf8"
)

// Document is the searchable text of one document.
type Document struct {
	Title, Description string
	Keywords           []string
}

// Build returns an index of docs, which are written in locale. Documents are
// numbered from 0 in the given order. Build panics if there are more than 1<<20.
func Build(locale string, docs []Document) *Index {
	b := builder{
		lang:    languageOf(locale),
		termIDs: make(map[string]int),
		wordIDs: make(map[string]int),
		stemIDs: make(map[string]int),
	}
	size := 0
	for _, d := range docs {
		size += len(d.Title) + len(d.Description)
	}
	b.occurrences = make([]occurrence, 0, size/averageWordSize)
	b.lengths = make([][numFields]int, 0, len(docs))
	buffer := make([]byte, 0, 64)
	for doc, d := range docs {
		title := normalize(d.Title)
		if key := titleKey(buffer, title); key != 0 {
			b.titles = append(b.titles, keyEntry{key, doc})
		}
		lengths := [numFields]int{
			titleField:       b.addField(doc, titleField, title),
			descriptionField: b.addField(doc, descriptionField, normalize(d.Description)),
		}
		for _, keyword := range d.Keywords {
			lengths[keywordField] += b.addField(doc, keywordField, normalize(keyword))
		}
		b.lengths = append(b.lengths, lengths)
	}
	data := b.encode(locale)
	ix := mustDecode(data)
	if keywords := ix.keywordEntries(docs); len(keywords) > 0 {
		ix = mustDecode(appendKeywords(data, keywords))
	}
	return ix
}

func mustDecode(data []byte) *Index {
	ix, err := Decode(data)
	if err != nil {
		panic("search: built an index that does not decode: " + err.Error())
	}
	return ix
}

// keywordEntries returns the keys of all keywords. They consist of classes, so they
// are computed when the index has its words.
func (ix *Index) keywordEntries(docs []Document) []keyEntry {
	var entries []keyEntry
	s := newSearcher(ix)
	for doc, d := range docs {
		for _, keyword := range d.Keywords {
			s.parse(normalize(keyword))
			for n := range s.terms {
				s.lookUp(&s.terms[n])
			}
			if key := phraseKey(s.phrase()); key != 0 {
				entries = append(entries, keyEntry{key, doc})
			}
			s.reset()
		}
	}
	s.release()
	slices.SortFunc(entries, keyEntry.compare)
	return slices.Compact(entries)
}

// averageWordSize is the approximate number of bytes of a word in a text, with a
// space. It determines the initial size of buffers.
const averageWordSize = 6

// The fields of a document.
const (
	titleField = iota
	descriptionField
	keywordField
	numFields
)

// builder collects the contents of an index.
type builder struct {
	lang    *language
	titles  []keyEntry
	lengths [][numFields]int // length of each field in words, by document

	terms       []term
	termIDs     map[string]int // index in terms, by folded word
	wordIDs     map[string]int // index in terms, by normalized word or gram
	occurrences []occurrence   // by document

	// Words with the same stem form a class, as do words that differ only in
	// accents. parents is a union-find forest over the stems.
	stems   []string
	stemIDs map[string]int // index in stems, by folded stem
	parents []int
}

// keyEntry maps the key of a title or keyword to a document.
type keyEntry struct {
	key uint64
	doc int
}

func (e keyEntry) compare(f keyEntry) int {
	return cmp.Or(cmp.Compare(e.key, f.key), e.doc-f.doc)
}

// term is a folded word or gram.
type term struct {
	text    string
	letters int
	stem    int
}

// occurrence is an occurrence of a term in a field of a document.
type occurrence struct {
	term  uint32
	place place
}

// place is a field of a document.
type place uint32

func newPlace(doc, field int) place { return place(doc*numFields + field) }
func (p place) doc() int            { return int(p / numFields) }
func (p place) field() int          { return int(p % numFields) }

// addField indexes one field of a document and returns its length in words.
func (b *builder) addField(doc, field int, normalized string) (length int) {
	var prev token
	var compound []byte // the joined words so far
	parts := 0
	tokens := b.lang.tokenize(normalized)
	for {
		tok, ok := tokens.next()
		if !tok.joined || tok.script != spaced {
			if parts > 1 {
				b.addOccurrence(b.word(string(compound)), doc, field)
			}
			compound, parts = compound[:0], 0
		}
		if !ok {
			return length
		}
		if tok.script == spaced {
			b.addOccurrence(b.word(tok.text), doc, field)
			compound = append(compound, tok.text...)
			parts++
			length++
		} else {
			if tok.inflects(prev) {
				_, last := utf8.DecodeLastRuneInString(prev.text)
				b.addOccurrence(b.gram(prev.text[len(prev.text)-last:]+tok.text[:clusterLen(tok.text)]), doc, field)
			}
			length += b.addRun(doc, field, tok.text)
		}
		prev = tok
	}
}

// addRun indexes the characters and character pairs of a run.
func (b *builder) addRun(doc, field int, run string) (length int) {
	for run != "" {
		n := clusterLen(run)
		b.addOccurrence(b.gram(run[:n]), doc, field)
		if n < len(run) {
			b.addOccurrence(b.gram(run[:n+clusterLen(run[n:])]), doc, field)
		}
		run = run[n:]
		length++
	}
	return length
}

func (b *builder) addOccurrence(termID, doc, field int) {
	b.occurrences = append(b.occurrences, occurrence{uint32(termID), newPlace(doc, field)})
}

// word returns the index of the term for a normalized word.
func (b *builder) word(word string) int {
	if id, ok := b.wordIDs[word]; ok {
		return id
	}
	id := b.term(appendFolded(nil, word), b.lang.appendStem(nil, word))
	b.wordIDs[word] = id
	return id
}

// gram returns the index of the term for one or two characters of a run.
func (b *builder) gram(gram string) int {
	if id, ok := b.wordIDs[gram]; ok {
		return id
	}
	folded := appendFolded(nil, gram)
	id := b.term(folded, folded)
	b.wordIDs[gram] = id
	return id
}

func (b *builder) term(folded, stem []byte) int {
	folded, letters := clip(folded)
	stem, _ = clip(stem)
	stemID, ok := b.stemIDs[string(stem)]
	if !ok {
		stemID = len(b.stems)
		text := string(stem)
		b.stemIDs[text] = stemID
		b.stems = append(b.stems, text)
		b.parents = append(b.parents, stemID)
	}
	id, ok := b.termIDs[string(folded)]
	if ok {
		b.parents[b.root(stemID)] = b.root(b.terms[id].stem)
		return id
	}
	id = len(b.terms)
	text := string(folded)
	b.termIDs[text] = id
	b.terms = append(b.terms, term{text: text, letters: letters, stem: stemID})
	return id
}

// root returns the representative of the class of a stem.
func (b *builder) root(stem int) int {
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
		if !a.sameBucket(b) {
			return cmp.Or(a.letters-b.letters, len(a.text)-len(b.text))
		}
		return bytes.Compare(a.text, b.text)
	})
}

// classes numbers the classes in dictionary order. It returns the entries of
// both dictionaries and the places of each class, sorted by document.
func (b *builder) classes() (words, stems []entry, lists [][]place) {
	classOf := make(map[int]int) // class by root
	words = make([]entry, 0, len(b.terms))
	for id, t := range b.terms {
		words = append(words, entry{[]byte(t.text), t.letters, id})
	}
	sortEntries(words)
	classOfTerm := make([]int, len(b.terms))
	for i := range words {
		id := words[i].class
		root := b.root(b.terms[id].stem)
		class, ok := classOf[root]
		if !ok {
			class = len(classOf)
			classOf[root] = class
		}
		words[i].class, classOfTerm[id] = class, class
	}
	lists = b.placesByClass(classOfTerm, len(classOf))
	for stemID, stem := range b.stems {
		class := classOf[b.root(stemID)]
		// A stem that is also a word of its class is found among the words.
		if id, ok := b.termIDs[stem]; ok && classOf[b.root(b.terms[id].stem)] == class {
			continue
		}
		_, letters := clip([]byte(stem))
		stems = append(stems, entry{[]byte(stem), letters, class})
	}
	sortEntries(stems)
	return words, stems, lists
}

// placesByClass returns the places of each class, sorted by document.
func (b *builder) placesByClass(classOfTerm []int, classes int) [][]place {
	counts := make([]int, classes)
	for _, o := range b.occurrences {
		counts[classOfTerm[o.term]]++
	}
	places := make([]place, len(b.occurrences))
	lists := make([][]place, classes)
	for class, n := range counts {
		lists[class], places = places[:0:n], places[n:]
	}
	for _, o := range b.occurrences {
		class := classOfTerm[o.term]
		lists[class] = append(lists[class], o.place)
	}
	return lists
}

// Parameters of BM25.
const (
	termSaturation = 1.2 // k1
	titleBoost     = 3
)

var (
	boosts = [numFields]float64{titleField: titleBoost, descriptionField: 1, keywordField: 1}
	// lengthNormalizations are the values of b. In a list of keywords, each word is
	// chosen with care, however long the list is.
	lengthNormalizations = [numFields]float64{titleField: 0.75, descriptionField: 0.75, keywordField: 0}
)

// impact returns the BM25 weight, without idf, of a class in a document.
// The conversion of the product to float64 prevents a fused multiply-add: the
// index must be identical on every architecture.
func impact(counts, lengths [numFields]int, averageLengths [numFields]float64) float64 {
	var sum float64
	for f, n := range counts {
		if n > 0 {
			tf := float64(n)
			b := lengthNormalizations[f]
			norm := 1 - b + b*float64(lengths[f])/averageLengths[f]
			sum += boosts[f] * (termSaturation + 1) * tf / (tf + float64(termSaturation*norm))
		}
	}
	return sum
}

// idf returns the inverse document frequency of a class that occurs in docFreq
// of docs documents.
func idf(docs, docFreq int) float64 {
	return math.Log1p((float64(docs-docFreq) + 0.5) / (float64(docFreq) + 0.5))
}

func (b *builder) averageLengths() (average [numFields]float64) {
	for _, lengths := range b.lengths {
		for f, n := range lengths {
			average[f] += float64(n) / float64(len(b.lengths))
		}
	}
	return average
}
