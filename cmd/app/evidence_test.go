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
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/interpodaffinity"
	"orrery/core/scheduler/plugins/nodeaffinity"
	"orrery/core/scheduler/plugins/nodeports"
	"orrery/core/scheduler/plugins/noderesources"
	"orrery/core/scheduler/plugins/nodeunschedulable"
	"orrery/core/scheduler/plugins/podtopologyspread"
	"orrery/core/scheduler/plugins/tainttoleration"
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
		case diagnose.Found:
			for j := range is {
				c.found(r, &is[j])
			}
		case nil:
			if len(d.Reasons[i].Plugin) > 0 && !strings.HasPrefix(r.Message, "Orrery cannot") {
				t.Errorf("%s at %s: no evidence for %q of %s", pod.Name, e.Now(), r.Message, r.Plugin)
			}
		}
	}
	if d.PreemptionEvidence != nil {
		evidenceCheck{t: t, e: e, d: d, pod: pod}.preemption(d.PreemptionEvidence)
	}
}

// found recomputes what a plugin says of its own rejection.
func (c evidenceCheck) found(r *diagnose.Reason, e *framework.Evidence) {
	c.t.Helper()
	switch e.Code {
	case noderesources.Insufficient:
		checkShortage(c.t, c.e, c.pod, e)
		c.requests(e)
	case noderesources.PodLimit:
		c.podLimit(e)
	case podtopologyspread.SpreadSkew, podtopologyspread.SpreadLabel:
		checkSkew(c.t, c.e, c.pod, e)
		c.skewHint(e)
	case nodeunschedulable.Cordoned:
		c.cordoned(e)
	case tainttoleration.Untolerated:
		checkUntolerated(c.t, c.e, e)
		c.untoleratedHint(r, e)
	case nodeports.InUse:
		c.ports(e)
	case nodeaffinity.Mismatch:
		c.selectors(e)
	case interpodaffinity.Affinity, interpodaffinity.AntiAffinity:
		c.podTerms(e)
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

func checkShortage(t *testing.T, e *engine.Engine, pod *v1.Pod, of *framework.Evidence) {
	t.Helper()
	s, near := of.Amounts, of.Amounts.Nodes[0]
	resourceName := v1.ResourceName(s.Resource)
	requested := func(p *v1.Pod) int64 { return plainRequest(p, resourceName) }
	free := near.Allocatable
	for p := range podsOn(e, near.Node) {
		free -= requested(p)
	}
	for _, held := range s.NominatedTo {
		free -= held.Amount
	}
	if s.Requested != requested(pod) || near.Free != max(free, 0) || near.Missing != s.Requested-free {
		t.Errorf("%s at %s: %+v; by the objects %d are requested, %d free", pod.Name, e.Now(), *s, requested(pod), free)
	}
	if near.Free < 0 || near.Missing <= 0 || near.Free >= s.Requested || s.Largest < near.Allocatable || s.Requested > s.Largest && !s.Never {
		t.Errorf("%s at %s: %+v contradicts itself", pod.Name, e.Now(), *s)
	}
	larger := e.Store().Node(near.Node).DeepCopy()
	larger.ResourceVersion = ""
	room := larger.Status.Allocatable[resourceName]
	if more := resource.NewQuantity(near.Missing, resource.DecimalSI); resourceName == v1.ResourceCPU {
		room.Add(*resource.NewMilliQuantity(near.Missing, resource.DecimalSI))
	} else {
		room.Add(*more)
	}
	larger.Status.Allocatable[resourceName] = room
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
			if n.Node == near.Node && slices.Contains(status.Reasons, of.Message) {
				t.Errorf("%s at %s: with %d more %s it is still short on %s", pod.Name, e.Now(), near.Missing, s.Resource, near.Node)
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

func checkSkew(t *testing.T, e *engine.Engine, pod *v1.Pod, s *framework.Evidence) {
	t.Helper()
	for i := range s.Rules {
		c := &s.Rules[i]
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
			if d.Count != counts[d.Value] {
				t.Errorf("%s at %s: %d matching pods in %s=%s, by the objects %d", pod.Name, e.Now(), d.Count, c.Key, d.Value, counts[d.Value])
			}
		}
	}
}

func checkUntolerated(t *testing.T, e *engine.Engine, u *framework.Evidence) {
	t.Helper()
	for _, name := range u.Nodes {
		if !slices.ContainsFunc(e.Store().Node(name).Spec.Taints, func(own v1.Taint) bool { return own.ToString() == u.About }) {
			t.Errorf("%s has no taint %s", name, u.About)
		}
	}
}
