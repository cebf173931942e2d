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

// send sends a command and returns the reply.
func (p *probe) send(command string) (string, error) {
	if _, err := fmt.Fprintln(p.conn, command); err != nil {
		return "", err
	}
	line, err := p.r.ReadString('\n')
	return strings.TrimSpace(line), err
}

// allocations returns the numbers of objects and bytes that the process has
// allocated.
func (p *probe) allocations() (objects, bytes uint64, err error) {
	line, err := p.send("allocations")
	if err == nil {
		_, err = fmt.Sscan(line, &objects, &bytes)
	}
	return objects, bytes, err
}

// do sends a command that returns no result.
func (p *probe) do(command string) error {
	reply, err := p.send(command)
	if err == nil && reply != "done" {
		err = fmt.Errorf("%s: %s", command, reply)
	}
	return err
}

// profile makes the process write a CPU profile while work runs.
func (p *probe) profile(file string, work func() error) error {
	if err := p.do("profile " + file); err != nil {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	return p.do("finish")
}

// allocation is the average allocation of a request.
type allocation struct {
	Objects float64 `json:"objects"`
	Bytes   float64 `json:"bytes"`
}

// countedRequests is the number of requests sent to count allocations.
const countedRequests = 4_000

// countAllocations sends requests sequentially to addr, the address of the
// process, and returns the average allocation.
func (p *probe) countAllocations(addr string, requests [][]byte) (allocation, error) {
	var objects, bytes, objectsAfter, bytesAfter uint64
	err := sendCounted(addr, requests, func() (err error) {
		objects, bytes, err = p.allocations()
		return err
	})
	if err != nil {
		return allocation{}, err
	}
	objectsAfter, bytesAfter, err = p.allocations()
	return allocation{
		Objects: float64(objectsAfter-objects) / countedRequests,
		Bytes:   float64(bytesAfter-bytes) / countedRequests,
	}, err
}

// sendCounted sends requests sequentially: first some to fill pools, then, after
// calling begin, the counted ones.
func sendCounted(addr string, requests [][]byte, begin func() error) error {
	c, err := dial(addr)
	if err != nil {
		return err
	}
	defer c.close()
	for i := range countedRequests + countedRequests/10 {
		if i == countedRequests/10 {
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
