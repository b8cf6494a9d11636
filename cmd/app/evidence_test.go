package app

import (
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// checkEvidence recomputes the numbers of a diagnosis from the objects alone.
func checkEvidence(t *testing.T, e *engine.Engine, d *diagnose.Diagnosis) {
	t.Helper()
	pod := e.Store().Pod(d.Decision.Pod.Namespace, d.Decision.Pod.Name)
	for i := range d.Reasons {
		r := &d.Reasons[i]
		c := evidenceCheck{t: t, e: e, d: d, pod: pod, rejected: rejectedBy(d, r)}
		switch is := r.Evidence.(type) {
		case *diagnose.Shortage:
			checkShortage(t, e, pod, is)
			c.requests(is)
		case *diagnose.PodLimit:
			c.podLimit(is)
		case *diagnose.Skew:
			checkSkew(t, e, pod, is)
			c.skewHint(r, is)
		case *diagnose.Cordoned:
			c.cordoned(is)
		case *diagnose.Untolerated:
			checkUntolerated(t, e, is)
			c.untoleratedHint(r, is)
		case *diagnose.PortConflicts:
			c.ports(is)
		case *diagnose.SelectorMismatch:
			c.selectors(is)
		case *diagnose.PodTerms:
			c.podTerms(is)
		case nil:
			if len(d.Reasons[i].Plugin) > 0 && !strings.HasPrefix(r.Message, "Orrery cannot") {
				t.Errorf("%s at %s: no evidence for %q of %s", pod.Name, e.Now(), r.Message, r.Plugin)
			}
		}
	}
	if d.Eviction != nil {
		evidenceCheck{t: t, e: e, d: d, pod: pod}.preemption(d.Eviction)
	}
}

// rejectedBy are the nodes that a reason rejects.
func rejectedBy(d *diagnose.Diagnosis, r *diagnose.Reason) map[string]bool {
	nodes := map[string]bool{}
	for _, n := range d.Nodes {
		for _, status := range n.Statuses {
			if status.Plugin == r.Plugin && slices.Contains(status.Reasons, r.Message) {
				nodes[n.Node] = true
			}
		}
	}
	return nodes
}

func checkShortage(t *testing.T, e *engine.Engine, pod *v1.Pod, s *diagnose.Shortage) {
	t.Helper()
	of := func(p *v1.Pod) int64 { return plainRequest(p, s.Resource) }
	free := s.Allocatable
	for p := range podsOn(e, s.Nearest) {
		free -= of(p)
	}
	for _, held := range s.Nominated {
		free -= held.Amount
	}
	if s.Requested != of(pod) || s.MostFree != max(free, 0) || s.Missing != s.Requested-free {
		t.Errorf("%s at %s: %+v; by the objects %d are requested, %d free", pod.Name, e.Now(), *s, of(pod), free)
	}
	if s.MostFree < 0 || s.Missing <= 0 || s.MostFree >= s.Requested || s.Largest < s.Allocatable || s.Never() != (s.Requested > s.Largest || s.TooSmall == e.Store().Len(world.Node)) {
		t.Errorf("%s at %s: %+v contradicts itself", pod.Name, e.Now(), *s)
	}
	larger := e.Store().Node(s.Nearest).DeepCopy()
	larger.ResourceVersion = ""
	room := larger.Status.Allocatable[s.Resource]
	if more := resource.NewQuantity(s.Missing, resource.DecimalSI); s.Resource == v1.ResourceCPU {
		room.Add(*resource.NewMilliQuantity(s.Missing, resource.DecimalSI))
	} else {
		room.Add(*more)
	}
	larger.Status.Allocatable[s.Resource] = room
	f, err := e.Fork()
	if err == nil {
		err = f.Apply(world.Input{At: f.Now(), Event: world.Changed{Op: world.Modified, Object: larger}})
	}
	if err != nil {
		t.Fatal(err)
	}
	x, err := f.Explain(pod.Namespace, pod.Name)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range x.Nodes {
		for _, status := range n.Statuses {
			if n.Node == s.Nearest && slices.Contains(status.Reasons, "Insufficient "+string(s.Resource)) {
				t.Errorf("%s at %s: with %d more %s it is still short on %s", pod.Name, e.Now(), s.Missing, s.Resource, s.Nearest)
			}
		}
	}
}

// podsOn are the pods that take room on a node: bound ones, and those being bound.
func podsOn(e *engine.Engine, node string) map[*v1.Pod]bool {
	on := map[*v1.Pod]bool{}
	for o := range e.Store().Objects(world.Pod) {
		p := o.(*v1.Pod)
		if p.Spec.NodeName == node && p.Status.Phase != v1.PodSucceeded && p.Status.Phase != v1.PodFailed {
			on[p] = true
		}
	}
	for _, b := range e.Bindings() {
		if p := e.Store().Pod(b.Pod.Namespace, b.Pod.Name); b.Node == node && p != nil {
			on[p] = true
		}
	}
	return on
}

func checkSkew(t *testing.T, e *engine.Engine, pod *v1.Pod, s *diagnose.Skew) {
	t.Helper()
	for i := range s.Constraints {
		c := &s.Constraints[i]
		at := slices.IndexFunc(pod.Spec.TopologySpreadConstraints, func(own v1.TopologySpreadConstraint) bool { return own.TopologyKey == c.Key })
		if at < 0 || len(pod.Spec.TopologySpreadConstraints[at].MatchLabelKeys) > 0 {
			continue
		}
		selector, err := metav1.LabelSelectorAsSelector(pod.Spec.TopologySpreadConstraints[at].LabelSelector)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int64{}
		for o := range e.Store().Objects(world.Node) {
			value, has := o.GetLabels()[c.Key]
			if !has || slices.Contains(c.LeftOut, value) {
				continue
			}
			for p := range podsOn(e, o.GetName()) {
				if p.Namespace == pod.Namespace && p.DeletionTimestamp == nil && selector.Matches(labels.Set(p.Labels)) {
					counts[value]++
				}
			}
		}
		for _, d := range c.Domains {
			if d.Pods != counts[d.Value] {
				t.Errorf("%s at %s: %d matching pods in %s=%s, by the objects %d", pod.Name, e.Now(), d.Pods, c.Key, d.Value, counts[d.Value])
			}
		}
	}
}

func checkUntolerated(t *testing.T, e *engine.Engine, u *diagnose.Untolerated) {
	t.Helper()
	for _, tainted := range u.Taints {
		for _, name := range tainted.Nodes {
			if !slices.ContainsFunc(e.Store().Node(name).Spec.Taints, func(own v1.Taint) bool { return own.ToString() == tainted.Taint.ToString() }) {
				t.Errorf("%s has no taint %s", name, tainted.Taint.ToString())
			}
		}
	}
}
