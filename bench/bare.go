package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
)

// bare is as little as a handler can be that reads what it is sent and answers
// with the same bytes and headers as Placard. It is the limit that Placard is
// measured against.
type bare struct {
	answers []answer
}

func (b *bare) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	n := 0
	if len(b.answers) > 1 {
		n, _ = strconv.Atoi(r.Header.Get(inputHeader))
	}
	a := &b.answers[n]
	h := w.Header()
	for _, f := range a.Header {
		h[f.Name] = f.Values
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body)
}

// serveBare is what the program does when it is started as the bare server.
func serveBare(answers string) error {
	b := new(bare)
	var err error
	if b.answers, err = loadAnswers(answers); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("The bare handler listens on http://%s\n", l.Addr())
	return http.Serve(l, b)
}
