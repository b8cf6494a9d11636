package podtopologyspread

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/plugins/topology"
)

// constraintSet is one set of constraints, shared by all pods that have it, with its counts.
type constraintSet struct {
	scope
	when        v1.UnsatisfiableConstraintAction
	constraints []constraint
	// allKeys excludes nodes that lack the key of any constraint.
	allKeys bool
	domains *topology.DomainCounts

	// views are the counts per constraint and, for hard constraints, their extremes.
	views []domainCounts

	seen    [][]uint64 // by constraint and domain: the last scoring that had a node in it
	scoring uint64     // counts PreScore calls
}

type domainCounts struct {
	topology.AxisView
	topology.Extremes
}

// scope holds the parts of a pod, besides the constraints, that decide which nodes and pods count.
type scope struct {
	namespace           string
	required            nodeaffinity.RequiredNodeAffinity
	tolerations         []v1.Toleration
	comparingTolerances bool
}

func (pl *PodTopologySpread) scopeOf(pod *v1.Pod) scope {
	return scope{
		namespace:           pod.Namespace,
		required:            nodeaffinity.GetRequiredNodeAffinity(pod),
		tolerations:         pod.Spec.Tolerations,
		comparingTolerances: pl.comparingTolerances,
	}
}

// constraintSet returns the set of the pod's hard or soft constraints; nil if the pod has none.
func (pl *PodTopologySpread) constraintSet(pod *v1.Pod, when v1.UnsatisfiableConstraintAction) (*constraintSet, error) {
	a, found := pl.constraintsFor(pod, when)
	if !found {
		return nil, nil
	}
	pl.signature = pl.sign(pl.signature[:0], pod, a)
	if known := pl.recent.Get(pl.signature); known != nil {
		return known.Value, nil
	}
	list, err := pl.compileAll(pod, a)
	if err != nil {
		return nil, err
	}
	q := &constraintSet{scope: pl.scopeOf(pod), when: when, constraints: list}
	q.allKeys = when == v1.DoNotSchedule || a.ownerSelector == nil || !pl.systemDefaulted
	pl.recent.Add(pl.signature, q)
	return q, nil
}

// refresh brings the counts up to the index.
func (q *constraintSet) refresh(index *topology.PodIndex) {
	if q.domains == nil {
		q.domains = topology.NewDomainCounts(index, q, topology.Options{RequireAllKeys: q.allKeys, Labels: q.labels()})
		for i := range q.constraints {
			q.domains.Axis(q.constraints[i].key, q.axisKind(i))
		}
	}
	if !q.domains.Refresh() {
		return
	}
	q.views = make([]domainCounts, len(q.constraints)) // states of earlier cycles keep the old ones
	for i := range q.views {
		q.views[i].AxisView = q.domains.View(i)
		if q.when == v1.DoNotSchedule {
			q.views[i].Extremes = q.views[i].AxisView.Extremes()
		}
	}
}

// labels are such that every pod that counts has one of them; nil if there are none such.
func (q *constraintSet) labels() (list []topology.Label) {
	for i := range q.constraints {
		var ok bool
		if list, ok = topology.CoveringLabels(list, q.constraints[i].selector); !ok {
			return nil
		}
	}
	return list
}

func (q *constraintSet) axisKind(i int) topology.AxisKind {
	switch {
	case q.when == v1.DoNotSchedule:
		return topology.PerValue
	case q.constraints[i].key == v1.LabelHostname:
		// Scoring counts the pods of the node itself and ignores the value of its hostname label.
		return topology.PerNode
	case q.allKeys:
		return topology.PerValue
	default:
		return topology.PerValueOrEmpty
	}
}

func (q *constraintSet) close() { q.domains.Close() }

// WeighTerms implements topology.Rules. It is not called: the classifier describes no terms.
func (q *constraintSet) WeighTerms(*topology.DomainCounts, fwk.PodInfo) {}

// WeighLabels implements topology.Rules: a pod counts once for each constraint it matches.
func (q *constraintSet) WeighLabels(t *topology.DomainCounts, info fwk.PodInfo) {
	for i := range q.constraints {
		if q.matches(i, info.GetPod()) {
			t.AddWeight(i, 1)
		}
	}
}

// matches reports whether an existing pod counts for a constraint. None does for an empty selector. One that terminates counts no
// more: it is about to leave its domain (kubernetes issue 87621).
func (q *constraintSet) matches(i int, pod *v1.Pod) bool {
	selector := q.constraints[i].selector
	return pod.Namespace == q.namespace && pod.DeletionTimestamp == nil &&
		!selector.Empty() && selector.Matches(labels.Set(pod.Labels))
}

// Includes implements topology.Rules with the inclusion policies, which do not apply to a node's own count.
func (q *constraintSet) Includes(i int, node *v1.Node) bool {
	if q.axisKind(i) == topology.PerNode {
		return true
	}
	return q.eligible(&q.constraints[i], node)
}

// eligible applies a constraint's inclusion policies. A node affinity that does not parse matches no node.
func (s *scope) eligible(c *constraint, node *v1.Node) bool {
	if c.honorAffinity {
		if match, _ := s.required.Match(node); !match {
			return false
		}
	}
	return !c.honorTaints || s.tolerates(node)
}

func (s *scope) tolerates(node *v1.Node) bool {
	for i := range node.Spec.Taints {
		taint := &node.Spec.Taints[i]
		if taint.Effect != v1.TaintEffectNoSchedule && taint.Effect != v1.TaintEffectNoExecute {
			continue
		}
		if !corev1helpers.TolerationsTolerateTaint(klog.Logger{}, s.tolerations, taint, s.comparingTolerances) {
			return false
		}
	}
	return true
}
