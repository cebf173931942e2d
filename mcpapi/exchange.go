package mcpapi

import (
	"cmp"
	"context"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"placard.dev/budget"
	"placard.dev/problem"
)

// peer is who sent something, as far as the transport knows.
type peer struct {
	header  http.Header // nil on a stream
	version string      // of the protocol, where it is named or agreed on beside the message
	session string
	baseURL string // where the REST API is reached; empty where it is not
	trace   string // what the log calls the request
}

// reply is what goes back: an answer, one refusal for all that came, or nothing
// where nothing was asked.
type reply struct {
	body    []byte
	agreed  string // the version that a handshake in it agreed on
	refused *refusal
	id      jsontext.Value // of the request that is refused
}

// exchange answers what came in one HTTP request or on one line of a stream,
// appending to b, which is empty.
func (s *Server) exchange(ctx context.Context, b, body []byte, from peer) reply {
	if refused := checkJSON(body); refused != nil {
		return reply{refused: refused}
	}
	raws, batch, refused := readMessages(body)
	if refused != nil {
		return reply{refused: refused}
	}
	if batch {
		return s.exchangeBatch(ctx, b, raws, &from)
	}
	q, refused := readRequest(raws[0], &from)
	if refused == nil && q.isRequest() {
		b, refused = s.respond(ctx, b, q)
	}
	return reply{b, q.agreed, refused, q.id}
}

// readRequest returns the request that a message is, of its era and with what
// is known beside it.
func readRequest(raw jsontext.Value, from *peer) (*request, *refusal) {
	m, refused := readMessage(raw)
	q := &request{message: m, peer: from}
	if refused != nil || q.method == "" {
		return q, refused
	}
	q.modern, refused = isModern(&q.message, from.header)
	return q, refused
}

// exchangeBatch answers messages in their order, within one budget. Only those
// that name no version, or the one that has batches, may come together.
func (s *Server) exchangeBatch(ctx context.Context, b []byte, raws []jsontext.Value, from *peer) reply {
	if from.version != "" && from.version != batching {
		return reply{refused: noBatch()}
	}
	requests := make([]*request, len(raws))
	refusals := make([]*refusal, len(raws))
	for i, raw := range raws {
		if requests[i], refusals[i] = readRequest(raw, from); requests[i].modern {
			return reply{refused: noBatch()}
		}
	}
	meter, err := s.Documents.Start(ctx, budget.Resolve)
	if err != nil {
		return reply{refused: stop(s.fault(requests[0], err))}
	}
	defer meter.Stop()

	agreed := ""
	b = append(b, '[')
	for i, q := range requests {
		refused, before := refusals[i], len(b)
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
	return reply{body: b, agreed: agreed}
}

func noBatch() *refusal {
	return refuse(codeRequest, problem.New(problem.BadRequest, "This protocol version has no batches.").
		Hint("Send each message in a request of its own. Only %s has batches; requests that name no version may be batched too.", batching))
}
