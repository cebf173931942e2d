package redisdb_test

import (
	"strings"
	"testing"

	"placard/internal/serve/redisdb"
)

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]string{
		"redis://localhost":                                  "redis://localhost",
		"redis://localhost:6379/":                            "redis://localhost:6379",
		"redis://localhost:6379/2":                           "redis://localhost:6379/2",
		"rediss://ada:s3cret@redis.example:6380/0":           "rediss://ada:xxxxx@redis.example:6380/0",
		"valkey://:s3cret@[::1]:6379":                        "valkey://:xxxxx@[::1]:6379",
		"redis://a:1?addr=b:2&addr=c:3&master_set=placard":   "redis://a:1?addr=b:2&addr=c:3&master_set=placard",
		"redis://[::1]:1?addr=[::1]:2":                       "redis://[::1]:1?addr=[::1]:2",
		"valkeys://localhost?skip_verify=true":               "valkeys://localhost?skip_verify=true",
		"redis://default:p%40ss%2Fword@localhost:6379?db=12": "redis://default:xxxxx@localhost:6379?db=12",
	} {
		address, err := redisdb.ParseAddress(text)
		if err != nil || address.String() != want || address.IsZero() {
			t.Errorf("%s: got %s, want %s; error %v", text, address, want, err)
		}
	}
	for _, text := range []string{
		"", "localhost:6379", "http://ada:s3cret@localhost", "unix:///run/redis.sock", "redis://", "redis:///0", "redis://ada:s3cret@localhost/one",
		"redis://ada:s3cret@localhost/0/1", "redis://s3cret@localhost", "redis://localhost?password=s3cret", "redis://localhost?dial_timeout=1h",
		"redis://localhost?a=%zz", "rediss://localhost?skip_verify=s3cret", "redis://ada:s3cret@local host", "redis://ada:s3cret@localhost:port",
	} {
		address, err := redisdb.ParseAddress(text)
		if err == nil {
			t.Errorf("%s: got %s, want an error", text, address)
		} else if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the error contains the password: %v", text, err)
		}
		if !address.IsZero() || address.String() != "" {
			t.Errorf("%s: got %s with an error", text, address)
		}
	}
}

func TestInvalidAddressesSayWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"redis://localhost/one":                  "the database in the URL is not a number",
		"redis://ada:s3/cret@localhost":          "must be percent-encoded, such as / as %2F",
		"redis://ada:12/s3cret@localhost":        "must be percent-encoded",
		"redis://ada:s3cret#@localhost":          "must be percent-encoded",
		"redis://ada:s3cret@localhost:port":      "is not the URL of a Redis server",
		"redis://localhost/0/1":                  "the database in the URL is not a number",
		"redis://localhost/-1":                   "the database in the URL is not a number",
		"redis://localhost?db=":                  "the database in the URL is not a number",
		"redis://localhost?db=one":               "the database in the URL is not a number",
		"rediss://localhost?skip_verify=perhaps": "skip_verify of the URL is neither true nor false",
		"redis://a:1?addr=b&master_set=m":        "the parameter addr of the URL is not a host and a port",
		"redis://a:1?addr=b:2&addr=c:":           "the parameter addr of the URL is not a host and a port",
		"redis://a:1?addr=:2":                    "the parameter addr of the URL is not a host and a port",
		"redis://a:1?addr=":                      "the parameter addr of the URL is not a host and a port",
		"redis://a:1?addr=::1":                   "the parameter addr of the URL is not a host and a port",
	} {
		if _, err := redisdb.ParseAddress(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
