package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// goPackage is what go list says of a package.
type goPackage struct {
	ImportPath, Dir, ForTest           string
	Imports, TestImports, XTestImports []string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Module                             *struct{ Main bool }
	DepOnly                            bool
	starts                             bool // its files start goroutines
	tests                              int  // the bytes of its tests, which stand for how long they take
}

// elsewhere are packages whose goroutines run in no other package's tests: fuzz starts one in the processes of go test -fuzz, and files one
// that waits for a signal while a command writes.
var elsewhere = []string{"orrery/core/testing/fuzz", "orrery/core/safe/files"}

// runsTheCommands runs commands of cmd/app in processes, as the tests of cmd/app do with the race detector.
const runsTheCommands = "orrery/cmd/example"

// sortByGoroutines returns the packages of a module to test with the race detector and without it. In the tests of raced ones several
// goroutines may run; in those of the others only the test's own does, so that there is nothing to find. Raced ones that test less
// with the race detector (core/testing/race) are tested both ways. The longest come first, so that none is left alone at the end.
func sortByGoroutines(dir, pattern string) (raced, plain []string, err error) {
	packages, err := list(dir, pattern)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range packages {
		if p.starts, err = startsGoroutines(p.Dir, p.GoFiles); err != nil {
			return nil, nil, err
		}
	}
	for path, p := range packages {
		if !p.tested() {
			continue
		}
		files := slices.Concat(p.TestGoFiles, p.XTestGoFiles)
		tests, err := startsGoroutines(p.Dir, files)
		if err == nil {
			p.tests, err = bytesOf(p.Dir, files)
		}
		if err != nil {
			return nil, nil, err
		}
		reached := reach(packages, slices.Concat([]string{path}, p.TestImports, p.XTestImports))
		starts := path != runsTheCommands && (tests || slices.ContainsFunc(reached, func(p *goPackage) bool { return p.starts && !slices.Contains(elsewhere, p.ImportPath) }))
		if starts {
			raced = append(raced, path)
		}
		if !starts || slices.Contains(slices.Concat(p.TestImports, p.XTestImports), "orrery/core/testing/race") {
			plain = append(plain, path)
		}
	}
	longestFirst := func(a, b string) int {
		return cmp.Or(cmp.Compare(packages[b].tests, packages[a].tests), strings.Compare(a, b))
	}
	slices.SortFunc(raced, longestFirst)
	slices.SortFunc(plain, longestFirst)
	return raced, plain, nil
}

// bytesOf adds up the sizes of files in a folder.
func bytesOf(dir string, files []string) (n int, err error) {
	for _, name := range files {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return 0, fmt.Errorf("looking for long tests: %w", err)
		}
		n += int(info.Size())
	}
	return n, nil
}

// tested returns the packages of a module that have tests.
func tested(dir, pattern string) (paths []string, err error) {
	packages, err := list(dir, pattern)
	for path, p := range packages {
		if p.tested() {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths, err
}

// apiServer is the package that starts a real API server, and prometheus the module that evaluates the alerts of manifests.
const (
	apiServer  = "orrery/core/parity/apiserver"
	prometheus = "github.com/prometheus/prometheus/"
)

// sortByServer returns the comparisons that run in one process, and those that start a server, or link one.
func sortByServer(dir, pattern string) (inProcess, servers []string, err error) {
	packages, err := list(dir, pattern)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		p := packages[path]
		if !p.tested() {
			continue
		}
		links := func(p *goPackage) bool {
			return p.ImportPath == apiServer || slices.ContainsFunc(slices.Concat(p.Imports, p.TestImports, p.XTestImports), func(to string) bool {
				return strings.HasPrefix(to, prometheus)
			})
		}
		if slices.ContainsFunc(reach(packages, slices.Concat([]string{path}, p.TestImports, p.XTestImports)), links) {
			servers = append(servers, path)
		} else {
			inProcess = append(inProcess, path)
		}
	}
	return inProcess, servers, nil
}

func (p *goPackage) tested() bool { return !p.DepOnly && len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// list returns a module's packages of a pattern, and those that they and their tests import.
func list(dir, pattern string) (map[string]*goPackage, error) {
	cmd := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,ForTest,Imports,TestImports,XTestImports,GoFiles,TestGoFiles,XTestGoFiles,Module,DepOnly", pattern)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing packages: %w", withOutput(err))
	}
	packages := map[string]*goPackage{}
	for read := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &goPackage{}
		if err := read.Decode(p); err == io.EOF {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the list of packages: %w", err)
		}
		if p.Module == nil || !p.Module.Main || p.ForTest != "" || filepath.Ext(p.ImportPath) == ".test" {
			continue
		}
		packages[p.ImportPath] = p
	}
}

// compile compiles packages and all that they import; with the flag -test their tests, too.
func compile(dir, pattern string, flags ...string) error {
	cmd := exec.Command("go", append(append([]string{"list", "-export", "-deps"}, flags...), pattern)...)
	cmd.Dir = dir
	if _, err := cmd.Output(); err != nil {
		return fmt.Errorf("compiling %s: %w", pattern, withOutput(err))
	}
	return nil
}

// withOutput adds what a command has written to its standard error to the error of running it.
func withOutput(err error) error {
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	return err
}

func reach(packages map[string]*goPackage, from []string) (all []*goPackage) {
	seen := map[string]bool{}
	for len(from) > 0 {
		path := from[0]
		from = from[1:]
		if p := packages[path]; p != nil && !seen[path] {
			seen[path] = true
			all = append(all, p)
			from = append(from, p.Imports...)
		}
	}
	return all
}

// startsGoroutines reports whether one of a package's files may start a goroutine, by itself or by what it calls in other modules.
func startsGoroutines(dir string, files []string) (bool, error) {
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return false, fmt.Errorf("looking for goroutines: %w", err)
		}
		starts := slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"net/http/httptest"` })
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				starts = true
			case *ast.CallExpr:
				called, ok := n.Fun.(*ast.SelectorExpr)
				starts = starts || ok && slices.Contains([]string{"Go", "AfterFunc", "Parallel", "RunWithContext", "NewProgram"}, called.Sel.Name)
			}
			return !starts
		})
		if starts {
			return true, nil
		}
	}
	return false, nil
}
