package tui

import (
	"slices"
	"strings"
	"testing"

	"orrery/core/answers/change"
)

func TestWhatIfCompletions_OfferEveryChange(t *testing.T) {
	offered := whatIfCompletions(nil, "")
	for line := range strings.Lines(change.Usage()) {
		verb, _, _ := strings.Cut(line, " ")
		if !slices.ContainsFunc(offered, func(o string) bool { return strings.HasPrefix(o, verb+" ") }) {
			t.Errorf("%q is not offered among %q", strings.TrimSpace(line), offered)
		}
	}
}

func TestWhatIfCompletions_MovedPodThenNode(t *testing.T) {
	s := newSession(t, 100, 30).keys("space").advance(20_000_000_000)
	s.keys(":").typeText("whatif mo").shows("move ").keys("tab").typeText("default/web-0").shows("move default/web-03")
	s.keys("tab").typeText(" nod").shows("default/web-03 node-0").keys("tab", "enter").shows("what-if: move default/web-03 node-0")
}
