package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// sources are the packages whose gates kube-scheduler registers, each with its module.
var sources = []struct{ module, folder string }{
	{"k8s.io/kubernetes", "pkg/features"},
	{"k8s.io/apiserver", "pkg/features"},
	{"k8s.io/apiextensions-apiserver", "pkg/features"},
	{"k8s.io/controller-manager", "pkg/features"},
	{"k8s.io/client-go", "features"},
	{"k8s.io/component-base", "logs/api/v1"},
	{"k8s.io/component-base", "metrics/features"},
	{"k8s.io/component-base", "zpages/features"},
}

// entry is the state of a gate from a version on.
type entry struct {
	minor       int // of the version
	stage       string
	on, locked  bool
	minToCompat int // the minor number of MinCompatibilityVersion; 0 if the entry has none
}

// specs are what the sources of a release say.
type specs struct {
	names    map[string]string // the gates' names by the identifiers of their constants
	entries  map[string][]entry
	requires map[string][]string // as identifiers until every source is read
}

// read returns the gates in the sources of a patch, such as 1.36.3.
func read(patch string) (*specs, error) {
	s := &specs{names: map[string]string{}, entries: map[string][]entry{}, requires: map[string][]string{}}
	for _, from := range sources {
		version := "v" + patch
		if from.module != "k8s.io/kubernetes" {
			version = "v0" + strings.TrimPrefix(patch, "1") // staging modules are numbered so
		}
		dir, err := moduleDir(from.module, version)
		if err != nil {
			return nil, err
		}
		if err := s.addFolder(filepath.Join(dir, filepath.FromSlash(from.folder))); err != nil {
			return nil, fmt.Errorf("reading the feature gates in %s of %s %s: %w", from.folder, from.module, version, err)
		}
	}
	return s, nil
}

// moduleDir returns the folder of a module in the module cache, and fetches the module if it is missing.
func moduleDir(module, version string) (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", module+"@"+version).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s%s", err, exit.Stderr, out)
		}
		return "", fmt.Errorf("fetching %s %s: %w", module, version, err)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(out, &found); err != nil {
		return "", fmt.Errorf("reading where %s %s is: %w", module, version, err)
	}
	return found.Dir, nil
}

// addFolder adds the gates of one package. A package that a release does not have yet has none.
func (s *specs) addFolder(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if err := s.addFile(file); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
	}
	return nil
}

func (s *specs) addFile(file *ast.File) (err error) {
	ast.Inspect(file, func(n ast.Node) bool {
		if err != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.ValueSpec:
			s.addNames(n)
		case *ast.CompositeLit:
			switch mapped(n) {
			case "VersionedSpecs":
				err = s.addEntries(n)
				return false
			case "[]Feature":
				s.addRequires(n)
				return false
			}
		}
		return true
	})
	return err
}

// addNames adds constants of the type Feature, and those without a type, as a few of the gates' are written.
func (s *specs) addNames(spec *ast.ValueSpec) {
	if spec.Type != nil && identifier(spec.Type) != "Feature" {
		return
	}
	for i, value := range spec.Values {
		if text, ok := converted(value).(*ast.BasicLit); ok {
			s.names[spec.Names[i].Name], _ = strconv.Unquote(text.Value)
		}
	}
}

// mapped returns the type to which a literal maps features; "" if it does not.
func mapped(lit *ast.CompositeLit) string {
	m, ok := lit.Type.(*ast.MapType)
	if !ok || identifier(m.Key) != "Feature" {
		return ""
	}
	if list, ok := m.Value.(*ast.ArrayType); ok {
		return "[]" + identifier(list.Elt)
	}
	return identifier(m.Value)
}

// converted returns what a conversion to Feature converts, and anything else as it is.
func converted(e ast.Expr) ast.Expr {
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 && identifier(call.Fun) == "Feature" {
		return call.Args[0]
	}
	return e
}

// identifier returns the last identifier of a name, without its package.
func identifier(e ast.Expr) string {
	switch e := converted(e).(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

func (s *specs) addEntries(lit *ast.CompositeLit) error {
	for _, element := range lit.Elts {
		gate := element.(*ast.KeyValueExpr)
		name := identifier(gate.Key)
		var entries []entry
		for _, one := range gate.Value.(*ast.CompositeLit).Elts {
			e, err := entryOf(one.(*ast.CompositeLit))
			if err != nil {
				return fmt.Errorf("gate %s: %w", name, err)
			}
			entries = append(entries, e)
		}
		slices.SortStableFunc(entries, func(a, b entry) int { return a.minor - b.minor })
		// kube-scheduler registers some gates by two packages, which have to agree.
		if other, registered := s.entries[name]; registered && !slices.Equal(entries, other) {
			return fmt.Errorf("gate %s is registered with other specs by another package", name)
		}
		s.entries[name] = entries
	}
	return nil
}

func entryOf(lit *ast.CompositeLit) (e entry, err error) {
	for _, element := range lit.Elts {
		field := element.(*ast.KeyValueExpr)
		switch name := identifier(field.Key); name {
		case "Version":
			e.minor, err = minorOf(field.Value)
		case "MinCompatibilityVersion":
			e.minToCompat, err = minorOf(field.Value)
		case "Default":
			e.on = identifier(field.Value) == "true"
		case "LockToDefault":
			e.locked = identifier(field.Value) == "true"
		case "PreRelease":
			e.stage = identifier(field.Value)
		default:
			err = fmt.Errorf("a spec has the field %s, which this program does not know", name)
		}
		if err != nil {
			return entry{}, err
		}
	}
	return e, nil
}

// minorOf reads version.MustParse("1.36") and version.MajorMinor(1, 36).
func minorOf(e ast.Expr) (int, error) {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return 0, errors.New("a version is not written as a call")
	}
	text, ok := call.Args[len(call.Args)-1].(*ast.BasicLit)
	if !ok {
		return 0, errors.New("a version is not written as a literal")
	}
	number := strings.TrimPrefix(strings.Trim(text.Value, `"`), "1.")
	return strconv.Atoi(number)
}

func (s *specs) addRequires(lit *ast.CompositeLit) {
	for _, element := range lit.Elts {
		gate := element.(*ast.KeyValueExpr)
		for _, parent := range gate.Value.(*ast.CompositeLit).Elts {
			name := identifier(gate.Key)
			s.requires[name] = append(s.requires[name], identifier(parent))
		}
	}
}
