package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// testTerminal is a pseudo terminal with 40 columns and 10 rows.
type testTerminal struct {
	t       *testing.T
	device  *os.File // the end that a program writes to
	display *os.File // the end from which the output is read
	seen    strings.Builder
}

func newTerminal(t *testing.T) *testTerminal {
	t.Helper()
	display, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { display.Close() })
	connection, err := display.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var number int
	if err := connection.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	device, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { device.Close() })
	terminal := &testTerminal{t: t, device: device, display: display}
	terminal.resize(40, 10)
	return terminal
}

func (c *testTerminal) resize(columns, rows uint16) {
	c.t.Helper()
	if err := unix.IoctlSetWinsize(int(c.device.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows}); err != nil {
		c.t.Fatal(err)
	}
}

// until reads output until it contains text, and returns everything up to the end
// of text that earlier calls have not returned.
func (c *testTerminal) until(text string) string {
	c.t.Helper()
	for {
		if before, after, ok := strings.Cut(c.seen.String(), text); ok {
			c.seen.Reset()
			c.seen.WriteString(after)
			return before + text
		}
		buffer := make([]byte, 4096)
		n, err := c.display.Read(buffer)
		if err != nil {
			c.t.Fatalf("waiting for %q on the terminal: %v; got %q", text, err, c.seen.String())
		}
		c.seen.Write(buffer[:n])
	}
}

// connect connects the outputs of a process to the terminal.
func (c *testTerminal) connect(p *process) {
	p.cmd.Stdout, p.cmd.Stderr = c.device, c.device
	p.cmd.Env = append(p.cmd.Env, "TERM=xterm")
}
