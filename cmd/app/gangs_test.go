package app

import (
	"strings"
	"testing"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/gangs"
)

// Names of gangs and of their pods come from the cluster: an escape sequence must not reach a terminal.
func TestGangLines_ArePrintable(t *testing.T) {
	g := &gangDocument{
		Gang: &diagnose.Gang{
			Name: "default/train\x1b[2J/w", State: gangs.Waiting, MinCount: 3, Pods: 3, Placed: 1, HeldBackBy: "web\u202e", Why: "Insufficient\x1b[2J cpu",
			Trial: &diagnose.GangTrial{Needed: 2}, Rivals: []diagnose.GangRival{{Name: "default/tune\x1b[2J/w", HoldsRoom: true, LacksRoom: true}},
		},
		Remedies: []gangRemedy{{Text: "delete gang \x1b[2J", Effect: "\u202e", Command: "orrery whatif \x1b[2J"}},
	}
	doc := &gangsDocument{Gangs: []gangDocument{*g}}
	var text strings.Builder
	doc.text(&text)
	if got := text.String(); !strings.Contains(got, "deadlock with gang default/tune") || !strings.Contains(got, "delete gang ") || strings.ContainsAny(got, "\x1b\u202e") {
		t.Errorf("got %q", got)
	}
}
