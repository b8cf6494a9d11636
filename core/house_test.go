package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// house lists every package of this module from the ground up, each with the packages of the module that its code
// imports, tests aside. A package imports only what stands above it in the list, so that no import goes up. The test
// fails on a package or an import that is not listed, and on a line that is no longer true.
const house = `
core
# words and small things
core/safe/files
core/scheduler/changelog
core/objects/csimigration
core/objects/workloads
core/objects/owners
core/safe/footprint
core/testing/mk: core/objects/workloads
core/testing/mk/kinds: core/testing/mk
core/safe/heap
core/objects/nodenames
core/testing/planted
core/safe/plural
core/safe/printable
core/safe/address: core/safe/printable
core/safe/panics: core/safe/printable
core/safe/yamlnode: core/safe/printable
core/testing/fuzz: core/safe/printable
core/testing/race
core/testing/fuzz/command: core/testing/fuzz
core/objects/saturating
core/scheduler/release
core/scheduler/reuse
core/objects/requests: core/objects/saturating
core/safe/spelling
core/answers/answer: core/objects/owners
# what a world says and wants, and what the API's objects come to
core/world: core/objects/nodenames core/objects/workloads
core/testing/apistub: core/world
core/testing/mk/canaries: core/world
core/scheduler/codec: core/safe/footprint core/world
core/testing/codectest
core/world/admission: core/objects/requests core/objects/saturating core/world core/objects/workloads
core/scheduler/config: core/safe/address core/safe/printable core/safe/yamlnode core/scheduler/release
core/world/extender: core/safe/address core/safe/footprint core/objects/nodenames core/safe/printable core/objects/saturating core/world
core/scheduler/store: core/scheduler/changelog core/scheduler/codec core/safe/printable core/world core/scheduler/release
core/world/trim: core/world core/objects/workloads
core/process/leader: core/objects/saturating core/world
core/process/leader/sim: core/process/leader core/world core/safe/heap
core/world/memory: core/world/admission core/objects/csimigration core/objects/requests core/objects/saturating core/world/trim core/world core/safe/heap core/objects/workloads
core/scheduler/volumes: core/scheduler/codec core/scheduler/store core/world core/safe/plural core/safe/spelling
core/scheduler/volumes/outcome: core/scheduler/store core/world
core/scheduler/devices/allocate: core/scheduler/release
core/scheduler/devices: core/scheduler/changelog core/scheduler/codec core/scheduler/devices/allocate core/scheduler/store core/world
core/scheduler/devices/outcome: core/scheduler/store core/world
core/scheduler/gangs: core/scheduler/codec core/scheduler/store core/world core/objects/workloads
# evictions
core/evict: core/safe/printable core/world core/safe/heap core/scheduler/store
core/evict/budget: core/evict core/world core/safe/plural
core/evict/device: core/evict core/scheduler/store core/world core/safe/plural
core/evict/lifecycle: core/evict core/objects/saturating core/scheduler/store core/world core/world/memory
core/evict/pressure: core/evict core/safe/footprint core/safe/printable core/objects/requests core/objects/saturating core/world core/world/memory
core/evict/taint: core/evict core/scheduler/store core/world
core/trace: core/evict/pressure core/safe/footprint core/safe/printable core/objects/requests core/scheduler/store core/world/trim core/world core/scheduler/codec core/safe/yamlnode core/safe/plural core/scheduler/release core/objects/workloads
# plugins and what they run in
core/scheduler/framework: core/scheduler/codec core/scheduler/config core/scheduler/devices core/scheduler/gangs core/safe/panics core/safe/printable core/scheduler/reuse core/scheduler/volumes core/world core/safe/plural
core/scheduler/preempt: core/scheduler/codec core/scheduler/framework core/scheduler/reuse core/world core/scheduler/config core/scheduler/release
core/evict/observer: core/evict core/evict/budget core/evict/device core/evict/lifecycle core/evict/pressure core/evict/taint core/scheduler/preempt core/scheduler/store core/world
core/scheduler/plugins/shape
core/scheduler/plugins/hint
core/scheduler/plugins/nodeclasses: core/scheduler/framework core/scheduler/reuse
core/scheduler/plugins/podvolumes: core/world core/scheduler/framework core/scheduler/volumes core/safe/plural
core/scheduler/plugins/topology: core/scheduler/changelog core/scheduler/reuse
core/scheduler/plugins/defaultbinder: core/scheduler/config core/scheduler/framework core/world
core/scheduler/plugins/defaultpreemption: core/scheduler/codec core/scheduler/config core/scheduler/framework core/scheduler/preempt core/world core/scheduler/release
core/scheduler/plugins/dynamicresources/shortage: core/scheduler/config core/scheduler/devices core/scheduler/devices/allocate core/scheduler/framework core/objects/requests core/safe/plural core/safe/spelling
core/scheduler/plugins/dynamicresources: core/scheduler/codec core/scheduler/config core/scheduler/devices core/scheduler/devices/allocate core/scheduler/framework core/scheduler/plugins/dynamicresources/shortage core/scheduler/plugins/hint core/scheduler/plugins/nodeclasses core/objects/requests core/scheduler/reuse core/world core/safe/plural core/scheduler/release
core/scheduler/plugins/gangscheduling: core/scheduler/config core/scheduler/framework core/scheduler/gangs core/scheduler/plugins/hint core/objects/workloads
core/scheduler/plugins/imagelocality: core/scheduler/config core/scheduler/framework core/scheduler/reuse core/objects/saturating core/scheduler/release
core/scheduler/plugins/interpodaffinity: core/scheduler/config core/scheduler/framework core/scheduler/plugins/hint core/scheduler/plugins/topology core/scheduler/reuse core/scheduler/release
core/scheduler/plugins/nodeaffinity: core/scheduler/config core/scheduler/framework core/scheduler/plugins/hint core/scheduler/reuse core/safe/spelling core/safe/plural
core/scheduler/plugins/nodedeclaredfeatures: core/scheduler/config core/scheduler/framework core/scheduler/plugins/hint core/scheduler/reuse core/safe/plural core/scheduler/release
core/scheduler/plugins/nodename: core/scheduler/config core/scheduler/framework core/scheduler/reuse core/scheduler/release
core/scheduler/plugins/nodeports: core/scheduler/config core/scheduler/framework core/scheduler/plugins/hint core/scheduler/reuse
core/scheduler/plugins/noderesources: core/scheduler/config core/scheduler/devices core/scheduler/devices/allocate core/scheduler/framework core/scheduler/plugins/hint core/scheduler/plugins/shape core/objects/requests core/scheduler/reuse core/objects/saturating core/safe/plural core/scheduler/release
core/scheduler/plugins/nodeunschedulable: core/scheduler/config core/scheduler/framework core/scheduler/plugins/hint core/scheduler/reuse core/safe/plural core/scheduler/release
core/scheduler/plugins/nodevolumelimits: core/scheduler/config core/objects/csimigration core/scheduler/framework core/scheduler/plugins/hint core/scheduler/plugins/nodeclasses core/scheduler/plugins/podvolumes core/scheduler/reuse core/world core/safe/plural core/scheduler/release
core/testing/plugintest: core/scheduler/config core/scheduler/framework core/scheduler/reuse core/scheduler/store core/world
core/scheduler/plugins/podtopologyspread: core/scheduler/config core/scheduler/framework core/scheduler/plugins/hint core/scheduler/plugins/topology core/scheduler/reuse core/objects/saturating core/safe/plural core/scheduler/release
core/scheduler/plugins/queuesort: core/scheduler/config
core/scheduler/plugins/schedulinggates: core/scheduler/config core/scheduler/plugins/hint core/scheduler/framework core/safe/plural
core/scheduler/plugins/tainttoleration: core/scheduler/config core/scheduler/framework core/scheduler/plugins/hint core/scheduler/reuse core/scheduler/plugins/nodeunschedulable core/safe/spelling core/safe/plural core/scheduler/release
core/scheduler/plugins/unreadable: core/scheduler/config core/scheduler/plugins/podvolumes core/world
core/scheduler/plugins/volumebinding: core/scheduler/codec core/scheduler/config core/objects/csimigration core/scheduler/framework core/scheduler/plugins/hint core/scheduler/plugins/nodeclasses core/scheduler/plugins/podvolumes core/scheduler/plugins/shape core/scheduler/reuse core/objects/saturating core/scheduler/volumes core/world core/safe/plural
core/scheduler/plugins/volumerestrictions: core/scheduler/config core/scheduler/framework core/scheduler/plugins/hint core/scheduler/plugins/podvolumes core/scheduler/volumes
core/scheduler/plugins/volumezone: core/scheduler/config core/scheduler/framework core/scheduler/plugins/hint core/scheduler/plugins/nodeclasses core/scheduler/plugins/podvolumes core/scheduler/reuse core/scheduler/volumes
core/scheduler/plugins: core/scheduler/config core/scheduler/framework core/scheduler/plugins/defaultbinder core/scheduler/plugins/defaultpreemption core/scheduler/plugins/dynamicresources core/scheduler/plugins/gangscheduling core/scheduler/plugins/imagelocality core/scheduler/plugins/interpodaffinity core/scheduler/plugins/nodeaffinity core/scheduler/plugins/nodedeclaredfeatures core/scheduler/plugins/nodename core/scheduler/plugins/nodeports core/scheduler/plugins/noderesources core/scheduler/plugins/nodeunschedulable core/scheduler/plugins/nodevolumelimits core/scheduler/plugins/podtopologyspread core/scheduler/plugins/queuesort core/scheduler/plugins/schedulinggates core/scheduler/plugins/tainttoleration core/scheduler/plugins/unreadable core/scheduler/plugins/volumebinding core/scheduler/plugins/volumerestrictions core/scheduler/plugins/volumezone
# the engine and what observes it
core/scheduler/cache: core/scheduler/changelog core/scheduler/codec core/objects/nodenames core/objects/requests core/scheduler/reuse core/objects/saturating
core/scheduler/queue: core/scheduler/cache core/scheduler/codec core/safe/printable core/objects/requests core/objects/saturating core/world core/safe/heap core/objects/workloads
core/scheduler/engine: core/scheduler/cache core/scheduler/codec core/scheduler/config core/scheduler/devices core/world/extender core/scheduler/framework core/scheduler/gangs core/objects/nodenames core/scheduler/plugins core/scheduler/plugins/queuesort core/scheduler/preempt core/scheduler/queue core/scheduler/reuse core/objects/saturating core/scheduler/store core/scheduler/volumes core/world core/scheduler/plugins/noderesources core/scheduler/release core/objects/workloads
core/answers/review: core/scheduler/config core/scheduler/engine core/scheduler/framework core/safe/spelling
core/scheduler/drive: core/scheduler/cache core/scheduler/engine core/scheduler/framework core/safe/panics core/scheduler/store core/world
core/answers/shadow: core/scheduler/config core/scheduler/drive core/scheduler/engine core/scheduler/plugins/unreadable core/safe/printable core/scheduler/store core/world
core/trace/play: core/scheduler/codec core/scheduler/config core/scheduler/devices/outcome core/scheduler/drive core/scheduler/engine core/safe/printable core/scheduler/queue core/scheduler/store core/trace core/scheduler/volumes/outcome core/world core/safe/plural core/scheduler/release
core/trace/journey: core/objects/requests core/scheduler/drive core/scheduler/engine core/scheduler/queue core/trace core/trace/play core/world
core/trace/table: core/objects/owners core/objects/requests core/safe/printable core/scheduler/engine core/trace/journey
core/trace/spans: core/objects/owners core/safe/address core/safe/printable core/scheduler/engine core/trace/journey core/world
core/trace/segments: core/scheduler/engine core/safe/panics core/safe/printable core/trace core/trace/play
core/testing/soak: core/scheduler/config core/scheduler/drive core/scheduler/engine core/evict/budget core/evict/device core/evict/lifecycle core/evict/pressure core/evict/taint core/scheduler/framework core/process/leader core/process/leader/sim core/testing/mk core/safe/printable core/scheduler/queue core/objects/saturating core/trace core/trace/play core/trace/segments core/world core/world/memory core/objects/workloads
core/testing/soak/command: core/testing/soak
core/testing/soak/plant: core/testing/planted
# questions about an engine
core/answers/cause: core/safe/plural core/scheduler/config
core/answers/price: core/safe/printable
core/answers/compare: core/answers/answer core/answers/cause core/answers/price core/safe/panics core/safe/plural core/scheduler/release core/scheduler/config core/scheduler/devices core/scheduler/devices/outcome core/scheduler/drive core/scheduler/engine core/scheduler/framework core/scheduler/queue core/objects/requests core/objects/saturating core/trace core/trace/play core/scheduler/volumes/outcome core/world
core/answers/change: core/safe/footprint core/safe/printable core/objects/requests core/safe/plural core/scheduler/release
core/answers/whatif: core/answers/cause core/objects/csimigration core/scheduler/config core/scheduler/devices core/scheduler/drive core/scheduler/engine core/evict core/evict/budget core/evict/device core/evict/lifecycle core/evict/taint core/scheduler/framework core/scheduler/gangs core/scheduler/plugins/podvolumes core/safe/printable core/objects/saturating core/scheduler/store core/answers/change core/world core/world/memory core/safe/plural core/scheduler/release core/objects/workloads
core/answers/diagnose: core/scheduler/cache core/scheduler/config core/objects/csimigration core/scheduler/engine core/evict core/evict/budget core/scheduler/framework core/scheduler/gangs core/scheduler/plugins/dynamicresources core/scheduler/plugins/dynamicresources/shortage core/scheduler/plugins/nodevolumelimits core/scheduler/plugins/volumerestrictions core/scheduler/plugins/podvolumes core/scheduler/plugins/unreadable core/scheduler/plugins/volumebinding core/scheduler/plugins/schedulinggates core/scheduler/plugins/volumezone core/scheduler/preempt core/scheduler/queue core/objects/requests core/objects/saturating core/scheduler/volumes core/scheduler/volumes/outcome core/answers/change core/world core/safe/plural core/answers/answer core/evict/observer core/objects/workloads
core/answers/assist: core/answers/change core/safe/printable
core/answers/fix: core/answers/change core/answers/diagnose core/answers/whatif core/safe/plural core/scheduler/engine core/scheduler/gangs core/world core/answers/answer
core/answers/capacity: core/objects/requests core/objects/saturating core/scheduler/engine
core/answers/period: core/answers/capacity core/objects/owners core/scheduler/config core/scheduler/drive core/scheduler/engine core/scheduler/queue core/trace/journey core/world
core/answers/kueue: core/answers/answer core/objects/requests core/objects/saturating core/safe/plural core/safe/printable core/world
core/answers/consolidate: core/answers/capacity core/answers/change core/answers/fix core/answers/whatif core/evict core/objects/requests core/objects/saturating core/safe/plural core/scheduler/engine core/world
core/answers/pool: core/answers/capacity core/answers/change core/answers/price core/answers/whatif core/objects/requests core/objects/saturating core/safe/footprint core/safe/printable core/safe/yamlnode core/scheduler/engine core/world
core/answers/fit: core/answers/capacity core/answers/change core/answers/diagnose core/answers/fix core/answers/pool core/answers/price core/answers/whatif core/objects/requests core/safe/footprint core/safe/plural core/safe/printable core/scheduler/engine core/trace core/world core/world/memory core/world/trim
core/testing/drawn: core/answers/fit core/evict core/evict/budget core/scheduler/drive core/scheduler/engine core/testing/mk core/world core/world/memory
# a scheduler and an operator on a cluster
core/world/live: core/safe/address core/world/extender core/safe/footprint core/safe/panics core/world/trim core/world core/objects/workloads
core/operator/actions: core/safe/printable core/answers/change core/world core/safe/plural
core/operator/logs: core/operator/actions core/safe/printable core/world
core/operator/usage: core/evict/pressure core/operator/actions core/safe/printable core/trace core/world
core/operator/usage/reader: core/evict/pressure core/operator/actions core/safe/panics core/safe/printable core/operator/usage core/world
core/trace/stream: core/safe/address core/safe/printable core/trace/play
core/process/serving: core/safe/address core/scheduler/config core/safe/panics core/trace/stream
core/trace/reach: core/safe/address core/safe/panics core/safe/printable core/objects/saturating
core/trace/attach: core/safe/panics core/trace/stream core/trace core/trace/play
core/process/telemetry: core/scheduler/config core/scheduler/drive core/scheduler/engine core/scheduler/framework core/scheduler/plugins/defaultpreemption core/scheduler/preempt core/safe/printable core/scheduler/queue core/objects/requests core/scheduler/release core/scheduler/volumes core/world core/scheduler/reuse core/trace/play core/world/live
core/process/recording: core/scheduler/drive core/scheduler/engine core/trace/play core/trace/segments
core/process/replica: core/scheduler/config core/scheduler/drive core/scheduler/engine core/evict/device core/evict/taint core/scheduler/framework core/process/leader core/safe/panics core/scheduler/queue core/trace/segments core/world core/world/live core/process/recording core/process/telemetry
core/process/contact: core/safe/printable
core/process/figures: core/answers/answer core/answers/capacity core/answers/shadow core/evict core/evict/observer core/safe/printable core/scheduler/config core/scheduler/drive core/scheduler/engine core/scheduler/queue core/world
core/process/observe: core/answers/shadow core/process/contact core/process/recording core/process/telemetry core/safe/panics core/safe/plural core/safe/printable core/scheduler/config core/scheduler/drive core/scheduler/engine core/scheduler/framework core/scheduler/plugins/unreadable core/trace core/trace/segments core/world core/world/live core/world/trim
core/operator/console: core/scheduler/config core/scheduler/drive core/scheduler/engine core/scheduler/framework core/operator/actions core/safe/panics core/scheduler/plugins/unreadable core/safe/printable core/process/contact core/process/replica core/answers/shadow core/world core/world/live
# the screen
themes: core/safe/files core/safe/printable
views/filter: core/safe/printable core/scheduler/queue
views/draw: core/objects/saturating themes
views/orbit
views/find: themes
views: core/objects/saturating themes views/draw views/filter views/orbit core/safe/plural core/answers/answer
views/report: core/answers/answer core/safe/plural views core/answers/period themes views/draw
views/collect: core/scheduler/config core/answers/diagnose core/scheduler/drive core/scheduler/engine core/evict core/evict/observer core/evict/pressure core/scheduler/framework core/scheduler/gangs core/process/leader core/scheduler/plugins/gangscheduling core/scheduler/plugins/nodevolumelimits core/scheduler/plugins/podvolumes core/scheduler/plugins/volumebinding core/safe/printable core/scheduler/queue core/objects/requests core/objects/saturating core/answers/shadow core/trace core/trace/play core/operator/usage core/answers/whatif core/world views views/filter views/orbit core/safe/plural core/safe/heap core/answers/fix core/scheduler/volumes core/scheduler/plugins/volumezone core/answers/answer views/find themes core/answers/capacity core/answers/consolidate core/answers/fit core/answers/pool core/objects/workloads views/draw
# recordings and their scenarios
demo/scenario/strict: core/safe/footprint core/safe/printable core/safe/spelling core/safe/yamlnode
demo/scenario/expect: core/answers/answer core/answers/change core/answers/diagnose core/answers/fix core/scheduler/engine core/scheduler/release core/trace core/trace/play core/world demo/scenario/strict
demo/scenario: core/world/admission core/safe/files core/scheduler/release core/scheduler/config core/scheduler/drive core/scheduler/engine core/evict core/evict/budget core/evict/device core/evict/lifecycle core/evict/pressure core/evict/taint core/safe/footprint core/scheduler/framework core/process/leader core/process/leader/sim core/safe/printable core/scheduler/queue core/trace core/trace/play core/world core/world/memory demo/scenario/strict demo/scenario/expect core/objects/workloads
demo/playback: core/scheduler/engine core/scheduler/framework core/trace core/trace/play
demo: core/scheduler/engine core/safe/printable core/trace core/trace/play core/world demo/scenario
demo/suite: core/safe/files core/safe/panics core/safe/printable core/scheduler/drive core/scheduler/engine core/scheduler/framework core/scheduler/release core/trace/play demo demo/scenario demo/scenario/expect demo/scenario/strict
demo/record: demo/scenario
docs/page
docs/links
docs/features: docs/page
docs/limits: docs/page
docs/releases: docs/page core/scheduler/release
docs/pictures: core/operator/usage core/scheduler/engine core/safe/printable core/trace core/trace/play core/answers/whatif core/answers/change core/world demo demo/playback themes views views/collect views/draw
docs/scale: core/scheduler/config core/scheduler/engine core/testing/mk core/testing/mk/kinds core/world views views/collect views/draw
# the programs
tui/ptytest
tui/term/celldiff: themes views/draw
tui/term: core/safe/files core/safe/panics core/safe/printable themes tui/term/celldiff views/draw
tui: core/safe/panics core/safe/address core/answers/compare core/scheduler/release core/trace/attach core/operator/console core/scheduler/engine core/operator/actions core/safe/files core/safe/printable core/objects/saturating core/safe/spelling core/trace core/trace/play core/operator/usage core/operator/usage/reader core/answers/whatif core/answers/change core/world demo/playback themes tui/term views views/collect views/draw views/filter core/answers/answer core/safe/plural views/find views/report demo/scenario/strict core/answers/capacity core/answers/consolidate core/answers/fit core/operator/logs
tui/film: core/scheduler/framework demo/playback tui views views/collect views/draw
cmd/app: core/answers/cause core/answers/kueue core/safe/address core/trace/attach core/safe/files core/answers/compare core/scheduler/config core/answers/review core/operator/console core/answers/diagnose core/scheduler/drive core/scheduler/engine core/evict/observer core/safe/footprint core/scheduler/framework core/scheduler/gangs core/process/leader core/safe/panics core/scheduler/plugins/unreadable core/safe/printable core/scheduler/queue core/trace/reach core/process/replica core/objects/saturating core/process/serving core/answers/shadow core/safe/spelling core/trace/stream core/process/telemetry core/trace core/trace/play core/trace/segments core/operator/usage/reader core/answers/whatif core/answers/change core/world core/world/live demo demo/playback demo/scenario themes tui tui/term views views/collect core/safe/plural core/scheduler/release core/safe/yamlnode core/answers/fix core/answers/answer core/answers/assist demo/suite core/answers/capacity core/answers/fit core/answers/consolidate core/answers/pool core/answers/price core/objects/requests core/world/memory core/objects/workloads core/process/observe core/process/figures tui/film views/report views/draw core/answers/period core/trace/journey core/trace/spans core/trace/table
docs/commands: cmd/app
cmd/deploy: cmd/app
cmd/orrery: cmd/app
cmd/example/favouritezone
cmd/example/licenses: core/scheduler/framework
cmd/example: cmd/app cmd/example/favouritezone cmd/example/licenses
# what is published
cmd/release/platform
cmd/release/archive
cmd/release/attest
cmd/release/chart: cmd/release/archive
cmd/release/linux: cmd/release/archive
cmd/release/manual: cmd/release/archive
cmd/release/notes
cmd/release/site
cmd/release/krew: cmd/release/platform
cmd/release/formula: cmd/release/krew
cmd/release/build: cmd/release/platform
cmd/release/typecheck: cmd/release/build cmd/release/platform
cmd/release/licenses: cmd/release/build
cmd/release/dependencies: cmd/release/licenses
cmd/release/sbom/sbomtest
cmd/release/sbom: cmd/release/build cmd/release/licenses cmd/release/platform
cmd/release/image: cmd/release/archive cmd/release/platform
cmd/release: cmd/release/archive cmd/release/attest cmd/release/build cmd/release/chart cmd/release/formula cmd/release/image cmd/release/krew cmd/release/licenses cmd/release/linux cmd/release/manual cmd/release/notes cmd/release/platform cmd/release/sbom cmd/release/site cmd/release/typecheck`

// floor is one line of the house.
type floor struct {
	name    string
	imports []string
}

func floors() []floor {
	var all []floor
	for line := range strings.Lines(house) {
		name, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name != "" && !strings.HasPrefix(name, "#") {
			all = append(all, floor{name, strings.Fields(imports)})
		}
	}
	return all
}

func TestHouse_Imports(t *testing.T) {
	imported := map[string]map[string]string{} // by package and imported package: a file that imports it
	eachFile(t, func(pkg, path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || under("core/parity", pkg) {
			return
		}
		if imported[pkg] == nil {
			imported[pkg] = map[string]string{}
		}
		for _, spec := range file.Imports {
			target, _ := strconv.Unquote(spec.Path.Value)
			if ours, ok := strings.CutPrefix(target, "orrery/"); ok {
				imported[pkg][ours] = path
			}
			if strings.HasPrefix(target, "k8s.io/kubernetes") {
				t.Errorf("%s imports %s: only core/parity imports upstream's own packages", path, target)
			}
			if target == "k8s.io/dynamic-resource-allocation/structured" {
				t.Errorf("%s imports %s: devices are allocated by core/scheduler/devices/allocate in each release", path, target)
			}
		}
	})
	var above []string
	for _, f := range floors() {
		for _, target := range f.imports {
			if !slices.Contains(above, target) {
				t.Errorf("%s is allowed to import %s, which does not stand above it in the list of core/house_test.go", f.name, target)
			}
			if _, used := imported[f.name][target]; !used {
				t.Errorf("%s does not import %s: remove that from the list of core/house_test.go", f.name, target)
			}
		}
		for target, path := range imported[f.name] {
			if !slices.Contains(f.imports, target) {
				t.Errorf("%s: %s must not import %s; what it may import is listed in core/house_test.go", path, f.name, target)
			}
		}
		if _, exists := imported[f.name]; !exists {
			t.Errorf("there is no package %s: remove it from the list of core/house_test.go", f.name)
		}
		above = append(above, f.name)
	}
	for pkg := range imported {
		if !slices.Contains(above, pkg) {
			t.Errorf("package %s is missing from the list of core/house_test.go", pkg)
		}
	}
}

// TestHouse_FoldersHaveNoCircle checks at every depth that the folders of a folder are not in a circle: what one of them imports, packages
// below it included, does not import it in turn.
func TestHouse_FoldersHaveNoCircle(t *testing.T) {
	arrows := map[string]map[string]bool{} // by folder: the folders beside it that it imports
	for _, f := range floors() {
		for _, target := range f.imports {
			from, to := siblings(f.name, target)
			if from == "" || to == "" {
				continue // one of them lies below the other, as a part of it
			}
			if arrows[from] == nil {
				arrows[from] = map[string]bool{}
			}
			arrows[from][to] = true
		}
	}
	var reach func(from, to string, passed map[string]bool) bool
	reach = func(from, to string, passed map[string]bool) bool {
		for next := range arrows[from] {
			if next == to {
				return true
			}
			if !passed[next] {
				if passed[next] = true; reach(next, to, passed) {
					return true
				}
			}
		}
		return false
	}
	for folder := range arrows {
		if reach(folder, folder, map[string]bool{}) {
			t.Errorf("%s is in a circle with folders beside it: it imports %v", folder, slices.Sorted(maps.Keys(arrows[folder])))
		}
	}
}

// siblings returns the folders beside each other that hold two packages; "" where a package is a folder that holds the other.
func siblings(a, b string) (ofA, ofB string) {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(as) && n < len(bs) && as[n] == bs[n] {
		n++
	}
	if n == len(as) || n == len(bs) {
		return "", ""
	}
	return strings.Join(as[:n+1], "/"), strings.Join(bs[:n+1], "/")
}

// mayImportTesting lists what is no test and still takes objects for tests: tools of this repository.
var mayImportTesting = []string{"docs/scale"}

func TestHouse_TestingIsForTests(t *testing.T) {
	for _, f := range floors() {
		if under("core/testing", f.name) || slices.Contains(mayImportTesting, f.name) {
			continue
		}
		for _, target := range f.imports {
			if under("core/testing", target) {
				t.Errorf("%s imports %s, which is for tests", f.name, target)
			}
		}
	}
}

// TestHouse_DocNamesEveryWing checks that the plan in doc.go is complete: the wings, and the folders in each.
func TestHouse_DocNamesEveryWing(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.FieldsFunc(string(doc), func(r rune) bool { return r < 'a' || r > 'z' })
	for _, f := range floors() {
		if parts := strings.Split(f.name, "/"); parts[0] == "core" {
			for _, name := range parts[1:min(len(parts), 3)] {
				if !slices.Contains(words, name) {
					t.Errorf("core/doc.go does not name %s of %s", name, f.name)
				}
			}
		}
	}
}

// TestHouse_ReleasesAreComparedByRules checks that only package release compares releases of Kubernetes. Everything else asks for a rule of its
// list, so that the list has every difference.
func TestHouse_ReleasesAreComparedByRules(t *testing.T) {
	compares := map[token.Token]bool{token.EQL: true, token.NEQ: true, token.LSS: true, token.LEQ: true, token.GTR: true, token.GEQ: true}
	report := func(n ast.Node) {
		t.Errorf("%s compares releases: ask for a rule of core/scheduler/release/rules.go, and add it if it is missing", fileSet.Position(n.Pos()))
	}
	eachFile(t, func(pkg, path string, file *ast.File) {
		if pkg == "core/scheduler/release" || strings.HasSuffix(path, "_test.go") || under("core/parity", pkg) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if compares[n.Op] && (isRelease(n.X) || isRelease(n.Y)) {
					report(n)
				}
			case *ast.SwitchStmt:
				if isRelease(n.Tag) {
					report(n)
				}
			}
			return true
		})
	})
}

// isRelease reports whether an expression is a constant of package release, or what a method called Release returns.
func isRelease(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		method, ok := e.Fun.(*ast.SelectorExpr)
		return ok && method.Sel.Name == "Release" && len(e.Args) == 0
	case *ast.SelectorExpr:
		from, ok := e.X.(*ast.Ident)
		return ok && (from.Name == "release" || from.Name == "modelled") &&
			(e.Sel.Name == "Oldest" || e.Sel.Name == "Newest" || strings.HasPrefix(e.Sel.Name, "V1"))
	}
	return false
}

// readOnly are packages that cannot change a cluster, since nothing that they import, at any depth, is a client of one.
var readOnly = []string{"core/answers/assist", "core/answers/change"}

// TestHouse_AssistantsReachNoCluster checks that what answers assistants imports nothing that could write to a cluster.
func TestHouse_AssistantsReachNoCluster(t *testing.T) {
	imports := map[string]map[string]bool{}
	eachFile(t, func(pkg, path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		if imports[pkg] == nil {
			imports[pkg] = map[string]bool{}
		}
		for _, spec := range file.Imports {
			target, _ := strconv.Unquote(spec.Path.Value)
			imports[pkg][target] = true
		}
	})
	var check func(root, pkg string)
	check = func(root, pkg string) {
		for target := range imports[pkg] {
			if strings.HasPrefix(target, "k8s.io/client-go") || target == "os" || target == "os/exec" {
				t.Errorf("%s imports %s, by %s: what answers assistants only reads, and gets its answers from cmd/app", root, target, pkg)
			}
			if ours, is := strings.CutPrefix(target, "orrery/"); is {
				check(root, ours)
			}
		}
	}
	for _, pkg := range readOnly {
		if len(imports[pkg]) == 0 {
			t.Errorf("there is no package %s", pkg)
		}
		check(pkg, pkg)
	}
}

// mayReadClock lists what meets the real world and may ask for the time.
var mayReadClock = []string{"core/scheduler/drive", "core/world/live", "core/process/contact", "core/process/recording", "core/process/telemetry", "core/process/observe", "core/process/replica", "core/trace/stream", "core/operator/console", "core/operator/usage/reader", "core/trace/attach", "core/testing/apistub", "core/testing/fuzz", "core/testing/soak/command", "cmd/app", "tui", "core/parity", "docs/scale"}

func TestHouse_NoClockNoSleep(t *testing.T) {
	clock := []string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTimer", "NewTicker"}
	exempted := map[string]bool{}
	eachFile(t, func(pkg, path string, file *ast.File) {
		for _, spec := range file.Imports {
			if spec.Path.Value == `"math/rand"` {
				t.Errorf("%s imports math/rand: draw from a seeded math/rand/v2 source that is passed in", path)
			}
		}
		exempt := slices.IndexFunc(mayReadClock, func(root string) bool { return under(root, pkg) })
		// Upstream's goroutines run in testing/synctest's virtual time, where Sleep lets time pass.
		virtual := under("core/parity", pkg)
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if from, ok := sel.X.(*ast.Ident); !ok || from.Name != "time" || !slices.Contains(clock, sel.Sel.Name) {
				return true
			}
			if exempt < 0 || (sel.Sel.Name == "Sleep" && strings.HasSuffix(path, "_test.go") && !virtual) {
				t.Errorf("%s uses time.%s: time is passed in, and nothing sleeps", path, sel.Sel.Name)
			} else {
				exempted[mayReadClock[exempt]] = true
			}
			return true
		})
	})
	for _, root := range mayReadClock {
		if !exempted[root] {
			t.Errorf("nothing under %s reads a clock: remove it from mayReadClock in core/house_test.go", root)
		}
	}
}

// mayLetPanicsPass lists what starts goroutines that make no error of a panic themselves: what they call does, or they only pass values
// on, or they are in tools of this repository.
var mayLetPanicsPass = []string{
	"cmd/app/record_cluster.go", "core/trace/attach/session.go", "core/process/recording/disk.go", "core/process/observe/run.go", "core/testing/apistub/apistub.go", "core/process/replica/run.go",
	"core/testing/fuzz/watch.go", "core/testing/fuzz/command/session.go", "cmd/app/run_signals.go", "core/operator/console/scheduling.go", "core/operator/console/shadowing.go", "core/safe/files/unfinished.go", "core/trace/reach/forward.go",
	"core/testing/soak/command/main.go", "tui/ptytest/session.go", "tui/term/guard.go", "tui/term/panics.go",
	"tui/term/stop_unix.go", "tui/term/stop_other.go",
}

// TestHouse_GoroutinesEndInOrder checks that every goroutine makes an error of a panic: see package panics.
func TestHouse_GoroutinesEndInOrder(t *testing.T) {
	exempted := map[string]bool{}
	eachFile(t, func(pkg, path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || under("core/parity", pkg) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			started := startedBy(n)
			if started == nil || mentions(started, "panics", "guard") {
				return true
			}
			if slices.Contains(mayLetPanicsPass, path) {
				exempted[path] = true
			} else {
				t.Errorf("%s: a panic of this goroutine ends the process at once: make an error of it, see package panics", fileSet.Position(n.Pos()))
			}
			return true
		})
	})
	for _, path := range mayLetPanicsPass {
		if !exempted[path] {
			t.Errorf("%s lets no panic pass: remove it from mayLetPanicsPass in core/house_test.go", path)
		}
	}
}

// startedBy returns what a go statement, or a call of a method Go, runs; nil if the node is neither.
func startedBy(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.GoStmt:
		return n.Call
	case *ast.CallExpr:
		if call, ok := n.Fun.(*ast.SelectorExpr); ok && call.Sel.Name == "Go" {
			return n
		}
	}
	return nil
}

func mentions(n ast.Node, names ...string) (does bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && slices.Contains(names, id.Name) {
			does = true
		}
		return true
	})
	return does
}

// mayUseStreams lists what uses the process's streams: all other output passes a printable.Writer. The last ones are tools
// of this repository.
var mayUseStreams = []string{"cmd/app/app.go", "cmd/app/screenflags.go", "cmd/release/dependencies/main.go", "cmd/release/main.go", "tui/term/guard.go", "core/testing/fuzz/command/main.go", "core/testing/soak/command/main.go", "core/testing/soak/plant/main.go", "demo/record/main.go", "cmd/deploy/main.go", "docs/commands/main.go", "docs/page/page.go", "docs/pictures/main.go", "docs/scale/main.go"}

func TestHouse_OutputPassesWriter(t *testing.T) {
	streams := map[string][]string{"os": {"Stdout", "Stderr"}, "fmt": {"Print", "Printf", "Println"}}
	exempted := map[string]bool{}
	eachFile(t, func(pkg, path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || under("core/parity", pkg) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if from, ok := sel.X.(*ast.Ident); !ok || !slices.Contains(streams[from.Name], sel.Sel.Name) {
				return true
			}
			if slices.Contains(mayUseStreams, path) {
				exempted[path] = true
			} else {
				t.Errorf("%s uses %s: write to the command's OutOrStdout or ErrOrStderr, or log", path, sel.Sel.Name)
			}
			return true
		})
	})
	for _, path := range mayUseStreams {
		if !exempted[path] {
			t.Errorf("%s does not use the process's streams: remove it from mayUseStreams in core/house_test.go", path)
		}
	}
}

func TestHouse_FileLength(t *testing.T) {
	const limit = 500
	eachFile(t, func(_, path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		if lines := fileSet.Position(file.End()).Line; lines > limit {
			t.Errorf("%s has %d lines: split it by idea, at most %d", path, lines, limit)
		}
	})
}

// under reports whether a package is root or below it.
func under(root, pkg string) bool { return pkg == root || strings.HasPrefix(pkg, root+"/") }

var fileSet = token.NewFileSet()

func eachFile(t *testing.T, visit func(pkg, path string, file *ast.File)) {
	t.Helper()
	root := ".."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || (strings.HasPrefix(d.Name(), ".") && path != root)) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		file, err := parser.ParseFile(fileSet, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		visit(filepath.ToSlash(filepath.Dir(rel)), filepath.ToSlash(rel), file)
		return nil
	})
	if err != nil {
		t.Fatalf("reading the source tree: %v", err)
	}
}
