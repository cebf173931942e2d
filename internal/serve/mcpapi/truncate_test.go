package mcpapi

import (
	"strings"
	"testing"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
)

func TestTruncateReportKeepsAnEarlierTruncationWarning(t *testing.T) {
	warning := problem.Problem{Code: "x", Severity: problem.Warning, Message: strings.Repeat("x", 1000)}
	earlier := problem.Problem{Code: findingsTruncated, Severity: problem.Warning, Message: "900 errors and 0 warnings are not listed."}
	var report datachain.Report
	for range 100 {
		report.Warnings = append(report.Warnings, warning)
	}
	report.Warnings = append(report.Warnings, earlier)
	_, warnings := truncateReport(report, "validate_datachain")
	n := len(warnings)
	if n < 3 || n > 20 || warnings[n-2] != earlier || warnings[n-1].Code != findingsTruncated {
		t.Fatalf("got %d warnings, the last %v", n, warnings[n-1])
	}
	if len(report.Warnings) != 101 || report.Warnings[n-2] != warning {
		t.Error("truncateReport modified the report")
	}
}
