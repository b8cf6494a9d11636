package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// limit is a constant that is marked.
type limit struct {
	folder, name        string
	area, what, happens string
	bound               string
}

const (
	mark    = "//orrery:limit "
	inBytes = ", in bytes"
)

// subject is what is bounded, without the unit that the bound has.
func (l *limit) subject() string { return strings.TrimSuffix(l.what, inBytes) }

// called matches constants that are called bounds.
var called = regexp.MustCompile(`^([mM]ax|[mM]ost)[A-Z]`)

// find returns the marked constants of the repository in a folder, by folder and file.
func find(root string) ([]limit, error) {
	var all []limit
	var mistakes []string
	reasons := map[string]bool{}
	for _, list := range others {
		for _, name := range list {
			reasons[name] = false
		}
	}
	err := eachPackage(root, func(folder string, files []*ast.File, set *token.FileSet) {
		values := valuesOf(files, set)
		for _, c := range constantsOf(files) {
			full := folder + " " + c.name.Name
			l, marked, err := c.limit(folder)
			_, exempt := reasons[full]
			switch {
			case err != nil:
				mistakes = append(mistakes, err.Error())
			case marked && exempt:
				mistakes = append(mistakes, full+" is marked: remove it from docs/limits/others.go")
			case marked:
				l.bound = c.bound(&l, values, set)
				all = append(all, l)
			case exempt:
				reasons[full] = true
			case called.MatchString(c.name.Name) && bounds(folder):
				mistakes = append(mistakes, full+` bounds something: put a line "`+mark+`AREA; WHAT; WHAT HAPPENS THERE" above it, or it into docs/limits/others.go`)
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("looking for limits: %w", err)
	}
	for name, there := range reasons {
		if !there {
			mistakes = append(mistakes, "there is no constant "+name+", or it is not called a bound: remove it from docs/limits/others.go")
		}
	}
	if len(mistakes) > 0 {
		slices.Sort(mistakes)
		return nil, fmt.Errorf("%s", strings.Join(mistakes, "\n"))
	}
	return all, nil
}

// bounds reports whether a package is one of the program, and not of layout alone, or of tools.
func bounds(folder string) bool {
	for _, without := range []string{"cmd/release", "core/testing/fuzz", "core/testing/soak", "docs", "tui/ptytest", "views/draw", "views/orbit"} {
		if folder == without || strings.HasPrefix(folder, without+"/") {
			return false
		}
	}
	return folder != "views"
}

// marked is a constant of a package.
type declared struct {
	name  *ast.Ident
	value ast.Expr
	docs  []*ast.CommentGroup
}

func constantsOf(files []*ast.File) (all []declared) {
	for _, file := range files {
		for _, d := range file.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, s := range group.Specs {
				spec := s.(*ast.ValueSpec)
				for i, name := range spec.Names {
					c := declared{name: name, docs: []*ast.CommentGroup{spec.Doc}}
					if !group.Lparen.IsValid() {
						c.docs = append(c.docs, group.Doc)
					}
					if i < len(spec.Values) {
						c.value = spec.Values[i]
					}
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// limit reads the mark of a constant.
func (c *declared) limit(folder string) (l limit, marked bool, err error) {
	l = limit{folder: folder, name: c.name.Name}
	for _, doc := range c.docs {
		if doc == nil {
			continue
		}
		for _, line := range doc.List {
			text, is := strings.CutPrefix(line.Text, mark)
			if !is {
				continue
			}
			parts := strings.SplitN(text, "; ", 3)
			if len(parts) != 3 || strings.Contains(text, "|") {
				return l, true, fmt.Errorf("%s %s: its mark is no %q", folder, l.name, mark+"AREA; WHAT; WHAT HAPPENS THERE")
			}
			l.area, l.what, l.happens, marked = parts[0], parts[1], parts[2], true
		}
	}
	if marked && !slices.ContainsFunc(areas, func(a struct{ name, title string }) bool { return a.name == l.area }) {
		return l, true, fmt.Errorf("%s %s: there is no area %q in docs/limits/areas.go", folder, l.name, l.area)
	}
	return l, marked, nil
}

// bound writes the value of a constant; where it depends on another module's, as the source does.
func (c *declared) bound(l *limit, values map[*ast.Ident]types.Object, set *token.FileSet) string {
	if known, ok := values[c.name].(*types.Const); ok && known.Val().Kind() != constant.Unknown {
		return format(known, strings.HasSuffix(l.what, inBytes))
	}
	var source bytes.Buffer
	_ = printer.Fprint(&source, set, c.value) // into memory
	return "`" + source.String() + "`"
}

// eachPackage visits the packages of the module in the order of their folders, tests and other modules aside.
func eachPackage(root string, visit func(folder string, files []*ast.File, set *token.FileSet)) error {
	byFolder := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "parity" || strings.HasPrefix(d.Name(), ".") && path != root):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			folder, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			byFolder[filepath.ToSlash(folder)] = append(byFolder[filepath.ToSlash(folder)], path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	folders := make([]string, 0, len(byFolder))
	for folder := range byFolder {
		folders = append(folders, folder)
	}
	slices.Sort(folders)
	for _, folder := range folders {
		set := token.NewFileSet()
		var files []*ast.File
		for _, path := range byFolder[folder] {
			file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			files = append(files, file)
		}
		visit(folder, files, set)
	}
	return nil
}
