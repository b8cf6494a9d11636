package shadow

import (
	"cmp"
	"iter"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/world"
)

// Window is how far apart two schedulers may see an event, unless the options say otherwise.
const Window = 500 * time.Millisecond

// How much is remembered at most.
const (
	aheadMost = 1 << 14
	pastMost  = 1 << 12
	oursMost  = 3
)

// Judge says of every real decision how it compares with Orrery's. See the package comment.
type Judge struct {
	engine *engine.Engine
	window time.Duration
	// percentage is of the nodes that the other scheduler scores, by profile.
	percentage map[string]int

	ahead []world.Input // heard and not taken in
	past  []step        // taken in within the window
	turns map[types.UID]turns

	tally       Tally
	seq         uint64
	differences kept
	explained   kept
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
		window: cmp.Or(o.Window, Window), percentage: map[string]int{}, turns: map[types.UID]turns{},
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
	j.engine, err = engine.New(options)
	return j, err
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

// Apply tells what happened. It is taken in when the window after it has passed.
func (j *Judge) Apply(in world.Input) {
	switch in.Event.(type) {
	case world.Changed, world.Listed:
		j.ahead = append(j.ahead, in)
	}
	for len(j.ahead) > 0 && (len(j.ahead) > aheadMost || !j.ahead[0].At.Add(j.window).After(in.At)) {
		j.takeIn(j.ahead[0])
		j.ahead = j.ahead[1:]
	}
}

// NextWake is when the next input is to be taken in.
func (j *Judge) NextWake() (time.Time, bool) {
	if len(j.ahead) == 0 {
		return time.Time{}, false
	}
	return j.ahead[0].At.Add(j.window), true
}

// decided notes when Orrery decided about a pod.
func (j *Judge) decided(d *engine.Decision) {
	t := j.turns[d.Pod.UID]
	switch d.Verdict {
	case engine.Placed:
		t.placed = turn{d.Seq, d.At, d.Attempt > 1}
	case engine.Unschedulable:
		t.refused = turn{d.Seq, d.At, d.Attempt > 1}
	default:
		return
	}
	j.turns[d.Pod.UID] = t
}

// takeIn judges what an input says of real decisions, and then takes it in.
func (j *Judge) takeIn(in world.Input) {
	changed, ok := in.Event.(world.Changed)
	if !ok {
		j.listed(in)
		return
	}
	s := j.stepOf(in.At, changed)
	if pod, ok := s.now.(*v1.Pod); ok {
		was, _ := s.was.(*v1.Pod)
		j.consider(in.At, was, pod)
	}
	_ = j.engine.Apply(in) // what the engine refuses it leaves out
	j.engine.Effects()
	j.remember(s)
}

// listed takes a list in. It may say of many decisions that nobody saw being made.
func (j *Judge) listed(in world.Input) {
	list := in.Event.(world.Listed)
	if list.Kind == world.Pod {
		for _, o := range list.Objects {
			if pod, ok := o.(*v1.Pod); ok && pod.Spec.NodeName != "" && j.waits(pod) != nil {
				j.tally.Missed++
			}
		}
	}
	_ = j.engine.Apply(in)
	j.engine.Effects()
	j.past = j.past[:0]
}

// waits is the pod as the judge knows it, if that waits for a node of one of the profiles.
func (j *Judge) waits(pod *v1.Pod) *v1.Pod {
	was := j.engine.Store().Pod(pod.Namespace, pod.Name)
	if was == nil || was.UID != pod.UID || was.Spec.NodeName != "" || j.engine.Profile(was.Spec.SchedulerName) == nil {
		return nil
	}
	return was
}

// remember keeps a step as long as the window lasts.
func (j *Judge) remember(s step) {
	j.past = append(j.past, s)
	old := 0
	for old < len(j.past) && (len(j.past)-old > pastMost || s.at.Sub(j.past[old].at) > j.window) {
		if pod, ok := either(j.past[old].now, j.past[old].was).(*v1.Pod); ok && (j.past[old].now == nil || pod.Spec.NodeName != "") {
			delete(j.turns, pod.UID)
		}
		old++
	}
	j.past = slices.Delete(j.past, 0, old)
}

// consider judges what became of a pod: that it got a node, or was declared unschedulable.
func (j *Judge) consider(at time.Time, was, is *v1.Pod) {
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
	f := Finding{At: at, Pod: world.RefOf(is), Real: q.node}
	if condition != nil {
		f.Message = condition.Message
	}
	f.compare(r)
	f.sample(r, j.percentage[was.Spec.SchedulerName])
	if !f.Sampled {
		f.Causes = j.causes(at, q)
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

// compare fills in how the real node stands among the others.
func (f *Finding) compare(r *engine.Ranking) {
	f.Nodes, f.Feasible, f.Best = r.Nodes, len(r.Scores), r.Best()
	real, first := r.Of(f.Real), -1
	for i := range r.Scores {
		if r.Scores[i].TotalScore != f.Best {
			continue
		}
		if f.Tied++; f.Tied == 1 {
			first = i
		}
		if len(f.Ours) < oursMost {
			f.Ours = append(f.Ours, r.Scores[i].Name)
		}
	}
	if real != nil && first >= 0 {
		f.Score = real.TotalScore
		f.Margins = margins(r.Scores[first].Scores, real.Scores)
	}
}

// margins compares two nodes plugin by plugin.
func margins(best, real []fwk.PluginScore) []Margin {
	var list []Margin
	for i := range min(len(best), len(real)) {
		if ahead := best[i].Score - real[i].Score; ahead != 0 {
			list = append(list, Margin{best[i].Name, ahead})
		}
	}
	slices.SortStableFunc(list, func(a, b Margin) int { return cmp.Compare(b.Ahead, a.Ahead) })
	return list
}

// object fills in why the real node would not do; where none would, why not.
func (j *Judge) object(f *Finding) {
	if f.Real == "" || f.Margins != nil || f.Score != 0 {
		return
	}
	x, err := j.engine.Judge(f.Pod.Namespace, f.Pod.Name)
	if err != nil {
		return
	}
	for _, node := range x.Nodes {
		if node.Node != f.Real {
			continue
		}
		for _, s := range node.Said {
			if s.Code != fwk.Success && s.Code != fwk.Skip {
				f.Against = append(f.Against, objections(s, 1)...)
			}
		}
	}
	if len(f.Against) > 0 {
		return
	}
	for _, s := range x.Said {
		if s.Code != fwk.Success && s.Code != fwk.Skip {
			f.Against = append(f.Against, objections(s, f.Nodes)...)
		}
	}
}

func objections(s engine.Statement, nodes int) []Objection {
	reasons := s.Reasons
	if len(reasons) == 0 {
		reasons = []string{s.Code.String()}
	}
	list := make([]Objection, 0, len(reasons))
	for _, reason := range reasons {
		list = append(list, Objection{Plugin: s.Plugin, Reason: printable.Line(reason, 200), Nodes: nodes})
	}
	return list
}

// sample tells whether the real node is the best of some part of the nodes that is as large as the other scheduler scores.
// It begins somewhere in the order of the nodes and takes those that would do as they come.
func (f *Finding) sample(r *engine.Ranking, percentage int) {
	f.Wanted = engine.FeasibleWanted(r.Nodes, percentage)
	n := len(r.Scores)
	if f.Real == "" || f.Wanted >= n {
		return
	}
	at := slices.IndexFunc(r.Scores, func(s fwk.NodePluginScores) bool { return s.Name == f.Real })
	if at < 0 {
		return
	}
	run := 1
	for _, way := range []int{1, n - 1} {
		for i := (at + way) % n; i != at && run < n && r.Scores[i].TotalScore <= r.Scores[at].TotalScore; i = (i + way) % n {
			run++
		}
	}
	f.Sampled = run >= f.Wanted
}
