package server

import (
	"io"
	"net/http"
	"net/http/pprof"
	"runtime/debug"

	"github.com/go-json-experiment/json"
)

// adminHandler returns the handler of the admin address: a list of its endpoints, health, build info,
// metrics, and profiles if Pprof is set.
func (s *handler) adminHandler() http.Handler {
	mux := http.NewServeMux()
	endpoints := "/healthz\n/readyz\n/buildinfo\n"
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, endpoints) })
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { s.health(w, r, false) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) { s.health(w, r, true) })
	mux.HandleFunc("GET /buildinfo", s.buildInfo)
	if s.Metrics != nil {
		mux.Handle("GET /metrics", s.Metrics)
		endpoints += "/metrics\n"
	}
	if s.Pprof {
		endpoints += "/debug/pprof/\n"
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return mux
}

// buildInfo writes the version of the program, its build settings and its
// dependencies.
func (s *handler) buildInfo(w http.ResponseWriter, _ *http.Request) {
	type module struct {
		Path    string `json:"path"`
		Version string `json:"version"`
	}
	response := struct {
		Version string            `json:"version"`
		Go      string            `json:"go"`
		Build   map[string]string `json:"build"`
		Modules []module          `json:"modules"`
	}{Version: s.Version, Build: make(map[string]string)}
	if info, ok := debug.ReadBuildInfo(); ok {
		response.Go = info.GoVersion
		for _, setting := range info.Settings {
			response.Build[setting.Key] = setting.Value
		}
		for _, m := range info.Deps {
			response.Modules = append(response.Modules, module{m.Path, m.Version})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.MarshalWrite(w, response, json.Deterministic(true))
}
