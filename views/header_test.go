package views_test

import (
	"strings"
	"testing"
	"time"

	"orrery/themes"
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
	for width, want := range map[int]string{140: "requeue rule moveRequestCycle", 100: "rule changed", 80: "rule changed", 60: "rule changed"} {
		if line := firstLine(width); !strings.Contains(line, want) {
			t.Errorf("%d columns: want %q in %s", width, want, line)
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

// The release that is decided as is on the first line from 80 columns on, beside the leader; that the server is newer where there is room.
func TestHeader_NamesTheRelease(t *testing.T) {
	m := sample(312, 60)
	m.Header.Leader, m.Header.Mode = "ip-10-0-3-85.internal_5b1f0c9e-7c0a-4d0b", views.Shadow
	m.Header.Kubernetes = "1.37"
	firstLine := func(width int) string {
		c := screen(m, sampleState(views.Overview), size{width, 40}, draw.Braille)
		return strings.SplitN(c.Plain(), "\n", 2)[0]
	}
	if line := firstLine(140); strings.Contains(line, "as 1.37") {
		t.Errorf("a release that goes without saying is named: %s", line)
	}
	m.Header.NamesRelease = true
	for _, width := range []int{80, 140, 220} {
		if line := firstLine(width); !strings.Contains(line, "as 1.37") || !strings.Contains(line, "leader ip-10") {
			t.Errorf("%d columns: want the release and the leader in %s", width, line)
		}
	}
	m.Header.NewerServer = "v1.41.0"
	if line := firstLine(220); !strings.Contains(line, "as 1.37   server newer: v1.41.0") {
		t.Errorf("the newer server is not named: %s", line)
	}
	if line := firstLine(80); !strings.Contains(line, "as 1.37") {
		t.Errorf("80 columns: want the release in %s", line)
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

// From 80 columns on, a cluster without a leader says so on the first line, and an attached scheduler that it leads.
func TestHeader_SaysWhoLeadsInEveryMode(t *testing.T) {
	for _, row := range []struct {
		mode   views.Mode
		leader string
		left   time.Duration
		want   string
	}{
		{views.Shadow, "", 0, "leader none"},
		{views.Acting, "", 0, "leader none"},
		{views.Shadow, "replica-b", 11 * time.Second, "leader replica-b (11s)"},
		{views.Attached, "vm", 0, "leader vm "},
		{views.Attached, "", 0, "leader elsewhere"},
		{views.Demo, "", 0, ""},
	} {
		m := sample(312, 60)
		m.Header.Mode, m.Header.Leader, m.Header.LeaseLeft = row.mode, row.leader, row.left
		for _, width := range []int{80, 100, 140, 220} {
			line := strings.SplitN(screen(m, sampleState(views.Overview), size{width, 40}, draw.Braille).Plain(), "\n", 2)[0]
			if !strings.Contains(line, row.want) || row.want == "" && strings.Contains(line, "leader") {
				t.Errorf("%v, %d columns: want %q in %s", row.mode, width, row.want, line)
			}
		}
	}
}

// From 80 columns on, the leader is beside whatever is not at its default, and the ? is at the end of every first line.
func TestHeader_KeepsTheLeaderBesideSettings(t *testing.T) {
	for _, rule := range []string{"", "moveRequestCycle"} {
		for _, gates := range []string{"", "SchedulerPopFromBackoffQ=false", "A=true B=false C=true"} {
			m := sample(312, 60)
			m.Header.RequeueRule, m.Header.Gates, m.Header.GateCount = rule, gates, strings.Count(gates, "=")
			m.Header.Leader, m.Header.Compared, m.Header.AgreementRate = "ip-10-0-3-85.internal_5b1f0c9e-7c0a-4d0b", 4000, 0.993
			for width := 60; width <= 220; width++ {
				line := strings.SplitN(screen(m, sampleState(views.Overview), size{width, 40}, draw.Braille).Plain(), "\n", 2)[0]
				if width >= 80 && (!strings.Contains(line, "leader ip-10") || !strings.Contains(line, "(11s)")) {
					t.Errorf("%d columns: the leader is not in %s", width, line)
				}
				if !strings.HasSuffix(line, " ? ") {
					t.Errorf("%d columns: no ? at the end of %s", width, line)
				}
				for _, settings := range [][2]string{{rule, "rule"}, {gates, "gate"}} {
					if settings[0] != "" && !strings.Contains(line, settings[1]) {
						t.Errorf("%d columns: no %s in %s", width, settings[1], line)
					}
				}
			}
		}
	}
}

// An alert leaves room for the ?.
func TestHeader_AlertKeepsHelp(t *testing.T) {
	m := sample(312, 60)
	m.Header.Alert = strings.Repeat("the connection is lost ", 20)
	line := strings.SplitN(screen(m, sampleState(views.Overview), size{80, 40}, draw.Braille).Plain(), "\n", 2)[0]
	if !strings.HasSuffix(line, "… ? ") {
		t.Errorf("the first line is %s", line)
	}
}

// TestHeader_SaysThatKeysAct: the badge of a console that may change its cluster has another word and another colour, at every width.
func TestHeader_SaysThatKeysAct(t *testing.T) {
	for _, mode := range []views.Mode{views.Shadow, views.Acting} {
		m := sample(312, 60)
		m.Header.Mode = mode
		for width := 60; width <= 220; width += 20 {
			badge := func() (word string, token themes.Token) {
				c := screen(m, sampleState(views.Overview), size{width, 40}, draw.Braille)
				n := 0
				for g, style := range c.Cells() {
					if n++; n > width {
						break
					}
					if style.Attr()&themes.Reverse != 0 {
						word += string(g.Append(nil))
						token = style.Token()
					}
				}
				return strings.TrimSpace(word), token
			}
			m.Header.Acts = false
			if word, token := badge(); word != mode.String() || mode == views.Shadow && token != themes.Good {
				t.Errorf("the badge is %q in %v", word, token)
			}
			m.Header.Acts = true
			if word, token := badge(); word != mode.String()+" +ACT" || token != themes.Warn && token != themes.Bad {
				t.Errorf("%d columns: the badge of a console that may act is %q in %v", width, word, token)
			}
		}
	}
}
