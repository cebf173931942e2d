//go:build long

package envtest

// Long reports whether the tests are those of "make test-all", which are built with
// the tag "long". Otherwise, tests that take long try a sample of their cases.
const Long = true
