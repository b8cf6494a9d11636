package kubesource

import (
	"errors"
	"fmt"
	"go/ast"
	"io/fs"
	"path"
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

// Entry is the state of a gate from a version on.
type Entry struct {
	Minor       int // of the version
	Stage       string
	On, Locked  bool
	MinToCompat int // the minor number of MinCompatibilityVersion; 0 if the entry has none
}

// Specs are what the sources of a release say.
type Specs struct {
	names    map[string]string // the gates' names by the identifiers of their constants
	entries  map[string][]Entry
	requires map[string][]string // as identifiers until every source is read
}

// Gates returns the gates in the sources of a patch, such as 1.36.3.
func Gates(patch string) (*Specs, error) {
	s := &Specs{names: map[string]string{}, entries: map[string][]Entry{}, requires: map[string][]string{}}
	for _, from := range sources {
		files, err := Module(from.module, patch)
		if err != nil {
			return nil, err
		}
		if err := s.addFolder(files, from.folder); err != nil {
			return nil, fmt.Errorf("reading the feature gates in %s of %s %s: %w", from.folder, from.module, versionOf(from.module, patch), err)
		}
	}
	return s, nil
}

// addFolder adds the gates of one package. A package that a release does not have yet has none.
func (s *Specs) addFolder(from fs.FS, folder string) error {
	files, err := fs.Glob(from, folder+"/*.go")
	if err != nil {
		return err
	}
	for _, name := range files {
		if !isSource(name) {
			continue
		}
		file, err := parse(from, name)
		if err != nil {
			return err
		}
		if err := s.addFile(file); err != nil {
			return fmt.Errorf("%s: %w", path.Base(name), err)
		}
	}
	return nil
}

func (s *Specs) addFile(file *ast.File) (err error) {
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
func (s *Specs) addNames(spec *ast.ValueSpec) {
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

func (s *Specs) addEntries(lit *ast.CompositeLit) error {
	for _, element := range lit.Elts {
		gate := element.(*ast.KeyValueExpr)
		name := identifier(gate.Key)
		var entries []Entry
		for _, one := range gate.Value.(*ast.CompositeLit).Elts {
			e, err := entryOf(one.(*ast.CompositeLit))
			if err != nil {
				return fmt.Errorf("gate %s: %w", name, err)
			}
			entries = append(entries, e)
		}
		slices.SortStableFunc(entries, func(a, b Entry) int { return a.Minor - b.Minor })
		// kube-scheduler registers some gates by two packages, which have to agree.
		if other, registered := s.entries[name]; registered && !slices.Equal(entries, other) {
			return fmt.Errorf("gate %s is registered with other specs by another package", name)
		}
		s.entries[name] = entries
	}
	return nil
}

func entryOf(lit *ast.CompositeLit) (e Entry, err error) {
	for _, element := range lit.Elts {
		field := element.(*ast.KeyValueExpr)
		switch name := identifier(field.Key); name {
		case "Version":
			e.Minor, err = minorOf(field.Value)
		case "MinCompatibilityVersion":
			e.MinToCompat, err = minorOf(field.Value)
		case "Default":
			e.On = identifier(field.Value) == "true"
		case "LockToDefault":
			e.Locked = identifier(field.Value) == "true"
		case "PreRelease":
			e.Stage = identifier(field.Value)
		default:
			err = fmt.Errorf("a spec has the field %s, which this program does not know", name)
		}
		if err != nil {
			return Entry{}, err
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

func (s *Specs) addRequires(lit *ast.CompositeLit) {
	for _, element := range lit.Elts {
		gate := element.(*ast.KeyValueExpr)
		for _, parent := range gate.Value.(*ast.CompositeLit).Elts {
			name := identifier(gate.Key)
			s.requires[name] = append(s.requires[name], identifier(parent))
		}
	}
}
