package redisdb_test

import (
	"strings"
	"testing"

	"placard/scripts/envtest"
)

func TestFailuresSayWhatIsWrongAndWhatToDo(t *testing.T) {
	t.Parallel()
	addr := envtest.Redis(t).Addr
	secured := envtest.Redis(t, "--requirepass", "hunter2").Addr
	s3 := envtest.S3(t, "bucket").Addr
	secure, _ := envtest.RedisTLS(t)
	for url, want := range map[string]string{
		"redis://:wrong@" + secured: "redis refuses the user or the password;",
		"redis://" + secured:        "redis requires a password;",
		"redis://" + addr + "/99":   "redis does not have the database in the address;",
		"redis://" + s3:             "redis does not answer;",
		"rediss://" + s3:            "redis does not use TLS;",
		"rediss://" + secure.Addr:   "redis has a certificate that cannot be verified;",
		"redis://127.0.0.1:1":       "redis does not answer;",
	} {
		n := start(t, url, generous)
		<-n.Tried()
		log := strings.Join(n.log.all(), "\n")
		if !strings.HasPrefix(log, want) || !strings.Contains(log, " hint=") || strings.Contains(log, "wrong@") {
			t.Errorf("%s: got log %q, want %q with a hint", url, log, want)
		}
	}
}
