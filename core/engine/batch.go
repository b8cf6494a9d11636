package engine

import (
	"bytes"
	"time"

	fwk "k8s.io/kube-scheduler/framework"
)

// Pods from one template often come one after the other, and often each fills the node it gets. When the next pod is
// like the last one in everything that plugins look at, and the node of the last one is full now, the runner-up of then
// is looked at before any other node, and taken if it will do. It is kube-scheduler's opportunistic batching, by its
// rules: for pods that a plugin cannot describe, as all pods are to PodTopologySpread with its default constraints, it
// never comes into play.
type batch struct {
	signature fwk.PodSignature
	rest      []fwk.NodePluginScores // a heap: the nodes that were not taken, the best first
	made      time.Time
	// The last cycle of the profile that placed a pod, and where.
	cycle  int64
	chosen string
}

// batchAge is for how long the scores of one pod speak for the next.
const batchAge = 500 * time.Millisecond

// Flush is why the scores of one pod did not speak for the next, spelled as in scheduler_batch_cache_flushed_total.
type Flush string

// The reasons.
const (
	FlushSkipped      Flush = "pod_skipped"
	FlushIncompatible Flush = "pod_incompatible"
	FlushExpired      Flush = "expired"
	FlushNodeMissing  Flush = "node_missing"
	FlushNodeNotFull  Flush = "node_not_full"
	FlushEmptyList    Flush = "empty_list"
	FlushNotBatchable Flush = "pod_not_batchable"
)

// Batching counts what came of it, by profile, as scheduler_batch_attempts_total and _cache_flushed_total have it.
type Batching struct {
	NoHint, HintUsed, HintNotUsed uint64
	Flushed                       map[Flush]uint64
}

// hint is the node to look at first, if the scores of the last pod say so. It also describes the pod, for the next one.
func (a *attempt) hint() string {
	if a.engine.options.Listener == nil {
		return a.lastBest()
	}
	began := a.engine.elapsed()
	node := a.lastBest()
	a.engine.options.Listener.Hinted(a.decision.Profile, node != "", a.engine.elapsed()-began)
	return node
}

func (a *attempt) lastBest() string {
	count := a.engine.batchingOf(a.decision.Profile)
	a.signature = a.profile.SignPod(a.engine.ctx, a.pod, a.state.ShouldRecordPluginMetrics())
	b := a.engine.batches[a.decision.Profile]
	if b == nil || len(b.rest) == 0 {
		count.NoHint++
		return ""
	}
	if reason := a.unusable(b); reason != "" {
		count.NoHint++
		count.Flushed[reason]++
		return ""
	}
	best := b.rest[0].Name
	b.rest = withoutTop(b.rest)
	return best
}

// unusable says why the batch does not speak for this pod, if it does not. It is kept all the same, for the next.
func (a *attempt) unusable(b *batch) Flush {
	e := a.engine
	switch {
	case a.cycle() != b.cycle+1:
		return FlushSkipped
	case a.signature == nil || !bytes.Equal(a.signature, b.signature):
		return FlushIncompatible
	case e.now.After(b.made.Add(batchAge)):
		return FlushExpired
	}
	node, err := e.snapshot.NodeInfos().Get(b.chosen)
	if err != nil {
		return FlushNodeMissing
	}
	if !a.profile.RunFilterPlugins(e.ctx, a.state, a.pod, node).IsRejected() {
		return FlushNodeNotFull
	}
	return ""
}

// cycle is the number of the attempt. One that is only being explained has that of the next.
func (a *attempt) cycle() int64 {
	if a.popped == nil {
		return a.engine.queue.SchedulingCycle() + 1
	}
	return a.engine.queue.SchedulingCycle()
}

// remember keeps what this pod's scores may say to the next one. The scores are the framework's; what is kept of them
// is copied.
func (a *attempt) remember(chosen string, scores []fwk.NodePluginScores, won int) {
	e := a.engine
	if e.options.Listener != nil {
		began := e.elapsed()
		defer func() { e.options.Listener.Kept(a.decision.Profile, e.elapsed()-began) }()
	}
	b := e.batches[a.decision.Profile]
	if b == nil {
		b = &batch{}
		e.batches[a.decision.Profile] = b
	}
	b.cycle, b.chosen = e.queue.SchedulingCycle(), chosen
	count := e.batchingOf(a.decision.Profile)
	if a.hinted == chosen {
		count.HintUsed++
		return
	}
	if a.hinted != "" {
		count.HintNotUsed++
	}
	b.signature, b.rest = nil, nil
	switch {
	case len(scores) < 2:
		count.Flushed[FlushEmptyList]++
	case a.signature == nil:
		count.Flushed[FlushNotBatchable]++
	default:
		b.signature, b.made, b.rest = a.signature, e.now, others(scores, won)
	}
}

// others are the scores besides the winner's, as a heap. When the winner is where a heap has its top, the rest is what
// taking the top off leaves, positions included.
func others(scores []fwk.NodePluginScores, won int) []fwk.NodePluginScores {
	heap := make([]fwk.NodePluginScores, len(scores))
	for i, s := range scores {
		heap[i] = fwk.NodePluginScores{Name: s.Name, TotalScore: s.TotalScore}
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

// batchingOf is the account of one profile.
func (e *Engine) batchingOf(profile string) *Batching {
	count := e.batching[profile]
	if count == nil {
		count = &Batching{Flushed: map[Flush]uint64{}}
		e.batching[profile] = count
	}
	return count
}

// Batching is what came of opportunistic batching in a profile.
func (e *Engine) Batching(profile string) Batching { return *e.batchingOf(profile) }
