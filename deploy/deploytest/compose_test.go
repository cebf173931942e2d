//go:build long

package deploytest

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"placard/scripts/envtest"
)

type composeFile struct {
	Services map[string]composeService
	Networks map[string]struct{ Internal bool }
}

type composeService struct {
	Image           string
	Entrypoint      []string
	Command         []string
	Environment     map[string]string
	Networks        map[string]any
	Ports           []any
	StopGracePeriod string `json:"stop_grace_period"`
	ReadOnly        bool   `json:"read_only"`
	Volumes         []struct{ Source, Target string }
}

// env returns the environment of a service, changed by replace.
func (s composeService) env(replace *strings.Replacer) []string {
	var env []string
	for _, name := range slices.Sorted(maps.Keys(s.Environment)) {
		env = append(env, name+"="+replace.Replace(s.Environment[name]))
	}
	return env
}

// composeNodes are the names of the services that run placard serve.
var composeNodes = []string{"node-a", "node-b", "node-c"}

// readCompose parses compose.yaml with values for its secrets. The nodes trust the
// loopback network.
func readCompose(t *testing.T) (c composeFile) {
	t.Helper()
	env := []string{"S3_ACCESS_KEY=access", "S3_SECRET_KEY=secret-key", "REDIS_PASSWORD=password", "PLACARD_SUBNET=127.0.0.0/8"}
	parse(t, &c, env, "compose", deploy+"/compose.yaml")
	return c
}

// TestComposeServicesWorkTogether runs the services of compose.yaml as processes
// with their commands and their environment, on loopback addresses.
func TestComposeServicesWorkTogether(t *testing.T) {
	begin(t)
	c := readCompose(t)
	s3, redis := envtest.FreeAddr(t), envtest.FreeAddr(t)
	_, redisPort, err := net.SplitHostPort(redis)
	if err != nil {
		t.Fatal(err)
	}
	local := strings.NewReplacer("s3:7070", s3, "valkey:6379", redis)

	path := "PATH=" + filepath.Dir(envtest.S3Program(t)) + ":" + os.Getenv("PATH")
	entrypoint := c.Services["s3"].Entrypoint
	script := strings.NewReplacer("/data", t.TempDir(), ":7070", s3).Replace(entrypoint[2])
	envtest.StartServer(t, s3, append(c.Services["s3"].env(local), path), entrypoint[0], entrypoint[1], script)
	if status, body := get(t, "http://"+s3+"/health"); status != http.StatusOK {
		t.Errorf("health check of the S3 server: got %d %s, want 200", status, body)
	}
	valkey := c.Services["valkey"].Command
	envtest.StartServer(t, redis, nil, append([]string{envtest.Program(t, "redis-server")},
		append(valkey[1:], "--port", redisPort, "--bind", "127.0.0.1", "--loglevel", "warning")...)...)

	publish := c.Services["publish"]
	args := slices.Clone(publish.Command)
	args[slices.Index(args, publish.Volumes[0].Target)] = publish.Volumes[0].Source
	for range 2 { // publishing again is not an error
		run(t, publish.env(local), placard(t), args...)
	}

	var addrs [3]string
	var nodes [3]*node
	for i, name := range composeNodes {
		cmd := exec.CommandContext(t.Context(), placard(t), "serve")
		cmd.Env = append(c.Services[name].env(strings.NewReplacer(
			"s3:7070", s3, "valkey:6379", redis, ":9090", "127.0.0.1:0", "/var/cache/placard", t.TempDir())), "PLACARD_ADDR=127.0.0.1:0")
		nodes[i] = startNode(t, cmd)
		addrs[i] = nodes[i].addr
	}
	balancer := envtest.HAProxy(t, addrs)
	for range 6 {
		if status, body := get(t, "http://"+balancer.Addr+"/api/v2/schemas"); status != http.StatusOK || !strings.Contains(body, "place@") {
			t.Fatalf("got %d %s, want the published releases", status, body)
		}
	}
	for _, n := range nodes {
		if _, metrics := get(t, "http://"+n.admin+"/metrics"); !strings.Contains(metrics, "\nplacard_redis_up 1\n") {
			t.Error("a node does not use Redis")
		}
	}
}

func TestComposePublishesOnlyTheBalancer(t *testing.T) {
	begin(t)
	c := readCompose(t)
	for name, service := range c.Services {
		if public := name == "balancer"; (len(service.Ports) > 0) != public {
			t.Errorf("%s: got ports %v", name, service.Ports)
		}
		for network := range service.Networks {
			if !c.Networks[network].Internal && name != "balancer" {
				t.Errorf("%s is in the network %s, which is not internal", name, network)
			}
		}
		if service.Image != "placard" && !regexp.MustCompile(`^[\w/]+:v?\d+\.\d+[\w.-]*$`).MatchString(service.Image) {
			t.Errorf("%s: got image %s, want a version", name, service.Image)
		}
	}
	setup, err := os.ReadFile(root + "/scripts/setup-s3")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^version=(.+)$`).FindSubmatch(setup)
	if want := fmt.Sprintf("versity/versitygw:%s", version[1]); c.Services["s3"].Image != want {
		t.Errorf("got S3 server %s, want the version that is tested, %s", c.Services["s3"].Image, want)
	}
}

func TestComposeSettingsFitTheNodes(t *testing.T) {
	begin(t)
	c := readCompose(t)
	balancer := readFile(t, "haproxy.cfg")
	for _, name := range composeNodes {
		service := c.Services[name]
		config := checkSettings(t, service.env(strings.NewReplacer()), []string{"serve"})
		grace, err := time.ParseDuration(service.StopGracePeriod)
		if err != nil {
			t.Fatal(err)
		}
		if delays := config.duration(t, "drain-delay") + config.duration(t, "drain"); grace < delays+time.Second {
			t.Errorf("%s: got a grace period of %v, want more than a second above --drain-delay and --drain, %v", name, grace, delays)
		}
		if !service.ReadOnly || len(service.Volumes) != 1 || service.Volumes[0].Target != config["cache"].value {
			t.Errorf("%s: got volumes %v, want a read-only root and a volume for --cache, %q", name, service.Volumes, config["cache"].value)
		}
		if !strings.Contains(balancer, " "+name+":8080\n") {
			t.Errorf("haproxy.cfg does not know %s", name)
		}
	}
}
