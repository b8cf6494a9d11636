package strict

import (
	"strings"

	"orrery/core/safe/spelling"
)

// Suggest returns a remedy: the nearest of the names, or all of them.
func Suggest(written string, names []string) string {
	if near := spelling.Nearest(written, names, 1); len(near) > 0 {
		return "did you mean " + near[0] + "?"
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
