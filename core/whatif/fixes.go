package whatif

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/engine"
	"orrery/core/world"
)

// Fix is one change that would place a pod.
type Fix struct {
	Change Change
	// Node is where the pod would go.
	Node string
	// Text says it to people: "uncordon node-7".
	Text string
}

const (
	// mostTried bounds how many remedies are proven, and so what Fixes costs: each takes two forks and an explanation,
	// which asks every plugin about every node.
	mostTried = 8
	// mostFixes bounds how many are found: a person wants the cheapest ones.
	mostFixes = 4
)

// Fixes looks for single changes each of which would place a pod that finds no node now, the cheapest first: an uncordoned
// node, a toleration, smaller requests, a selector key less, one more node. Each was proven on a fork of the engine, which
// is itself only read. There are none for a pod that would be placed anyway or has its node.
func Fixes(e *engine.Engine, pod world.Ref) ([]Fix, error) {
	held := e.Store().Pod(pod.Namespace, pod.Name)
	if held == nil {
		return nil, fmt.Errorf("looking for what would place pod %q: there is no such pod", pod)
	}
	if nodeIn(e, held) != "" {
		return nil, nil
	}
	x, err := e.Explain(pod.Namespace, pod.Name)
	if err != nil {
		return nil, fmt.Errorf("looking for what would place a pod: %w", err)
	}
	if x.Decision.Verdict == engine.Placed {
		if len(held.Spec.SchedulingGates) == 0 {
			return nil, nil
		}
		return []Fix{{Change: Change{Verb: Ungate, Name: pod.String()}, Node: x.Decision.Node, Text: "take its scheduling gates off"}}, nil
	}
	var fixes []Fix
	for i, r := range remedies(e, held, x) {
		if i == mostTried || len(fixes) == mostFixes {
			break
		}
		node, err := try(e, held, r.change)
		if err != nil {
			return nil, fmt.Errorf("looking for what would place pod %q: %w", pod, err)
		}
		if node != "" {
			fixes = append(fixes, Fix{r.change, node, r.text})
		}
	}
	return fixes, nil
}

// try makes a change in a fork and asks where the pod would go; nowhere is the empty name.
func try(e *engine.Engine, pod *v1.Pod, c Change) (string, error) {
	f, err := e.Fork()
	if err != nil {
		return "", err
	}
	o, op := outcomeOf(e, pod, c)
	if o == nil {
		return "", nil
	}
	if err := f.Apply(world.Input{At: f.Now(), Event: world.Changed{Op: op, Object: o}}); err != nil {
		return "", nil // what the engine refuses is no remedy
	}
	x, err := f.Explain(pod.Namespace, pod.Name)
	if err != nil {
		return "", err
	}
	return x.Decision.Node, nil
}

// outcomeOf is what a change makes of the object it is about; nil if it cannot be made.
func outcomeOf(e *engine.Engine, pod *v1.Pod, c Change) (world.Object, world.Op) {
	switch c.Verb {
	case Uncordon:
		node := e.Store().Node(c.Name).DeepCopy()
		node.Spec.Unschedulable = false
		node.Spec.Taints, _ = withTaint(node.Spec.Taints, Change{Verb: Untaint, Value: v1.TaintNodeUnschedulable}, metav1.Time{})
		node.ResourceVersion = ""
		return node, world.Modified
	case AddNodes:
		name := c.Name + "-new"
		for e.Store().Node(name) != nil {
			name += "1"
		}
		node := newLike(e.Store().Node(c.Name), name)
		node.UID = types.UID("whatif-" + name)
		return node, world.Added
	}
	changed := pod.DeepCopy()
	changed.ResourceVersion = ""
	noClasses := func(string) *schedulingv1.PriorityClass { return nil }
	if err := alter(changed, c, noClasses, e.Profiles()); err != nil {
		return nil, world.Modified
	}
	return changed, world.Modified
}
