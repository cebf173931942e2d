package datachain

import (
	"strings"
	"testing"
)

func TestScanCombinationsOfTokens(t *testing.T) {
	for _, a := range tokens {
		for _, frame := range []string{"@", `"@"`, "[@]", `{"a":@}`, `{"@":0}`, `{"a":0@}`, `["a"@]`, " @ ", "1@", `{"a":1,"@":2}`, "[@", `"@`} {
			checkScan(t, []byte(strings.ReplaceAll(frame, "@", a)))
			for _, b := range tokens {
				checkScan(t, []byte(strings.ReplaceAll(frame, "@", a+b)))
			}
		}
	}
}
