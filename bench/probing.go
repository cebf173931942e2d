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

// profile has the process write a CPU profile of what it does during work.
func (p *probe) profile(file string, work func() error) error {
	reply, err := p.ask("profile " + file)
	if err != nil {
		return err
	}
	if reply != "done" {
		return fmt.Errorf("profile: %s", reply)
	}
	if err := work(); err != nil {
		return err
	}
	_, err = p.ask("finish")
	return err
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
	c, err := dial(addr)
	if err != nil {
		return allocated{}, err
	}
	defer c.close()
	send := func(n int) error {
		for i := range n {
			if _, err := c.do(requests[i%len(requests)]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := send(counted / 10); err != nil { // fills what is pooled
		return allocated{}, err
	}
	objects, bytes, err := p.allocations()
	if err != nil {
		return allocated{}, err
	}
	if err := send(counted); err != nil {
		return allocated{}, err
	}
	objectsAfter, bytesAfter, err := p.allocations()
	return allocated{
		Objects: float64(objectsAfter-objects) / counted,
		Bytes:   float64(bytesAfter-bytes) / counted,
	}, err
}
