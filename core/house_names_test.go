package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// TestHouse_ShadowsNoBuiltin checks that nothing is named like a predeclared identifier of Go, as a parameter called max would be: code
// in its scope that means the builtin does something else. Fields and methods hide nothing.
func TestHouse_ShadowsNoBuiltin(t *testing.T) {
	eachFile(t, func(_, _ string, file *ast.File) {
		for _, name := range declared(file) {
			if types.Universe.Lookup(name.Name) != nil {
				t.Errorf("%s: %s hides Go's own %s: name it for what it is here", fileSet.Position(name.Pos()), name.Name, name.Name)
			}
		}
	})
}

func TestDeclared(t *testing.T) {
	const source = `package p
import imported "fmt"
type generic[T any] struct{ field int }
func (receiver generic[T]) method(param int) (result int) { return }
func function() {
	const constant = 1
	var variable int
	short, field.used = 1, 2
	short, err := 1, 2
	for key, value := range err {}
	for used, used = range err {}
	switch switched := err.(type) {}
	func(variadic ...int) {}()
}`
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, name := range declared(file) {
		names = append(names, name.Name)
	}
	slices.Sort(names)
	const want = "T constant err function generic imported key param receiver result short switched value variable variadic"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("declared names:\n%s, want\n%s", got, want)
	}
}

// declared returns the names that a file declares in its scope and in those of its functions.
func declared(file *ast.File) (names []*ast.Ident) {
	add := func(exprs ...ast.Expr) {
		for _, e := range exprs {
			if name, ok := e.(*ast.Ident); ok {
				names = append(names, name)
			}
		}
	}
	addFields := func(lists ...*ast.FieldList) {
		for _, list := range lists {
			if list != nil {
				for _, field := range list.List {
					names = append(names, field.Names...)
				}
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			if n.Name != nil {
				add(n.Name)
			}
		case *ast.TypeSpec:
			add(n.Name)
			addFields(n.TypeParams)
		case *ast.ValueSpec:
			names = append(names, n.Names...)
		case *ast.FuncDecl:
			addFields(n.Recv)
			if n.Recv == nil {
				add(n.Name)
			}
		case *ast.FuncType:
			addFields(n.TypeParams, n.Params, n.Results)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				add(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key, n.Value)
			}
		}
		return true
	})
	return names
}
