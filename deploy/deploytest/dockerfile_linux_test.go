//go:build long

package deploytest

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

type image struct {
	Stages []struct {
		Name, Base string
		Commands   []struct {
			Name, Target, From string
			Args               []string
			Pairs              map[string]string
		}
	}
	Context []string
}

// TestImageRuns executes the Dockerfile without a container engine: it builds the
// program from the build context, copies the files of the last stage into an empty
// folder, and runs the program with that folder as its root.
func TestImageRuns(t *testing.T) {
	begin(t)
	var image image
	parse(t, &image, nil, "dockerfile", deploy+"/Dockerfile", root)
	if len(image.Stages) != 2 {
		t.Fatalf("got %d stages, want 2", len(image.Stages))
	}
	for _, stage := range image.Stages {
		if stage.Base != "scratch" && !regexp.MustCompile(`^\w+:\d+\.\d+\.\d+-\w+$`).MatchString(stage.Base) {
			t.Errorf("got base image %s, want an exact version", stage.Base)
		}
	}
	source := buildStage(t, image)

	final, rootfs := image.Stages[1], t.TempDir()
	var user, entrypoint, command, health []string
	var env []string
	for _, c := range final.Commands {
		switch c.Name {
		case "COPY":
			if c.From != image.Stages[0].Name {
				t.Fatalf("COPY from %q, want the stage %q", c.From, image.Stages[0].Name)
			}
			for _, name := range c.Args {
				copyIntoImage(t, rootfs, strings.Replace(name, "/src/", source+"/", 1), c.Target)
			}
		case "ENV":
			for name, value := range c.Pairs {
				env = append(env, name+"="+value)
			}
		case "USER":
			user = strings.Split(c.Args[0], ":")
		case "ENTRYPOINT":
			entrypoint = c.Args
		case "CMD":
			command = c.Args
		case "HEALTHCHECK":
			health = c.Args
		}
	}
	checkStatic(t, filepath.Join(rootfs, entrypoint[0]))
	if !slices.Contains(env, "PLACARD_ADDR=:8080") || !slices.Equal(command, []string{"serve"}) {
		t.Errorf("got environment %q and command %q, want a server on all addresses", env, command)
	}
	if len(health) < 2 || health[0] != "CMD" || health[1] != entrypoint[0] {
		t.Fatalf("got health check %q, want one without a shell", health)
	}
	var ids []uint32
	for _, id := range user {
		n, err := strconv.ParseUint(id, 10, 32)
		if err != nil || n == 0 {
			t.Fatalf("got user %q, want numbers other than 0", user)
		}
		ids = append(ids, uint32(n))
	}
	inImage := func(args, env []string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Env = env
		confine(t, cmd, rootfs, ids[0], ids[1])
		return cmd
	}
	// Ports are free ones, because the test shares the network of the machine.
	serveEnv := []string{"PLACARD_ADDR=127.0.0.1:0", "PLACARD_ADMIN_ADDR=127.0.0.1:0"}
	n := startNode(t, inImage(append(entrypoint, command...), serveEnv))
	if output, err := inImage(health[1:], []string{"PLACARD_ADDR=" + n.addr}).CombinedOutput(); err != nil {
		t.Errorf("health check: %v\n%s", err, output)
	}
	if status := n.stop(t); status != 0 {
		t.Errorf("got exit status %d, want 0", status)
	}
	if err := inImage(health[1:], []string{"PLACARD_ADDR=" + n.addr}).Run(); err == nil {
		t.Error("health check of a stopped server: got success, want a failure")
	}
}

// buildStage runs the commands of the first stage on a copy of the build context,
// and returns the folder of the copy.
func buildStage(t *testing.T, image image) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range image.Context {
		target := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		copyFile(t, filepath.Join(root, filepath.FromSlash(name)), target)
	}
	for _, name := range []string{"go.mod", "go.sum", "Makefile", "cmd/placard/main.go"} {
		if !slices.Contains(image.Context, name) {
			t.Errorf("the build context lacks %s", name)
		}
	}
	for _, c := range image.Stages[0].Commands {
		if c.Name == "WORKDIR" && !slices.Equal(c.Args, []string{"/src"}) {
			t.Fatalf("got working folder %q, want /src", c.Args)
		}
		if c.Name != "RUN" {
			continue
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", c.Args[0])
		cmd.Dir = dir
		// The builder sets the platform. GOFLAGS of the machine must not have an effect.
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOTOOLCHAIN=local", "VERSION=1.2.3-test", "TARGETOS=linux", "TARGETARCH="+goarch(t))
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", c.Args[0], err, output)
		}
	}
	if output := run(t, nil, dir+"/bin/placard", "version"); !strings.HasPrefix(output, "placard 1.2.3-test ") {
		t.Errorf("got %q, want the version of the build argument", output)
	}
	return dir
}

func goarch(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(run(t, nil, "go", "env", "GOARCH"))
}

// copyIntoImage copies a file, or the content of a folder, to a path in an image. A
// path that ends in a slash is a folder.
func copyIntoImage(t *testing.T, rootfs, from, to string) {
	t.Helper()
	target := filepath.Join(rootfs, to)
	if strings.HasSuffix(to, "/") {
		target = filepath.Join(target, filepath.Base(from))
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(from, "/") {
		if err := os.CopyFS(filepath.Dir(target), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		return
	}
	copyFile(t, from, target)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, info.Mode()); err != nil {
		t.Fatal(err)
	}
}

// checkStatic checks that a program needs no dynamic linker, which the image lacks.
func checkStatic(t *testing.T, program string) {
	t.Helper()
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, section := range f.Progs {
		if section.Type == elf.PT_INTERP {
			t.Error("the program is dynamically linked")
		}
	}
}

// confine makes a command run in a folder that it cannot leave or write to, as a
// user without privileges. Root changes the root folder and the user; other users
// need a user namespace for it.
func confine(t *testing.T, cmd *exec.Cmd, rootfs string, uid, gid uint32) {
	t.Helper()
	if err := filepath.WalkDir(rootfs, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chmod(name, 0o555)
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // t.TempDir deletes the folders
		_ = filepath.WalkDir(rootfs, func(name string, _ os.DirEntry, err error) error { return os.Chmod(name, 0o755) })
	})
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: rootfs}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
		return
	}
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: int(uid), HostID: os.Getuid(), Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: int(gid), HostID: os.Getgid(), Size: 1}}
}
