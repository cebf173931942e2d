package datachain

// Step is called before work begins and then at least once per millisecond. If it
// returns an error, the work stops and returns that error. A nil Step never stops
// the work.
type Step func() error

// checkInterval is the number of work units, each well under 200 ns, between two
// calls to a Step.
const checkInterval = 2048

// meter counts work, calls a Step, and keeps its error.
type meter struct {
	step  Step
	spent int
	err   error
}

func newMeter(step Step) meter { return meter{step: step, spent: checkInterval} }

// spend counts n units of work and reports whether to continue.
func (m *meter) spend(n int) bool {
	m.spent += n
	if m.spent < checkInterval {
		return m.err == nil
	}
	return m.check()
}

func (m *meter) check() bool {
	m.spent = 0
	if m.err == nil && m.step != nil {
		m.err = m.step()
	}
	return m.err == nil
}
