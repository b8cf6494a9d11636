package figures

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
)

// phase is where a pod spends its time on the way to a node.
type phase uint8

const (
	inQueue phase = iota // in activeQ
	inBackoff
	unschedulable
	gated
	inAttempt // being tried, which takes no time of the engine but where extenders are asked
	inPermit
	inBinding
	unobserved // before the first list
	phases
)

var phaseNames = [phases]string{"queue", "backoff", "unschedulable", "gate", "attempt", "permit", "binding", "unobserved"}

var phaseOf = map[queue.State]phase{
	queue.Active: inQueue, queue.Backoff: inBackoff, queue.ErrorBackoff: inBackoff, queue.Unschedulable: unschedulable, queue.Gated: gated, queue.InFlight: inAttempt,
}

const (
	// maxJourneys bounds the pods whose way is followed.
	//
	//orrery:limit scheduler; pods without a node whose time is measured; the others are counted by orrery_pod_placements_unmeasured_total
	maxJourneys = 200_000
	// maxClasses bounds the series by namespace, priority and kind of owner.
	//
	//orrery:limit scheduler; namespaces, priorities and kinds of owners, together, with series of orrery_pod_*; the others share one
	maxClasses = 64
	// maxReasons bounds the series by plugin.
	//
	//orrery:limit scheduler; sets of rejecting plugins with a series of orrery_pod_held_seconds_total; the others share one
	maxReasons = 32
)

// journey is the way of a pod that has no node yet.
type journey struct {
	class  class
	owner  owner
	began  time.Time
	since  time.Time // of the present phase
	at     phase
	state  queue.State
	reason string // the plugins that reject or gate it
	spent  [phases]time.Duration
}

// enter ends the present phase.
func (j *journey) enter(next phase, now time.Time, held func(reason string, d time.Duration)) {
	d := max(now.Sub(j.since), 0)
	j.spent[j.at] += d
	if j.reason != "" && (j.at == unschedulable || j.at == gated) {
		held(j.reason, d)
	}
	j.at, j.since = next, now
}

// placements measures journeys.
type placements struct {
	most       int
	journeys   map[types.UID]*journey
	total      slots[class, histogram]
	spent      slots[class, [phases]time.Duration]
	inPhase    [phases]histogram
	held       slots[string, time.Duration]
	unmeasured uint64
}

func newPlacements() placements {
	return placements{
		most: maxJourneys, journeys: map[types.UID]*journey{}, total: newSlots[class, histogram](maxClasses), spent: newSlots[class, [phases]time.Duration](maxClasses),
		held: newSlots[string, time.Duration](maxReasons),
	}
}

// seenLate is how long after its creation a pod is first seen that was there before the observer, or before a watch that was lost. Less is the
// delay of a watch and the difference of two clocks.
const seenLate = 10 * time.Second

// begin starts a pod's journey, unless there are too many. Of one that is seen late, the time since its creation is unobserved.
func (p *placements) begin(pod *v1.Pod, now time.Time) *journey {
	if len(p.journeys) >= p.most {
		return nil
	}
	j := &journey{began: now, since: now}
	j.class, j.owner = workloadOf(pod)
	if created := pod.CreationTimestamp.Time; !created.IsZero() && now.Sub(created) > seenLate {
		j.began, j.spent[unobserved] = created, now.Sub(created)
	}
	p.journeys[pod.UID] = j
	return j
}

func (p *placements) hold(now time.Time) func(string, time.Duration) {
	return func(reason string, d time.Duration) { *p.held.of(reason, now) += d }
}

// moved takes in a transition of the queue.
func (p *placements) moved(j *journey, t *queue.Transition, e *engine.Engine) {
	next, queued := phaseOf[t.To]
	if !queued { // bound or deleted: an input says which
		next = j.at
	}
	j.enter(next, t.At, p.hold(t.At))
	j.state = t.To
	if j.reason = ""; next == unschedulable || next == gated {
		if q, ok := e.Queue().Get(t.Namespace, t.Name); ok {
			j.reason = printable.Line(strings.Join(q.Rejectors(), ","), maxLabel)
		}
	}
}

// decided takes in that a node was found.
func (p *placements) decided(d *engine.Decision) {
	if j := p.journeys[d.Pod.UID]; j != nil && d.Verdict == engine.Placed && j.at == inAttempt {
		j.enter(inPermit, d.At, p.hold(d.At))
	}
}

// emitted takes in the first step of a binding.
func (p *placements) emitted(act world.Action, now time.Time) {
	switch act.(type) {
	case world.Bind, world.ClaimVolume, world.SelectNode, world.ReserveResourceClaim, world.CreateResourceClaim, world.RunPlugin:
	default:
		return
	}
	if j := p.journeys[world.PodOf(act).UID]; j != nil && j.at == inPermit {
		j.enter(inBinding, now, p.hold(now))
	}
}

// bound ends a journey at a node.
func (p *placements) bound(j *journey, now time.Time) {
	j.enter(j.at, now, p.hold(now))
	p.total.of(j.class, now).observe(max(now.Sub(j.began), 0))
	sums := p.spent.of(j.class, now)
	for at, d := range j.spent {
		sums[at] += d
		if d > 0 {
			p.inPhase[at].observe(d)
		}
	}
}

var (
	placementDesc = prometheus.NewDesc("orrery_pod_placement_seconds",
		"Time from when a pod was first seen until it had a node, by namespace, priority and kind of owner; of one that was first seen more than ten seconds after its creation, since that.",
		[]string{"namespace", "priority", "owner_kind"}, nil)
	phaseSecondsDesc = prometheus.NewDesc("orrery_pod_phase_seconds_total",
		"Time that placed pods had spent in each phase, which sums up to that of their placement.", []string{"namespace", "priority", "owner_kind", "phase"}, nil)
	phaseDesc = prometheus.NewDesc("orrery_pod_placement_phase_seconds", "Time that a placed pod had spent in a phase, of the pods that were in it.", []string{"phase"}, nil)
	heldDesc  = prometheus.NewDesc("orrery_pod_held_seconds_total",
		"Time that pods were unschedulable or gated, by the plugins that rejected or gated them.", []string{"plugins"}, nil)
	unmeasuredDesc = prometheus.NewDesc("orrery_pod_placements_unmeasured_total", "Pods whose time to be placed is not measured, as too many were pending.", nil, nil)
)

func (p *placements) metrics(add func(prometheus.Metric)) {
	p.total.each(otherClass, func(c class, h *histogram) { add(h.metric(placementDesc, c.namespace, c.priority, c.ownerKind)) })
	p.spent.each(otherClass, func(c class, sums *[phases]time.Duration) {
		for at, d := range sums {
			add(counter(phaseSecondsDesc, d.Seconds(), c.namespace, c.priority, c.ownerKind, phaseNames[at]))
		}
	})
	for at := range p.inPhase {
		add(p.inPhase[at].metric(phaseDesc, phaseNames[at]))
	}
	p.held.each(other, func(plugins string, d *time.Duration) { add(counter(heldDesc, d.Seconds(), plugins)) })
	add(counter(unmeasuredDesc, float64(p.unmeasured)))
}
