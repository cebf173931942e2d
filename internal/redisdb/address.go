package redisdb

import (
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/valkey-io/valkey-go"
)

// Address is the address of a server, of a cluster or of the sentinels of a server. The
// zero Address is none.
type Address struct {
	url     *url.URL
	options valkey.ClientOption
}

// ParseAddress parses the address of a server:
//
//	redis://user:password@host:6379/0                        one server, or any node of a cluster
//	rediss://host                                            with TLS; verifies the name of the first host
//	rediss://host?skip_verify=true                           with TLS, but accepts any certificate
//	redis://host:6379?addr=host2:6379                        several nodes of a cluster
//	redis://host:26379?addr=host2:26379&master_set=name      sentinels
//
// The schemes valkey and valkeys are accepted too. The error never contains the
// address, which may contain a password.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || !slices.Contains([]string{"redis", "rediss", "valkey", "valkeys"}, u.Scheme) {
		return Address{}, errors.New("the value is not the URL of a Redis server")
	}
	if _, hasPassword := u.User.Password(); u.User != nil && !hasPassword {
		return Address{}, errors.New("the URL has a user without a password")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Address{}, errors.New("the parameters of the URL are malformed")
	}
	for name := range query {
		if !slices.Contains([]string{"addr", "db", "master_set", "skip_verify"}, name) {
			return Address{}, fmt.Errorf("the URL has the unknown parameter %q", name)
		}
	}
	options, err := valkey.ParseURL(text)
	if err != nil {
		return Address{}, errors.New("the database or a parameter of the URL is invalid")
	}
	options.Sentinel.TLSConfig = options.TLSConfig
	return Address{u, options}, nil
}

// IsZero reports whether a is the zero Address.
func (a Address) IsZero() bool { return a.url == nil }

// String returns the address without its password.
func (a Address) String() string {
	if a.IsZero() {
		return ""
	}
	return a.url.Redacted()
}
