package server_test

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"placard/internal/serve/server"
)

func TestBatchWriterKeepsAllLinesInOrder(t *testing.T) {
	const writers, lines = 8, 2000
	out := new(logBuffer)
	b := server.NewBatchWriter(out)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range lines {
				fmt.Fprintf(b, "%d %d\n", w, i)
				if i%100 == 0 {
					b.Flush()
				}
			}
		})
	}
	wg.Wait()
	b.Close()
	fmt.Fprintf(b, "0 %d\n", lines) // lines after Close are written too
	b.Close()
	next := make([]int, writers)
	for line := range strings.Lines(out.String()) {
		var w, i int
		if _, err := fmt.Sscanf(line, "%d %d\n", &w, &i); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if i != next[w] {
			t.Fatalf("writer %d: got line %d, want %d", w, i, next[w])
		}
		next[w]++
	}
	for w, n := range next {
		if n < lines {
			t.Errorf("writer %d: got %d lines, want %d", w, n, lines)
		}
	}
}

func TestBatchWriterDelaysLinesBriefly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := new(logBuffer)
		b := server.NewBatchWriter(out)
		defer b.Close()
		fmt.Fprintln(b, "one")
		if out.String() != "" {
			t.Errorf("immediately: got %q, want nothing", out)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if out.String() != "one\n" {
			t.Errorf("after a second: got %q, want %q", out, "one\n")
		}
	})
}

func TestWarningsAreWrittenImmediately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, newLog := range map[string]func(*server.BatchWriter) *slog.Logger{
			"text":            func(b *server.BatchWriter) *slog.Logger { return slog.New(server.NewTextHandler(b, nil)) },
			"JSON":            func(b *server.BatchWriter) *slog.Logger { return slog.New(server.NewJSONHandler(b, nil)) },
			"with attributes": func(b *server.BatchWriter) *slog.Logger { return slog.New(server.NewTextHandler(b, nil)).With("a", 1) },
			"with a group": func(b *server.BatchWriter) *slog.Logger {
				return slog.New(server.NewTextHandler(b, nil)).WithGroup("g")
			},
		} {
			out := new(logBuffer)
			b := server.NewBatchWriter(out)
			log := newLog(b)
			log.Info("first")
			if out.String() != "" {
				t.Errorf("%s: got %q after Info, want nothing", name, out)
			}
			log.Warn("second")
			log.Error("third")
			for _, text := range []string{"first", "second", "third"} {
				if !strings.Contains(out.String(), text) {
					t.Errorf("%s: got %q after Error, want it to contain %q", name, out, text)
				}
			}
			b.Close()
		}
	})
}
