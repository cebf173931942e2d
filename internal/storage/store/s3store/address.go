package s3store

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"

	"placard/internal/core/problem"
)

// scheme is the scheme of the addresses of buckets.
const scheme = "s3"

// IsAddress reports whether name is an address rather than the path of a folder. It need
// not be the valid address of a bucket: a misspelt address must not become a folder.
func IsAddress(name string) bool { return addressStart.MatchString(name) }

// addressStart matches the start of an address, up to the slashes if it has any. A single
// letter is the name of a drive, not a scheme.
var addressStart = regexp.MustCompile(`^(?:.*?://|[\s"']*(?:[A-Za-z][A-Za-z0-9+.-]+:/|(?i:s3a?|gs|https?|ftp|file)(?::|//)))`)

// unsupported returns the error for an address with the given start.
func unsupported(start string) error {
	hint := "use the form s3://bucket/prefix"
	switch word, _, _ := strings.Cut(strings.ToLower(start), ":"); word {
	case "http", "https":
		hint += "?endpoint=" + word + "://host"
	case "file":
		hint = "use the path of the folder"
	}
	return fmt.Errorf("an address begins with s3://, not with %q; %s", problem.Clip(start), hint)
}

// address is the address of a store in a bucket.
type address struct {
	bucket   string
	prefix   string // with a trailing slash, or empty
	endpoint *url.URL
	region   string // or empty
}

// defaultEndpoint is the endpoint of addresses without one.
const defaultEndpoint = "https://s3.amazonaws.com"

// parseAddress parses an address s3://bucket/prefix?endpoint=…&region=…. Its errors
// contain no credentials.
func parseAddress(text string) (address, error) {
	if !strings.HasPrefix(text, scheme+"://") {
		return address{}, unsupported(addressStart.FindString(text))
	}
	u, err := url.Parse(text)
	if err != nil { // which may quote a part of a secret
		return address{}, errors.New("the address of the store is not valid; use the form s3://bucket/prefix, without credentials, and write %25 for %")
	}
	switch {
	case u.Host == "":
		return address{}, fmt.Errorf("the address %q names no bucket; use the form s3://bucket/prefix", scheme+"://"+u.Path)
	case u.User != nil:
		return address{}, fmt.Errorf("the address %q contains credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead", redact(u))
	case u.Port() != "":
		return address{}, fmt.Errorf("the address %q has a port; the server is given as s3://bucket/prefix?endpoint=http://host:port", redact(u))
	case u.Fragment != "":
		return address{}, fmt.Errorf("the address %q has a fragment; write # in a prefix as %%23", redact(u))
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return address{}, fmt.Errorf("the parameters of %q are invalid; use the form s3://bucket/prefix?endpoint=https://host&region=name", redact(u))
	}
	endpoint := defaultEndpoint
	a := address{bucket: u.Host}
	for key, values := range query {
		switch {
		case len(values) != 1:
			return address{}, fmt.Errorf("the parameter %q of the address is repeated", key)
		case key == "endpoint":
			endpoint = values[0]
		case key == "region":
			a.region = values[0]
		default:
			return address{}, fmt.Errorf("%q is not a parameter of a bucket; the parameters are endpoint and region", key)
		}
	}
	if a.endpoint, err = parseEndpoint(endpoint); err != nil {
		return address{}, err
	}
	if a.region == "" {
		a.region = defaultRegion(a.isAmazon())
	}
	if a.prefix = strings.Trim(path.Clean("/"+u.Path), "/"); a.prefix != "" {
		a.prefix += "/"
	}
	return a, nil
}

// parseEndpoint parses the URL of a server. Its errors contain no credentials.
func parseEndpoint(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("the endpoint is not an HTTP URL; use a form such as https://s3.example.org")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("the endpoint %q is not an HTTP URL; use a form such as https://s3.example.org", redact(u))
	case u.User != nil:
		return nil, fmt.Errorf("the endpoint %q contains credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead", redact(u))
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("the endpoint %q has parameters; use a form such as https://s3.example.org", redact(u))
	case strings.Trim(u.Path, "/") != "":
		return nil, fmt.Errorf("the endpoint %q has a path; write the bucket and the prefix in front of the question mark, as in s3://bucket/prefix?endpoint=%s", redact(u), u.Scheme+"://"+u.Host)
	}
	return u, nil
}

// defaultRegion returns the region of an address without one. Only the region of a
// bucket of Amazon is looked up, which is the meaning of an empty region.
func defaultRegion(isAmazon bool) string {
	for _, variable := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		if region := os.Getenv(variable); region != "" {
			return region
		}
	}
	if isAmazon {
		return ""
	}
	return "us-east-1"
}

func (a address) isAmazon() bool {
	host := a.endpoint.Hostname()
	return strings.HasSuffix(host, ".amazonaws.com") || strings.HasSuffix(host, ".amazonaws.com.cn")
}

// String returns the address without parameters, for messages.
func (a address) String() string {
	return strings.TrimSuffix(scheme+"://"+a.bucket+"/"+a.prefix, "/")
}

// redact returns a URL without credentials and parameters.
func redact(u *url.URL) string {
	clean := *u
	clean.User, clean.RawQuery, clean.Fragment = nil, "", ""
	return clean.String()
}
