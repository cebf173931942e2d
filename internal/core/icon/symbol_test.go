package icon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
	"placard/scripts/envtest"
)

func TestEachExampleBreaksOnlyItsRule(t *testing.T) {
	seen := map[problem.Code]bool{}
	for _, rule := range Rules {
		t.Run(string(rule.Code), func(t *testing.T) {
			if seen[rule.Code] {
				t.Fatal("duplicate code")
			}
			seen[rule.Code] = true
			example := rule.Example
			if rule.Code == ruleTooLarge.Code {
				example = in(examplePath) + strings.Repeat(" ", maxBytes)
			}
			symbol, found := ParseSymbol([]byte(example))
			if len(found) != 1 || found[0].Code != rule.Code || found[0].Severity != rule.Severity {
				t.Fatalf("got findings %v, want one %s with severity %s", found, rule.Code, rule.Severity)
			}
			if found[0].Pos.Line == 0 || found[0].Pos.Column == 0 || found[0].FixHint == "" {
				t.Errorf("the finding has no position or no hint: %+v", found[0])
			}
			if (symbol == nil) != (rule.Severity == problem.Error) {
				t.Errorf("got symbol %v with a finding of severity %s", symbol, rule.Severity)
			}
			for _, sentence := range []string{rule.Title, rule.Why, found[0].Message} {
				if !strings.HasSuffix(sentence, ".") {
					t.Errorf("%q does not end in a period", sentence)
				}
			}
		})
	}
}

// in returns a symbol with content on its second line.
func in(content string) string { return svgStart + content + svgEnd }

func TestFindingsHavePositions(t *testing.T) {
	tests := map[string]struct {
		svg  string
		want []string // code line:column
	}{
		"several findings in order": {
			in(`<path onclick="x" d="M0 0"/>` + "\n" + `<script/><image/>` + "\n" + `<g style="a" class="b"/>`),
			[]string{"SYMBOL_EVENT_ATTRIBUTE 2:7", "SYMBOL_SCRIPT 3:1", "SYMBOL_ELEMENT_NOT_ALLOWED 3:10", "SYMBOL_STYLE 4:11", "SYMBOL_ATTRIBUTE_NOT_ALLOWED 4:14"},
		},
		"columns count characters": {
			in(`<title>ちず</title><path/>é`),
			[]string{"SYMBOL_TEXT 2:25"},
		},
		"a finding in a value": {
			in(`<path  fill = 'url(https://example.org/#a)' d="M0 0"/>`),
			[]string{"SYMBOL_EXTERNAL_REFERENCE 2:16"},
		},
		"a start tag on several lines": {
			in("<path d=\"M0 0\n1 1\"\n\tfill=\"url(#no)\"/>"),
			[]string{"SYMBOL_REFERENCE_UNKNOWN 4:8"},
		},
		"an element that is never closed": {
			svgStart + "<g>\n<g><path/></g>",
			[]string{"SYMBOL_MALFORMED 2:1"},
		},
		"a document that ends inside a tag": {
			svgStart + "<path d=",
			[]string{"SYMBOL_MALFORMED 2:1"},
		},
		"elements closed in the wrong order": {
			in("<g><path/>\n</svg></g>"),
			[]string{"SYMBOL_MALFORMED 3:1"},
		},
		"findings before a syntax error": {
			in("<script/>\n<path fill=red/>"),
			[]string{"SYMBOL_SCRIPT 2:1", "SYMBOL_MALFORMED 3:12"},
		},
		"an empty file":        {"", []string{"SYMBOL_MALFORMED 1:1"}},
		"only a comment":       {"<!-- fish -->", []string{"SYMBOL_MALFORMED 1:14"}},
		"invalid UTF-8":        {in("<title>\xff</title><path/>"), []string{"SYMBOL_MALFORMED 2:8"}},
		"text before the root": {"fish" + in("<path/>"), []string{"SYMBOL_MALFORMED 1:1"}},
		"text after the root":  {in("<path/>") + " fish", []string{"SYMBOL_MALFORMED 3:8"}},
		"a second root":        {in("<path/>") + "<svg/>", []string{"SYMBOL_MALFORMED 3:7"}},
		"an invalid character in text": {
			in("<title>\n\n  fish \x01\n\n</title><path/>"), []string{"SYMBOL_MALFORMED 4:8"},
		},
		"invalid UTF-8 in text": {
			in("<title>\n\n  fish \xff\n\n</title><path/>"), []string{"SYMBOL_MALFORMED 4:8"},
		},
		"invalid UTF-8 in a value": {
			in("<path fill='none\n\n  \xff\n'/>"), []string{"SYMBOL_MALFORMED 4:3"},
		},
		"invalid UTF-8 in a name":                      {in("<path \xff='none'/>"), []string{"SYMBOL_MALFORMED 2:7"}},
		"invalid UTF-8 in a comment":                   {in("<!--\n \xff --><path/>"), []string{"SYMBOL_MALFORMED 3:2"}},
		"an invalid character in a comment":            {in("<!--\n \uFFFE --><script/><path/>"), []string{"SYMBOL_MALFORMED 3:2", "SYMBOL_SCRIPT 3:7"}},
		"an invalid character in a script":             {in("<script>\n\x00</script><path/>"), []string{"SYMBOL_SCRIPT 2:1", "SYMBOL_MALFORMED 3:1"}},
		"an invalid character after the root":          {in("<path/>") + "<!--\x7f\x1b-->", []string{"SYMBOL_MALFORMED 3:12"}},
		"a reference to a control character":           {in("<title>\n &#1;\n</title><path/>"), []string{"SYMBOL_MALFORMED 3:6"}},
		"a reference beyond Unicode":                   {in("<title>\n &#x110000;\n</title><path/>"), []string{"SYMBOL_ENTITY 3:2"}},
		"a bare ampersand":                             {in("<title>Fish & chips</title><path/>"), []string{"SYMBOL_MALFORMED 2:13"}},
		"an entity without a semicolon":                {in("<title>Fish &amp chips</title><path/>"), []string{"SYMBOL_MALFORMED 2:13"}},
		"no space between attributes":                  {in(`<path d="M0 0h9"fill-rule="evenodd"/>`), []string{"SYMBOL_MALFORMED 2:17"}},
		"no space between several attributes":          {in(`<path d='M0 0h9'fill="none"id="a"/>`), []string{"SYMBOL_MALFORMED 2:17", "SYMBOL_MALFORMED 2:28"}},
		"no space in the attributes of a title":        {in(`<title id="a"xml:lang="en">a</title><path/>`), []string{"SYMBOL_MALFORMED 2:14"}},
		"an attribute without quotes":                  {in(`<path d=M0/>`), []string{"SYMBOL_MALFORMED 2:9"}},
		"an attribute without a value":                 {in(`<path d/>`), []string{"SYMBOL_MALFORMED 2:8"}},
		"a less-than sign in a value":                  {in(`<path d="<"/>`), []string{"SYMBOL_MALFORMED 2:10"}},
		"two hyphens in a comment":                     {in(`<!-- a -- b --><path/>`), []string{"SYMBOL_MALFORMED 2:10"}},
		"an unmatched end of a CDATA section":          {in(`<title>]]></title><path/>`), []string{"SYMBOL_MALFORMED 2:10"}},
		"an XML declaration without a version":         {"<?xml encoding='UTF-8'?>" + in("<path/>"), []string{"SYMBOL_MALFORMED 1:1"}},
		"an empty XML declaration":                     {"<?xml?>" + in("<path/>"), []string{"SYMBOL_MALFORMED 1:1"}},
		"an XML declaration without quotes":            {"<?xml version=1.0?>" + in("<path/>"), []string{"SYMBOL_MALFORMED 1:1"}},
		"an XML declaration without spaces":            {"<?xml version='1.0'encoding='UTF-8'?>" + in("<path/>"), []string{"SYMBOL_MALFORMED 1:1"}},
		"an XML declaration in the wrong order":        {"<?xml encoding='UTF-8' version='1.0'?>" + in("<path/>"), []string{"SYMBOL_MALFORMED 1:1"}},
		"an XML declaration with an unknown attribute": {"<?xml version='1.0' fish='yes'?>" + in("<path/>"), []string{"SYMBOL_MALFORMED 1:1"}},
		"an XML declaration with an invalid value":     {"<?xml version='1.0' standalone='maybe'?>" + in("<path/>"), []string{"SYMBOL_MALFORMED 1:1"}},
		"a duplicate prefix":                           {in(`<path xmlns:x="urn:x" xmlns:x="urn:y"/>`), []string{"SYMBOL_MALFORMED 2:23"}},
		"a duplicate attribute":                        {in(`<path d="M0 0" d="M1 1"/>`), []string{"SYMBOL_MALFORMED 2:16"}},
		"an XML declaration after a newline":           {"\n<?xml version='1.0'?>" + in("<path/>"), []string{"SYMBOL_MALFORMED 2:1"}},
		"an unsupported version of XML":                {"<?xml version='1.1'?>" + in("<path/>"), []string{"SYMBOL_MALFORMED 1:1"}},
		"a root in another namespace":                  {`<svg xmlns="http://www.w3.org/1999/xhtml"/>`, []string{"SYMBOL_NOT_SVG 1:1"}},
		"an element in another namespace":              {in(`<x:path xmlns:x="urn:x"/><path/>`), []string{"SYMBOL_ELEMENT_NOT_ALLOWED 2:1"}},
		"a script in capitals":                         {in(`<SCRIPT/><path/>`), []string{"SYMBOL_SCRIPT 2:1"}},
		"a script in another namespace":                {in(`<x:script xmlns:x="http://www.w3.org/1999/xhtml"/><path/>`), []string{"SYMBOL_SCRIPT 2:1"}},
		"an event attribute in capitals":               {in(`<path ONCLICK="x"/>`), []string{"SYMBOL_EVENT_ATTRIBUTE 2:7"}},
		"an event attribute in another namespace":      {in(`<path xmlns:x="urn:x" x:onclick="y"/>`), []string{"SYMBOL_EVENT_ATTRIBUTE 2:23"}},
		"a style sheet":                                {in(`<style>path{fill:red}</style><path/>`), []string{"SYMBOL_STYLE 2:1"}},
		"a drawing inside a title":                     {in(`<title><path id="a"/></title><use href="#a"/>`), []string{"SYMBOL_ELEMENT_NOT_ALLOWED 2:8"}},
		"the id of a title":                            {in(`<title id="a">a</title><use href="#a"/>`), []string{"SYMBOL_REFERENCE_UNKNOWN 2:35"}},
		"an href on a path":                            {in(`<path href="#a" id="a"/>`), []string{"SYMBOL_ATTRIBUTE_NOT_ALLOWED 2:7"}},
		"an id in the XML namespace":                   {in(`<path xml:id="a"/>`), []string{"SYMBOL_ATTRIBUTE_NOT_ALLOWED 2:7"}},
		"a color attribute":                            {in(`<path color="red"/>`), []string{"SYMBOL_ATTRIBUTE_NOT_ALLOWED 2:7"}},
		"a script URL":                                 {in(`<use href="javascript:alert(1)"/>`), []string{"SYMBOL_EXTERNAL_REFERENCE 2:12"}},
		"a data URL":                                   {in(`<path fill="url(data:image/png;base64,AA)"/>`), []string{"SYMBOL_EXTERNAL_REFERENCE 2:13"}},
		"an external xlink reference":                  {in(`<use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="fish.svg#a"/>`), []string{"SYMBOL_EXTERNAL_REFERENCE 2:61"}},
		"both href and xlink:href":                     {in(`<g id="a"/><use xmlns:xlink="http://www.w3.org/1999/xlink" href="#a" xlink:href="#a"/>`), []string{"SYMBOL_MALFORMED 2:70"}},
		"a reference to the document":                  {in(`<use href=""/>`), []string{"SYMBOL_EXTERNAL_REFERENCE 2:12"}},
		"a URL in capitals":                            {in(`<path mask="URL(//example.org)"/>`), []string{"SYMBOL_EXTERNAL_REFERENCE 2:13"}},
		"an unclosed URL":                              {in(`<path mask="url(#a" id="a"/>`), []string{"SYMBOL_EXTERNAL_REFERENCE 2:13"}},
		"an escaped URL":                               {in(`<path mask="\75rl(//example.org)"/>`), []string{"SYMBOL_VALUE_NOT_ALLOWED 2:13"}},
		"a URL in an image set":                        {in(`<path mask="image-set('https://example.org/a.png' 1x)"/>`), []string{"SYMBOL_VALUE_NOT_ALLOWED 2:13"}},
		"a variable of the page":                       {in(`<path fill="var(--page)"/>`), []string{"SYMBOL_VALUE_NOT_ALLOWED 2:13"}},
		"an invalid preserveAspectRatio":               {strings.Replace(in("<path/>"), "viewBox", `preserveAspectRatio="url(#a)" viewBox`, 1), []string{"SYMBOL_VALUE_NOT_ALLOWED 1:62"}},
		"a viewBox in lower case":                      {strings.Replace(in("<path/>"), "viewBox", "viewbox", 1), []string{"SYMBOL_ATTRIBUTE_NOT_ALLOWED 1:41"}},
		"a viewBox of three numbers":                   {strings.Replace(in("<path/>"), "0 0 36 36", "0 36 36", 1), []string{"SYMBOL_VIEWBOX_INVALID 1:50"}},
		"a viewBox with two commas":                    {strings.Replace(in("<path/>"), "0 0 36 36", "0,,0 36 36", 1), []string{"SYMBOL_VIEWBOX_INVALID 1:50"}},
		"a viewBox with a trailing comma":              {strings.Replace(in("<path/>"), "0 0 36 36", "0 0 36 36,", 1), []string{"SYMBOL_VIEWBOX_INVALID 1:50"}},
		"a viewBox with a hexadecimal number":          {strings.Replace(in("<path/>"), "0 0 36 36", "0 0 0x24 36", 1), []string{"SYMBOL_VIEWBOX_INVALID 1:50"}},
		"a viewBox with a no-break space":              {strings.Replace(in("<path/>"), "0 0 36 36", "0 0 36\u00a036", 1), []string{"SYMBOL_VIEWBOX_INVALID 1:50"}},
		"a viewBox with a trailing period":             {strings.Replace(in("<path/>"), "0 0 36 36", "0 0 36. 36", 1), []string{"SYMBOL_VIEWBOX_INVALID 1:50"}},
		"a viewBox with NaN and Inf":                   {strings.Replace(in("<path/>"), "0 0 36 36", "0 0 NaN Inf", 1), []string{"SYMBOL_VIEWBOX_INVALID 1:50"}},
		"a cycle through a mask": {
			in(`<mask id="a"><path mask="url(#b)"/></mask><mask id="b"><path mask="url(#a)"/></mask><path/>`),
			[]string{"SYMBOL_REFERENCE_CYCLE 2:68"},
		},
		"a reference into an element that is not allowed": {
			in(`<switch><g id="a"/></switch><use href="#a"/>`),
			[]string{"SYMBOL_ELEMENT_NOT_ALLOWED 2:1"},
		},
		"properties that are not allowed are reported once": {
			in(`<g style="fill:none;  cursor:help"><path style="cursor:wait;filter:url(#a);strok:none"/></g>`),
			[]string{"SYMBOL_STYLE 2:23", "SYMBOL_STYLE 2:61", "SYMBOL_STYLE 2:76"},
		},
		"colours of a gradient": {in(`<linearGradient id="a"><stop stop-color="red"/></linearGradient><path fill="url(#a)"/>`), []string{"SYMBOL_FIXED_COLOR 2:42"}},
		"a colour in a mask and outside it": {
			in(`<defs><path id="a" fill="red"/></defs><mask id="b"><use href="#a"/></mask><g mask="url(#b)"><use href="#a"/></g>`),
			[]string{"SYMBOL_FIXED_COLOR 2:26"},
		},
		"the colour of a masked group": {in(`<mask id="a" fill="white"><path/></mask><g fill="white" mask="url(#a)"><path/></g>`), []string{"SYMBOL_FIXED_COLOR 2:50"}},
		"values in a style":            {in(`<path style="fill:url(//x);stroke:red"/>`), []string{"SYMBOL_EXTERNAL_REFERENCE 2:14", "SYMBOL_FIXED_COLOR 2:28"}},
		"a style with entities":        {in(`<path d="" style="fill:none;&#99;ursor:help"/>`), []string{"SYMBOL_STYLE 2:19"}},
		"styles that are not declarations": {
			in(`<path style="fill;:none;stroke:;@import 'a:b';f\69ll:red;a b:c"/>`),
			[]string{"SYMBOL_STYLE 2:14", "SYMBOL_STYLE 2:19", "SYMBOL_STYLE 2:25", "SYMBOL_STYLE 2:33", "SYMBOL_STYLE 2:47", "SYMBOL_STYLE 2:58"},
		},
		"a reference to data of a drawing program": {
			in(`<metadata><g id="a"/></metadata><use href="#a"/>`), []string{"SYMBOL_REFERENCE_UNKNOWN 2:44"},
		},
		"an attribute in another namespace": {in(`<path xmlns:x="urn:x" x:version="1"/>`), []string{"SYMBOL_ATTRIBUTE_NOT_ALLOWED 2:23"}},
		"an xlink attribute that is not a link": {
			in(`<path xmlns:xlink="http://www.w3.org/1999/xlink" xlink:fill="none"/>`), []string{"SYMBOL_ATTRIBUTE_NOT_ALLOWED 2:50"},
		},
		"only definitions": {in(`<defs><path/></defs><mask><path/></mask>`), []string{"SYMBOL_EMPTY 1:1"}},
		"an entity defined in a DOCTYPE": {
			`<!DOCTYPE svg [<!ENTITY fish "fish">]>` + "\n" + in(`<title>&fish;</title><path/>`),
			[]string{"SYMBOL_DOCTYPE 1:1", "SYMBOL_ENTITY 3:8"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, found := ParseSymbol([]byte(test.svg))
			var got []string
			for _, p := range found {
				got = append(got, strings.TrimSpace(string(p.Code)+" "+strings.TrimPrefix(p.Pos.String(), ":")))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s\n%v", diff, found)
			}
		})
	}
}

func TestValidSymbols(t *testing.T) {
	tests := map[string]string{
		"with an XML declaration":                   `<?xml version="1.0" encoding="utf-8"?>` + in("<path/>"),
		"with a full XML declaration":               "<?xml\nversion = '1.0'\tencoding = \"UTF-8\" standalone = 'no' ?>" + in("<path/>"),
		"with unusual spacing in the viewBox":       strings.Replace(in("<path/>"), "0 0 36 36", " -.5,+0 ,3.6e1\n ,\t36 ", 1),
		"with character references":                 in("<title>&#233;&#xE9;&#x1F41F; <![CDATA[ &#xD800; & ]]></title><!-- &#xD800; &#1; & --><path/>"),
		"with spaces around attributes":             in("<path\n\td = 'M0 0'\r\nfill\n=\n'none' ></path\n>"),
		"with unused namespaces":                    in(`<path xmlns:x="urn:x" xmlns:xml="http://www.w3.org/XML/1998/namespace"/>`),
		"with a byte order mark":                    "\uFEFF" + in("<path/>"),
		"with a comment":                            "<!-- fish -->" + in("<path/><!-- market -->"),
		"with a prefix":                             `<s:svg xmlns:s="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><s:path/></s:svg>`,
		"with attributes added by drawing programs": strings.Replace(in("<path/>"), "viewBox", `xmlns:x="urn:x" version="1.1" xml:space="preserve" width="36px" height="36px" x="0" y="0" viewBox`, 1),
		"with a gradient":                           in(`<defs><linearGradient id="a"><stop offset="0" stop-color="currentColor"/></linearGradient></defs><path fill="url('#a')"/>`),
		"with colours in a mask":                    in(`<mask id="a"><path fill="#FFF" stroke="rgb(0 0 0 / 50%)"/></mask><path mask="url( #a )"/>`),
		"with a coloured mask":                      in(`<mask id="a" fill="white"><path d="M0 0h9"/></mask><path mask="url(#a)"/>`),
		"with a coloured clip path":                 in(`<clipPath id="a" fill="#fff"><path fill="red"/></clipPath><path clip-path="url(#a)"/>`),
		"with a gradient in a mask":                 in(`<mask id="a"><rect fill="url(#b)"/></mask><linearGradient id="b" href="#c"/><linearGradient id="c"><stop stop-color="white"/></linearGradient><path mask="url(#a)"/>`),
		"with a definition used in a mask":          in(`<defs><path id="b" fill="white"/></defs><mask id="a"><use href="#b"/></mask><path mask="url(#a)"/>`),
		"with a colour that is never used":          in(`<defs fill="red"><path id="b" fill="red"/></defs><path/>`),
		"with the background colour": in(
			`<path stroke="var(--symbol-bg, white)" fill="var(--symbol-bg)" transform="translate(1,2) scale(.5) rotate(-3 1e-1 2)"/>`),
	}
	for name, svg := range tests {
		t.Run(name, func(t *testing.T) {
			if symbol, found := ParseSymbol([]byte(svg)); symbol == nil || len(found) > 0 {
				t.Errorf("got findings %v, want none", found)
			}
		})
	}
}

func TestStylesEqualAttributes(t *testing.T) {
	for name, test := range map[string]struct{ style, attributes string }{
		"one property":                  {`style="fill:none"`, `fill="none"`},
		"several properties":            {`style=" fill : none ;; stroke-width:.5px;"`, `fill="none" stroke-width=".5px"`},
		"capitals":                      {`style="FILL:none"`, `fill="none"`},
		"over an attribute":             {`fill="currentColor" style="fill:none"`, `fill="none"`},
		"before an attribute":           {`style="fill:none" fill="currentColor"`, `fill="none"`},
		"beside attributes":             {`style="fill:none" opacity=".5"`, `opacity=".5" fill="none"`},
		"a repeated property":           {`style="fill:currentColor;fill:none"`, `fill="none"`},
		"an important property":         {`style="fill:none ! Important;fill:currentColor"`, `fill="none"`},
		"two important properties":      {`style="fill:currentColor!important;fill:none!important"`, `fill="none"`},
		"comments":                      {`style="/* ; */fill/**/:/*:*/none/*;stroke:none"`, `fill="none"`},
		"a comment between words":       {`style="stroke-dasharray:1/**/2"`, `stroke-dasharray="1 2"`},
		"a semicolon in a quoted value": {`style="font-family:'a;fill:red';fill:none"`, `fill="none"`},
		"a reference":                   {`style="fill:url(#a);mask:url(&quot;#m&quot;)"`, `fill="url(#a)" mask="url(#m)"`},
		"the background":                {`style="fill:var(--symbol-bg, white)"`, `fill="var(--symbol-bg, white)"`},
		"keywords":                      {`style="clip-rule:evenodd;stroke-dasharray:none"`, `clip-rule="evenodd" stroke-dasharray="none"`},
		"properties without effect":     {`style="color:#000000;font-variation-settings:normal;-inkscape-stroke:none;marker:none;mix-blend-mode:normal;fill:none"`, `fill="none"`},
		"an empty style":                {`style=""`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			draw := func(attributes string) string {
				symbol, found := ParseSymbol([]byte(in(`<mask id="m"><path/></mask><linearGradient id="a"/><path d="M9 18h18" ` + attributes + `/>`)))
				if symbol == nil || len(found) > 0 {
					t.Fatalf("%s: got findings %v, want none", attributes, found)
				}
				return string(symbol.SVG())
			}
			if got, want := draw(test.style), draw(test.attributes); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestHintsListTheAllowedProperties(t *testing.T) {
	_, found := ParseSymbol([]byte(in(`<path style="cursor:help;strok-width:1"/>`)))
	if len(found) != 2 || !strings.Contains(found[0].FixHint, "clip-path, clip-rule") || strings.Contains(found[0].FixHint, "transform") {
		t.Fatalf("got %+v, want a hint that lists the properties", found)
	}
	if want := `Did you mean "stroke-width"`; !strings.HasPrefix(found[1].FixHint, want) {
		t.Errorf("got hint %q, want prefix %q", found[1].FixHint, want)
	}
}

// inkscapeSymbol is a drawing as Inkscape saves it.
const inkscapeSymbol = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!-- Created with Inkscape (http://www.inkscape.org/) -->

<svg
   width="36mm"
   height="36mm"
   viewBox="0 0 36 36"
   version="1.1"
   id="svg1"
   inkscape:version="1.3.2 (091e20e, 2023-11-25)"
   sodipodi:docname="lamp.svg"
   xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"
   xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"
   xmlns="http://www.w3.org/2000/svg"
   xmlns:svg="http://www.w3.org/2000/svg">
  <sodipodi:namedview
     id="namedview1"
     pagecolor="#ffffff"
     inkscape:document-units="mm" />
  <defs
     id="defs1" />
  <g
     inkscape:label="Layer 1"
     inkscape:groupmode="layer"
     id="layer1"
     transform="translate(-1.5,2)">
    <rect
       style="fill:#000000;stroke-width:0.26458;font-variation-settings:normal;-inkscape-stroke:none"
       id="rect1"
       width="12"
       height="6"
       x="9"
       y="9" />
  </g>
</svg>
`

func TestSymbolsOfInkscapeAreAccepted(t *testing.T) {
	symbol, found := ParseSymbol([]byte(inkscapeSymbol))
	if symbol == nil || len(found) != 1 || found[0].Code != ruleFixedColor.Code {
		t.Fatalf("got symbol %v and findings %v, want only a warning about the fixed colour", symbol != nil, found)
	}
	want := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36" width="36mm" height="36mm"><defs/>` +
		`<g transform="translate(-1.5,2)"><rect width="12" height="6" x="9" y="9" fill="#000000" stroke-width="0.26458"/></g></svg>`
	if got := string(symbol.SVG()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestHintsNeverSuggestTheSameName(t *testing.T) {
	for _, attribute := range []string{"x:version", "x:fill", "xml:id", "inkscape:version"} {
		_, found := ParseSymbol([]byte(strings.Replace(in(examplePath), "viewBox", attribute+`="1" xmlns:x="urn:x" viewBox`, 1)))
		if len(found) != 1 || strings.Contains(found[0].FixHint, "Did you mean") || !strings.Contains(found[0].Message, strconv.Quote(attribute)) {
			t.Errorf("%s: got %+v, want one finding that names the attribute and suggests no other", attribute, found)
		}
	}
}

func TestOtherFormatsAreNamed(t *testing.T) {
	utf16Text := func(s, separator string) string { return strings.Join(strings.Split(s, ""), separator) + separator }
	for name, test := range map[string]struct{ content, code, message string }{
		"PNG":                      {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "SYMBOL_NOT_SVG", "a PNG image"},
		"a large PNG":              {"\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", maxBytes), "SYMBOL_NOT_SVG", "a PNG image"},
		"JPEG":                     {"\xff\xd8\xff\xe0\x00\x10JFIF", "SYMBOL_NOT_SVG", "a JPEG image"},
		"GIF":                      {"GIF89a\x01\x00", "SYMBOL_NOT_SVG", "a GIF image"},
		"WebP":                     {"RIFF\x24\x00\x00\x00WEBPVP8 ", "SYMBOL_NOT_SVG", "a WebP image"},
		"AVIF":                     {"\x00\x00\x00\x1cftypavif", "SYMBOL_NOT_SVG", "an AVIF or HEIC image"},
		"BMP":                      {"BM\x36\x00\x00", "SYMBOL_NOT_SVG", "a BMP image"},
		"ICO":                      {"\x00\x00\x01\x00\x01\x00", "SYMBOL_NOT_SVG", "ICO"},
		"PDF":                      {"%PDF-1.7\n", "SYMBOL_NOT_SVG", "a PDF document"},
		"PostScript":               {"%!PS-Adobe-3.0 EPSF-3.0\n", "SYMBOL_NOT_SVG", "PostScript"},
		"SVGZ":                     {"\x1f\x8b\x08\x00", "SYMBOL_NOT_SVG", "gzip"},
		"ZIP":                      {"PK\x03\x04", "SYMBOL_NOT_SVG", "a ZIP archive"},
		"HTML":                     {"\n<!DOCTYPE html>\n<html><svg/></html>", "SYMBOL_NOT_SVG", "a web page"},
		"HTML without a DOCTYPE":   {"<HTML lang=en>", "SYMBOL_NOT_SVG", "a web page"},
		"UTF-16":                   {"\xff\xfe" + utf16Text(in(examplePath), "\x00"), "SYMBOL_ENCODING", "UTF-16"},
		"UTF-16 without a mark":    {utf16Text(in(examplePath), "\x00"), "SYMBOL_ENCODING", "UTF-16"},
		"big-endian UTF-16":        {"\x00" + utf16Text(in(examplePath), "\x00"), "SYMBOL_ENCODING", "UTF-16"},
		"an empty file":            {"", "SYMBOL_MALFORMED", "empty"},
		"a file of blanks":         {"\n \n", "SYMBOL_MALFORMED", "empty"},
		"text that starts with BM": {"BMX bike", "SYMBOL_MALFORMED", "outside the svg element"},
		"text that contains ftyp":  {"id: ftyp_camera", "SYMBOL_MALFORMED", "outside the svg element"},
	} {
		_, found := ParseSymbol([]byte(test.content))
		if len(found) == 0 || string(found[0].Code) != test.code || !strings.Contains(found[0].Message, test.message) || found[0].FixHint == "" {
			t.Errorf("%s: got %+v, want %s with %q", name, found, test.code, test.message)
		}
		if test.code != "SYMBOL_MALFORMED" && len(found) != 1 {
			t.Errorf("%s: got %d findings, want 1", name, len(found))
		}
	}
}

func TestXMLErrorsAreExplained(t *testing.T) {
	for content, want := range map[string]string{
		"<g><path/></svg>":             "The XML is not well-formed: element <g> closed by </svg>.",
		"<path/></>":                   "The XML is not well-formed: expected element name after </.",
		"<!-- a -- b -->":              "The XML is not well-formed: invalid sequence \"--\" not allowed in comments.",
		"<title><![CDATA[ </title>":    "The XML is not well-formed: unexpected EOF in CDATA section.",
		"<path d=M0/>":                 "The XML is not well-formed: unquoted or missing attribute value in element.",
		"<path d='M0 0'/><!-- no end ": "not closed before the file ends.",
	} {
		_, found := ParseSymbol([]byte(in(content)))
		if len(found) == 0 || !strings.Contains(found[len(found)-1].Message, want) || found[len(found)-1].FixHint == "" {
			t.Errorf("%s: got %v, want %q", content, []problem.Problem(found), want)
		}
	}
}

func TestHintsDoNotSuggestTransformOnTheRoot(t *testing.T) {
	for _, name := range []string{"transform", "transfrm"} {
		_, found := ParseSymbol([]byte(strings.Replace(in(examplePath), "viewBox", name+`="scale(2)" viewBox`, 1)))
		if len(found) != 1 || found[0].FixHint != "Remove the attribute." {
			t.Errorf("%s: got %+v, want the hint to remove the attribute", name, found)
		}
	}
}

func TestFilesWithManyFindingsAreCheckedQuickly(t *testing.T) {
	_, found := ParseSymbol([]byte(in(strings.Repeat("<a/>", 16000))))
	if len(found) != 16000 || found[15999].Pos.Column != 4*15999+1 {
		t.Errorf("got %d findings, the last %v", len(found), found[len(found)-1])
	}
	var b strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&b, `<g id="the_fish_%d"/><use href="#a_fish_%d"/>`, i, i)
	}
	_, found = ParseSymbol([]byte(in(b.String())))
	if len(found) != 1200 || !strings.HasPrefix(found[0].FixHint, "Did you mean") || strings.HasPrefix(found[1199].FixHint, "Did you mean") {
		t.Errorf("got %d findings, the first %+v, the last %+v", len(found), found[0], found[len(found)-1])
	}
	_, found = ParseSymbol([]byte(svgStart + strings.Repeat("<g>", 20000)))
	if len(found) != 2 {
		t.Errorf("deep nesting: got %v, want 2 findings", found)
	}
}

func TestStepStopsLargeSymbols(t *testing.T) {
	large := []byte(svgStart + strings.Repeat(examplePath, 2000) + svgEnd)
	steps := 0
	symbol, problems, err := ParseSymbolStep(large, func() error { steps++; return nil })
	if symbol == nil || len(problems) > 0 || err != nil || steps < 10 {
		t.Fatalf("got %v, error %v after %d steps, want a symbol after at least 10", problems, err, steps)
	}
	stop := errors.New("stop")
	steps = 0
	fail := func() error { steps++; return stop }
	if symbol, problems, err := ParseSymbolStep(large, fail); symbol != nil || problems != nil || err != stop || steps != 1 {
		t.Errorf("got %v, error %v after %d steps, want %v after 1", problems, err, steps, stop)
	}
	if symbol, _, err := ParseSymbolStep([]byte(svgStart+examplePath+svgEnd), fail); symbol == nil || err != nil {
		t.Errorf("a small symbol: got error %v, want a symbol", err)
	}
}

// realSymbols returns the symbol files of the real taxonomy used in tests.
func realSymbols(t testing.TB) []string {
	files, err := filepath.Glob(filepath.Join(envtest.RealTree(t), "*", "*", "symbols", "*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestRealSymbolsHaveNoFindings(t *testing.T) {
	files := realSymbols(t)
	if len(files) < 89 {
		t.Errorf("got %d symbols, want at least 89", len(files))
	}
	for _, file := range files {
		svg, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, found := ParseSymbol(svg); len(found) > 0 {
			t.Errorf("%s: %v", filepath.Base(file), found)
		}
	}
}
