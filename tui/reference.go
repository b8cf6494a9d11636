package tui

import (
	"fmt"
	"strings"
)

// Reference returns docs/keys.md: all keys and commands.
func Reference() string {
	var b strings.Builder
	b.WriteString(`# Keys and commands

This page is generated from the program's own tables: ` + "`go test ./tui -run TestReference -update`" + `.
In the program, ` + "`?`" + ` lists the keys of the open pane, and the last line those that apply now.
The arrow keys always work, and no command needs a mouse. The names are for own keys in the settings: [screen.md](screen.md#settings).
`)
	for g := range ownKeys {
		fmt.Fprintf(&b, "\n## %s\n\n| keys | does | where | name |\n|---|---|---|---|\n", groupNames[g])
		for i := range bindings {
			if row := &bindings[i]; row.group == g {
				fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", keyNames(row), row.long, row.where.name, row.name)
			}
		}
	}
	b.WriteString("\n## Commands\n\nAfter `:`. Tab completes, up and down (or ctrl+p and ctrl+n) recall earlier commands of the session, and an unambiguous prefix is enough.\n\n| command | does |\n|---|---|\n")
	commandRows(&b, func(w *command) bool { return !w.pane && !w.key })
	b.WriteString("\n## Panes\n\nA pane is opened by its name, with a filter if one follows: `:pods -l app=web`, `:queue /Insufficient`, `:pods shop`.\n\n| command | opens |\n|---|---|\n")
	commandRows(&b, func(w *command) bool { return w.pane })
	b.WriteString("\nEach key has a command as well, by its name:")
	for i := range commands {
		if w := &commands[i]; w.key {
			b.WriteString(" `" + w.name + "`")
		}
	}
	b.WriteString(".\n")
	b.WriteString("\n## Filters\n\nAfter `/`. All conditions must hold; `!` inverts one. `n` and `N` go from match to match; without a filter, `n` applies the\nlast one again. While a filter is typed, up and down recall earlier ones.\nA text, and rows that cannot be filtered, `/` searches for what is typed, in any case; `n` and `N` go from match to match.\n\n" + `| filter | matches |
|---|---|
`)
	for _, f := range filterHelp {
		fmt.Fprintf(&b, "| `%s` | %s |\n", f.Key, inCode(f.Action))
	}
	return b.String()
}

// commandRows writes the rows of commands.
func commandRows(b *strings.Builder, which func(*command) bool) {
	for i := range commands {
		if w := &commands[i]; which(w) {
			fmt.Fprintf(b, "| `%s` | %s |\n", w.usage(), strings.ReplaceAll(w.help, "|", "\\|"))
		}
	}
}
