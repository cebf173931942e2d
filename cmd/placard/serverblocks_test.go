package main

import (
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"placard/scripts/envtest"
)

// shellSyntax are the words that begin lines of scripts and are not programs to
// check.
var shellSyntax = []string{"for", "done", "mv", "(cd"}

// checkShell checks commands that take too long to run in a test: that make has
// the targets, that Go finds the packages, and that servers start.
func checkShell(t *testing.T, b block) {
	syntax := exec.CommandContext(t.Context(), envtest.Program(t, "bash"), "-n")
	syntax.Stdin = strings.NewReader(b.text)
	if output, err := syntax.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
	for line := range strings.Lines(b.text) {
		command, _, _ := strings.Cut(line, " #")
		words := strings.Fields(command)
		if len(words) == 0 {
			continue
		}
		var env []string
		for strings.Contains(words[0], "=") {
			env, words = append(env, strings.ReplaceAll(words[0], "'", "")), words[1:]
		}
		var check *exec.Cmd
		switch {
		case words[0] == "make":
			// make -n fails if a target does not exist.
			check = exec.CommandContext(t.Context(), "sh", "-c", "make -n "+strings.Join(words[1:], " "))
		case words[0] == "go":
			check = exec.CommandContext(t.Context(), "go", "list", words[2]) // the package to build, run or test
		case words[0] == "placard" && words[1] == "serve":
			serveExample(t, env, words[2:])
			continue
		case slices.Contains(shellSyntax, words[0]):
			continue
		default:
			t.Errorf("no test checks the command %q", command)
			continue
		}
		check.Dir = repositoryRoot(t)
		if output, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", command, err, output)
		}
	}
}

// serveExample starts a server with the arguments and environment of an example.
// Its addresses are replaced by free ports or real servers, and its folders by
// temporary ones.
func serveExample(t *testing.T, env, args []string) *daemon {
	t.Helper()
	publish := func(store string) string {
		if status, output := placard(t, "", "publish", "../../docs/example", "--store", store); status != exitOK {
			t.Fatalf("got status %d, want 0\n%s", status, output)
		}
		return store
	}
	address := regexp.MustCompile(`^(127\.0\.0\.1|localhost|):\d+$`)
	translate := func(value string) string {
		switch {
		case value == "/srv/placard":
			return publish(filepath.Join(t.TempDir(), "store"))
		case value == "/var/cache/placard":
			return t.TempDir()
		case strings.HasPrefix(value, "s3://"):
			return publish(strings.Replace(value, documentedEndpoint, endpointOf(t, newBucket(t)), 1))
		case strings.HasPrefix(value, "redis://"):
			return "redis://" + envtest.Redis(t).Addr
		}
		return address.ReplaceAllString(value, "127.0.0.1:0")
	}
	for i := range args {
		args[i] = translate(args[i])
	}
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		if name != "PLACARD_ADDR" { // start sets the flag
			t.Setenv(name, translate(value))
		}
	}
	d := start(t, args...)
	d.ready()
	return d
}

// checkProxy sets the headers that an nginx configuration sets, and checks that
// the server takes the address of the client, the host and the scheme from the
// proxy and not from the client.
func checkProxy(t *testing.T, b block) {
	const client, host = "203.0.113.7", "placard.example"
	d := start(t, "--trusted-proxies", "127.0.0.1")
	d.ready()
	req, err := http.NewRequestWithContext(t.Context(), "POST", d.url+"/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_icon_url","arguments":{"version":"place@latest","element_id":"radar"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	// A client that pretends to be another one.
	req.Header.Set("X-Forwarded-For", "198.51.100.1")
	req.Header.Set("Forwarded", "for=198.51.100.2;host=evil.example")
	req.Header.Set("X-Forwarded-Host", "evil.example")
	variables := strings.NewReplacer("$host", host, "$scheme", "https",
		"$proxy_add_x_forwarded_for", req.Header.Get("X-Forwarded-For")+", "+client, `""`, "")
	directive := regexp.MustCompile(`^(\w+)((?: +[^;]+)*);$`)
	for line := range strings.Lines(b.text) {
		line = strings.TrimSpace(line)
		if strings.HasSuffix(line, " {") || line == "}" {
			continue
		}
		match := directive.FindStringSubmatch(line)
		if match == nil {
			t.Fatalf("%q is not a directive", line)
		}
		switch args := strings.Fields(match[2]); match[1] {
		case "proxy_set_header":
			name, value := args[0], variables.Replace(args[1])
			switch {
			case name == "Host":
				req.Host = value
			case value == "":
				req.Header.Del(name)
			default:
				req.Header.Set(name, value)
			}
		case "proxy_pass":
			if args[0] != "http://127.0.0.1:8080" {
				t.Errorf("got %s, want the default address of the server", args[0])
			}
		case "proxy_http_version", "listen", "server_name", "root", "default_type", "add_header", "try_files":
		case "error_page", "return":
			if got := strings.Join(args, " "); got != "418 = @placard_node" && got != "418" || !strings.Contains(b.text, "location @placard_node {") {
				t.Errorf("got %s %s, want the location @placard_node", match[1], got)
			}
		default:
			t.Errorf("no test checks the directive %s", match[1])
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if want := "https://" + host + "/api/v2/schemas/"; !strings.Contains(string(body), want) || strings.Contains(string(body), "evil.example") {
		t.Errorf("got %s, want a URL below %s", body, want)
	}
	d.eventually("the log line", func() bool { return strings.Contains(d.logs.String(), "path=/mcp") })
	if !strings.Contains(d.logs.String(), "client="+client) {
		t.Errorf("got the log\n%swant the client %s", d.logs, client)
	}
}
