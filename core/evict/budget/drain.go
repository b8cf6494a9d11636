package budget

import (
	"cmp"
	"errors"
	"fmt"
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

// retryAfter is how long a drain waits before it retries a blocked pod.
const retryAfter = 5 * time.Second

// Call is an API call that a drain requests. CallDone receives its result.
type Call struct {
	At   time.Time
	Verb Verb
	// Node is the node to cordon; Pod is the pod to evict or delete, with Options.
	Node    string
	Pod     world.PodRef
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

// Eviction returns the object that an Evict call posts.
func (c Call) Eviction() *policyv1.Eviction {
	options := c.Options
	return &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Namespace: c.Pod.Namespace, Name: c.Pod.Name},
		DeleteOptions: &options,
	}
}

// podState is how far a drain has come with one pod.
type podState uint8

const (
	requested   podState = iota // the call is in flight
	blocked                     // a budget blocks it; retried later
	terminating                 // is being deleted
	deleted                     // is gone
	failed                      // cannot be evicted
)

// podDrain is the state of one pod in a drain.
type podDrain struct {
	pod   *v1.Pod
	state podState
	// since is when the state began, retry when the next attempt is due, deadline when the pod must be deleted.
	since, retry, deadline time.Time
	// refusal is the text of the last refusal; empty if there was none.
	refusal string
}

// View is the cluster as a drain sees it at its start.
type View struct {
	Pods    []*v1.Pod
	Budgets []*policyv1.PodDisruptionBudget
	Lookup  Lookup
}

// Drain empties a node, as kubectl drain does: it cordons the node, evicts all its pods at once, retries blocked ones every
// five seconds, and ends when the last one is deleted.
type Drain struct {
	node      string
	initiator string
	options   DrainOptions
	record    *evict.Record
	started   time.Time
	plan      Plan

	pods    map[types.UID]*podDrain
	order   []types.UID
	calls   []Call
	ended   bool
	err     error
	budgets map[types.NamespacedName]*policyv1.PodDisruptionBudget
}

// NewDrain begins a drain of a node. The drain ends after the cordon if the options do not allow to evict one of the pods.
func NewDrain(node, by string, o DrainOptions, view View, now time.Time, record *evict.Record) *Drain {
	d := &Drain{
		node: node, initiator: by, options: o, record: record, started: now,
		pods: map[types.UID]*podDrain{}, budgets: map[types.NamespacedName]*policyv1.PodDisruptionBudget{},
	}
	for _, pdb := range view.Budgets {
		d.applyBudget(now, pdb, false)
	}
	d.calls = append(d.calls, Call{At: now, Verb: Cordon, Node: node})
	if d.plan, d.err = MakePlan(o, onNode(view.Pods, node), view.Lookup, now); d.err != nil {
		d.ended = true
		return d
	}
	for _, pod := range d.plan.Evict {
		d.order = append(d.order, pod.UID)
		d.pods[pod.UID] = &podDrain{pod: pod, since: now, deadline: deadlineOf(pod)}
		d.request(now, d.pods[pod.UID])
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

// Plan returns the drain's plan.
func (d *Drain) Plan() Plan { return d.plan }

// Done reports whether the drain has ended; the error names every pod that it could not evict.
func (d *Drain) Done() (bool, error) { return d.ended, d.err }

// Calls returns the calls requested since the last time.
func (d *Drain) Calls() []Call {
	calls := d.calls
	d.calls = nil
	return calls
}

// Effects is empty: a drain requests API calls, not effects. See [Drain.Calls].
func (d *Drain) Effects() []world.Effect { return nil }

func (d *Drain) request(now time.Time, e *podDrain) {
	verb := Evict
	if d.options.DisableEviction {
		verb = Delete
	}
	e.state, e.retry = requested, time.Time{}
	options := metav1.DeleteOptions{GracePeriodSeconds: d.options.GraceSeconds}
	if verb == Delete {
		options.Preconditions = metav1.NewUIDPreconditions(string(e.pod.UID))
	}
	d.calls = append(d.calls, Call{At: now, Verb: verb, Pod: world.PodRefOf(e.pod), Options: options})
}

// CallDone records how a call about a pod ended. Status 429 and a terminating namespace mean a retry, NotFound that the pod
// is deleted, any other error that this pod has failed.
func (d *Drain) CallDone(at time.Time, pod types.UID, err error) {
	d.advance(at)
	e := d.pods[pod]
	if e == nil || e.state != requested || d.ended {
		return
	}
	switch {
	case err == nil:
		e.state, e.since = terminating, at
		d.recordPhase(at, e, evict.Terminating, e.deadline)
	case apierrors.IsNotFound(err):
		d.podDeleted(at, e)
	case apierrors.IsTooManyRequests(err) || apierrors.IsForbidden(err) && apierrors.HasStatusCause(err, v1.NamespaceTerminatingCause):
		d.block(at, e, err)
	default:
		e.state, e.refusal = failed, err.Error()
		d.err = errors.Join(d.err, fmt.Errorf("error when evicting pods/%q -n %q: %w", e.pod.Name, e.pod.Namespace, err))
		d.recordPhase(at, e, evict.Cancelled, time.Time{})
		d.finish()
	}
}

// block records that a budget blocks a pod. The time it has been blocked counts from the first refusal.
func (d *Drain) block(at time.Time, e *podDrain, err error) {
	if e.refusal == "" {
		e.since = at
	}
	e.state, e.retry, e.refusal = blocked, at.Add(retryAfter), RefusalCause(err)
	d.recordPhase(at, e, evict.Blocked, e.retry)
}

// RefusalCause returns the budget's cause in an error, or the error's text.
func RefusalCause(err error) string {
	if cause, ok := apierrors.StatusCause(err, policyv1.DisruptionBudgetCause); ok {
		return cause.Message
	}
	return err.Error()
}

// finish ends the drain once every pod is deleted or failed.
func (d *Drain) finish() {
	for _, uid := range d.order {
		if s := d.pods[uid].state; s != deleted && s != failed {
			return
		}
	}
	d.ended = true
}

// NextWake returns when the drain retries a blocked pod or times out.
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
		sooner(d.started.Add(d.options.Timeout))
	}
	for _, uid := range d.order {
		sooner(d.pods[uid].retry)
	}
	return next, !next.IsZero()
}

// advance runs the timers that were due before a time.
func (d *Drain) advance(at time.Time) {
	for {
		due, ok := d.NextWake()
		if !ok || !due.Before(at) {
			return
		}
		if d.options.Timeout > 0 && !due.Before(d.started.Add(d.options.Timeout)) {
			d.timeOut(due)
			return
		}
		for _, uid := range d.order {
			if e := d.pods[uid]; e.retry.Equal(due) {
				d.request(due, e)
			}
		}
	}
}

// timeOut ends a drain that has reached its timeout. Terminating pods continue to terminate; blocked ones stay.
func (d *Drain) timeOut(at time.Time) {
	d.ended = true
	for _, uid := range d.order {
		e := d.pods[uid]
		switch e.state {
		case requested, blocked:
			d.err = errors.Join(d.err, fmt.Errorf("error when evicting pod %q: global timeout reached: %v", e.pod.Name, d.options.Timeout))
			d.recordPhase(at, e, evict.Cancelled, time.Time{})
		case terminating:
			d.err = errors.Join(d.err, fmt.Errorf("error when waiting for pod %q terminating: global timeout reached: %v", e.pod.Name, d.options.Timeout))
		}
	}
}

func (d *Drain) recordPhase(at time.Time, e *podDrain, phase evict.Phase, deadline time.Time) {
	out := evict.Eviction{
		Pod: world.PodRefOf(e.pod), Node: d.node, Cause: evict.EvictionAPI, Phase: phase, Initiator: d.initiator,
		Reason: "drain of node " + d.node, FirstSeen: at, Deadline: deadline,
	}
	if pdb := d.budgetOf(e.pod); pdb != nil {
		out.Budget, out.DisruptionsAllowed = pdb.Name, pdb.Status.DisruptionsAllowed
	}
	switch phase {
	case evict.Blocked:
		out.Reason = e.refusal
	case evict.Evicted, evict.Cancelled:
		out.Ended = at
	}
	d.record.Write(out)
}

// WaitingPod is a pod that a drain waits for.
type WaitingPod struct {
	Pod world.PodRef
	// Blocked is true for a pod that a budget blocks; the others are terminating.
	Blocked bool
	Budget  string
	Reason  string
	Since   time.Time
	RetryAt time.Time
}

// Waiting lists the pods that the drain waits for.
func (d *Drain) Waiting() []WaitingPod {
	var list []WaitingPod
	for _, uid := range d.order {
		e := d.pods[uid]
		b := WaitingPod{Pod: world.PodRefOf(e.pod), Since: e.since}
		switch {
		case d.ended:
			continue
		case e.state == blocked || e.state == requested && e.refusal != "":
			b.Blocked, b.Reason, b.RetryAt = true, e.refusal, e.retry
			if pdb := d.budgetOf(e.pod); pdb != nil {
				b.Budget = pdb.Name
			}
		case e.state != terminating:
			continue
		}
		list = append(list, b)
	}
	return list
}
