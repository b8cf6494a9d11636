# Plain `make` prints this help. Nothing but Go is needed: tools are pinned in go.mod.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -o pipefail -c
# With -trimpath what one clone compiled is not compiled again in another.
export GOFLAGS := -trimpath $(GOFLAGS)
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
# The same commit gives the same bytes: files of a release have its time.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null)
RELEASER = (cd cmd/release && go build -o ../../bin/release .) && bin/release -version '$(VERSION)' -home '$(or $(SOURCE_URL),https://example.com/orrery)' -key '$(SIGNING_KEY)'
IN_PARITY = cd core/parity && go run
# PROGRESS counts the packages that go build -v names, and passes every other line on.
PROGRESS = /^[a-z][a-zA-Z0-9.\/_-]*$$/ {if (++n % 50 == 0) {print "  compiled " n " packages"; fflush()}; next} {print}
.PHONY: help demo build test test-all check fmt lint vulncheck docs release image site bench bench-scale bench-cluster bench-attach demo-cluster soak soak-live fuzz parity planes release-report traces clean

help: ## print this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
demo: build ## watch the scheduler at work on an embedded scenario
	@echo "Next: a recorded morning on the whole terminal. space pauses, ? shows the keys, q quits."
	@bin/orrery demo
build: ## build ./bin/orrery, stripped; VERSION=v1.2.3 stamps a release
	@[ -x bin/orrery ] || echo "The first build compiles some 1,400 packages and takes minutes; later ones take seconds."
	@go build -v -ldflags "-s -w -X orrery/cmd/app.release=$(VERSION)" -o bin/orrery ./cmd/orrery 2>&1 | awk '$(PROGRESS)'
	@ls -lh bin/orrery | awk '{print "Built bin/orrery, " $$5 "."}'
test: ## the tests of every package, and the comparisons with upstream that need no API server; PKG=pattern for some
	$(IN_PARITY) ./runtests -packages '$(or $(PKG),./...)'
test-all: ## every test: with the race detector where goroutines run, and the comparisons on a real API server
	$(IN_PARITY) ./runtests -all -packages '$(or $(PKG),./...)'
check: ## the quick loop: format, modules, vet, staticcheck, unit tests; and that it compiles for macOS and Windows
	@bad=$$(go tool gofumpt -l .); [ -z "$$bad" ] || { echo "not formatted; run make fmt:"; echo "$$bad"; exit 1; }
	go mod verify && go vet ./... && go tool staticcheck ./... && (cd cmd/release && go vet ./...) && $(RELEASER) check
	$(if $(filter test test-all,$(MAKECMDGOALS)),,go test ./...)
fmt: ## format every file
	go tool gofumpt -w .
lint: ## vet and staticcheck in each module
	for module in . core/parity cmd/release; do (cd $$module && go vet ./... && go tool staticcheck ./...) || exit; done
vulncheck: ## known vulnerabilities in what is used; GOVULNDB may name a copy of the database; skipped without any
	@if [ -n "$$GOVULNDB" ] || timeout 5 bash -c '</dev/tcp/vuln.go.dev/443' 2>/dev/null; then go tool govulncheck ./cmd/orrery; \
	else echo "SKIPPED: the database of vulnerabilities, vuln.go.dev, cannot be reached, and GOVULNDB names no copy"; fi
docs: ## write what is generated anew: limits, releases, features, fuzz targets, pictures, commands, dependencies, parity, and the chart in cmd/deploy
	go run ./docs/limits && go run ./docs/releases && go run ./docs/features && go run ./core/testing/fuzz/command -document docs/fuzzing.md && go run ./docs/pictures && go run ./docs/commands && go run ./cmd/deploy
	(cd cmd/release && go run ./dependencies) && $(IN_PARITY) ./document
release: ## archives, packages, chart in dist/VERSION, with sums and SBOMs, signed by SIGNING_KEY: VERSION=v1.2.3 PLATFORMS=linux/amd64
	@$(RELEASER) -url '$(RELEASE_URL)' -platforms '$(PLATFORMS)' archives
image: ## an OCI archive in dist, of an image for amd64 and arm64, in ten minutes: VERSION=v1.2.3
	@$(RELEASER) -platforms '$(PLATFORMS)' image
site: ## the documentation of VERSION as a static site in dist/site, searchable without a server
	@$(RELEASER) site
bench: ## upstream and Orrery side by side; ROW=regexp for some rows, PROFILE=file for a CPU profile
	$(IN_PARITY) ./bench -row '$(or $(ROW),.)' $(if $(PROFILE),-profile '$(abspath $(PROFILE))') $(if $(ROW),,-out ../../docs/benchmarks.md)
bench-scale: ## time and memory with up to 100,000 nodes and 1,000,000 pods: docs/scale.md
	go run ./docs/scale
bench-cluster: ## upstream and Orrery against a real API server, run alternately
	$(IN_PARITY) ./benchcluster -out ../../docs/benchmarks-cluster.md
bench-attach: ## what readers and recordings on disk take of orrery run, with 100,000 pods; ROW=regexp for some
	cd core/parity && go test ./benchattach -run none -bench '$(or $(ROW),.)' -benchtime 1x -timeout 2h
demo-cluster: ## a real API server with fake nodes, left running for orrery console and orrery run
	$(IN_PARITY) ./democluster
soak: ## virtual hours of hostile operation, HOURS of them from SEED; PLAN=file for one plan
	go run ./core/testing/soak/command $(if $(PLAN),-plan '$(PLAN)',-hours $(or $(HOURS),1000) -seed $(or $(SEED),1))
soak-live: ## two replicas and a console on a real API server, through faults, for MINUTES; RATE pods per second come and go
	$(IN_PARITY) ./soaklive -minutes $(or $(MINUTES),10) -rate $(or $(RATE),200) -seed $(or $(SEED),1)
fuzz: ## look for inputs that break a fuzz target, for MINUTES in all; TARGET=regexp for some targets
	go run ./core/testing/fuzz/command -minutes $(or $(MINUTES),10) -targets '$(or $(TARGET),.)'
parity: ## compare with upstream over CASES generated cases from SEED; RELEASE=1.36 with kube-scheduler of that release
	cd core/parity && ORRERY_CASES=$(or $(CASES),50000) ORRERY_SEED=$(or $(SEED),1) ORRERY_ORACLES=$(RELEASE) go test -count=1 -timeout 0 -v $(if $(RELEASE),-run '^TestReleases' ./cycle,./...)
release-report: ## what of scheduling differs between two releases of Kubernetes, from their sources: OLD=1.37 NEW=1.38
	@$(IN_PARITY) ./releasereport -old '$(or $(OLD),1.37)' -new '$(NEW)'
planes: ## the tests on a real API server with a control plane of RELEASE, as processes; CASES pods where there are many, RUN=regexp for some
	cd core/parity && ORRERY_CASES='$(CASES)' ORRERY_ORACLES=$(or $(RELEASE),1.36) go test -count=1 -timeout 0 -v -tags processes -run '$(or $(RUN),.)' ./live
traces: ## record the embedded traces anew from demo/scenarios; some on a real API server, in ten minutes
	go run ./demo/record && $(IN_PARITY) ./demorecord
clean: ## remove what was built
	rm -rf bin dist
