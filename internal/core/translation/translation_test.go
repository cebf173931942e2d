package translation

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var example = File{Original: "demo@2026-01-31-beta", From: "en", To: "de", Units: []Unit{
	{ID: "elements.kept_for.title", What: "the title of element kept_for", Source: "Kept for {{duration}}", Target: "{{duration}} lang", State: Outdated},
	{ID: "elements.kept_for.description", What: `the <description> "of" it`, Source: "Line\n\n<b> & \"two\"; 道路\t.", State: Initial},
	{ID: "meta.title", What: "the title of the release", Source: "Demo", Target: "=Demo, \"ja\"", State: Translated},
}}

func TestFilesAreReadAsWritten(t *testing.T) {
	for name, form := range map[string]struct {
		write func(*File) ([]byte, error)
		read  func([]byte) (*File, error)
	}{"XLIFF": {(*File).XLIFF, ParseXLIFF}, "CSV": {(*File).CSV, ParseCSV}} {
		data, err := form.write(&example)
		if err != nil {
			t.Fatal(err)
		}
		got, err := form.read(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := File{From: "en", To: "de"}
		for _, u := range example.Units {
			want.Units = append(want.Units, Unit{ID: u.ID, Source: u.Source, Target: u.Target})
		}
		if diff := cmp.Diff(want, *got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestXLIFFHasTheStructureOfTheStandard checks the parts of the schema of XLIFF 2.0 that
// a file uses: the children of each element in order, and its attributes.
func TestXLIFFHasTheStructureOfTheStandard(t *testing.T) {
	const namespace = "urn:oasis:names:tc:xliff:document:2.0"
	structure := map[string]struct{ children, attributes string }{
		"xliff":   {`(file )+`, `version=2\.0 srcLang=\S+ trgLang=\S+ `},
		"file":    {`(unit )+`, `id=[\w.:-]+ original=\S+ canResegment=(yes|no) space=(default|preserve) `},
		"unit":    {`(notes )?segment `, `id=[\w.:-]+ `},
		"notes":   {`(note )+`, ``},
		"note":    {``, ``},
		"segment": {`source (target )?`, `state=(initial|translated|reviewed|final) (subState=[^:\s]+:\S+ )?`},
		"source":  {``, ``},
		"target":  {``, ``},
	}
	data, err := example.XLIFF()
	if err != nil {
		t.Fatal(err)
	}
	type element struct{ name, children string }
	open := []element{{}}
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			attributes := ""
			for _, a := range token.Attr {
				if a.Name.Local != "xmlns" {
					attributes += a.Name.Local + "=" + a.Value + " "
				}
			}
			want, known := structure[token.Name.Local]
			if !known || token.Name.Space != namespace || !regexp.MustCompile(`^`+want.attributes+`$`).MatchString(attributes) {
				t.Errorf("<%s> has the namespace %q and the attributes %s", token.Name.Local, token.Name.Space, attributes)
			}
			open[len(open)-1].children += token.Name.Local + " "
			open = append(open, element{name: token.Name.Local})
		case xml.EndElement:
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if !regexp.MustCompile(`^` + structure[last.name].children + `$`).MatchString(last.children) {
				t.Errorf("<%s> has the children %s", last.name, last.children)
			}
		case xml.CharData:
			if len(bytes.TrimSpace(token)) > 0 && !slices.Contains([]string{"note", "source", "target"}, open[len(open)-1].name) {
				t.Errorf("<%s> contains the text %q", open[len(open)-1].name, token)
			}
		}
	}
	if !strings.Contains(string(data), `<segment state="initial" subState="placard:outdated">`) {
		t.Errorf("no unit is outdated:\n%s", data)
	}
}

func TestCSVSaysWhatIsOutdated(t *testing.T) {
	data, err := example.CSV()
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(data), "\n")
	if first != "\ufeffid,what,source en,target de,state" ||
		!strings.HasPrefix(rest, "elements.kept_for.title,the title of element kept_for,Kept for {{duration}},{{duration}} lang,outdated\n") {
		t.Errorf("got %s", data)
	}
}

func TestTablesOfSpreadsheetProgramsAreRead(t *testing.T) {
	f, err := ParseCSV([]byte("target de;id;source en\r\n\"a;\r\nb\";meta.title;Demo\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&File{From: "en", To: "de", Units: []Unit{{ID: "meta.title", Source: "Demo", Target: "a;\nb"}}}, f); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMalformedFilesAreRefused(t *testing.T) {
	const start = `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de"><file id="f"><unit id="u">`
	for _, test := range []struct {
		read  func([]byte) (*File, error)
		input string
		want  string
	}{
		{ParseXLIFF, "", "It is not an XLIFF 2 file: EOF."},
		{ParseXLIFF, start + "\n\n</file>", "XML syntax error on line 3: element <unit> closed by </file>."},
		{ParseXLIFF, `<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2"/>`, "It is not an XLIFF 2 file: expected element <xliff> in name space"},
		{ParseXLIFF, start + `</unit></file></xliff>`, `The unit "u" must have one segment`},
		{ParseXLIFF, start + `<segment><source>a</source><target>a <pc id="1">b</pc></target></segment></unit></file></xliff>`, "without markup in its target."},
		{ParseCSV, "", "Line 1 must name the columns"},
		{ParseCSV, "id,source,target\n", "Line 1 must name the columns"},
		{ParseCSV, "id,source en,target de\na,b,c\na,b\n", "It is not a CSV file: record on line 3: wrong number of fields."},
		{ParseCSV, "id,source en,target de\na,b,\"c\n", "It is not a CSV file: parse error on line 2, column 8"},
	} {
		if f, err := test.read([]byte(test.input)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got %v, %v, want an error with %q", test.input, f, err, test.want)
		}
	}
}
