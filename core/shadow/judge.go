package shadow

import (
	"cmp"
	"iter"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/config"
	"orrery/core/engine"
	"orrery/core/world"
)

// Window is how far apart two schedulers may see an event, unless the options say otherwise.
const Window = 500 * time.Millisecond

// Hold is for how long a decision is put off while pods that were before it in the queue have not been heard of.
const Hold = 3 * time.Second

// Memory is for how long what happened is remembered. Decisions within this time after a list may have been made before it.
const Memory = 15 * time.Second

// How much is remembered at most.
const (
	aheadMost = 1 << 14
	pastMost  = 1 << 14
	oursMost  = 3
)

// Judge says of every real decision how it compares with Orrery's. See the package comment.
type Judge struct {
	engine *engine.Engine
	window time.Duration
	// percentage is of the nodes that the other scheduler scores, by profile.
	percentage map[string]int

	sorted bool // the queue's order is kube-scheduler's own
	lease  types.NamespacedName
	places places

	now     time.Time
	lastSeq uint64
	ahead   []heard // and not taken in
	past    []step  // taken in within memory
	// listed is the last list that a decision could turn on.
	listed heard
	effort effort

	tally       Tally
	seq         uint64
	differences kept
	explained   kept
}

// heard is an input with its number.
type heard struct {
	world.Input
	seq uint64
}

// NewJudge is a judge that has heard nothing yet.
func NewJudge(o Options) (*Judge, error) {
	c := o.Engine.Config
	if c == nil {
		c = config.Default(config.DefaultFeatures())
	}
	whole := *c
	whole.PercentageOfNodesToScore = 100
	whole.Profiles = slices.Clone(c.Profiles)
	j := &Judge{
		window: cmp.Or(o.Window, Window), percentage: map[string]int{}, places: newPlaces(),
		differences: kept{most: differencesKept}, explained: kept{most: explainedKept},
	}
	for i := range whole.Profiles {
		p := &whole.Profiles[i]
		j.percentage[p.SchedulerName] = int(c.PercentageOfNodesToScore)
		if own := p.PercentageOfNodesToScore; own != nil {
			j.percentage[p.SchedulerName] = int(*own)
		}
		p.PercentageOfNodesToScore = nil
	}
	options := engine.Options{
		Config: &whole, Plugins: o.Engine.Plugins, Start: o.Engine.Start, Decisions: 1,
		Client: o.Engine.Client, KubeConfig: o.Engine.KubeConfig,
	}
	var err error
	if j.engine, err = engine.New(options); err != nil {
		return nil, err
	}
	j.lease = types.NamespacedName{Namespace: c.LeaderElection.ResourceNamespace, Name: c.LeaderElection.ResourceName}
	j.sorted = inOrder(whole.Profiles[0].Plugins)
	return j, nil
}

// Tally counts the real decisions so far.
func (j *Judge) Tally() Tally { return j.tally }

// Findings are the latest differences and explained ones, the newest first. They are the judge's own, good until the next
// input.
func (j *Judge) Findings() iter.Seq[*Finding] {
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

// Kept is how many findings there are to go through.
func (j *Judge) Kept() int { return len(j.differences.ring) + len(j.explained.ring) }

// Apply tells what happened. It is taken in when the window after it has passed, and a decision, for a while, not before
// those that precede it in the queue have been heard of.
func (j *Judge) Apply(in world.Input) {
	j.now = in.At
	switch in.Event.(type) {
	case world.Changed, world.Listed:
		j.lastSeq++
		j.hear(in.Event, j.lastSeq)
		j.ahead = append(j.ahead, heard{in, j.lastSeq})
	}
	for len(j.ahead) > 0 && (len(j.ahead) > aheadMost || !j.due().After(in.At)) {
		j.takeIn(&j.ahead[0])
		j.ahead = j.ahead[1:]
	}
}

// due is when the next input is to be taken in.
func (j *Judge) due() time.Time {
	first := &j.ahead[0]
	at := first.At.Add(j.window)
	if !at.After(j.now) && j.waits(first, j.now) {
		return first.At.Add(Hold)
	}
	return at
}

// NextWake is when the next input is to be taken in.
func (j *Judge) NextWake() (time.Time, bool) {
	if len(j.ahead) == 0 {
		return time.Time{}, false
	}
	return j.due(), true
}

// takeIn judges what an input says of real decisions, and then takes it in.
func (j *Judge) takeIn(h *heard) {
	changed, ok := h.Event.(world.Changed)
	if !ok {
		j.list(h)
		return
	}
	s := j.stepOf(h, changed)
	if pod, ok := s.now.(*v1.Pod); ok {
		was, _ := s.was.(*v1.Pod)
		j.consider(h, was, pod)
	}
	_ = j.engine.Apply(h.Input) // what the engine refuses it leaves out
	j.engine.Effects()
	j.remember(s)
}

// list takes a list in. It may say of many decisions that nobody saw being made.
func (j *Judge) list(h *heard) {
	list := h.Event.(world.Listed)
	if list.Kind == world.Pod {
		there := map[types.UID]bool{}
		for _, o := range list.Objects {
			if pod, ok := o.(*v1.Pod); ok && pod.Spec.NodeName == "" {
				there[pod.UID] = true
			} else if ok && j.undecided(pod) != nil {
				j.tally.Missed++
			}
		}
		j.places.keep(func(uid types.UID, seq uint64) bool { return seq > h.seq || there[uid] })
	}
	_ = j.engine.Apply(h.Input)
	j.engine.Effects()
	j.forget(len(j.past))
	if list.Kind != world.Lease && list.Kind != world.LeaseCandidate {
		j.listed = heard{world.Input{At: h.At}, h.seq}
	}
}

// undecided is the pod as the judge knows it, if that waits for a node of one of the profiles.
func (j *Judge) undecided(pod *v1.Pod) *v1.Pod {
	was := j.engine.Store().Pod(pod.Namespace, pod.Name)
	if was == nil || was.UID != pod.UID || was.Spec.NodeName != "" || j.engine.Profile(was.Spec.SchedulerName) == nil {
		return nil
	}
	return was
}

// remember keeps a step for a while.
func (j *Judge) remember(s step) {
	switch now := s.now.(type) {
	case *v1.Pod:
		if now.Spec.NodeName == "" && tried(now) {
			j.places.loosen(now.UID)
		}
	case *coordinationv1.Lease:
		if j.succeeds(&s, now) {
			j.places.loosenUntil(s.seq)
		}
	}
	j.past = append(j.past, s)
	old := 0
	for old < len(j.past) && (len(j.past)-old > pastMost || s.at.Sub(j.past[old].at) > Memory) {
		old++
	}
	j.forget(old)
}

// forget drops the oldest steps, and the places of the pods that they took from the queue.
func (j *Judge) forget(steps int) {
	for i := range j.past[:steps] {
		s := &j.past[i]
		if pod, ok := cmp.Or(s.now, s.was).(*v1.Pod); ok && (s.now == nil || pod.Spec.NodeName != "") {
			j.places.forget(pod.UID)
		}
	}
	clear(j.past[:steps])
	j.past = j.past[steps:]
}

// unseen tells whether a decision may have been made before the last list was, when nobody was listening.
func (j *Judge) unseen(h *heard, uid types.UID) bool {
	pod := j.places.of[uid]
	return j.listed.seq > 0 && (pod == nil || pod.seq <= j.listed.seq) && h.At.Sub(j.listed.At) < Memory
}

// consider judges what became of a pod: that it got a node, or was declared unschedulable.
func (j *Judge) consider(h *heard, was, is *v1.Pod) {
	if was == nil || was.UID != is.UID || was.Spec.NodeName != "" {
		return
	}
	condition := refused(was, is)
	switch {
	case is.Spec.NodeName == "" && condition == nil:
		return
	case j.engine.Profile(was.Spec.SchedulerName) == nil:
		j.tally.Others++
		return
	case j.unseen(h, is.UID):
		j.tally.Missed++
		return
	}
	q := question{pod: types.NamespacedName{Namespace: is.Namespace, Name: is.Name}, uid: is.UID, node: is.Spec.NodeName}
	r, err := j.engine.Rank(is.Namespace, is.Name)
	if err != nil {
		j.tally.Missed++
		return
	}
	if condition != nil {
		j.tally.Unschedulable++
	}
	nominated := q.node != "" && q.node == was.Status.NominatedNodeName && r.Of(q.node) != nil
	if nominated || q.distance(r) == 0 {
		j.tally.Agreed++
		return
	}
	f := Finding{At: h.At, Pod: world.RefOf(is), Real: q.node}
	if condition != nil {
		f.Message = condition.Message
	}
	f.compare(r)
	f.sample(r, j.percentage[was.Spec.SchedulerName])
	if !f.Sampled {
		f.Causes = j.causes(h, q, r.Nodes)
	}
	if !f.Sampled && f.Causes == nil {
		f.Class = Differs
		j.object(&f)
	} else {
		f.Class = Explained
	}
	j.keep(f)
}

func (j *Judge) keep(f Finding) {
	j.seq++
	f.Seq = j.seq
	if f.Class == Differs {
		j.tally.Differs++
		j.differences.add(f)
		return
	}
	j.tally.Explained++
	j.explained.add(f)
}
