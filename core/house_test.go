package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport says, for each room of the house, which other rooms it may import. A room that is missing here may
// import none. Tests may reach further: they build whole scenes.
var mayImport = map[string][]string{
	"cmd/orrery":                     {"cmd/app"},
	"cmd/example":                    {"cmd/app"},
	"cmd/app":                        {"demo", "demo/...", "tui", "tui/...", "views", "views/...", "themes", "core/..."},
	"demo":                           {"core/...", "demo/..."},
	"demo/...":                       {"core/...", "demo", "demo/..."},
	"docs/pictures":                  {"core/...", "demo", "demo/...", "themes", "views", "views/..."},
	"tui":                            {"demo", "demo/...", "views", "views/...", "themes", "core/..."},
	"tui/...":                        {"core/printable", "themes", "views/draw"},
	"views":                          {"themes", "core/..."},
	"views/...":                      {"themes", "views/...", "views", "core/..."},
	"core/engine":                    {"core/cache", "core/config", "core/evict", "core/framework", "core/leader", "core/plugins", "core/plugins/queuesort", "core/preempt", "core/printable", "core/queue", "core/store", "core/world"},
	"core/queue":                     {"core/cache", "core/requests"},
	"core/cache":                     {"core/requests"},
	"core/framework":                 {"core/config", "core/world"},
	"core/preempt":                   {"core/framework", "core/world"},
	"core/evict":                     {"core/printable", "core/world"},
	"core/evict/...":                 {"core/evict", "core/printable", "core/requests", "core/store", "core/world"},
	"core/evict/clerk":               {"core/evict", "core/evict/...", "core/preempt", "core/printable", "core/store", "core/world"},
	"core/evict/pressure":            {"core/evict", "core/printable", "core/requests", "core/store", "core/world", "core/world/memory"},
	"core/whatif":                    {"core/..."},
	"core/compare":                   {"core/..."},
	"core/telemetry":                 {"core/cache", "core/config", "core/engine", "core/evict", "core/framework", "core/plugins/defaultpreemption", "core/preempt", "core/queue", "core/requests", "core/store", "core/world"},
	"core/shadow":                    {"core/cache", "core/config", "core/engine", "core/printable", "core/queue", "core/store", "core/world"},
	"core/serving":                   {"core/config", "core/printable", "core/telemetry"},
	"core/leader":                    {"core/world"},
	"core/leader/...":                {"core/leader", "core/world"},
	"core/store":                     {"core/printable", "core/world"},
	"core/config":                    {"core/printable"},
	"core/trace":                     {"core/printable", "core/store", "core/world"},
	"core/trace/play":                {"core/config", "core/engine", "core/printable", "core/queue", "core/store", "core/trace", "core/world"},
	"core/world/memory":              {"core/printable", "core/requests", "core/world"},
	"core/world/live":                {"core/cache", "core/engine", "core/evict", "core/printable", "core/store", "core/world"},
	"core/console":                   {"core/..."},
	"core/usage":                     {"core/evict/pressure", "core/operate", "core/printable", "core/world"},
	"core/operate":                   {"core/printable", "core/whatif", "core/world"},
	"core/replica":                   {"core/..."},
	"core/plugins":                   {"core/config", "core/framework", "core/plugins/...", "core/preempt"},
	"core/plugins/...":               {"core/config", "core/framework", "core/plugins/census", "core/plugins/hint", "core/requests", "core/world"},
	"core/plugins/defaultpreemption": {"core/config", "core/framework", "core/preempt", "core/world"},
}

func TestImportsRunOneWay(t *testing.T) {
	eachFile(t, func(room, path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(room, "core/parity") {
			return
		}
		for _, spec := range file.Imports {
			target, _ := strconv.Unquote(spec.Path.Value)
			target, ours := strings.CutPrefix(target, "orrery/")
			inside := covers(room+"/...", target) // a room's closets are its own
			if ours && !inside && !slices.ContainsFunc(allowed(room), func(pattern string) bool { return covers(pattern, target) }) {
				t.Errorf("%s: %s must not import %s; what may import what is written in core/house_test.go", path, room, target)
			}
			if strings.HasPrefix(target, "k8s.io/kubernetes") {
				t.Errorf("%s imports %s: only core/parity meets upstream's own packages", path, target)
			}
		}
	})
}

func TestNothingReadsAClockOrSleeps(t *testing.T) {
	banned := map[string][]string{
		"time": {"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTimer", "NewTicker"},
	}
	mayReadClock := []string{"core/world/live", "core/serving", "core/replica", "core/console", "core/leader", "core/usage", "cmd/app", "tui", "core/parity"}
	eachFile(t, func(room, path string, file *ast.File) {
		for _, spec := range file.Imports {
			if spec.Path.Value == `"math/rand"` {
				t.Errorf("%s imports math/rand: draw from a seeded math/rand/v2 source that is passed in", path)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if !ok || !slices.Contains(banned[pkg.Name], sel.Sel.Name) {
				return true
			}
			exempt := slices.ContainsFunc(mayReadClock, func(r string) bool { return covers(r+"/...", room) || r == room })
			// Upstream's goroutines run in testing/synctest's virtual time, where to sleep is to let time pass.
			virtual := covers("core/parity/...", room)
			if !exempt || (sel.Sel.Name == "Sleep" && strings.HasSuffix(path, "_test.go") && !virtual) {
				t.Errorf("%s uses %s.%s: time is passed in, and nothing sleeps", path, pkg.Name, sel.Sel.Name)
			}
			return true
		})
	})
}

func TestFilesStayReadable(t *testing.T) {
	const most = 500
	eachFile(t, func(_, path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		if lines := fileSet.Position(file.End()).Line; lines > most {
			t.Errorf("%s has %d lines: split it by idea, at most %d", path, lines, most)
		}
	})
}

func allowed(room string) []string {
	if list, ok := mayImport[room]; ok {
		return list
	}
	for pattern, list := range mayImport {
		if strings.HasSuffix(pattern, "/...") && covers(pattern, room) {
			return list
		}
	}
	return nil
}

// covers tells whether a pattern names a room: itself, or with "/..." any room below.
func covers(pattern, room string) bool {
	if parent, below := strings.CutSuffix(pattern, "/..."); below {
		return strings.HasPrefix(room, parent+"/")
	}
	return pattern == room
}

var fileSet = token.NewFileSet()

func eachFile(t *testing.T, visit func(room, path string, file *ast.File)) {
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
