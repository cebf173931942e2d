package redisdb

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Address is the address of a server, of a cluster or of the sentinels of a server. The
// zero Address is none.
type Address struct {
	url            *url.URL
	hosts          []string // with ports
	user, password string
	database       int
	masterSet      string // the name that sentinels know; "" without sentinels
	tls            *tls.Config
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
	_, rest, _ := strings.Cut(text, "://")
	if i := strings.LastIndexByte(rest, '@'); i >= 0 && strings.ContainsAny(rest[:i], "/?#[] ") {
		return Address{}, errors.New("the password in the URL has characters that must be percent-encoded, such as / as %2F")
	}
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
	if u.Path == "/" {
		u.Path = ""
	}
	database := cmp.Or(strings.TrimPrefix(u.Path, "/"), "0")
	if query.Has("db") {
		database = query.Get("db")
	}
	number, err := strconv.ParseUint(database, 10, 31)
	if err != nil {
		return Address{}, errors.New("the database in the URL is not a number such as the 0 in redis://host:6379/0")
	}
	skip, err := strconv.ParseBool(cmp.Or(query.Get("skip_verify"), "false"))
	if err != nil {
		return Address{}, errors.New("the parameter skip_verify of the URL is neither true nor false")
	}
	for _, node := range query["addr"] {
		// The client would replace a missing host by the first one.
		if host, port, err := net.SplitHostPort(node); err != nil || host == "" || port == "" {
			return Address{}, errors.New("the parameter addr of the URL is not a host and a port such as host:6379")
		}
	}
	a := Address{url: u, hosts: append([]string{withPort(u)}, query["addr"]...), user: u.User.Username(), database: int(number), masterSet: query.Get("master_set")}
	a.password, _ = u.User.Password()
	if u.Scheme == "rediss" || u.Scheme == "valkeys" {
		a.tls = &tls.Config{ServerName: u.Hostname(), InsecureSkipVerify: skip, MinVersion: tls.VersionTLS12}
	}
	return a, nil
}

func withPort(u *url.URL) string { return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "6379")) }

// dial opens a connection to a server, with TLS if the address says so.
func (a Address) dial(ctx context.Context, network, server string) (net.Conn, error) {
	if a.tls != nil {
		return (&tls.Dialer{Config: a.tls}).DialContext(ctx, network, server)
	}
	var d net.Dialer
	return d.DialContext(ctx, network, server)
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
