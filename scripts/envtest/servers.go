package envtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Server is a server process on a loopback address. It keeps its address and its
// data when it is stopped and started again.
type Server struct {
	Addr string // host:port
	tb   testing.TB
	args []string
	env  []string
	cmd  *exec.Cmd
}

// Credentials of the server started by [S3].
const (
	S3AccessKey = "placard"
	S3SecretKey = "placard-secret"
)

// S3Program returns the path of the S3 server. Its version is pinned in
// scripts/setup-s3.
func S3Program(tb testing.TB) string {
	tb.Helper()
	program := filepath.Join(root(), ".cache", "s3", "versitygw")
	if _, err := os.Stat(program); err != nil {
		skipOrFail(tb, "the S3 server", "run scripts/setup-s3")
	}
	return program
}

// S3 starts an S3 server with the given empty buckets.
func S3(tb testing.TB, buckets ...string) *Server {
	tb.Helper()
	program := S3Program(tb)
	dir := tb.TempDir()
	for _, bucket := range buckets {
		if err := os.Mkdir(filepath.Join(dir, bucket), 0o755); err != nil {
			tb.Fatal(err)
		}
	}
	addr := FreeAddr(tb)
	return StartServer(tb, addr, []string{"ROOT_ACCESS_KEY=" + S3AccessKey, "ROOT_SECRET_KEY=" + S3SecretKey},
		program, "--port", addr, "--quiet", "--keep-alive", "posix", dir)
}

// HAProxy starts a load balancer with the configuration in deploy/ for three nodes.
func HAProxy(tb testing.TB, nodes [3]string) *Server {
	tb.Helper()
	addr := FreeAddr(tb)
	return StartServer(tb, addr,
		[]string{"PLACARD_LISTEN=" + addr, "PLACARD_STATS=" + FreeAddr(tb), "PLACARD_NODE_A=" + nodes[0], "PLACARD_NODE_B=" + nodes[1], "PLACARD_NODE_C=" + nodes[2]},
		Program(tb, "haproxy"), "-f", filepath.Join(root(), "deploy", "haproxy.cfg"))
}

// FreeAddr returns a loopback address with a free port. It is not one of the ports that
// the system chooses for connections and listeners, so that it is still free when a
// server is started again.
func FreeAddr(tb testing.TB) string {
	tb.Helper()
	const first, last = 20000, 32767
	for {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+rand.IntN(last-first+1)))
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		if err != nil {
			tb.Fatal(err)
		}
		defer l.Close()
		return l.Addr().String()
	}
}

// StartServer starts a program that listens on addr, with additional environment
// variables. It is stopped when the test ends.
func StartServer(tb testing.TB, addr string, env []string, args ...string) *Server {
	tb.Helper()
	s := &Server{Addr: addr, tb: tb, args: args, env: append(os.Environ(), env...)}
	s.Start()
	tb.Cleanup(s.Stop)
	return s
}

// serverTimeout is generous, because the machine may be busy with other tests.
const serverTimeout = 30 * time.Second

// Start starts the server and waits until it accepts connections.
func (s *Server) Start() {
	s.tb.Helper()
	s.cmd = exec.Command(s.args[0], s.args[1:]...)
	s.cmd.Env = s.env
	s.cmd.Stderr = s.tb.Output()
	if err := s.cmd.Start(); err != nil {
		s.tb.Fatal(err)
	}
	for deadline := time.Now().Add(serverTimeout); ; time.Sleep(5 * time.Millisecond) {
		conn, err := net.Dial("tcp", s.Addr)
		if err == nil {
			_ = conn.Close()
			return
		}
		if time.Now().After(deadline) {
			s.Stop()
			s.tb.Fatal(fmt.Errorf("%s does not listen: %w", filepath.Base(s.args[0]), err))
		}
	}
}

// Stop kills the server, unless it has been stopped.
func (s *Server) Stop() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // always an error: the process was killed
	s.cmd = nil
}
