package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// maxTestMemory is more than any command needs for the built-in tree or for a
// document of the maximum size.
const maxTestMemory = 768 << 20

// specialFiles are files that are endless, huge, not regular, or block in open.
var specialFiles = []struct {
	name   string
	create func(name string) error
}{
	{"link to an endless device", func(name string) error { return os.Symlink("/dev/zero", name) }},
	{"FIFO", func(name string) error { return syscall.Mkfifo(name, 0o644) }},
	{"link to a FIFO", func(name string) error {
		fifo := filepath.Join(filepath.Dir(name), ".fifo")
		if err := syscall.Mkfifo(fifo, 0o644); err != nil && !os.IsExist(err) {
			return err
		}
		return os.Symlink(".fifo", name)
	}},
	{"sparse file of 30 GB", func(name string) error {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			return err
		}
		return os.Truncate(name, 30<<30)
	}},
	{"folder", func(name string) error { return os.Mkdir(name, 0o755) }},
	{"link to itself", func(name string) error { return os.Symlink(filepath.Base(name), name) }},
}

// replaceFile replaces a file with a special file.
func replaceFile(t *testing.T, name string, create func(name string) error) {
	t.Helper()
	if err := os.RemoveAll(name); err != nil {
		t.Fatal(err)
	}
	if err := create(name); err != nil {
		t.Fatal(err)
	}
}

func TestSpecialFilesInATreeAreReported(t *testing.T) {
	const folder = "place/2026-10-19-beta"
	for _, file := range []string{"meta.yaml", "datachain-type.yaml", "categories/sensing.yaml", "elements/radar.yaml", "symbols/radar.svg"} {
		for _, special := range specialFiles {
			t.Run(special.name+" as "+file, func(t *testing.T) {
				t.Parallel()
				dir := copyTree(t)
				replaceFile(t, filepath.Join(dir, folder, file), special.create)
				commands := [][]string{{"check", dir}}
				if file == "elements/radar.yaml" {
					commands = append(commands,
						[]string{"check", dir, "--format", "json"},
						[]string{"build", dir, "--out", t.TempDir()},
						[]string{"publish", dir, "--store", t.TempDir()})
				}
				for _, args := range commands {
					p := runProcess(t, args...)
					if status := p.wait(); status != exitFailure {
						t.Errorf("%s: exit status = %d, want %d\n%s", args[0], status, exitFailure, &p.stderr)
					}
					output := p.stdout.String() + p.stderr.String()
					if !strings.Contains(output, file) || !strings.Contains(output, "FILE_UNREADABLE") && !strings.Contains(output, "FILE_TOO_LARGE") {
						t.Errorf("%s: got %.2000s, want a finding about %s", args[0], output, file)
					}
					if peak := p.peakMemory(); peak > maxTestMemory {
						t.Errorf("%s: peak memory = %d MiB, want at most %d MiB", args[0], peak>>20, maxTestMemory>>20)
					}
				}
			})
		}
	}
}

func TestSpecialFilesDoNotStopSchemas(t *testing.T) {
	const folder = "place/2026-10-19-beta"
	for _, file := range []string{"elements/radar.yaml", ".schema/element.json"} {
		for _, special := range specialFiles {
			t.Run(special.name+" as "+file, func(t *testing.T) {
				t.Parallel()
				dir := copyTree(t)
				if p := runProcess(t, "schema", "--write", dir); p.wait() != exitOK {
					t.Fatalf("schema: %s", &p.stderr)
				}
				replaceFile(t, filepath.Join(dir, folder, file), special.create)
				p := runProcess(t, "schema", "--write", dir)
				// A special file in place of a schema is an error, unless it can be replaced.
				if status := p.wait(); status != exitOK && (status != exitFailure || file == "elements/radar.yaml") {
					t.Errorf("got exit status %d and %.2000q", status, &p.stderr)
				}
				if peak := p.peakMemory(); peak > maxTestMemory {
					t.Errorf("peak memory = %d MiB, want at most %d MiB", peak>>20, maxTestMemory>>20)
				}
			})
		}
	}
}

func TestSpecialFilesInATreeDoNotStopTheServer(t *testing.T) {
	t.Parallel()
	for _, special := range specialFiles {
		t.Run(special.name, func(t *testing.T) {
			dir := copyTree(t)
			replaceFile(t, filepath.Join(dir, "place/2026-10-19-beta/elements/radar.yaml"), special.create)
			d := start(t, "--source", dir)
			d.ready()
			if status, body := d.get("/api/v2/schemas/" + stable + "/manifest"); status != 200 {
				t.Errorf("the other release: got %d %s, want 200", status, body)
			}
			if status := d.stop(); status != 0 {
				t.Errorf("exit status = %d, want 0\n%s", status, d.logs)
			}
		})
	}
}

func TestDocumentsAreReadUpToALimit(t *testing.T) {
	sparse := filepath.Join(t.TempDir(), "sparse.json")
	if err := os.WriteFile(sparse, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(sparse, 30<<30); err != nil {
		t.Fatal(err)
	}
	zero, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer zero.Close()
	for _, command := range []string{"validate", "resolve", "render"} {
		for _, file := range []string{"/dev/zero", sparse, "-"} {
			p := newProcess(t, command, file)
			p.cmd.Stdin = zero
			p.start()
			if status := p.wait(); status != exitUsage || !strings.Contains(p.stderr.String(), "larger than") {
				t.Errorf("%s %s: got status %d and %.300q, want %d and an error about the size", command, file, status, &p.stderr, exitUsage)
			}
			if peak := p.peakMemory(); peak > maxTestMemory {
				t.Errorf("%s %s: peak memory = %d MiB, want at most %d MiB", command, file, peak>>20, maxTestMemory>>20)
			}
		}
	}
}

func TestDocumentIsReadFromAPipe(t *testing.T) {
	document, err := os.ReadFile(builtinTree + "/place/2026-06-01-stable/examples/river_watch.json")
	if err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	p := newProcess(t, "validate", fifo)
	p.start()
	w := p.openWriter(fifo)
	if _, err := w.Write(document); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if status := p.wait(); status != exitOK {
		t.Errorf("exit status = %d, want 0\n%s%s", status, &p.stdout, &p.stderr)
	}
}

func TestVeryLongLinesAreNotExcerpted(t *testing.T) {
	dir := copyTree(t)
	file := filepath.Join(dir, "place/2026-10-19-beta/elements/radar.yaml")
	var line strings.Builder
	line.WriteString("{id: radar")
	for i := range 60_000 {
		fmt.Fprintf(&line, ", field_%d: x", i)
	}
	line.WriteString("}\n")
	if err := os.WriteFile(file, []byte(line.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	p := runProcess(t, "check", dir)
	if status, out := p.wait(), p.stdout.String(); status != exitFailure || !strings.Contains(out, "FIELD_UNKNOWN") || strings.Contains(out, "| {id: radar") {
		t.Errorf("got status %d and %.300q, want %d and FIELD_UNKNOWN without an excerpt", status, out, exitFailure)
	}
}

func TestSpecialFilesInAStoreAreReportedAndRepaired(t *testing.T) {
	tree := filepath.Join(builtinTree, "place/2026-06-01-stable")
	for _, file := range []string{"release.json", "content.json"} {
		for _, special := range specialFiles {
			t.Run(special.name+" as "+file, func(t *testing.T) {
				t.Parallel()
				store := t.TempDir()
				if p := runProcess(t, "publish", tree, "--store", store); p.wait() != exitOK {
					t.Fatalf("publish: %s", &p.stderr)
				}
				found, err := filepath.Glob(filepath.Join(store, "releases/place/2026-06-01-stable/*"))
				if err != nil || len(found) != 1 {
					t.Fatalf("got folders %v (%v), want one", found, err)
				}
				replaceFile(t, filepath.Join(found[0], file), special.create)
				document := builtinTree + "/place/2026-06-01-stable/examples/river_watch.json"
				if p := runProcess(t, "validate", document, "--store", store); p.wait() != exitFailure {
					t.Errorf("validate with the damaged store: exit status = %d, want %d\n%s%s", p.wait(), exitFailure, &p.stdout, &p.stderr)
				}
				if p := runProcess(t, "publish", tree, "--store", store); p.wait() != exitOK {
					t.Errorf("second publish: exit status = %d, want 0\n%s", p.wait(), &p.stderr)
				}
				if p := runProcess(t, "validate", document, "--store", store); p.wait() != exitOK {
					t.Errorf("validate with the repaired store: exit status = %d, want 0\n%s%s", p.wait(), &p.stdout, &p.stderr)
				}
			})
		}
	}
}

func TestSpecialFileAsIndexIsReported(t *testing.T) {
	for _, special := range specialFiles {
		t.Run(special.name, func(t *testing.T) {
			store := t.TempDir()
			replaceFile(t, filepath.Join(store, "index.json"), special.create)
			for _, args := range [][]string{
				{"list", "--store", store},
				{"publish", filepath.Join(builtinTree, "place/2026-06-01-stable"), "--store", store},
			} {
				p := runProcess(t, args...)
				if status := p.wait(); status != exitFailure || !strings.Contains(p.stderr.String(), "index.json") {
					t.Errorf("%s: got status %d and %.300q, want %d and an error about index.json", args[0], status, &p.stderr, exitFailure)
				}
			}
		})
	}
}
