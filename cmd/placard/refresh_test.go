package main

import (
	"testing"
	"time"

	"placard/internal/storage/catalog"
)

func TestReleasesAreFollowedAtTheirOwnPace(t *testing.T) {
	const folder, bucket = "/srv/placard", "s3://releases/public"
	for _, test := range []struct {
		name     string
		releases releaseFlags
		refresh  time.Duration
		want     catalog.Options
	}{
		{name: "tree", releases: releaseFlags{source: "taxonomy"}, want: catalog.Options{Poll: 500 * time.Millisecond, MaxLoad: 0.05}},
		{name: "folder", releases: releaseFlags{store: folder}, want: catalog.Options{Poll: 500 * time.Millisecond, IndexTimeout: 10 * time.Second}},
		{name: "bucket", releases: releaseFlags{store: bucket}, want: catalog.Options{Poll: 10 * time.Second, IndexTimeout: 10 * time.Second}},
		{name: "tree with --refresh", releases: releaseFlags{source: "taxonomy"}, refresh: time.Minute, want: catalog.Options{Poll: time.Minute}},
		{name: "bucket with --refresh", releases: releaseFlags{store: bucket}, refresh: time.Second, want: catalog.Options{Poll: time.Second, IndexTimeout: 10 * time.Second}},
	} {
		f := serveFlags{releases: test.releases, refresh: test.refresh}
		if got := f.catalogOptions(nil); got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
	}
}
