package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
)

// probeSocket is the environment variable with the path of a socket on which the
// process serves its allocation counts and profiles.
//
// This file is part of two programs: the benchmark, and the build of Placard
// whose allocations and CPU time are profiled, to which it is added with an
// overlay. It must use only the standard library, and must do nothing unless the
// variable is set.
const probeSocket = "PLACARD_BENCH_PROBE"

// probeAllocations is the environment variable that makes the process profile
// every allocation instead of a sample, which is slow.
const probeAllocations = "PLACARD_BENCH_ALLOCATIONS"

func init() {
	if os.Getenv(probeAllocations) != "" {
		runtime.MemProfileRate = 1
	}
	if name := os.Getenv(probeSocket); name != "" {
		l, err := net.Listen("unix", name)
		if err != nil {
			panic(err)
		}
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				go serveProbe(conn)
			}
		}()
	}
}

// serveProbe replies to each line with one line.
func serveProbe(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		command, file, _ := strings.Cut(lines.Text(), " ")
		reply := "done"
		switch command {
		case "allocations":
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			reply = fmt.Sprint(m.Mallocs, m.TotalAlloc)
		case "record":
			runtime.GC() // the profile contains allocations up to the last collection
			if err := create(file, func(f *os.File) error { return pprof.Lookup("allocs").WriteTo(f, 0) }); err != nil {
				reply = err.Error()
			}
		case "profile":
			if err := create(file, func(f *os.File) error { return pprof.StartCPUProfile(f) }); err != nil {
				reply = err.Error()
			}
		case "finish":
			pprof.StopCPUProfile()
		}
		if _, err := fmt.Fprintln(conn, reply); err != nil {
			return
		}
	}
}

// create leaves the file open, because a CPU profile is written until it is
// stopped.
func create(name string, write func(*os.File) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return write(f)
}
