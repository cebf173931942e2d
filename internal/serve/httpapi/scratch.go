package httpapi

import (
	"net/http"
	"sync"

	"placard/internal/serve/budget"
)

// scratch is the reusable memory of one request.
type scratch struct {
	buffer []byte // the body of the response
	meter  budget.Meter
	step   func() error // meter.Step, allocated once
}

var scratches = sync.Pool{New: func() any {
	s := new(scratch)
	s.step = s.meter.Step
	return s
}}

// maxPooledBuffer is the capacity in bytes of the largest buffer that is pooled.
const maxPooledBuffer = 1 << 20

func newScratch() *scratch { return scratches.Get().(*scratch) }

// release returns s to the pool.
func (s *scratch) release() {
	s.meter = budget.Meter{}
	if cap(s.buffer) <= maxPooledBuffer {
		s.buffer = s.buffer[:0]
		scratches.Put(s)
	}
}

// finishRead encodes the selection of a reply, unless the client has cached it,
// and checks the budget. The reply releases s once it has been sent.
func (s *scratch) finishRead(r *http.Request, p reply, err error) (reply, error) {
	if err == nil && p.selection.layout != layoutNone && !p.isCached(r) {
		b := append(append(s.buffer[:0], p.opening...), p.member...)
		b, err = p.selection.append(b, s.step)
		s.buffer = append(b, '}')
		p.body = s.buffer
	}
	if err == nil {
		err = s.step()
	}
	if err != nil {
		s.release()
		return reply{}, err
	}
	p.scratch = s
	return p, nil
}
