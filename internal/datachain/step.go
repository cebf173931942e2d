package datachain

// Step is asked before work begins and at least once in every millisecond of
// it. An error stops the work at once and is returned as it is. A nil Step
// never stops anything.
type Step func() error

// stride is how much work, counted in steps of well under 200 ns, is done
// between two questions.
const stride = 2048

// meter counts work and remembers that it was told to stop.
type meter struct {
	step  Step
	spent int
	err   error
}

func newMeter(step Step) meter { return meter{step: step, spent: stride} }

// spend counts n steps of work and reports whether to go on.
func (m *meter) spend(n int) bool {
	m.spent += n
	if m.spent < stride {
		return m.err == nil
	}
	return m.ask()
}

func (m *meter) ask() bool {
	m.spent = 0
	if m.err == nil && m.step != nil {
		m.err = m.step()
	}
	return m.err == nil
}
