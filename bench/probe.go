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

// probeSocket names the environment variable with the socket on which a
// process tells about itself.
//
// This file is part of two programs. The benchmark is built with it, and so is
// the Placard whose allocations are counted and whose time is profiled: the
// file is laid over its folder at build time. It must use nothing but the
// standard library and must change nothing unless the variable is set.
const probeSocket = "PLACARD_BENCH_PROBE"

// probeAllocations names the variable that has every allocation recorded with
// its place, and not some. That takes much time.
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

// serveProbe answers each line with a line.
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
			runtime.GC() // what was allocated before it is in the profile
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

// create leaves the file open: a CPU profile is written until it is finished.
func create(name string, write func(*os.File) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return write(f)
}
