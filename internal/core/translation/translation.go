// Package translation writes and reads the files with which translators work: XLIFF 2.0
// and CSV. It knows nothing about where the texts come from.
package translation

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"slices"
	"strings"

	"placard/internal/core/problem"
)

// File has texts in one language and their translations into another.
type File struct {
	Original string // what is translated
	From, To string // locales
	Units    []Unit
}

// Unit is one text.
type Unit struct {
	ID     string // an NMTOKEN
	What   string // describes it to translators
	Source string
	Target string // empty without a translation
	State  State
}

// State says what a translator has to do.
type State string

// The states of units.
const (
	Initial    State = "initial"    // without a translation
	Translated State = "translated" // with one
	Outdated   State = "outdated"   // with one of an earlier text
)

// outdated marks units in XLIFF, which has no such state.
const outdated = "placard:outdated"

type xliff struct {
	XMLName xml.Name    `xml:"urn:oasis:names:tc:xliff:document:2.0 xliff"`
	Version string      `xml:"version,attr"`
	From    string      `xml:"srcLang,attr"`
	To      string      `xml:"trgLang,attr"`
	Files   []xliffFile `xml:"file"`
}

type xliffFile struct {
	ID           string      `xml:"id,attr"`
	Original     string      `xml:"original,attr"`
	CanResegment string      `xml:"canResegment,attr"`
	Space        string      `xml:"xml:space,attr"`
	Units        []xliffUnit `xml:"unit"`
}

type xliffUnit struct {
	ID       string         `xml:"id,attr"`
	Notes    []string       `xml:"notes>note"`
	Segments []xliffSegment `xml:"segment"`
}

type xliffSegment struct {
	State    State      `xml:"state,attr,omitempty"`
	SubState string     `xml:"subState,attr,omitempty"`
	Source   xliffText  `xml:"source"`
	Target   *xliffText `xml:"target"`
}

type xliffText struct {
	Text   string     `xml:",chardata"`
	Inline []struct{} `xml:",any"`
}

// XLIFF returns f as an XLIFF 2.0 file.
func (f *File) XLIFF() ([]byte, error) {
	content := xliffFile{ID: "texts", Original: f.Original, CanResegment: "no", Space: "preserve"}
	for _, u := range f.Units {
		s := xliffSegment{State: u.State, Source: xliffText{Text: u.Source}}
		if u.Target != "" {
			s.Target = &xliffText{Text: u.Target}
		}
		if u.State == Outdated {
			s.State, s.SubState = Initial, outdated
		}
		content.Units = append(content.Units, xliffUnit{u.ID, []string{u.What}, []xliffSegment{s}})
	}
	data, err := xml.MarshalIndent(xliff{Version: "2.0", From: f.From, To: f.To, Files: []xliffFile{content}}, "", "  ")
	return slices.Concat([]byte(xml.Header), data, []byte("\n")), err
}

// ParseXLIFF reads an XLIFF 2 file.
func ParseXLIFF(data []byte) (*File, error) {
	var x xliff
	if err := xml.Unmarshal(data, &x); err != nil {
		return nil, problem.Failure("It is not an XLIFF 2 file: %s.", err).Hint("Export the texts again, or save the file as XLIFF 2.")
	}
	f := &File{From: x.From, To: x.To}
	for _, file := range x.Files {
		for _, u := range file.Units {
			if len(u.Segments) != 1 || u.Segments[0].Target != nil && len(u.Segments[0].Target.Inline) > 0 {
				return nil, problem.Failure("The unit %q must have one segment, without markup in its target.", problem.Clip(u.ID)).
					Hint("Switch off segmentation and tags in the translation program, and translate this unit again.")
			}
			unit := Unit{ID: u.ID, Source: u.Segments[0].Source.Text}
			if target := u.Segments[0].Target; target != nil {
				unit.Target = target.Text
			}
			f.Units = append(f.Units, unit)
		}
	}
	return f, nil
}

// The columns of CSV files, before the locale for source and target.
const (
	idColumn     = "id"
	sourceColumn = "source "
	targetColumn = "target "
)

const byteOrderMark = "\ufeff"

// CSV returns f as a table, with a byte order mark, without which spreadsheet programs
// misread it.
func (f *File) CSV() ([]byte, error) {
	rows := [][]string{{byteOrderMark + idColumn, "what", sourceColumn + f.From, targetColumn + f.To, "state"}}
	for _, u := range f.Units {
		rows = append(rows, []string{u.ID, u.What, u.Source, u.Target, string(u.State)})
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}

// ParseCSV reads a table with the columns id, source and target, in any order.
// Spreadsheet programs may have separated the columns with semicolons.
func ParseCSV(data []byte) (*File, error) {
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	r := csv.NewReader(bytes.NewReader(data))
	if header, _, _ := bytes.Cut(data, []byte("\n")); !bytes.Contains(header, []byte(",")) {
		r.Comma = ';'
	}
	rows, err := r.ReadAll()
	if err != nil {
		return nil, problem.Failure("It is not a CSV file: %s.", err).Hint("Correct this line, or export the texts again.")
	}
	column := func(name string) int {
		return slices.IndexFunc(slices.Concat(rows[:min(len(rows), 1)]...), func(title string) bool { return strings.HasPrefix(title, name) })
	}
	id, source, target := column(idColumn), column(sourceColumn), column(targetColumn)
	if id < 0 || source < 0 || target < 0 {
		return nil, problem.Failure("Line 1 must name the columns id, source and target, such as \"source en\" and \"target de\".").
			Hint("Export the texts again, and keep the first line as it is.")
	}
	f := &File{From: strings.TrimPrefix(rows[0][source], sourceColumn), To: strings.TrimPrefix(rows[0][target], targetColumn)}
	for _, row := range rows[1:] {
		f.Units = append(f.Units, Unit{ID: row[id], Source: row[source], Target: row[target]})
	}
	return f, nil
}
