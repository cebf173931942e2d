package s3store

import (
	"cmp"
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

const addressForm = "Use the form s3://bucket/prefix?endpoint=https://host:port&region=name, with %25 for %. Credentials belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."

// parseAddress parses an address s3://bucket/prefix?endpoint=…&region=…. Its errors
// quote no part of the address that may be a secret.
func parseAddress(text string) (address, error) {
	invalid := problem.Failure("The address of the bucket is not valid.").Hint("%s", addressForm)
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Port() != "" || u.Fragment != "" {
		return address{}, invalid
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return address{}, invalid
	}
	a := address{bucket: u.Host, region: query.Get("region")}
	for key, values := range query {
		if len(values) != 1 || key != "endpoint" && key != "region" {
			return address{}, problem.Failure("The parameter %q of the address is unknown or repeated.", key).Hint("The parameters are endpoint and region.")
		}
	}
	if a.endpoint, err = parseEndpoint(cmp.Or(query.Get("endpoint"), defaultEndpoint)); err != nil {
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

// parseEndpoint parses the URL of a server.
func parseEndpoint(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return nil, problem.Failure("The endpoint in the address of the bucket is not the URL of a server.").
			Hint("Use a form such as https://s3.example.org, without credentials, path and parameters.")
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
