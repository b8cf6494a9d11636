package licenses

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Terms returns a file with the terms of all modules, equal texts once.
func Terms(program string, modules []Module) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "Terms of what is in %s, besides its own. These modules are in it:\n\n", program)
	var files []string // in the order in which they first come
	of := map[string][]string{}
	for _, m := range modules {
		fmt.Fprintf(&b, "  %s %s: %s\n", m.Path, cmp.Or(m.Version, "(local)"), strings.Join(m.IDs, ", "))
		for _, t := range m.Texts {
			if of[t.Content] == nil {
				files = append(files, t.Content)
			}
			of[t.Content] = append(of[t.Content], m.Path+": "+t.File)
		}
	}
	for _, content := range files {
		slices.Sort(of[content])
		fmt.Fprintf(&b, "\n%s\n\n%s\n", strings.Repeat("-", 78)+"\n"+strings.Join(of[content], "\n"), content)
	}
	return []byte(b.String())
}
