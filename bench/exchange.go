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

// request is a request of a route, the same for Placard and the bare handler.
type request struct {
	method string // GET if empty
	target string
	header string // header lines, each with its line ending
	body   []byte
}

// inputHeader is the header that tells the bare handler the number of the
// response to send. It is sent to Placard too, so that both parse the same headers.
const inputHeader = "Bench-Input"

// bytes encodes the request. number is -1 if the route has a single request.
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

// encode encodes all requests of a route.
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

// writeInputs writes requests for wrk and the load generator: for each, a line
// with its length, followed by its bytes.
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
			return nil, fmt.Errorf("%s is malformed", name)
		}
		all = append(all, rest[:n])
		data = rest[n:]
	}
	return all, nil
}

// response is a response without the parts that net/http sets.
type response struct {
	Status int
	Header []field
	Body   []byte
}

type field struct {
	Name   string
	Values []string
}

func (r response) get(name string) string {
	for _, f := range r.Header {
		if f.Name == name {
			return f.Values[0]
		}
	}
	return ""
}

// equal reports whether two responses are equal, except for the request id.
func (r response) equal(other response) bool {
	return r.Status == other.Status && bytes.Equal(r.Body, other.Body) && slices.EqualFunc(r.Header, other.Header, func(f, g field) bool {
		return f.Name == g.Name && (f.Name == "X-Request-Id" || slices.Equal(f.Values, g.Values))
	})
}

// client sends requests sequentially over one connection.
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

func (c *client) do(request []byte) (response, error) {
	if err := c.conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return response{}, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return response{}, err
	}
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return response{}, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return response{}, err
	}
	captured := response{Status: resp.StatusCode, Body: body}
	for name, values := range resp.Header {
		if name != "Date" { // net/http sets it
			captured.Header = append(captured.Header, field{name, values})
		}
	}
	slices.SortFunc(captured.Header, func(f, g field) int { return strings.Compare(f.Name, g.Name) })
	return captured, nil
}

// capture sends all requests and returns the responses.
func capture(addr string, requests [][]byte) ([]response, error) {
	c, err := dial(addr)
	if err != nil {
		return nil, err
	}
	defer c.close()
	responses := make([]response, len(requests))
	for i, r := range requests {
		if responses[i], err = c.do(r); err != nil {
			line, _, _ := bytes.Cut(r, []byte("\r\n"))
			return nil, fmt.Errorf("%s: %w", line, err)
		}
	}
	return responses, nil
}

// errNoRoute means that Placard does not have the route.
var errNoRoute = errors.New("no such route")

// revalidate returns conditional requests for cached responses.
func revalidate(requests []request, responses []response) ([]request, error) {
	conditional := slices.Clone(requests)
	for i := range conditional {
		tag := responses[i].get("Etag")
		if tag == "" {
			return nil, fmt.Errorf("%s: the response has no ETag", requests[i].target)
		}
		conditional[i].header += "If-None-Match: " + tag + "\r\n"
	}
	return conditional, nil
}

// exchange returns the encoded requests of a route and the responses of the
// Placard server at addr, after checking the responses.
func (r *route) exchange(addr string, b requestBuilder) (requests [][]byte, responses []response, err error) {
	built, err := r.build(b)
	if err != nil {
		return nil, nil, err
	}
	requests = encode(built)
	if r.conditional {
		if responses, err = capture(addr, requests); err != nil {
			return nil, nil, err
		}
		if built, err = revalidate(built, responses); err != nil {
			return nil, nil, err
		}
		requests = encode(built)
	}
	if responses, err = capture(addr, requests[:1]); err != nil {
		return nil, nil, err
	}
	if responses[0].Status == http.StatusNotFound {
		return nil, nil, errNoRoute
	}
	if responses, err = capture(addr, requests); err != nil {
		return nil, nil, err
	}
	return requests, responses, r.check(built, responses)
}

// check returns an error if a response is not the expected one.
func (r *route) check(requests []request, responses []response) error {
	status, want := http.StatusOK, `{"ok":true`
	switch {
	case r.conditional:
		status, want = http.StatusNotModified, ""
	case r.want == "*":
		want = ""
	case r.want != "":
		want = r.want
	}
	for i, resp := range responses {
		if resp.Status != status || !bytes.HasPrefix(resp.Body, []byte(want)) {
			return fmt.Errorf("%s: unexpected response %d %.300s", requests[i].target, resp.Status, resp.Body)
		}
	}
	return nil
}

func saveResponses(name string, responses []response) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(gob.NewEncoder(w).Encode(responses), w.Flush(), f.Close())
}

func loadResponses(name string) ([]response, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var responses []response
	err = gob.NewDecoder(bufio.NewReaderSize(f, 1<<20)).Decode(&responses)
	return responses, err
}
