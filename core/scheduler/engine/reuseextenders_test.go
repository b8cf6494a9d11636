package engine_test

import (
	"slices"
	"testing"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// threeExtenders has two that filter, one by names and one by objects, and one that prioritizes.
const threeExtenders = twoProfiles + `
extenders:
- {urlPrefix: "http://names", filterVerb: filter, nodeCacheCapable: true}
- {urlPrefix: "http://objects", filterVerb: filter, ignorable: true}
- {urlPrefix: "http://scores", prioritizeVerb: prioritize, weight: 2, nodeCacheCapable: true}
`

// Extenders leave all nodes, some, or some in another order; then the scores of those left are reused, or computed.
func TestReuse_DecidesTheSameWithExtenders(t *testing.T) {
	t.Parallel()
	r := newLongRun(t, 7, threeExtenders)
	for r.cycles < *cycles/10 && !t.Failed() {
		r.change()
		r.decide()
	}
	if stats := r.engines[0].ReuseStats(); stats.Reused < stats.Computed {
		t.Errorf("less was reused than computed: %+v", stats)
	}
}

// answer is what an extender answers.
func (r *longRun) answer(call world.CallExtender) world.Outcome {
	var names []string
	for _, node := range call.Request.Nodes {
		names = append(names, node.Name)
	}
	if call.Verb == world.ExtenderPrioritize {
		answer := &world.ExtenderAnswer{}
		for _, name := range names {
			if r.draw.IntN(3) > 0 {
				answer.Scores = append(answer.Scores, world.HostScore{Host: name, Score: r.draw.Int64N(11)})
			}
		}
		return world.Outcome{Answer: answer}
	}
	answer := &world.ExtenderAnswer{Nodes: names, AsObjects: !call.Request.NamesOnly && r.draw.IntN(4) == 0}
	switch r.draw.IntN(6) {
	case 0:
		slices.Reverse(answer.Nodes)
	case 1:
		answer.Nodes = nil
	case 2:
		answer.Nodes = slices.DeleteFunc(names, func(string) bool { return r.draw.IntN(2) == 0 })
	case 3:
		return world.Outcome{Code: fwk.Error, Message: "the extender is away"}
	}
	return world.Outcome{Answer: answer}
}
