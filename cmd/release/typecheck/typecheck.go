// Package typecheck finds what does not compile for a platform, in seconds: it checks the types of source, and compiles nothing.
package typecheck

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"orrery/cmd/release/build"
	"orrery/cmd/release/platform"
)

// Check returns what is wrong with the packages of a module on a platform, tests included.
func Check(ctx context.Context, dir string, on platform.Platform) ([]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	all, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, Env: build.Environment(on), Tests: true, ParseFile: declarations(dir),
		Mode: packages.NeedName | packages.NeedModule | packages.NeedImports | packages.NeedDeps | packages.NeedCompiledGoFiles |
			packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedTypesSizes,
	}, "./...")
	if err != nil {
		return nil, fmt.Errorf("loading the packages for %s: %w", on, err)
	}
	var problems []string
	packages.Visit(all, nil, func(p *packages.Package) {
		for _, problem := range p.Errors {
			if concerns(p, problem) {
				problems = append(problems, fmt.Sprintf("%s: %s", on, strings.TrimPrefix(problem.Error(), dir+string(filepath.Separator))))
			}
		}
	})
	slices.Sort(problems)
	return slices.Compact(problems), nil
}

// concerns says whether an error is one of the module. Others are checked without the bodies of their functions, so that
// they do not use what they import; so is the main function of a test.
func concerns(p *packages.Package, err packages.Error) bool {
	ours := p.Module != nil && p.Module.Main && !strings.HasSuffix(p.ID, ".test")
	return ours || cmp.Or(err.Kind, packages.TypeError) != packages.TypeError
}

// declarations returns a parser that leaves out the bodies of functions that are not in a directory.
func declarations(dir string) func(*token.FileSet, string, []byte) (*ast.File, error) {
	return func(set *token.FileSet, name string, source []byte) (*ast.File, error) {
		file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
		if file == nil || strings.HasPrefix(name, dir+string(filepath.Separator)) {
			return file, err
		}
		for _, d := range file.Decls {
			if function, is := d.(*ast.FuncDecl); is {
				function.Body = nil
			}
		}
		return file, err
	}
}
