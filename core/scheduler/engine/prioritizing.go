package engine

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/nodenames"
	"orrery/core/objects/saturating"
	"orrery/core/world"
	"orrery/core/world/extender"
)

// prioritize asks all extenders at once, and adds their scores when the last one has answered. An extender that fails to answer
// gives none.
func (s *search) prioritize() error {
	if len(s.asking.calls) == 0 {
		for _, x := range s.engine.extenders {
			if x.Has(world.ExtenderPrioritize) && x.Interested(s.pod) {
				s.askAboutNodes(x, world.ExtenderPrioritize)
			}
		}
	}
	if !s.asking.over() {
		return errAsked
	}
	var answered []extenderCall
	for _, call := range s.asking.take() {
		switch {
		case !call.outcome.OK():
		case call.outcome.Answer == nil:
			s.decision.addUnknown(call.extender.Name())
		default:
			answered = append(answered, call)
		}
	}
	s.addPriorities(answered)
	return nil
}

// PrioritizingCount is how many extenders are asked for scores.
func (e *Engine) PrioritizingCount() (n int) {
	if a := e.suspended; a != nil && a.step == prioritizing && !a.asking.cancelled {
		for _, call := range a.asking.calls {
			if call.outcome == nil {
				n++
			}
		}
	}
	return n
}

// addPriorities adds what extenders gave to the nodes. Of nodes with the same total, those that an extender gave a score come first:
// an extender that filters only gives all nodes none, and counts as one.
func (s *search) addPriorities(calls []extenderCall) {
	all := s.engine.scoresByNoVerb(s.pod)
	switch {
	case len(calls) > 0 && s.feasible.form != ownList && allInOrder(calls):
		s.addInOrder(calls, all)
	case len(calls) > 0:
		s.addByName(calls, all)
	case all:
		for i := range s.feasible.list {
			s.addScore(i, 0)
		}
	}
}

// allInOrder reports whether all answers have scores of nodes that were sent, in their order, as most extenders answer.
func allInOrder(calls []extenderCall) bool {
	for _, call := range calls {
		if !scoresInOrder(call.outcome.Answer.Scores, call.act.Request.Names) {
			return false
		}
	}
	return true
}

func scoresInOrder(scores []world.HostScore, sent nodenames.Names) bool {
	found := 0
	for i := 0; i < sent.Len() && found < len(scores); i++ {
		if sent.Name(i) == scores[found].Host {
			found++
		}
	}
	return found == len(scores)
}

// addInOrder goes through the feasible nodes, which are all different, and through all answers beside them.
func (s *search) addInOrder(calls []extenderCall, all bool) {
	sent := calls[0].act.Request.Names
	rest := make([][]world.HostScore, len(calls))
	for i := range calls {
		rest[i] = calls[i].outcome.Answer.Scores
	}
	for i := range s.feasible.list {
		extra, listed, name := int64(0), all, sent.Name(i)
		for c := range rest {
			if len(rest[c]) > 0 && rest[c][0].Host == name {
				extra, listed = saturating.Add(extra, weighted(rest[c][0].Score, calls[c].extender)), true
				rest[c] = rest[c][1:]
			}
		}
		if listed {
			s.addScore(i, extra)
		}
	}
}

func (s *search) addByName(calls []extenderCall, all bool) {
	given := map[string]int64{}
	for _, call := range calls {
		for _, score := range call.outcome.Answer.Scores {
			given[score.Host] = saturating.Add(given[score.Host], weighted(score.Score, call.extender))
		}
	}
	for i, info := range s.feasible.list {
		if extra, listed := given[info.Node().Name]; listed || all {
			s.addScore(i, extra)
		}
	}
}

// prioritiesPerScore is how much of a plugin's range one step of an extender's is.
const prioritiesPerScore = fwk.MaxScore / 10

func weighted(score int64, x *extender.Extender) int64 {
	return saturating.Mul(saturating.Mul(score, x.Weight), prioritiesPerScore)
}

func (s *search) addScore(i int, extra int64) {
	s.ranking.extended = true
	if s.ranking.form == byRanks {
		r := &s.ranking.ranks[i]
		r.total, r.listed = saturating.Add(r.total, extra), listedByExtender
		return
	}
	score := &s.ranking.scores[i]
	score.TotalScore, score.Randomizer = saturating.Add(score.TotalScore, extra), listedByExtender
}

// listedByExtender is the Randomizer of nodes that an extender gave a score. kube-scheduler draws a number for each; here one is
// drawn among those that are equally good.
const listedByExtender = 1

// scoresByNoVerb reports whether an extender that does not prioritize is interested in the pod.
func (e *Engine) scoresByNoVerb(pod *v1.Pod) bool {
	for _, x := range e.extenders {
		if !x.Has(world.ExtenderPrioritize) && x.Interested(pod) {
			return true
		}
	}
	return false
}
