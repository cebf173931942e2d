package problem

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"
)

func TestPathString(t *testing.T) {
	for _, tc := range []struct {
		path Path
		want string
	}{
		{Root, ""},
		{Root.Field("elements"), "elements"},
		{Root.Field("elements").Index(3).Field("variables").Index(0).Field("value"), "elements[3].variables[0].value"},
		{Root.Index(2), "[2]"},
		{Root.Field("a.b"), `["a.b"]`},
		{Root.Field("map").Field(""), `map[""]`},
		{Root.Field("map").Field(`say "hi"`).Field("x"), `map["say \"hi\""].x`},
		{Root.Field("map").Field("3d"), `map["3d"]`},
		{Root.Field("en-GB"), "en-GB"},
	} {
		if got := tc.path.String(); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
}

func TestJSONOmitsAbsentFieldsButKeepsAnEmptyPath(t *testing.T) {
	for _, tc := range []struct {
		problem Problem
		want    string
	}{
		{New(NotFound, "No %s.", "x"), `{"code":"not_found","message":"No x."}`},
		{New(BadRequest, "Bad.").In(Root), `{"code":"bad_request","message":"Bad.","path":""}`},
		{
			Rule{Code: "X", Severity: Warning}.Found("Odd.").In(Root.Field("a")).Hint("Fix %d.", 1),
			`{"code":"X","message":"Odd.","path":"a","fix_hint":"Fix 1.","severity":"warning"}`,
		},
		{
			Rule{Code: "X", Severity: Error}.Found("Odd.").At(Pos{"a.yaml", 3, 7}),
			`{"code":"X","message":"Odd.","severity":"error","position":{"file":"a.yaml","line":3,"column":7}}`,
		},
	} {
		got, err := json.Marshal(tc.problem)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
		var decoded Problem
		if err := json.Unmarshal(got, &decoded); err != nil || decoded != tc.problem {
			t.Errorf("decoded %+v, error %v; want %+v", decoded, err, tc.problem)
		}
	}
}

func TestErrorsAsFindsAWrappedProblem(t *testing.T) {
	disk := errors.New("disk")
	err := fmt.Errorf("load: %w", New(UpstreamError, "Store.").Hint("Retry.").Because(disk))
	p, ok := errors.AsType[Problem](err)
	if !ok || p.Code != UpstreamError || !errors.Is(err, disk) {
		t.Fatalf("got %v, want a problem with code %q and its cause", err, UpstreamError)
	}
	if got, want := p.Error(), "upstream_error: Store. disk"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if b, err := json.Marshal(p); err != nil || strings.Contains(string(b), "disk") {
		t.Errorf("got %s, error %v, want JSON without the cause", b, err)
	}
}

func TestFailuresHaveNoCodeAndDescribeTheirCause(t *testing.T) {
	disk := errors.New("secret")
	err := Failure("The disk %q is full.", "a").Hint("Free some space.").Because(disk)
	if got, want := err.Error(), `The disk "a" is full. Free some space.`; got != want || !errors.Is(err, disk) {
		t.Errorf("got %q, want %q and its cause", got, want)
	}
}

func TestListsSortByPositionAndSplitBySeverity(t *testing.T) {
	warning := Rule{Code: "W", Severity: Warning}
	failure := Rule{Code: "E", Severity: Error}
	l := List{
		failure.Found("c").At(Pos{"b", 1, 1}),
		warning.Found("b").At(Pos{"a", 2, 9}),
		failure.Found("a").At(Pos{"a", 2, 3}),
		failure.Found("whole file").At(Pos{File: "a"}),
	}
	l.SortByPos()
	var order []string
	for _, p := range l {
		order = append(order, p.Message)
	}
	if want := []string{"whole file", "a", "b", "c"}; !slices.Equal(order, want) {
		t.Errorf("got order %q, want %q", order, want)
	}
	errs, warnings := l.Split()
	if len(errs) != 3 || len(warnings) != 1 || !l.HasErrors() || warnings.HasErrors() {
		t.Errorf("got %d errors and %d warnings, want 3 and 1", len(errs), len(warnings))
	}
}

func TestNearestSuggestsSimilarWords(t *testing.T) {
	known := []string{"video_camera", "thermal_camera", "radar", "air_sensor", "kept_for", "id", "photo", "contractor", "contact_point"}
	for _, tc := range []struct {
		word string
		want []string
	}{
		{"video_camra", []string{"video_camera"}},
		{"Video-Camera", []string{"video_camera"}},
		{"raadr", []string{"radar"}},
		{"camera", []string{"thermal_camera", "video_camera"}},
		{"kept", []string{"kept_for"}},
		{"contact", []string{"contact_point", "contractor"}},
		{"di", []string{"id"}},
		{"foto", []string{"photo"}},
		{"air", []string{"air_sensor"}},
		{"for", []string{"kept_for"}},
		{"ra", nil},
		{"rad", []string{"radar"}},
		{"ai", nil},
		{"spaceship", nil},
		{"", nil},
	} {
		if got := Nearest(tc.word, known, 3); !slices.Equal(got, tc.want) {
			t.Errorf("Nearest(%q) = %q, want %q", tc.word, got, tc.want)
		}
	}
}

func TestShortWordsInManyKnownWordsAreIgnored(t *testing.T) {
	known := []string{"get_icon", "get_element", "get_elements", "get_schema", "got"}
	if got := Nearest("get", known, 3); !slices.Equal(got, []string{"got"}) {
		t.Errorf("got %q, want got", got)
	}
	if got := Nearest("get", known[:3], 3); len(got) != 3 {
		t.Errorf("got %q, want all known words", got)
	}
}

func TestNearestAcceptsAnyInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.String().Draw(t, "word")
		known := rapid.SliceOf(rapid.String()).Draw(t, "known")
		if got := Nearest(word, append(known, word), 3); len(got) > 3 || slices.Contains(got, word) {
			t.Fatalf("got %q, want at most 3 other words", got)
		}
	})
	long := strings.Repeat("İ", 200)
	if got := Nearest(long, []string{long + "a"}, 1); len(got) != 1 {
		t.Errorf("got %q for a long word, want the other one", got)
	}
}

func TestDistanceCountsTypingErrors(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"radar", "radar", 0},
		{"radar", "radr", 1},
		{"radar", "rradar", 1},
		{"radar", "rader", 1},
		{"radar", "raadr", 1},
		{"radar", "tiger", 4},
		{"", "abc", 3},
	} {
		if got := distance(tc.a, tc.b, 10); got != tc.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
		if got := distance(tc.b, tc.a, 10); got != tc.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tc.b, tc.a, got, tc.want)
		}
	}
}

func TestWordsAreJoinedIntoPhrases(t *testing.T) {
	for want, got := range map[string]string{
		``:                      Or(nil),
		`"a"`:                   Or([]string{"a"}),
		`"a", "b" or "c"`:       Or([]string{"a", "b", "c"}),
		`"a" and "b"`:           And([]string{"a", "b"}),
		`a, b and 2 more`:       Listing([]string{"a", "b", "c", "d"}, 2),
		`Did you mean "radar"?`: DidYouMean("rada", []string{"radar", "x"}),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 errors", 1: "1 error", 2: "2 errors"} {
		if got := Count(n, "error"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}
