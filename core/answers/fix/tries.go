package fix

import (
	"orrery/core/answers/answer"
	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
)

// Tries has what answers of package diagnose offer tried.
type Tries struct{}

var _ diagnose.Fixes = Tries{}

// OfPod implements diagnose.Fixes.
func (Tries) OfPod(e *engine.Engine, d *diagnose.Diagnosis, again string) ([]answer.Remedy, error) {
	remedies := []answer.Remedy{}
	if d.Decision.Verdict != engine.Unschedulable && len(d.Remedies) == 0 {
		return remedies, nil
	}
	fixes, err := Of(e, d)
	for _, f := range fixes {
		remedies = append(remedies, answer.Remedy{
			Change: change.Words(f.Changes), Node: f.Node, Text: f.Text, Places: f.Node != "", Needless: f.Needless, ByTies: f.Node != "" && !f.Always,
			Effect: f.Effect, Command: again + change.ShellWords(f.Changes),
		})
	}
	return remedies, err
}

// OfGang implements diagnose.Fixes.
func (Tries) OfGang(e *engine.Engine, g *diagnose.Gang, again string) []diagnose.ToldRemedy {
	var remedies []diagnose.ToldRemedy
	for _, f := range OfGang(e, g) {
		remedies = append(remedies, diagnose.ToldRemedy{
			Change: change.Words(f.Changes), Text: f.Text, Effect: f.Effect, Command: again + change.ShellWords(f.Changes),
		})
	}
	return remedies
}

// Confirm implements diagnose.Fixes.
func (Tries) Confirm(e *engine.Engine, groups []*diagnose.Group, together int) {
	Confirm(e, groups, together)
}

// Capacity implements diagnose.Fixes.
func (Tries) Capacity(e *engine.Engine, groups []*diagnose.Group) (like string, nodes, places int, err error) {
	return Capacity(e, groups)
}
