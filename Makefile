SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run build test check format generate fuzz bench bench-check clean

# How long each fuzz target runs.
FUZZTIME ?= 60s
# What else "make run" passes to "placard serve", and "make bench" to ./bench.
ARGS ?=

version = $(shell git describe --tags --always --dirty 2>/dev/null)
tool = go tool -modfile=tools/go.mod

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## build, and serve the built-in taxonomy (ARGS="--addr :9000" for more flags)
	@exec bin/placard serve $(ARGS)

build: ## build bin/placard
	@CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-X main.version=$(version)' -o bin/placard ./cmd/placard

test: ## install what the tests need, then run the checks and all tests
	@scripts/setup
	@scripts/setup-npm
	@$(MAKE) --no-print-directory check
	go test -race -timeout 15m ./...
	@# The race detector makes pools forget, so what is allocated is counted without it.
	go test -run Allocat ./httpapi

check: ## formatting, go vet and staticcheck
	@unformatted=$$($(tool) gofumpt -l *.go */); \
	if [ -n "$$unformatted" ]; then \
		printf 'Not formatted (run "make format"):\n%s\n' "$$unformatted" >&2; \
		exit 1; \
	fi
	@go vet ./...
	@$(tool) staticcheck ./...

format: ## format every Go file
	@$(tool) gofumpt -w *.go */

generate: ## make generated files anew
	@go generate ./...

fuzz: ## run every fuzz target for FUZZTIME, one after the other
	@scripts/fuzz $(FUZZTIME)

bench: ## measure speed against a bare handler, in some ten minutes (ARGS="-quick -only element" to try)
	@scripts/setup wrk
	@mkdir -p bin
	@go run ./bench -out bin/bench.json $(ARGS)

bench-check: ## fail where allocations or CPU time are worse than bench/baseline.json
	@scripts/setup wrk
	@go run ./bench -check bench/baseline.json $(ARGS)

clean: ## remove what was built
	@rm -rf bin
