package fit

import (
	"errors"
	"math"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"

	"orrery/core/answers/capacity"
	"orrery/core/answers/change"
	"orrery/core/objects/requests"
	"orrery/core/scheduler/engine"
)

// Nodes is how few new nodes objects need.
type Nodes struct {
	// Nodes is the smallest number that is enough, and Enough says that there is one.
	Nodes  int
	Enough bool
	// Bound is how many it takes at least by the sum of requests.
	Bound int
	// Answer is what happens with that many; if no number is enough, with as many as were tried. Fewer is what happens with one less.
	Answer, Fewer *Answer
	Tried         int
}

// FewestNodes finds how few nodes the objects need that a change adds, without preempting another pod. The number is tried, and so is one
// less. The change adds the number of nodes that it is given. They are there first: pods that wait already take their part of them.
func FewestNodes(e *engine.Engine, s *Set, adding func(n int) change.Change, o Options) (*Nodes, error) {
	o.Again = "" // the nodes are what helps
	start, err := begin(e, s, o)
	if err != nil {
		return nil, err
	}
	result := &Nodes{}
	with := func(n int) (*Answer, error) {
		q := o
		if n > 0 {
			q.Before = append(q.Before[:len(q.Before):len(q.Before)], adding(n))
		}
		result.Tried++
		return askHarmless(start, s, q)
	}
	none, err := with(0)
	if err != nil {
		return nil, err
	}
	if goes(none) {
		result.Enough, result.Answer = true, none
		return result, nil
	}
	// A node for each pod is as good as any number of them.
	most := min(max(1, none.Wanted()+len(none.Outcome.StillPending)), maxAdded)
	if result.Bound, err = boundOfNodes(none, adding(1)); err != nil {
		return nil, err
	}
	low, high, fewer := 0, 0, none
	for n := max(1, min(result.Bound, most)); high == 0; n = min(2*n, most) {
		tried, err := with(n)
		switch {
		case err != nil:
			return nil, err
		case goes(tried):
			high, result.Answer = n, tried
		case n == most:
			result.Nodes, result.Answer = n, tried
			return result, result.Answer.explain(o)
		default:
			low, fewer = n, tried
		}
	}
	for high-low > 1 {
		middle := (low + high) / 2
		tried, err := with(middle)
		switch {
		case err != nil:
			return nil, err
		case goes(tried):
			high, result.Answer = middle, tried
		default:
			low, fewer = middle, tried
		}
	}
	result.Nodes, result.Enough, result.Fewer = high, true, fewer
	return result, nil
}

// maxAdded bounds the nodes that are added.
//
//orrery:limit answers; nodes that fit --nodes and fit --like add; it answers that no number is enough
const maxAdded = 10_000

var errNoShape = errors.New("looking for the number of nodes: there is no node of that shape")

// boundOfNodes is how many nodes of the shape hold what the pods request together beyond what is free.
func boundOfNodes(none *Answer, added change.Change) (int, error) {
	e := none.Outcome.Engine()
	var shape v1.ResourceList
	if added.Verb == change.AddNodes {
		node := e.Store().Node(added.Name)
		if node == nil {
			return 0, errNoShape
		}
		shape = node.Status.Allocatable
	} else {
		node, err := added.NewNode("shape")
		if err != nil {
			return 0, err
		}
		shape = node.Status.Allocatable
	}
	missing := map[v1.ResourceName]int64{}
	for i := range none.Outcome.Created {
		for _, p := range none.Outcome.Created[i].Pods {
			if pod := e.Store().Pod(p.Pod.Namespace, p.Pod.Name); pod != nil && p.Node == "" {
				for name, q := range requests.Of(pod, resource.PodResourcesOptions{}) {
					missing[name] += requests.Amount(name, q)
				}
			}
		}
	}
	for node := range capacity.Nodes(e) {
		for name := range missing {
			missing[name] -= max(0, requests.Free(node, name))
		}
	}
	bound := 0
	for name, amount := range missing {
		if each := requests.AmountOf(shape, name); each > 0 && amount > 0 {
			bound = max(bound, int(min(math.MaxInt32, (amount+each-1)/each)))
		}
	}
	return bound, nil
}
