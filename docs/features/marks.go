package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	mark    = regexp.MustCompile(`\bShows ([A-Z]+-\d+(?:(?:, | and )[A-Z]+-\d+)*)`)
	rowName = regexp.MustCompile(`[A-Z]+-\d+`)
)

// rowsIn returns the rows that a text says it shows. Line breaks and comment signs between them do not matter.
func rowsIn(text string) []string {
	text = strings.Join(strings.Fields(strings.NewReplacer("//", " ", "#", " ").Replace(text)), " ")
	var rows []string
	for _, found := range mark.FindAllString(text, -1) {
		rows = append(rows, rowName.FindAllString(found, -1)...)
	}
	return rows
}

// findMarks returns the tests of a repository by the rows that they show.
func findMarks(root string) (map[string][]string, error) {
	marks := map[string][]string{}
	add := func(test string, rows []string) {
		for _, name := range rows {
			if !slices.Contains(marks[name], test) {
				marks[name] = append(marks[name], test)
			}
		}
	}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inTestdata := strings.Contains(filepath.ToSlash(path), "/testdata/")
		name := entry.Name()
		switch {
		case entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "features"):
			return fs.SkipDir
		case strings.HasSuffix(name, "_test.go"):
			return marksOfTests(root, path, add)
		case inTestdata && (strings.HasSuffix(name, ".txtar") || strings.HasSuffix(name, ".txt")):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			before, _, _ := strings.Cut(string(text), "\n-- ")
			add(relative(root, path), rowsIn(before))
		}
		return nil
	})
	for _, tests := range marks {
		slices.Sort(tests)
	}
	return marks, err
}

// marksOfTests adds the marks in and above the functions of a file of tests.
func marksOfTests(root, path string, add func(test string, rows []string)) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	where := relative(root, filepath.Dir(path))
	for _, comment := range file.Comments {
		rows := rowsIn(comment.Text())
		if len(rows) == 0 {
			continue
		}
		test := testAt(file, comment)
		if test == "" {
			return fmt.Errorf("%s: the comment that shows %s is at no test", files.Position(comment.Pos()), strings.Join(rows, ", "))
		}
		add(where+" "+test, rows)
	}
	return nil
}

// testAt is the test that a comment stands above or in, empty if there is none.
func testAt(file *ast.File, comment *ast.CommentGroup) string {
	for _, d := range file.Decls {
		f, isFunc := d.(*ast.FuncDecl)
		if !isFunc || !strings.HasPrefix(f.Name.Name, "Test") {
			continue
		}
		if f.Doc == comment || f.Pos() <= comment.Pos() && comment.End() <= f.End() {
			return f.Name.Name
		}
	}
	return ""
}

func relative(root, path string) string {
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}
