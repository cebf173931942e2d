package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/scripts/envtest"
)

// agentCase returns a document that an agent writes from a brief description, with
// the provenance that the instructions ask for.
func agentCase(t *testing.T, file string) (d agentDocument) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &d, json.RejectUnknownMembers(true))
	}
	if err != nil {
		t.Fatal(err)
	}
	d.Provenance = jsontext.Value(`{"kind":"ai_generated"}`)
	return d
}

// overHTTP returns a function that sends messages to a daemon in one session.
func overHTTP(d *daemon) func(string) string {
	d.ready()
	session := ""
	return func(message string) string {
		header := []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
		if session != "" {
			header = append(header, "Mcp-Session-Id", session)
		}
		status, responseHeader, body := d.post(message, header...)
		if status != 200 {
			d.t.Fatalf("got %d %.500s, want 200", status, body)
		}
		if session == "" {
			session = responseHeader.Get("Mcp-Session-Id")
		}
		return body
	}
}

// overStandardIO starts placard mcp and returns a function that sends messages to it.
func overStandardIO(t *testing.T) func(string) string {
	t.Helper()
	// The context of the test is cancelled before the process is waited for.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), daemonTimeout)
	cmd := exec.CommandContext(ctx, os.Args[0], "mcp")
	cmd.Env = append(os.Environ(), runAsPlacard+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("placard mcp: %v", err)
		}
		cancel()
	})
	lines := bufio.NewReader(stdout)
	return func(message string) string {
		if _, err := io.WriteString(stdin, message+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
}

// disclose performs the three calls for a document without open questions:
// get_schema, validate_datachain, and render_datachain with the handle.
func (a *agent) disclose(version string, d agentDocument, format string) (text string) {
	a.t.Helper()
	a.learn(version, "en")
	validated := a.call("validate_datachain", `{"version":"`+version+`","datachain":`+a.write(d)+`}`)
	if warnings := validated.warnings(a.t); !validated.OK || len(warnings) > 0 || validated.Meta.Handle == "" {
		a.t.Fatalf("got %s, want a valid document without warnings and a handle", validated.text)
	}
	rendered := a.call("render_datachain", `{"version":"`+version+`","datachain":"`+validated.Meta.Handle+`","format":"`+format+`"}`)
	if warnings := rendered.warnings(a.t); !rendered.OK || len(warnings) > 0 {
		a.t.Fatalf("got %s, want a page and no warnings", rendered.text)
	}
	a.check()
	return rendered.text
}

func TestAgentDisclosesALibraryCounterInThreeCalls(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, format string
		connect      func(*testing.T) func(string) string
	}{
		{"HTTP", "html", func(t *testing.T) func(string) string { return overHTTP(start(t)) }},
		{"standard IO", "text", overStandardIO},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := newAgent(t, tc.connect(t))
			text := a.disclose("place@latest", agentCase(t, "../../internal/storage/builtin/testdata/library_counter.json"), tc.format)
			for _, want := range []string{
				"CountCo", "Kept for 30 days", "Where it is kept: In the EU", "privacy@city.example",
				"Conditions: Planning department of the city", "No automated action",
			} {
				if !strings.Contains(text, want) {
					t.Errorf("got %s, want %q in it", text, want)
				}
			}
		})
	}
}

func TestAgentDisclosesALibraryCounterInTheRealTaxonomy(t *testing.T) {
	t.Parallel()
	a := newAgent(t, overHTTP(start(t, "--source", envtest.RealTree(t))))
	text := a.disclose("ai@latest", agentCase(t, "testdata/agent/library_counter_ai.json"), "html")
	for _, want := range []string{"CountCo", "Retained 30 days", "In the EU", "privacy@city.example", "planning department", "decides nothing"} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s, want %q in it", text, want)
		}
	}
}

// The description of the station says nothing about the operator, access, retention
// and the contact. The calls counted are get_schema, validate_datachain, which names
// the facts to ask the user for, and render_datachain with the completed document,
// which it validates too.
func TestAgentAsksForTheFactsMissingAtAStation(t *testing.T) {
	t.Parallel()
	a := newAgent(t, overHTTP(start(t)))
	a.learn("place@beta", "fr")
	d := agentCase(t, "../../internal/storage/builtin/testdata/station_falls.json")
	validated := a.call("validate_datachain", `{"version":"place@beta","datachain":`+a.write(d)+`}`)
	if warnings := validated.warnings(t); validated.OK || len(warnings) > 0 {
		t.Fatalf("got %s, want errors and no warnings", validated.text)
	}

	// The agent asks the user about each finding. These are the answers.
	answers := map[string]string{
		`REQUIRED_CATEGORY_MISSING "accountable"`: `{"element_id":"transport_operator","context_type_id":"decides","variables":[{"id":"name","value":[{"locale":"fr","value":"Chemins de fer du Littoral"}]}]}`,
		`REQUIRED_CATEGORY_MISSING "access"`:      `{"element_id":"operator_staff"}`,
		`REQUIRED_CATEGORY_MISSING "retention"`:   `{"element_id":"kept_for","variables":[{"id":"duration","value":[{"locale":"fr","value":"72 heures"}]}]}`,
		`REQUIRED_CATEGORY_MISSING "choices"`:     `{"element_id":"human_review"}`,
		`element_required "contact_point"`:        `{"element_id":"contact_point","actions":[{"type":"email","label":[{"locale":"fr","value":"Nous écrire"}],"target":"donnees@littoral.example"}]}`,
	}
	quoted := regexp.MustCompile(`"[^"]*"`)
	for _, p := range validated.Errors {
		finding := string(p.Code) + " " + quoted.FindString(p.Message)
		answer, ok := answers[finding]
		if !ok {
			t.Fatalf("got finding %v, which is not about a missing fact", p)
		}
		delete(answers, finding)
		if !strings.Contains(p.FixHint, "do not guess") {
			t.Errorf("%s: got hint %q, want one that makes the agent ask", finding, p.FixHint)
		}
		var placement agentPlacement
		if err := json.Unmarshal([]byte(answer), &placement); err != nil {
			t.Fatal(err)
		}
		d.Elements = append(d.Elements, placement)
	}
	for finding := range answers {
		t.Errorf("got no finding %s", finding)
	}
	rendered := a.call("render_datachain", `{"version":"place@beta","locale":"fr","datachain":`+a.write(d)+`}`)
	if warnings := rendered.warnings(t); !rendered.OK || len(warnings) > 0 {
		t.Fatalf("got %s, want a complete document", rendered.text)
	}
	for _, want := range []string{"Essai de détection de chutes en gare", "Chemins de fer du Littoral", "72 heures", "donnees@littoral.example"} {
		if !strings.Contains(rendered.text, want) {
			t.Errorf("got %s, want %q in it", rendered.text, want)
		}
	}
	a.check()
}
