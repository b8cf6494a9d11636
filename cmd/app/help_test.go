package app

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"orrery/core/scheduler/framework"
)

// everyCommand calls visit for the commands that a help text lists, and for orrery itself.
func everyCommand(visit func(*cobra.Command)) {
	var below func(c *cobra.Command)
	below = func(c *cobra.Command) {
		visit(c)
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && sub.Name() != "completion" {
				below(sub)
			}
		}
	}
	below(command(framework.Registry{}))
}

func TestHelp_FitsSmallTerminal(t *testing.T) {
	everyCommand(func(c *cobra.Command) {
		var help strings.Builder
		c.SetOut(&help)
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(help.String()) {
			if line = strings.TrimRight(line, "\n"); utf8.RuneCountInString(line) > helpColumns {
				t.Errorf("%s --help has a line of %d columns: %q", c.CommandPath(), utf8.RuneCountInString(line), line)
			}
		}
		first, _, _ := strings.Cut(help.String(), "\nUsage:")
		if c.Runnable() && c.HasFlags() && c.Example != "" && !strings.Contains(first, "\nExamples:\n  ") {
			t.Errorf("%s --help does not begin with examples", c.CommandPath())
		}
	})
}

func TestHelp_FlagsOfKubectlComeLast(t *testing.T) {
	c, _, err := command(framework.Registry{}).Find([]string{"explain"})
	if err != nil {
		t.Fatal(err)
	}
	text := helpText(c, flagGroups(c))
	own, kubectls := strings.Index(text, "\n  --trace TRACE\n"), strings.Index(text, "\nFlags of kubectl:\n")
	if token := strings.Index(text, "\n  --token string\n"); own < 0 || own > kubectls || token < kubectls {
		t.Errorf("--trace is at %d, kubectl's flags at %d, --token at %d", own, kubectls, token)
	}
}
