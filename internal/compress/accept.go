package compress

import "strings"

// Negotiate returns the coding to use for a client with this Accept-Encoding,
// as RFC 9110 section 12.5.3 has it: of what the client weighs the most, the
// one that effort prefers. Identity is the answer where nothing else is
// acceptable, even to a client that refuses that too: it gets an answer.
func Negotiate(accept string, e Effort) Coding {
	var weights [codings]int // in thousandths; 0 where not accepted
	var named [codings]bool
	others := 0
	for len(accept) > 0 {
		var item string
		item, accept, _ = strings.Cut(accept, ",")
		name, weight := weigh(item)
		if name == "*" {
			others = weight
			continue
		}
		for c := range Coding(codings) {
			if strings.EqualFold(name, c.String()) || c == Gzip && strings.EqualFold(name, "x-gzip") {
				weights[c], named[c] = weight, true
			}
		}
	}
	best := Identity
	for _, c := range order[e] {
		if !named[c] {
			weights[c] = others
		}
		if weights[c] > weights[best] || best == Identity && weights[c] > 0 && weights[c] == weights[Identity] {
			best = c
		}
	}
	return best
}

// weigh splits one item of the header into a coding and its weight. A weight
// that is malformed refuses the coding, which is always safe.
func weigh(item string) (name string, weight int) {
	name, parameter, ok := strings.Cut(item, ";")
	name = strings.Trim(name, " \t")
	if !ok {
		return name, 1000
	}
	parameter = strings.Trim(parameter, " \t")
	value, ok := strings.CutPrefix(parameter, "q=")
	if !ok {
		value, ok = strings.CutPrefix(parameter, "Q=")
	}
	if !ok {
		return name, 0
	}
	return name, thousandths(value)
}

// thousandths reads a weight: 0 or 1 with at most three decimals.
func thousandths(s string) int {
	whole, decimals, _ := strings.Cut(s, ".")
	if len(whole) != 1 || whole[0] != '0' && whole[0] != '1' || len(decimals) > 3 {
		return 0
	}
	n := int(whole[0]-'0') * 1000
	for i, unit := 0, 100; i < len(decimals); i, unit = i+1, unit/10 {
		if decimals[i] < '0' || '9' < decimals[i] {
			return 0
		}
		n += int(decimals[i]-'0') * unit
	}
	if n > 1000 {
		return 0
	}
	return n
}
