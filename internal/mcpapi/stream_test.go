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

	"placard/internal/mcpapi"
)

// stream sends lines to a server over the releases of s, and returns what it
// answers, line by line.
func stream(t *testing.T, s *service, opts mcpapi.Options, lines ...string) []response {
	t.Helper()
	opts.Catalog = s.catalog
	var answers []response
	for line := range strings.Lines(streamed(t, mcpapi.New(opts), lines...)) {
		var r response
		if err := json.Unmarshal([]byte(line), &r, json.RejectUnknownMembers(true)); err != nil || !strings.HasSuffix(line, "\n") {
			t.Fatalf("%q: %v", line, err)
		}
		answers = append(answers, r)
	}
	return answers
}

func streamed(t *testing.T, server *mcpapi.Server, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := server.ServeStream(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestAStreamAnswersEachLine(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	answers := stream(t, s, mcpapi.Options{},
		request("initialize", `{"protocolVersion":"2025-06-18"}`)+"\r",
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		``, "  \t",
		request("ping", `{}`),
		`{"jsonrpc":"2.0","id":"m","method":"server/discover","params":{`+modernMeta+`}}`,
		`{"jsonrpc":"2.0","id":"m","method":"ping","params":{`+modernMeta+`}}`,
		`nonsense`,
		`[`+request("ping", `{}`)+`]`, // 2025-06-18 has no batches
		request("tools/list", `{}`),   // the last line need not end
	)
	var got []string
	for _, r := range answers {
		switch {
		case r.Error == nil:
			got = append(got, string(r.ID)+" ok")
		default:
			got = append(got, string(r.ID)+" "+r.Error.Message)
		}
		if r.OK != nil {
			t.Errorf("there is no HTTP status here: %+v", r)
		}
	}
	want := []string{
		"1 ok", "1 ok", `"m" ok`, `"m" Unknown method "ping".`,
		"null The message is not valid JSON: …",
		"null This protocol version does not support batches.", "1 ok",
	}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if begins := strings.TrimSuffix(want[i], "…"); !strings.HasPrefix(got[i], begins) {
			t.Errorf("answer %d: %s", i, got[i])
		}
	}
	// Before a version is agreed on, there are.
	out := streamed(t, mcpapi.New(mcpapi.Options{Catalog: s.catalog}), `[`+request("ping", `{}`)+`]`)
	if out != `[{"jsonrpc":"2.0","id":1,"result":{}}]`+"\n" {
		t.Errorf("%s", out)
	}
}

func TestALineThatIsTooLongIsRefusedAndTheNextAnswered(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	long := request("ping", `{"x":"`+strings.Repeat("x", 200_000)+`"}`)
	fits := request("ping", `{"x":"`+strings.Repeat("x", 1000-len(request("ping", `{"x":""}`)))+`"}`)
	answers := stream(t, s, mcpapi.Options{MaxBody: 1000}, long, fits, fits+" ", request("ping", `{}`))
	if len(answers) != 4 || answers[0].Error == nil || answers[1].Error != nil || answers[2].Error == nil || answers[3].Error != nil {
		t.Fatalf("%+v", answers)
	}
	if code := answers[0].Error.Data.Errors[0].Code; code != "payload_too_large" {
		t.Errorf("%s", code)
	}
}

func TestAStreamHasASessionOfItsOwn(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	views := mcpapi.NewMemory(mcpapi.MemoryOptions{})
	read := request("resources/read", `{"uri":"ui://service/datachain/view.html"}`)
	answers := stream(t, s, mcpapi.Options{Views: views},
		request("tools/call", `{"name":"render_datachain","arguments":{"version":"place@latest","datachain":`+oneLine(example(t, stable, "river_watch"))+`}}`),
		read)
	if !strings.Contains(string(answers[1].Result), "Lower Tessel") {
		t.Errorf("%.300s", answers[1].Result)
	}
	other := newService(t, mcpapi.Options{Views: views})
	if a := other.post(read); strings.Contains(a.body, "Lower Tessel") {
		t.Error("clients without a session see what was drawn on the stream")
	}
}

func oneLine(document string) string { return strings.Join(strings.Fields(document), " ") }

// broken fails like a pipe whose other end is gone.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error)  { return 0, b.err }
func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestAStreamEndsWithItsPipesAndItsContext(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	server := mcpapi.New(mcpapi.Options{Catalog: s.catalog})
	gone := errors.New("gone")
	if err := server.ServeStream(t.Context(), broken{gone}, io.Discard); !errors.Is(err, gone) {
		t.Errorf("reading fails: %v", err)
	}
	if err := server.ServeStream(t.Context(), strings.NewReader(request("ping", `{}`)), broken{gone}); !errors.Is(err, gone) {
		t.Errorf("writing fails: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	in, to := io.Pipe()
	from, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- server.ServeStream(ctx, in, out) }()
	if _, err := io.WriteString(to, request("ping", `{}`)+"\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(from).ReadString('\n'); err != nil || !strings.Contains(line, `"result":{}`) {
		t.Errorf("%q, %v", line, err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	to.Close()
}
