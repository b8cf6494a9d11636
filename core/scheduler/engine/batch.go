package engine

import (
	"bytes"
	"maps"
	"time"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// batch holds the scores of the last pod for the next one: kube-scheduler's opportunistic batching (KEP-5598), by its rules. Pods
// from one template often arrive in sequence, and often each fills its node. If the next pod has the same signature and
// the last pod's node is now full, the runner-up is evaluated before any other node, and taken if it is feasible. While that node has
// room, it is scored anew beside the others (rescoring.go), which releases before 1.37 do not: there the batch is not used. Pods
// without a signature are never batched; PodTopologySpread with its default constraints signs no pod.
type batch struct {
	signature fwk.PodSignature
	sorted    []fwk.NodePluginScores // a heap of the nodes not taken, the best first
	raw       framework.RawScores    // by Randomizer of the nodes, if batches are rescored
	made      time.Time
	// cycle is the last cycle of the profile that placed a pod, chosen the node.
	cycle  int64
	chosen string
}

// maxBatchAge is how long a batch may be used.
const maxBatchAge = 500 * time.Millisecond

// FlushReason is why a batch was not used for a pod, spelled as in scheduler_batch_cache_flushed_total.
type FlushReason string

const (
	FlushSkipped      FlushReason = "pod_skipped"
	FlushIncompatible FlushReason = "pod_incompatible"
	FlushExpired      FlushReason = "expired"
	FlushNodeMissing  FlushReason = "node_missing"
	FlushNodeNotFull  FlushReason = "node_not_full"
	FlushEmptyList    FlushReason = "empty_list"
	FlushNotBatchable FlushReason = "pod_not_batchable"

	// Those of batches that are rescored.
	FlushNominated      FlushReason = "pod_nominated"
	FlushFilterError    FlushReason = "filter_error"
	FlushPreScoreError  FlushReason = "prescore_error"
	FlushRescoreError   FlushReason = "rescore_error"
	FlushNormalizeError FlushReason = "normalize_error"
)

// BatchCounters counts a profile's batch hints, flushes and rescorings, as scheduler_batch_attempts_total,
// scheduler_batch_cache_flushed_total and scheduler_batch_rescore_attempts_total do.
type BatchCounters struct {
	NoHint, HintUsed, HintNotUsed uint64
	Rescored                      uint64
	Flushed                       map[FlushReason]uint64
}

// nodeHint signs the pod and returns the node to evaluate first by the batch, or "".
func (s *search) nodeHint() string {
	if s.engine.options.Listener == nil {
		return s.hintFromBatch()
	}
	began := s.engine.elapsed()
	node := s.hintFromBatch()
	s.engine.options.Listener.Hinted(s.decision.Profile, node != "", s.engine.elapsed()-began)
	return node
}

func (s *search) hintFromBatch() string {
	count := s.engine.batchCountersOf(s.decision.Profile)
	s.signature = s.sign()
	b := s.engine.batches[s.decision.Profile]
	if b == nil || len(b.sorted) == 0 {
		count.NoHint++
		return ""
	}
	if reason := s.flushReason(b); reason != "" {
		count.NoHint++
		count.Flushed[reason]++
		return ""
	}
	// The node is taken out whether or not it is feasible, as in kube-scheduler: after this cycle its score is out of date.
	best := b.sorted[0].Name
	b.sorted = withoutTop(b.sorted)
	return best
}

// sign returns the pod's signature. That of a pod of the queue may be older than the pod, which was updated while it was tried before.
func (s *search) sign() fwk.PodSignature {
	if s.engine.features.signsQueued && s.popped != nil {
		return s.popped.Signature()
	}
	return s.profile.Sign(s.engine.ctx, s.pod, s.state.ShouldRecordPluginMetrics())
}

// flushReason returns why the batch cannot be used for this pod, or "". The batch is kept either way.
func (s *search) flushReason(b *batch) FlushReason {
	e := s.engine
	// Invariant: b.sorted holds for the cluster after the last cycle, in which only the chosen node has changed. Upstream looks for no
	// other change in between, and bounds the age instead.
	switch {
	case s.cycle() != b.cycle+1:
		return FlushSkipped
	case e.features.rescores && s.pod.Status.NominatedNodeName != "":
		return FlushNominated
	case s.signature == nil || !bytes.Equal(s.signature, b.signature):
		return FlushIncompatible
	case e.now.After(b.made.Add(maxBatchAge)):
		return FlushExpired
	}
	node, err := e.snapshot.NodeInfos().Get(b.chosen)
	if err != nil {
		return FlushNodeMissing
	}
	switch status := s.profile.RunFilterPlugins(e.ctx, s.state, s.pod, node); {
	case status.IsRejected():
		return ""
	case !e.features.rescores: // while the chosen node has room, it may still be the best, and its new score is not known
		return FlushNodeNotFull
	case !status.IsSuccess():
		return FlushFilterError
	}
	return s.rescore(b, node)
}

// cycle is the number of the attempt; a pod that is only explained gets the next number.
func (s *search) cycle() int64 {
	if s.popped == nil {
		return s.engine.queue.SchedulingCycle() + 1
	}
	return s.engine.queue.SchedulingCycle()
}

// storeScores keeps this pod's scores for the next pod. The slices are the framework's, so the kept part is copied.
func (s *search) storeScores(chosen string, scores []fwk.NodePluginScores, won int) {
	e := s.engine
	if e.options.Listener != nil {
		began := e.elapsed()
		defer func() { e.options.Listener.Kept(s.decision.Profile, e.elapsed()-began) }()
	}
	b := e.batches[s.decision.Profile]
	if b == nil {
		b = &batch{}
		e.batches[s.decision.Profile] = b
	}
	b.cycle, b.chosen = e.queue.SchedulingCycle(), chosen
	count := e.batchCountersOf(s.decision.Profile)
	if s.hinted == chosen {
		count.HintUsed++
		return // the batch goes on without the node: this cycle scored no other
	}
	if s.hinted != "" {
		count.HintNotUsed++
	}
	b.signature, b.sorted = nil, nil
	switch {
	case s.feasible.count() < 2:
		count.Flushed[FlushEmptyList]++
	case s.signature == nil:
		count.Flushed[FlushNotBatchable]++
	default:
		b.signature, b.made, b.sorted = s.signature, e.now, withoutWinner(scores, won)
		b.raw, e.rescoring.raw = e.rescoring.raw, b.raw
	}
}

// withoutWinner returns a heap of all scores but the winner's. If the winner is the top of the heap, the rest has the
// positions that popping it leaves.
func withoutWinner(scores []fwk.NodePluginScores, won int) []fwk.NodePluginScores {
	heap := make([]fwk.NodePluginScores, len(scores))
	for i, one := range scores {
		heap[i] = fwk.NodePluginScores{Name: one.Name, TotalScore: one.TotalScore, Randomizer: i}
	}
	winner := heap[won].Name
	heapify(heap)
	if heap[0].Name == winner {
		return withoutTop(heap)
	}
	for i := range heap {
		if heap[i].Name == winner {
			heap[i] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
			break
		}
	}
	heapify(heap)
	return heap
}

func (c *BatchCounters) clone() *BatchCounters {
	twin := *c
	twin.Flushed = maps.Clone(c.Flushed)
	return &twin
}

func (e *Engine) batchCountersOf(profile string) *BatchCounters {
	count := e.batchCounters[profile]
	if count == nil {
		count = &BatchCounters{Flushed: map[FlushReason]uint64{}}
		e.batchCounters[profile] = count
	}
	return count
}

// BatchCounters returns the opportunistic batching counters of a profile.
func (e *Engine) BatchCounters(profile string) BatchCounters { return *e.batchCountersOf(profile) }
