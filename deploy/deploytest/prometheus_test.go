//go:build long

package deploytest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"placard/scripts/envtest"
)

func TestRulesFireAsTheirTestsExpect(t *testing.T) {
	begin(t)
	promtool := envtest.Program(t, "promtool")
	run(t, nil, promtool, "check", "rules", deploy+"/prometheus/rules.yaml")
	run(t, nil, promtool, "test", "rules", deploy+"/prometheus/rules_test.yaml")
}

// TestEveryAlertHasATest checks that the file of unit tests expects each alert.
func TestEveryAlertHasATest(t *testing.T) {
	begin(t)
	tests := readFile(t, "prometheus/rules_test.yaml")
	for _, r := range rules(t) {
		if r.Alert != "" && !strings.Contains(tests, fmt.Sprintf(`alertname="%s"`, r.Alert)) {
			t.Errorf("no test expects %s", r.Alert)
		}
	}
}

type rule struct {
	Record, Alert, Expr string
}

func rules(t *testing.T) (all []rule) {
	t.Helper()
	var file struct {
		Groups []struct{ Rules []rule }
	}
	if err := yaml.Unmarshal([]byte(readFile(t, "prometheus/rules.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	if len(all) == 0 {
		t.Fatal("got no rules")
	}
	return all
}

// monitored is a Prometheus server that scrapes a server under load.
type monitored struct {
	t          *testing.T
	node       *node
	prometheus string // URL
}

// monitor starts a server with all of its metrics, and a Prometheus server with the
// rules in the deploy folder.
func monitor(t *testing.T) *monitored {
	t.Helper()
	store := t.TempDir()
	run(t, nil, placard(t), "publish", root+"/builtin/tree", "--store", store)
	cmd := exec.CommandContext(t.Context(), placard(t), "serve", "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0",
		"--store", store, "--redis", "redis://"+envtest.Redis(t).Addr, "--cache", t.TempDir(), "--log-level", "error")
	cmd.Env = append(os.Environ(), "GOMEMLIMIT=900MiB")
	n := startNode(t, cmd)
	rules, err := filepath.Abs(deploy + "/prometheus/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "prometheus.yml")
	// The labels are those that the Prometheus Operator adds to pods.
	if err := os.WriteFile(config, fmt.Appendf(nil, `
global: { scrape_interval: 200ms, scrape_timeout: 200ms, evaluation_interval: 200ms }
rule_files: [%q]
scrape_configs:
  - job_name: placard
    static_configs: [{ targets: [%q], labels: { namespace: placard, pod: placard-0 } }]
`, rules, n.admin), 0o644); err != nil {
		t.Fatal(err)
	}
	addr := envtest.FreeAddr(t)
	envtest.StartServer(t, addr, nil, envtest.Program(t, "prometheus"),
		"--config.file="+config, "--web.listen-address="+addr, "--storage.tsdb.path="+t.TempDir(), "--log.level=warn")
	m := &monitored{t, n, "http://" + addr}
	// It listens before it can answer queries.
	waitFor(t, "Prometheus to be ready", func() bool {
		status, _ := get(t, m.prometheus+"/-/ready")
		return status == http.StatusOK
	})
	return m
}

// load sends requests that succeed and requests that fail.
func (m *monitored) load() {
	for _, path := range []string{"/api/v2/schemas", "/api/v2/nothing"} {
		if status, body := get(m.t, "http://"+m.node.addr+path); status == 0 {
			m.t.Fatal(body)
		}
	}
}

// query returns the labels of each series in the result of a query.
func (m *monitored) query(expr string) []map[string]string {
	m.t.Helper()
	status, body := get(m.t, m.prometheus+"/api/v1/query?query="+url.QueryEscape(expr))
	var response struct {
		Error string
		Data  struct {
			Result []struct{ Metric map[string]string }
		}
	}
	if err := json.Unmarshal([]byte(body), &response); err != nil || status != http.StatusOK {
		m.t.Fatalf("%s: got status %d, %s (%v)", expr, status, response.Error, err)
	}
	var series []map[string]string
	for _, result := range response.Data.Result {
		series = append(series, result.Metric)
	}
	return series
}

// TestQueriesFindMetrics runs the queries of the dashboard, the rules and the
// autoscaler on the metrics of a real server. A query with a misspelt metric or label
// has no result. It also checks that the dashboard shows every metric.
func TestQueriesFindMetrics(t *testing.T) {
	begin(t)
	m := monitor(t)
	queries := make(map[string]string) // origins by query
	legends := make(map[string]string) // by query
	dashboard := grafanaDashboard(t)
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			expr := dashboardVariables.Replace(target.Expr)
			queries[expr], legends[expr] = "panel "+p.Title, target.LegendFormat
		}
	}
	_, scraped := get(t, "http://"+m.node.admin+"/metrics")
	for _, name := range metricName.FindAllStringSubmatch(scraped, -1) {
		if !strings.Contains(readFile(t, "grafana/placard.json"), name[1]) {
			t.Errorf("the dashboard does not show %s", name[1])
		}
	}
	for _, r := range rules(t) {
		if r.Record != "" {
			queries[r.Record] = "rule " + r.Record
		}
		for _, selector := range selectors(r.Expr) {
			queries[selector] = "rule " + r.Record + r.Alert
		}
	}
	for _, annotation := range dashboard.Annotations.List {
		for _, selector := range selectors(dashboardVariables.Replace(annotation.Expr)) {
			queries[selector] = "annotation " + annotation.Name
		}
	}
	for name, query := range adapterMetrics(t) {
		queries[query] = "metric " + name
	}
	if len(queries) < 30 {
		t.Fatalf("got %d queries, want more", len(queries))
	}
	for _, expr := range slices.Sorted(maps.Keys(queries)) {
		var series []map[string]string
		waitFor(t, queries[expr]+" to have a result: "+expr, func() bool {
			m.load()
			series = m.query(expr)
			return len(series) > 0
		})
		for _, label := range legendLabel.FindAllStringSubmatch(legends[expr], -1) {
			if series[0][label[1]] == "" {
				t.Errorf("%s: got %v, want the label %s of its legend", queries[expr], series[0], label[1])
			}
		}
	}
}

var (
	metricName  = regexp.MustCompile(`(?m)^# TYPE (placard_\w+) `)
	legendLabel = regexp.MustCompile(`{{(\w+)}}`)
	selector    = regexp.MustCompile(`\b((?:placard|process|go)_\w+|job:\w+:\w+|up)\b(?:{([^}]*)})?`)
	matcher     = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)\s*"[^"]*"`)
)

// selectors returns the selectors in an expression. They select any value of the
// labels: a healthy server has no series with outcome="error".
func selectors(expr string) (all []string) {
	for _, match := range selector.FindAllStringSubmatch(expr, -1) {
		all = append(all, match[1]+"{"+matcher.ReplaceAllString(match[2], `$1=~".+"`)+"}")
	}
	return all
}

// adapterMetrics returns the queries of the metrics that prometheus-adapter serves.
func adapterMetrics(t *testing.T) map[string]string {
	t.Helper()
	var values struct {
		Rules struct {
			Custom []struct {
				SeriesQuery  string `yaml:"seriesQuery"`
				MetricsQuery string `yaml:"metricsQuery"`
				Name         struct{ Matches, As string }
			}
		}
	}
	if err := yaml.Unmarshal([]byte(readFile(t, "prometheus/adapter.yaml")), &values); err != nil {
		t.Fatal(err)
	}
	metrics := make(map[string]string)
	for _, r := range values.Rules.Custom {
		series, _, _ := strings.Cut(r.SeriesQuery, "{")
		if !regexp.MustCompile(r.Name.Matches).MatchString(series) {
			t.Errorf("%s does not match the series %s", r.Name.Matches, series)
		}
		metrics[r.Name.As] = strings.NewReplacer("<<.Series>>", series, "<<.GroupBy>>", "pod",
			"<<.LabelMatchers>>", `namespace="placard",pod=~"placard-0"`).Replace(r.MetricsQuery)
	}
	return metrics
}
