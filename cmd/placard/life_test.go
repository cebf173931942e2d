package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"placard/internal/core/compat"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
	"placard/scripts/envtest"
)

// lifeCase is a taxonomy and five changes of it: an element gets another id, one is
// removed, a variable is added that must have a value, a text is reworded, and a symbol is
// redrawn.
type lifeCase struct {
	tree     func(t *testing.T) string
	old, new string // without their status

	renamed, newID string
	removed        string
	category       string // gets a new variable; its file ends with the list of variables
	reworded       string
	before, after  string // words in the file of the reworded element
	redrawn        string
	symbol         string // of the redrawn element, and of no other

	document func(t *testing.T, old string) string
	// upgrade lists the changes that the upgrade makes, besides that of the version, and
	// fixes those that are left to the author.
	upgrade map[string]string
	fixes   []lifeFix
}

// lifeFix is the error that upgrade reports for a document, a part of the hint, and the
// change that follows the hint.
type lifeFix struct {
	code, hint    string
	before, after string
}

var lifeCases = map[string]lifeCase{
	"example": {
		tree:    func(t *testing.T) string { t.Helper(); tree, _ := exampleTree(t); return tree },
		old:     "library@2026-09-01",
		new:     "library@2026-12-01",
		renamed: "loan", newID: "loan_record",
		removed:  "lending",
		category: "record",
		reworded: "opening_hours", before: "at the right hours", after: "when it is needed",
		redrawn: "visitor_count", symbol: "people",
		document: func(t *testing.T, old string) string {
			t.Helper()
			data, err := os.ReadFile(filepath.Join(old, "examples", "self_checkout.json"))
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		},
		upgrade: map[string]string{`"element_id": "loan"`: `"element_id": "loan_record"`},
		fixes: []lifeFix{
			{"REQUIRED_CATEGORY_MISSING", "opening_hours", `{"element_id": "lending"}`, `{"element_id": "opening_hours"}`},
			{"INSTANCE_ELEMENT_UNKNOWN", "", "", ""}, // fixed as well
			{
				"INSTANCE_REQUIRED_VARIABLE_MISSING", "Add it to variables",
				`{"id": "position",`, `{"id": "operator", "value": [{"locale": "en", "value": "The library"}, {"locale": "fr", "value": "La bibliothèque"}]}, {"id": "position",`,
			},
		},
	},
	"real": {
		tree: func(t *testing.T) string {
			t.Helper()
			tree := filepath.Join(t.TempDir(), "taxonomy")
			if err := os.CopyFS(tree, os.DirFS(envtest.RealTree(t))); err != nil {
				t.Fatal(err)
			}
			return tree
		},
		old:     "ai@2026-08-12",
		new:     "ai@2026-12-01",
		renamed: "dining", newID: "dining_out",
		removed:  "available_to_vendor",
		category: "access",
		reworded: "wayfinding_services", before: "description:\n  - locale: en\n    value: ", after: "description:\n  - locale: en\n    value: Now ",
		redrawn: "water_efficiency", symbol: "water_efficiency",
		// The real tree has no example documents.
		document: func(*testing.T, string) string {
			return `{
    "id" : "kiosk", "schema_version":"ai@2026-08-12-beta",
  "created_at": "2026-09-03T10:00:00Z",
  "elements": [
    {"element_id": "dining"}, { "element_id" : "wayfinding_services" },
	{"element_id": "organization", "context_type_id": "deployer", "variables": [
      {"id": "title", "value": [{"locale": "en", "value": "The caf\u00e9"}]}, {"id": "description", "value": [{"locale": "en", "value": "It takes orders."}]}]},
    {"element_id": "people", "context_type_id": "subject", "variables": [
      {"id": "title", "value": [{"locale": "en", "value": "Guests"}]}, {"id": "description", "value": [{"locale": "en", "value": "They order."}]}]},
    {"element_id": "agentic_mode", "context_type_id": "human_decides"},
    {"element_id":"available_to_vendor"},
    {"element_id": "available_to_me", "variables": []}
  ]
}`
		},
		upgrade: map[string]string{`{"element_id": "dining"}`: `{"element_id": "dining_out"}`},
		fixes: []lifeFix{
			{"INSTANCE_ELEMENT_UNKNOWN", "available_to_me", `    {"element_id":"available_to_vendor"},` + "\n", ""},
			{
				"INSTANCE_REQUIRED_VARIABLE_MISSING", "Add it to variables",
				`"variables": []`, `"variables": [{"id": "operator", "value": [{"locale": "en", "value": "The café"}]}]`,
			},
		},
	},
}

// lifeCounts summarizes the five changes.
const lifeCounts = "3 breaking, 1 added, 1 removed, 1 renamed, 1 reworded, 1 redrawn"

// edit changes the files of the new release as a steward does.
func (c lifeCase) edit(t *testing.T, folder string) {
	t.Helper()
	element := func(id string) string { return filepath.Join(folder, "elements", id+".yaml") }
	replace(t, element(c.renamed), "id: "+c.renamed+"\n", "id: "+c.newID+"\nreplaces: "+c.renamed+"\n")
	replace(t, element(c.reworded), c.before, c.after)
	variable := "  - id: operator\n    label: {en: Operator, fr: Exploitant}\n    required: true\n"
	file := filepath.Join(folder, "categories", c.category+".yaml")
	category, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, append(category, variable...), 0o644)
	}
	symbol := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><circle cx="18" cy="18" r="8"/></svg>`
	err = errors.Join(err,
		os.Rename(element(c.renamed), element(c.newID)),
		os.Remove(element(c.removed)),
		os.WriteFile(filepath.Join(folder, "symbols", c.symbol+".svg"), []byte(symbol), 0o644))
	if err != nil {
		t.Fatal(err)
	}
}

// steward runs commands on one store, and follows it with a server.
type steward struct {
	t      *testing.T
	store  string
	server *daemon
}

// run runs a command, checks its exit status, and returns its standard output.
func (s *steward) run(status int, args ...string) string {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(s.t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), runAsPlacard+"=1")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != status {
		s.t.Fatalf("placard %s: got status %d, want %d\n%s%s", strings.Join(args, " "), got, status, &stdout, &stderr)
	}
	return stdout.String()
}

// decode runs a command with --json and decodes its output.
func (s *steward) decode(v any, status int, args ...string) {
	s.t.Helper()
	args = append(args, "--json", "--store", s.store)
	output := s.run(status, args...)
	if err := json.Unmarshal([]byte(output), v); err != nil {
		s.t.Fatalf("placard %s: %v\n%s", strings.Join(args, " "), err, output)
	}
}

// lifeFindings is the output of a command that is refused or that finds errors.
type lifeFindings struct {
	OK       bool         `json:"ok"`
	Errors   problem.List `json:"errors"`
	Warnings problem.List `json:"warnings"`
}

func (f lifeFindings) codes() []string {
	var codes []string
	for _, p := range f.Errors {
		codes = append(codes, string(p.Code))
	}
	slices.Sort(codes)
	return codes
}

var recommendedCommand = regexp.MustCompile(`"placard ([a-z]+ [^"]*)"`)

// recommended returns the arguments of the command that the hint of an error
// recommends.
func (f lifeFindings) recommended(t *testing.T, code string) []string {
	t.Helper()
	for _, p := range f.Errors {
		if m := recommendedCommand.FindStringSubmatch(p.FixHint); string(p.Code) == code && m != nil {
			return strings.Fields(strings.ReplaceAll(m[1], "'", ""))
		}
	}
	t.Fatalf("got %v, want a command in the hint of %s", f.Errors, code)
	return nil
}

// lists checks the releases and the aliases of each in the list, and waits until the
// server has the same.
func (s *steward) lists(want map[string]string) {
	s.t.Helper()
	type listed struct {
		ID          string   `json:"id"`
		ContentHash string   `json:"content_hash"`
		Aliases     []string `json:"aliases"`
	}
	var published struct {
		Releases []listed `json:"releases"`
	}
	s.decode(&published, exitOK, "list")
	got := make(map[string]string)
	for _, r := range published.Releases {
		got[r.ID] = strings.Join(r.Aliases, " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Fatalf("placard list (-want +got):\n%s", diff)
	}
	s.server.eventually("the releases of the store", func() bool {
		var served struct {
			Versions []listed `json:"versions"`
		}
		_, body := s.server.get("/api/v2/schemas")
		if err := json.Unmarshal([]byte(body), &served); err != nil {
			s.t.Fatalf("GET /api/v2/schemas: %v\n%s", err, body)
		}
		return cmp.Equal(served.Versions, published.Releases)
	})
	for _, r := range published.Releases {
		for _, name := range append(r.Aliases, r.ID) {
			if status, body := s.server.get("/api/v2/schemas/" + name + "/elements?limit=1"); status != 200 || !strings.Contains(body, `"version":"`+r.ID+`"`) {
				s.t.Errorf("GET %s: got %d %.300s, want %s", name, status, body, r.ID)
			}
		}
	}
}

// TestLifeOfATaxonomy goes from one stable release to the next and back.
func TestLifeOfATaxonomy(t *testing.T) {
	for name, c := range lifeCases {
		t.Run(name, func(t *testing.T) { c.run(t, filepath.Join(t.TempDir(), "store")) })
	}
	t.Run("in a bucket", func(t *testing.T) { lifeCases["example"].run(t, newBucket(t)) })
}

// newBucket starts an S3 server and returns the address of a store in it.
func newBucket(t *testing.T) string {
	t.Helper()
	server := envtest.S3(t, "releases")
	t.Setenv("AWS_ACCESS_KEY_ID", envtest.S3AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", envtest.S3SecretKey)
	t.Setenv("PLACARD_REFRESH", "200ms")
	return "s3://releases/public?endpoint=http://" + server.Addr + "&region=us-east-1"
}

func (c lifeCase) run(t *testing.T, store string) {
	tree := c.tree(t)
	typeID, oldDate, _ := strings.Cut(c.old, "@")
	newDate := strings.TrimPrefix(c.new, typeID+"@")
	oldFolder, folder := filepath.Join(tree, typeID, oldDate+"-beta"), filepath.Join(tree, typeID, newDate+"-beta")
	latest := func(dates ...string) string {
		var aliases []string
		for _, alias := range append(dates, "latest", "stable") {
			aliases = append(aliases, typeID+"@"+alias)
		}
		return strings.Join(aliases, " ")
	}
	s := &steward{t: t, store: store}

	// The first release.
	s.run(exitOK, "publish", tree, "--store", s.store, "--by", "anna", "--message", "The first beta.")
	s.run(exitOK, "promote", typeID+"@beta", "--store", s.store, "--by", "anna")
	s.server = start(t, "--store", s.store)
	s.server.ready()
	first := map[string]string{c.old + "-beta": typeID + "@beta", c.old + "-stable": latest(oldDate)}
	s.lists(first)

	// The next one.
	s.run(exitOK, "new", c.new, tree, "--from", oldFolder)
	c.edit(t, folder)
	s.run(exitOK, "check", folder)
	c.checkDiff(s, folder)
	planned := s.run(exitOK, "publish", folder, "--store", s.store, "--dry-run")
	if want := "changes since " + c.old + "-stable: " + lifeCounts + "\n"; !strings.Contains(planned, want) {
		t.Errorf("publish --dry-run: got\n%s\nwant %s", planned, want)
	}
	s.lists(first)
	s.run(exitOK, "publish", folder, "--store", s.store, "--by", "ben", "--message", "For comments.")
	withBeta := map[string]string{c.old + "-beta": "", c.old + "-stable": latest(oldDate), c.new + "-beta": typeID + "@" + newDate + " " + typeID + "@beta"}
	s.lists(withBeta)

	// It breaks documents.
	var refused lifeFindings
	s.decode(&refused, exitFailure, "promote", c.new)
	if got, want := refused.codes(), []string{"ELEMENT_REMOVED", "ELEMENT_RENAMED", "STABLE_BREAKING", "VARIABLE_NEWLY_REQUIRED"}; refused.OK || !slices.Equal(got, want) {
		t.Errorf("promote: got ok %t and codes %v, want %v", refused.OK, got, want)
	}
	s.run(exitOK, refused.recommended(t, "STABLE_BREAKING")...)
	s.lists(withBeta)
	s.run(exitOK, "promote", c.new, "--store", s.store, "--allow-breaking", "--by", "anna", "--message", "Approved.")
	withStable := map[string]string{c.old + "-beta": "", c.old + "-stable": typeID + "@" + oldDate, c.new + "-beta": typeID + "@beta", c.new + "-stable": latest(newDate)}
	s.lists(withStable)

	document := c.upgradeDocument(s, oldFolder)

	// The promotion is undone, and repeated.
	s.run(exitOK, "retire", c.new+"-stable", "--store", s.store, "--by", "ben", "--message", "Too early.")
	s.lists(withBeta)
	if status, body := s.server.get("/api/v2/schemas/" + c.new + "-stable/elements"); status != 404 || !strings.Contains(body, "was retired") {
		t.Errorf("GET %s-stable: got %d %s, want 404 because it was retired", c.new, status, body)
	}
	var invalid lifeFindings
	s.decode(&invalid, exitFailure, "validate", document)
	if len(invalid.Errors) != 1 || !strings.HasSuffix(invalid.Errors[0].Message, "was retired.") {
		t.Errorf("validate: got %v, want one error because the version was retired", invalid.Errors)
	}
	s.run(exitOK, append(invalid.recommended(t, "not_found"), "--by", "anna", "--message", "After all.")...)
	s.lists(withStable)
	s.run(exitOK, "validate", document, "--store", s.store)

	c.checkHistory(s)
	if got := s.run(exitOK, "verify", "--store", s.store); !strings.Contains(got, "0 errors, 0 warnings.") {
		t.Errorf("verify: got %s, want no findings", got)
	}
}

// checkDiff checks that diff lists the five changes, of which three are breaking.
func (c lifeCase) checkDiff(s *steward, folder string) {
	s.t.Helper()
	var comparison compat.Comparison
	s.decode(&comparison, exitOK, "diff", folder)
	var got []string
	for _, change := range comparison.Changes {
		line := fmt.Sprintf("%s %s %s", change.Kind, change.Subject.Kind, change.Subject.ID)
		for _, p := range change.Breaks {
			line += " " + string(p.Code)
		}
		got = append(got, line)
	}
	slices.Sort(got)
	want := []string{
		"added variable operator VARIABLE_NEWLY_REQUIRED",
		"redrawn element " + c.redrawn,
		"redrawn symbol " + c.symbol,
		"removed element " + c.removed + " ELEMENT_REMOVED",
		"renamed element " + c.newID + " ELEMENT_RENAMED",
		"reworded element " + c.reworded,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("placard diff --json (-want +got):\n%s", diff)
	}
	text := s.run(exitFailure, "diff", folder, "--store", s.store, "--fail-on", "breaking")
	if want := "\n" + lifeCounts + ".\n"; !strings.Contains(text, want) {
		s.t.Errorf("placard diff: got\n%s\nwant %s", text, want)
	}
}

// upgradeDocument upgrades a document of the old release and returns its file.
func (c lifeCase) upgradeDocument(s *steward, oldFolder string) string {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "document.json")
	content := c.document(s.t, oldFolder)
	write := func() {
		s.t.Helper()
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	change := func(before, after string) {
		s.t.Helper()
		if strings.Count(content, before) != 1 {
			s.t.Fatalf("got %d times %q in %s, want it once", strings.Count(content, before), before, content)
		}
		content = strings.Replace(content, before, after, 1)
	}
	write()
	s.run(exitOK, "validate", file, "--store", s.store)
	var report struct {
		lifeFindings
		Documents []struct {
			From    string `json:"from"`
			Written bool   `json:"written"`
		} `json:"documents"`
	}
	s.decode(&report, exitFailure, "upgrade", file, "--to", c.new, "--write")
	change(c.old+"-beta", c.new+"-stable")
	for before, after := range c.upgrade {
		change(before, after)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != content {
		s.t.Errorf("upgrade: got error %v (-want +got):\n%s", err, cmp.Diff(content, string(got)))
	}
	if len(report.Documents) != 1 || !report.Documents[0].Written || report.Documents[0].From != c.old+"-beta" {
		s.t.Errorf("upgrade: got %+v, want one document that was written", report.Documents)
	}
	s.run(exitOK, report.recommended(s.t, "INSTANCE_ELEMENT_UNKNOWN")...)
	var want []string
	for _, fix := range c.fixes {
		want = append(want, fix.code)
		if !slices.ContainsFunc(report.Errors, func(p problem.Problem) bool {
			return string(p.Code) == fix.code && strings.Contains(p.FixHint, fix.hint)
		}) {
			s.t.Errorf("upgrade: got %v, want %s with the hint %s", report.Errors, fix.code, fix.hint)
		}
		if fix.before != "" {
			change(fix.before, fix.after)
		}
	}
	slices.Sort(want)
	if got := report.codes(); !slices.Equal(got, want) {
		s.t.Errorf("upgrade: got errors %v, want %v", got, want)
	}
	write()
	if got := s.run(exitOK, "validate", file, "--store", s.store); !strings.Contains(got, "0 errors, 0 warnings.") {
		s.t.Errorf("validate: got %s, want no findings", got)
	}
	return file
}

// checkHistory checks that the journal has every change with its author, its reason and
// the hashes.
func (c lifeCase) checkHistory(s *steward) {
	s.t.Helper()
	var history struct {
		Complete bool           `json:"complete"`
		Records  []store.Record `json:"records"`
	}
	s.decode(&history, exitOK, "history")
	hashes := make(map[string]string)
	var got []string
	for _, r := range slices.Backward(history.Records) {
		for _, change := range r.Releases {
			name := func(e *store.Entry) string {
				if e == nil {
					return "none"
				}
				hash := e.ContentHash
				if _, ok := hashes[hash]; !ok {
					hashes[hash] = "content " + string(rune('A'+len(hashes)))
				}
				return hashes[hash]
			}
			got = append(got, fmt.Sprintf("%d %s by %s: %s, %s to %s. %s", r.Revision, r.Action, r.By, change.ID, name(change.Old), name(change.New), r.Note))
		}
	}
	want := []string{
		"1 publish by anna: " + c.old + "-beta, none to content A. The first beta.",
		"2 promote by anna: " + c.old + "-stable, none to content A. ",
		"3 publish by ben: " + c.new + "-beta, none to content B. For comments.",
		"4 promote by anna: " + c.new + "-stable, none to content B. Approved.",
		"5 retire by ben: " + c.new + "-stable, content B to none. Too early.",
		"6 restore by anna: " + c.new + "-stable, none to content B. After all.",
	}
	if diff := cmp.Diff(want, got); diff != "" || !history.Complete {
		s.t.Errorf("history: got complete %t (-want +got):\n%s", history.Complete, diff)
	}
	var listed struct {
		Releases []struct {
			ID          taxonomy.ID `json:"id"`
			ContentHash string      `json:"content_hash"`
		} `json:"releases"`
	}
	s.decode(&listed, exitOK, "list")
	for _, r := range listed.Releases {
		if hashes[r.ContentHash] == "" {
			s.t.Errorf("history has no %s, the content of %s", r.ContentHash, r.ID)
		}
	}
	if len(hashes) != 2 {
		s.t.Errorf("history: got contents %v, want 2", slices.Collect(maps.Keys(hashes)))
	}
}
