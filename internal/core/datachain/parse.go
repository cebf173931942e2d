package datachain

import (
	"slices"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// Parse parses a thin document. The error is a bad_request [problem.Problem] if
// body is not strict JSON, or the error returned by step. If values have the wrong
// type, Parse returns no document and a report of parse_error findings.
func Parse(body []byte, step Step) (*Document, Report, error) {
	d := new(Document)
	report, err := newReader(step).document(body, d, nil)
	if err != nil || !report.OK() {
		d.Release()
		return nil, report, err
	}
	return d, report, nil
}

// ParseResolved parses a resolved document, like [Parse].
func ParseResolved(body []byte, step Step) (*Resolved, Report, error) {
	d := new(Resolved)
	report, err := newReader(step).document(body, &d.Document, d)
	if err != nil || !report.OK() {
		d.Release()
		return nil, report, err
	}
	return d, report, nil
}

func newReader(step Step) *reader {
	s := scratchPool.Get().(*scratch)
	s.reader = reader{tree: &s.tree, meter: newMeter(step), scratch: s, found: findings{tree: &s.tree}}
	return &s.reader
}

var (
	thinFields = []string{
		"id", "title", "description", "schema_version", "created_at", "updated_at", "instance_version", "elements",
		"sources", "linked_instance_ids", "subchain_instances", "authoring_provenance",
	}
	resolvedFields = slices.Concat(thinFields, []string{"schema_snapshot", "suggested_elements"})
)

// rulesLater ends the hint of the last parse_error.
const rulesLater = " The other rules are checked once every value has the right type."

// document parses body into d. The members that only resolved documents have are
// parsed into resolved, unless it is nil.
func (r *reader) document(body []byte, d *Document, resolved *Resolved) (Report, error) {
	d.scratch, d.tree = r.scratch, r.tree
	if err := r.read(body, &r.meter); err != nil {
		return Report{}, err
	}
	isThin := false
	if r.isObject(0, wantDocument) {
		isThin = resolved != nil && r.member(0, "schema_snapshot") == 0 && r.member(0, "elements") != 0
		if isThin {
			r.reportThin()
		} else {
			r.root(d, resolved)
		}
	}
	d.addresses = r.scratch.addresses
	d.locales, d.unknownMembers, d.unexpected = r.scratch.locales, r.unknownMembers, r.unexpected
	again := problem.Validate("")
	if resolved != nil {
		again = problem.ValidateResolved("")
	}
	report, err := r.found.report(&r.meter, again)
	if n := len(report.Errors); n > 0 && !isThin {
		report.Errors[n-1].FixHint += rulesLater
	}
	return report, err
}

func (r *reader) root(d *Document, resolved *Resolved) {
	var id, created ref
	for name, v := range r.members(0) {
		switch name {
		case "ok": // Responses of resolve can be sent back unchanged.
		case "id":
			d.ID, id = r.string(v), v
		case "title":
			d.Title = r.localized(v)
		case "description":
			d.Description = r.localized(v)
		case "schema_version":
			d.SchemaVersion, d.version = r.version(v), v
		case "created_at":
			d.CreatedAt, created = r.timestamp(v), v
		case "updated_at":
			d.UpdatedAt = r.timestamp(v)
		case "instance_version":
			d.InstanceVersion = r.revision(v)
		case "elements":
			d.Elements, d.elements = r.placements(v), v
		case "sources":
			d.Sources = r.sources(v)
		case "linked_instance_ids":
			d.LinkedInstanceIDs = r.stringList(v)
		case "subchain_instances":
			d.SubchainInstances = each(r, v, r.subchainInstance)
		case "authoring_provenance":
			d.Provenance = r.provenance(v)
		default:
			switch {
			case resolved == nil:
				r.unknownMember(v, thinFields)
			case name == "schema_snapshot":
				resolved.Snapshot = r.snapshot(v)
			case name == "suggested_elements":
				r.records(v, &resolved.Suggested, false)
				resolved.suggested = r.list(v)
			default:
				r.unknownMember(v, resolvedFields)
			}
		}
	}
	r.require(id, 0, "id", wantString)
	r.require(d.version, 0, "schema_version", wantVersion)
	r.require(created, 0, "created_at", wantTimestamp)
	r.require(d.elements, 0, "elements", wantPlacements)
	if resolved != nil {
		r.require(resolved.Snapshot.node, 0, "schema_snapshot", wantSnapshot)
	}
}

// reportThin reports that a document is not resolved. Its other members may be
// right for a thin document, so they are not checked.
func (r *reader) reportThin() {
	r.found.add(parseError.Code, problem.Error, location{missing: "schema_snapshot"}, func() problem.Problem {
		found := parseError.Found("The document has no schema_snapshot, so it is a thin document, not a resolved one.")
		version := ""
		if v := r.member(0, "schema_version"); v != 0 && r.kind(v) == '"' {
			if id, err := taxonomy.ParseID(r.str(v)); err == nil {
				version = id.String()
			}
		}
		return found.Hint("Validate it as a thin document, or resolve it first.").See(problem.Validate(version))
	})
}

func (r *reader) version(n ref) taxonomy.ID {
	s := r.stringOf(n, wantVersion)
	id, err := taxonomy.ParseID(s)
	if err != nil && r.kind(n) == '"' {
		r.reportWrong(n, wantVersion)
	}
	return id
}

func (r *reader) revision(n ref) string {
	if r.kind(n) == '0' {
		return r.raw(n)
	}
	return r.stringOf(n, wantRevision)
}

func (r *reader) placements(n ref) []Placement {
	if !r.isArray(n, wantPlacements) {
		return nil
	}
	if r.size(n) == 0 {
		r.reportWrong(n, wantPlacements)
	}
	for _, item := range r.items(n) {
		r.scratch.placements = fill(r, r.scratch.placements, item, (*reader).placement)
	}
	return r.scratch.placements
}

var placementFields = []string{
	"element_id", "context_type_id", "variables", "element_instance_id", "label", "priority", "subchain_instance_id",
	"sources", "actions",
}

func (r *reader) placement(n ref, p *Placement) {
	p.refs.self = n
	if !r.isObject(n, wantPlacement) {
		return
	}
	for name, v := range r.members(n) {
		switch name {
		case "element_id":
			p.ElementID, p.refs.element = r.stringOf(v, wantElementID), v
		case "context_type_id":
			p.ContextTypeID, p.refs.context = r.string(v), v
		case "variables":
			p.Variables, p.refs.variables = r.variableList(v), v
		case "element_instance_id":
			p.ElementInstanceID, p.refs.instance = r.string(v), v
		case "label":
			p.Label = r.label(v)
		case "priority":
			p.Priority = r.count(v)
		case "subchain_instance_id":
			p.SubchainInstanceID, p.refs.subchain = r.string(v), v
		case "sources":
			p.Sources = r.sources(v)
		case "actions":
			p.Actions = each(r, v, r.action)
		default:
			r.unknownMember(v, placementFields)
		}
	}
	r.require(p.refs.element, n, "element_id", wantElementID)
}

func (r *reader) label(n ref) Label {
	if r.kind(n) == '[' {
		return Label{Localized: r.localized(n), node: n}
	}
	return Label{Text: r.stringOf(n, wantLabel), node: n}
}

func (r *reader) variableList(n ref) []Variable {
	if !r.isArray(n, wantVariables) {
		return nil
	}
	list := r.scratch.variables.alloc(r.size(n))
	for _, item := range r.items(n) {
		list = fill(r, list, item, (*reader).variable)
	}
	return list
}

var variableFields = []string{"id", "value"}

func (r *reader) variable(n ref, variable *Variable) {
	if !r.isObject(n, wantVariable) {
		return
	}
	for name, v := range r.members(n) {
		switch name {
		case "id":
			variable.ID, variable.id = r.string(v), v
		case "value":
			variable.Value, variable.value = r.value(v), v
		default:
			r.unknownMember(v, variableFields)
		}
	}
	r.require(variable.id, n, "id", wantString)
	r.require(variable.value, n, "value", wantValue)
}

// value parses a value as options if its first item is a string, else as texts.
func (r *reader) value(n ref) Value {
	switch {
	case !r.isArray(n, wantValue) || r.size(n) == 0:
		return Value{}
	case r.kind(n+1) == '"':
		return Value{kind: taxonomy.MultiSelectEnum, options: r.stringList(n)}
	}
	return Value{kind: taxonomy.LocalizedText, text: r.localized(n)}
}

var actionFields = []string{"type", "label", "target"}

func (r *reader) action(n ref) (a Action) {
	if !r.isObject(n, wantAction) {
		return a
	}
	var typ, label, target ref
	for name, v := range r.members(n) {
		switch name {
		case "type":
			a.Type, typ = r.stringOf(v, wantActionType), v
			if r.kind(v) == '"' && !slices.Contains(ActionTypes, a.Type) {
				r.reportWrong(v, wantActionType)
			}
		case "label":
			a.Label, label = r.localized(v), v
		case "target":
			a.Target, target = r.string(v), v
		default:
			r.unknownMember(v, actionFields)
		}
	}
	r.require(typ, n, "type", wantActionType)
	r.require(label, n, "label", wantLocalized)
	r.require(target, n, "target", wantString)
	r.scratch.addresses = append(r.scratch.addresses, address{target, a.Type})
	return a
}

var subchainInstanceFields = []string{"id", "subchain_id", "label", "head_refs", "order"}

func (r *reader) subchainInstance(n ref) (s SubchainInstance) {
	s.self = n
	if !r.isObject(n, wantSubchain) {
		return s
	}
	for name, v := range r.members(n) {
		switch name {
		case "id":
			s.ID, s.id = r.string(v), v
		case "subchain_id":
			s.SubchainID, s.subchain = r.string(v), v
		case "label":
			s.Label = r.label(v)
		case "head_refs":
			s.HeadRefs, s.heads = r.stringList(v), v
		case "order":
			s.Order = r.whole(v)
		default:
			r.unknownMember(v, subchainInstanceFields)
		}
	}
	r.require(s.id, n, "id", wantString)
	r.require(s.subchain, n, "subchain_id", wantString)
	return s
}
