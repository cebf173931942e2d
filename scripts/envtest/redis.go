package envtest

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Redis starts a redis-server without persistence, with additional arguments.
func Redis(tb testing.TB, args ...string) *Server {
	tb.Helper()
	addr := FreeAddr(tb)
	return StartServer(tb, addr, nil, append([]string{
		Program(tb, "redis-server"),
		"--bind", "127.0.0.1", "--port", portOf(addr), "--save", "", "--appendonly", "no", "--dir", tb.TempDir(), "--loglevel", "warning",
	}, args...)...)
}

// RedisTLS starts a redis-server that accepts only TLS, and returns the file with its
// self-signed certificate.
func RedisTLS(tb testing.TB) (s *Server, certificate string) {
	tb.Helper()
	// The standard library has a certificate for tests.
	server := httptest.NewTLSServer(nil)
	server.Close()
	pair := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		tb.Fatal(err)
	}
	dir := tb.TempDir()
	write := func(name, kind string, data []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			tb.Fatal(err)
		}
		return file
	}
	certificate = write("cert.pem", "CERTIFICATE", pair.Certificate[0])
	addr := FreeAddr(tb)
	return StartServer(tb, addr, nil,
		Program(tb, "redis-server"), "--bind", "127.0.0.1", "--port", "0", "--save", "", "--dir", dir, "--loglevel", "warning",
		"--tls-port", portOf(addr), "--tls-auth-clients", "no",
		"--tls-cert-file", certificate, "--tls-key-file", write("key.pem", "PRIVATE KEY", key), "--tls-ca-cert-file", certificate), certificate
}

// RedisCluster starts a cluster of three masters without replicas.
func RedisCluster(tb testing.TB) [3]*Server {
	tb.Helper()
	var servers [3]*Server
	var busPorts [3]string
	for i := range servers {
		busPorts[i] = portOf(FreeAddr(tb))
		servers[i] = Redis(tb, "--cluster-enabled", "yes", "--cluster-port", busPorts[i], "--cluster-node-timeout", "1000")
	}
	for i, s := range servers {
		RedisCLI(tb, s, "CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(i<<14/3), strconv.Itoa((i+1)<<14/3-1))
		RedisCLI(tb, servers[0], "CLUSTER", "MEET", "127.0.0.1", portOf(s.Addr), busPorts[i])
	}
	for _, s := range servers {
		for deadline := time.Now().Add(serverTimeout); ; time.Sleep(5 * time.Millisecond) {
			info := RedisCLI(tb, s, "CLUSTER", "INFO")
			if strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_size:3") {
				break
			}
			if time.Now().After(deadline) {
				tb.Fatalf("the cluster does not start:\n%s", info)
			}
		}
	}
	return servers
}

// RedisSentinel starts a sentinel that watches a server under the name "placard" and
// decides alone about a failover.
func RedisSentinel(tb testing.TB, server *Server) *Server {
	tb.Helper()
	addr := FreeAddr(tb)
	config := filepath.Join(tb.TempDir(), "sentinel.conf")
	text := fmt.Sprintf(`bind 127.0.0.1
port %s
sentinel monitor placard 127.0.0.1 %s 1
sentinel down-after-milliseconds placard 500
sentinel failover-timeout placard 2000
`, portOf(addr), portOf(server.Addr))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return StartServer(tb, addr, nil, Program(tb, "redis-server"), config, "--sentinel")
}

// RedisCLI sends a command to a server and returns the reply.
func RedisCLI(tb testing.TB, s *Server, words ...string) string {
	tb.Helper()
	out, err := exec.Command(Program(tb, "redis-cli"), append([]string{"-e", "-p", portOf(s.Addr)}, words...)...).CombinedOutput()
	if err != nil {
		tb.Fatalf("%v: %v: %s", words, err, out)
	}
	return strings.TrimSpace(string(out))
}

func portOf(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	return port
}
