//go:build long

package deploytest

import (
	"encoding/json"
	"strings"
	"testing"
)

type dashboard struct {
	UID         string
	Panels      []panel
	Annotations struct {
		List []struct{ Name, Expr string }
	}
}

type panel struct {
	ID          int
	Type, Title string
	Description string
	GridPos     struct{ X, Y, W, H int }
	Targets     []struct{ Expr, LegendFormat string }
}

// dashboardVariables are the values of the variables for the tests.
var dashboardVariables = strings.NewReplacer("$job", "placard", "$instance", ".*", "$__rate_interval", "1m")

func grafanaDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	if err := json.Unmarshal([]byte(readFile(t, "grafana/placard.json")), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Panels) == 0 {
		t.Fatal("got no panels")
	}
	return d
}

func TestDashboardPanelsFillTheGrid(t *testing.T) {
	begin(t)
	ids := make(map[int]string)
	cells := make(map[[2]int]string)
	for _, p := range grafanaDashboard(t).Panels {
		if p.ID == 0 || ids[p.ID] != "" {
			t.Errorf("%s: got id %d, want one that no other panel has", p.Title, p.ID)
		}
		ids[p.ID] = p.Title
		if p.Type != "row" && (len(p.Targets) == 0 || p.Description == "") {
			t.Errorf("%s has no query or no description", p.Title)
		}
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				cell := [2]int{x, y}
				if x >= 24 || cells[cell] != "" {
					t.Fatalf("%s overlaps %q at %v, or the edge", p.Title, cells[cell], cell)
				}
				cells[cell] = p.Title
			}
		}
	}
}
