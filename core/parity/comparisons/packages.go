package comparisons

import (
	"fmt"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
)

// documentedPackage is a package of core with its section on differences in Markdown.
type documentedPackage struct{ path, text string }

var differences = regexp.MustCompile(`^Differences from (kube-scheduler|Kubernetes|the kubelet|client-go)$`)

// documented reads the sections on differences from the package comments below core, in the order of the paths.
func documented(root string) (all []documentedPackage, err error) {
	core := filepath.Join(root, "core")
	err = filepath.WalkDir(core, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path == filepath.Join(core, "parity") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return fmt.Errorf("reading the comment of %s: %w", path, err)
		}
		if text := section(file.Doc.Text()); text != "" {
			name, err := filepath.Rel(root, filepath.Dir(path))
			all = append(all, documentedPackage{filepath.ToSlash(name), text})
			return err
		}
		return nil
	})
	return all, err
}

// section is the section on differences of a package comment.
func section(text string) string {
	if text == "" {
		return ""
	}
	var blocks []comment.Block
	inside := false
	for _, block := range new(comment.Parser).Parse(text).Content {
		if heading, ok := block.(*comment.Heading); ok {
			title, _ := heading.Text[0].(comment.Plain)
			inside = differences.MatchString(string(title))
			continue
		}
		if inside {
			blocks = append(blocks, block)
		}
	}
	if len(blocks) == 0 {
		return ""
	}
	return string(new(comment.Printer).Markdown(&comment.Doc{Content: blocks}))
}
