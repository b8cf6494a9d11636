# Plain `make` prints this help. Nothing but Go is needed: tools are pinned in go.mod.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -o pipefail -c
# With -trimpath what one clone compiled is not compiled again in another.
export GOFLAGS := -trimpath $(GOFLAGS)
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
PARITY := core/parity
CASES ?= 50000
SEED ?= 1
ROW ?= .
HOURS ?= 1000
MINUTES ?= 10
RATE ?= 200
TARGET ?= .
PKG ?= ./...
RELEASE_URL ?= https://example.com/orrery/$(VERSION)
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null)

.PHONY: help demo build test test-all check fmt lint release image bench soak soak-live fuzz fuzz-doc limits-doc parity parity-doc features-doc dependencies-doc vulncheck traces pictures demo-cluster bench-cluster bench-scale bench-attach clean

help: ## print this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## watch the scheduler at work on an embedded scenario
	@echo "Next: a recorded morning on the whole terminal. space pauses, ? shows the keys, q quits."
	@bin/orrery demo

build: ## build ./bin/orrery, stripped; VERSION=v1.2.3 stamps a release
	@[ -x bin/orrery ] || echo "The first build compiles some 1,400 packages and takes minutes; later ones take seconds."
	@go build -v -ldflags "-s -w -X orrery/cmd/app.release=$(VERSION)" -o bin/orrery ./cmd/orrery 2>&1 | awk '$(PROGRESS)'
	@ls -lh bin/orrery | awk '{print "Built bin/orrery, " $$5 "."}'

# PROGRESS counts the packages that go build -v names, and passes every other line on.
PROGRESS = /^[a-z][a-zA-Z0-9.\/_-]*$$/ {if (++n % 50 == 0) {print "  compiled " n " packages"; fflush()}; next} {print}

test: ## the tests of every package, and the comparisons with upstream that need no API server
	cd $(PARITY) && go run ./runtests -packages '$(PKG)'

test-all: ## every test: with the race detector where goroutines run, and the comparisons on a real API server
	cd $(PARITY) && go run ./runtests -all -packages '$(PKG)'

# In "make check test-all" the unit tests run once, in test-all.
check: ## the quick loop: format, modules, vet, staticcheck, unit tests; and that it compiles for macOS and Windows
	@bad=$$(go tool gofumpt -l .); [ -z "$$bad" ] || { echo "not formatted (make fmt mends it):"; echo "$$bad"; exit 1; }
	go mod verify
	go vet ./...
	go tool staticcheck ./...
	cd cmd/release && go vet ./...
	@$(RELEASER) check
	$(if $(filter test test-all,$(MAKECMDGOALS)),,go test ./...)

fmt: ## format every file
	go tool gofumpt -w .

lint: ## vet and staticcheck in each module
	go vet ./... && go tool staticcheck ./...
	cd $(PARITY) && go vet ./... && go tool staticcheck ./...
	cd cmd/release && go vet ./... && go tool staticcheck ./...

# GOVULNDB may name a copy of the database.
vulncheck: ## known vulnerabilities in what is used; skipped where their database cannot be reached
	@if [ -n "$$GOVULNDB" ] || timeout 5 bash -c '</dev/tcp/vuln.go.dev/443' 2>/dev/null; then go tool govulncheck ./cmd/orrery; \
	else echo "SKIPPED: the database of vulnerabilities, vuln.go.dev, cannot be reached, and GOVULNDB names no copy"; fi

release: ## archives for six platforms in dist/VERSION, with sums, SBOMs and a krew manifest: VERSION=v1.2.3
	@echo "The first one compiles every package for six platforms and takes an hour on two cores; later ones take minutes."
	@$(RELEASER) -version '$(VERSION)' -url '$(RELEASE_URL)' archives

image: ## an OCI archive in dist, of an image for amd64 and arm64, in ten minutes: VERSION=v1.2.3
	@$(RELEASER) -version '$(VERSION)' image

# The same commit gives the same bytes: files have its time.
RELEASER = (cd cmd/release && go build -o ../../bin/release .) && SOURCE_DATE_EPOCH='$(SOURCE_DATE_EPOCH)' bin/release

bench: ## upstream and Orrery side by side; ROW=regexp for some rows, PROFILE=file for a CPU profile
	cd $(PARITY) && go run ./bench -row '$(ROW)' $(if $(PROFILE),-profile '$(abspath $(PROFILE))') $(if $(filter .,$(ROW)),-out ../../docs/benchmarks.md)

bench-scale: ## time and memory with up to 100,000 nodes and 1,000,000 pods: docs/scale.md
	go run ./docs/scale

demo-cluster: ## a real API server with fake nodes, left running for orrery console and orrery run
	cd $(PARITY) && go run ./democluster

bench-cluster: ## upstream and Orrery against a real API server, run alternately
	cd $(PARITY) && go run ./benchcluster -out ../../docs/benchmarks-cluster.md

bench-attach: ## what readers and recordings on disk take of orrery run, with 100,000 pods; ROW=regexp for some
	cd $(PARITY) && go test ./benchattach -run none -bench '$(ROW)' -benchtime 1x -timeout 2h

soak: ## virtual hours of hostile operation, HOURS of them from SEED; PLAN=file for one plan
	go run ./core/testing/soak/command $(if $(PLAN),-plan '$(PLAN)',-hours $(HOURS) -seed $(SEED))

soak-live: ## two replicas and a console on a real API server, through faults, for MINUTES; RATE pods per second come and go
	cd $(PARITY) && go run ./soaklive -minutes $(MINUTES) -rate $(RATE) -seed $(SEED)

fuzz: ## look for inputs that break a fuzz target, for MINUTES in all; TARGET=regexp for some targets
	go run ./core/testing/fuzz/command -minutes $(MINUTES) -targets '$(TARGET)'

fuzz-doc: ## write the list of fuzz targets in docs/fuzzing.md anew
	go run ./core/testing/fuzz/command -document docs/fuzzing.md

parity: ## compare with upstream over CASES generated cases from SEED
	cd $(PARITY) && ORRERY_CASES=$(CASES) ORRERY_SEED=$(SEED) go test -count=1 -timeout 0 -v ./...

parity-doc: ## write docs/parity.md anew from the comparisons
	cd $(PARITY) && go run ./document

limits-doc: ## write docs/limits.md anew from the constants that are marked as limits
	go run ./docs/limits

features-doc: ## write docs/features.md anew from its rows and the tests that show them
	go run ./docs/features

dependencies-doc: ## write docs/dependencies.md anew: the modules that are used, with their licences
	cd cmd/release && go run ./dependencies

traces: ## record the embedded traces anew from demo/scenarios; some on a real API server, in ten minutes
	go run ./demo/record
	cd $(PARITY) && go run ./demorecord

pictures: ## render the README's pictures anew from the embedded traces
	go run ./docs/pictures

clean: ## remove what was built
	rm -rf bin dist
