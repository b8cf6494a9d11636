package extender

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"orrery/core/objects/nodenames"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// BenchmarkExtender measures the passes over 5,000 names: the body of a request, and answers to it.
func BenchmarkExtender(b *testing.B) {
	var names []string
	for i := range 5000 {
		names = append(names, fmt.Sprintf("node-%d", i))
	}
	call := world.CallExtender{Verb: world.ExtenderFilter, Request: world.ExtenderRequest{
		Pod: mk.Pod("web").CPU("1").Obj(), NamesOnly: true, Names: nodenames.Of(names),
	}}
	b.Run("request", func(b *testing.B) {
		for b.Loop() {
			if _, err := RequestBody(call); err != nil {
				b.Fatal(err)
			}
		}
	})
	half, failed, scores := []string{}, map[string]string{}, extenderv1.HostPriorityList{}
	for i, name := range names {
		scores = append(scores, extenderv1.HostPriority{Host: name, Score: int64(i % 11)})
		if i%2 == 0 {
			half = append(half, name)
		} else {
			failed[name] = "no GPU"
		}
	}
	for _, answer := range []struct {
		name   string
		verb   world.ExtenderVerb
		result any
	}{
		{"all nodes", world.ExtenderFilter, extenderv1.ExtenderFilterResult{NodeNames: &names}},
		{"half of the nodes", world.ExtenderFilter, extenderv1.ExtenderFilterResult{NodeNames: &half, FailedNodes: failed}},
		{"priorities", world.ExtenderPrioritize, scores},
	} {
		call.Verb = answer.verb
		text, err := json.Marshal(answer.result)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(answer.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Answer(call, bytes.NewReader(text), MaxResponse); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
