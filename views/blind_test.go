package views_test

import (
	"strings"
	"testing"
	"time"

	"orrery/themes"
	"orrery/views"
	"orrery/views/draw"
)

// While nothing comes from the cluster, no pane says that anything is well: all is dim, and there are no ticks.
func TestScreen_BlindIsDimWithoutTicks(t *testing.T) {
	panes := map[views.PaneID]string{views.Overview: "the overview"}
	for id, name := range paneNames {
		panes[id] = name
	}
	for id, name := range panes {
		for _, set := range []draw.Glyphs{draw.Braille, draw.ASCII} {
			for _, blind := range []bool{false, true} {
				m := sample(312, 60)
				m.Timeline = nil
				if m.Header.Blind = blind; blind {
					m.Header.Alert, m.Header.AsOf, m.Header.Silent = "nothing heard from the API server for 6s", ago(6*time.Second), 6*time.Second
				}
				c := screen(m, sampleState(id), size{140, 40}, set)
				bright, at := 0, 0
				for g, style := range c.Cells() {
					if row := at / 140; row >= 2 && row < 39 && g.Rune != ' ' && style.Token() != themes.Dim {
						bright++
					}
					at++
				}
				if (bright > 0) == blind {
					t.Errorf("%s, %s, blind %t: %d cells are not dim", name, set, blind, bright)
				}
				if plain := c.Plain(); blind && (strings.Contains(plain, "✓") || strings.Contains(plain, "agrees")) {
					t.Errorf("%s, %s: it says that something is well:\n%s", name, set, plain)
				}
			}
		}
	}
}

// What is shown is as old as the last news: a leader is not silent because nothing is heard of it.
func TestScreen_BlindKnowsNothingOfTheLeader(t *testing.T) {
	m := sample(312, 60)
	m.Header.Health = wellHealth()
	m.Header.Health.Renewed, m.Leader.Renewed = ago(9*time.Second), ago(9*time.Second)
	if got := screen(m, sampleState(views.LeaderPane), size{140, 40}, draw.Braille).Plain(); !strings.Contains(got, "silent for 9s") || len(m.Troubles(noon)) == 0 {
		t.Errorf("a leader that does not renew is not silent:\n%s", got)
	}
	m.Header.AsOf = ago(8 * time.Second) // it is being asked
	if got := screen(m, sampleState(views.LeaderPane), size{140, 40}, draw.Braille).Plain(); strings.Contains(got, "silent") || len(m.Troubles(noon)) != 0 {
		t.Errorf("nothing is heard of anything, and the leader is silent: %+v\n%s", m.Troubles(noon), got)
	}
}

// The picture, the first lines and the leader's pane agree on a leader that does not renew.
func TestOrrery_LeaderThatDoesNotRenew(t *testing.T) {
	m := orreryModel(90)
	m.Header.Health = wellHealth()
	m.Header.Health.Renewed, m.Orrery.Leader.Renewed = ago(7*time.Second), ago(7*time.Second)
	c := drawOrrery(m, 0, size{140, 40}, draw.Braille, noon)
	plain := c.Plain()
	if strings.Contains(plain, "♥") || !strings.Contains(plain, "✗ "+m.Orrery.Leader.Holder+" silent for 7s") {
		t.Errorf("it leads well:\n%s", plain)
	}
	m.Orrery.Leader.Renewed = ago(time.Second)
	if plain := drawOrrery(m, 0, size{140, 40}, draw.Braille, noon).Plain(); strings.Count(plain, "♥") != 2 {
		t.Errorf("a leader that renews:\n%s", plain)
	}
}
