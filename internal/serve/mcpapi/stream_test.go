package mcpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"placard/internal/serve/mcpapi"
)

// streamResponses sends lines to a server with the catalog of s and returns the
// responses.
func streamResponses(t *testing.T, s *service, opts mcpapi.Options, lines ...string) []rpcResponse {
	t.Helper()
	opts.Catalog = s.catalog
	var responses []rpcResponse
	for line := range strings.Lines(streamOutput(t, mcpapi.New(opts), lines...)) {
		var r rpcResponse
		if err := json.Unmarshal([]byte(line), &r, json.RejectUnknownMembers(true)); err != nil || !strings.HasSuffix(line, "\n") {
			t.Fatalf("%q: %v", line, err)
		}
		responses = append(responses, r)
	}
	return responses
}

func streamOutput(t *testing.T, server *mcpapi.Server, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := server.ServeStream(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestServeStreamRespondsToEachLine(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	responses := streamResponses(t, s, mcpapi.Options{},
		request("initialize", `{"protocolVersion":"2025-06-18"}`)+"\r",
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		``, "  \t",
		request("ping", `{}`),
		`{"jsonrpc":"2.0","id":"m","method":"server/discover","params":{`+modernMeta+`}}`,
		`{"jsonrpc":"2.0","id":"m","method":"ping","params":{`+modernMeta+`}}`,
		`nonsense`,
		`[`+request("ping", `{}`)+`]`, // 2025-06-18 does not support batches
		request("tools/list", `{}`),   // no newline at the end
	)
	var got []string
	for _, r := range responses {
		if r.Error == nil {
			got = append(got, string(r.ID)+" ok")
		} else {
			got = append(got, string(r.ID)+" "+r.Error.Message)
		}
		if r.OK != nil {
			t.Errorf("got a REST envelope on a stream: %+v", r)
		}
	}
	want := []string{
		"1 ok", "1 ok", `"m" ok`, `"m" Unknown method "ping".`,
		"null The message is not valid JSON: …",
		"null This protocol version does not support batches.", "1 ok",
	}
	if len(got) != len(want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for i := range want {
		if prefix := strings.TrimSuffix(want[i], "…"); !strings.HasPrefix(got[i], prefix) {
			t.Errorf("response %d: got %s, want %s", i, got[i], want[i])
		}
	}
	// Before the handshake, batches are accepted.
	out := streamOutput(t, mcpapi.New(mcpapi.Options{Catalog: s.catalog}), `[`+request("ping", `{}`)+`]`)
	if out != `[{"jsonrpc":"2.0","id":1,"result":{}}]`+"\n" {
		t.Errorf("got %s", out)
	}
}

func TestServeStreamRejectsLongLinesAndContinues(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	long := request("ping", `{"x":"`+strings.Repeat("x", 200_000)+`"}`)
	fits := request("ping", `{"x":"`+strings.Repeat("x", 1000-len(request("ping", `{"x":""}`)))+`"}`)
	responses := streamResponses(t, s, mcpapi.Options{MaxBody: 1000}, long, fits, fits+" ", request("ping", `{}`))
	if len(responses) != 4 || responses[0].Error == nil || responses[1].Error != nil || responses[2].Error == nil || responses[3].Error != nil {
		t.Fatalf("got %+v", responses)
	}
	if code := responses[0].Error.Data.Errors[0].Code; code != "payload_too_large" {
		t.Errorf("got code %s, want payload_too_large", code)
	}
}

func TestStreamHasItsOwnSession(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	views := mcpapi.NewMemory(mcpapi.MemoryOptions{})
	read := request("resources/read", `{"uri":"ui://service/datachain/view.html"}`)
	responses := streamResponses(t, s, mcpapi.Options{Sessions: views},
		request("tools/call", `{"name":"render_datachain","arguments":{"version":"place@latest","datachain":`+oneLine(example(t, stable, "river_watch"))+`}}`),
		read)
	if !strings.Contains(string(responses[1].Result), "Lower Tessel") {
		t.Errorf("got %.300s", responses[1].Result)
	}
	other := newService(t, mcpapi.Options{Sessions: views})
	if resp := other.post(read); strings.Contains(resp.body, "Lower Tessel") {
		t.Error("the view of the stream is visible to HTTP clients without a session")
	}
}

func oneLine(document string) string { return strings.Join(strings.Fields(document), " ") }

// failingPipe is a reader and writer that always fails.
type failingPipe struct{ err error }

func (p failingPipe) Read([]byte) (int, error)  { return 0, p.err }
func (p failingPipe) Write([]byte) (int, error) { return 0, p.err }

func TestServeStreamReturnsOnErrorAndCancellation(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	server := mcpapi.New(mcpapi.Options{Catalog: s.catalog})
	pipeErr := errors.New("pipe failed")
	if err := server.ServeStream(t.Context(), failingPipe{pipeErr}, io.Discard); !errors.Is(err, pipeErr) {
		t.Errorf("read error: got %v, want %v", err, pipeErr)
	}
	if err := server.ServeStream(t.Context(), strings.NewReader(request("ping", `{}`)), failingPipe{pipeErr}); !errors.Is(err, pipeErr) {
		t.Errorf("write error: got %v, want %v", err, pipeErr)
	}

	ctx, cancel := context.WithCancel(t.Context())
	in, inWriter := io.Pipe()
	outReader, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- server.ServeStream(ctx, in, out) }()
	if _, err := io.WriteString(inWriter, request("ping", `{}`)+"\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(outReader).ReadString('\n'); err != nil || !strings.Contains(line, `"result":{}`) {
		t.Errorf("got %q, %v", line, err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("after cancellation: got %v, want %v", err, context.Canceled)
	}
	inWriter.Close()
}
