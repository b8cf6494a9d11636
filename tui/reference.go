package tui

import (
	"fmt"
	"strings"
)

// Reference returns docs/keys.md: all keys and commands.
func Reference() string {
	var b strings.Builder
	b.WriteString(`# Keys and commands

This page is made from the tables that the program itself goes by: ` + "`go test ./tui -run TestReference -update`" + `.
In the program, ` + "`?`" + ` tells of the keys of the pane that is open, and the last line of those that are of use at the moment.
Arrow keys always work, and nothing needs a mouse.
`)
	for g := range groups {
		fmt.Fprintf(&b, "\n## %s\n\n| keys | does | where |\n|---|---|---|\n", groupNames[g])
		for i := range bindings {
			if row := &bindings[i]; row.group == g {
				fmt.Fprintf(&b, "| %s | %s | %s |\n", keyNames(row), row.long, row.where.name)
			}
		}
	}
	b.WriteString("\n## Commands\n\nBehind `:`. Tab completes, up brings back earlier ones, and the beginning of a word will do if no other word has it.\n\n| command | does |\n|---|---|\n")
	b.WriteString("| `PANE` | the pane of that name, such as queue or decisions |\n")
	for _, w := range commands {
		if w.pane {
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimSpace(w.name+" "+strings.ToUpper(w.argument)), strings.ReplaceAll(w.help, "|", "\\|"))
	}
	b.WriteString("\n## Filters\n\nBehind `/`. Conditions stand side by side and all have to hold; `!` before one turns it round. `n` and `N` go from match to\nmatch; without a filter, `n` takes up the last one again.\n\n" + `| written | leaves |
|---|---|
| ` + "`web`" + ` | rows in which the word stands: in the name, the namespace, the state, the reason |
| ` + "`cart-0[0-3]`" + ` | rows that match the regular expression |
| ` + "`!web`" + ` | rows in which the word does not stand |
| ` + "`-n shop`" + ` | pods of the namespace |
| ` + "`-l app=web`" + ` | rows whose labels match |
| ` + "`~crt7`" + ` | names in which these letters follow one another |
`)
	return b.String()
}
