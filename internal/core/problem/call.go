package problem

import (
	"errors"
	"strings"
)

// Operation is an operation of Placard that a hint can refer to. REST, MCP and
// the command line each have a table with their own names.
type Operation uint8

// The operations. The zero Operation is none.
const (
	OpListVersions Operation = iota + 1
	OpShowVersion
	OpListElements
	OpShowElement
	OpFindElement
	OpValidate
	OpValidateResolved
	OpResolve

	// Only the command line has these.
	OpRestore
	OpHistory
	OpCompare
	OpVerify
	OpRepair
	OpPrune
	OpContinue
	OpPromote
	OpUpgrade

	afterOperations
)

// Operations returns the operations that REST, MCP and the command line have.
func Operations() []Operation { return operations(OpListVersions, OpRestore) }

// StoreOperations returns the operations that only the command line has.
func StoreOperations() []Operation { return operations(OpRestore, afterOperations) }

func operations(from, to Operation) []Operation {
	var all []Operation
	for op := from; op < to; op++ {
		all = append(all, op)
	}
	return all
}

// effects complete the sentence that starts with the name of a call.
var effects = [afterOperations]string{
	OpListVersions:     "lists the published versions",
	OpShowVersion:      "shows the locales and subchains of the version",
	OpListElements:     "lists the elements",
	OpShowElement:      "shows the element with its icon variants and variables",
	OpFindElement:      "shows the element in a version that has it",
	OpValidate:         "validates the document",
	OpValidateResolved: "validates a resolved document",
	OpResolve:          "resolves the document",
	OpRestore:          "publishes it again",
	OpHistory:          "lists its changes",
	OpCompare:          "shows all changes",
	OpVerify:           "lists everything that is damaged",
	OpRepair:           "repairs the index and the journal",
	OpPrune:            "deletes what has not been in use for 30 days",
	OpContinue:         "starts the next version from it",
	OpPromote:          "publishes the content of the beta as a stable release",
	OpUpgrade:          "replaces all ids that have changed",
}

// Call is the next call that a hint recommends: an operation and its arguments.
// [Problem.Render] replaces it with its name in one interface.
type Call struct {
	Operation Operation
	Version   string // an id; if empty, the version of the request
	Element   string // for OpShowElement, OpFindElement and ListElementsWithout
	Category  string // for OpListElements; empty: all categories
	// Base is, for OpCompare, the version that Version is compared with and, for
	// OpContinue, the id of the new version, with a placeholder for its date.
	Base string
}

// ListVersions returns the call that lists the published versions.
func ListVersions() Call { return Call{Operation: OpListVersions} }

// ShowVersion returns the call that shows the locales and subchains of a version.
func ShowVersion(version string) Call { return Call{Operation: OpShowVersion, Version: version} }

// ListElements returns the call that lists the elements of a version.
func ListElements(version string) Call { return Call{Operation: OpListElements, Version: version} }

// ListElementsWithout is like [ListElements] for a version that lacks the element.
// It becomes [FindElement] if another version has it.
func ListElementsWithout(version, element string) Call {
	return Call{Operation: OpListElements, Version: version, Element: element}
}

// FindElement returns the call that shows an element that the version lacks. Before
// the call is rendered, the version is replaced with one that has the element. If
// there is none, the call is dropped.
func FindElement(version, element string) Call {
	return Call{Operation: OpFindElement, Version: version, Element: element}
}

// ListElementsIn is like [ListElements] for one category of the version.
func ListElementsIn(version, category string) Call {
	return Call{Operation: OpListElements, Version: version, Category: category}
}

// ShowElement returns the call that shows an element of a version.
func ShowElement(version, element string) Call {
	return Call{Operation: OpShowElement, Version: version, Element: element}
}

// Validate returns the call that validates a thin document.
func Validate(version string) Call { return Call{Operation: OpValidate, Version: version} }

// ValidateResolved returns the call that validates a resolved document.
func ValidateResolved(version string) Call {
	return Call{Operation: OpValidateResolved, Version: version}
}

// Resolve returns the call that resolves a document.
func Resolve(version string) Call { return Call{Operation: OpResolve, Version: version} }

// Restore returns the call that publishes a retired version again.
func Restore(version string) Call { return Call{Operation: OpRestore, Version: version} }

// History returns the call that lists the changes of a version.
func History(version string) Call { return Call{Operation: OpHistory, Version: version} }

// Compare returns the call that shows the changes from one version to another.
func Compare(base, version string) Call {
	return Call{Operation: OpCompare, Base: base, Version: version}
}

// Verify returns the call that verifies a store.
func Verify() Call { return Call{Operation: OpVerify} }

// Repair returns the call that repairs the index and the journal of a store.
func Repair() Call { return Call{Operation: OpRepair} }

// Prune returns the call that deletes the files of a store that are not in use.
func Prune() Call { return Call{Operation: OpPrune} }

// Continue returns the call that starts a new version of a type as a copy of another.
func Continue(typeID, version string) Call {
	return Call{Operation: OpContinue, Base: typeID + "@YYYY-MM-DD", Version: version}
}

// Promote returns the call that publishes the content of a beta as a stable release.
func Promote(version string) Call { return Call{Operation: OpPromote, Version: version} }

// Upgrade returns the call that replaces the ids in a document that a version replaces.
func Upgrade(version string) Call { return Call{Operation: OpUpgrade, Version: version} }

// IsZero reports whether there is no call.
func (c Call) IsZero() bool { return c.Operation == 0 }

// Sentence returns a sentence that says what the call does. name is the name of
// the call in one interface: its method and path, its tool or its command. The
// sentence about no call is empty, and so is that about a call that the interface lacks.
func (c Call) Sentence(name string) string {
	if c.IsZero() || name == "" {
		return ""
	}
	return name + " " + effects[c.Operation] + "."
}

// MarshalJSON returns an error, so that a problem cannot be encoded before it is
// rendered.
func (c Call) MarshalJSON() ([]byte, error) {
	return nil, errors.New("problem: the call in a hint has not been rendered")
}

// UnmarshalJSON returns an error. Encoded problems have no calls.
func (c *Call) UnmarshalJSON([]byte) error {
	return errors.New("problem: an encoded problem has no call")
}

// See returns a copy of p whose hint ends with the name of a call.
func (p Problem) See(c Call) Problem {
	p.Call = c
	return p
}

// AndSee returns a copy of p whose hint ends with the names of two calls: that of
// [Problem.See], and c.
func (p Problem) AndSee(c Call) Problem {
	p.Also = c
	return p
}

// Render returns a copy of p with its calls, if any, written out at the end of the
// hint. sentence returns the [Call.Sentence] of a call in one interface.
func (p Problem) Render(sentence func(Call) string) Problem {
	for _, call := range []*Call{&p.Call, &p.Also} {
		if !call.IsZero() {
			p.FixHint = strings.TrimSpace(p.FixHint + " " + sentence(*call))
			*call = Call{}
		}
	}
	return p
}

// Render renders every problem of l in place and returns l. See [Problem.Render].
func (l List) Render(sentence func(Call) string) List {
	for i := range l {
		l[i] = l[i].Render(sentence)
	}
	return l
}
