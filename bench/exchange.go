package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
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

// encode encodes all requests of a route.
func encode(requests []request) [][]byte {
	all := make([][]byte, len(requests))
	for i, r := range requests {
		b := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: placard.example\r\n%s", cmp.Or(r.method, "GET"), r.target, r.header)
		b = fmt.Appendf(b, "%s: %d\r\n", inputHeader, i)
		if r.body != nil {
			b = fmt.Appendf(b, "Content-Length: %d\r\n", len(r.body))
		}
		all[i] = append(append(b, "\r\n"...), r.body...)
	}
	return all
}

// writeInputs writes requests for wrk: for each, a line with its length, followed
// by its bytes.
func writeInputs(name string, requests [][]byte) error {
	var b bytes.Buffer
	for _, r := range requests {
		fmt.Fprintf(&b, "%d\n", len(r))
		b.Write(r)
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

// response is a response without the parts that net/http sets.
type response struct {
	Status int
	Header http.Header
	Body   []byte
}

// send sends requests one after the other over one connection, and calls receive
// with each response.
func send(addr string, requests [][]byte, receive func(response)) error {
	conn, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	r := bufio.NewReaderSize(conn, 64<<10)
	for _, req := range requests {
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		if _, err := conn.Write(req); err != nil {
			return err
		}
		resp, err := readResponse(r)
		if err != nil {
			line, _, _ := bytes.Cut(req, []byte("\r\n"))
			return fmt.Errorf("%s: %w", line, err)
		}
		receive(resp)
	}
	return nil
}

func readResponse(r *bufio.Reader) (response, error) {
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		return response{}, err
	}
	body, err := io.ReadAll(resp.Body)
	resp.Header.Del("Date") // net/http sets it
	return response{resp.StatusCode, resp.Header, body}, err
}

// capture sends all requests and returns the responses.
func capture(addr string, requests [][]byte) ([]response, error) {
	var responses []response
	err := send(addr, requests, func(r response) { responses = append(responses, r) })
	return responses, err
}

// exchange returns the encoded requests of a route and the responses of the
// Placard server at addr, after checking the responses.
func (r *route) exchange(addr string, b requestBuilder) (requests [][]byte, responses []response, err error) {
	built, err := r.build(b)
	if err != nil {
		return nil, nil, err
	}
	if r.conditional {
		// All responses about a release have the same tag.
		if responses, err = capture(addr, encode(built[:1])); err != nil {
			return nil, nil, err
		}
		for i := range built {
			built[i].header += "If-None-Match: " + responses[0].Header.Get("Etag") + "\r\n"
		}
	}
	requests = encode(built)
	if responses, err = capture(addr, requests); err != nil {
		return nil, nil, err
	}
	return requests, responses, r.check(built, responses)
}

// check returns an error if a response is not the expected one.
func (r *route) check(requests []request, responses []response) error {
	status, want := http.StatusOK, []byte(cmp.Or(r.want, `{"ok":true`))
	if r.conditional {
		status = http.StatusNotModified
	}
	for i, resp := range responses {
		anyBody := r.conditional || r.want == "*"
		if resp.Status != status || !anyBody && !bytes.HasPrefix(resp.Body, want) {
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
	return errors.Join(gob.NewEncoder(f).Encode(responses), f.Close())
}

func loadResponses(name string) ([]response, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var responses []response
	err = gob.NewDecoder(f).Decode(&responses)
	return responses, err
}
