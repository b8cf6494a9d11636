package app

import (
	"strconv"
	"strings"

	"orrery/core/safe/spelling"
)

// suggestion ends the error of a misspelt name with the most similar names.
func suggestion(asked string, known []string) string {
	names := spelling.Nearest(asked, known, 3)
	if len(names) == 0 {
		return ""
	}
	for i, name := range names {
		names[i] = strconv.Quote(name)
	}
	return "; did you mean " + strings.Join(names, " or ") + "?"
}
