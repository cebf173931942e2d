package datachain

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	wantProvenance     = newWant("an object with a kind", `{"kind": "human"}`)
	wantKind           = newWant("a string that names the kind of author", `"human"`)
	wantEntries        = newWant("an object of objects", `{"video_camera": {"rationale": "It is in the plans."}}`)
	wantEntry          = newWant("an object", `{"rationale": "It is in the plans."}`)
	wantRationales     = newWant("an object whose names are variable ids", `{"detail": "It is in the plans."}`)
	expectedKind       = newChoice([]string{Human, AIGenerated})
	expectedModel      = newWant("a string that names a model", `"model-4"`)
	expectedConfidence = newChoice(Confidences)
	expectedReferences = newWant("an array of references", `[{"quote": "Two cameras watch the gate."}]`)
	expectedReference  = newWant("an object with a quote", `{"quote": "Two cameras watch the gate."}`)
)

// Confidences lists the expected values of confidence in an element's provenance.
var Confidences = []string{"high", "medium", "low"}

var provenanceFields = []string{"kind", "model", "generated_at", "element_provenance"}

// provenance parses authoring_provenance. Only members that rules depend on must
// have the right type; in others, unexpected values are recorded.
func (r *reader) provenance(n ref) *Provenance {
	p := new(Provenance)
	if !r.isObject(n, wantProvenance) {
		return p
	}
	for name, v := range r.members(n) {
		switch name {
		case "kind":
			p.Kind, p.kind = r.stringOf(v, wantKind), v
			r.expect(v, expectedKind, p.Kind == Human || p.Kind == AIGenerated)
		case "model":
			p.Model = r.expectString(v, expectedModel)
		case "generated_at":
			p.GeneratedAt = r.expectString(v, wantTimestamp)
			r.expect(v, wantTimestamp, r.kind(v) != '"' || isTimestamp(p.GeneratedAt))
		case "element_provenance":
			p.Elements = r.elementProvenances(v)
		default:
			r.unknownMember(v, provenanceFields)
		}
	}
	r.require(p.kind, n, "kind", wantKind)
	return p
}

func (r *reader) elementProvenances(n ref) []ElementProvenance {
	if !r.isObject(n, wantEntries) {
		return nil
	}
	list := make([]ElementProvenance, 0, min(r.size(n), maxPrealloc))
	for key, v := range r.members(n) {
		list = keep(r, list, r.elementProvenance(key, v))
	}
	return list
}

var elementProvenanceFields = []string{"rationale", "confidence", "source_references", "variable_rationale"}

func (r *reader) elementProvenance(key string, n ref) ElementProvenance {
	e := ElementProvenance{Key: key, node: n}
	if !r.isObject(n, wantEntry) {
		return e
	}
	for name, v := range r.members(n) {
		switch name {
		case "rationale":
			e.Rationale = r.expectString(v, wantString)
		case "confidence":
			e.Confidence = r.expectString(v, expectedConfidence)
			r.expect(v, expectedConfidence, r.kind(v) != '"' || slices.Contains(Confidences, e.Confidence))
		case "source_references":
			e.SourceReferences = r.sourceReferences(v)
		case "variable_rationale":
			e.VariableRationale = r.variableRationales(v)
		default:
			r.unknownMember(v, elementProvenanceFields)
		}
	}
	return e
}

var sourceReferenceFields = []string{"quote", "context"}

func (r *reader) sourceReferences(n ref) []SourceReference {
	if !r.expectKind(n, '[', expectedReferences) {
		return nil
	}
	var list []SourceReference
	for _, item := range r.items(n) {
		if !r.expectKind(item, '{', expectedReference) {
			continue
		}
		r.expect(item, expectedReference, r.member(item, "quote") != 0)
		var reference SourceReference
		for name, v := range r.members(item) {
			switch name {
			case "quote":
				reference.Quote = r.expectString(v, wantString)
			case "context":
				reference.Context = r.expectString(v, wantString)
			default:
				r.unknownMember(v, sourceReferenceFields)
			}
		}
		list = keep(r, list, reference)
	}
	return list
}

func (r *reader) variableRationales(n ref) []VariableRationale {
	if !r.isObject(n, wantRationales) {
		return nil
	}
	list := make([]VariableRationale, 0, min(r.size(n), maxPrealloc))
	for name, v := range r.members(n) {
		rationale := VariableRationale{VariableID: name, node: v}
		if r.kind(v) == '"' {
			rationale.Text = r.str(v)
		}
		list = keep(r, list, rationale)
	}
	return list
}

// expect records n as unexpected unless ok is true.
func (r *reader) expect(n ref, w *want, ok bool) {
	if !ok {
		r.unexpected = append(r.unexpected, unexpected{n, w})
	}
}

func (r *reader) expectKind(n ref, kind jsontext.Kind, w *want) bool {
	r.expect(n, w, r.kind(n) == kind)
	return r.kind(n) == kind
}

func (r *reader) expectString(n ref, w *want) string {
	if !r.expectKind(n, '"', w) {
		return ""
	}
	return r.str(n)
}
