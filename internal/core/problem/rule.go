package problem

import "fmt"

// Rule documents one row of a rule table. The reference page, the explain
// command, the list of codes in the API and the tests are all derived from it.
type Rule struct {
	Code     Code
	Severity Severity
	ErrorIf  string // the condition under which findings are errors instead of warnings, such as "the release is stable", or empty
	Title    string // the requirement, in one sentence with must (errors) or should (warnings)
	Why      string // the reason for the requirement
	Example  string // an input that breaks only this rule
}

// Severities describes the severity of findings, including the condition under
// which it differs.
func (r Rule) Severities() string {
	if r.ErrorIf == "" {
		return string(r.Severity)
	}
	return fmt.Sprintf("%s; %s if %s", r.Severity, Error, r.ErrorIf)
}

// Found returns a problem with the code and severity of the rule.
func (r Rule) Found(format string, args ...any) Problem {
	return Problem{Code: r.Code, Severity: r.Severity, Message: fmt.Sprintf(format, args...)}
}
