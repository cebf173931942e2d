package main

import (
	"bufio"
	"fmt"
	"net"
	"strings"
)

// probe is a connection to a process that was built with probe.go.
type probe struct {
	conn net.Conn
	r    *bufio.Reader
}

func openProbe(socket string) (*probe, error) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	return &probe{conn, bufio.NewReader(conn)}, nil
}

func (p *probe) close() { p.conn.Close() }

func (p *probe) ask(command string) (string, error) {
	if _, err := fmt.Fprintln(p.conn, command); err != nil {
		return "", err
	}
	line, err := p.r.ReadString('\n')
	return strings.TrimSpace(line), err
}

// allocations returns how many objects and bytes the process has allocated.
func (p *probe) allocations() (objects, bytes uint64, err error) {
	line, err := p.ask("allocations")
	if err == nil {
		_, err = fmt.Sscan(line, &objects, &bytes)
	}
	return objects, bytes, err
}

// do has the process do something that it answers without a figure.
func (p *probe) do(command string) error {
	reply, err := p.ask(command)
	if err == nil && reply != "done" {
		err = fmt.Errorf("%s: %s", command, reply)
	}
	return err
}

// profile has the process write a CPU profile of what it does during work.
func (p *probe) profile(file string, work func() error) error {
	if err := p.do("profile " + file); err != nil {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	return p.do("finish")
}

// allocated is what one request allocates, on average.
type allocated struct {
	Objects float64 `json:"objects"`
	Bytes   float64 `json:"bytes"`
}

// counted is how many requests are sent to count allocations.
const counted = 4_000

// countAllocations sends requests one after the other and returns what each
// allocates in the process that answers them at addr.
func (p *probe) countAllocations(addr string, requests [][]byte) (allocated, error) {
	var objects, bytes, objectsAfter, bytesAfter uint64
	err := sendCounted(addr, requests, func() (err error) {
		objects, bytes, err = p.allocations()
		return err
	})
	if err != nil {
		return allocated{}, err
	}
	objectsAfter, bytesAfter, err = p.allocations()
	return allocated{
		Objects: float64(objectsAfter-objects) / counted,
		Bytes:   float64(bytesAfter-bytes) / counted,
	}, err
}

// sendCounted sends requests one after the other: some to fill what is pooled,
// and after the call of begin those that count.
func sendCounted(addr string, requests [][]byte, begin func() error) error {
	c, err := dial(addr)
	if err != nil {
		return err
	}
	defer c.close()
	for i := range counted + counted/10 {
		if i == counted/10 {
			if err := begin(); err != nil {
				return err
			}
		}
		if _, err := c.do(requests[i%len(requests)]); err != nil {
			return err
		}
	}
	return nil
}
