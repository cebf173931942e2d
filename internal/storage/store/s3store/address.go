package s3store

import (
	"net/url"
	"os"
	"path"
	"strings"

	"placard/internal/core/problem"
)

// scheme is the scheme of the addresses of buckets.
const scheme = "s3"

// address is the address of a store in a bucket.
type address struct {
	bucket   string
	prefix   string // with a trailing slash, or empty
	endpoint *url.URL
	region   string // or empty
}

// defaultEndpoint is the endpoint of addresses without one.
const defaultEndpoint = "https://s3.amazonaws.com"

const (
	setCredentials = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead."
	endpointForm   = "Use a form such as https://s3.example.org."
)

// parseAddress parses an address s3://bucket/prefix?endpoint=…&region=…. Its errors
// contain no credentials.
func parseAddress(text string) (address, error) {
	u, err := url.Parse(text)
	if err != nil { // which may quote a part of a secret
		return address{}, problem.Failure("The address of the store is not valid.").
			Hint("Use the form s3://bucket/prefix, without credentials, and write %%25 for %%.")
	}
	switch {
	case u.Host == "":
		return address{}, problem.Failure("The address %q names no bucket.", scheme+"://"+u.Path).Hint("Use the form s3://bucket/prefix.")
	case u.User != nil:
		return address{}, problem.Failure("The address %q contains credentials.", redact(u)).Hint(setCredentials)
	case u.Port() != "":
		return address{}, problem.Failure("The address %q has a port.", redact(u)).Hint("The server is given as s3://bucket/prefix?endpoint=http://host:port.")
	case u.Fragment != "":
		return address{}, problem.Failure("The address %q has a fragment.", redact(u)).Hint("Write # in a prefix as %%23.")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return address{}, problem.Failure("The parameters of %q are invalid.", redact(u)).
			Hint("Use the form s3://bucket/prefix?endpoint=https://host&region=name.")
	}
	endpoint := defaultEndpoint
	a := address{bucket: u.Host}
	for key, values := range query {
		switch {
		case len(values) != 1:
			return address{}, problem.Failure("The parameter %q of the address is repeated.", key)
		case key == "endpoint":
			endpoint = values[0]
		case key == "region":
			a.region = values[0]
		default:
			return address{}, problem.Failure("%q is not a parameter of a bucket.", key).Hint("The parameters are endpoint and region.")
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
		return nil, problem.Failure("The endpoint is not an HTTP URL.").Hint(endpointForm)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, problem.Failure("The endpoint %q is not an HTTP URL.", redact(u)).Hint(endpointForm)
	case u.User != nil:
		return nil, problem.Failure("The endpoint %q contains credentials.", redact(u)).Hint(setCredentials)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, problem.Failure("The endpoint %q has parameters.", redact(u)).Hint(endpointForm)
	case strings.Trim(u.Path, "/") != "":
		return nil, problem.Failure("The endpoint %q has a path.", redact(u)).
			Hint("Write the bucket and the prefix in front of the question mark, as in s3://bucket/prefix?endpoint=%s://%s.", u.Scheme, u.Host)
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
