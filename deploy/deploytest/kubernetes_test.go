//go:build long

package deploytest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// object is a Kubernetes object of any kind.
type object struct {
	Kind     string
	Metadata struct{ Name, Namespace string }
	Data     map[string]string // of a ConfigMap
	Spec     json.RawMessage
}

type labelSelector struct{ MatchLabels map[string]string }

type deployment struct {
	Selector labelSelector
	Template struct {
		Metadata struct{ Labels map[string]string }
		Spec     podSpec
	}
}

type podSpec struct {
	TerminationGracePeriodSeconds int
	SecurityContext               struct{ RunAsUser, RunAsGroup int }
	TopologySpreadConstraints     []struct{ LabelSelector labelSelector }
	Containers                    []container
	Volumes                       []struct {
		Name     string
		EmptyDir *struct{}
	}
}

type container struct {
	Image   string
	Args    []string
	EnvFrom []struct{ ConfigMapRef, SecretRef struct{ Name string } }
	Ports   []struct {
		Name          string
		ContainerPort int
	}
	StartupProbe, LivenessProbe, ReadinessProbe struct {
		HTTPGet struct{ Path, Port string }
	}
	Resources    struct{ Limits map[string]string }
	VolumeMounts []struct{ Name, MountPath string }
}

// manifests are the objects in the kubernetes folder.
type manifests struct {
	t    *testing.T
	file struct {
		Built []object
		Files map[string][]object
	}
	deployment deployment
}

func readManifests(t *testing.T) *manifests {
	t.Helper()
	m := &manifests{t: t}
	parse(t, &m.file, nil, "kubernetes", deploy+"/kubernetes")
	m.spec("Deployment", &m.deployment)
	if len(m.deployment.Template.Spec.Containers) != 1 {
		t.Fatalf("got %d containers, want 1", len(m.deployment.Template.Spec.Containers))
	}
	return m
}

// find returns the object of a kind, from the kustomization or from another file.
func (m *manifests) find(kind string) object {
	m.t.Helper()
	isKind := func(o object) bool { return o.Kind == kind }
	if i := slices.IndexFunc(m.file.Built, isKind); i >= 0 {
		return m.file.Built[i]
	}
	for _, objects := range m.file.Files {
		if i := slices.IndexFunc(objects, isKind); i >= 0 {
			return objects[i]
		}
	}
	m.t.Fatalf("there is no %s", kind)
	return object{}
}

// spec decodes the spec of the object of a kind and returns the name of the object.
func (m *manifests) spec(kind string, value any) string {
	m.t.Helper()
	o := m.find(kind)
	if err := json.Unmarshal(o.Spec, value); err != nil {
		m.t.Fatalf("%s: %v", kind, err)
	}
	return o.Metadata.Name
}

func (m *manifests) container() container { return m.deployment.Template.Spec.Containers[0] }

// environment returns the variables of the container: those of the generated
// ConfigMap, and examples of those in the secret.
func (m *manifests) environment() []string {
	m.t.Helper()
	var env []string
	config := m.find("ConfigMap")
	for _, name := range slices.Sorted(maps.Keys(config.Data)) {
		env = append(env, name+"="+config.Data[name])
	}
	literals := regexp.MustCompile(`--from-literal=(\w+=\S+)`).FindAllStringSubmatch(readFile(m.t, "kubernetes/kustomization.yaml"), -1)
	for _, literal := range literals {
		env = append(env, literal[1])
	}
	if len(literals) == 0 || len(config.Data) == 0 {
		m.t.Fatal("got no variables")
	}
	return env
}

func TestKubernetesSelectorsMatchThePods(t *testing.T) {
	begin(t)
	m := readManifests(t)
	labels := m.deployment.Template.Metadata.Labels
	var service struct{ Selector map[string]string }
	m.spec("Service", &service)
	var budget, monitor struct{ Selector labelSelector }
	m.spec("PodDisruptionBudget", &budget)
	m.spec("PodMonitor", &monitor)
	var network struct{ PodSelector labelSelector }
	m.spec("NetworkPolicy", &network)
	selectors := map[string]map[string]string{
		"Deployment": m.deployment.Selector.MatchLabels, "Service": service.Selector, "PodDisruptionBudget": budget.Selector.MatchLabels,
		"PodMonitor": monitor.Selector.MatchLabels, "NetworkPolicy": network.PodSelector.MatchLabels,
	}
	for i, constraint := range m.deployment.Template.Spec.TopologySpreadConstraints {
		selectors[fmt.Sprintf("constraint %d", i+1)] = constraint.LabelSelector.MatchLabels
	}
	for name, selector := range selectors {
		if len(selector) == 0 {
			t.Errorf("%s selects all pods", name)
		}
		for key, value := range selector {
			if labels[key] != value {
				t.Errorf("%s selects %s=%s, but the pods have %v", name, key, value, labels)
			}
		}
	}
}

func TestKubernetesObjectsReferToEachOther(t *testing.T) {
	begin(t)
	m := readManifests(t)
	ports := make(map[string]int)
	for _, p := range m.container().Ports {
		ports[p.Name] = p.ContainerPort
	}
	var service struct {
		Ports []struct{ Name, TargetPort string }
	}
	serviceName := m.spec("Service", &service)
	for _, p := range service.Ports {
		if ports[p.TargetPort] == 0 || p.TargetPort == "admin" {
			t.Errorf("the service has target port %s, want a public port of the container", p.TargetPort)
		}
	}
	var ingress struct {
		Rules []struct {
			HTTP struct {
				Paths []struct {
					Backend struct {
						Service struct {
							Name string
							Port struct{ Name string }
						}
					}
				}
			}
		}
	}
	m.spec("Ingress", &ingress)
	backend := ingress.Rules[0].HTTP.Paths[0].Backend.Service
	if backend.Name != serviceName || backend.Port.Name != service.Ports[0].Name {
		t.Errorf("the ingress refers to %+v, want port %s of %s", backend, service.Ports[0].Name, serviceName)
	}
	var network struct {
		Ingress []struct{ Ports []struct{ Port any } }
	}
	m.spec("NetworkPolicy", &network)
	for _, rule := range network.Ingress {
		for _, p := range rule.Ports {
			if name, _ := p.Port.(string); ports[name] == 0 {
				t.Errorf("the network policy refers to port %v, want one of %v", p.Port, ports)
			}
		}
	}
	var monitor struct{ PodMetricsEndpoints []struct{ Port string } }
	m.spec("PodMonitor", &monitor)
	if port := monitor.PodMetricsEndpoints[0].Port; port != "admin" {
		t.Errorf("the monitor scrapes port %s, want admin", port)
	}
	var autoscaler struct {
		ScaleTargetRef struct{ Kind, Name string }
		Metrics        []struct {
			Pods *struct{ Metric struct{ Name string } }
		}
	}
	m.spec("HorizontalPodAutoscaler", &autoscaler)
	if target := autoscaler.ScaleTargetRef; target.Kind != "Deployment" || target.Name != m.find("Deployment").Metadata.Name {
		t.Errorf("the autoscaler refers to %+v", target)
	}
	adapter := adapterMetrics(t)
	for _, metric := range autoscaler.Metrics {
		if metric.Pods != nil && adapter[metric.Pods.Metric.Name] == "" {
			t.Errorf("the autoscaler uses %s, which prometheus/adapter.yaml does not define", metric.Pods.Metric.Name)
		}
	}
	for _, from := range m.container().EnvFrom {
		if name := from.ConfigMapRef.Name; name != "" && name != m.find("ConfigMap").Metadata.Name {
			t.Errorf("the container uses the map %s, want the generated one", name)
		}
		if name := from.SecretRef.Name; name != "" && !strings.Contains(readFile(t, "kubernetes/kustomization.yaml"), "secret generic "+name+" ") {
			t.Errorf("kustomization.yaml does not explain how to create the secret %s", name)
		}
	}
	files, err := os.ReadDir(deploy + "/kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name() != "kustomization.yaml" && !strings.Contains(readFile(t, "kubernetes/kustomization.yaml"), f.Name()) {
			t.Errorf("kustomization.yaml does not mention %s", f.Name())
		}
	}
}

// TestKubernetesSettingsFitTheContainer compares the settings of the server with the
// ports, probes, volumes and limits of its container.
func TestKubernetesSettingsFitTheContainer(t *testing.T) {
	begin(t)
	m := readManifests(t)
	pod, c := m.deployment.Template.Spec, m.container()
	config := checkSettings(t, m.environment(), c.Args)
	for _, p := range c.Ports {
		flag := map[string]string{"http": "addr", "admin": "admin-addr"}[p.Name]
		if _, port, err := net.SplitHostPort(config[flag].value); err != nil || port != strconv.Itoa(p.ContainerPort) {
			t.Errorf("port %s is %d, but --%s is %s", p.Name, p.ContainerPort, flag, config[flag].value)
		}
	}
	for path, probes := range map[string][]struct{ Path, Port string }{
		"/healthz": {c.StartupProbe.HTTPGet, c.LivenessProbe.HTTPGet}, "/readyz": {c.ReadinessProbe.HTTPGet},
	} {
		for _, probe := range probes {
			if probe.Path != path || probe.Port != "admin" {
				t.Errorf("got probe %+v, want %s on the admin port", probe, path)
			}
		}
	}
	grace := time.Duration(pod.TerminationGracePeriodSeconds) * time.Second
	if delays := config.duration(t, "drain-delay") + config.duration(t, "drain"); grace < delays+time.Second {
		t.Errorf("got a grace period of %v, want more than a second above --drain-delay and --drain, %v", grace, delays)
	}
	if user := fmt.Sprintf("\nUSER %d:%d\n", pod.SecurityContext.RunAsUser, pod.SecurityContext.RunAsGroup); !strings.Contains(readFile(t, "Dockerfile"), user) {
		t.Errorf("the Dockerfile lacks %q", user)
	}
	if len(c.VolumeMounts) != 1 || c.VolumeMounts[0].MountPath != config["cache"].value {
		t.Errorf("got mounts %+v, want one for --cache, %s", c.VolumeMounts, config["cache"].value)
	}
	if len(pod.Volumes) != 1 || pod.Volumes[0].Name != c.VolumeMounts[0].Name || pod.Volumes[0].EmptyDir == nil {
		t.Errorf("got volumes %+v, want an empty one for the cache", pod.Volumes)
	}
	if limit, soft := c.Resources.Limits["memory"], m.find("ConfigMap").Data["GOMEMLIMIT"]; limit != "1Gi" || soft != "900MiB" {
		t.Errorf("got a memory limit of %s and GOMEMLIMIT=%s, want 1Gi and 900MiB", limit, soft)
	}
}

// TestKubernetesJobPublishes runs the command of the job with a tree of this repository.
func TestKubernetesJobPublishes(t *testing.T) {
	begin(t)
	m := readManifests(t)
	var job deployment
	m.spec("Job", &job)
	c := job.Template.Spec.Containers[0]
	// The kustomization appends a hash to the name of the map.
	server := m.container().EnvFrom
	if c.Image != "placard" || len(c.EnvFrom) != 2 || !strings.HasPrefix(server[0].ConfigMapRef.Name, c.EnvFrom[0].ConfigMapRef.Name+"-") || c.EnvFrom[1] != server[1] {
		t.Errorf("got image %s with variables from %+v, want those of the server", c.Image, c.EnvFrom)
	}
	for key, value := range m.deployment.Selector.MatchLabels {
		if job.Template.Metadata.Labels[key] == value {
			t.Errorf("the pod of the job has the label %s=%s of the servers", key, value)
		}
	}
	if len(c.Args) < 2 || !strings.HasPrefix(c.Args[1], c.VolumeMounts[0].MountPath+"/") {
		t.Fatalf("got the arguments %q, want a folder in %s", c.Args, c.VolumeMounts[0].MountPath)
	}
	c.Args[1] = root + "/builtin/tree"
	store := t.TempDir() + "/store"
	output := run(t, append(m.environment(), "PLACARD_STORE="+store), placard(t), c.Args...)
	if !strings.Contains(output, "published  place@2026-06-01-stable") {
		t.Errorf("got the output %q", output)
	}
}
