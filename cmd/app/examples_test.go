package app

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"orrery/core/scheduler/framework"
)

var (
	fence    = regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```$")
	codeSpan = regexp.MustCompile("`(orrery [^`]*)`")
	comment  = regexp.MustCompile(`\s+# .*$`)
)

// example is a command that a help text or a Markdown file prints, as printed. Those in running text may have placeholders.
type example struct {
	Command string
	InText  bool
}

// printedExamples returns all of them, in the order of the commands and files.
func printedExamples(t testing.TB) []example {
	t.Helper()
	var lines, inText []string
	everyCommand(func(c *cobra.Command) { lines = append(lines, strings.Split(c.Example, "\n")...) })
	var files []string
	for _, pattern := range []string{"../../docs/*.md", "../../docs/decisions/*.md", "../../*.md", "../../.github/*.md", "../../.github/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || found == nil {
			t.Fatalf("no pages are %s, %v", pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range fence.FindAllStringSubmatch(string(page), -1) {
			lines = append(lines, strings.Split(block[1], "\n")...)
		}
		for _, span := range codeSpan.FindAllStringSubmatch(string(page), -1) {
			inText = append(inText, strings.Join(strings.Fields(span[1]), " "))
		}
	}
	var all []example
	for i, line := range slices.Concat(lines, inText) {
		e := example{strings.TrimPrefix(strings.TrimSpace(comment.ReplaceAllString(line, "")), "$ "), i >= len(lines)}
		if strings.Contains(" "+e.Command, " orrery ") && !slices.ContainsFunc(all, func(o example) bool { return o.Command == e.Command }) {
			all = append(all, e)
		}
	}
	return all
}

// TestExamples_NameCommandsAndFlags parses every printed command. TestExamples_Run runs those that have no placeholders.
func TestExamples_NameCommandsAndFlags(t *testing.T) {
	for _, e := range printedExamples(t) {
		for _, part := range regexp.MustCompile(`[|&;>]+`).Split(e.Command, -1) {
			words := strings.Fields(part)
			if len(words) == 0 || words[0] != "orrery" {
				continue
			}
			c, rest, err := command(framework.Registry{}).Find(words[1:])
			if err == nil && c.HasParent() {
				if err = c.ParseFlags(rest); errors.Is(err, pflag.ErrHelp) {
					err = nil
				}
			}
			if err != nil || !c.HasParent() && len(words) > 1 && !strings.HasPrefix(words[1], "-") {
				t.Errorf("%s: %q names no command, %v", e.Command, c.Name(), err)
			}
		}
	}
}
