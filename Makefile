SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run build test test-all check format generate fuzz torture bench bench-check clean

# Time for each fuzz target.
FUZZTIME ?= 60s
# Time for each of the two loads of "make torture".
TORTURE_TIME ?= 60s
# Additional arguments for "placard serve" (make run) or for ./bench (make bench).
ARGS ?=

version = $(shell git describe --tags --always --dirty 2>/dev/null)
# Packages whose goroutines share memory. Their tests run with the race detector, and only with it.
concurrent = $(addprefix placard/internal/,serve/budget serve/lru serve/ratelimit serve/server storage/catalog)
# Packages whose tests run with the race detector as well, in "make test-all".
concurrent_all = $(addprefix placard/internal/,core/taxonomy serve/compress serve/redisdb serve/requestbody storage/store storage/store/s3store)
# Tests of other packages that do.
concurrent_tests = Concurrent|Interrupt|Load|MCP|Pool|Progress|Serve|SameTime|Stream|Torture|Watch|While
# "make check" vets the tests.
gotest = go test -vet=off -timeout 1h
tool = go tool -modfile=scripts/tools/go.mod

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## build, and serve the built-in taxonomy (ARGS="--addr :9000" for more flags)
	@exec bin/placard serve $(ARGS)

# Stack traces and profiles do not need the symbols that -s and -w omit, a quarter of the file. Debuggers do.
build: ## build bin/placard
	@CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(version)' -o bin/placard ./cmd/placard

test: export PLACARD_REQUIRE_ALL = 1
test: ## install missing tools, then run the checks and tests that a change must pass
	@scripts/setup
	@scripts/setup-npm
	@scripts/setup-s3
	@$(MAKE) --no-print-directory check
	@plain=$$(go list ./... | grep -vxF "$$(printf '%s\n' $(concurrent))"); \
	set -x; $(gotest) $$plain
	$(gotest) -race $(concurrent)

test-all: export PLACARD_REQUIRE_ALL = 1
test-all: test ## "make test", and everything that takes long: all cases, more programs, fuzzing, torture
	@scripts/setup all
	$(gotest) -tags long ./...
	$(gotest) -tags long -race $(concurrent) $(concurrent_all)
	$(gotest) -tags long -race -run '$(concurrent_tests)' ./...
	@unused=$$($(tool) deadcode -tags long -test ./...); \
	if [ -n "$$unused" ]; then \
		printf 'Unreachable code:\n%s\n' "$$unused" >&2; \
		exit 1; \
	fi
	GOOS=js GOARCH=wasm go build ./internal/core/... ./internal/show/...
	@cd deploy/deploytest/testdata/parse && go mod tidy -diff && go vet .
	@$(MAKE) --no-print-directory fuzz FUZZTIME=10s
	@$(MAKE) --no-print-directory torture

check: ## formatting, go vet, staticcheck and go.mod
	@unformatted=$$($(tool) gofumpt -l *.go */); \
	if [ -n "$$unformatted" ]; then \
		printf 'Not formatted (run "make format"):\n%s\n' "$$unformatted" >&2; \
		exit 1; \
	fi
	@go vet -tags long ./...
	@$(tool) staticcheck -tags long ./...
	@go mod tidy -diff
	@cd scripts/tools && go mod tidy -diff

format: ## format every Go file
	@$(tool) gofumpt -w *.go */

generate: ## regenerate all generated files
	@go generate ./...

fuzz: ## run each fuzz target for FUZZTIME
	@scripts/fuzz $(FUZZTIME)

torture: ## compare responses under a mixed load for TORTURE_TIME, then again with the race detector
	go test -count=1 -timeout 1h -v -run '^TestTorture$$' ./cmd/placard -torture $(TORTURE_TIME)
	go test -race -count=1 -timeout 1h -v -run '^TestTorture$$' ./cmd/placard -torture $(TORTURE_TIME)

bench: ## compare performance with a bare handler, in about ten minutes (ARGS="-quick -only element" to try)
	@scripts/setup wrk
	@mkdir -p bin
	@go run ./bench -out bin/bench.json $(ARGS)

bench-check: ## fail if allocations or CPU time are worse than bench/baseline.json
	@scripts/setup wrk
	@go run ./bench -check bench/baseline.json $(ARGS)

clean: ## remove build output
	@rm -rf bin
