package views_test

import (
	"strings"
	"testing"

	"orrery/views"
	"orrery/views/draw"
)

func TestHeader_NamesTheOlderRequeueRule(t *testing.T) {
	m := sample(312, 60)
	firstLine := func(width int) string {
		c := screen(m, sampleState(views.Overview), size{width, 40}, draw.Braille)
		return strings.SplitN(c.Plain(), "\n", 2)[0]
	}
	if line := firstLine(140); strings.Contains(line, "requeue rule") {
		t.Errorf("the default rule is shown: %s", line)
	}
	m.Header.RequeueRule = "moveRequestCycle"
	for _, width := range []int{140, 80} {
		if line := firstLine(width); !strings.Contains(line, "requeue rule moveRequestCycle") {
			t.Errorf("%d columns: the rule is not shown: %s", width, line)
		}
	}
}
