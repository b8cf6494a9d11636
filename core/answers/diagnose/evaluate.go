package diagnose

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/answer"
	"orrery/core/answers/change"
	"orrery/core/answers/whatif"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// evaluate finds out what each remedy does when the other pods go on, as its command does. One whose command would end with an error is
// left out: the cluster is different by the time it is made.
func (d *Diagnosis) evaluate(e *engine.Engine, pod world.PodRef) {
	gang, _ := d.Answer.Gang.(*ToldGang)
	var each [][]change.Change
	for i := range d.Answer.Remedies {
		each = append(each, changesOf(d.Answer.Remedies[i].Change))
	}
	own := len(each)
	if gang != nil {
		for i := range gang.Remedies {
			each = append(each, changesOf(gang.Remedies[i].Change))
		}
	}
	if len(each) == 0 {
		return
	}
	results, errs := whatif.EvaluateEach(e, each, whatif.Options{})
	helpful := d.Answer.Remedies[:0]
	for i, r := range d.Answer.Remedies {
		if errs[i] == nil {
			r.Command = d.question.Again + change.ShellWords(each[i])
			takeResult(&r, results[i], pod)
			helpful = append(helpful, r)
		}
	}
	if d.Answer.Remedies = helpful; gang != nil {
		gang.takeResults(e, d.question.Again, each[own:], results[own:], errs[own:])
	}
}

// changesOf reads the changes of a remedy, which were written in the same syntax.
func changesOf(words string) []change.Change {
	changes, _ := change.ParseAll(strings.Fields(words))
	return changes
}

// takeResult adds what a what-if says of a remedy.
func takeResult(r *answer.Remedy, result *whatif.Result, pod world.PodRef) {
	r.Effect, r.Needless = result.Verdict(), true
	for _, p := range slices.Concat(result.Pods, result.StillPending) {
		if p.Pod != pod {
			continue
		}
		r.Needless = p.Before.Node != ""
		if p.After.Node != "" {
			r.Places, r.Node = true, p.After.Node
		}
	}
}

func (g *ToldGang) takeResults(e *engine.Engine, again string, each [][]change.Change, results []*whatif.Result, errs []error) {
	helpful := g.Remedies[:0]
	for i, r := range g.Remedies {
		if errs[i] == nil {
			r.Command, r.Effect, r.Goes = again+change.ShellWords(each[i]), results[i].Verdict(), g.goes(e, each[i], results[i])
			helpful = append(helpful, r)
		}
	}
	g.Remedies = helpful
}

// goes reports whether enough pods of the gang have a node at the end of a what-if.
func (g *ToldGang) goes(e *engine.Engine, changes []change.Change, result *whatif.Result) bool {
	least := g.MinCount
	for _, c := range changes {
		if c.Verb == change.SetMinCount {
			least = c.Count
		}
	}
	without := map[world.PodRef]bool{} // a pod that is not in the result has the same node with the changes and without
	for _, p := range slices.Concat(result.Pods, result.StillPending) {
		without[p.Pod] = p.After.Node == ""
	}
	placed := 0
	for _, pod := range membersOf(e, g.Name) {
		if !without[world.PodRefOf(pod)] {
			placed++
		}
	}
	return placed >= least
}

// membersOf returns the pods of a gang.
func membersOf(e *engine.Engine, name string) []*v1.Pod {
	var pods []*v1.Pod
	for _, key := range e.Gangs().Keys() {
		if gangName(key) == name {
			for _, m := range e.Gangs().Group(key).Members() {
				pods = append(pods, m.Pod)
			}
		}
	}
	return pods
}
