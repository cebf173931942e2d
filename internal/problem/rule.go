package problem

import "fmt"

// Rule is the documented half of one row of a rule table. A table's owner puts
// it beside the check itself; the reference page, the explanations on the
// command line, the API's list of codes and the tests all read it from there.
type Rule struct {
	Code     Code
	Severity Severity
	Title    string // what the rule asks, in one line
	Why      string // what goes wrong where it is not kept
	Example  string // an input that breaks this rule and no other
}

// Found returns a finding of this rule.
func (r Rule) Found(format string, args ...any) Problem {
	return Problem{Code: r.Code, Severity: r.Severity, Message: fmt.Sprintf(format, args...)}
}
