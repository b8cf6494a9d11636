package diagnose

import (
	"cmp"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/answer"
	"orrery/core/answers/change"
	"orrery/core/objects/workloads"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// Group is the pending pods of one owner that wait for the same reason.
type Group struct {
	// Owner is "deployment/web" in Namespace, or "pod/web" for a pod without a controller.
	Namespace, Owner string
	Pods             []*v1.Pod
	// Oldest is the earliest creation time.
	Oldest time.Time
	// Diagnosis is that of the first pod.
	Diagnosis *Diagnosis
	// Gang is that of the first pod, if it is held back: what would let one of its pods have a node does not bind it then. There is no Fix.
	Gang *Gang
	// Fix is the remedy that places the most of the pods in their next scheduling cycles, and Places how many; nil if none places one.
	Fix    *Remedy
	Places int

	waits string // for what
}

// Changes are what Places was counted with: the fix made to each of the pods, or once to something else.
func (g *Group) Changes() []change.Change {
	if g.Fix == nil {
		return nil
	}
	return changesTo(g.Pods, g.Fix.Change)
}

const (
	// maxFixed bounds the different groups whose remedies are tried.
	//
	//orrery:limit answers; groups whose remedies are tried; the others have none
	maxFixed = 20
	// maxExplained bounds the different groups that are explained; of the others the last attempt's result is shown.
	//
	//orrery:limit answers; groups of pending pods that are explained at once; the others have the last attempt's result
	maxExplained = 30
)

// Pending diagnoses all pending pods that pass the filter, by groups, the largest first. Groups of like pods have one diagnosis. The engine
// is only read.
func Pending(e *engine.Engine, filter func(*Group) bool) ([]*Group, error) {
	groups := pendingGroups(e)
	groups = slices.DeleteFunc(groups, func(g *Group) bool { return !filter(g) })
	var different []*Group
	for _, g := range groups {
		twin := slices.IndexFunc(different, g.isLike)
		if twin < 0 {
			if err := g.diagnose(e, len(different)); err != nil {
				return nil, err
			}
			different = append(different, g)
		} else {
			g.Diagnosis = different[twin].Diagnosis.ofTwin(g.Pods[0])
		}
		if err := g.fix(e); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// diagnose diagnoses the first pod of a group, which comes after so many different ones.
func (g *Group) diagnose(e *engine.Engine, after int) (err error) {
	ref := world.PodRefOf(g.Pods[0])
	switch {
	case after < maxFixed:
		g.Diagnosis, err = Pod(e, ref)
	case after < maxExplained:
		g.Diagnosis, _, err = explain(e, ref)
	default:
		g.Diagnosis = lastAttempt(e, g.Pods[0])
		return nil
	}
	if err != nil {
		return err
	}
	gang, err := GangOfPod(e, g.Pods[0])
	if gang != nil && gang.Held() {
		g.Gang = gang
	}
	return err
}

// isLike reports whether the diagnosis of another group is this one's, too: its pods differ in their names only, and neither have claims
// or a gang, of which each pod has its own, nor wait for anything but a node.
func (g *Group) isLike(other *Group) bool {
	a, b := g.Pods[0], other.Pods[0]
	return g.waits == waitsForNode && other.waits == waitsForNode && !workloads.IsMember(a) && len(a.Spec.ResourceClaims) == 0 && len(a.Spec.Volumes) == 0 &&
		other.Diagnosis.Decision.Verdict == engine.Unschedulable && alike(a, b)
}

// ofTwin is the diagnosis of a pod that differs from the diagnosed one in its name only.
func (d *Diagnosis) ofTwin(pod *v1.Pod) *Diagnosis {
	twin, x := *d, *d.Explanation
	twin.Explanation, x.Decision.Pod = &x, world.PodRefOf(pod)
	twin.Remedies = slices.Clone(d.Remedies)
	for i := range twin.Remedies {
		if c := &twin.Remedies[i].Change; ofPod(*c) {
			c.Name = x.Decision.Pod.String()
		}
	}
	return &twin
}

// fix finds the remedy that places the most of the pods.
func (g *Group) fix(e *engine.Engine) error {
	if g.Gang != nil {
		return nil
	}
	for i := range g.Diagnosis.Remedies {
		r := &g.Diagnosis.Remedies[i]
		places, err := placedBy(e, g.Pods, r.Change)
		if err != nil {
			return err
		}
		if places > g.Places {
			g.Fix, g.Places = r, places
		}
		if places == len(g.Pods) {
			break // no other remedy places more
		}
	}
	return nil
}

// lastAttempt is a diagnosis that has only what the pod's condition says of its last attempt.
func lastAttempt(e *engine.Engine, pod *v1.Pod) *Diagnosis {
	d := undecided(e, pod, engine.Skipped)
	// The condition counts each node under the first plugin that rejects it, which need not be what would help.
	if clause := framework.MainOf(world.PendingMessage(pod)).String(); clause == "" {
		d.Summary = "not tried yet"
	} else {
		d.Summary = "its last attempt: " + clause + "; of so many groups only the first are explained here: ask about the pod"
	}
	d.Decision.Message = d.Summary
	return d
}

func pendingGroups(e *engine.Engine) []*Group {
	type key struct{ namespace, owner, waits string }
	byKey := map[key]*Group{}
	var groups []*Group
	for o := range e.Store().Objects(world.Pod) {
		pod := o.(*v1.Pod)
		if hasNode(e, pod) || pod.DeletionTimestamp != nil {
			continue
		}
		k := key{pod.Namespace, answer.OwnerOf(pod), waitsFor(e, pod)}
		g := byKey[k]
		if g == nil {
			g = &Group{Namespace: k.namespace, Owner: k.owner, Oldest: pod.CreationTimestamp.Time, waits: k.waits}
			byKey[k] = g
			groups = append(groups, g)
		}
		g.Pods = append(g.Pods, pod)
		if pod.CreationTimestamp.Time.Before(g.Oldest) {
			g.Oldest = pod.CreationTimestamp.Time
		}
	}
	for _, g := range groups {
		slices.SortFunc(g.Pods, func(a, b *v1.Pod) int { return cmp.Compare(a.Name, b.Name) })
	}
	slices.SortFunc(groups, func(a, b *Group) int {
		return cmp.Or(cmp.Compare(len(b.Pods), len(a.Pods)), a.Oldest.Compare(b.Oldest),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.Pods[0].Name, b.Pods[0].Name))
	})
	return groups
}

// waitsFor tells apart the pods of one owner that wait for different things.
func waitsFor(e *engine.Engine, pod *v1.Pod) string {
	_, nominated := e.Queue().NominatedNode(pod)
	switch {
	case e.Profile(pod.Spec.SchedulerName) == nil:
		return "scheduler " + pod.Spec.SchedulerName
	case len(pod.Spec.SchedulingGates) > 0:
		return "gates"
	case nominated:
		return "victims"
	}
	return waitsForNode
}

// waitsForNode is what most pods wait for.
const waitsForNode = "node"
