package s3store

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"strings"
)

// scheme is the scheme of the addresses of buckets.
const scheme = "s3"

// IsAddress reports whether name is the address of a bucket rather than of a folder.
func IsAddress(name string) bool { return strings.HasPrefix(name, scheme+"://") }

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
	u, err := url.Parse(text)
	if err != nil { // which may quote a part of a secret
		return address{}, errors.New("the address of the store is not valid; use the form s3://bucket/prefix, without credentials, and write %25 for %")
	}
	switch {
	case u.Scheme != scheme || u.Host == "":
		return address{}, fmt.Errorf("%q is not the address of a bucket; use the form s3://bucket/prefix", redact(u))
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
	if a.endpoint, err = url.Parse(endpoint); err != nil {
		return address{}, errors.New("the endpoint of the store is not a URL; use a form such as https://s3.example.org")
	}
	if e := a.endpoint; e.Scheme != "http" && e.Scheme != "https" || e.Host == "" || strings.Trim(e.Path, "/") != "" || e.User != nil || e.RawQuery != "" {
		return address{}, fmt.Errorf("%q is not an endpoint; use a form such as https://s3.example.org", redact(e))
	}
	if a.region == "" {
		a.region = defaultRegion(a.isAmazon())
	}
	if a.prefix = strings.Trim(path.Clean("/"+u.Path), "/"); a.prefix != "" {
		a.prefix += "/"
	}
	return a, nil
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
