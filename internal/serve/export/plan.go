package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// String returns the target of the request.
func (p Resource) String() string {
	if p.Query == "" {
		return p.Path
	}
	return p.Path + "?" + p.Query
}

// response is a rendered resource. It is an [http.ResponseWriter].
type response struct {
	header http.Header
	status int
	body   []byte
}

func (r *response) Header() http.Header { return r.header }

func (r *response) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

func (r *response) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	r.body = append(r.body, b...)
	return len(b), nil
}

// digest is a SHA-256 digest, encoded in hexadecimal.
type digest [sha256.Size]byte

// MarshalText implements [encoding.TextMarshaler].
func (d digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *digest) UnmarshalText(text []byte) error {
	b, err := hex.AppendDecode(nil, text)
	if err != nil || len(b) != len(d) {
		return fmt.Errorf("%q is not a digest", text)
	}
	*d = digest(b)
	return nil
}

// origin is that of the requests, and of the examples in documents.
const origin = "http://localhost:8080"

// render returns the response to a resource.
func render(ctx context.Context, h http.Handler, p Resource) (*response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+p.String(), nil)
	if err != nil {
		return nil, err
	}
	request.RemoteAddr = "127.0.0.1:0"
	r := &response{header: make(http.Header)}
	h.ServeHTTP(r, request)
	return r, ctx.Err()
}

// perRequest are the headers of a response that belong to one request, or that hosts
// set themselves.
var perRequest = []string{"Connection", "Content-Length", "Date", "Etag", "Vary", "X-Request-Id"}

// lasting returns the header of a response without the fields of [perRequest].
func (r *response) lasting() map[string]string {
	header := make(map[string]string, len(r.header))
	for name, values := range r.header {
		if !slices.Contains(perRequest, name) {
			header[name] = strings.Join(values, ", ")
		}
	}
	return header
}

// failure returns the error in the body of a response.
func (r *response) failure() (code, message string) {
	var body struct {
		Errors []struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"errors"`
	}
	if err := json.Unmarshal(r.body, &body); err != nil || len(body.Errors) == 0 {
		return "", http.StatusText(r.status)
	}
	return body.Errors[0].Code, body.Errors[0].Message
}

// plan is the files of an export.
type plan struct {
	files   []file // in the order of the resources
	headers headerTable
	leftOut []LeftOut
	refused []string // the names of the files of leftOut
	notes   []string

	names   map[string]bool // of all files
	folders map[string]bool // patterns with other patterns below them
}

// file is the file of a resource.
type file struct {
	Name   string `json:"file"`
	Path   string `json:"path,omitzero"` // of the resource, if the file has another name
	Query  string `json:"query,omitzero"`
	Size   int64  `json:"size"`
	SHA256 digest `json:"sha256"`
	Header int    `json:"headers"` // an index into the headers of the plan

	resource *Resource
	leftOut  *LeftOut // nil for a file that is exported
}

// listFolder is the folder with the responses to requests with a query string. It is
// beside the path of the request, where it shares the headers of other resources.
const listFolder = "lists"

// newPlan returns a plan with the names of the files. The rest is added by describe
// and complete.
func newPlan(resources []Resource, names layout) (*plan, error) {
	p := &plan{folders: foldersOf(resources), files: make([]file, len(resources)), names: make(map[string]bool, len(resources))}
	for i := range resources {
		resource := &resources[i]
		name := p.fileName(*resource, names)
		if !fs.ValidPath(name) || strings.Contains(name, `\`) {
			return nil, fmt.Errorf("%q is not a valid file name", name)
		}
		if p.names[name] {
			return nil, fmt.Errorf("two resources have the file %q", name)
		}
		p.names[name] = true
		p.files[i] = file{Name: name, Query: resource.Query, resource: resource}
		if name != resource.Path[1:] {
			p.files[i].Path = resource.Path
		}
	}
	return p, nil
}

// describe adds the description of a response to a file of the plan. It is safe for
// concurrent use with other files.
func (p *plan) describe(f *file, r *response) error {
	switch r.status {
	case http.StatusOK:
		f.Size = int64(len(r.body))
		f.SHA256 = sha256.Sum256(r.body)
		f.Header = p.headers.number(r.lasting())
		return nil
	case http.StatusRequestEntityTooLarge:
		code, message := r.failure()
		f.leftOut = &LeftOut{f.resource.String(), code, message}
		return nil
	}
	_, message := r.failure()
	return fmt.Errorf("GET %s: %s", f.resource, message)
}

// complete removes the files that have no response from the plan.
func (p *plan) complete() error {
	if refused := p.files[len(p.files)-1].leftOut; refused != nil {
		return fmt.Errorf("GET %s: %s", refused.Path, refused.Message)
	}
	p.files = slices.DeleteFunc(p.files, func(f file) bool {
		if f.leftOut != nil {
			p.leftOut = append(p.leftOut, *f.leftOut)
			p.refused = append(p.refused, f.Name)
		}
		return f.leftOut != nil
	})
	p.sortHeaders()
	return nil
}

// foldersOf returns the patterns that other patterns are below.
func foldersOf(resources []Resource) map[string]bool {
	patterns := make(map[string]bool)
	for _, resource := range resources {
		if resource.Pattern != "" {
			patterns[resource.Pattern] = true
		}
	}
	folders := make(map[string]bool)
	for pattern := range patterns {
		for dir := path.Dir(pattern); dir != "/"; dir = path.Dir(dir) {
			folders[dir] = patterns[dir]
		}
	}
	maps.DeleteFunc(folders, func(_ string, isResource bool) bool { return !isResource })
	return folders
}

// fileName returns the name of the file of a resource.
func (p *plan) fileName(resource Resource, names layout) string {
	switch name := resource.Path[1:]; {
	case resource.Pattern == "" && !isFile(resource.Path):
		return path.Join(name, "index.html")
	case resource.Query != "":
		return path.Join(path.Dir(name), listFolder, resource.Query+".json")
	case names == layoutFolders && p.folders[resource.Pattern]:
		return name + "/index.json"
	default:
		return name
	}
}

// blocking separates the files that cannot exist beside a file of the plan from other
// stale files: one of both would be in a folder with the name of the other.
func (p *plan) blocking(stale []string) (blocking, others []string) {
	if len(stale) == 0 {
		return nil, nil
	}
	folders := make(map[string]bool)
	for name := range p.names {
		for dir := path.Dir(name); dir != "." && !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	for _, name := range stale {
		blocks := folders[name]
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			blocks = blocks || p.names[dir]
		}
		if blocks {
			blocking = append(blocking, name)
		} else {
			others = append(others, name)
		}
	}
	return blocking, others
}

// topNames returns the first elements of the names of all files.
func (p *plan) topNames() []string {
	var names []string
	for _, f := range p.files {
		top, _, _ := strings.Cut(f.Name, "/")
		if !slices.Contains(names, top) {
			names = append(names, top)
		}
	}
	return names
}

// headerTable is a list of distinct headers. It is safe for concurrent use.
type headerTable struct {
	mu      sync.Mutex
	list    []map[string]string
	numbers map[string]int // by encoded header
}

// number returns the position of a header in the list.
func (t *headerTable) number(header map[string]string) int {
	var key string
	for _, name := range slices.Sorted(maps.Keys(header)) {
		key += name + ": " + header[name] + "\n"
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok := t.numbers[key]
	if !ok {
		if t.numbers == nil {
			t.numbers = make(map[string]int)
		}
		n = len(t.list)
		t.list = append(t.list, header)
		t.numbers[key] = n
	}
	return n
}

// header returns the header with the given number.
func (t *headerTable) header(n int) map[string]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list[n]
}

// sortHeaders orders the headers by their first use, which depends on the resources only,
// and not on the order in which they were rendered.
func (p *plan) sortHeaders() {
	numbers := make(map[int]int)
	var sorted []map[string]string
	for i := range p.files {
		old := p.files[i].Header
		if _, ok := numbers[old]; !ok {
			numbers[old] = len(sorted)
			sorted = append(sorted, p.headers.list[old])
		}
		p.files[i].Header = numbers[old]
	}
	p.headers.list = sorted
}
