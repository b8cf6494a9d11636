package fix

import (
	"cmp"
	"slices"

	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Fix is changes that were tried as they are printed, and what they do for a pod.
type Fix struct {
	Changes []change.Change
	// Text is the changes in a sentence, Effect the verdict of their command.
	Text, Effect string
	Outcome
	// Worse says that another pod loses its node.
	Worse bool
}

// Of tries what diagnose found for a pod, by single changes and by several, and returns what helps: the pod or, in its place, another that
// waits. What leaves a pod without a node that comes with it, as the daemon of a new node, is left out. Those that place the pod however
// ties fall come first, and of these such as cost no other pod its node.
func Of(e *engine.Engine, d *diagnose.Diagnosis) ([]Fix, error) {
	combinations, err := diagnose.Combinations(e, d)
	if err != nil {
		return nil, err
	}
	var found []Fix
	for _, r := range d.Remedies {
		found = append(found, Fix{Changes: []change.Change{r.Change}, Text: r.Text})
	}
	for _, c := range combinations {
		found = append(found, Fix{Changes: c.Changes, Text: c.Text})
	}
	return tried(e, d.Decision.Pod, found), nil
}

// tried returns those of the fixes that help, with what they do.
func tried(e *engine.Engine, pod world.PodRef, found []Fix) []Fix {
	each := make([][]change.Change, len(found))
	for i := range found {
		each[i] = found[i].Changes
	}
	var helpful []Fix
	for i, t := range Try(e, each) {
		if t.Err != nil {
			continue // as when the cluster is different by the time of the question
		}
		f := found[i]
		if f.Outcome = t.Of(pod); f.Node == "" && !f.Others || t.strands() {
			continue
		}
		f.Effect, f.Worse = t.Effect(), t.Result().Worse()
		helpful = append(helpful, f)
	}
	slices.SortStableFunc(helpful, func(a, b Fix) int { return cmp.Compare(a.rank(), b.rank()) })
	return helpful
}

// rank orders fixes by how much of what is wanted they bring.
func (f *Fix) rank() int {
	switch {
	case f.Node == "":
		return 3
	case !f.Always:
		return 2
	case f.Worse:
		return 1
	}
	return 0
}
