package main

import (
	_ "embed"
	"fmt"
	"strings"

	"orrery/core/scheduler/release"
	"orrery/docs/page"
)

//go:embed page.txt
var text string

var written = page.Page{Name: "releases", Text: document}

func main() { written.Main() }

// document returns the text of the page.
func document(string) ([]byte, error) {
	tables := strings.NewReplacer("{{releases}}\n", releases(), "{{rules}}\n", rules())
	return []byte(tables.Replace(text)), nil
}

func releases() string {
	var b strings.Builder
	b.WriteString("| decides as kube-scheduler | of version |\n|---|---|\n")
	for _, r := range release.All() {
		fmt.Fprintf(&b, "| **%v** | **v%s** |\n", r, r.Patch())
	}
	return b.String()
}

func rules() string {
	var b strings.Builder
	b.WriteString("| since | rule | what these releases do | upstream |\n|---|---|---|---|\n")
	for _, rule := range release.Rules() {
		row := rule.Row()
		fmt.Fprintf(&b, "| %s | `%s` (%s) | %s | %s |\n", since(row), row.Name, row.Number, row.Sentence, row.Upstream)
	}
	return b.String()
}

// since says which releases follow a rule.
func since(row release.Row) string {
	if row.Last.String() == release.Newest.String() {
		return row.First.String()
	}
	return row.First.String() + " to " + row.Last.String()
}
