package icon

import (
	"regexp"
	"strings"
)

// part is a piece of an attribute's value: text, then perhaps something that
// is filled in when an icon is composed.
type part struct {
	text     string
	ref      string // an id of the same symbol
	ground   bool   // the colour under the symbol
	fallback string // stands for the ground where the shape is not filled
}

// groundVar is how a symbol asks for the colour it stands on.
var groundVar = regexp.MustCompile(`^var\(\s*--symbol-bg\s*(?:,\s*([a-zA-Z]+|#[0-9a-fA-F]{3,8})\s*)?\)`)

// fault says what is wrong with a value: which rule it breaks, and the part of
// the value that does.
type fault struct {
	external bool
	what     string
}

// parseValue takes an attribute's value apart, and refuses whatever is not
// plainly harmless: a value is CSS, where escapes and functions can hide an
// address.
func parseValue(value string) ([]part, *fault) {
	value = strings.Join(strings.Fields(value), " ")
	var parts []part
	start := 0
	for i := 0; i < len(value); {
		word := leadingWord(value[i:])
		if word == "" {
			if !strings.ContainsRune(" #.,%()+/", rune(value[i])) {
				return nil, &fault{what: value[i:]}
			}
			i++
			continue
		}
		at := i
		i += len(word)
		if i == len(value) || value[i] != '(' {
			continue
		}
		switch name := strings.ToLower(word); {
		case name == "url":
			target, length, ok := parseURL(value[at:])
			if !ok {
				return nil, &fault{external: true, what: value[at : at+length]}
			}
			parts = append(parts, part{text: value[start:at] + "url(#", ref: target})
			i = at + length
			start = i - 1
		case name == "var":
			match := groundVar.FindStringSubmatch(value[at:])
			if match == nil {
				return nil, &fault{what: value[at:]}
			}
			fallback := match[1]
			if fallback == "" {
				fallback = white.String()
			}
			parts = append(parts, part{text: value[start:at], ground: true, fallback: fallback})
			i = at + len(match[0])
			start = i
		case !functions[name]:
			return nil, &fault{what: value[at:]}
		}
	}
	if start < len(value) || parts == nil {
		parts = append(parts, part{text: value[start:]})
	}
	return parts, nil
}

// parseURL reads url(#id) at the start of s, with or without quotes. The
// length is that of the whole call; ok is false for any other address.
func parseURL(s string) (id string, length int, ok bool) {
	inside, _, closed := strings.Cut(s[len("url("):], ")")
	if !closed {
		return "", len(s), false
	}
	length = len("url(") + len(inside) + len(")")
	inside = strings.TrimSpace(inside)
	for _, quote := range []string{`"`, `'`} {
		if len(inside) >= 2 && strings.HasPrefix(inside, quote) && strings.HasSuffix(inside, quote) {
			inside = inside[1 : len(inside)-1]
			break
		}
	}
	id, ok = parseFragment(inside)
	return id, length, ok
}

// parseFragment reads #id.
func parseFragment(s string) (id string, ok bool) {
	id, ok = strings.CutPrefix(s, "#")
	return id, ok && id != ""
}

// leadingWord returns the letters, digits, hyphens and underscores that s
// starts with.
func leadingWord(s string) string {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z') && !('0' <= c && c <= '9') && c != '-' && c != '_' {
			return s[:i]
		}
	}
	return s
}
