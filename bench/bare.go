package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
)

// bareHandler is a minimal handler that reads the request and sends the same
// headers and bytes as Placard. Placard is compared with it.
type bareHandler struct {
	responses []response
}

func (h *bareHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	n := 0
	if len(h.responses) > 1 {
		n, _ = strconv.Atoi(r.Header.Get(inputHeader))
	}
	resp := &h.responses[n]
	header := w.Header()
	for _, f := range resp.Header {
		header[f.Name] = f.Values
	}
	w.WriteHeader(resp.Status)
	_, _ = w.Write(resp.Body)
}

// serveBare runs a server with a bareHandler that sends the responses in a file.
func serveBare(file string) error {
	h := new(bareHandler)
	var err error
	if h.responses, err = loadResponses(file); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("Listening on http://%s\n", l.Addr())
	return http.Serve(l, h)
}
