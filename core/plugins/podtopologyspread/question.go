package podtopologyspread

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/plugins/census"
)

// question is what all pods with the same constraints ask, and its tally.
type question struct {
	scope
	when        v1.UnsatisfiableConstraintAction
	constraints []constraint
	// allKeys: nodes that miss a key of some constraint are out of the question altogether.
	allKeys bool
	tally   *census.Tally

	// views are the counts per constraint and, of hard constraints, their extremes, as of a version of the tally.
	views   []view
	version uint64

	met      [][]uint64 // by constraint and domain: the scoring in which it was last met
	scorings uint64
}

type view struct {
	census.Counts
	census.Extremes
}

// scope is what of a pod decides which nodes and pods count, apart from the constraints.
type scope struct {
	namespace           string
	required            nodeaffinity.RequiredNodeAffinity
	tolerations         []v1.Toleration
	comparingTolerances bool
}

func (pl *Plugin) scopeOf(pod *v1.Pod) scope {
	return scope{
		namespace:           pod.Namespace,
		required:            nodeaffinity.GetRequiredNodeAffinity(pod),
		tolerations:         pod.Spec.Tolerations,
		comparingTolerances: pl.comparingTolerances,
	}
}

// question finds the pod's question of one kind, with counts as of the roster; nil if the pod has no such constraint.
func (pl *Plugin) question(pod *v1.Pod, when v1.UnsatisfiableConstraintAction) (*question, error) {
	a, any := pl.ask(pod, when)
	if !any {
		return nil, nil
	}
	pl.signature = pl.sign(pl.signature[:0], pod, a)
	q, known := pl.questions.Find(pl.signature)
	if !known {
		list, err := pl.constraints(pod, a)
		if err != nil {
			return nil, err
		}
		q = &question{scope: pl.scopeOf(pod), when: when, constraints: list}
		q.allKeys = when == v1.DoNotSchedule || a.fromOwners == nil || !pl.systemDefaulted
		pl.questions.Keep(pl.signature, q)
	}
	return q, nil
}

// refresh brings the counts up to the roster.
func (q *question) refresh(r *census.Roster) {
	if q.tally == nil {
		q.tally = census.NewTally(r, q, q.allKeys, false)
		for i := range q.constraints {
			q.tally.Axis(q.constraints[i].key, q.axisKind(i))
		}
		if list, ok := q.labels(); ok {
			q.tally.Expect(list)
		}
	}
	q.tally.Refresh()
	if q.version == q.tally.Version() {
		return
	}
	q.version = q.tally.Version()
	q.views = make([]view, len(q.constraints)) // states of earlier cycles keep the old ones
	for i := range q.views {
		q.views[i].Counts = q.tally.Counts(i)
		if q.when == v1.DoNotSchedule {
			q.views[i].Extremes = q.views[i].Counts.Extremes()
		}
	}
}

// labels are those of which a pod that counts wears one, if there are such.
func (q *question) labels() (list []census.Label, ok bool) {
	for i := range q.constraints {
		if list, ok = census.AnyOf(list, q.constraints[i].selector); !ok {
			return nil, false
		}
	}
	return list, true
}

func (q *question) axisKind(i int) census.AxisKind {
	switch {
	case q.when == v1.DoNotSchedule:
		return census.Keyed
	case q.constraints[i].key == v1.LabelHostname:
		// Scoring looks at the pods of the node itself, whatever its hostname label says.
		return census.OwnNode
	case q.allKeys:
		return census.Keyed
	default:
		return census.Lenient
	}
}

func (q *question) close() {
	if q.tally != nil {
		q.tally.Close()
	}
}

// WeighMind implements census.Rules. It is not called: nobody minds.
func (q *question) WeighMind(*census.Tally, fwk.PodInfo) {}

// WeighLook implements census.Rules: a pod counts once for each constraint it matches.
func (q *question) WeighLook(t *census.Tally, info fwk.PodInfo) {
	for i := range q.constraints {
		if q.counts(i, info.GetPod()) {
			t.Add(i, 1)
		}
	}
}

// counts reports whether a pod that runs counts for a constraint. Nobody does for an empty selector.
func (q *question) counts(i int, pod *v1.Pod) bool {
	selector := q.constraints[i].selector
	return pod.Namespace == q.namespace && pod.DeletionTimestamp == nil &&
		!selector.Empty() && selector.Matches(labels.Set(pod.Labels))
}

// Counted implements census.Rules with the inclusion policies. A node's own count, for scoring, knows no policies.
func (q *question) Counted(i int, node *v1.Node) bool {
	if q.axisKind(i) == census.OwnNode {
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
		if !s.toleratesTaint(taint) {
			return false
		}
	}
	return true
}

func (s *scope) toleratesTaint(taint *v1.Taint) bool {
	for i := range s.tolerations {
		if s.tolerations[i].ToleratesTaint(klog.Logger{}, taint, s.comparingTolerances) {
			return true
		}
	}
	return false
}
