package engine

import (
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// rescoring is memory for scores before normalization, and for the candidates that are scored anew. Its raw scores are those of the last
// search that scored, until the batch takes them.
type rescoring struct {
	raw   framework.RawScores
	nodes []fwk.NodeInfo
}

// rescore puts the last pod's node, which has room for this one, back among the nodes of the batch: it is scored anew, and all are
// normalized beside it. It returns why the batch cannot be used, or "". There are no scores of extenders to add: with extenders no pod
// is signed.
func (s *search) rescore(b *batch, last fwk.NodeInfo) FlushReason {
	s.engine.batchCountersOf(s.decision.Profile).Rescored++
	if s.engine.options.Listener == nil {
		return s.rescoreAll(b, last)
	}
	began := s.engine.elapsed()
	reason := s.rescoreAll(b, last)
	s.engine.options.Listener.Rescored(s.decision.Profile, s.engine.elapsed()-began)
	return reason
}

func (s *search) rescoreAll(b *batch, last fwk.NodeInfo) FlushReason {
	e, again := s.engine, &s.engine.rescoring
	again.nodes = again.nodes[:0]
	defer func() { clear(again.nodes) }()
	again.raw.Reset()
	for i := range b.sorted {
		node, err := e.snapshot.NodeInfos().Get(b.sorted[i].Name)
		if err != nil {
			return FlushNodeMissing
		}
		again.nodes = append(again.nodes, node)
		again.raw.Append(b.raw.Row(b.sorted[i].Randomizer))
	}
	again.nodes = append(again.nodes, last)
	// Invariant: what PreScore plugins write for these nodes is not seen by the rest of the cycle, which may score others.
	state := s.state.Clone()
	if !s.profile.RunPreScorePlugins(e.ctx, state, s.pod, again.nodes).IsSuccess() {
		return FlushPreScoreError
	}
	if !s.profile.RunRawScorePlugins(e.ctx, state, s.pod, last, &again.raw).IsSuccess() {
		return FlushRescoreError
	}
	scores, status := s.profile.NormalizeScores(e.ctx, state, s.pod, again.nodes, &again.raw)
	if !status.IsSuccess() {
		return FlushNormalizeError
	}
	b.sorted = b.sorted[:0]
	for i := range scores {
		b.sorted = append(b.sorted, fwk.NodePluginScores{Name: scores[i].Name, TotalScore: scores[i].TotalScore, Randomizer: i})
	}
	heapify(b.sorted)
	b.raw, again.raw = again.raw, b.raw
	return ""
}
