package diagnose

import (
	"cmp"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/change"
	"orrery/core/scheduler/engine"
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
}

// Changes are what Places was counted with: the fix made to each of the pods, or once to something else.
func (g *Group) Changes() []change.Change {
	if g.Fix == nil {
		return nil
	}
	return changesTo(g.Pods, g.Fix.Change)
}

const (
	// maxFixed bounds the groups whose remedies are tried.
	//
	//orrery:limit answers; groups whose remedies are tried; the others have none
	maxFixed = 20
	// maxExplained bounds the groups that are explained; of the others the last attempt's result is shown.
	//
	//orrery:limit answers; groups of pending pods that are explained at once; the others have the last attempt's result
	maxExplained = 30
)

// Pending diagnoses all pending pods that pass the filter, by groups, the largest first. The engine is only read.
func Pending(e *engine.Engine, filter func(*Group) bool) ([]*Group, error) {
	groups := pendingGroups(e)
	groups = slices.DeleteFunc(groups, func(g *Group) bool { return !filter(g) })
	for i, g := range groups {
		var err error
		switch ref := world.PodRefOf(g.Pods[0]); {
		case i < maxFixed:
			err = g.fix(e)
		case i < maxExplained:
			g.Diagnosis, _, err = explain(e, ref)
		default:
			g.Diagnosis = lastAttempt(e, g.Pods[0])
		}
		if err == nil && i < maxExplained {
			err = g.setGang(e)
		}
		if err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// setGang diagnoses the gang of the first pod.
func (g *Group) setGang(e *engine.Engine) error {
	gang, err := GangOfPod(e, g.Pods[0])
	if gang != nil && gang.Held() {
		g.Gang, g.Fix, g.Places = gang, nil, 0
	}
	return err
}

// fix diagnoses the first pod of a group, and finds the remedy that places the most.
func (g *Group) fix(e *engine.Engine) error {
	var err error
	if g.Diagnosis, err = Pod(e, world.PodRefOf(g.Pods[0])); err != nil {
		return err
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
	d := &Diagnosis{Explanation: &engine.Explanation{
		Decision: engine.Decision{Pod: world.PodRefOf(pod), Verdict: engine.Skipped}, State: e.PodState(pod.Namespace, pod.Name),
	}}
	// The condition counts each node under the first plugin that rejects it, which need not be what would help.
	if clause := MainClause(OfCondition(pod)); clause == "" {
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
		k := key{pod.Namespace, OwnerOf(pod), waitsFor(e, pod)}
		g := byKey[k]
		if g == nil {
			g = &Group{Namespace: k.namespace, Owner: k.owner, Oldest: pod.CreationTimestamp.Time}
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

// OwnerOf names a pod's controller; for a ReplicaSet of a Deployment, the Deployment.
func OwnerOf(pod *v1.Pod) string {
	c := metav1.GetControllerOf(pod)
	if c == nil {
		return "pod/" + pod.Name
	}
	if hash := pod.Labels["pod-template-hash"]; c.Kind == "ReplicaSet" && hash != "" {
		if name, of := strings.CutSuffix(c.Name, "-"+hash); of {
			return "deployment/" + name
		}
	}
	return strings.ToLower(c.Kind) + "/" + c.Name
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
	return "node"
}
