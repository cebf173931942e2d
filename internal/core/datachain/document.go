package datachain

import "placard/internal/core/taxonomy"

// Document is a parsed thin datachain. It refers to a copy of its source text and
// keeps every member, known or unknown. Until it is released it is immutable and
// safe for concurrent use.
type Document struct {
	ID                string
	SchemaVersion     taxonomy.ID
	CreatedAt         string
	UpdatedAt         string // empty if absent
	InstanceVersion   string // in its original spelling; empty if absent
	Title             taxonomy.Localized
	Description       taxonomy.Localized
	Elements          []Placement
	Sources           []taxonomy.Source
	LinkedInstanceIDs []string
	SubchainInstances []SubchainInstance
	Provenance        *Provenance // nil if absent

	scratch        *scratch
	tree           *tree
	elements       ref
	version        ref
	locales        []ref           // the locale of every text in a localized string
	addresses      []address       // targets of actions and URLs of sources, except those of the snapshot
	unknownMembers []unknownMember // members with an unknown name
	unexpected     []unexpected    // unexpected values in the provenance
}

// Placement is one element placed in a document.
type Placement struct {
	ElementID          string
	ContextTypeID      string
	Variables          []Variable
	ElementInstanceID  string
	Label              Label
	Priority           float64 // a whole number
	SubchainInstanceID string
	Sources            []taxonomy.Source
	Actions            []Action

	refs placementRefs
}

// placementRefs are the nodes of a placement and of members that findings refer
// to. The ref of an absent member is 0.
type placementRefs struct {
	self, element, context, variables, instance, subchain ref
}

// Label is the name of a placement or of a subchain instance: a string, or a localized
// string. Its node is 0 if it is absent.
type Label struct {
	Text      string
	Localized taxonomy.Localized

	node ref
}

// Variable is the value of one variable of a placement.
type Variable struct {
	ID    string
	Value Value

	id, value ref
}

// Value is a value of one of the kinds of variables. The kind follows from its JSON.
type Value struct {
	kind    taxonomy.Kind // empty for the empty array, which every kind has
	text    taxonomy.Localized
	options []string
}

// Match calls the function for the kind of v. It has one parameter for each kind, like
// [taxonomy.ByKind]. The empty array counts as a text.
func (v *Value) Match(text func(taxonomy.Localized), options func([]string)) {
	if v.kind == "" {
		text(nil)
		return
	}
	taxonomy.ByKind(v.kind, func() { text(v.text) }, func() { options(v.options) })()
}

// SubchainInstance is one occurrence of a subchain of the datachain type.
type SubchainInstance struct {
	ID         string
	SubchainID string
	Label      Label
	HeadRefs   []string
	Order      float64 // a whole number

	self, id, subchain, heads ref
}

// Action is an action available to a reader of a placement.
type Action struct {
	Type   string
	Label  taxonomy.Localized
	Target string
}

// Provenance describes how a document was written.
type Provenance struct {
	Kind        string
	Model       string
	GeneratedAt string
	Elements    []ElementProvenance

	kind ref
}

// Kinds of provenance.
const (
	Human       = "human"
	AIGenerated = "ai_generated"
)

// ElementProvenance describes why an element is placed. Values of an unexpected
// type are kept in the document but not here.
type ElementProvenance struct {
	Key               string // an element_instance_id or element_id
	Rationale         string
	Confidence        string
	SourceReferences  []SourceReference
	VariableRationale []VariableRationale

	node ref
}

// SourceReference is a passage that supports a placement.
type SourceReference struct {
	Quote   string
	Context string
}

// VariableRationale gives the reason for a variable's value.
type VariableRationale struct {
	VariableID string
	Text       string // empty if it is not a string

	node ref
}

// Resolved is a parsed resolved datachain.
type Resolved struct {
	Document
	Snapshot  Snapshot
	Suggested []taxonomy.Element

	suggested []ref
}

// Snapshot is the part of a schema that a resolved document contains.
type Snapshot struct {
	Type       taxonomy.DatachainType
	Categories []taxonomy.Category
	Elements   []taxonomy.Element

	node, typ            ref
	categories, elements []ref
}

// unknownMember is a member with an unknown name.
type unknownMember struct {
	node  ref
	known []string // names that the object may have
}

// unexpected is a value that is allowed but does not have the expected form.
type unexpected struct {
	node ref
	want *want
}
