package app

import (
	"strings"
	"testing"

	"orrery/core/answers/answer"
	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/gangs"
)

// What an answer names comes from the cluster: an escape sequence must not reach a terminal.
func TestAnswer_IsPrintable(t *testing.T) {
	const bad = "\x1b[2J\u202e"
	gang := &diagnose.ToldGang{
		Gang:     &diagnose.Gang{Name: "default/train" + bad, State: gangs.Waiting},
		Remedies: []diagnose.ToldRemedy{{Text: "delete gang " + bad, Effect: bad, Command: "orrery whatif " + bad}, {Text: bad}},
	}
	words := answer.Words{
		Title: "pod" + bad, Headline: "Pending: " + bad, Then: []string{bad}, Facts: []answer.Fact{{Name: "fact" + bad, Value: bad}},
		Sections: []answer.Section{{Title: "Storage", Lines: []answer.Link{{Says: "claim data is bound to pv" + bad}, {Depth: 1, Says: bad}}}},
	}
	a := &answer.Answer{
		Words: words, Gang: gang, Gangs: []answer.Chain{gang},
		Reasons:  []answer.Reason{{Plugin: bad, Message: bad, Beside: []string{bad}}},
		Remedies: []answer.Remedy{{Text: bad, Node: bad, Effect: bad, Command: bad}, {Text: bad, Places: true}, {Text: bad, Needless: true}},
		NodeVerdict: &answer.NodeVerdict{
			Node: bad, Filters: []answer.PluginResult{{Plugin: bad, Reasons: []string{bad}}}, Scores: []answer.Scored{{Plugin: bad}},
			Devices: []diagnose.DeviceOn{{Claim: bad, Request: bad, Device: bad, Says: bad}},
		},
		Capacity: &answer.Capacity{Like: bad}, Pods: new(int),
	}
	a.Parts = []answer.Words{words}
	var text strings.Builder
	(&answerDocument{Answer: a, verbose: true}).text(&text)
	if got := text.String(); !strings.Contains(got, "claim data is bound to pv") || !strings.Contains(got, "delete gang ") || strings.ContainsAny(got, "\x1b\u202e") {
		t.Errorf("got %q", got)
	}
}
