package play

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/world"
)

// In a loose replay, the engine asks extenders about its pods in another order than the recorded one did, and gets the answers
// that are in the trace.

// callsWithoutAnswer lists the calls of extenders that wait for an answer, the oldest first.
func (p replayer) callsWithoutAnswer(which func(trace.EffectKey) bool) []trace.EffectKey {
	var keys []trace.EffectKey
	for key := range p.pending {
		if key.Verb == trace.CallExtender && which(key) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b trace.EffectKey) int { return cmp.Compare(p.pending[a][0], p.pending[b][0]) })
	return keys
}

// maxAbandoned bounds the calls that are failed to get to one that has an answer.
//
//orrery:limit recordings; calls of extenders in a replay that are failed to get to one with an answer; the others stay open
const maxAbandoned = 64

// answerEarly keeps an answer that this engine has not asked for yet, and fails the calls that keep it from asking: their answers
// may never come. A failed call is not kept: it says nothing about a later one.
func (p replayer) answerEarly(r trace.Record, in trace.Input, report *Report) {
	if outcome := in.Event.(world.EffectDone).Outcome; outcome.OK() {
		p.answers[in.Effect] = outcome
	}
	p.applyAndDecide(r, []world.Event{world.Tick{}}, report)
	for range maxAbandoned {
		if _, kept := p.answers[in.Effect]; !kept || !p.abandonCalls(r, anyCall, report) {
			return
		}
	}
}

func anyCall(trace.EffectKey) bool { return true }

// answersAtHand returns the answers to calls that were just made.
func (p replayer) answersAtHand() []world.Event {
	var events []world.Event
	for _, key := range p.callsWithoutAnswer(anyCall) {
		if outcome, kept := p.answers[key]; kept {
			delete(p.answers, key)
			id, _ := p.takePending(key)
			events = append(events, p.aboutOwnNodes(world.EffectDone{Effect: id, Outcome: outcome}))
		}
	}
	return events
}

// abandonCalls fails the calls of extenders without an answer, and reports whether there were any.
func (p replayer) abandonCalls(r trace.Record, which func(trace.EffectKey) bool, report *Report) bool {
	keys := p.callsWithoutAnswer(which)
	for _, key := range keys {
		if id, waits := p.takePending(key); waits {
			p.applyAndDecide(r, []world.Event{world.EffectDone{Effect: id, Outcome: notWritten}}, report)
		}
	}
	return len(keys) > 0
}

// aboutOwnNodes leaves out the nodes and the victims of an answer that this engine has not asked about: to an extender's own answer,
// that would be an error.
func (p replayer) aboutOwnNodes(ended world.EffectDone) world.EffectDone {
	all := p.engine.PendingEffects()
	i := slices.IndexFunc(all, func(one engine.PendingEffect) bool { return one.Effect == ended.Effect })
	if i < 0 || ended.Outcome.Answer == nil {
		return ended
	}
	call, _ := all[i].Act.(world.CallExtender)
	asked := map[string]bool{}
	for _, node := range call.Request.Nodes {
		asked[node.Name] = true
	}
	answer := *ended.Outcome.Answer
	answer.Nodes = slices.DeleteFunc(slices.Clone(answer.Nodes), func(name string) bool { return !asked[name] })
	answer.Victims = slices.DeleteFunc(slices.Clone(answer.Victims), func(on world.AnsweredVictims) bool { return !offered(call, on) })
	ended.Outcome.Answer = &answer
	return ended
}

// offered reports whether the victims are among those that the extender was asked about.
func offered(call world.CallExtender, on world.AnsweredVictims) bool {
	i := slices.IndexFunc(call.Request.Victims, func(v world.ExtenderVictims) bool { return v.Node == on.Node })
	return i >= 0 && !slices.ContainsFunc(on.Pods, func(uid types.UID) bool {
		return !slices.ContainsFunc(call.Request.Victims[i].Pods, func(pod *v1.Pod) bool { return pod.UID == uid })
	})
}
