package search

import (
	"errors"
	"slices"
	"testing"
)

func TestNearestWords(t *testing.T) {
	ix := Build("en", []Document{
		{Title: "Video camera", Description: "Records pictures of the street."},
		{Title: "Thermal counter", Description: "Counts people by their heat."},
		{Title: "Recording", Description: "Kept for the recorded time."},
	})
	for _, tc := range []struct {
		query string
		want  []string
	}{
		{"kamerra", []string{"camera"}},
		{"thermometer", []string{"thermal"}},
		{"recordkeeping", []string{"recorded", "recording", "records"}},
		{"the", nil}, // a function word
		{"zzzzzzzz", nil},
		{"カメラ", nil},
		{"", nil},
	} {
		got, err := ix.Nearest(tc.query, 3, nil)
		if !slices.Equal(got, tc.want) || err != nil {
			t.Errorf("Nearest(%q) = %q, %v, want %q", tc.query, got, err, tc.want)
		}
	}
	stop := errors.New("stop")
	if _, err := ix.Nearest("camera", 3, func() error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got error %v, want %v", err, stop)
	}
}
