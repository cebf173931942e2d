package datachain

import "placard/internal/taxonomy"

// Document is a thin datachain instance of the right shape. It refers to a copy
// of the bytes it was read from and keeps every member, known or not.
// Until it is released it is immutable and safe for concurrent use.
type Document struct {
	ID                string
	SchemaVersion     taxonomy.ID
	CreatedAt         string
	UpdatedAt         string // empty where not given
	InstanceVersion   string // as spelt; empty where not given
	Title             taxonomy.Localized
	Description       taxonomy.Localized
	Elements          []Placement
	Sources           []taxonomy.Source
	LinkedInstanceIDs []string
	SubchainInstances []SubchainInstance
	Provenance        *Provenance // nil where not given

	memory     *memory
	tree       *tree
	elements   ref
	version    ref
	locales    []ref        // of every text of a localized string
	strangers  []stranger   // members that nothing names
	unexpected []unexpected // values that provenance usually does not have
}

// Placement is one element placed in a document.
type Placement struct {
	ElementID          string
	ContextTypeID      string
	Variables          []Variable
	ElementInstanceID  string
	Label              string             // a label that is a plain string
	LocalizedLabel     taxonomy.Localized // or one that is localized
	Priority           float64            // a whole number
	SubchainInstanceID string
	Sources            []taxonomy.Source
	Actions            []Action

	at placementRefs
}

// placementRefs are the members of a placement that rules speak of; zero ones
// are absent.
type placementRefs struct {
	self, element, context, variables, instance, label, subchain ref
}

// Variable is the value that a placement gives to one variable: a text or
// options, whichever of the two it was written as.
type Variable struct {
	ID      string
	Text    taxonomy.Localized
	Options []string

	id, value ref
}

// SubchainInstance is one occurrence of a subchain of the datachain type.
type SubchainInstance struct {
	ID         string
	SubchainID string
	HeadRefs   []string
	Order      float64 // a whole number

	id, subchain, heads ref
}

// Action is something a reader of a placement can do.
type Action struct {
	Type   string
	Label  taxonomy.Localized
	Target string
}

// Provenance says how a document came to be.
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

// ElementProvenance says how one placement came to be. Values that are not of
// the usual kind are kept in the document but not here.
type ElementProvenance struct {
	Key               string // an element_instance_id or element_id
	Rationale         string
	Confidence        string
	SourceReferences  []SourceReference
	VariableRationale []VariableRationale

	at ref
}

// SourceReference is a passage that a placement rests on.
type SourceReference struct {
	Quote   string
	Context string
}

// VariableRationale says why a variable has its value.
type VariableRationale struct {
	VariableID string
	Text       string // empty where it is not a string

	at ref
}

// Resolved is a resolved datachain instance of the right shape.
type Resolved struct {
	Document
	Snapshot  Snapshot
	Suggested []taxonomy.Element

	suggested []ref
}

// Snapshot is the part of a schema that a resolved document carries.
type Snapshot struct {
	Type       taxonomy.DatachainType
	Categories []taxonomy.Category
	Elements   []taxonomy.Element

	at, typ              ref
	categories, elements []ref
}

// stranger is a member that its object is not known to have.
type stranger struct {
	at    ref
	known []string // what the object is known to have
}

// unexpected is a value that may stand where it does but usually does not.
type unexpected struct {
	at   ref
	want *want
}
