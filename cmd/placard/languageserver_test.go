package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/scripts/envtest"
)

// languageServer is a process that speaks the Language Server Protocol over
// standard input and output.
type languageServer struct {
	t        *testing.T
	language string // the language id of documents
	in       io.Writer
	out      *bufio.Reader
	requests int
	// diagnostics are the last ones of each document, by URI.
	diagnostics map[string][]diagnostic
}

// diagnostic is a mistake that an editor marks.
type diagnostic struct {
	Message string `json:"message"`
	Range   struct {
		Start position `json:"start"`
	} `json:"range"`
}

func (d diagnostic) String() string {
	return fmt.Sprintf("%d:%d: %s", d.Range.Start.Line+1, d.Range.Start.Character+1, d.Message)
}

// position is a place in a document. Lines and characters start at 0.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// message is a request, a response or a notification.
type message struct {
	ID     jsontext.Value `json:"id,omitzero"`
	Method string         `json:"method,omitzero"`
	Params jsontext.Value `json:"params,omitzero"`
	Result jsontext.Value `json:"result,omitzero"`
	Error  jsontext.Value `json:"error,omitzero"`
}

// startLanguageServer starts a server that Node.js runs. options are its
// initialization options.
func startLanguageServer(t *testing.T, language string, options any, args ...string) *languageServer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	cmd := exec.CommandContext(ctx, envtest.Node(t), args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		cmd.Wait() // the process is killed
	})
	s := &languageServer{t: t, language: language, in: in, out: bufio.NewReader(out), diagnostics: make(map[string][]diagnostic)}
	s.request("initialize", map[string]any{
		"processId":             os.Getpid(),
		"rootUri":               nil,
		"initializationOptions": options,
		"capabilities":          map[string]any{"workspace": map[string]any{"configuration": true}},
	})
	s.send(message{Method: "initialized", Params: jsontext.Value("{}")})
	return s
}

func (s *languageServer) send(m message) {
	s.t.Helper()
	body, err := json.Marshal(m)
	if err != nil {
		s.t.Fatal(err)
	}
	body = append([]byte(`{"jsonrpc":"2.0",`), body[1:]...)
	if _, err := fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		s.t.Fatal(err)
	}
}

// receive returns the next response to a request of the client. It handles the
// requests and notifications of the server. With documents, it returns as soon as
// the diagnostics of all of them are known.
func (s *languageServer) receive(documents ...string) message {
	s.t.Helper()
	for {
		header, err := textproto.NewReader(s.out).ReadMIMEHeader()
		if err != nil {
			s.t.Fatal(err)
		}
		size, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			s.t.Fatal(err)
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(s.out, body); err != nil {
			s.t.Fatal(err)
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			s.t.Fatalf("%v\n%s", err, body)
		}
		switch {
		case m.Method == "":
			return m
		case m.Method == "textDocument/publishDiagnostics":
			var params struct {
				URI         string       `json:"uri"`
				Diagnostics []diagnostic `json:"diagnostics"`
			}
			if err := json.Unmarshal(m.Params, &params); err != nil {
				s.t.Fatal(err)
			}
			s.diagnostics[params.URI] = append([]diagnostic{}, params.Diagnostics...)
			if len(documents) > 0 && !slices.ContainsFunc(documents, func(uri string) bool { return s.diagnostics[uri] == nil }) {
				return m
			}
		case m.ID != nil:
			s.send(message{ID: m.ID, Result: s.configuration(m)})
		}
	}
}

// configuration returns the result of a request of the server: its settings, which
// keep it from the network, or null.
func (s *languageServer) configuration(m message) jsontext.Value {
	if m.Method != "workspace/configuration" {
		return jsontext.Value("null")
	}
	var params struct {
		Items []struct {
			Section string `json:"section"`
		} `json:"items"`
	}
	if err := json.Unmarshal(m.Params, &params); err != nil {
		s.t.Fatal(err)
	}
	settings := make([]any, len(params.Items))
	for i, item := range params.Items {
		settings[i] = map[string]any{}
		if item.Section == "yaml" {
			settings[i] = map[string]any{"validate": true, "completion": true, "hover": true, "schemaStore": map[string]any{"enable": false}}
		}
	}
	result, err := json.Marshal(settings)
	if err != nil {
		s.t.Fatal(err)
	}
	return result
}

// request sends a request and returns the result.
func (s *languageServer) request(method string, params any) jsontext.Value {
	s.t.Helper()
	s.requests++
	id := jsontext.Value(strconv.Itoa(s.requests))
	encoded, err := json.Marshal(params)
	if err != nil {
		s.t.Fatal(err)
	}
	s.send(message{ID: id, Method: method, Params: encoded})
	m := s.receive()
	if string(m.ID) != string(id) || m.Error != nil {
		s.t.Fatalf("%s: got response %s with error %s, want the response to %s", method, m.ID, m.Error, id)
	}
	return m.Result
}

// open opens a document that has not been opened before.
func (s *languageServer) open(file, text string) (uri string) {
	s.t.Helper()
	uri = "file://" + filepath.ToSlash(file)
	params, err := json.Marshal(map[string]any{
		"textDocument": map[string]any{"uri": uri, "languageId": s.language, "version": 1, "text": text},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.send(message{Method: "textDocument/didOpen", Params: params})
	return uri
}

// edit opens a document and returns its diagnostics. A | in the text is not part of
// the document: it marks the cursor, which edit returns too.
func (s *languageServer) edit(file, text string) ([]diagnostic, cursor) {
	s.t.Helper()
	before, after, _ := strings.Cut(text, "|")
	uri := s.open(file, before+after)
	s.receive(uri)
	at := position{strings.Count(before, "\n"), len(before) - strings.LastIndex(before, "\n") - 1}
	return s.diagnostics[uri], cursor{s, uri, at}
}

// cursor is a place in an open document.
type cursor struct {
	server *languageServer
	uri    string
	at     position
}

func (c cursor) request(method string) jsontext.Value {
	c.server.t.Helper()
	return c.server.request(method, map[string]any{"textDocument": map[string]any{"uri": c.uri}, "position": c.at})
}

// proposals returns the labels of the completions, without quotes.
func (c cursor) proposals() []string {
	c.server.t.Helper()
	var list struct {
		Items []struct {
			Label string `json:"label"`
		} `json:"items"`
	}
	if err := json.Unmarshal(c.request("textDocument/completion"), &list); err != nil {
		c.server.t.Fatal(err)
	}
	var labels []string
	for _, item := range list.Items {
		labels = append(labels, strings.Trim(item.Label, `"`))
	}
	return labels
}

// hover returns the JSON of the text that explains the value at the cursor.
func (c cursor) hover() string {
	c.server.t.Helper()
	return string(c.request("textDocument/hover"))
}
