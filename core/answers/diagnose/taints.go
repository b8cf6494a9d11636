package diagnose

import (
	"cmp"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
)

// Cordoned are unschedulable nodes.
type Cordoned struct {
	Nodes []string `json:"nodes"`
	// Since has the times of the nodes' taints, where they have one.
	Since map[string]time.Time `json:"since,omitempty"`
	only  []string
}

func (p *pendingPod) cordoned(nodes, only []string) *Cordoned {
	c := &Cordoned{Nodes: nodes, only: only}
	for _, name := range nodes {
		info := p.nodes[name]
		if info == nil {
			continue
		}
		for _, t := range info.Node().Spec.Taints {
			if t.Key == v1.TaintNodeUnschedulable && t.TimeAdded != nil {
				if c.Since == nil {
					c.Since = map[string]time.Time{}
				}
				c.Since[name] = t.TimeAdded.UTC()
			}
		}
	}
	return c
}

// Facts implements Evidence.
func (c *Cordoned) Facts() []string {
	names := make([]string, len(c.Nodes))
	for i, name := range c.Nodes {
		names[i] = name
		if at, known := c.Since[name]; known {
			names[i] += " since " + at.Format(time.RFC3339)
		}
	}
	return []string{"cordoned: " + listed(names)}
}

// Hint implements Evidence.
func (c *Cordoned) Hint() string {
	if len(c.only) == 1 {
		return "would fit with " + c.only[0] + " uncordoned"
	}
	return "would fit with one of " + plural.Count(len(c.only), "node") + " uncordoned"
}

// maxTaints bounds the taints in a hint.
//
//orrery:limit answers; taints in a hint; the others are left out
const maxTaints = 2

// Untolerated are the taints that reject the pod, those on the most nodes first.
type Untolerated struct {
	Taints []TaintedNodes `json:"taints"`
	// needed are the sets of tolerations that would each allow some of the nodes that only taints block.
	needed []tolerationSet
}

// tolerationSet is the taints that nodes have in common, and the number of the nodes.
type tolerationSet struct {
	taints string // joined
	nodes  int
}

// TaintedNodes are the nodes that a taint makes infeasible.
type TaintedNodes struct {
	Taint v1.Taint `json:"taint"`
	Nodes []string `json:"nodes"`
	// Since is the earliest time at which one of them was tainted; zero if unknown.
	Since time.Time `json:"since,omitzero"`
}

func (p *pendingPod) untolerated(nodes, only []string) *Untolerated {
	u := &Untolerated{}
	for _, name := range nodes {
		info := p.nodes[name]
		if info == nil {
			continue
		}
		var words []string
		for i := range info.Node().Spec.Taints {
			if t := &info.Node().Spec.Taints[i]; p.repelledBy(t) {
				u.add(t, name)
				words = append(words, t.ToString())
			}
		}
		if slices.Contains(only, name) {
			u.need(strings.Join(words, " and "))
		}
	}
	slices.SortStableFunc(u.Taints, func(a, b TaintedNodes) int { return cmp.Compare(len(b.Nodes), len(a.Nodes)) })
	slices.SortStableFunc(u.needed, func(a, b tolerationSet) int { return cmp.Compare(b.nodes, a.nodes) })
	return u
}

// repelledBy reports whether a taint keeps the pod away.
func (p *pendingPod) repelledBy(t *v1.Taint) bool {
	return repels(t) && !corev1.TolerationsTolerateTaint(klog.Logger{}, p.pod.Spec.Tolerations, t, numeric(p.engine))
}

// add adds a node to those of a taint.
func (u *Untolerated) add(taint *v1.Taint, node string) {
	i := slices.IndexFunc(u.Taints, func(t TaintedNodes) bool { return t.Taint.ToString() == taint.ToString() })
	if i < 0 {
		i = len(u.Taints)
		u.Taints = append(u.Taints, TaintedNodes{Taint: v1.Taint{Key: taint.Key, Value: taint.Value, Effect: taint.Effect}})
	}
	t := &u.Taints[i]
	t.Nodes = append(t.Nodes, node)
	if at := taint.TimeAdded; at != nil && (t.Since.IsZero() || at.Time.Before(t.Since)) {
		t.Since = at.UTC()
	}
}

// need counts a node that the tolerations of these taints would allow.
func (u *Untolerated) need(taints string) {
	i := slices.IndexFunc(u.needed, func(s tolerationSet) bool { return s.taints == taints })
	if i < 0 {
		i = len(u.needed)
		u.needed = append(u.needed, tolerationSet{taints: taints})
	}
	u.needed[i].nodes++
}

// numeric reports whether tolerations may compare numbers.
func numeric(e *engine.Engine) bool {
	return e.Features().Enabled(config.TaintTolerationComparisonOperators)
}

func repels(t *v1.Taint) bool {
	return t.Effect == v1.TaintEffectNoSchedule || t.Effect == v1.TaintEffectNoExecute
}

// Facts implements Evidence.
func (u *Untolerated) Facts() []string {
	facts := make([]string, len(u.Taints))
	for i, t := range u.Taints {
		facts[i] = t.Taint.ToString() + " on " + plural.Count(len(t.Nodes), "node") + ": " + listed(t.Nodes)
		if !t.Since.IsZero() {
			facts[i] += ", since " + t.Since.Format(time.RFC3339)
		}
	}
	return facts
}

// Hint implements Evidence.
func (u *Untolerated) Hint() string {
	var words []string
	nodes := 0
	for _, set := range u.needed[:min(len(u.needed), maxTaints)] {
		nodes += set.nodes
		words = append(words, set.taints)
	}
	return "would fit on " + plural.Count(nodes, "node") + " with a toleration of " + strings.Join(words, " or ")
}
