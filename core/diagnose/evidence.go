package diagnose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"

	"orrery/core/requests"
)

// Evidence has the details of a reason on the nodes that it alone blocks.
type Evidence interface {
	// Hint says what would make one of those nodes feasible.
	Hint() string
}

// Hint says what would make a node feasible that only this reason blocks; empty if there is no such node.
func (r *Reason) Hint() string {
	switch {
	case len(r.OnlyOn) == 0:
		return ""
	case r.Evidence != nil:
		return r.Evidence.Hint()
	}
	return counted(len(r.OnlyOn), "node") + " blocked only by " + r.Message
}

// evidenceOf returns the evidence from the nodes that a reason alone blocks.
func (p *pendingPod) evidenceOf(r *Reason) Evidence {
	if len(r.OnlyOn) == 0 {
		return nil
	}
	switch r.Plugin {
	case unschedulablePlugin:
		return Cordoned{r.OnlyOn}
	case taintPlugin:
		if taints := p.untolerated(r.OnlyOn); len(taints) > 0 {
			return Untolerated{taints, len(r.OnlyOn)}
		}
	case spreadPlugin:
		if constraints := requiredSpread(p.pod); len(constraints) > 0 {
			return Skew{constraints, len(r.OnlyOn)}
		}
	case fitPlugin:
		if name, ok := strings.CutPrefix(r.Message, "Insufficient "); ok {
			return p.shortageOf(v1.ResourceName(name), r.OnlyOn)
		}
	}
	return nil
}

// Shortage is a resource with too little free on each of the nodes. Amounts are in millicores for cpu and in whole
// units otherwise.
type Shortage struct {
	Resource            v1.ResourceName
	Requested, MostFree int64
}

func (p *pendingPod) shortageOf(name v1.ResourceName, nodes []string) Shortage {
	s := Shortage{Resource: name, Requested: amountOf(requests.Of(p.pod, resourcehelper.PodResourcesOptions{}), name)}
	for _, node := range nodes {
		if info := p.nodes[node]; info != nil {
			s.MostFree = max(s.MostFree, requests.Free(info, name))
		}
	}
	return s
}

// String compares the two amounts.
func (s Shortage) String() string {
	return fmt.Sprintf("requests %s, at most %s free there", formatAmount(s.Resource, s.Requested), formatAmount(s.Resource, s.MostFree))
}

// Hint implements Evidence.
func (s Shortage) Hint() string {
	return fmt.Sprintf("would fit with %s more %s free on one node, or with as much less requested", formatAmount(s.Resource, s.Requested-s.MostFree), s.Resource)
}

// Cordoned are unschedulable nodes.
type Cordoned struct{ Nodes []string }

// Hint implements Evidence.
func (c Cordoned) Hint() string {
	if len(c.Nodes) == 1 {
		return "would fit with " + c.Nodes[0] + " uncordoned"
	}
	return fmt.Sprintf("would fit with one of %d nodes uncordoned", len(c.Nodes))
}

// maxTaints bounds the taints in a hint.
const maxTaints = 2

// Untolerated are the first taints that reject the pod, and the number of nodes.
type Untolerated struct {
	Taints []v1.Taint
	Nodes  int
}

func (p *pendingPod) untolerated(nodes []string) []v1.Taint {
	var found []v1.Taint
	for _, name := range nodes {
		info := p.nodes[name]
		if info == nil {
			continue
		}
		taint, is := corev1.FindMatchingUntoleratedTaint(klog.Logger{}, info.Node().Spec.Taints, p.pod.Spec.Tolerations, repels, true)
		if is && !slices.ContainsFunc(found, func(t v1.Taint) bool { return t.ToString() == taint.ToString() }) {
			if found = append(found, taint); len(found) == maxTaints {
				break
			}
		}
	}
	return found
}

func repels(t *v1.Taint) bool {
	return t.Effect == v1.TaintEffectNoSchedule || t.Effect == v1.TaintEffectNoExecute
}

// Hint implements Evidence.
func (u Untolerated) Hint() string {
	words := make([]string, len(u.Taints))
	for i := range u.Taints {
		words[i] = u.Taints[i].ToString()
	}
	return "would fit on " + counted(u.Nodes, "node") + " with a toleration of " + strings.Join(words, " or ")
}

// Skew are the pod's DoNotSchedule spread constraints, and the number of nodes that they alone block.
type Skew struct {
	Constraints []v1.TopologySpreadConstraint
	Nodes       int
}

func requiredSpread(pod *v1.Pod) []v1.TopologySpreadConstraint {
	var required []v1.TopologySpreadConstraint
	for _, c := range pod.Spec.TopologySpreadConstraints {
		if c.WhenUnsatisfiable == v1.DoNotSchedule {
			required = append(required, c)
		}
	}
	return required
}

// Hint implements Evidence.
func (s Skew) Hint() string {
	words := make([]string, len(s.Constraints))
	for i, c := range s.Constraints {
		words[i] = "maxSkew > " + strconv.Itoa(int(c.MaxSkew)) + " over " + c.TopologyKey
	}
	return "would fit on " + counted(s.Nodes, "node") + " with " + strings.Join(words, " or ") + ", or ScheduleAnyway"
}
