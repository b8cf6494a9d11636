package diagnose

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/answers/change"
	"orrery/core/evict/budget"
	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// The bounds of the search. Trying a pod on one node without others is cheap, a plan takes up to four searches of all nodes.
const (
	//orrery:limit answers; nodes whose pods are tried elsewhere; the others are not
	maxMoveNodes = 64
	//orrery:limit answers; pods of a node that are tried elsewhere, one at a time; the others are not
	maxMovedPods = 16 // of one node, one at a time
	//orrery:limit answers; pods of a node that are tried elsewhere, two at a time; the others are not
	maxPairedOf = 8 // of one node, two at a time
	//orrery:limit answers; plans of moves that are tried; the others are not
	maxPlans = 6
)

// moves looks for moves that place the pod, one move before two; nil without any.
func (p *pendingPod) moves(x *engine.Explanation) (*Combination, error) {
	trial, err := p.engine.Displacement(p.pod.Namespace, p.pod.Name)
	if err != nil {
		return nil, nil // a plugin rejects the pod on every node
	}
	s := &moveSearch{pendingPod: p, trial: trial, immovable: map[types.UID]bool{}}
	for o := range p.engine.Store().Objects(world.PodDisruptionBudget) {
		s.budgets = append(s.budgets, o.(*policyv1.PodDisruptionBudget))
	}
	nodes := s.candidateNodes(x)
	for _, tryNode := range []func(string) (*Combination, error){s.single, s.pair} {
		for _, node := range nodes {
			if m, err := tryNode(node); m != nil || err != nil || s.plans >= maxPlans {
				return m, err
			}
		}
	}
	return nil, nil
}

type moveSearch struct {
	*pendingPod
	trial     *engine.Displacement
	budgets   []*policyv1.PodDisruptionBudget
	immovable map[types.UID]bool // pods that fit nowhere else
	plans     int
}

// candidateNodes are the nodes whose rejections evictions might change, the least shortage first.
func (s *moveSearch) candidateNodes(x *engine.Explanation) []string {
	requested := requests.Of(s.pod, resourcehelper.PodResourcesOptions{})
	shortage := map[string]float64{}
	for i := range x.Nodes {
		n := &x.Nodes[i]
		info := s.nodes[n.Node]
		if n.Feasible || info == nil || slices.ContainsFunc(n.Statuses, func(st engine.PluginStatus) bool {
			return st.Rejects() && st.Code != fwk.Unschedulable
		}) {
			continue
		}
		shortage[n.Node] = 0
		for _, name := range slices.Sorted(maps.Keys(requested)) {
			if want := requests.AmountOf(requested, name); want > 0 {
				missing := saturating.Sub(want, s.free(info, name))
				shortage[n.Node] = max(shortage[n.Node], float64(missing)/float64(want))
			}
		}
	}
	nodes := slices.SortedFunc(maps.Keys(shortage), func(a, b string) int {
		return cmp.Or(cmp.Compare(shortage[a], shortage[b]), cmp.Compare(a, b))
	})
	return nodes[:min(len(nodes), maxMoveNodes)]
}

func (s *moveSearch) single(node string) (*Combination, error) {
	for _, pod := range s.movable(node, maxMovedPods) {
		if m, err := s.plan(node, pod); m != nil || err != nil || s.plans >= maxPlans {
			return m, err
		}
	}
	return nil, nil
}

func (s *moveSearch) pair(node string) (*Combination, error) {
	pods := s.movable(node, maxPairedOf)
	for i, a := range pods {
		for _, b := range pods[i+1:] {
			if m, err := s.plan(node, a, b); m != nil || err != nil || s.plans >= maxPlans {
				return m, err
			}
		}
	}
	return nil, nil
}

// movable are pods on a node that could run elsewhere, those of the lowest priority first.
func (s *moveSearch) movable(node string, most int) []*v1.Pod {
	var pods []*v1.Pod
	for _, info := range s.nodes[node].GetPods() {
		pod := info.GetPod()
		owner := metav1.GetControllerOfNoCopy(pod)
		_, static := pod.Annotations[v1.MirrorPodAnnotationKey]
		if stored := s.engine.Store().Pod(pod.Namespace, pod.Name); stored == nil || stored.Spec.NodeName != node || stored.UID != pod.UID {
			continue // it is still being bound
		}
		if pod.DeletionTimestamp == nil && !static && (owner == nil || owner.Kind != "DaemonSet") && !s.immovable[pod.UID] &&
			s.engine.Profile(pod.Spec.SchedulerName) != nil {
			pods = append(pods, pod)
		}
	}
	slices.SortFunc(pods, func(a, b *v1.Pod) int {
		return cmp.Or(cmp.Compare(corev1.PodPriority(a), corev1.PodPriority(b)), cmp.Compare(fullName(a), fullName(b)))
	})
	return pods[:min(len(pods), most)]
}

// allowed reports whether the budgets let all the pods go.
func (s *moveSearch) allowed(pods []*v1.Pod) bool {
	for _, pdb := range s.budgets {
		var leaving int32
		for _, pod := range pods {
			if budget.Selects(pdb, pod) {
				leaving++
			}
		}
		if leaving > 0 && leaving > pdb.Status.DisruptionsAllowed {
			return false
		}
	}
	return true
}

// plan returns the moves of the pods if the pod fits without them, they fit elsewhere beside it, and it is placed then.
func (s *moveSearch) plan(node string, pods ...*v1.Pod) (*Combination, error) {
	if slices.ContainsFunc(pods, func(pod *v1.Pod) bool { return s.immovable[pod.UID] }) || !s.allowed(pods) || !s.trial.Fits(node, pods...) {
		return nil, nil
	}
	s.plans++
	events := []world.Event{world.Changed{Op: world.Modified, Object: onNode(s.pod, s.pod.UID, node)}}
	var moved []world.Event
	m := &Combination{}
	for _, pod := range pods {
		to, err := s.engine.Try(pod.Namespace, pod.Name, events...)
		if err != nil {
			return nil, err
		}
		if to == "" || to == node {
			s.immovable[pod.UID] = len(pods) == 1
			return nil, nil
		}
		move := []world.Event{
			world.Changed{Op: world.Deleted, Object: pod},
			world.Changed{Op: world.Added, Object: onNode(pod, pod.UID+"-moved", to)},
		}
		events, moved = append(events, move...), append(moved, move...)
		m.Changes = append(m.Changes, change.Change{Verb: change.Move, Name: fullName(pod), Value: to})
	}
	var err error
	if m.Node, err = s.engine.Try(s.pod.Namespace, s.pod.Name, moved...); err != nil || m.Node == "" {
		return nil, err
	}
	words := make([]string, len(m.Changes))
	for i, c := range m.Changes {
		words[i] = c.Name + " to " + c.Value
	}
	m.Text = "move " + strings.Join(words, " and ")
	return m, nil
}

// onNode is a copy of a pod that is bound to a node.
func onNode(pod *v1.Pod, uid types.UID, node string) *v1.Pod {
	p := pod.DeepCopy()
	p.UID, p.ResourceVersion, p.Spec.NodeName = uid, "", node
	p.Spec.SchedulingGates = nil
	return p
}
