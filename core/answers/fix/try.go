package fix

import (
	"cmp"
	"slices"
	"strings"

	"orrery/core/answers/change"
	"orrery/core/answers/whatif"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Tried is what happens when the command of a fix is run.
type Tried struct {
	// Words are the changes as they are printed.
	Words string
	// Err says why the command would end with an error.
	Err error
	// results are those of each seed, the first as the command has it.
	results []*whatif.Result
}

// seeds are how many ways in which ties may fall are tried. The first is that of the command.
const seeds = 3

// ManyPods is from how many pods on a what-if takes so long that only the first way is tried, and that a screen, which would stand still
// meanwhile, tries none.
//
//orrery:limit answers; pods of a cluster in which fixes are tried with several ways in which ties fall; with one only
const ManyPods = 20_000

// Try runs the commands of several fixes, each for itself. The engine is only read.
func Try(e *engine.Engine, each [][]change.Change) []Tried {
	if e.Store().Len(world.Pod) > ManyPods {
		return tryWays(e, each, 1)
	}
	return tryWays(e, each, seeds)
}

func tryWays(e *engine.Engine, each [][]change.Change, ways uint64) []Tried {
	all := make([]Tried, len(each))
	read := make([][]change.Change, len(each))
	for i, changes := range each {
		all[i].Words = change.Words(changes)
		read[i], all[i].Err = change.ParseAll(strings.Fields(all[i].Words))
	}
	from, err := whatif.Begin(e, whatif.Options{})
	for i := range all {
		all[i].Err = cmp.Or(all[i].Err, err)
	}
	for seed := range ways {
		var at []int
		var asked [][]change.Change
		for i := range all {
			if all[i].Err == nil && (seed == 0 || all[i].places()) {
				at, asked = append(at, i), append(asked, read[i])
			}
		}
		if len(asked) == 0 {
			break
		}
		results, errs := from.Each(asked, seed)
		for j, i := range at {
			if all[i].Err = errs[j]; errs[j] == nil {
				all[i].results = append(all[i].results, results[j])
			}
		}
	}
	return all
}

// places reports whether the command places a pod. Whatever else it does, how ties fall makes no fix of it.
func (t *Tried) places() bool {
	return slices.ContainsFunc(t.results[0].Pods, func(p whatif.PodChange) bool { return p.With.Node != "" })
}

// strands reports whether new nodes leave a pod that comes with them without one: a daemon whose room others took. Which of them is first
// is chance outside of a what-if.
func (t *Tried) strands() bool {
	adds := slices.ContainsFunc(t.Result().Changes, func(c change.Change) bool { return c.Verb == change.AddNodes || c.Verb == change.AddShape })
	return adds && slices.ContainsFunc(t.results, func(r *whatif.Result) bool {
		return slices.ContainsFunc(r.Pods, func(p whatif.PodChange) bool { return p.Kind == whatif.Created && p.With.Pending() })
	})
}

// Effect is the verdict that the command prints.
func (t *Tried) Effect() string { return t.results[0].Verdict() }

// Result is what the command answers.
func (t *Tried) Result() *whatif.Result { return t.results[0] }

// Outcome is what a fix does for one pod.
type Outcome struct {
	// Node is where the pod is in the end, by the command; empty if it is pending, or there without the fix, too.
	Node string
	// Always says that it has a node however ties fall, Needless that it has one without the fix, too.
	Always, Needless bool
	// Others says that another pending pod has a node with the fix, and not without.
	Others bool
}

// Of returns what the fix does for a pod.
func (t *Tried) Of(pod world.PodRef) Outcome {
	o := Outcome{Always: true, Needless: true}
	for i, r := range t.results {
		p := changeOf(r, pod)
		if p == nil {
			continue // it is on the same node in both runs
		}
		o.Always = o.Always && p.With.Node != ""
		o.Needless = o.Needless && p.Without.Node != ""
		if i == 0 {
			o.Node = p.With.Node
		}
	}
	o.Others = slices.ContainsFunc(t.results[0].Pods, func(p whatif.PodChange) bool { return p.Kind == whatif.Placed && p.Pod != pod })
	return o
}

// changeOf returns a pod's outcomes without the changes and with them; nil if it is on the same node in both runs.
func changeOf(r *whatif.Result, pod world.PodRef) *whatif.PodChange {
	for _, list := range [][]whatif.PodChange{r.Pods, r.StillPending, r.Chance} {
		for i := range list {
			if list[i].Pod == pod {
				return &list[i]
			}
		}
	}
	return nil
}

// Placed counts those of some pods that have a node in the end, however ties fall.
func (t *Tried) Placed(pods []world.PodRef) int {
	least := len(pods)
	for _, r := range t.results {
		_, with := countPlaced(r, pods)
		least = min(least, with)
	}
	return least
}

// PlacedWithout counts those of some pods that have a node in the end without the changes, if ties fall well for them.
func (t *Tried) PlacedWithout(pods []world.PodRef) int {
	most := 0
	for _, r := range t.results {
		without, _ := countPlaced(r, pods)
		most = max(most, without)
	}
	return most
}

func countPlaced(r *whatif.Result, pods []world.PodRef) (without, with int) {
	at := make(map[world.PodRef]*whatif.PodChange, len(r.Pods)+len(r.StillPending))
	for _, list := range [][]whatif.PodChange{r.Pods, r.StillPending, r.Chance} {
		for i := range list {
			at[list[i].Pod] = &list[i]
		}
	}
	for _, pod := range pods {
		p := at[pod]
		if p == nil || p.Without.Node != "" {
			without++
		}
		if p == nil || p.With.Node != "" {
			with++
		}
	}
	return without, with
}
