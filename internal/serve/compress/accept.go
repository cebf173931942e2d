package compress

import "strings"

// Negotiate returns the coding for a client that sent this Accept-Encoding
// header (RFC 9110, section 12.5.3): the coding with the highest weight and,
// among codings of equal weight, the one that suits the effort. It returns
// Identity if no other coding is acceptable, even if the client refuses Identity.
func Negotiate(accept string, e Effort) Coding {
	var weights [codings]int // in thousandths; 0 if not accepted
	var named [codings]bool
	others := 0 // weight of codings that are not named
	for len(accept) > 0 {
		var item string
		item, accept, _ = strings.Cut(accept, ",")
		name, weight := parseItem(item)
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
	for _, c := range preference[e] {
		if !named[c] {
			weights[c] = others
		}
		if weights[c] > weights[best] || best == Identity && weights[c] > 0 && weights[c] == weights[Identity] {
			best = c
		}
	}
	return best
}

// parseItem splits one item of the header into a coding and its weight. A
// malformed weight counts as 0: not using a coding is always safe.
func parseItem(item string) (name string, weight int) {
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
	return name, ParseWeight(value)
}

// ParseWeight returns the weight (q) of an item in thousandths. A weight is a
// number from 0 to 1 with at most three decimals; others count as 0.
func ParseWeight(s string) int {
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
