package app

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpColumns is the width of help texts: that of the smallest terminal in use.
const helpColumns = 80

// leading is the number of examples before everything else, the commonest ones.
const leading = 2

// flagGroup is flags that a help text lists under a title.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// setHelp gives a command and those below it a help text that begins with examples.
func setHelp(c *cobra.Command) {
	c.SetHelpFunc(func(c *cobra.Command, _ []string) { fmt.Fprint(c.OutOrStdout(), helpText(c, flagGroups(c))) })
}

// flagGroups are a command's own flags, and kubectl's.
func flagGroups(c *cobra.Command) []flagGroup {
	own, kubectls := pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, kubectl := f.Annotations[ofKubectl]; kubectl {
			kubectls.AddFlag(f)
		} else {
			own.AddFlag(f)
		}
	})
	return []flagGroup{{"Flags", own}, {"Flags of kubectl", kubectls}}
}

// helpText leads with what is typed most often.
func helpText(c *cobra.Command, groups []flagGroup) string {
	var b strings.Builder
	b.WriteString(paragraphs(c.Short) + "\n")
	examples := strings.Split(asTyped(c, strings.TrimRight(c.Example, "\n")), "\n")
	first, more := examples[:min(leading, len(examples))], examples[min(leading, len(examples)):]
	helpSection(&b, "Examples", strings.Join(first, "\n"))
	helpSection(&b, "Usage", "  "+strings.Join(usageLines(c), "\n  "))
	if c.Long != "" {
		b.WriteString("\n" + paragraphs(asTyped(c, c.Long)) + "\n")
	}
	helpSection(&b, "More examples", strings.Join(more, "\n"))
	helpSection(&b, "Commands", commandLines(c))
	for _, g := range groups {
		helpSection(&b, g.title, flagLines(g.flags))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\"%s COMMAND --help\" tells more about a command.\n", c.CommandPath())
	}
	return b.String()
}

func helpSection(b *strings.Builder, title, text string) {
	if strings.TrimSpace(text) != "" {
		fmt.Fprintf(b, "\n%s:\n%s\n", title, text)
	}
}

func usageLines(c *cobra.Command) []string {
	var lines []string
	if c.Runnable() && c.HasParent() {
		lines = append(lines, c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		lines = append(lines, c.CommandPath()+" COMMAND")
	}
	return lines
}

func commandLines(c *cobra.Command) string {
	width := c.NamePadding() + 2
	var lines []string
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		for i, line := range wrapText(sub.Short, helpColumns-width-2) {
			name := ""
			if i == 0 {
				name = sub.Name()
			}
			lines = append(lines, fmt.Sprintf("  %-*s%s", width, name, line))
		}
	}
	return strings.Join(lines, "\n")
}

// flagLines has each flag on a line, and below it what it is for.
func flagLines(set *pflag.FlagSet) string {
	var lines []string
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if kind != "" {
			name += " " + kind
		}
		if f.NoOptDefVal == "" && f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "0" && f.DefValue != "0s" {
			usage += " (default " + f.DefValue + ")"
		}
		lines = append(lines, "  "+name)
		for _, line := range wrapText(usage, helpColumns-8) {
			lines = append(lines, "        "+line)
		}
	})
	return strings.Join(lines, "\n")
}

// paragraphs wraps a text. Indented lines stay as they are; others that follow each other become one paragraph.
func paragraphs(text string) string {
	var lines, joined []string
	flush := func() {
		if len(joined) > 0 {
			lines = append(lines, wrapText(strings.Join(joined, " "), helpColumns)...)
		}
		joined = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line != "" && !strings.HasPrefix(line, " ") {
			joined = append(joined, line)
			continue
		}
		flush()
		lines = append(lines, line)
	}
	flush()
	return strings.Join(lines, "\n")
}
