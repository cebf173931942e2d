package problem

import "fmt"

// Rule documents one row of a rule table. The reference page, the explain
// command, the list of codes in the API and the tests are all derived from it.
type Rule struct {
	Code     Code
	Severity Severity
	Title    string // the requirement, in one sentence with must (errors) or should (warnings)
	Why      string // the reason for the requirement
	Example  string // an input that breaks only this rule
}

// Found returns a problem with the code and severity of the rule.
func (r Rule) Found(format string, args ...any) Problem {
	return Problem{Code: r.Code, Severity: r.Severity, Message: fmt.Sprintf(format, args...)}
}
