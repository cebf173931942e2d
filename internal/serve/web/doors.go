package web

import (
	"net/url"
	"path"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/taxonomy"
)

// doors are the ways to use this server, with texts to copy that contain its address.
type doors struct {
	Card     *taxonomyCard // of the taxonomy that the snippets use; nil if there is none
	Examples []exampleLink
	Calls    []copyText // of the API
	Clients  []client
	Commands copyText // for stewards
	MCP      copyText // the address of the MCP server
}

// copyText is a text to copy. Its key is the end of the key of its title, and of its
// id in the page.
type copyText struct{ Key, Code string }

// client is a program that connects to MCP servers.
type client struct {
	Name string
	copyText
	File string // that the snippet belongs in; may be empty
}

// mcpName is the name of this server in the settings of clients.
const mcpName = "placard"

// newDoors returns the doors. The snippets are about the first stable version in
// memory, or else about the first one.
func (q *request) newDoors(cards []taxonomyCard) (doors, error) {
	d := doors{
		MCP:      copyText{"mcp", q.base + "/mcp"},
		Commands: copyText{"commands", stewardCommands},
		Clients:  mcpClients(q.base + "/mcp"),
	}
	for i := range cards {
		card := &cards[i]
		if card.Signs > 0 && (d.Card == nil || d.Card.ID.Status != taxonomy.Stable && card.ID.Status == taxonomy.Stable) {
			d.Card = card
		}
	}
	if d.Card == nil {
		return d, nil
	}
	r := q.snapshot.Lookup(d.Card.ID.String())
	if !q.isDynamic { // searches are not cached, and rendering the examples takes long
		d.Examples = q.examples(r)
	}
	document, err := writeExample(r, q.localeOf(r))
	if err != nil {
		return d, err
	}
	search, element := "", ""
	if icons := d.Card.Icons; len(icons) > 0 {
		icon := icons[len(icons)/4]
		search, element = icon.Title.Value, path.Base(icon.Path)
	}
	d.Calls = apiCalls(q.base+"/api/v2/schemas/"+d.Card.Alias, search, element, q.localeOf(r), document)
	return d, nil
}

// stewardCommands create, preview, check and publish a taxonomy.
const stewardCommands = `placard new parks@2026-12-01              # start with a small one
placard serve --source taxonomy           # see it in a browser as you write
placard check taxonomy                    # find mistakes
placard publish taxonomy --store store    # publish it
placard serve --store store               # serve it
`

// apiCalls returns requests to the API about a version: all elements, the icon of one, a
// search, and the validation and the sign of a document, which may be nil.
func apiCalls(version, search, element, locale string, document []byte) []copyText {
	list := version + "/elements?query=" + url.QueryEscape(search) + "&locale=" + locale + "&locales=" + locale + "&limit=3"
	calls := []copyText{
		{"all", "curl " + shellQuote(version+"/elements?limit=200&fields=all") + "\n"},
		{"icon", "curl -o icon.svg " + shellQuote(version+"/elements/"+element+"/icon.svg") + "\n"},
		{"search", "curl " + shellQuote(list) + "\n"},
	}
	if document != nil {
		calls = append(calls, copyText{"validate", "cat > disclosure.json <<'JSON'\n" + string(document) + "\nJSON\ncurl -H 'Content-Type: application/json' -d @disclosure.json " + shellQuote(version+"/validate") + "\n"},
			copyText{"sign", "curl -H 'Content-Type: application/json' -d @disclosure.json -o sign.svg " + shellQuote(version+"/sign?url=https://example.org/disclosure") + "\n"})
	}
	return append(calls,
		copyText{"python", strings.NewReplacer("LIST", literal(list), "VALIDATE", literal(version+"/validate")).Replace(pythonCalls)},
		copyText{"javascript", strings.NewReplacer("LIST", literal(list), "VALIDATE", literal(version+"/validate")).Replace(javascriptCalls)},
	)
}

const pythonCalls = `import json
from urllib.request import Request, urlopen

with urlopen(LIST) as response:
    for element in json.load(response)["elements"]:
        print(element["id"], element["title"][0]["value"])

with open("disclosure.json", "rb") as file:
    request = Request(VALIDATE, file.read(), {"Content-Type": "application/json"})
with urlopen(request) as response:
    print(json.load(response))
`

const javascriptCalls = `import { readFile } from "node:fs/promises";

const found = await fetch(LIST);
for (const { id, title } of (await found.json()).elements) {
  console.log(id, title[0].value);
}

const checked = await fetch(VALIDATE, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: await readFile("disclosure.json"),
});
console.log(await checked.json());
`

// mcpClients returns the settings of common clients for the server at an address.
func mcpClients(address string) []client {
	type remote struct {
		Type string `json:"type,omitzero"`
		URL  string `json:"url"`
	}
	type local struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	servers := func(member string, server any) string {
		text, err := json.Marshal(map[string]any{member: map[string]any{mcpName: server}}, jsontext.WithIndent("  "))
		if err != nil {
			panic(err) // strings can be encoded
		}
		return string(text) + "\n"
	}
	return []client{
		{"Claude Code", copyText{"claude-code", "claude mcp add --transport http " + mcpName + " " + shellQuote(address) + "\n"}, ""},
		{"Claude, Claude Desktop", copyText{"claude", address + "\n"}, ""},
		{"Cursor", copyText{"cursor", servers("mcpServers", remote{URL: address})}, ".cursor/mcp.json"},
		{"VS Code", copyText{"vscode", servers("servers", remote{Type: "http", URL: address})}, ".vscode/mcp.json"},
		{"ChatGPT", copyText{"chatgpt", address + "\n"}, ""},
		{"", copyText{"local", servers("mcpServers", local{"placard", []string{"mcp"}})}, ""},
	}
}

// literal returns a string literal of Python and JavaScript.
func literal(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return `""` // invalid UTF-8 is not part of an address
	}
	return string(text)
}
