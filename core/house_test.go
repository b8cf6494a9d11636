package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
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
core/boundedfile
core/changelog
core/csimigration
core/footprint
core/mk
core/mk/kinds: core/mk
core/nodenames
core/outfile
core/planted
core/printable
core/address: core/printable
core/panics: core/printable
core/fuzz: core/printable
core/race
core/fuzz/command: core/fuzz
core/saturating
core/reuse
core/requests: core/saturating
core/deviceapi: core/requests
core/podapi: core/deviceapi core/requests
core/clusterapi: core/podapi
core/storageapi: core/deviceapi core/podapi
core/controllerapi: core/podapi core/storageapi
core/spelling
# what a world says and wants, and what the API's objects come to
core/world: core/nodenames
core/mk/canaries: core/world
core/codec: core/footprint core/world
core/codec/codectest
core/quota: core/podapi core/requests core/saturating core/world
core/admission: core/podapi core/quota core/requests core/world
core/config: core/printable
core/extender: core/footprint core/nodenames core/saturating core/world
core/store: core/changelog core/codec core/printable core/requests core/world
core/trim: core/world
core/leader: core/saturating core/world
core/leader/sim: core/leader core/world
core/world/memory: core/admission core/clusterapi core/controllerapi core/csimigration core/deviceapi core/podapi core/quota core/requests core/saturating core/storageapi core/trim core/world
core/trace: core/footprint core/printable core/requests core/store core/trim core/world
core/volumes: core/codec core/store core/world
core/volumes/outcome: core/store core/world
core/devices: core/codec core/store core/world
core/devices/outcome: core/store core/world
core/gangs: core/codec core/store core/world
# evictions
core/evict: core/printable core/world
core/evict/budget: core/evict core/world
core/evict/device: core/evict core/store core/world
core/evict/lifecycle: core/evict core/saturating core/store core/world core/world/memory
core/evict/pressure: core/evict core/footprint core/printable core/requests core/saturating core/world core/world/memory
core/evict/taint: core/evict core/store core/world
# plugins and what they run in
core/framework: core/codec core/config core/devices core/gangs core/panics core/printable core/reuse core/volumes core/world
core/preempt: core/codec core/framework core/reuse core/world
core/evict/observer: core/evict core/evict/budget core/evict/device core/evict/lifecycle core/evict/pressure core/evict/taint core/preempt core/store core/world
core/plugins/shape
core/plugins/hint
core/plugins/nodeclasses: core/framework core/reuse
core/plugins/podvolumes: core/world
core/plugins/topology: core/changelog core/reuse
core/plugins/defaultbinder: core/config core/framework core/world
core/plugins/defaultpreemption: core/codec core/config core/framework core/preempt core/world
core/plugins/dynamicresources: core/codec core/config core/devices core/framework core/plugins/hint core/requests core/reuse core/world
core/plugins/gangscheduling: core/config core/framework core/gangs core/plugins/hint
core/plugins/imagelocality: core/config core/framework core/reuse core/saturating
core/plugins/interpodaffinity: core/config core/framework core/plugins/hint core/plugins/topology core/reuse
core/plugins/nodeaffinity: core/config core/framework core/plugins/hint core/reuse
core/plugins/nodedeclaredfeatures: core/config core/framework core/plugins/hint core/reuse
core/plugins/nodename: core/config core/framework core/reuse
core/plugins/nodeports: core/config core/framework core/plugins/hint core/reuse
core/plugins/noderesources: core/config core/devices core/framework core/plugins/hint core/plugins/shape core/requests core/reuse core/saturating
core/plugins/nodeunschedulable: core/config core/framework core/plugins/hint core/reuse
core/plugins/nodevolumelimits: core/config core/csimigration core/framework core/plugins/hint core/plugins/nodeclasses core/plugins/podvolumes core/reuse core/world
core/plugins/plugintest: core/config core/framework core/reuse core/store core/world
core/plugins/podtopologyspread: core/config core/framework core/plugins/hint core/plugins/topology core/reuse
core/plugins/queuesort: core/config
core/plugins/schedulinggates: core/config core/plugins/hint
core/plugins/tainttoleration: core/config core/framework core/plugins/hint core/reuse
core/plugins/unreadable: core/config core/plugins/podvolumes core/world
core/plugins/volumebinding: core/codec core/config core/csimigration core/framework core/plugins/hint core/plugins/nodeclasses core/plugins/podvolumes core/plugins/shape core/reuse core/saturating core/volumes core/world
core/plugins/volumerestrictions: core/config core/framework core/plugins/hint core/plugins/podvolumes
core/plugins/volumezone: core/config core/framework core/plugins/hint core/plugins/nodeclasses core/plugins/podvolumes core/reuse
core/plugins: core/config core/framework core/plugins/defaultbinder core/plugins/defaultpreemption core/plugins/dynamicresources core/plugins/gangscheduling core/plugins/imagelocality core/plugins/interpodaffinity core/plugins/nodeaffinity core/plugins/nodedeclaredfeatures core/plugins/nodename core/plugins/nodeports core/plugins/noderesources core/plugins/nodeunschedulable core/plugins/nodevolumelimits core/plugins/podtopologyspread core/plugins/queuesort core/plugins/schedulinggates core/plugins/tainttoleration core/plugins/unreadable core/plugins/volumebinding core/plugins/volumerestrictions core/plugins/volumezone
# the engine and what observes it
core/cache: core/changelog core/codec core/nodenames core/requests core/reuse core/saturating
core/queue: core/cache core/codec core/printable core/requests core/saturating core/world
core/engine: core/cache core/codec core/config core/devices core/extender core/framework core/gangs core/nodenames core/plugins core/plugins/queuesort core/preempt core/queue core/reuse core/saturating core/store core/volumes core/world
core/config/review: core/config core/engine core/framework core/spelling
core/drive: core/cache core/engine core/framework core/panics core/store core/world
core/shadow: core/config core/drive core/engine core/plugins/unreadable core/printable core/store core/world
core/telemetry: core/config core/drive core/engine core/framework core/plugins/defaultpreemption core/preempt core/printable core/queue core/requests core/volumes core/world
core/trace/play: core/codec core/config core/devices/outcome core/drive core/engine core/extender core/printable core/queue core/store core/trace core/volumes/outcome core/world
core/trace/segments: core/engine core/panics core/printable core/trace core/trace/play
core/soak: core/config core/drive core/engine core/evict/budget core/evict/device core/evict/lifecycle core/evict/pressure core/evict/taint core/framework core/leader core/leader/sim core/mk core/printable core/queue core/trace core/trace/play core/trace/segments core/world core/world/memory
core/soak/command: core/soak
core/soak/plant: core/planted
# questions about an engine
core/compare: core/config core/devices core/devices/outcome core/drive core/engine core/framework core/queue core/requests core/saturating core/trace core/trace/play core/volumes/outcome core/world
core/whatif/change: core/footprint core/printable core/requests
core/diagnose: core/cache core/config core/csimigration core/devices core/engine core/evict/budget core/framework core/gangs core/plugins/dynamicresources core/plugins/interpodaffinity core/plugins/nodeports core/plugins/nodevolumelimits core/plugins/podtopologyspread core/plugins/podvolumes core/plugins/volumebinding core/plugins/volumerestrictions core/plugins/volumezone core/preempt core/queue core/requests core/saturating core/spelling core/volumes core/volumes/outcome core/whatif/change core/world
core/whatif: core/config core/devices core/diagnose core/drive core/engine core/evict core/evict/budget core/evict/device core/evict/lifecycle core/evict/taint core/framework core/gangs core/plugins/podvolumes core/printable core/saturating core/store core/whatif/change core/world core/world/memory
# a scheduler and an operator on a cluster
core/world/live: core/extender core/footprint core/panics core/trim core/world
core/operate: core/printable core/whatif/change core/world
core/usage: core/evict/pressure core/operate core/printable core/world
core/usage/reader: core/evict/pressure core/operate core/panics core/printable core/usage core/world
core/stream: core/address core/printable core/trace/play
core/serving: core/address core/config core/panics core/stream
core/reach: core/address core/panics core/printable core/saturating
core/attach: core/panics core/stream core/trace core/trace/play
core/replica: core/config core/drive core/engine core/evict/device core/evict/taint core/framework core/leader core/panics core/queue core/reuse core/trace/play core/trace/segments core/world core/world/live
core/console: core/config core/drive core/engine core/framework core/operate core/panics core/plugins/unreadable core/printable core/replica core/shadow core/world core/world/live
# the screen
themes: core/boundedfile core/printable
core/changelog
views/filter: core/printable core/queue
views/draw: core/saturating themes
views/orbit
views: core/saturating themes views/draw views/filter views/orbit
views/collect: core/config core/diagnose core/drive core/engine core/evict core/evict/observer core/evict/pressure core/framework core/gangs core/leader core/plugins/gangscheduling core/plugins/nodevolumelimits core/plugins/podvolumes core/plugins/volumebinding core/printable core/queue core/requests core/saturating core/shadow core/trace/play core/usage core/whatif core/whatif/change core/world views views/filter views/orbit
# recordings and their scenarios
demo/scenario/strict: core/footprint core/printable core/spelling
demo/scenario: core/admission core/boundedfile core/config core/drive core/engine core/evict core/evict/budget core/evict/device core/evict/lifecycle core/evict/pressure core/evict/taint core/footprint core/framework core/leader core/leader/sim core/queue core/trace/play core/world core/world/memory demo/scenario/strict
demo/playback: core/engine core/framework core/trace core/trace/play
demo: core/engine core/printable core/trace core/trace/play core/world demo/scenario
demo/record: demo/scenario
docs/page
docs/features: docs/page
docs/limits: docs/page
docs/pictures: core/engine core/printable core/trace core/trace/play core/whatif core/whatif/change core/world demo demo/playback themes views views/collect views/draw
docs/scale: core/config core/engine core/mk core/mk/kinds core/world views views/collect views/draw
# the programs
tui/ptytest
tui/term/celldiff: themes views/draw
tui/term: core/outfile core/panics core/printable themes tui/term/celldiff views/draw
tui: core/attach core/console core/engine core/operate core/outfile core/printable core/saturating core/spelling core/trace core/trace/play core/usage core/usage/reader core/whatif core/whatif/change core/world demo/playback themes tui/term views views/collect views/draw views/filter
cmd/app: core/address core/attach core/boundedfile core/compare core/config core/config/review core/console core/diagnose core/drive core/engine core/evict/observer core/footprint core/framework core/gangs core/leader core/outfile core/panics core/plugins/unreadable core/printable core/queue core/reach core/replica core/saturating core/serving core/shadow core/spelling core/stream core/telemetry core/trace core/trace/play core/trace/segments core/trim core/usage/reader core/whatif core/whatif/change core/world core/world/live demo demo/playback demo/scenario themes tui tui/term views views/collect
cmd/orrery: cmd/app
cmd/example/favouritezone
cmd/example: cmd/app cmd/example/favouritezone
# what is published
cmd/release/platform
cmd/release/archive
cmd/release/krew: cmd/release/platform
cmd/release/build: cmd/release/platform
cmd/release/typecheck: cmd/release/build cmd/release/platform
cmd/release/licenses: cmd/release/build
docs/dependencies: cmd/release/licenses docs/page
cmd/release/sbom/sbomtest
cmd/release/sbom: cmd/release/build cmd/release/licenses cmd/release/platform
cmd/release/image: cmd/release/archive cmd/release/platform
cmd/release: cmd/release/archive cmd/release/build cmd/release/image cmd/release/krew cmd/release/licenses cmd/release/platform cmd/release/sbom cmd/release/typecheck
`

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

// TestHouse_DocNamesEveryPackage checks that the plan in doc.go is complete.
func TestHouse_DocNamesEveryPackage(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.FieldsFunc(string(doc), func(r rune) bool {
		return r != '/' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	for _, f := range floors() {
		name, inCore := strings.CutPrefix(f.name, "core/")
		if inCore && !slices.Contains(words, name) {
			t.Errorf("core/doc.go does not name the package %s", name)
		}
	}
}

// mayReadClock lists what meets the real world and may ask for the time.
var mayReadClock = []string{"core/drive", "core/world/live", "core/replica", "core/serving", "core/stream", "core/console", "core/usage/reader", "core/attach", "core/fuzz", "core/soak/command", "cmd/app", "tui", "core/parity", "docs/scale"}

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
	"cmd/app/record_cluster.go", "core/attach/session.go", "core/replica/recording.go", "core/replica/run.go",
	"core/fuzz/watch.go", "core/fuzz/command/session.go", "cmd/app/run_signals.go", "core/console/scheduling.go", "core/console/shadowing.go", "core/outfile/unfinished.go", "core/reach/forward.go",
	"core/soak/command/main.go", "tui/ptytest/session.go", "tui/term/guard.go", "tui/term/panics.go",
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
var mayUseStreams = []string{"cmd/app/app.go", "cmd/app/screenflags.go", "cmd/release/main.go", "tui/term/guard.go", "core/fuzz/command/main.go", "core/soak/command/main.go", "core/soak/plant/main.go", "demo/record/main.go", "docs/page/page.go", "docs/pictures/main.go", "docs/scale/main.go"}

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
