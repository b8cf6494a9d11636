package main

import (
	"fmt"
	"regexp"
	"strings"

	"orrery/cmd/app"
)

// title is a line that begins a section of a help text.
var title = regexp.MustCompile(`^(Examples|More examples|Usage|Commands|Flags|Flags of kubectl|[A-Z][a-z -]+ flags):$`)

// plain escapes what Markdown would take for its own in running text.
var plain = strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`)

// page returns the page of a command, with links to the commands below it in place of their list.
func page(c *app.HelpPage, below []app.HelpPage) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- written by make docs from what %s --help prints -->\n# %s\n", c.Words, c.Words)
	if parent := parentOf(c.Words); parent != "" {
		fmt.Fprintf(&b, "\n[%s](%s) ›\n", parent, fileOf(parent))
	}
	section, inBlock, gap := "", false, true
	for line := range strings.Lines(c.Text) {
		line = strings.TrimRight(line, "\n")
		indented := strings.HasPrefix(line, " ")
		switch {
		case line == "":
			gap = true
			continue
		case section == "Commands" && indented && len(below) > 0, strings.HasSuffix(line, `--help" tells more about a command.`):
			continue
		}
		if inBlock && !indented {
			b.WriteString("```\n")
			inBlock, gap = false, true
		}
		if title.MatchString(line) {
			section = strings.TrimSuffix(line, ":")
			fmt.Fprintf(&b, "\n## %s\n", section)
			gap = true
			continue
		}
		if !indented {
			section, line = "", plain.Replace(line)
		}
		opens := indented && !inBlock
		if gap || opens {
			b.WriteString("\n")
		}
		if opens {
			b.WriteString("```\n")
			inBlock = true
		}
		gap = false
		b.WriteString(line + "\n")
	}
	if inBlock {
		b.WriteString("```\n")
	}
	return withLinks(b.String(), below)
}

// withLinks lists the commands below one under their title.
func withLinks(text string, below []app.HelpPage) string {
	if len(below) == 0 {
		return text
	}
	var list strings.Builder
	list.WriteString("\n## Commands\n\n| command | what it does |\n|---|---|\n")
	for _, c := range below {
		fmt.Fprintf(&list, "| [%s](%s) | %s |\n", c.Words, fileOf(c.Words), plain.Replace(c.Short))
	}
	return strings.Replace(text, "\n## Commands\n", list.String(), 1)
}
