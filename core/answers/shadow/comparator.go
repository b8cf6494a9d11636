package shadow

import (
	"cmp"
	"iter"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/unreadable"
	"orrery/core/world"
)

// Window is the default maximum difference between the times at which two schedulers see an event.
const Window = 500 * time.Millisecond

// MaxHold bounds how long a comparison waits for the pods before it in the queue.
//
//orrery:limit shadow; how long a comparison waits for the pods before it; it is made without them
const MaxHold = 3 * time.Second

// HistoryWindow is how long inputs are kept. Decisions within this time after a list may be older than the list.
const HistoryWindow = 15 * time.Second

// Bounds of the Comparator's memory.
const (
	//orrery:limit shadow; inputs that wait to be compared; the oldest is compared early
	maxPending = 1 << 14
	//orrery:limit shadow; inputs that an explanation may reorder; the oldest goes
	maxHistory = 1 << 14
	//orrery:limit shadow; best nodes of a finding that are named; the others are left out
	maxBestNodes = 3
)

// Comparator compares every real decision with Orrery's. See the package comment.
type Comparator struct {
	engine *engine.Engine
	window time.Duration
	// percentage is the percentageOfNodesToScore of the other scheduler, by profile.
	percentage map[string]int

	// guarded are the profiles whose pods with claims cannot be ranked: the volumes may not be read.
	guarded map[string]bool

	prioritySort bool // the queue is sorted by kube-scheduler's own plugin
	lease        types.NamespacedName
	queue        otherQueue
	prepared     preparedBindings

	now     time.Time
	lastSeq uint64
	pending []numberedInput // not applied yet
	history []step          // applied within HistoryWindow
	// lastList is the last list that can affect a decision.
	lastList numberedInput
	budget   rankingBudget

	counters    Counters
	seq         uint64
	differences findingRing
	explained   findingRing
	overruled   overruledPods
}

// numberedInput is an input with a sequence number.
type numberedInput struct {
	world.Input
	seq uint64
	// expected says that the pod was nominated for this binding, and not by a preemption before.
	expected bool
}

// NewComparator returns a comparator without inputs.
func NewComparator(o Options) (*Comparator, error) {
	c := o.Engine.Config
	if c == nil {
		c = config.Default(config.DefaultFeatures())
	}
	scoreAll := *c
	scoreAll.PercentageOfNodesToScore = 100
	scoreAll.Profiles = slices.Clone(c.Profiles)
	j := &Comparator{
		window: cmp.Or(o.Window, Window), percentage: map[string]int{}, guarded: map[string]bool{}, queue: newOtherQueue(),
		overruled:   newOverruledPods(),
		differences: findingRing{limit: maxDifferences}, explained: findingRing{limit: maxExplained},
	}
	for i := range scoreAll.Profiles {
		p := &scoreAll.Profiles[i]
		j.guarded[p.SchedulerName] = unreadable.Guards(p)
		j.percentage[p.SchedulerName] = int(c.PercentageOfNodesToScore)
		if own := p.PercentageOfNodesToScore; own != nil {
			j.percentage[p.SchedulerName] = int(*own)
		}
		p.PercentageOfNodesToScore = nil
	}
	options := engine.Options{
		Config: &scoreAll, Plugins: o.Engine.Plugins, NoReuse: o.Engine.NoReuse, Start: o.Engine.Start, DecisionLogSize: 1,
	}
	var err error
	if j.engine, err = engine.New(options); err != nil {
		return nil, err
	}
	j.lease = types.NamespacedName{Namespace: c.LeaderElection.ResourceNamespace, Name: c.LeaderElection.ResourceName}
	j.prepared = newPreparedBindings(j.window, func(name string) bool { return j.engine.Profile(name) != nil })
	j.prioritySort = usesPrioritySort(scoreAll.Profiles[0].Plugins)
	return j, nil
}

// Counters returns the counts of real decisions so far.
func (j *Comparator) Counters() Counters { return j.counters }

// Findings iterates over the latest differences and explained decisions, newest first. They are valid until the next
// input.
func (j *Comparator) Findings() iter.Seq[*Finding] {
	return func(yield func(*Finding) bool) {
		a, b := 0, 0
		for {
			x, y := j.differences.newest(a), j.explained.newest(b)
			switch {
			case x == nil && y == nil:
				return
			case y == nil || x != nil && x.Seq > y.Seq:
				a++
			default:
				x = y
				b++
			}
			if !yield(x) {
				return
			}
		}
	}
}

// FindingCount returns the number of Findings.
func (j *Comparator) FindingCount() int { return len(j.differences.ring) + len(j.explained.ring) }

// Apply receives an input. The comparator processes it after the window has passed, and a decision only after the pods
// before it in the queue, or after MaxHold.
func (j *Comparator) Apply(in world.Input) {
	j.now = in.At
	switch in.Event.(type) {
	case world.Changed, world.Listed:
		for _, h := range j.prepared.observe(in) {
			j.lastSeq++
			h.seq = j.lastSeq
			j.noteQueue(h.Event, h.seq)
			j.pending = append(j.pending, h)
		}
	}
	for len(j.pending) > 0 && (len(j.pending) > maxPending || !j.nextDue().After(in.At)) {
		j.process(&j.pending[0])
		j.pending = j.pending[1:]
	}
}

// nextDue returns when the next input is processed.
func (j *Comparator) nextDue() time.Time {
	first := &j.pending[0]
	at := first.At.Add(j.window)
	if !at.After(j.now) && j.mustWait(first, j.now) {
		return first.At.Add(MaxHold)
	}
	return at
}

// NextWake returns when the next input is processed.
func (j *Comparator) NextWake() (time.Time, bool) {
	if len(j.pending) == 0 {
		return time.Time{}, false
	}
	return j.nextDue(), true
}

// process compares the decision that an input shows, and then applies the input.
func (j *Comparator) process(h *numberedInput) {
	changed, ok := h.Event.(world.Changed)
	if !ok {
		j.processList(h)
		return
	}
	s := j.stepOf(h, changed)
	if pod, ok := s.now.(*v1.Pod); ok {
		was, _ := s.was.(*v1.Pod)
		j.compareDecision(h, was, pod)
	}
	_ = j.engine.Apply(h.Input) // the engine leaves out what it refuses
	j.engine.Effects()
	j.record(s)
}

// processList applies a list. Its pods may show decisions that were made between two watches.
func (j *Comparator) processList(h *numberedInput) {
	list := h.Event.(world.Listed)
	if list.Kind == world.Pod {
		there := map[types.UID]bool{}
		for _, o := range list.Objects {
			if pod, ok := o.(*v1.Pod); ok && pod.Spec.NodeName == "" {
				there[pod.UID] = true
			} else if ok && j.waitingPod(pod) != nil {
				j.counters.NotCompared++
			}
		}
		j.queue.retain(func(uid types.UID, seq uint64) bool { return seq > h.seq || there[uid] })
	}
	_ = j.engine.Apply(h.Input)
	j.engine.Effects()
	j.forget(len(j.history))
	if list.Kind != world.Lease && list.Kind != world.LeaseCandidate {
		j.lastList = numberedInput{Input: world.Input{At: h.At}, seq: h.seq}
	}
}

// waitingPod returns the pod of the engine if it is pending and has one of the profiles.
func (j *Comparator) waitingPod(pod *v1.Pod) *v1.Pod {
	was := j.engine.Store().Pod(pod.Namespace, pod.Name)
	if was == nil || was.UID != pod.UID || was.Spec.NodeName != "" || j.engine.Profile(was.Spec.SchedulerName) == nil {
		return nil
	}
	return was
}

// record adds a step to the history.
func (j *Comparator) record(s step) {
	switch now := s.now.(type) {
	case *v1.Pod:
		if now.Spec.NodeName == "" && triedBefore(now) {
			j.queue.markUnordered(now.UID)
		}
	case *coordinationv1.Lease:
		if j.changesLeader(&s, now) {
			j.queue.markUnorderedBefore(s.seq)
		}
	}
	s.relevant = s.matters()
	j.history = append(j.history, s)
	old := 0
	for old < len(j.history) && (len(j.history)-old > maxHistory || s.at.Sub(j.history[old].at) > HistoryWindow) {
		old++
	}
	j.forget(old)
}

// forget drops the oldest steps, and removes the pods that they bound or deleted from the queue.
func (j *Comparator) forget(steps int) {
	for i := range j.history[:steps] {
		s := &j.history[i]
		if pod, ok := cmp.Or(s.now, s.was).(*v1.Pod); ok && (s.now == nil || pod.Spec.NodeName != "") {
			j.queue.remove(pod.UID)
		}
	}
	clear(j.history[:steps])
	j.history = j.history[steps:]
}

// maybeBeforeList reports whether a decision may be older than the last list.
func (j *Comparator) maybeBeforeList(h *numberedInput, uid types.UID) bool {
	pod := j.queue.byUID[uid]
	return j.lastList.seq > 0 && (pod == nil || pod.seq <= j.lastList.seq) && h.At.Sub(j.lastList.At) < HistoryWindow
}

// compareDecision compares the decision that a pod's change shows: a node, or the pod declared unschedulable.
func (j *Comparator) compareDecision(h *numberedInput, was, pod *v1.Pod) {
	if was == nil || was.UID != pod.UID || was.Spec.NodeName != "" {
		return
	}
	condition := newlyUnschedulable(was, pod)
	switch {
	case pod.Spec.NodeName == "" && condition == nil:
		return
	case j.engine.Profile(was.Spec.SchedulerName) == nil:
		j.counters.OtherSchedulers++
		return
	case j.guarded[was.Spec.SchedulerName] && unreadable.Holds(was), j.maybeBeforeList(h, pod.UID):
		j.counters.NotCompared++
		return
	}
	q := realDecision{pod: types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}, uid: pod.UID, node: pod.Spec.NodeName}
	r, err := j.engine.Rank(pod.Namespace, pod.Name)
	if err != nil || len(r.Unknown) > 0 {
		j.counters.NotCompared++
		return
	}
	if condition != nil {
		j.counters.Unschedulable++
	}
	nominated := !h.expected && q.node != "" && q.node == was.Status.NominatedNodeName && r.ScoreOf(q.node) != nil
	if nominated || q.distance(r) == 0 {
		j.counters.Agreed++
		j.overruled.compared(pod.UID, Agreed, r)
		return
	}
	f := Finding{At: h.At, Pod: world.PodRefOf(pod), Real: q.node}
	if condition != nil {
		f.Message = condition.Message
	}
	f.compareNodes(r)
	f.checkSampled(r, j.percentage[was.Spec.SchedulerName])
	if !f.Sampled {
		var searched bool
		f.Causes, searched = j.causes(h, q, r.Nodes)
		f.Unsearched = !searched
	}
	if !f.Sampled && f.Causes == nil {
		f.Class = Differs
		j.explainInfeasible(&f)
	} else {
		f.Class = Explained
	}
	j.overruled.compared(pod.UID, f.Class, r)
	j.addFinding(f)
}

func (j *Comparator) addFinding(f Finding) {
	j.seq++
	f.Seq = j.seq
	if f.Class == Differs {
		j.counters.Differs++
		if f.Unsearched {
			j.counters.Unsearched++
		}
		j.differences.add(f)
		return
	}
	j.counters.Explained++
	j.explained.add(f)
}
