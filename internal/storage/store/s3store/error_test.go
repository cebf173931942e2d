package s3store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/storage/store"
	"placard/internal/storage/store/s3store"
	"placard/internal/storage/store/storetest"
	"placard/scripts/envtest"
)

// respond is a transport that always gives the same response.
func respond(status int, code string, header ...string) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		body := fmt.Sprintf("<Error><Code>%s</Code><Message>secret-token</Message></Error>", code)
		response := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}
		for i := 0; i < len(header); i += 2 {
			response.Header.Set(header[i], header[i+1])
		}
		return response, nil
	})
}

func TestErrorsSayWhatIsWrongAndWhatToDo(t *testing.T) {
	server := envtest.S3(t, "releases")
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(t.Output(), "", 0)
	secure.StartTLS()
	defer secure.Close()
	here := "?endpoint=http://" + server.Addr
	for name, tc := range map[string]struct {
		address   string
		key       string // of the access key; default the right one
		secret    string
		transport http.RoundTripper
		want      string
	}{
		"bucket":       {address: "s3://missing" + here, want: "(404 NoSuchBucket). Check the bucket, the endpoint, the credentials"},
		"bucket name":  {address: "s3://a_" + here, want: "(400 InvalidBucketName). Check the bucket"},
		"access key":   {address: "s3://releases" + here, key: "nobody", want: "(404 XAdminUserNotFound). Check the bucket, the endpoint, the credentials"},
		"secret key":   {address: "s3://releases" + here, secret: "wrong-secret", want: "(403 SignatureDoesNotMatch). Check the bucket, the endpoint, the credentials"},
		"region":       {address: "s3://releases" + here + "&region=eu-west-9", want: "is not in the region of the request. Add region=us-east-1"},
		"refused":      {address: "s3://releases?endpoint=http://127.0.0.1:1", want: "cannot be reached: connection refused. Check the endpoint"},
		"name":         {address: "s3://releases?endpoint=http://server.invalid", want: "cannot be reached: lookup server.invalid"},
		"no TLS":       {address: "s3://releases?endpoint=https://" + server.Addr, want: "cannot be reached: http: server gave HTTP response to HTTPS client. "},
		"certificate":  {address: "s3://releases?endpoint=" + secure.URL, want: "certificate signed by unknown authority. "},
		"denied":       {address: "s3://releases", transport: respond(403, "AccessDenied"), want: "Access to s3://releases/index.json is denied. Reading needs the permissions"},
		"redirect":     {address: "s3://releases", transport: respond(301, "PermanentRedirect", "x-amz-bucket-region", "eu-west-1"), want: "Add region=eu-west-1"},
		"no region":    {address: "s3://releases?region=x", transport: respond(307, "TemporaryRedirect"), want: "Add the region of the bucket"},
		"clock":        {address: "s3://releases", transport: respond(403, "RequestTimeTooSkewed"), want: "(403 RequestTimeTooSkewed). Check the bucket, the endpoint, the credentials and the clock"},
		"slow down":    {address: "s3://releases?region=x", transport: respond(503, "SlowDown"), want: "is overloaded or fails (503 SlowDown). Try again later"},
		"no S3 server": {address: "s3://releases?region=x", transport: respond(405, "MethodNotAllowed"), want: "refuses the request for s3://releases/index.json (405 MethodNotAllowed). Check the bucket, the endpoint"},
	} {
		t.Run(name, func(t *testing.T) {
			setCredentials(t)
			if tc.key != "" {
				t.Setenv("AWS_ACCESS_KEY_ID", tc.key)
			}
			if tc.secret != "" {
				t.Setenv("AWS_SECRET_ACCESS_KEY", tc.secret)
			}
			_, err := mustOpen(t, tc.address, options{transport: tc.transport}).Index(t.Context())
			p, ok := errors.AsType[problem.Problem](err)
			if !ok || !strings.Contains(p.Message+" "+p.FixHint, tc.want) || p.FixHint == "" {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			for _, secret := range []string{"secret-token", "X-Amz", envtest.S3SecretKey, "wrong-secret", "nobody"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%q contains %q", err, secret)
				}
			}
		})
	}
}

func TestInvalidAddressesAreRefusedWithoutCredentials(t *testing.T) {
	const invalid, endpoint = "The address of the bucket is not valid. Use the form s3://bucket/prefix", "is not the URL of a server. Use a form such as https://s3.example.org"
	for address, want := range map[string]string{
		"s3://":                                         invalid,
		"s3://?region=x":                                invalid,
		"s3:///prefix":                                  invalid,
		"s3://key:hunter2@/prefix":                      invalid,
		"s3://key:hunter2@bucket/prefix":                invalid,
		"s3://key:hunter2/+a@bucket":                    invalid,
		"s3://bucket:9000/prefix":                       invalid,
		"s3://bucket#hunter2":                           invalid,
		"s3://bucket?%zz=hunter2":                       invalid,
		"s3://bucket/%zz":                               invalid,
		"s3://bucket?password=hunter2":                  `The parameter "password" of the address is unknown or repeated. `,
		"s3://bucket?region=a&region=b":                 `The parameter "region" of the address is unknown or repeated. `,
		"s3://bucket?endpoint=ftp://host":               endpoint,
		"s3://bucket?endpoint=host:9000":                endpoint,
		"s3://bucket?endpoint=http://":                  endpoint,
		"s3://bucket?endpoint=http://key:hunter2@host":  endpoint,
		"s3://bucket?endpoint=http://host/?key=hunter2": endpoint,
		"s3://bucket?endpoint=http://host/path":         endpoint,
		"s3://bucket?endpoint=http://[hunter2":          endpoint,
	} {
		_, err := store.Open(address, store.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", address, err, want)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %q contains a secret", address, err)
		}
	}
}

func TestMisspeltAddressesAreNotFolders(t *testing.T) {
	for name, want := range map[string]string{
		"s3:/releases/public":                  `not with "s3:/". Use the form s3://bucket/prefix`,
		"S3://releases?endpoint=http://host":   `not with "S3://". Use the form s3://`,
		"s3//releases":                         `not with "s3//". `,
		"s3:releases":                          `not with "s3:". `,
		"s3:":                                  `not with "s3:". `,
		"s4://releases":                        `not with "s4://". `,
		" s3://releases":                       `not with " s3://". `,
		`"s3://releases"`:                      `not with "\"s3://". `,
		"://releases":                          `not with "://". `,
		"http://127.0.0.1:9000/releases":       "Use the form s3://bucket/prefix?endpoint=https://host",
		"https://key:hunter2@host/releases":    "Use the form s3://bucket/prefix?endpoint=https://host",
		"http:/host/releases":                  `not with "http:/". `,
		"gs://releases":                        `not with "gs://". `,
		"file:///srv/placard":                  "or the path of a folder.",
		"minio+s3:/releases":                   `not with "minio+s3:/". `,
		strings.Repeat("s", 300) + "://bucket": "…",
	} {
		_, err := store.Open(name, store.Options{})
		if !store.IsAddress(name) || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		} else if strings.Contains(err.Error(), "hunter2") || len(err.Error()) > 300 {
			t.Errorf("%s: got %q, want a short text without secrets", name, err)
		}
	}
	for _, name := range []string{"", "store", "/srv/placard", "./s3:/x", "../s3", "s3", "s3/releases", "a//b", "C:/placard", `C:\placard`, "2026-01-01T10:30", "a b:c"} {
		if store.IsAddress(name) {
			t.Errorf("%q is an address, want a folder", name)
		}
	}
}

func TestOverloadedServerIsAskedAgain(t *testing.T) {
	_, open := newServer(t)
	var requests sync.Map // the number of requests for each object
	overloaded := roundTripper(func(r *http.Request) (*http.Response, error) {
		count, _ := requests.LoadOrStore(r.Method+r.URL.Path, new(atomic.Int64))
		if count.(*atomic.Int64).Add(1) <= 2 { // the client tries four times
			return respond(http.StatusServiceUnavailable, "SlowDown").RoundTrip(r)
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	s := open("a", overloaded)
	e := publishOne(t, s, "small@2026-01-02-beta")
	if _, err := s.Load(t.Context(), e); err != nil {
		t.Error(err)
	}
}

func TestRefusedConnectionFailsFast(t *testing.T) {
	setCredentials(t)
	requests := 0
	s := mustOpen(t, "s3://releases/a?endpoint=http://"+envtest.FreeAddr(t), options{
		Options: store.Options{FailFast: true},
		transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			requests++
			return http.DefaultTransport.RoundTrip(r)
		}),
	})
	_, err := s.Index(t.Context())
	if err == nil || !strings.Contains(err.Error(), "connection refused. Check the endpoint") {
		t.Errorf("got %v, want that nothing is listening", err)
	}
	if requests != 1 {
		t.Errorf("got %d requests, want 1", requests)
	}
}

func TestTruncatedObjectsAreReadAgain(t *testing.T) {
	_, open := newServer(t)
	e := publishOne(t, open("a", nil), "small@2026-01-02-beta")
	truncating := func(always bool) http.RoundTripper {
		var truncated sync.Map // the objects of which one response was truncated
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			response, err := http.DefaultTransport.RoundTrip(r)
			if err != nil || r.Method != http.MethodGet || path.Ext(r.URL.Path) == "" {
				return response, err
			}
			if _, again := truncated.LoadOrStore(r.URL.Path, true); always || !again {
				response.Body = struct {
					io.Reader
					io.Closer
				}{io.MultiReader(io.LimitReader(response.Body, 100), errorReader{io.ErrUnexpectedEOF}), response.Body}
			}
			return response, err
		})
	}
	if _, err := open("a", truncating(false)).Load(t.Context(), e); err != nil {
		t.Error(err)
	}
	_, err := open("a", truncating(true)).Index(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the body is incomplete: unexpected EOF. Check") {
		t.Errorf("got %v, want that the connection was closed", err)
	}
}

type errorReader struct{ error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.error }

func TestStalledServerIsGivenUp(t *testing.T) {
	s3store.SetStallTimeout(50 * time.Millisecond)
	defer s3store.SetStallTimeout(10 * time.Second)
	server, _ := newServer(t)
	proxy := envtest.Proxy(t, server.Addr)
	s := mustOpen(t, "s3://releases/a?endpoint=http://"+proxy.Addr, options{})
	proxy.Stall()
	_, err := s.Index(t.Context())
	if err == nil || !strings.Contains(err.Error(), "does not respond. Check the endpoint") {
		t.Errorf("got %v, want that the server does not respond", err)
	}
	s3store.SetStallTimeout(time.Minute)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Index(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestDamagedObjectsAreDamage(t *testing.T) {
	server, open := newServer(t)
	e := publishOne(t, open("a", nil), "small@2026-01-02-beta")
	put := func(key, text string) {
		t.Helper()
		if _, err := client(t, server).PutObject(t.Context(), "releases", key, strings.NewReader(text), int64(len(text)), minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	s := open("a", nil)
	put("a/"+e.Path+"/content.json", "<html>")
	if _, err := s.Load(t.Context(), e); !isDamage(err) {
		t.Errorf("got %v, want a DamageError", err)
	}
	publishOne(t, s, "small@2026-01-02-beta") // restores the file
	put("a/"+store.IndexFile, "<html>")
	if _, err := s.Index(t.Context()); !isDamage(err) {
		t.Errorf("got %v, want a DamageError", err)
	}
	if _, err := storetest.Publish(t.Context(), s, releasetest.Release(t, "small@2026-02-02-beta")); !isDamage(err) {
		t.Errorf("got %v, want a DamageError", err)
	}
	if repairs, err := s.Repair(t.Context(), store.Intent{}); err != nil || !repairs.Rebuilt {
		t.Errorf("got %+v (%v), want a rebuilt index", repairs, err)
	}
	report, err := s.Verify(t.Context(), nil)
	if err != nil || len(report.Problems) != 1 || !strings.HasPrefix(report.Problems[0].Pos.File, store.IndexFile+".damaged-") {
		t.Errorf("got %+v (%v), want the damaged index", report, err)
	}
}

func TestHugeObjectIsNotRead(t *testing.T) {
	setCredentials(t)
	huge := roundTripper(func(r *http.Request) (*http.Response, error) {
		header := http.Header{"Etag": {`"a"`}, "Last-Modified": {time.Now().UTC().Format(http.TimeFormat)}, "Content-Length": {"99999999999"}}
		return &http.Response{StatusCode: http.StatusOK, Header: header, ContentLength: 99999999999, Body: io.NopCloser(errorReader{errors.New("the body was read")}), Request: r}, nil
	})
	_, err := mustOpen(t, "s3://releases?region=x", options{transport: huge}).Index(t.Context())
	if !isDamage(err) || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("got %v, want that the object is too large", err)
	}
}

func isDamage(err error) bool {
	_, ok := errors.AsType[*release.DamageError](err)
	return ok
}

// withoutCredentials removes all credentials from the environment.
func withoutCredentials(t *testing.T) {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "MINIO_ROOT_USER", "MINIO_ROOT_PASSWORD", "MINIO_ACCESS_KEY", "MINIO_SECRET_KEY"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
}

func TestPublicBucketIsReadWithoutCredentials(t *testing.T) {
	server, open := newServer(t)
	e := publishOne(t, open("a", nil), "small@2026-01-02-beta")
	withoutCredentials(t)
	_, err := open("a", nil).Index(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no credentials were found. Set both AWS_ACCESS_KEY_ID") {
		t.Errorf("got %v, want that there are no credentials", err)
	}
	policy := `{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*",
		"Action": ["s3:GetObject", "s3:ListBucket"], "Resource": ["arn:aws:s3:::releases", "arn:aws:s3:::releases/*"]}]}`
	if err := client(t, server).SetBucketPolicy(t.Context(), "releases", policy); err != nil {
		t.Fatal(err)
	}
	s := open("a", nil)
	if _, err := s.Load(t.Context(), e); err != nil {
		t.Error(err)
	}
	if report, err := s.Verify(t.Context(), nil); err != nil || len(report.Problems) > 0 || report.Releases != 1 {
		t.Errorf("got %+v (%v), want one intact release", report, err)
	}
	if _, err := s.SetAlias(t.Context(), store.Intent{}, "pilot", e.ID); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want a refused change", err)
	}
}

func TestStoreIsMovedByCopyingItsFiles(t *testing.T) {
	server, open := newServer(t)
	folder := t.TempDir()
	original := store.OpenFolder(folder)
	e := publishOne(t, original, "small@2026-01-02-beta")
	publishOne(t, original, "small@2026-01-02-beta", "added")
	c := client(t, server)
	dir := os.DirFS(folder)
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(name, ".work/") {
			return err
		}
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		_, err = c.PutObject(t.Context(), "releases", "moved/"+name, bytes.NewReader(data), int64(len(data)), minio.PutObjectOptions{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s := open("moved", nil)
	wantComplete(t, s, 2)
	if _, err := s.Restore(t.Context(), store.Intent{}, e); err != nil {
		t.Error(err)
	}
	wantComplete(t, s, 3)
}

func TestVerifyEndsWhenTheServerIsUnavailable(t *testing.T) {
	_, open := newServer(t)
	e := publishOne(t, open("a", nil), "small@2026-01-02-beta")
	publishOne(t, open("a", nil), "small@2026-01-02-beta", "added")
	for _, part := range []string{"/journal/", e.Path} {
		failing := roundTripper(func(r *http.Request) (*http.Response, error) {
			if strings.Contains(r.URL.Path, part) {
				return nil, errBroken
			}
			return http.DefaultTransport.RoundTrip(r)
		})
		report, err := open("a", failing).Verify(t.Context(), nil)
		if _, ok := errors.AsType[store.Unavailable](err); !ok {
			t.Errorf("%s cannot be read: got %+v (%v), want an error of the server", part, report, err)
		}
	}
	// One file that must not be read is a finding.
	forbidden := roundTripper(func(r *http.Request) (*http.Response, error) {
		if strings.Contains(r.URL.Path, e.Path+"/content.json") {
			return respond(http.StatusForbidden, "AccessDenied").RoundTrip(r)
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	report, err := open("a", forbidden).Verify(t.Context(), nil)
	if err != nil || len(report.Problems) != 1 || report.Problems[0].Code != store.FileUnreadable {
		t.Errorf("got %+v (%v), want one unreadable file", report, err)
	}
}
