# Plain `make` prints this help. Nothing but Go is needed: tools are pinned in go.mod.
.DEFAULT_GOAL := help
PARITY := core/parity
CASES ?= 50000
SEED ?= 1
ROW ?= .
PKG ?= ./...

.PHONY: help demo build test check fmt lint bench parity traces pictures demo-cluster bench-cluster clean

help: ## print this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## watch the scheduler at work on an embedded scenario
	@go run ./cmd/orrery demo

build: ## build ./bin/orrery
	go build -o bin/orrery ./cmd/orrery

test: ## run every test, the comparison with upstream Kubernetes included
	go test $(PKG)
	go test -race -shuffle=on $(PKG)
	cd $(PARITY) && go test -timeout 40m $(PKG)

check: ## the quick loop: format, vet, staticcheck, unit tests
	@bad=$$(go tool gofumpt -l .); [ -z "$$bad" ] || { echo "not formatted (make fmt mends it):"; echo "$$bad"; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	go test ./...

fmt: ## format every file
	go tool gofumpt -w .

lint: ## vet and staticcheck in both modules
	go vet ./... && go tool staticcheck ./...
	cd $(PARITY) && go vet ./... && go tool staticcheck ./...

bench: ## upstream and Orrery side by side; ROW=regexp for some rows, PROFILE=file for a CPU profile
	cd $(PARITY) && go run ./bench -row '$(ROW)' $(if $(PROFILE),-profile '$(abspath $(PROFILE))') $(if $(filter .,$(ROW)),-out ../../docs/benchmarks.md)

demo-cluster: ## a real API server with fake nodes, left running for orrery console and orrery run
	cd $(PARITY) && go run ./democluster

bench-cluster: ## upstream and Orrery against a real API server, run alternately
	cd $(PARITY) && go run ./benchcluster -out ../../docs/benchmarks-cluster.md

parity: ## compare with upstream over CASES generated cases from SEED
	cd $(PARITY) && ORRERY_CASES=$(CASES) ORRERY_SEED=$(SEED) go test -count=1 -timeout 0 -v ./...

traces: ## record the embedded traces anew from demo/scenarios; some on a real API server, in ten minutes
	go run ./demo/record
	cd $(PARITY) && go run ./demorecord

pictures: ## render the README's pictures anew from the embedded traces
	go run ./docs/pictures

clean: ## remove what was built
	rm -rf bin
