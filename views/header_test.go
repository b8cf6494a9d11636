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

// Feature gates that are not at their defaults are named, or counted where their names do not fit.
func TestHeader_NamesChangedFeatureGates(t *testing.T) {
	m := sample(312, 60)
	m.Header.Gates, m.Header.GateCount = "SchedulerPopFromBackoffQ=false", 1
	for width, want := range map[int]string{220: "gate SchedulerPopFromBackoffQ=false", 160: "gate SchedulerPopFromBackoffQ=false", 100: "1 gate changed", 80: "1 gate changed", 60: "1 gate changed"} {
		c := screen(m, sampleState(views.Overview), size{width, 40}, draw.Braille)
		if line := strings.SplitN(c.Plain(), "\n", 2)[0]; !strings.Contains(line, want) {
			t.Errorf("%d columns: want %q in %s", width, want, line)
		}
	}
}

// The leader is on the first line at 80 columns, in a console too, where the agreement is the first to go.
func TestHeader_KeepsTheLeader(t *testing.T) {
	m := sample(312, 60)
	m.Header.Leader, m.Header.Compared, m.Header.AgreementRate = "ip-10-0-3-85.internal_5b1f0c9e-7c0a-4d0b", 4000, 0.993
	for width, want := range map[int]string{80: "leader ip-10", 140: "leader ip-10-0-3-85"} {
		c := screen(m, sampleState(views.Overview), size{width, 40}, draw.Braille)
		if line := strings.SplitN(c.Plain(), "\n", 2)[0]; !strings.Contains(line, want) || !strings.Contains(line, "(11s)") {
			t.Errorf("%d columns: want %q in %s", width, want, line)
		}
	}
}
