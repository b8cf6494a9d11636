package tui

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"orrery/core/safe/printable"
)

// namedKeyNames are the keys that have a name and that every terminal sends.
var namedKeyNames = []string{"space", "tab", "shift+tab", "enter", "backspace", "insert", "delete", "home", "end", "pgup", "pgdown", "up", "down", "left", "right"}

// isKey reports whether a text names a key that every terminal sends.
func isKey(name string) bool {
	if letter, is := strings.CutPrefix(name, "ctrl+"); is {
		return len(letter) == 1 && letter[0] >= 'a' && letter[0] <= 'z' && letter != "c"
	}
	r, size := utf8.DecodeRuneInString(name)
	return slices.Contains(namedKeyNames, name) || size == len(name) && size > 0 && unicode.IsGraphic(r) && r != ' ' && r != utf8.RuneError
}

// ownBindings returns the key table with the user's own keys.
func (s *Settings) ownBindings() ([]binding, error) {
	table := slices.Clone(bindings)
	names := make([]string, 0, len(table))
	for i := range table {
		names = append(names, table[i].name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range slices.Sorted(maps.Keys(s.Keys)) {
		rows := rowsNamed(table, name)
		switch {
		case len(rows) == 0:
			return nil, s.Fail("keys."+name, "nothing is called %+q%s", printable.Line(name, 40), meant(name, names))
		case len(rows) > 1:
			return nil, s.Fail("keys."+name, "it has different keys in different panes, which cannot be changed")
		}
		if err := s.setKeys(rows[0], s.Keys[name]); err != nil {
			return nil, err
		}
	}
	table = append(table, s.ownCommandBindings()...)
	return table, s.checkUnique(table)
}

func rowsNamed(table []binding, name string) (rows []*binding) {
	for i := range table {
		if table[i].name == name {
			rows = append(rows, &table[i])
		}
	}
	return rows
}

// setKeys gives a row its own keys. Where a row has a key for each of several things, so must the own ones.
func (s *Settings) setKeys(b *binding, own []string) error {
	field := "keys." + b.name
	for _, key := range own {
		if !isKey(key) {
			return s.Fail(field, "%+q is no key that every terminal sends: say a letter or a sign, ctrl+ and a letter but c, or one of %s", printable.Line(key, 40), strings.Join(namedKeyNames, ", "))
		}
	}
	if len(own) == 0 || len(b.keys) > 1 && len(own) != len(b.keys) && b.oneEach {
		return s.Fail(field, "it takes %d keys, in place of %s", len(b.keys), strings.Join(b.keys, " and "))
	}
	acts := make(map[string]string, len(own))
	for i, key := range own {
		acts[key] = b.keys[min(i, len(b.keys)-1)]
	}
	b.acts, b.keys, b.label = acts, own, strings.Join(own, " ")
	return nil
}

// checkUnique reports the first own key that does two things in a pane.
func (s *Settings) checkUnique(table []binding) error {
	for _, id := range allPaneIDs() {
		taken := map[string]*binding{}
		for i := range table {
			b := &table[i]
			if !b.worksOn(id) {
				continue
			}
			for _, key := range b.keys {
				if other := taken[key]; other != nil {
					field := "keys." + b.name
					switch {
					case b.group == ownKeys:
						field = "commands." + b.name
					case b.acts == nil:
						field, other = "keys."+other.name, b
					}
					return s.Fail(field, "%s is the key of %s, too, in %s", key, other.name, paneWord(id))
				}
				taken[key] = b
			}
		}
	}
	return nil
}
