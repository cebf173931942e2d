package server_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"placard/internal/server"
)

func TestAJournalKeepsEveryLineAndTheOrderOfEachWriter(t *testing.T) {
	const writers, lines = 8, 2000
	out := new(logBuffer)
	j := server.NewJournal(out)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range lines {
				fmt.Fprintf(j, "%d %d\n", w, i)
			}
		})
	}
	wg.Wait()
	j.Close()
	fmt.Fprintf(j, "0 %d\n", lines) // whoever logs after the end is heard too
	j.Close()
	next := make([]int, writers)
	for line := range strings.Lines(out.String()) {
		var w, i int
		if _, err := fmt.Sscanf(line, "%d %d\n", &w, &i); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if i != next[w] {
			t.Fatalf("line %d of writer %d comes after %d lines", i, w, next[w])
		}
		next[w]++
	}
	for w, n := range next {
		if n < lines {
			t.Errorf("writer %d: %d lines of %d", w, n, lines)
		}
	}
}

func TestALineInAJournalWaitsOnlyALittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := new(logBuffer)
		j := server.NewJournal(out)
		defer j.Close()
		fmt.Fprintln(j, "one")
		if out.String() != "" {
			t.Error("the line was written on the path of who logs")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if out.String() != "one\n" {
			t.Errorf("after a second: %q", out)
		}
	})
}
