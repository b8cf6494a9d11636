package links

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

const (
	root = "../.."
	// fragment is a part of docs/limits.md, and its links are those of that page.
	fragment = "docs/limits/cluster.md"
)

var (
	block   = regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```$")
	span    = regexp.MustCompile("`[^`\n]+`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	target  = regexp.MustCompile(`(?m)^([a-z-]+):`)
	command = regexp.MustCompile(`(?:^|&& |\x60)make ([a-z][a-z-]*)`)
)

// documents returns the Markdown files of the repository by their paths with slashes, test data aside.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || name == "dist" || name == "bin" || name == ".git"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".md":
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, file)
		if name := filepath.ToSlash(below); name != fragment {
			all[name] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 40 {
		t.Fatalf("only %d documents were found", len(all))
	}
	return all
}

// linksOf returns where a document links to within the repository.
func linksOf(text string) []string {
	text = span.ReplaceAllString(block.ReplaceAllString(text, ""), "")
	var all []string
	for _, found := range link.FindAllStringSubmatch(text, -1) {
		if to := found[1]; !strings.Contains(to, "://") {
			all = append(all, to)
		}
	}
	return all
}

// resolve returns the path of the repository that a link of a document leads to, and the heading.
func resolve(document, to string) (file, anchor string) {
	file, anchor, _ = strings.Cut(to, "#")
	if file == "" {
		return document, anchor
	}
	return path.Join(path.Dir(document), file), anchor
}

// anchors are the names by which the headings of a document are linked to.
func anchors(text string) []string {
	var all []string
	seen := map[string]int{}
	for _, found := range heading.FindAllStringSubmatch(block.ReplaceAllString(text, ""), -1) {
		name := anchorOf(found[1])
		if n := seen[name]; n > 0 {
			all = append(all, name+"-"+strconv.Itoa(n))
		} else {
			all = append(all, name)
		}
		seen[name]++
	}
	return all
}

func anchorOf(title string) string {
	title = link.ReplaceAllString(title, "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

func TestLinks_LeadSomewhere(t *testing.T) {
	all := documents(t)
	for document, text := range all {
		for _, to := range linksOf(text) {
			file, anchor := resolve(document, to)
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
				t.Errorf("%s links to %s, and there is no such file", document, to)
			} else if anchor != "" && !slices.Contains(anchors(all[file]), anchor) {
				t.Errorf("%s links to %s, and %s has no such heading: it has %q", document, to, file, anchors(all[file]))
			}
		}
	}
}

func TestMakeTargets_Exist(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, found := range target.FindAllStringSubmatch(string(makefile), -1) {
		targets = append(targets, found[1])
	}
	named := 0
	for document, text := range documents(t) {
		var code []string
		for _, found := range block.FindAllStringSubmatch(text, -1) {
			code = append(code, strings.Split(found[1], "\n")...)
		}
		code = append(code, span.FindAllString(block.ReplaceAllString(text, ""), -1)...)
		for _, line := range code {
			for _, found := range command.FindAllStringSubmatch(strings.TrimSpace(line), -1) {
				named++
				if !slices.Contains(targets, found[1]) {
					t.Errorf("%s has %q, and the Makefile no target %s", document, line, found[1])
				}
			}
		}
	}
	if named < 40 {
		t.Errorf("only %d targets are named", named)
	}
}

func TestIndex_LeadsToEveryPage(t *testing.T) {
	all := documents(t)
	reached := map[string]bool{}
	var follow func(document string)
	follow = func(document string) {
		if reached[document] {
			return
		}
		reached[document] = true
		for _, to := range linksOf(all[document]) {
			if file, _ := resolve(document, to); all[file] != "" {
				follow(file)
			}
		}
	}
	follow("docs/index.md")
	for document := range all {
		if part := path.Dir(document); (part == "." || strings.HasPrefix(part, "docs")) && !reached[document] {
			t.Errorf("no way leads from docs/index.md to %s", document)
		}
	}
}

func TestAnchors(t *testing.T) {
	text := "# What it's: `a_b`, and (c)\n\n```\n# no heading\n```\n\n## Twice\n\n## Twice\n"
	if got, want := anchors(text), []string{"what-its-a_b-and-c", "twice", "twice-1"}; !slices.Equal(got, want) {
		t.Errorf("anchors %q, want %q", got, want)
	}
	if got := linksOf("[a](b.md#c) `[d](e)` [f](https://example.com)\n```\n[g](h)\n```\n![i](j.svg)"); !slices.Equal(got, []string{"b.md#c", "j.svg"}) {
		t.Errorf("links %q", got)
	}
}
