package fuzz

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Target is a function that go test -fuzz runs.
type Target struct {
	Package string   // its folder below the root, with slashes
	Name    string   // FuzzRead
	Reads   string   // what it reads, in words
	Of      []string // the folders of the packages that read it
}

const directive = "//orrery:reads "

// Targets returns the targets of the tree below a root, in the order of their packages.
func Targets(root string) ([]Target, error) {
	var all []Target
	err := eachFile(root, isTest, func(name string, file *ast.File) error {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !isTarget(f) {
				continue
			}
			t, err := targetOf(path.Dir(name), f)
			if err != nil {
				return err
			}
			all = append(all, t)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for fuzz targets below %q: %w", root, err)
	}
	return all, nil
}

// isTarget reports whether a function is FuzzX(*testing.F).
func isTarget(f *ast.FuncDecl) bool {
	if !strings.HasPrefix(f.Name.Name, "Fuzz") || len(f.Type.Params.List) != 1 {
		return false
	}
	pointer, ok := f.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	of, ok := pointer.X.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "F"
}

func targetOf(folder string, f *ast.FuncDecl) (Target, error) {
	t := Target{Package: folder, Name: f.Name.Name}
	if f.Doc != nil {
		for _, line := range f.Doc.List {
			if of, ok := strings.CutPrefix(line.Text, directive); ok {
				t.Of = append(t.Of, strings.Fields(of)...)
			}
		}
		text := strings.Join(strings.Fields(f.Doc.Text()), " ")
		if reads, ok := strings.CutPrefix(text, t.Name+" reads "); ok {
			t.Reads = strings.TrimSuffix(reads, ".")
		}
	}
	if t.Reads == "" || len(t.Of) == 0 {
		return t, fmt.Errorf("%s of %s: its comment must begin with %q, and have a line %q with the packages that read it", t.Name, folder, t.Name+" reads ", directive)
	}
	return t, nil
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// eachFile visits some of the Go files below a root in the order of their folders, without testdata and hidden folders.
func eachFile(root string, wanted func(name string) bool, visit func(name string, file *ast.File) error) error {
	var files []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != root):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, ".go") && wanted(name):
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(files, func(a, b string) int { return strings.Compare(filepath.Dir(a), filepath.Dir(b)) })
	positions := token.NewFileSet()
	for _, name := range files {
		file, err := parser.ParseFile(positions, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if err := visit(filepath.ToSlash(below), file); err != nil {
			return err
		}
	}
	return nil
}
