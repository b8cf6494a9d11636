package noderesources

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/requests"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/framework"
)

// describe writes the sentences about a shortage in a cluster of so many nodes. All requests of the pod are given together.
func describe(e *framework.Evidence, nodes int, together string) {
	a := e.Amounts
	format := func(n int64) string { return requests.Format(v1.ResourceName(a.Resource), n) }
	near, requested := &a.Nodes[0], format(a.Requested)
	switch {
	case a.Largest == 0:
		e.Sentence = fmt.Sprintf("it requests %s %s, and no node offers any", requested, a.Resource)
		e.Hint = fmt.Sprintf("would fit on a node that offers %s %s", requested, a.Resource)
	case a.Never && a.Requested > a.Largest:
		e.Sentence = fmt.Sprintf("it requests %s %s, and the largest of %s has %s allocatable: no node here can ever hold it",
			requested, a.Resource, plural.Count(nodes, "node"), format(a.Largest))
		e.Hint = fmt.Sprintf("would fit on a node with %s %s free; none is that large", requested, a.Resource)
	case a.Never:
		e.Sentence = fmt.Sprintf("it requests %s; none of %s is large enough for all of that, even without pods: no node here can ever hold it",
			together, plural.Count(nodes, "node"))
	}
	if a.Never && e.Sentence != "" {
		e.Facts = append(e.Facts, e.Sentence)
	}
	if e.Hint == "" {
		e.Hint = fmt.Sprintf("would fit with %s more %s free on one node, or with as much less requested", format(near.Missing), a.Resource)
	}
	e.Predicate = predicate(e, format)
	if len(a.Parts) > 0 {
		parts := make([]string, len(a.Parts))
		for i, p := range a.Parts {
			if parts[i] = p.Name + " " + format(p.Amount); p.Init {
				parts[i] = "init container " + parts[i]
			}
		}
		e.Facts = append(e.Facts, "its request is "+strings.Join(parts, " + "))
	}
	if near.Allocatable == 0 {
		return
	}
	nearest := fmt.Sprintf("nearest is %s: %s of %s free, %s short", near.Node, format(near.Free), format(near.Allocatable), format(near.Missing))
	for _, held := range a.NominatedTo {
		nearest += fmt.Sprintf("; %s held for %s, nominated here", format(held.Amount), held.Pod)
	}
	e.Facts, e.Charted = append(e.Facts, nearest), []string{nearest}
	if len(a.HeldBy) > 0 {
		largest := make([]string, len(a.HeldBy))
		for i, r := range a.HeldBy {
			largest[i] = fmt.Sprintf("%s %s", r.Pod, format(r.Amount))
			if r.Priority != 0 {
				largest[i] += fmt.Sprintf(" (priority %d)", r.Priority)
			}
		}
		e.Facts = append(e.Facts, "largest requests on "+near.Node+": "+strings.Join(largest, ", "))
	}
}

// predicate says how much the nodes lack.
func predicate(e *framework.Evidence, format func(int64) string) string {
	a, near := e.Amounts, &e.Amounts.Nodes[0]
	var most int64
	for _, n := range a.Nodes {
		most = max(most, n.Allocatable)
	}
	switch {
	case most == 0:
		return fmt.Sprintf("%s no %s (requests %s)", e.Verb("offers", "offer"), a.Resource, format(a.Requested))
	case a.Requested > most:
		return fmt.Sprintf("%s too small (requests %s %s, at most %s allocatable)", e.Verb("is", "are"), format(a.Requested), a.Resource, format(most))
	case len(e.Nodes) == 1:
		return fmt.Sprintf("is %s short of %s (requests %s, %s of %s free)", format(near.Missing), a.Resource, format(a.Requested), format(near.Free), format(near.Allocatable))
	}
	return fmt.Sprintf("are %s short of %s at best (requests %s, at most %s free, on %s)", format(near.Missing), a.Resource, format(a.Requested), format(near.Free), near.Node)
}
