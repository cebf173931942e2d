package main

import (
	"fmt"
	"net"
	"os"
	"runtime"
)

// probeSocket is the environment variable with the path of a socket on which the
// process reports how many objects it has allocated.
//
// This file is part of two programs: the benchmark, which is also the bare
// handler, and the build of Placard that is measured, to which it is added with an
// overlay. It must use only the standard library, and must do nothing unless the
// variable is set.
const probeSocket = "PLACARD_BENCH_PROBE"

func init() {
	name := os.Getenv(probeSocket)
	if name == "" {
		return
	}
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
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			_, _ = fmt.Fprint(conn, m.Mallocs)
			conn.Close()
		}
	}()
}
