package main

import (
	"cmp"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/serve/query"
)

// callNames are the commands of the operations that a hint can refer to. The
// words in capitals are replaced by known arguments.
var callNames = map[problem.Operation]string{
	problem.OpListVersions:     "placard list",
	problem.OpShowVersion:      "placard show VERSION",
	problem.OpListElements:     "placard show VERSION",
	problem.OpShowElement:      "placard show VERSION ELEMENT",
	problem.OpFindElement:      "placard show VERSION ELEMENT",
	problem.OpValidate:         "placard validate FILE",
	problem.OpValidateResolved: "placard validate FILE",
	problem.OpResolve:          "placard resolve FILE",
	problem.OpRestore:          "placard restore VERSION",
	problem.OpHistory:          "placard history VERSION",
	problem.OpCompare:          "placard diff BASE VERSION",
	problem.OpVerify:           "placard verify",
	problem.OpRepair:           "placard verify --repair",
	problem.OpPrune:            "placard prune",
	problem.OpContinue:         "placard new BASE --from VERSION",
	problem.OpPromote:          "placard promote VERSION",
	problem.OpUpgrade:          "placard upgrade FILE --to VERSION --write",
}

// sentence returns the sentence about a call in an error that concerns neither
// particular releases nor a document.
func sentence(c problem.Call) string { return new(releases).command(c, document{}) }

// storeSentence returns the function that renders the calls in errors of the store
// with the given name, which may be empty.
func storeSentence(name string) func(problem.Call) string {
	rs := releases{flags: releaseFlags{store: name}}
	return func(c problem.Call) string { return rs.command(c, document{}) }
}

// sentences returns the function that renders the calls in findings about d, which
// may be zero.
func (rs *releases) sentences(d document) func(problem.Call) string {
	return func(c problem.Call) string {
		return rs.command(query.Callable(rs.Snapshot, c, rs.against), d)
	}
}

// command returns the sentence about a call, with a command that can be pasted
// into a shell. Arguments that are not known keep their names.
func (rs *releases) command(c problem.Call, d document) string {
	words := strings.Fields(callNames[c.Operation])
	for i, word := range words {
		switch word {
		case "VERSION":
			words[i] = cmp.Or(shellWord(c.Version), word)
		case "BASE":
			words[i] = cmp.Or(shellWord(c.Base), word)
		case "ELEMENT":
			words[i] = cmp.Or(shellWord(c.Element), word)
		case "FILE":
			if d.name != stdin {
				words[i] = cmp.Or(shellWord(d.name), word)
			}
			// Any other version is the one that the document pins.
			if rs.against != "" && c.Version == rs.against && c.Operation != problem.OpUpgrade {
				words = append(words, "--against", shellWord(c.Version))
			}
		}
	}
	switch {
	case rs.flags.store != "":
		words = append(words, "--store", shellWord(rs.flags.store))
	case rs.flags.source != "":
		words = append(words, "--source", shellWord(rs.flags.source))
	}
	return c.Sentence(`"` + strings.Join(words, " ") + `"`)
}

// shellWord quotes s for a shell, unless that is unnecessary. The result is never
// a flag.
func shellWord(s string) string {
	if strings.HasPrefix(s, "-") {
		s = "./" + s
	}
	isPlain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("@%+=:,./_-", r)
	}
	if strings.TrimLeftFunc(s, isPlain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
