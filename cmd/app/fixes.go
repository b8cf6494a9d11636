package app

import (
	"orrery/core/answers/diagnose"
	"orrery/core/answers/fix"
	"orrery/core/scheduler/engine"
)

// addRemedies adds what lets the pod have a node, tried as its command does it.
func (d *explanationDocument) addRemedies(s *openedAt, of *diagnose.Diagnosis) error {
	if of.Decision.Verdict != engine.Unschedulable && len(of.Remedies) == 0 {
		return nil
	}
	e, err := engineAt(s)
	if err != nil {
		return err
	}
	fixes, err := fix.Of(e, of)
	if err != nil {
		return err
	}
	d.Remedies = []remedy{}
	for _, f := range fixes {
		r := newRemedy(s.again, f.Node, f.Text, f.Changes...)
		r.Places, r.Needless, r.ByTies, r.Effect = f.Node != "", f.Needless, f.Node != "" && !f.Always, f.Effect
		d.Remedies = append(d.Remedies, r)
	}
	return nil
}
