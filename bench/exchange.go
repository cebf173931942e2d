package main

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// request is one request of a route, the same for Placard and the bare handler.
type request struct {
	method string // default GET
	target string
	header string // lines, each with its end
	body   []byte
}

// inputHeader tells the bare handler which answer to send. Both servers read
// it, so that it costs both the same.
const inputHeader = "Bench-Input"

// bytes returns the request as it is sent. number is -1 where the route has
// one request only.
func (r request) bytes(number int) []byte {
	method := r.method
	if method == "" {
		method = "GET"
	}
	b := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: placard.example\r\n%s", method, r.target, r.header)
	if number >= 0 {
		b = fmt.Appendf(b, "%s: %d\r\n", inputHeader, number)
	}
	if r.body != nil {
		b = fmt.Appendf(b, "Content-Length: %d\r\n", len(r.body))
	}
	return append(append(b, "\r\n"...), r.body...)
}

// encode returns all requests of a route as they are sent.
func encode(requests []request) [][]byte {
	all := make([][]byte, len(requests))
	for i, r := range requests {
		number := i
		if len(requests) == 1 {
			number = -1
		}
		all[i] = r.bytes(number)
	}
	return all
}

// writeInputs writes requests for wrk and the generator of overload: each as
// its length in a line of its own, and its bytes.
func writeInputs(name string, requests [][]byte) error {
	var b bytes.Buffer
	for _, r := range requests {
		fmt.Fprintf(&b, "%d\n", len(r))
		b.Write(r)
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

func readInputs(name string) ([][]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var all [][]byte
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		n, err := strconv.Atoi(string(line))
		if err != nil || n > len(rest) {
			return nil, fmt.Errorf("%s is damaged", name)
		}
		all = append(all, rest[:n])
		data = rest[n:]
	}
	return all, nil
}

// answer is what was sent in return, as far as a handler decides it.
type answer struct {
	Status int
	Header []field
	Body   []byte
}

type field struct {
	Name   string
	Values []string
}

func (a answer) get(name string) string {
	for _, f := range a.Header {
		if f.Name == name {
			return f.Values[0]
		}
	}
	return ""
}

// equal reports whether two answers differ in nothing. A request id is another
// for each request by its nature.
func (a answer) equal(b answer) bool {
	return a.Status == b.Status && bytes.Equal(a.Body, b.Body) && slices.EqualFunc(a.Header, b.Header, func(f, g field) bool {
		return f.Name == g.Name && (f.Name == "X-Request-Id" || slices.Equal(f.Values, g.Values))
	})
}

// client sends requests one after the other over one connection.
type client struct {
	conn net.Conn
	r    *bufio.Reader
}

func dial(addr string) (*client, error) {
	conn, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		return nil, err
	}
	return &client{conn, bufio.NewReaderSize(conn, 64<<10)}, nil
}

func (c *client) close() { c.conn.Close() }

func (c *client) do(request []byte) (answer, error) {
	if err := c.conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return answer{}, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return answer{}, err
	}
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return answer{}, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, err
	}
	a := answer{Status: resp.StatusCode, Body: body}
	for name, values := range resp.Header {
		if name != "Date" { // net/http sets it
			a.Header = append(a.Header, field{name, values})
		}
	}
	slices.SortFunc(a.Header, func(f, g field) int { return strings.Compare(f.Name, g.Name) })
	return a, nil
}

// capture returns the answers to all requests.
func capture(addr string, requests [][]byte) ([]answer, error) {
	c, err := dial(addr)
	if err != nil {
		return nil, err
	}
	defer c.close()
	answers := make([]answer, len(requests))
	for i, r := range requests {
		if answers[i], err = c.do(r); err != nil {
			line, _, _ := bytes.Cut(r, []byte("\r\n"))
			return nil, fmt.Errorf("%s: %w", line, err)
		}
	}
	return answers, nil
}

// errUnanswered means that Placard has no such route.
var errUnanswered = errors.New("it is not answered")

// revalidate makes requests of one who has the answers already.
func revalidate(requests []request, answers []answer) ([]request, error) {
	conditional := slices.Clone(requests)
	for i := range conditional {
		tag := answers[i].get("Etag")
		if tag == "" {
			return nil, fmt.Errorf("%s: the answer has no ETag", requests[i].target)
		}
		conditional[i].header += "If-None-Match: " + tag + "\r\n"
	}
	return conditional, nil
}

// exchange returns the requests of a route as they are sent and the answers
// that Placard gives at addr, after looking whether those are as they should be.
func (r *route) exchange(addr string, a asker) (requests [][]byte, answers []answer, err error) {
	asked, err := r.ask(a)
	if err != nil {
		return nil, nil, err
	}
	requests = encode(asked)
	if r.known {
		if answers, err = capture(addr, requests); err != nil {
			return nil, nil, err
		}
		if asked, err = revalidate(asked, answers); err != nil {
			return nil, nil, err
		}
		requests = encode(asked)
	}
	if answers, err = capture(addr, requests[:1]); err != nil {
		return nil, nil, err
	}
	if answers[0].Status == http.StatusNotFound {
		return nil, nil, errUnanswered
	}
	if answers, err = capture(addr, requests); err != nil {
		return nil, nil, err
	}
	return requests, answers, r.check(asked, answers)
}

func (r *route) check(asked []request, answers []answer) error {
	status, want := http.StatusOK, `{"ok":true`
	switch {
	case r.known:
		status, want = http.StatusNotModified, ""
	case r.want == "*":
		want = ""
	case r.want != "":
		want = r.want
	}
	for i, a := range answers {
		if a.Status != status || !bytes.HasPrefix(a.Body, []byte(want)) {
			return fmt.Errorf("%s is answered %d %.300s", asked[i].target, a.Status, a.Body)
		}
	}
	return nil
}

func saveAnswers(name string, answers []answer) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(gob.NewEncoder(w).Encode(answers), w.Flush(), f.Close())
}

func loadAnswers(name string) ([]answer, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var answers []answer
	err = gob.NewDecoder(bufio.NewReaderSize(f, 1<<20)).Decode(&answers)
	return answers, err
}
