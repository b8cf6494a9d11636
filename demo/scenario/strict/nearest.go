package strict

import (
	"strings"

	"orrery/core/spelling"
)

// Nearest is the name among those there are that was most likely meant; empty if none is like it.
func Nearest(written string, names []string) string {
	best, least := "", len(written)/3+2
	for _, name := range names {
		if len(written) > 64 {
			break
		}
		d := spelling.Mistakes(strings.ToLower(written), strings.ToLower(name))
		if len(written) > 2 && strings.HasPrefix(name, written) {
			d = min(d, 1) // cut short
		}
		if d < least {
			best, least = name, d
		}
	}
	return best
}

// Among says what can be chosen from, and what was most likely meant.
func Among(written string, names []string) string {
	if near := Nearest(written, names); near != "" {
		return "did you mean " + near + "?"
	}
	if len(names) == 0 {
		return "there are none"
	}
	const most = 12
	if len(names) > most {
		return "there are " + strings.Join(names[:most], ", ") + " and others"
	}
	return "there are " + strings.Join(names, ", ")
}
