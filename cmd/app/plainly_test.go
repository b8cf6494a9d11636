package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"orrery/core/answers/answer"
	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// evidenceCheck recomputes evidence from the objects, in the plainest way.
type evidenceCheck struct {
	t        *testing.T
	e        *engine.Engine
	d        *diagnose.Diagnosis
	pod      *v1.Pod
	rejected map[string]bool // the nodes that the reason rejects
}

func (c evidenceCheck) errorf(format string, args ...any) {
	c.t.Helper()
	c.t.Errorf("%s at %s: "+format, append([]any{c.pod.Name, c.e.Now()}, args...)...)
}

func (c evidenceCheck) nodes() []*v1.Node {
	var nodes []*v1.Node
	for o := range c.e.Store().Objects(world.Node) {
		nodes = append(nodes, o.(*v1.Node))
	}
	return nodes
}

func plainAmount(list v1.ResourceList, name v1.ResourceName) int64 {
	q := list[name]
	if name == v1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

// plainRequest is the greater of what runs together and of each init container with the sidecars before it, and the
// overhead.
func plainRequest(p *v1.Pod, name v1.ResourceName) int64 {
	var sidecars, running, initial int64
	for _, c := range p.Spec.InitContainers {
		own := plainAmount(c.Resources.Requests, name)
		if c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways {
			sidecars += own
		} else {
			initial = max(initial, sidecars+own)
		}
	}
	for _, c := range p.Spec.Containers {
		running += plainAmount(c.Resources.Requests, name)
	}
	return max(running+sidecars, initial) + plainAmount(p.Spec.Overhead, name)
}

func plainPriority(p *v1.Pod) int32 {
	if p.Spec.Priority == nil {
		return 0
	}
	return *p.Spec.Priority
}

func (c evidenceCheck) requests(of *framework.Evidence) {
	c.t.Helper()
	s, nearest, name := of.Amounts, of.Amounts.Nodes[0].Node, v1.ResourceName(of.Amounts.Resource)
	var parts, largest int64
	for _, part := range s.Parts {
		parts += part.Amount
	}
	if len(s.Parts) > 0 && parts != s.Requested {
		c.errorf("the parts %v of the request are %d, not %d", s.Parts, parts, s.Requested)
	}
	tooSmall := 0
	for _, n := range c.nodes() {
		largest = max(largest, plainAmount(n.Status.Allocatable, name))
		for each := range allRequested(c.pod) {
			if plainRequest(c.pod, each) > plainAmount(n.Status.Allocatable, each) {
				tooSmall++
				break
			}
		}
	}
	if s.Largest != largest || s.Never && tooSmall < len(c.nodes()) {
		c.errorf("%+v; of %d nodes %d are too small, and the largest has %d", *s, len(c.nodes()), tooSmall, largest)
	}
	var amounts []int64
	for p := range podsOn(c.e, nearest) {
		if own := plainRequest(p, name); own > 0 {
			amounts = append(amounts, own)
		}
	}
	slices.Sort(amounts)
	slices.Reverse(amounts)
	var listed []int64
	for _, r := range s.HeldBy {
		listed = append(listed, r.Amount)
	}
	if !slices.Equal(listed, amounts[:min(len(amounts), 5)]) {
		c.errorf("the largest requests on %s are %v, not %v", nearest, amounts, listed)
	}
}

// allRequested are the resources that any container requests.
func allRequested(p *v1.Pod) map[v1.ResourceName]bool {
	names := map[v1.ResourceName]bool{}
	for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		for name := range c.Resources.Requests {
			names[name] = true
		}
	}
	for name := range p.Spec.Overhead {
		names[name] = true
	}
	return names
}

func (c evidenceCheck) podLimit(of *framework.Evidence) {
	c.t.Helper()
	l := of.Amounts.Nodes[0]
	n := c.e.Store().Node(l.Node)
	if on := int64(len(podsOn(c.e, l.Node))); l.Free != max(l.Allocatable-on, 0) || l.Allocatable != n.Status.Allocatable.Pods().Value() {
		c.errorf("%+v; by the objects %d pods of %s", l, on, n.Status.Allocatable.Pods())
	}
}

func (c evidenceCheck) cordoned(of *framework.Evidence) {
	c.t.Helper()
	for _, n := range c.nodes() {
		if n.Spec.Unschedulable != slices.Contains(of.Nodes, n.Name) && c.rejected[n.Name] {
			c.errorf("cordoned are %q, and %s is unschedulable: %t", of.Nodes, n.Name, n.Spec.Unschedulable)
		}
	}
}

func (c evidenceCheck) ports(of *framework.Evidence) {
	c.t.Helper()
	held := map[string]bool{}
	for _, own := range c.pod.Spec.Containers[0].Ports {
		for node := range c.rejected {
			for p := range podsOn(c.e, node) {
				for _, container := range p.Spec.Containers {
					for _, port := range container.Ports {
						if own.HostPort > 0 && port.HostPort == own.HostPort {
							held[fmt.Sprintf("%s %s/%s %d", node, p.Namespace, p.Name, port.HostPort)] = true
						}
					}
				}
			}
		}
	}
	said := map[string]bool{}
	for _, h := range of.Objects {
		if h.Nominated {
			continue // by the queue's word, which the objects do not have
		}
		port, _, _ := strings.Cut(strings.TrimPrefix(h.Note, "host port "), "/")
		said[h.Node+" "+h.Name+" "+port] = true
	}
	if !maps.Equal(held, said) {
		c.errorf("the ports are held by %v, not %v", held, said)
	}
}

func (c evidenceCheck) selectors(s *framework.Evidence) {
	c.t.Helper()
	for _, r := range s.Rules {
		values, matching := map[string]int64{}, 0
		for _, n := range c.nodes() {
			if v, has := n.Labels[r.Key]; has && r.Key != "metadata.name" {
				values[v]++
			}
			for key, want := range c.pod.Spec.NodeSelector {
				if r.Text == key+"="+want && n.Labels[key] == want {
					matching++
				}
			}
		}
		said := map[string]int64{}
		for _, v := range r.Domains {
			said[v.Value] = v.Count
		}
		if !maps.Equal(values, said) || r.Field == "spec.nodeSelector" && r.Matching != matching {
			c.errorf("%+v; by the objects %v, and %d nodes match", r, values, matching)
		}
	}
}

func (c evidenceCheck) podTerms(of *framework.Evidence) {
	c.t.Helper()
	for _, term := range of.Rules {
		if term.Pod != "" {
			continue // the selector is that of another pod
		}
		selector, err := labels.Parse(term.Text)
		if err != nil {
			c.t.Fatal(err)
		}
		want := map[string]int{}
		for _, n := range c.nodes() {
			value, has := n.Labels[term.Key]
			for p := range podsOn(c.e, n.Name) {
				if has && p.UID != c.pod.UID && slices.Contains(term.Namespaces, p.Namespace) && selector.Matches(labels.Set(p.Labels)) {
					want[value]++
				}
			}
		}
		got := map[string]int{}
		for _, domain := range term.Domains {
			for _, pod := range domain.Pods {
				if !strings.Contains(pod, "nominated") {
					got[domain.Value]++
				}
			}
		}
		if !maps.Equal(got, want) && !hasNamespaceSelector(c.pod) {
			c.errorf("%s matches %v, not %v", term.Field, want, got)
		}
	}
}

func hasNamespaceSelector(p *v1.Pod) bool {
	terms := func(list []v1.PodAffinityTerm) bool {
		return slices.ContainsFunc(list, func(t v1.PodAffinityTerm) bool { return t.NamespaceSelector != nil || len(t.MatchLabelKeys) > 0 })
	}
	a := p.Spec.Affinity
	return a.PodAffinity != nil && terms(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) ||
		a.PodAntiAffinity != nil && terms(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
}

func (c evidenceCheck) preemption(p *answer.PreemptionEvidence) {
	c.t.Helper()
	counted := p.NotTried + p.Unresolvable
	for _, g := range p.Groups {
		counted += len(g.Nodes)
		for _, node := range g.Nodes {
			lower, all := 0, len(podsOn(c.e, node))
			for on := range podsOn(c.e, node) {
				if plainPriority(on) < plainPriority(c.pod) {
					lower++
				}
			}
			want := answer.NoLowerPriority
			switch {
			case all == 0:
				want = answer.NoPods
			case lower > 0:
				want = g.Outcome // whether evictions help was tried
			}
			if g.Outcome != want || lower == 0 && g.Reason != "" {
				c.errorf("%s is %s (%q), with %d of %d pods of lower priority", node, g.Outcome, g.Reason, lower, all)
			}
		}
	}
	if p.Ineligible == "" && counted != len(c.nodes()) {
		c.errorf("%+v counts %d nodes of %d", *p, counted, len(c.nodes()))
	}
	for _, v := range slices.Concat(p.Victims, p.Terminating) {
		if v.Priority >= plainPriority(c.pod) {
			c.errorf("the victim %s has priority %d, not below %d", v.Pod, v.Priority, plainPriority(c.pod))
		}
	}
}

// untoleratedHint gives the pod the tolerations that the hint names, and counts the nodes.
func (c evidenceCheck) untoleratedHint(r *diagnose.Reason, u *framework.Evidence) {
	c.t.Helper()
	if u.Hint == "" {
		return
	}
	changed := c.pod.DeepCopy()
	for _, e := range r.Evidence.(diagnose.Found) {
		if strings.Contains(u.Hint, e.About) {
			taint := strings.Split(strings.Replace(e.About, ":", "=", 1)+"=", "=")
			changed.Spec.Tolerations = append(changed.Spec.Tolerations, v1.Toleration{Key: taint[0], Operator: v1.TolerationOpExists})
		}
	}
	c.feasibleWith(changed, u.Hint)
}

// skewHint gives the pod the skews that the hint names.
func (c evidenceCheck) skewHint(s *framework.Evidence) {
	c.t.Helper()
	changed := c.pod.DeepCopy()
	for i := range s.Rules {
		key := s.Rules[i].Key
		at := slices.IndexFunc(changed.Spec.TopologySpreadConstraints, func(own v1.TopologySpreadConstraint) bool { return own.TopologyKey == key })
		var skew int32
		if at >= 0 && scanSkew(s.Hint, key, &skew) {
			changed.Spec.TopologySpreadConstraints[at].MaxSkew = skew
		}
	}
	if len(s.Rules) == 1 && strings.Contains(s.Hint, "maxSkew") {
		c.feasibleWith(changed, s.Hint)
	}
}

// feasibleWith checks that a changed pod fits on as many nodes as the hint says, if not more: of several changes one may do.
func (c evidenceCheck) feasibleWith(changed *v1.Pod, hint string) {
	c.t.Helper()
	var want int
	if _, err := fmt.Sscanf(hint, "would fit on %d node", &want); err != nil {
		return
	}
	f, err := c.e.Fork()
	changed.ResourceVersion = ""
	if err == nil {
		err = f.Apply(world.Input{At: f.Now(), Event: world.Changed{Op: world.Modified, Object: changed}})
	}
	if err != nil {
		c.t.Fatal(err)
	}
	x, err := f.Explain(changed.Namespace, changed.Name)
	if err != nil {
		c.t.Fatal(err)
	}
	feasible := 0
	for _, n := range x.Nodes {
		if n.Feasible {
			feasible++
		}
	}
	if feasible < want || want == 0 {
		c.errorf("%q, and it is %d nodes", hint, feasible)
	}
}

func scanSkew(hint, key string, skew *int32) bool {
	_, after, found := strings.Cut(hint, "maxSkew ")
	if !found || !strings.Contains(after, key) {
		return false
	}
	_, err := fmt.Sscanf(after, "%d over", skew)
	return err == nil
}
