package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// post sends a message to /mcp.
func (d *daemon) post(body string, header ...string) (int, http.Header, string) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), "POST", d.url+"/mcp", strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(data)
}

func TestServeProvidesMCP(t *testing.T) {
	t.Parallel()
	d := start(t, "--rate-limit-read", "5/60s", "--allowed-hosts", "127.0.0.1,localhost", "--max-body", "2KiB", "--trusted-proxies", "127.0.0.1")
	d.ready()
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	status, header, body := d.post(ping, "Service-Client", "agent")
	if status != 200 || body != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("ping: got %d %s, want 200 with an empty result", status, body)
	}
	if header.Get("X-Request-Id") == "" || header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(header.Get("Access-Control-Expose-Headers"), "Mcp-Session-Id") {
		t.Errorf("ping: got header %v, want a request id and CORS headers for MCP", header)
	}
	_, _, body = d.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_icon_url","arguments":{"version":"place@latest","element_id":"radar"}}}`,
		"X-Forwarded-For", "203.0.113.7", "X-Forwarded-Proto", "https", "X-Forwarded-Host", "localhost", "Service-Client", "agent")
	if !strings.Contains(body, `https://localhost/api/v2/schemas/`) {
		t.Errorf("request from a trusted proxy: got %s, want a URL below https://localhost", body)
	}

	// Refusals are JSON-RPC responses and contain the API's envelope.
	checkRefusal := func(name string, wantStatus int, wantCode string, status int, body string) {
		t.Helper()
		var response struct {
			JSONRPC string `json:"jsonrpc"`
			Error   *struct{ Code int }
			OK      *bool `json:"ok"`
			Errors  []struct {
				Code string `json:"code"`
			} `json:"errors"`
		}
		if err := json.Unmarshal([]byte(body), &response, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatalf("%s: %v: %s", name, err, body)
		}
		if status != wantStatus || response.JSONRPC != "2.0" || response.Error == nil || response.OK == nil || *response.OK ||
			len(response.Errors) != 1 || response.Errors[0].Code != wantCode {
			t.Errorf("%s: got %d %s, want %d %s", name, status, body, wantStatus, wantCode)
		}
	}
	status, _, body = d.post(ping, "Host", "evil.example")
	checkRefusal("another host", 400, "bad_request", status, body)
	status, _, body = d.post(`{"jsonrpc":"2.0","id":1,"method":"ping","x":"`+strings.Repeat("x", 3000)+`"}`, "Service-Client", "large")
	checkRefusal("a large body", 413, "payload_too_large", status, body)
	for range 4 {
		d.post(ping, "Service-Client", "busy")
	}
	if status, body := d.get("/api/v2/schemas"); status != 200 {
		t.Errorf("REST request: got %d %s, want 200", status, body)
	}
	d.post(ping, "Service-Client", "busy")
	status, header, body = d.post(ping, "Service-Client", "busy")
	checkRefusal("the sixth request", 429, "rate_limited", status, body)
	if header.Get("Retry-After") == "" {
		t.Errorf("rate limited: got header %v, want Retry-After", header)
	}
}

func TestRESTAndMCPRenderTheSamePage(t *testing.T) {
	t.Parallel()
	d := start(t)
	d.ready()
	document := testDocument("same")
	resp, err := http.Post(d.url+"/api/v2/schemas/"+stable+"/render?locale=fr", "application/json", strings.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil || !strings.HasPrefix(string(page), `<!doctype html><html lang="fr"`) {
		t.Fatalf("got %.200s, error %v, want a page in French", page, err)
	}
	if policy := resp.Header["Content-Security-Policy"]; len(policy) != 1 || !strings.Contains(policy[0], "script-src 'sha256-") {
		t.Errorf("got Content-Security-Policy %q, want only the policy of the page", policy)
	}
	d.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"render_datachain","arguments":{"version":"`+stable+`","locale":"fr","datachain":`+document+`}}}`,
		"Mcp-Session-Id", "same")
	_, _, body := d.post(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ui://service/datachain/view.html"}}`, "Mcp-Session-Id", "same")
	var read struct {
		Result struct {
			Contents []struct {
				Text string `json:"text"`
			} `json:"contents"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(body), &read); err != nil || len(read.Result.Contents) != 1 {
		t.Fatalf("got %.300s, error %v, want one content", body, err)
	}
	if view := read.Result.Contents[0].Text; view != string(page) {
		t.Errorf("got %d bytes from MCP and %d from REST, want the same page", len(view), len(page))
	}
}

func TestMCPClientConnectsOverStandardIO(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), daemonTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, os.Args[0], "mcp")
	command.Env = append(os.Environ(), runAsPlacard+"=1")
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	tools, err := session.ListTools(ctx, nil)
	if err != nil || len(tools.Tools) != 11 {
		t.Fatalf("ListTools = %+v, %v; want 11 tools", tools, err)
	}
	document, err := os.ReadFile(builtinTree + "/place/2026-06-01-stable/examples/river_watch.json")
	if err != nil {
		t.Fatal(err)
	}
	var datachain any
	if err := json.Unmarshal(document, &datachain); err != nil {
		t.Fatal(err)
	}
	rendered, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "render_datachain", Arguments: map[string]any{"version": stable, "datachain": datachain}})
	if err != nil || rendered.IsError {
		t.Fatalf("render_datachain: got %+v, %v; want success", rendered, err)
	}
	view, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "ui://service/datachain/view.html"})
	if err != nil || len(view.Contents) != 1 || !strings.Contains(view.Contents[0].Text, "Lower Tessel") {
		t.Errorf("ReadResource = %+v, %v; want the rendered document", view, err)
	}
}
