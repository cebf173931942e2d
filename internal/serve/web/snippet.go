package web

import (
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// snippet is a request in a programming language.
type snippet struct {
	Language string
	Parts    []snippetPart
}

// snippetPart is a piece of code. Fill says how script/reference.ts writes it again
// when the request changes; if it is empty, the text never changes.
type snippetPart struct{ Text, Fill string }

// The values of [snippetPart.Fill].
const (
	fillURLShell   = "url-shell"
	fillURLString  = "url-string"
	fillBodyShell  = "body-shell"
	fillBody       = "body"
	fillBodyPython = "body-python"
)

// snippets returns the request for an operation in some languages.
func snippets(o *operation, url, body string) []snippet {
	literal, _ := jsontext.AppendQuote(nil, url) // invalid UTF-8 is replaced
	shellURL := snippetPart{shellQuote(url), fillURLShell}
	stringURL := snippetPart{string(literal), fillURLString}
	text := func(s string) snippetPart { return snippetPart{Text: s} }

	curl := []snippetPart{text("curl "), shellURL}
	script := []snippetPart{text("const response = await fetch("), stringURL, text(");\n")}
	python := []snippetPart{text("from urllib.request import urlopen\n\nwith urlopen("), stringURL, text(") as response:\n")}
	if o.Body != nil {
		curl = append(curl, text(" \\\n  --header 'Content-Type: application/json' \\\n  --data-raw "), snippetPart{shellQuote(body), fillBodyShell})
		script = []snippetPart{
			text("const response = await fetch("), stringURL, text(", {\n  method: \"" + o.Method + "\",\n" +
				"  headers: { \"Content-Type\": \"application/json\" },\n  body: JSON.stringify("),
			{body, fillBody},
			text("),\n});\n"),
		}
		python = []snippetPart{
			text("from urllib.request import Request, urlopen\n\nbody = "),
			{pythonQuote(body), fillBodyPython},
			text("\nrequest = Request("), stringURL,
			text(", body.encode(), {\"Content-Type\": \"application/json\"})\nwith urlopen(request) as response:\n"),
		}
	}
	switch mediaType := o.mediaType(); {
	case isJSON(mediaType):
		script = append(script, text("console.log(response.status, await response.json());"))
		python = append([]snippetPart{text("import json\n")}, append(python, text("    print(response.status, json.load(response))"))...)
	case mediaType == "application/zip":
		file := path.Base(o.Path)
		curl[0].Text = "curl --output " + file + " "
		script = append(script, text("console.log(response.status, await response.blob());"))
		python = append(python, text("    open(\""+file+"\", \"wb\").write(response.read())"))
	default:
		script = append(script, text("console.log(response.status, await response.text());"))
		python = append(python, text("    print(response.status, response.read().decode())"))
	}
	return []snippet{{"curl", curl}, {"JavaScript", script}, {"Python", python}}
}

// shellQuote returns s as one word of a shell command.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// pythonQuote returns s as a string literal, over several lines if possible.
func pythonQuote(s string) string {
	if strings.Contains(s, "'''") || strings.HasSuffix(s, "'") || strings.HasSuffix(s, `\`) {
		literal, _ := jsontext.AppendQuote(nil, s)
		return string(literal)
	}
	return "r'''" + s + "'''"
}
