package s3store_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
	"placard/internal/storage/store/s3store"
	"placard/internal/storage/store/storetest"
	"placard/scripts/envtest"
)

// roundTripper is a function as a transport.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

var errBroken = errors.New("the connection broke")

// drop fails after the server has responded.
func drop(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	return nil, errBroken
}

// newServer starts a server with a bucket, and returns a function that opens a store
// in it.
func newServer(t *testing.T) (server *envtest.Server, open func(prefix string, transport http.RoundTripper) *store.Store) {
	t.Helper()
	setCredentials(t)
	server = envtest.S3(t, "releases")
	return server, func(prefix string, transport http.RoundTripper) *store.Store {
		t.Helper()
		return mustOpen(t, fmt.Sprintf("s3://releases/%s?endpoint=http://%s", prefix, server.Addr), options{transport: transport})
	}
}

func setCredentials(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", envtest.S3AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", envtest.S3SecretKey)
}

// options are those of a store, and the transport of requests.
type options struct {
	store.Options
	transport http.RoundTripper
}

func mustOpen(t *testing.T, address string, opts options) *store.Store {
	t.Helper()
	s, err := s3store.OpenWith(address, opts.Options, opts.transport)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wantComplete fails the test unless the journal has the given number of records, all
// files are intact, and no other records exist.
func wantComplete(t *testing.T, s *store.Store, records int) {
	t.Helper()
	ix, err := s.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	history, err := s.History(t.Context())
	if err != nil || len(history) != records || ix.Journal.Revision != records {
		t.Errorf("got %d records and revision %d (%v), want %d", len(history), ix.Journal.Revision, err, records)
	}
	report, err := s.Verify(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range report.Problems {
		t.Errorf("verify: %v", p)
	}
}

func TestChangesSurviveLostRequestsAndResponses(t *testing.T) {
	_, open := newServer(t)
	for name, fail := range map[string]func(*http.Request) (*http.Response, error){
		"lost-responses": drop,
		"lost-requests":  func(*http.Request) (*http.Response, error) { return nil, errBroken },
	} {
		t.Run(name, func(t *testing.T) {
			newFlaky := func(seed uint64) http.RoundTripper {
				random := rand.New(rand.NewPCG(seed, 0))
				var mu sync.Mutex
				failures := 0 // in a row; the client tries four times
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					if r.Method != http.MethodPut {
						return http.DefaultTransport.RoundTrip(r)
					}
					mu.Lock()
					fails := failures < 3 && random.IntN(2) == 0
					failures++
					if !fails {
						failures = 0
					}
					mu.Unlock()
					if fails {
						return fail(r)
					}
					return http.DefaultTransport.RoundTrip(r)
				})
			}
			id := releasetest.Release(t, "small@2026-01-02-beta").ID()
			const writers, changes = 3, 6
			publishOne(t, open(name, nil), id.String())
			var wg sync.WaitGroup
			for i := range writers {
				wg.Go(func() {
					s := open(name, newFlaky(uint64(i)))
					for n := range changes {
						alias := fmt.Sprintf("alias-%d-%d", i, n)
						if result, err := s.SetAlias(t.Context(), store.Intent{}, alias, id); err != nil || !result.Changed() {
							t.Errorf("%s: changed %v (%v)", alias, result.Changed(), err)
						}
					}
				})
			}
			wg.Wait()
			wantComplete(t, open(name, nil), 1+writers*changes)
		})
	}
}

func publishOne(t *testing.T, s *store.Store, id string, extra ...string) store.Entry {
	t.Helper()
	outcome, err := storetest.Publish(t.Context(), s, releasetest.Release(t, id, extra...))
	if err != nil {
		t.Fatal(err)
	}
	return outcome.Entry
}

func TestCommittedChangeIsFoundBelowALaterOne(t *testing.T) {
	_, open := newServer(t)
	e := publishOne(t, open("a", nil), "small@2026-01-02-beta")
	var once sync.Once
	racing := roundTripper(func(r *http.Request) (response *http.Response, err error) {
		if r.Method != http.MethodPut || path.Base(r.URL.Path) != store.IndexFile {
			return http.DefaultTransport.RoundTrip(r)
		}
		raced := false
		once.Do(func() {
			raced = true
			response, err = drop(r)
			// Before the response is missed, two others change the index.
			for _, alias := range []string{"second", "third"} {
				if _, err := open("a", nil).SetAlias(t.Context(), store.Intent{}, alias, e.ID); err != nil {
					t.Error(err)
				}
			}
		})
		if raced {
			return response, err
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	result, err := open("a", racing).SetAlias(t.Context(), store.Intent{By: "first"}, "first", e.ID)
	if err != nil || !result.Changed() || result.Record.Revision != 2 {
		t.Errorf("got %+v (%v), want revision 2", result.Record, err)
	}
	wantComplete(t, open("a", nil), 4)
}

func TestUnknownOutcomeIsReportedAsSuch(t *testing.T) {
	_, open := newServer(t)
	e := publishOne(t, open("a", nil), "small@2026-01-02-beta")
	var sent atomic.Bool
	broken := roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPut && path.Base(r.URL.Path) == store.IndexFile {
			sent.Store(true)
			return drop(r)
		}
		if sent.Load() {
			return nil, errBroken
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	_, err := open("a", broken).SetAlias(t.Context(), store.Intent{}, "first", e.ID)
	if _, ok := errors.AsType[*store.OutcomeUnknownError](err); !ok {
		t.Errorf("got %v, want an OutcomeUnknownError", err)
	}
	wantComplete(t, open("a", nil), 2)
}

func TestManyPublishersRace(t *testing.T) {
	_, open := newServer(t)
	const publishers = 32
	var wg sync.WaitGroup
	for i := range publishers {
		own := releasetest.Release(t, fmt.Sprintf("small@2026-%02d-%02d-beta", i/28+1, i%28+1))
		shared := releasetest.Release(t, "shared@2026-01-01-beta", fmt.Sprintf("extra%d", i%4))
		wg.Go(func() {
			result, err := open("race", nil).Publish(t.Context(), store.Intent{}, store.Publication{Release: own}, store.Publication{Release: shared})
			if err != nil || !result.Changed() {
				t.Errorf("%s: changed %v (%v)", own.ID(), result.Changed(), err)
			}
		})
	}
	wg.Wait()
	s := open("race", nil)
	ix, err := s.Index(t.Context())
	if err != nil || len(ix.Releases) != publishers+1 {
		t.Errorf("got %d releases (%v), want %d", len(ix.Releases), err, publishers+1)
	}
	wantComplete(t, s, publishers)
}

func TestInterruptedPruneOfABucketIsFinished(t *testing.T) {
	_, open := newServer(t)
	s := open("a", nil)
	old := publishOne(t, s, "small@2026-01-02-beta")
	publishOne(t, s, "small@2026-01-02-beta", "added")
	before := time.Now().Add(time.Hour)
	garbage, err := s.Prunable(t.Context(), before)
	if err != nil || len(garbage) != 1 {
		t.Fatalf("got %v (%v), want one folder", garbage, err)
	}
	var deleted atomic.Int64
	dying := roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodDelete && deleted.Add(1) > 2 {
			return nil, errBroken
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	if _, err := open("a", dying).Prune(t.Context(), store.Intent{}, before, garbage); err == nil {
		t.Error("got no error, want that of the connection")
	}
	if report, err := s.Verify(t.Context(), nil); err != nil || len(report.Problems) != 1 || report.Problems[0].Code != store.FileUnused {
		t.Errorf("got %+v (%v), want one warning", report, err)
	}
	again := publishOne(t, s, "small@2026-01-02-beta")
	if again.Path == old.Path {
		t.Errorf("the release was published in %s, which is being deleted", again.Path)
	}
	if garbage, err = s.Prunable(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prune(t.Context(), store.Intent{}, before, garbage); err != nil {
		t.Fatal(err)
	}
	wantComplete(t, s, 5)
}

func TestServerWithoutConditionalWritesIsRefused(t *testing.T) {
	_, open := newServer(t)
	// The responses are those of a server that ignores conditions.
	lenient := roundTripper(func(r *http.Request) (*http.Response, error) {
		response, err := http.DefaultTransport.RoundTrip(r)
		if err == nil && response.StatusCode == http.StatusPreconditionFailed {
			_ = response.Body.Close()
			response.StatusCode, response.Body = http.StatusOK, io.NopCloser(new(bytes.Reader))
		}
		return response, err
	})
	_, err := storetest.Publish(t.Context(), open("a", lenient), releasetest.Release(t, "small@2026-01-02-beta"))
	if err == nil || !strings.Contains(err.Error(), "conditional writes") {
		t.Errorf("got %v, want an error about conditional writes", err)
	}
	if ix, err := open("a", nil).Index(t.Context()); err != nil || ix.Layout != 0 {
		t.Errorf("got index %+v (%v), want none", ix, err)
	}
}

func TestSingleWriterNeedsNoConditions(t *testing.T) {
	server, _ := newServer(t)
	unconditional := roundTripper(func(r *http.Request) (*http.Response, error) {
		for _, header := range []string{"If-Match", "If-None-Match"} {
			if r.Method == http.MethodPut && r.Header.Get(header) != "" {
				t.Errorf("got a conditional write of %s", r.URL.Path)
			}
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	s := mustOpen(t, fmt.Sprintf("s3://releases/a?endpoint=http://%s", server.Addr), options{Options: store.Options{SingleWriter: true}, transport: unconditional})
	publishOne(t, s, "small@2026-01-02-beta")
	publishOne(t, s, "small@2026-01-02-beta", "added")
	wantComplete(t, s, 2)
}

// TestDamagedReadOfTheIndexIsNotKept damages one response with the index.
func TestDamagedReadOfTheIndexIsNotKept(t *testing.T) {
	_, open := newServer(t)
	var damages atomic.Bool
	s := open("x", roundTripper(func(r *http.Request) (*http.Response, error) {
		response, err := http.DefaultTransport.RoundTrip(r)
		if err == nil && r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/index.json") && response.StatusCode == http.StatusOK && damages.CompareAndSwap(true, false) {
			data, err := io.ReadAll(response.Body)
			if err != nil {
				return nil, err
			}
			data[len(data)/2] ^= 1
			response.Body = io.NopCloser(bytes.NewReader(data))
		}
		return response, err
	}))
	publishOne(t, open("x", nil), "small@2026-01-02-stable")
	damages.Store(true)
	if ix, err := s.Index(t.Context()); err == nil {
		t.Fatalf("got the index %v, want an error", ix)
	}
	if ix, err := s.Index(t.Context()); err != nil || len(ix.Releases) != 1 {
		t.Errorf("got the index %v, error %v after a damaged response, want the release", ix, err)
	}
}

func TestHugeIndexIsRefused(t *testing.T) {
	server, open := newServer(t)
	huge := bytes.Repeat([]byte(" "), 9<<20)
	if _, err := client(t, server).PutObject(t.Context(), "releases", "x/index.json", bytes.NewReader(huge), int64(len(huge)), minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := open("x", nil).Index(t.Context()); err == nil || !strings.Contains(err.Error(), "larger than 8 MiB") {
		t.Errorf("got error %v, want one about the size", err)
	}
}

func TestLostIndexOfABucketIsDamage(t *testing.T) {
	server, open := newServer(t)
	s := open("a", nil)
	e := publishOne(t, s, "small@2026-01-02-beta")
	remove(t, server, "a/"+store.IndexFile)
	other := open("a", nil)
	if _, err := storetest.Publish(t.Context(), other, releasetest.Release(t, "small@2026-02-02-beta")); err == nil {
		t.Error("a store without its index was published to")
	}
	repairs, err := other.Repair(t.Context(), store.Intent{})
	if err != nil || !repairs.Rebuilt {
		t.Fatalf("got %+v (%v), want a rebuilt index", repairs, err)
	}
	if ix, err := other.Index(t.Context()); err != nil || len(ix.Releases) != 1 || ix.Releases[0].ID != taxonomy.ID(e.ID) {
		t.Errorf("got %+v (%v), want %s", ix, err, e.ID)
	}
	wantComplete(t, other, 2)
}
