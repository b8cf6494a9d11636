package cycle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// words lists what was counted.
func (n tally) words() string {
	var b strings.Builder
	for _, what := range slices.Sorted(maps.Keys(n)) {
		fmt.Fprintf(&b, "\n%10d  %s", n[what], what)
	}
	return b.String()
}
