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
type bareHandler []response

func (h bareHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	n, _ := strconv.Atoi(r.Header.Get(inputHeader))
	resp := &h[n]
	header := w.Header()
	for name, values := range resp.Header {
		header[name] = values
	}
	w.WriteHeader(resp.Status)
	_, _ = w.Write(resp.Body)
}

// serveBare runs a server with a bareHandler that sends the responses in a file.
func serveBare(file string) error {
	responses, err := loadResponses(file)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("Listening on http://%s\n", l.Addr())
	return http.Serve(l, bareHandler(responses))
}
