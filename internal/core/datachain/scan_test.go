package datachain

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// oracle parses a text with jsontext into the nodes that the scanner should return.
type oracle struct {
	dec   *jsontext.Decoder
	body  []byte
	nodes []node
	strs  []string // the values of string nodes
}

func (o *oracle) document() bool {
	o.dec = jsontext.NewDecoder(bytes.NewBuffer(o.body))
	if !o.value(0, 0) {
		return false
	}
	_, err := o.dec.ReadToken()
	return err == io.EOF
}

func (o *oracle) value(parent ref, index uint32) bool {
	before := o.body[o.dec.InputOffset():]
	token, err := o.dec.ReadToken()
	if err != nil || o.dec.StackDepth() > maxDepth {
		return false
	}
	n, kind, str := ref(len(o.nodes)), token.Kind(), ""
	if kind == '"' {
		str = token.String()
	}
	start := len(o.body) - len(bytes.TrimLeft(before, " \t\r\n,:"))
	spelling := o.body[start:o.dec.InputOffset()]
	o.nodes = append(o.nodes, node{start: uint32(start), parent: parent, index: index, kind: kind, escaped: bytes.ContainsRune(spelling, '\\')})
	o.strs = append(o.strs, str)
	if kind == '{' || kind == '[' {
		for i := uint32(0); o.dec.PeekKind() != '}' && o.dec.PeekKind() != ']'; i++ {
			name := len(o.nodes)
			if kind == '{' && !o.value(n, i) || !o.value(n, i) {
				return false
			}
			if kind == '{' {
				o.nodes[name].next = ref(len(o.nodes))
			}
		}
		if _, err := o.dec.ReadToken(); err != nil {
			return false
		}
	}
	o.nodes[n].end, o.nodes[n].next = uint32(o.dec.InputOffset()), ref(len(o.nodes))
	return true
}

// checkScan checks that the scanner agrees with jsontext.
func checkScan(t rapid.TB, body []byte) {
	t.Helper()
	// The decoder has no byte order marks.
	rest, marked := bytes.CutPrefix(body, []byte(byteOrderMark))
	want := oracle{body: body}
	if marked {
		want.body = append([]byte("   "), rest...)
	}
	s := scanner{text: string(body), meter: new(meter)}
	valid, wantValid := s.document(), want.document()
	if valid != wantValid {
		t.Fatalf("scanning %q: got valid %t, want %t", body, valid, wantValid)
	}
	_, err := readTree(body, new(meter))
	if valid != (err == nil) {
		t.Fatalf("readTree(%q): got error %v, but the scanner reports valid %t", body, err, valid)
	}
	if !valid {
		return
	}
	if diff := cmp.Diff(want.nodes, s.nodes, cmp.AllowUnexported(node{})); diff != "" {
		t.Fatalf("%q (-want +got):\n%s", body, diff)
	}
	if limit := maxNodes(s.text); len(s.nodes) > limit {
		t.Fatalf("%q: got %d nodes, want at most maxNodes = %d", body, len(s.nodes), limit)
	}
	got := tree{text: s.text, nodes: s.nodes}
	for n, str := range want.strs {
		if got.kind(ref(n)) == '"' && got.str(ref(n)) != str {
			t.Fatalf("%q: got string %q, want %q", body, got.str(ref(n)), str)
		}
	}
}

// tokens are parts of valid and invalid JSON.
var tokens = []string{
	"{", "}", "[", "]", ",", ":", `"`, `""`, `"a"`, `"b"`, `"\u0061"`, "{}", "[]", `{"a":`, `,"b":`, "null", "true", "false",
	"nul", "True", "NaN", "Infinity", "0", "-0", "-", "1", "01", "+1", "1.", ".5", "1.5", "-1.5e+10", "1e", "1E-", "2e5", "1e0.5", "0x1",
	"1_000", "18446744073709551616", " ", "\n", "\t", "\r", "\v", "\f", "\x00", "\x7f", "\u00a0", "\u2028", "\ufeff", "\ufffd", "é", "😀",
	`\`, `\"`, `\\`, `\/`, `\n`, `\x`, `\u`, `\u12`, `\u00e9`, `\u00E9`, `\u00g9`, `\u+123`, `\u_123`, `\U0061`, `\u0000`,
	`\ud83d\ude00`, `\ud83d`, `\ude00`, `\ude00\ud83d`, `\ud83d\u0061`, `\ud83d\n`, `\ud83d\ud83d\ude00`, `\ufffd`, `\ufffe`,
	"\xff", "\xc3", "\xa9", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf0\x9f\x98", "/* no */", "// no\n", "'a'", "a",
}

func TestScanEveryPairOfBytes(t *testing.T) {
	for _, frame := range []string{"@", `"@"`, `"\@"`, `"\u00@"`, `"\ud83d\ud@00"`, "[1@]", "[-@]", "[1e@]"} {
		for a := range 256 {
			checkScan(t, []byte(strings.Replace(frame, "@", string([]byte{byte(a)}), 1)))
			for b := 0; b < 256; b += stride {
				checkScan(t, []byte(strings.Replace(frame, "@", string([]byte{byte(a), byte(b)}), 1)))
			}
		}
	}
}

// Strings are scanned eight bytes at a time, so the position matters.
func TestScanEveryByteAtEveryStringPosition(t *testing.T) {
	for _, padding := range []string{"a", " ", "!", "#", "[", "]", "~", "\x7f", "é"} {
		for before := range 9 {
			for b := range 256 {
				text := strings.Repeat(padding, before) + string([]byte{byte(b)}) + strings.Repeat(padding, 17-before)
				checkScan(t, []byte(`"`+text+`"`))
			}
		}
	}
}

func TestScanDuplicateNames(t *testing.T) {
	for _, members := range []int{1, maxLinear - 1, maxLinear, maxLinear + 1, 3 * maxLinear} {
		for duplicate := range members {
			for _, spelling := range []string{`"n%d"`, `"\u006e%d"`, `"n%d "`} {
				var b strings.Builder
				b.WriteString("{")
				for i := range members {
					b.WriteString(strings.Replace(`"n%d":{"n0":0},`, "%d", string(rune('A'+i)), 1))
				}
				b.WriteString(strings.Replace(spelling, "%d", string(rune('A'+duplicate)), 1) + ":0}")
				checkScan(t, []byte(b.String()))
			}
		}
	}
}

func TestScanDeepNesting(t *testing.T) {
	for _, depth := range []int{maxDepth - 1, maxDepth, maxDepth + 1, 2 * maxDepth, 20_000} {
		for _, pair := range []struct{ open, close string }{{"[", "]"}, {`{"a":`, "}"}, {`[{"a":`, "}]"}, {"[[],", "]"}} {
			for _, inside := range []string{"0", "[]", "{}", ""} {
				checkScan(t, []byte(strings.Repeat(pair.open, depth)+inside+strings.Repeat(pair.close, depth)))
			}
		}
	}
}

// nearlyJSON draws JSON texts, some of them with mutations.
func nearlyJSON(t *rapid.T) []byte {
	var b strings.Builder
	space := func() { b.WriteString(rapid.SampledFrom([]string{"", "", "", " ", "\n\t", "\r\n"}).Draw(t, "space")) }
	str := func() {
		b.WriteByte('"')
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			b.WriteString(rapid.SampledFrom([]string{
				"a", "b", "é", "😀", `\n`, `\"`, `\\`, `\u0061`, `\ud83d\ude00`, "\ufffd", "\x7f",
			}).Draw(t, "character"))
		}
		b.WriteByte('"')
	}
	var value func(depth int)
	value = func(depth int) {
		space()
		defer space()
		kind := rapid.IntRange(0, 3).Draw(t, "kind")
		if kind > 1 && depth > 4 {
			kind = 0
		}
		switch kind {
		case 0:
			b.WriteString(rapid.SampledFrom([]string{"null", "true", "false", "0", "-1", "2.50", "1e9", "-0.1E-2"}).Draw(t, "word"))
		case 1:
			str()
		case 2:
			b.WriteByte('[')
			for i := range rapid.IntRange(0, 4).Draw(t, "items") {
				if i > 0 {
					b.WriteByte(',')
				}
				value(depth + 1)
			}
			b.WriteByte(']')
		case 3:
			b.WriteByte('{')
			for i := range rapid.IntRange(0, 4).Draw(t, "members") {
				if i > 0 {
					b.WriteByte(',')
				}
				space()
				str()
				space()
				b.WriteByte(':')
				value(depth + 1)
			}
			b.WriteByte('}')
		}
	}
	value(0)
	text := b.String()
	for range rapid.IntRange(0, 2).Draw(t, "mutations") {
		from := rapid.IntRange(0, len(text)).Draw(t, "from")
		to := min(len(text), from+rapid.IntRange(0, 3).Draw(t, "removed"))
		text = text[:from] + rapid.SampledFrom(append([]string{"", ""}, tokens...)).Draw(t, "inserted") + text[to:]
	}
	return []byte(text)
}

func TestScanMatchesTheDecoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkScan(t, nearlyJSON(t)) })
}

func FuzzScan(f *testing.F) {
	addSeeds(f)
	for _, a := range tokens {
		f.Add([]byte(a))
		f.Add([]byte(`{"a":["` + a + `",` + a + `]}`))
	}
	f.Fuzz(func(t *testing.T, body []byte) { checkScan(t, body) })
}
