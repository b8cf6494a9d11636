package diagnose

import (
	"cmp"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"

	"orrery/core/config"
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
	return "would fit with one of " + counted(len(c.only), "node") + " uncordoned"
}

// maxTaints bounds the taints in a hint.
const maxTaints = 2

// Untolerated are the taints that reject the pod, those on the most nodes first.
type Untolerated struct {
	Taints []TaintedNodes `json:"taints"`
	only   []string
}

// TaintedNodes are the nodes that a taint makes infeasible.
type TaintedNodes struct {
	Taint v1.Taint `json:"taint"`
	Nodes []string `json:"nodes"`
	// Since is the earliest time at which one of them was tainted; zero if unknown.
	Since time.Time `json:"since,omitzero"`
}

func (p *pendingPod) untolerated(nodes, only []string) *Untolerated {
	u := &Untolerated{only: only}
	for _, name := range nodes {
		info := p.nodes[name]
		if info == nil {
			continue
		}
		taint, is := corev1.FindMatchingUntoleratedTaint(klog.Logger{}, info.Node().Spec.Taints, p.pod.Spec.Tolerations, repels, p.numeric())
		if !is {
			continue
		}
		i := slices.IndexFunc(u.Taints, func(t TaintedNodes) bool { return t.Taint.ToString() == taint.ToString() })
		if i < 0 {
			i = len(u.Taints)
			u.Taints = append(u.Taints, TaintedNodes{Taint: v1.Taint{Key: taint.Key, Value: taint.Value, Effect: taint.Effect}})
		}
		t := &u.Taints[i]
		t.Nodes = append(t.Nodes, name)
		if at := taint.TimeAdded; at != nil && (t.Since.IsZero() || at.Time.Before(t.Since)) {
			t.Since = at.UTC()
		}
	}
	slices.SortStableFunc(u.Taints, func(a, b TaintedNodes) int { return cmp.Compare(len(b.Nodes), len(a.Nodes)) })
	return u
}

// numeric reports whether tolerations may compare numbers.
func (p *pendingPod) numeric() bool {
	return p.engine.Features().Enabled(config.TaintTolerationComparisonOperators)
}

func repels(t *v1.Taint) bool {
	return t.Effect == v1.TaintEffectNoSchedule || t.Effect == v1.TaintEffectNoExecute
}

// Facts implements Evidence.
func (u *Untolerated) Facts() []string {
	facts := make([]string, len(u.Taints))
	for i, t := range u.Taints {
		facts[i] = t.Taint.ToString() + " on " + counted(len(t.Nodes), "node") + ": " + listed(t.Nodes)
		if !t.Since.IsZero() {
			facts[i] += ", since " + t.Since.Format(time.RFC3339)
		}
	}
	return facts
}

// Hint implements Evidence.
func (u *Untolerated) Hint() string {
	var words []string
	for _, t := range u.Taints {
		alone := slices.ContainsFunc(t.Nodes, func(name string) bool { return slices.Contains(u.only, name) })
		if alone && len(words) < maxTaints {
			words = append(words, t.Taint.ToString())
		}
	}
	return "would fit on " + counted(len(u.only), "node") + " with a toleration of " + strings.Join(words, " or ")
}
