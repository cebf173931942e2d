package main

import (
	"crypto/rand"
	"testing"

	"placard/scripts/envtest"
)

func TestServeSharesStateOverTLS(t *testing.T) {
	server, certificate := envtest.RedisTLS(t)
	t.Setenv("SSL_CERT_FILE", certificate)
	t.Setenv("PLACARD_REDIS", "rediss://"+server.Addr)
	nodes := sharingNodes(startNodes(t, 3, "--log-level=error"))
	nodes.try(t, func() error { return nodes.shareSession(rand.Text()) })
}
