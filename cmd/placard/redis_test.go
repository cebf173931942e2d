package main

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"testing"

	"placard/internal/testenv"
)

func TestServeSharesStateOverTLS(t *testing.T) {
	server, certificate := testenv.RedisTLS(t)
	t.Setenv("SSL_CERT_FILE", certificate)
	t.Setenv("PLACARD_REDIS", "rediss://"+server.Addr)
	nodes := sharingNodes(startNodes(t, 3, "--log-level=error"))
	handle := regexp.MustCompile(`"handle":"(doc_\w+)"`)
	nodes.try(t, func() error {
		session, first := rand.Text(), ""
		for i, n := range nodes {
			_, _, body := n.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"validate_datachain","arguments":{"version":"`+stable+`","datachain":`+testDocument("Tessel")+`}}}`, "Mcp-Session-Id", session)
			got := handle.FindString(body)
			if i == 0 {
				first = got
			}
			if got == "" || got != first {
				return fmt.Errorf("node %d: got the handle %q for a document that has the handle %q on the first node", i, got, first)
			}
		}
		return nil
	})
}
