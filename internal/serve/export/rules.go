package export

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// rule sets header fields of the responses whose paths match. Every path matches at
// most one rule for a field, because hosts that find two join their values.
type rule struct {
	path   string // with :placeholders for segments, and * at the end for all paths below it
	header map[string]string
}

// versionParam is the path parameter on whose value headers depend.
const versionParam = "{version}"

// resourceGroup is a set of resources that should have the same header: the resources of one
// pattern and one version.
type resourceGroup struct {
	pattern string
	version string // empty if the pattern has none
}

// headerRules returns rules that set the headers of all resources. Their number depends
// on the number of versions, not on that of the resources.
func (p *plan) headerRules() ([]rule, error) {
	groups, err := p.groups()
	if err != nil {
		return nil, err
	}
	common := commonFields(slices.Collect(maps.Values(groups)))
	rules := []rule{{p.prefix() + "*", common}}
	for _, header := range groups {
		maps.DeleteFunc(header, func(name, _ string) bool { return common[name] != "" })
	}
	byVersion := make(map[string]map[string]map[string]string) // header by version and pattern
	patterns := make(map[string][]map[string]string)
	for g, header := range groups {
		patterns[g.pattern] = append(patterns[g.pattern], header)
		if g.version != "" {
			if byVersion[g.version] == nil {
				byVersion[g.version] = make(map[string]map[string]string)
			}
			byVersion[g.version][g.pattern] = header
		}
	}
	// A field is set by pattern if it never depends on the version.
	varying := make(map[string]bool)
	for _, headers := range patterns {
		same := commonFields(headers)
		for _, header := range headers {
			for name := range header {
				varying[name] = varying[name] || same[name] == ""
			}
		}
	}
	isVarying := func(name, _ string) bool { return varying[name] }
	for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
		header := maps.Clone(patterns[pattern][0])
		if strings.Contains(pattern, versionParam) {
			maps.DeleteFunc(header, isVarying)
		}
		if len(header) > 0 {
			rules = append(rules, rule{placeholders(pattern), header})
		}
	}
	for _, version := range slices.Sorted(maps.Keys(byVersion)) {
		for _, header := range byVersion[version] {
			maps.DeleteFunc(header, func(name, value string) bool { return !isVarying(name, value) })
		}
		rules = append(rules, versionRules(version, byVersion[version])...)
	}
	return rules, nil
}

// groups returns the header of every group of resources. Drawings that the server composes
// on demand may have a shorter lifetime than others; the shortest applies to all.
func (p *plan) groups() (map[resourceGroup]map[string]string, error) {
	groups := make(map[resourceGroup]map[string]string)
	for f := range p.routed {
		header := maps.Clone(p.headers.list[f.Header])
		g := resourceGroup{filePattern(f), f.version()}
		known := groups[g]
		if known == nil {
			groups[g] = header
			continue
		}
		if lifetime(header["Cache-Control"]) < lifetime(known["Cache-Control"]) {
			known["Cache-Control"] = header["Cache-Control"]
		}
		header["Cache-Control"] = known["Cache-Control"]
		if !maps.Equal(known, header) {
			return nil, fmt.Errorf("no rule can describe the headers of %s, which differ from those of similar resources", f.resource)
		}
	}
	return groups, nil
}

// routed is an iterator over the files that are not part of a site. Parts of a site
// need no rules: they have the headers that hosts give to files.
func (p *plan) routed(yield func(*file) bool) {
	for i := range p.files {
		if f := &p.files[i]; f.resource.Pattern != "" && !yield(f) {
			return
		}
	}
}

// filePattern returns the pattern of the paths under which a file is requested.
func filePattern(f *file) string {
	if f.Query != "" {
		return path.Join(path.Dir(f.resource.Pattern), listFolder, "{list}")
	}
	return f.resource.Pattern
}

// version returns the value of [versionParam] in the path.
func (f *file) version() string {
	segments := strings.Split(f.resource.Path, "/")
	for i, segment := range strings.Split(f.resource.Pattern, "/") {
		if segment == versionParam {
			return segments[i]
		}
	}
	return ""
}

// maxAge matches the lifetime in Cache-Control.
var maxAge = regexp.MustCompile(`max-age=(\d+)`)

// lifetime returns the number of seconds for which a response may be cached.
func lifetime(cacheControl string) int {
	if match := maxAge.FindStringSubmatch(cacheControl); match != nil {
		seconds, _ := strconv.Atoi(match[1])
		return seconds
	}
	return 0
}

// commonFields returns the fields that all headers have with the same value.
func commonFields(headers []map[string]string) map[string]string {
	common := maps.Clone(headers[0])
	for _, header := range headers[1:] {
		maps.DeleteFunc(common, func(name, value string) bool { return header[name] != value })
	}
	return common
}

// prefix returns the longest folder that contains all routed resources.
func (p *plan) prefix() string {
	prefix := p.files[len(p.files)-1].resource.Path
	for f := range p.routed {
		for !strings.HasPrefix(f.resource.Path, prefix) || !strings.HasSuffix(prefix, "/") {
			prefix = prefix[:strings.LastIndexByte(strings.TrimSuffix(prefix, "/"), '/')+1]
		}
	}
	return prefix
}

var parameter = regexp.MustCompile(`\{(\w+)\}`)

// placeholders replaces the parameters of a pattern by placeholders.
func placeholders(pattern string) string { return parameter.ReplaceAllString(pattern, ":$1") }

// versionRules returns the rules of one version, given the headers of its patterns.
func versionRules(version string, headers map[string]map[string]string) []rule {
	patterns := slices.Sorted(maps.Keys(headers))
	in := func(pattern string) string {
		return placeholders(strings.Replace(pattern, versionParam, version, 1))
	}
	same := func(patterns []string) bool {
		return !slices.ContainsFunc(patterns, func(pattern string) bool { return !maps.Equal(headers[pattern], headers[patterns[0]]) })
	}
	if same(patterns) {
		root, _, _ := strings.Cut(patterns[0], versionParam)
		return []rule{{root + version + "/*", headers[patterns[0]]}}
	}
	siblings := make(map[string][]string)
	for _, pattern := range patterns {
		siblings[path.Dir(pattern)] = append(siblings[path.Dir(pattern)], pattern)
	}
	var rules []rule
	for _, dir := range slices.Sorted(maps.Keys(siblings)) {
		if same(siblings[dir]) {
			rules = append(rules, rule{in(dir) + "/:file", headers[siblings[dir][0]]})
			continue
		}
		for _, pattern := range siblings[dir] {
			rules = append(rules, rule{in(pattern), headers[pattern]})
		}
	}
	return rules
}

const generatedNotice = "# Written by placard export, which overwrites changes."

// headersFile returns the rules as Netlify and Cloudflare Pages read them.
func headersFile(rules []rule) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, generatedNotice)
	for _, r := range rules {
		fmt.Fprintf(&b, "%s\n", r.path)
		for _, name := range slices.Sorted(maps.Keys(r.header)) {
			fmt.Fprintf(&b, "  %s: %s\n", name, r.header[name])
		}
	}
	return b.Bytes()
}

// rewrite maps requests to files.
type rewrite struct {
	path  string   // with placeholders
	query []string // the query parameters, with placeholders as values
	file  string   // with the placeholders of path and query
}

// rewrites returns the rewrites of resources that are not named after their path. Those
// with more parameters are first: hosts use the first match.
func (p *plan) rewrites() []rewrite {
	var all []rewrite
	known := make(map[string]bool) // by file
	for i := range p.files {
		f := &p.files[i]
		if f.Query == "" {
			continue
		}
		params, err := url.ParseQuery(f.Query)
		if err != nil {
			panic(err) // the handler has served the resource
		}
		var query []string
		for _, name := range slices.Sorted(maps.Keys(params)) {
			query = append(query, name+"=:"+name)
		}
		from := placeholders(f.resource.Pattern)
		file := path.Join(path.Dir(from), listFolder, strings.Join(query, "&")+".json")
		if !known[file] {
			known[file] = true
			all = append(all, rewrite{from, query, file})
		}
	}
	slices.SortFunc(all, func(a, b rewrite) int {
		return cmp.Or(cmp.Compare(len(b.query), len(a.query)), cmp.Compare(a.file, b.file))
	})
	for _, pattern := range slices.Sorted(maps.Keys(p.folders)) {
		from := placeholders(pattern)
		all = append(all, rewrite{path: from, file: from + "/index.json"})
	}
	return all
}

// rewritesFile returns the rewrites as Netlify and Cloudflare Pages read them.
// Cloudflare Pages ignores those with parameters.
func rewritesFile(rewrites []rewrite) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, generatedNotice)
	for _, r := range rewrites {
		b.WriteString(r.path)
		for _, param := range r.query {
			b.WriteString(" " + param)
		}
		fmt.Fprintf(&b, " %s 200\n", r.file)
	}
	return b.Bytes()
}
