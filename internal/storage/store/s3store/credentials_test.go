package s3store_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestChangedCredentialsFileIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credentials")
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "MINIO_ROOT_USER", "MINIO_ACCESS_KEY", "AWS_PROFILE"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	write := func(key string) {
		if err := os.WriteFile(file, []byte("[default]\naws_access_key_id = "+key+"\naws_secret_access_key = secret\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		var signed string
		b := mustOpenBucket(t, roundTripper(func(r *http.Request) (*http.Response, error) {
			signed = r.Header.Get("Authorization")
			header := http.Header{"Etag": {`"a"`}, "Last-Modified": {time.Now().UTC().Format(http.TimeFormat)}}
			return &http.Response{StatusCode: http.StatusOK, Header: header, ContentLength: 1, Body: io.NopCloser(strings.NewReader("x")), Request: r}, nil
		}), 1)
		check := func(key string) {
			t.Helper()
			if _, err := b.Read(t.Context(), "export.json"); err != nil || !strings.Contains(signed, "Credential="+key+"/") {
				t.Errorf("got %v with the authorization %q, want the key %s", err, signed, key)
			}
		}
		write("OLD")
		check("OLD")
		write("NEW")
		time.Sleep(2 * time.Minute)
		check("NEW")
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		check("NEW")
	})
}
