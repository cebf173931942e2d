package mcpapi

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/budget"
	"placard/internal/problem"
)

// peer is who sent something, as far as the transport knows.
type peer struct {
	http    *http.Request // nil on a stream
	header  http.Header   // nil on a stream
	version string        // of the protocol, where it is named or agreed on beside the message
	session string
}

// reply is what goes back: an answer, one refusal for all that came, or nothing
// where nothing was asked.
type reply struct {
	body    []byte
	agreed  string // the version that a handshake in it agreed on
	refused *refusal
	id      jsontext.Value // of the request that is refused
}

// desk is what one exchange is worked out on: memory that is lent to it until
// its answer has been sent.
type desk struct {
	in     []byte // what came
	out    []byte // what goes back
	data   []byte // of the call being answered
	around []byte // what stands around them

	from    peer
	scanner scanner
	alone   request // the message that came alone
	call    call    // the one being answered
}

var desks = sync.Pool{New: func() any { return new(desk) }}

// How many bytes a desk may have to be kept, and how many arguments.
const (
	maxPooled  = 1 << 20
	maxMembers = 1 << 8
)

// release gives d to those who come later. Nothing on it may be used after that.
func (d *desk) release() {
	if cap(d.in)+cap(d.out)+cap(d.data)+cap(d.around) > maxPooled || cap(d.scanner.members) > maxMembers {
		return
	}
	d.scanner.release()
	*d = desk{in: d.in[:0], out: d.out[:0], data: d.data[:0], around: d.around[:0], scanner: d.scanner}
	desks.Put(d)
}

// exchange answers what came in one HTTP request or on one line of a stream.
// The answer is on d; nil is a desk of its own.
func (s *Server) exchange(ctx context.Context, d *desk, body []byte, from peer) reply {
	if d == nil {
		d = new(desk)
	}
	d.from = from
	if jsontext.Value(body).Kind() == '[' {
		return s.exchangeBatch(ctx, d, body)
	}
	q := &d.alone
	refused := q.read(body, d)
	if refused == nil && q.isRequest() {
		d.out, refused = s.respond(ctx, d.out, q)
	}
	return reply{d.out, q.agreed, refused, q.id}
}

// read makes q the request that a message is, of its era and with what is known
// beside it.
func (q *request) read(raw jsontext.Value, d *desk) (refused *refusal) {
	q.peer, q.desk = &d.from, d
	if refused = q.message.read(raw, &d.scanner); refused != nil || q.method == "" {
		return refused
	}
	q.modern, refused = isModern(&q.message, q.header)
	return refused
}

// exchangeBatch answers messages in their order, within one budget. Only those
// that name no version, or the one that has batches, may come together.
func (s *Server) exchangeBatch(ctx context.Context, d *desk, body jsontext.Value) reply {
	if !body.IsValid() {
		return reply{refused: badJSON(body)}
	}
	raws, refused := readBatch(bytes.TrimSpace(body))
	if refused != nil {
		return reply{refused: refused}
	}
	if from := &d.from; from.version != "" && from.version != batching {
		return reply{refused: noBatch()}
	}
	requests := make([]request, len(raws))
	refusals := make([]*refusal, len(raws))
	for i, raw := range raws {
		if refusals[i] = requests[i].read(raw, d); requests[i].modern {
			return reply{refused: noBatch()}
		}
	}
	meter, err := s.Documents.Start(ctx, budget.Resolve)
	if err != nil {
		return reply{refused: stop(s.fault(&requests[0], err))}
	}
	defer meter.Stop()

	agreed := ""
	b := append(d.out, '[')
	for i := range requests {
		q, refused, before := &requests[i], refusals[i], len(b)
		if refused == nil {
			if !q.isRequest() {
				continue
			}
			q.step = meter.Step
			b, refused = s.respond(ctx, b, q)
			agreed = cmp.Or(q.agreed, agreed)
		}
		if refused != nil {
			if refused.stopped {
				return reply{refused: refused}
			}
			b = refused.append(b[:before], q.id)
		}
		b = append(b, ',')
	}
	if len(b) == 1 {
		return reply{}
	}
	b[len(b)-1] = ']'
	d.out = b
	return reply{body: b, agreed: agreed}
}

func noBatch() *refusal {
	return refuse(codeRequest, problem.New(problem.BadRequest, "This protocol version does not support batches.").
		Hint("Send each message in its own request. Only version %s supports batches; requests that name no version can be batched too.", batching))
}
