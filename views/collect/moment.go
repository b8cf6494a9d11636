package collect

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
	"orrery/views"
)

// Moment is where every pod was at a time, and what the nodes had, kept to be compared with another time.
type Moment struct {
	At     time.Time
	Label  string // as the screen shows the time
	totals views.Totals
	pods   map[types.NamespacedName]podPlace
	// gone are the reasons for which pods were evicted until then.
	gone map[types.NamespacedName]string
}

// podPlace is where a pod is, and why it is on no node.
type podPlace struct {
	uid    types.UID
	state  views.PodState
	node   string
	reason string
}

// Moment returns the present moment.
func (c *Collector) Moment(e *engine.Engine, label string) *Moment {
	m := &Moment{At: e.Now(), Label: label, pods: make(map[types.NamespacedName]podPlace, e.Store().Len(world.Pod)), gone: map[types.NamespacedName]string{}}
	s := source{Collector: c, e: e}
	for o := range e.Store().Objects(world.Pod) {
		pod := o.(*v1.Pod)
		row := s.briefClusterPod(pod)
		m.pods[types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}] = podPlace{pod.UID, row.State, row.NodeKey, row.Reason}
		switch {
		case row.NodeKey != "":
			m.totals.Placed++
		case row.State != views.Terminating:
			m.totals.Pending++
		}
	}
	m.measure(e)
	if c.options.History != nil {
		record := c.options.History.Evictions()
		for _, d := range slices.Concat(record.Open(), record.Ended()) {
			m.gone[types.NamespacedName{Namespace: d.Pod.Namespace, Name: d.Pod.Name}] = cmp.Or(withoutDomain(d.Reason), string(d.Cause))
		}
	}
	return m
}

// measure adds up how much of the nodes is requested.
func (m *Moment) measure(e *engine.Engine) {
	var cpu, cpuMost, memory, memoryMost int64
	least, most, nodes := 1.0, 0.0, 0
	for o := range e.Store().Objects(world.Node) {
		info := e.Cache().Node(o.GetName())
		if info == nil || info.Node() == nil {
			continue
		}
		used, all := info.GetRequested(), info.GetAllocatable()
		cpu, cpuMost = cpu+used.GetMilliCPU(), cpuMost+all.GetMilliCPU()
		memory, memoryMost = memory+used.GetMemory(), memoryMost+all.GetMemory()
		share := fraction(used.GetMilliCPU(), all.GetMilliCPU())
		least, most, nodes = min(least, share), max(most, share), nodes+1
	}
	m.totals.CPU, m.totals.Memory = fraction(cpu, cpuMost), fraction(memory, memoryMost)
	if nodes > 0 {
		m.totals.Spread = most - least
	}
}

// What became of pods between two moments, the bad first.
const (
	wasEvicted = "evicted"
	hasNoPlace = "without a place"
	wasDeleted = "deleted or done"
	wasPlaced  = "placed"
	wasMoved   = "on another node"
	isNew      = "created"
)

// CompareMoments returns what happened between two moments as the table of a what-if, with the marks between them as its notes.
func CompareMoments(a, b *Moment, marks []views.Mark) *views.WhatIf {
	if b.At.Before(a.At) {
		a, b = b, a
	}
	w := &views.WhatIf{Moments: true, Before: a.Label, After: b.Label, Tried: a.Label + " to " + b.Label, Without: a.totals, With: b.totals}
	counts := map[string]int{}
	names := maps.Clone(a.pods)
	maps.Copy(names, b.pods)
	type change struct {
		views.WhatIfChange
		what string
	}
	var rows []change
	order := []string{wasEvicted, hasNoPlace, wasPlaced, wasMoved, isNew, wasDeleted}
	for name := range names {
		was, had := a.pods[name]
		is, has := b.pods[name]
		row, what := changeBetween(was, is, had, has, b.gone[name])
		if what == "" {
			continue
		}
		counts[what]++
		if what == wasEvicted {
			w.With.Evicted++
		} else if what == wasMoved {
			w.With.Moved++
		}
		row.Pod, row.Key = podNames(world.PodRef{Namespace: name.Namespace, Name: name.Name})
		rows = append(rows, change{row, what})
	}
	slices.SortFunc(rows, func(x, y change) int {
		return cmp.Or(cmp.Compare(slices.Index(order, x.what), slices.Index(order, y.what)), cmp.Compare(x.Key, y.Key))
	})
	for _, r := range rows {
		w.Changes.Rows = append(w.Changes.Rows, r.WhatIfChange)
	}
	w.Changes.Total = len(rows)
	var parts []string
	for _, what := range order {
		if n := counts[what]; n > 0 {
			w.ChangedOutcomes = append(w.ChangedOutcomes, views.NamedCount{Name: what, Count: int64(n), Bad: what == wasEvicted || what == hasNoPlace})
			if len(parts) == 0 {
				parts = append(parts, plural.Count(n, "pod")+" "+what)
			} else {
				parts = append(parts, fmt.Sprint(n, " ", what))
			}
		}
	}
	w.Bad = counts[wasEvicted]+counts[hasNoPlace] > 0
	if w.Verdict = strings.Join(parts, ", "); w.Verdict == "" {
		w.Verdict = "no pod is anywhere else"
	}
	w.Notes = notesBetween(a.At, b.At, marks)
	return w
}

// changeBetween returns what became of a pod; empty if nothing did.
func changeBetween(was, is podPlace, had, has bool, gone string) (row views.WhatIfChange, what string) {
	row = views.WhatIfChange{From: was.state, To: is.state, Without: printable.Text(was.node), With: printable.Text(is.node), Reason: printable.Text(framework.MainOf(is.reason).String())}
	switch {
	case !has && gone != "":
		row.To, row.Reason, what = views.Evicted, printable.Text(gone), wasEvicted
	case !has:
		row.To, row.Reason, what = views.Deleted, "", wasDeleted
	case is.node == "" && (!had || was.node != ""):
		what = hasNoPlace
	case !had:
		what = isNew
	case was.node == "" && is.node != "":
		what = wasPlaced
	case was.node != is.node:
		what = wasMoved
	}
	return row, what
}

// maxNotesBetween bounds the marks between two moments that are listed.
//
//orrery:limit screen; marks between two moments that are compared; the others are counted
const maxNotesBetween = 8

// notesBetween are the marks between two times: those that a person wrote, and the bad ones.
func notesBetween(from, to time.Time, marks []views.Mark) []string {
	var notes []string
	more := 0
	for i := range marks {
		switch m := &marks[i]; {
		case !m.At.After(from) || m.At.After(to) || !m.Annotated && !m.Bad && !m.News:
		case len(notes) == maxNotesBetween:
			more++
		default:
			notes = append(notes, "+"+m.At.Sub(from).Round(time.Second).String()+" "+m.Label)
		}
	}
	if more > 0 {
		notes = append(notes, "and "+plural.Count(more, "more mark"))
	}
	return notes
}
