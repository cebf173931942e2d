package taxonomy

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Status says whether a release may still change.
type Status string

const (
	Beta   Status = "beta"
	Stable Status = "stable"
)

// Statuses lists every status.
var Statuses = []Status{Beta, Stable}

// ID is the canonical id of a release, written <type>@<YYYY-MM-DD>-<status>.
// The zero ID identifies no release. [ParseID] returns only valid ids.
type ID struct {
	Type   string
	Date   string // a valid date, YYYY-MM-DD
	Status Status
}

// ParseID parses a canonical id.
func ParseID(s string) (ID, error) {
	typ, rest, ok := strings.Cut(s, "@")
	if !ok || !IsWord(typ) {
		return ID{}, fmt.Errorf("%q is not of the form <type>@<YYYY-MM-DD>-<status>", s)
	}
	return ParseIDParts(typ, rest)
}

// ParseIDParts parses a type and the part of a canonical id after the @, which
// is also the name of a release's folder in an authoring tree.
func ParseIDParts(typ, dated string) (ID, error) {
	if !IsWord(typ) {
		return ID{}, fmt.Errorf("type %q has characters outside a-z, A-Z, 0-9, _ and -", typ)
	}
	if len(dated) < len("2006-01-02-x") || dated[10] != '-' {
		return ID{}, fmt.Errorf("%q is not of the form <YYYY-MM-DD>-<status>", dated)
	}
	date, status := dated[:10], Status(dated[11:])
	if !IsDate(date) {
		return ID{}, fmt.Errorf("%q is not a valid date", date)
	}
	if status != Beta && status != Stable {
		return ID{}, fmt.Errorf("status %q is neither beta nor stable", status)
	}
	return ID{typ, date, status}, nil
}

func (id ID) String() string {
	return id.Type + "@" + id.Date + "-" + string(id.Status)
}

// Folder returns the path of the release below the root of an authoring tree.
func (id ID) Folder() string {
	return id.Type + "/" + id.Date + "-" + string(id.Status)
}

// IsZero reports whether id is the zero ID.
func (id ID) IsZero() bool { return id == ID{} }

// Compare orders ids by type, then date, then beta before stable.
func (id ID) Compare(other ID) int {
	return cmp.Or(
		cmp.Compare(id.Type, other.Type),
		cmp.Compare(id.Date, other.Date),
		cmp.Compare(id.Status, other.Status),
	)
}

// MarshalText returns the canonical form.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText parses the canonical form.
func (id *ID) UnmarshalText(text []byte) error {
	parsed, err := ParseID(string(text))
	if err == nil {
		*id = parsed
	}
	return err
}

// Ref is a reference to a release: its canonical id or an alias.
type Ref struct {
	text string
	id   ID
}

// ParseRef parses a canonical id or an alias: <type>@latest, <type>@2026-08-12
// or <type>@<name>. It does not check whether the release exists.
func ParseRef(s string) (Ref, error) {
	typ, name, ok := strings.Cut(s, "@")
	if !ok || !IsWord(typ) {
		return Ref{}, fmt.Errorf("%q is neither <type>@<YYYY-MM-DD>-<status> nor <type>@<alias>", s)
	}
	if isAliasName(name) || IsDate(name) {
		return Ref{text: s}, nil
	}
	id, err := ParseIDParts(typ, name)
	if err != nil {
		return Ref{}, err
	}
	return Ref{text: s, id: id}, nil
}

// ID returns the canonical id in r; ok is false if r is an alias.
func (r Ref) ID() (id ID, ok bool) { return r.id, !r.id.IsZero() }

func (r Ref) String() string { return r.text }

// Names of the aliases that are computed from the published releases.
const (
	AliasLatest = "latest"
	AliasStable = "stable"
	AliasBeta   = "beta"
)

// IsPinnable reports whether a publisher may pin the alias name to a release:
// it is well-formed and not computed by Placard.
func IsPinnable(name string) bool {
	return isAliasName(name) && name != AliasLatest && name != AliasStable && name != AliasBeta
}

// isAliasName reports whether s has the form [a-z][a-z0-9-]*.
func isAliasName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z') && (i == 0 || c != '-' && !('0' <= c && c <= '9')) {
			return false
		}
	}
	return s != ""
}

// IsDate reports whether s is a valid date in the form YYYY-MM-DD.
func IsDate(s string) bool {
	// Most callers pass an alias, for which time.Parse would allocate an error.
	if len(s) != len(time.DateOnly) || s[4] != '-' {
		return false
	}
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// IsWord reports whether s is a non-empty string of the characters allowed in
// ids: a-z, A-Z, 0-9, _ and -.
func IsWord(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z') && !('0' <= c && c <= '9') && c != '_' && c != '-' {
			return false
		}
	}
	return s != ""
}
