package icon

import (
	"regexp"
	"strings"
)

// part is a part of an attribute value: text, optionally followed by a reference
// or a background colour that is filled in when an icon is composed.
type part struct {
	text       string
	ref        string // an id in the same symbol
	background bool   // the background colour follows
	fallback   string // replaces the background if the shape is not filled
}

// backgroundProperty is the custom property for the background colour.
const backgroundProperty = "--symbol-bg"

// backgroundVar matches a reference to the background colour.
var backgroundVar = regexp.MustCompile(`^var\(\s*` + backgroundProperty + `\s*(?:,\s*([a-zA-Z]+|#[0-9a-fA-F]{3,8})\s*)?\)`)

// valueError describes a value that is not allowed.
type valueError struct {
	external bool   // the value refers to something outside the symbol
	text     string // the offending part of the value
}

// parseValue splits an attribute value into parts. It rejects everything that is
// not known to be harmless, because a value is CSS, where escapes and functions
// can hide a URL.
func parseValue(value string) ([]part, *valueError) {
	value = strings.Join(strings.Fields(value), " ")
	var parts []part
	start := 0
	for i := 0; i < len(value); {
		word := leadingWord(value[i:])
		if word == "" {
			if !strings.ContainsRune(" #.,%()+/", rune(value[i])) {
				return nil, &valueError{text: value[i:]}
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
				return nil, &valueError{external: true, text: value[at : at+length]}
			}
			parts = append(parts, part{text: value[start:at] + "url(#", ref: target})
			i = at + length
			start = i - 1
		case name == "var":
			match := backgroundVar.FindStringSubmatch(value[at:])
			if match == nil {
				return nil, &valueError{text: value[at:]}
			}
			fallback := match[1]
			if fallback == "" {
				fallback = white.String()
			}
			parts = append(parts, part{text: value[start:at], background: true, fallback: fallback})
			i = at + len(match[0])
			start = i
		case !allowedFunctions[name]:
			return nil, &valueError{text: value[at:]}
		}
	}
	if start < len(value) || parts == nil {
		parts = append(parts, part{text: value[start:]})
	}
	return parts, nil
}

// parseURL parses url(#id) at the start of s, with or without quotes. It returns
// the length of the whole call, and ok = false for any other URL.
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

// parseFragment parses #id.
func parseFragment(s string) (id string, ok bool) {
	id, ok = strings.CutPrefix(s, "#")
	return id, ok && id != ""
}

// leadingWord returns the longest prefix of s that consists of letters, digits,
// hyphens and underscores.
func leadingWord(s string) string {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z') && !('0' <= c && c <= '9') && c != '-' && c != '_' {
			return s[:i]
		}
	}
	return s
}
