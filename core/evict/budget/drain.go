package budget

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/world"
)

// retryAfter is how long a drain waits before it asks again for a pod that a budget holds.
const retryAfter = 5 * time.Second

// Call is a call of the API server that a drain wants made. Whoever makes it tells the drain how it ended.
type Call struct {
	At   time.Time
	Verb Verb
	// Node is what to cordon; Pod is what to evict or to delete, with Options.
	Node    string
	Pod     world.Ref
	Options metav1.DeleteOptions
}

// Verb is what a call does.
type Verb uint8

// The verbs. Cordon sets the node's spec.unschedulable.
const (
	Cordon Verb = iota
	Evict
	Delete
)

func (v Verb) String() string { return [...]string{"cordon", "evict", "delete"}[v] }

// Eviction is the object that an Evict call posts.
func (c Call) Eviction() *policyv1.Eviction {
	options := c.Options
	return &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Namespace: c.Pod.Namespace, Name: c.Pod.Name},
		DeleteOptions: &options,
	}
}

// stage is how far a drain has come with one pod.
type stage uint8

const (
	asked   stage = iota // the call is under way
	held                 // a budget holds it; asked again later
	leaving              // is being deleted
	left                 // is gone
	failed               // cannot be evicted
)

// errand is a drain's business with one pod.
type errand struct {
	pod   *v1.Pod
	stage stage
	// since is when the stage began, retry when it is asked for again, deadline when the pod must be gone.
	since, retry, deadline time.Time
	// why is what the last refusal said; empty if there was none.
	why string
}

// View is what a drain sees of a cluster when it begins.
type View struct {
	Pods    []*v1.Pod
	Budgets []*policyv1.PodDisruptionBudget
	Lookup  Lookup
}

// Drain empties a node, as kubectl drain does: it cordons the node, asks for all its pods to leave at once, asks again
// every five seconds for those that a budget holds, and ends when the last one is gone.
type Drain struct {
	node    string
	by      string
	options DrainOptions
	board   *evict.Board
	began   time.Time
	plan    Plan

	pods    map[types.UID]*errand
	order   []types.UID
	calls   []Call
	ended   bool
	err     error
	budgets map[types.NamespacedName]*policyv1.PodDisruptionBudget
}

var _ evict.Controller = (*Drain)(nil)

// NewDrain begins a drain of a node, at somebody's wish. It is over at once, with nothing done beyond the cordon, if there
// is a pod that the options do not let go.
func NewDrain(node, by string, o DrainOptions, view View, now time.Time, board *evict.Board) *Drain {
	d := &Drain{
		node: node, by: by, options: o, board: board, began: now,
		pods: map[types.UID]*errand{}, budgets: map[types.NamespacedName]*policyv1.PodDisruptionBudget{},
	}
	for _, pdb := range view.Budgets {
		d.hearBudget(now, pdb, false)
	}
	d.calls = append(d.calls, Call{At: now, Verb: Cordon, Node: node})
	if d.plan, d.err = MakePlan(o, onNode(view.Pods, node), view.Lookup, now); d.err != nil {
		d.ended = true
		return d
	}
	for _, pod := range d.plan.Leave {
		d.order = append(d.order, pod.UID)
		d.pods[pod.UID] = &errand{pod: pod, since: now, deadline: deadlineOf(pod)}
		d.ask(now, d.pods[pod.UID])
	}
	d.finish()
	return d
}

func deadlineOf(pod *v1.Pod) time.Time {
	if pod.DeletionTimestamp == nil {
		return time.Time{}
	}
	return pod.DeletionTimestamp.Time
}

func onNode(pods []*v1.Pod, node string) []*v1.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(pod *v1.Pod) bool { return pod.Spec.NodeName != node })
}

func sortedByName(pods []*v1.Pod) []*v1.Pod {
	return slices.SortedFunc(slices.Values(pods), func(a, b *v1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}

// Plan is what it set out to do.
func (d *Drain) Plan() Plan { return d.plan }

// Done tells whether it has ended, and how: the error names every pod that it could not make leave.
func (d *Drain) Done() (bool, error) { return d.ended, d.err }

// Calls hands over the calls to be made since the last time.
func (d *Drain) Calls() []Call {
	calls := d.calls
	d.calls = nil
	return calls
}

// Effects is empty: no effect of a scheduler evicts anybody. See [Drain.Calls].
func (d *Drain) Effects() []world.Effect { return nil }

func (d *Drain) ask(now time.Time, e *errand) {
	verb := Evict
	if d.options.DisableEviction {
		verb = Delete
	}
	e.stage, e.retry = asked, time.Time{}
	options := metav1.DeleteOptions{GracePeriodSeconds: d.options.GraceSeconds}
	if verb == Delete {
		options.Preconditions = metav1.NewUIDPreconditions(string(e.pod.UID))
	}
	d.calls = append(d.calls, Call{At: now, Verb: verb, Pod: world.RefOf(e.pod), Options: options})
}

// Answered tells how a call about a pod ended. An answer of 429, or that the namespace is going away, means to ask
// again; one that there is no such pod, that it is gone; any other error, that this pod stays.
func (d *Drain) Answered(at time.Time, pod types.UID, err error) {
	d.before(at)
	e := d.pods[pod]
	if e == nil || e.stage != asked || d.ended {
		return
	}
	switch {
	case err == nil:
		e.stage, e.since = leaving, at
		d.write(at, e, evict.Leaving, e.deadline)
	case apierrors.IsNotFound(err):
		d.gone(at, e)
	case apierrors.IsTooManyRequests(err) || apierrors.IsForbidden(err) && apierrors.HasStatusCause(err, v1.NamespaceTerminatingCause):
		d.hold(at, e, err)
	default:
		e.stage, e.why = failed, err.Error()
		d.err = errors.Join(d.err, fmt.Errorf("error when evicting pods/%q -n %q: %w", e.pod.Name, e.pod.Namespace, err))
		d.write(at, e, evict.Cancelled, time.Time{})
		d.finish()
	}
}

// hold notes which budget holds a pod. How long it has been held counts from the first refusal.
func (d *Drain) hold(at time.Time, e *errand, err error) {
	if e.why == "" {
		e.since = at
	}
	e.stage, e.retry, e.why = held, at.Add(retryAfter), causeOf(err)
	d.write(at, e, evict.Held, e.retry)
}

// causeOf is what an answer says about the budget, or all it says.
func causeOf(err error) string {
	if cause, ok := apierrors.StatusCause(err, policyv1.DisruptionBudgetCause); ok {
		return cause.Message
	}
	return err.Error()
}

// Apply tells of pods and budgets, or only that time has passed.
func (d *Drain) Apply(in world.Input) {
	switch event := in.Event.(type) {
	case world.Changed:
		d.before(in.At)
		d.hear(in.At, event.Object, event.Op == world.Deleted)
	case world.Listed:
		d.before(in.At)
		d.hearAll(in.At, event)
	case world.Passed:
		d.before(in.At.Add(1))
	}
}

func (d *Drain) hearAll(at time.Time, list world.Listed) {
	there := map[types.UID]bool{}
	for _, o := range list.Objects {
		there[o.GetUID()] = true
		d.hear(at, o, false)
	}
	if list.Kind != world.Pod {
		return
	}
	for _, uid := range d.order {
		if e := d.pods[uid]; !there[uid] {
			d.gone(at, e)
		}
	}
}

func (d *Drain) hear(at time.Time, o world.Object, deleted bool) {
	switch o := o.(type) {
	case *policyv1.PodDisruptionBudget:
		d.hearBudget(at, o, deleted)
	case *v1.Pod:
		e := d.pods[o.UID]
		if e == nil || d.ended {
			return
		}
		if deleted {
			d.gone(at, e)
			return
		}
		e.pod, e.deadline = o, deadlineOf(o)
		if e.stage == leaving {
			d.write(at, e, evict.Leaving, e.deadline)
		}
	}
}

// hearBudget keeps a budget in mind, and says on the board what it allows now.
func (d *Drain) hearBudget(at time.Time, pdb *policyv1.PodDisruptionBudget, deleted bool) {
	key := types.NamespacedName{Namespace: pdb.Namespace, Name: pdb.Name}
	d.budgets[key] = pdb
	if deleted {
		delete(d.budgets, key)
	}
	for _, uid := range d.order {
		if e := d.pods[uid]; e.stage == held && Selects(pdb, e.pod) {
			d.write(at, e, evict.Held, e.retry)
		}
	}
}

// budgetOf is the budget that counts a pod, the first by name if there are several; nil if none does.
func (d *Drain) budgetOf(pod *v1.Pod) *policyv1.PodDisruptionBudget {
	var first *policyv1.PodDisruptionBudget
	for _, pdb := range d.budgets {
		if Selects(pdb, pod) && (first == nil || pdb.Name < first.Name) {
			first = pdb
		}
	}
	return first
}

func (d *Drain) gone(at time.Time, e *errand) {
	if e.stage == left || e.stage == failed {
		return
	}
	e.stage, e.since = left, at
	d.write(at, e, evict.Left, time.Time{})
	d.finish()
}

// finish ends the drain once nothing is left to wait for.
func (d *Drain) finish() {
	for _, uid := range d.order {
		if s := d.pods[uid].stage; s != left && s != failed {
			return
		}
	}
	d.ended = true
}

// NextWake is when it asks again for a pod that is held, or gives up.
func (d *Drain) NextWake() (time.Time, bool) {
	if d.ended {
		return time.Time{}, false
	}
	var next time.Time
	sooner := func(at time.Time) {
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	if d.options.Timeout > 0 {
		sooner(d.began.Add(d.options.Timeout))
	}
	for _, uid := range d.order {
		sooner(d.pods[uid].retry)
	}
	return next, !next.IsZero()
}

// before lets go off what was due before a time.
func (d *Drain) before(at time.Time) {
	for {
		due, ok := d.NextWake()
		if !ok || !due.Before(at) {
			return
		}
		if d.options.Timeout > 0 && !due.Before(d.began.Add(d.options.Timeout)) {
			d.giveUp(due)
			return
		}
		for _, uid := range d.order {
			if e := d.pods[uid]; e.retry.Equal(due) {
				d.ask(due, e)
			}
		}
	}
}

// giveUp ends a drain that has taken too long. What is being deleted goes on leaving; what is held stays.
func (d *Drain) giveUp(at time.Time) {
	d.ended = true
	for _, uid := range d.order {
		e := d.pods[uid]
		switch e.stage {
		case asked, held:
			d.err = errors.Join(d.err, fmt.Errorf("error when evicting pod %q: global timeout reached: %v", e.pod.Name, d.options.Timeout))
			d.write(at, e, evict.Cancelled, time.Time{})
		case leaving:
			d.err = errors.Join(d.err, fmt.Errorf("error when waiting for pod %q terminating: global timeout reached: %v", e.pod.Name, d.options.Timeout))
		}
	}
}

func (d *Drain) write(at time.Time, e *errand, phase evict.Phase, deadline time.Time) {
	out := evict.Departure{
		Pod: world.RefOf(e.pod), Node: d.node, Cause: evict.EvictionAPI, Phase: phase, By: d.by,
		Why: "drain of node " + d.node, Noticed: at, Deadline: deadline,
	}
	if pdb := d.budgetOf(e.pod); pdb != nil {
		out.Budget, out.Allowed = pdb.Name, pdb.Status.DisruptionsAllowed
	}
	switch phase {
	case evict.Held:
		out.Why = e.why
	case evict.Left, evict.Cancelled:
		out.Ended = at
	}
	d.board.Write(out)
}

// Blocked is one pod that a drain waits for: since when, and for what.
type Blocked struct {
	Pod world.Ref
	// Held says that a budget holds it; else it is being deleted.
	Held    bool
	Budget  string
	Why     string
	Since   time.Time
	RetryAt time.Time
}

// Blocked lists what the drain waits for.
func (d *Drain) Blocked() []Blocked {
	var list []Blocked
	for _, uid := range d.order {
		e := d.pods[uid]
		b := Blocked{Pod: world.RefOf(e.pod), Since: e.since}
		switch {
		case d.ended:
			continue
		case e.stage == held || e.stage == asked && e.why != "":
			b.Held, b.Why, b.RetryAt = true, e.why, e.retry
			if pdb := d.budgetOf(e.pod); pdb != nil {
				b.Budget = pdb.Name
			}
		case e.stage != leaving:
			continue
		}
		list = append(list, b)
	}
	return list
}

// Fork is a copy that goes its own way, and writes on the board given.
func (d *Drain) Fork(board *evict.Board) *Drain {
	f := *d
	f.board = board
	f.pods = make(map[types.UID]*errand, len(d.pods))
	for uid, e := range d.pods {
		twin := *e
		f.pods[uid] = &twin
	}
	f.calls, f.budgets = slices.Clone(d.calls), maps.Clone(d.budgets)
	return &f
}
