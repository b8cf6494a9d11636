package journey

import (
	"cmp"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
)

// Sink receives what a Tracker finds, in the order in which it ends. It may keep stages and decisions, but not pods and nodes, which change
// until they are gone.
type Sink interface {
	// Decided is called for every decision.
	Decided(p *Pod, d *engine.Decision)
	// Stage is called when a stage ends, and at the end of the recording for the open ones.
	Stage(p *Pod, s *Stage)
	// Pod is called when a pod is gone, and at the end of the recording for the others.
	Pod(p *Pod)
	// Node is called when a node is gone, and at the end of the recording for the others.
	Node(n *Node)
}

// Tracker follows the pods and nodes of an engine.
type Tracker struct {
	sink    Sink
	engine  *engine.Engine
	pods    map[string]*Pod
	nodes   map[string]*Node
	closed  []closedStage // of the call to the engine that is not over
	effects map[world.EffectID]stepOf
	now     time.Time
	until   time.Time
}

// closedStage is a stage that ended in a call to the engine: the outcome that ended it comes after it.
type closedStage struct {
	pod   *Pod
	stage Stage
}

var (
	_ drive.Observer  = (*Tracker)(nil)
	_ engine.Listener = (*Tracker)(nil)
)

// New returns a tracker without an engine.
func New(to Sink) *Tracker {
	return &Tracker{sink: to, pods: map[string]*Pod{}, nodes: map[string]*Node{}, effects: map[world.EffectID]stepOf{}}
}

// follow begins with an engine, or goes on with the next one, whose state is that of the last one. What happens after until is
// left out: the next engine begins with the state as of that time. Zero leaves out nothing.
func (t *Tracker) follow(e *engine.Engine, until time.Time) {
	t.engine, t.until = e, until
	clear(t.effects)
	for _, p := range t.pods {
		p.carried = true
	}
}

// beyond reports whether a time is no longer followed.
func (t *Tracker) beyond(at time.Time) bool { return !t.until.IsZero() && at.After(t.until) }

func (t *Tracker) passed(at time.Time) {
	if at.After(t.now) {
		t.now = at
	}
}

// keyOf is a pod's key: its UID and its name, since there is data without UIDs.
func keyOf(r world.PodRef) string { return string(r.UID) + "/" + r.Namespace + "/" + r.Name }

// Applied implements drive.Observer.
func (t *Tracker) Applied(in world.Input, _ error) {
	if t.beyond(in.At) {
		return
	}
	t.passed(in.At)
	switch event := in.Event.(type) {
	case world.EffectDone:
		t.effectDone(in.At, event)
	case world.Changed:
		switch o := event.Object.(type) {
		case *v1.Pod:
			t.changed(in.At, o, event.Op == world.Deleted)
		case *v1.Node:
			t.nodeChanged(in.At, o, event.Op == world.Deleted)
		}
	case world.Listed:
		t.listed(in.At, event)
	}
	t.flush()
}

// listed takes over a list; what is missing in it is gone.
func (t *Tracker) listed(at time.Time, l world.Listed) {
	switch l.Kind {
	case world.Pod:
		listed := map[string]bool{}
		for _, o := range l.Objects {
			if pod, ok := o.(*v1.Pod); ok {
				listed[keyOf(world.PodRefOf(pod))] = true
				t.changed(at, pod, false)
			}
		}
		for _, p := range t.sortedPods() {
			if !listed[keyOf(p.PodRef)] {
				t.end(p, at, Deleted)
			}
		}
	case world.Node:
		listed := map[string]bool{}
		for _, o := range l.Objects {
			if node, ok := o.(*v1.Node); ok {
				listed[node.Name] = true
				t.nodeChanged(at, node, false)
			}
		}
		for _, n := range t.sortedNodes() {
			if !listed[n.Object.Name] {
				t.nodeChanged(at, n.Object, true)
			}
		}
	}
}

// changed takes over the change of a pod. The engine's store says what became of it: the event may be late or repeated.
func (t *Tracker) changed(at time.Time, pod *v1.Pod, deleted bool) {
	ref := world.PodRefOf(pod)
	held := t.engine.Store().Pod(pod.Namespace, pod.Name)
	if held == nil || held.UID != pod.UID {
		p := t.pods[keyOf(ref)]
		if p == nil || !deleted && !world.IsTerminated(pod) {
			return
		}
		p.Object = pod
		if !p.OnNode && p.Running.IsZero() && started(pod) && pod.Spec.NodeName != "" {
			t.placed(p, at, pod.Spec.NodeName)
			t.running(p, at)
		}
		t.end(p, at, endingOf(pod))
		return
	}
	p := t.see(at, held)
	p.Object = held
	switch {
	case held.Spec.NodeName != "":
		t.placed(p, at, held.Spec.NodeName)
		if started(held) {
			t.running(p, at)
		}
	case p.carried || p.current.State == Elsewhere || p.current.State == Unrecorded:
		if s := podStates[t.engine.PodState(pod.Namespace, pod.Name)]; s != p.current.State {
			p.Attempts = max(p.Attempts, t.attemptsOf(held))
			t.enter(p, at, Stage{State: s})
		}
	}
	p.carried = false
}

func (t *Tracker) attemptsOf(pod *v1.Pod) int {
	if queued, ok := t.engine.Queue().Get(pod.Namespace, pod.Name); ok {
		return queued.GetAttempts()
	}
	return 0
}

// see returns what is known of a pod; of a new one, it begins at its creation.
func (t *Tracker) see(at time.Time, pod *v1.Pod) *Pod {
	key := keyOf(world.PodRefOf(pod))
	p := t.pods[key]
	if p != nil {
		return p
	}
	p = &Pod{PodRef: world.PodRefOf(pod), Object: pod, Created: createdAt(pod, at)}
	t.pods[key] = p
	t.enter(p, p.Created, Stage{State: Unrecorded})
	if pod.Spec.NodeName == "" {
		return p
	}
	p.OnNode, p.Node = true, pod.Spec.NodeName
	t.node(p.Node).add(false)
	s := Starting
	if started(pod) {
		s = Running
	}
	t.enter(p, at, Stage{State: s, Node: p.Node})
	return p
}

// placed is called whenever a pod is known to be on its node.
func (t *Tracker) placed(p *Pod, at time.Time, node string) {
	if p.OnNode || !p.Bound.IsZero() {
		return
	}
	p.Bound, p.Node = at, node
	t.node(node).add(true)
	t.enter(p, at, Stage{State: Starting, Node: node})
}

func (t *Tracker) running(p *Pod, at time.Time) {
	if p.current.State != Starting {
		return
	}
	p.Running = at
	t.enter(p, at, Stage{State: Running, Node: p.Node})
}

// enter ends the current stage of a pod and begins another. A stage that took no time and says nothing is left out.
func (t *Tracker) enter(p *Pod, at time.Time, s Stage) {
	if at.Before(p.current.Begin) {
		at = p.current.Begin
	}
	number := p.current.Number
	if p.open {
		if p.current.State == Unrecorded && at.Equal(p.current.Begin) {
			number--
		} else {
			t.leave(p, at, false)
		}
	}
	s.Number, s.Begin, s.Attempt = number+1, at, p.Attempts
	p.current, p.open, p.State = s, true, s.State
}

// leave ends the current stage.
func (t *Tracker) leave(p *Pod, at time.Time, open bool) {
	s := p.current
	s.End, s.Open = at, open
	p.In[s.State] += s.Duration()
	if s.State == Unschedulable || s.State == Backoff {
		p.hold(s.Plugins, s.Duration())
	}
	p.open = false
	t.closed = append(t.closed, closedStage{p, s})
}

// end says that a pod is gone.
func (t *Tracker) end(p *Pod, at time.Time, why Ending) {
	p.End, p.Ending = at, why
	if n := t.nodes[p.Node]; n != nil && p.Node != "" {
		n.Pods--
	}
	t.leave(p, at, false)
	t.flush()
	t.sink.Pod(p)
	delete(t.pods, keyOf(p.PodRef))
}

// flush passes on the stages that ended.
func (t *Tracker) flush() {
	for i := range t.closed {
		s := &t.closed[i].stage
		for j := range s.Steps {
			if s.Steps[j].End.IsZero() {
				s.Steps[j].End, s.Steps[j].Open = s.End, true
			}
		}
		t.sink.Stage(t.closed[i].pod, s)
	}
	clear(t.closed)
	t.closed = t.closed[:0]
}

// Finish ends the recording: it passes on what is still there, in the order of creation.
func (t *Tracker) Finish() {
	for _, p := range t.sortedPods() {
		t.leave(p, t.now, true)
		t.flush()
		t.sink.Pod(p)
	}
	for _, n := range t.sortedNodes() {
		t.sink.Node(n)
	}
}

func (t *Tracker) sortedPods() []*Pod {
	all := make([]*Pod, 0, len(t.pods))
	for _, p := range t.pods {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *Pod) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
	return all
}

// Recorded implements engine.Listener: a pod moved in the queue.
func (t *Tracker) Recorded(r *queue.Transition, _ time.Duration) {
	if r.Kind != queue.Moved || t.beyond(r.At) {
		return
	}
	pod := t.engine.Store().Pod(r.Namespace, r.Name)
	if pod == nil || pod.UID != r.UID {
		return // it is about to be gone
	}
	t.passed(r.At)
	p := t.see(r.At, pod)
	p.Attempts = r.Attempts
	if r.To == queue.Gone {
		if p.current.State == Permit {
			t.enter(p, r.At, Stage{State: Binding, Node: p.current.Node})
		}
		return
	}
	s := Stage{State: queueStates[r.To], Event: r.Event}
	switch {
	case s.State == Unschedulable || s.State == Backoff:
		if len(r.NewRejectors) > 0 {
			p.rejectors = r.NewRejectors
		}
		s.Plugins = p.rejectors
	case r.Plugin != "":
		s.Plugins = []string{r.Plugin}
	}
	if p.current.State == Binding || p.current.State == Permit {
		p.Failed++
	}
	t.enter(p, r.At, s)
}

// Stepped implements drive.Observer.
func (t *Tracker) Stepped(d *engine.Decision) {
	if d != nil && !t.beyond(d.At) {
		t.passed(d.At)
		t.decided(d)
	}
	t.flush()
}

func (t *Tracker) decided(d *engine.Decision) {
	p := t.pods[keyOf(d.Pod)]
	if p == nil {
		return
	}
	kept := *d
	p.Attempts = max(p.Attempts, d.Attempt)
	if d.Preemption != nil && len(d.Preemption.Victims) > 0 {
		p.Preempting++
	}
	if s := t.attemptStage(p); s != nil {
		s.Decision = &kept
	}
	switch {
	case d.Verdict == engine.Placed && p.current.State == Attempt:
		s := Binding
		if t.engine.PodState(d.Pod.Namespace, d.Pod.Name) == engine.StateWaiting {
			s = Permit
		}
		t.enter(p, d.At, Stage{State: s, Node: d.Node})
	case d.Verdict == engine.Skipped && p.current.State == Attempt:
		t.enter(p, d.At, Stage{State: Elsewhere, Event: "being deleted"})
	case d.Verdict != engine.Placed:
		if plugins := rejectorsOf(d); len(plugins) > 0 {
			p.rejectors = plugins
			if p.current.State == Unschedulable || p.current.State == Backoff {
				p.current.Plugins = plugins
			}
		}
	}
	t.sink.Decided(p, d)
}

// attemptStage is the attempt that a decision is of: the current stage, or one that has just ended.
func (t *Tracker) attemptStage(p *Pod) *Stage {
	if p.current.State == Attempt {
		return &p.current
	}
	for i := len(t.closed) - 1; i >= 0; i-- {
		if t.closed[i].pod == p && t.closed[i].stage.State == Attempt {
			return &t.closed[i].stage
		}
	}
	return nil
}

// rejectorsOf are the plugins that rejected nodes, those of the most nodes first.
func rejectorsOf(d *engine.Decision) []string {
	byNodes := slices.Clone(d.Rejections)
	slices.SortStableFunc(byNodes, func(a, b engine.Rejection) int { return cmp.Compare(b.Nodes, a.Nodes) })
	var plugins []string
	for _, r := range byNodes {
		if r.Plugin != "" && !slices.Contains(plugins, r.Plugin) {
			plugins = append(plugins, r.Plugin)
		}
	}
	return plugins
}

// Handled implements engine.Listener.
func (*Tracker) Handled(string, time.Duration) {}

// Chose implements engine.Listener.
func (*Tracker) Chose(time.Duration) {}

// Attempted implements engine.Listener.
func (*Tracker) Attempted(engine.Attempted) {}

// Permitted implements engine.Listener.
func (*Tracker) Permitted(fwk.Code, time.Duration) {}

// Hinted implements engine.Listener.
func (*Tracker) Hinted(string, bool, time.Duration) {}

// Rescored implements engine.Listener.
func (*Tracker) Rescored(string, time.Duration) {}

// Kept implements engine.Listener.
func (*Tracker) Kept(string, time.Duration) {}
