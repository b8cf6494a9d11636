package topology

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/scheduler/plugins"
)

// event is a cluster event with the objects that hints get.
type event struct {
	resource    fwk.EventResource
	action      fwk.ActionType
	oldPod, pod *v1.Pod
	oldNode     *v1.Node
	node        *v1.Node
}

func (e event) objects() (oldObj, newObj any) {
	if e.oldPod != nil {
		oldObj = e.oldPod
	}
	if e.pod != nil {
		newObj = e.pod
	}
	if e.oldNode != nil {
		oldObj = e.oldNode
	}
	if e.node != nil {
		newObj = e.node
	}
	return oldObj, newObj
}

func (c *cluster) someEvent(t *difftest.Source, waiting *v1.Pod) event {
	e := event{resource: fwk.AssignedPod}
	one, two := somePod(t, "e"), somePod(t, "e")
	two.Namespace, two.UID, two.Spec.Affinity = one.Namespace, one.UID, one.Spec.Affinity
	switch t.Range(0, 5) {
	case 0:
		e.resource = fwk.UnscheduledPod
	case 1:
		e.resource = fwk.UnscheduledPod
		one.Status.NominatedNodeName, two.Status.NominatedNodeName = "n1", "n1"
	default:
		one.Spec.NodeName, two.Spec.NodeName = "n1", "n1"
	}
	switch t.Range(0, 8) {
	case 0:
		e.action, e.pod = fwk.Add, one
	case 1, 2:
		e.resource, e.action, e.oldPod = fwk.AssignedPod, fwk.Delete, one // a pod that was waiting or nominated counts as one with a node
	case 3:
		e.action, e.oldPod, e.pod = fwk.UpdatePodLabel, one, two
	case 4:
		e.resource, e.action, e.oldPod, e.pod = fwk.TargetPod, fwk.UpdatePodLabel, waiting.DeepCopy(), waiting
		if e.oldPod.Labels = two.Labels; maps.Equal(e.oldPod.Labels, waiting.Labels) {
			e.oldPod.Labels = map[string]string{"not": "the same"}
		}
	case 5:
		e.resource, e.action, e.oldPod, e.pod = fwk.TargetPod, fwk.UpdatePodToleration, waiting.DeepCopy(), waiting
		e.oldPod.Spec.Tolerations = nil
	case 6:
		e.resource, e.action, e.node = fwk.Node, fwk.Add, someNode(t, "e")
	case 7:
		e.resource, e.action, e.oldNode = fwk.Node, fwk.Delete, someNode(t, "e")
	default:
		e.resource, e.action, e.oldNode, e.node = fwk.Node, fwk.UpdateNodeLabel, someNode(t, "e"), someNode(t, "e")
		if t.OneIn(3) {
			e.action, e.node.Labels = fwk.UpdateNodeTaint, e.oldNode.Labels
		}
	}
	return e
}

// compareHints compares hints for random events. Ours may differ only by requeueing the pod, and then an intended difference
// must cover it.
func (c *cluster) compareHints(t *difftest.Source, sides []side, pod *v1.Pod, recognized []difference, n *compared) {
	events := agreeOn(t, sides, "EventsToRegister", func(_ int, s side) []fwk.ClusterEvent {
		var list []fwk.ClusterEvent
		for _, r := range s.registered() {
			list = append(list, r.Event)
		}
		return list
	})
	for range 6 {
		e := c.someEvent(t, pod)
		i := slices.IndexFunc(events, func(r fwk.ClusterEvent) bool { return r.Resource == e.resource && r.ActionType&e.action != 0 })
		if i < 0 {
			continue
		}
		n.hints++
		want := hint(sides[0], i, pod, e)
		for _, s := range sides[1:] {
			got := hint(s, i, pod, e)
			if got == want {
				continue
			}
			covered := slices.ContainsFunc(recognized, func(covers difference) bool { return covers(c.labelsOf, pod, e) })
			if want == fwk.Queue || !covered {
				before, after := e.objects()
				t.Fatalf("hint for %s/%v: kube-scheduler %v, %s %v, and no intended difference covers it\nthe pending pod:\n%s\nbefore:\n%s\nafter:\n%s",
					e.resource, e.action, want, s.name, got, difftest.JSON(pod), difftest.JSON(before), difftest.JSON(after))
			}
			n.requeuedHere++
		}
	}
}

// registered returns the events that a side's plugin is registered for, sorted by their resources. An engine registers Orrery's plugins for
// kinds of pods.
func (s side) registered() []fwk.ClusterEventWithHint {
	var extensions fwk.EnqueueExtensions = s.plugin
	if s.name != kubeScheduler {
		extensions = plugins.SplitPodEvents(extensions)
	}
	all, err := extensions.EventsToRegister(context.Background())
	if err != nil {
		panic(err)
	}
	slices.SortStableFunc(all, func(a, b fwk.ClusterEventWithHint) int { return cmp.Compare(a.Event.Resource, b.Event.Resource) })
	return all
}

// hint ignores errors: with an error every hint is Queue.
func hint(s side, i int, pod *v1.Pod, e event) fwk.QueueingHint {
	oldObj, newObj := e.objects()
	answer, _ := s.registered()[i].QueueingHintFn(klog.Background(), pod, oldObj, newObj)
	return answer
}

func (c *cluster) labelsOf(namespace string) labels.Set {
	if ns, err := c.objects.Core().V1().Namespaces().Lister().Get(namespace); err == nil {
		return ns.Labels
	}
	return nil
}

// difference recognizes an event that requeues a pod here and not in kube-scheduler.
type difference func(labelsOf func(namespace string) labels.Set, waiting *v1.Pod, e event) bool

// spreadDifferences has those of comparisons.Spread that are of hints.
var spreadDifferences = []difference{
	func(_ func(string) labels.Set, waiting *v1.Pod, e event) bool {
		if e.oldNode == nil || e.node == nil {
			return false
		}
		required, own := nodeaffinity.GetRequiredNodeAffinity(waiting), waiting.Spec.TopologySpreadConstraints
		was, _ := required.Match(e.oldNode)
		is, _ := required.Match(e.node)
		return was != is && (len(own) == 0 || slices.ContainsFunc(own, func(c v1.TopologySpreadConstraint) bool {
			return c.WhenUnsatisfiable == v1.DoNotSchedule && ptr.Deref(c.NodeAffinityPolicy, v1.NodeInclusionPolicyHonor) == v1.NodeInclusionPolicyHonor
		}))
	},
}

// affinityDifferences has the differences of comparisons.Affinity, in the same order.
var affinityDifferences = []difference{
	func(labelsOf func(string) labels.Set, waiting *v1.Pod, e event) bool {
		return e.action == fwk.Delete && e.oldPod != nil && slices.ContainsFunc(antiTerms(e.oldPod), func(term fwk.AffinityTerm) bool {
			return term.Matches(waiting, labelsOf(waiting.Namespace)) && !term.Matches(waiting, nil)
		})
	},
	func(_ func(string) labels.Set, waiting *v1.Pod, e event) bool {
		return e.node != nil && (e.oldNode == nil || !maps.Equal(e.oldNode.Labels, e.node.Labels)) &&
			!slices.ContainsFunc(affinityTerms(waiting), func(term fwk.AffinityTerm) bool {
				_, has := e.node.Labels[term.TopologyKey]
				return !has
			})
	},
	func(labelsOf func(string) labels.Set, waiting *v1.Pod, e event) bool {
		return e.pod != nil && all(affinityTerms(waiting), e.pod, labelsOf(e.pod.Namespace)) &&
			!all(affinityTerms(waiting), e.pod, nil)
	},
	func(labelsOf func(string) labels.Set, waiting *v1.Pod, e event) bool {
		return e.oldPod != nil && slices.ContainsFunc(antiTerms(waiting), func(term fwk.AffinityTerm) bool {
			namespace := labelsOf(e.oldPod.Namespace)
			was := term.Matches(e.oldPod, nil) || term.Matches(e.oldPod, namespace)
			is := e.pod != nil && (term.Matches(e.pod, nil) || term.Matches(e.pod, namespace))
			return was && !is
		})
	},
	func(labelsOf func(string) labels.Set, waiting *v1.Pod, e event) bool {
		terms := affinityTerms(waiting)
		return e.oldPod != nil && all(terms, e.oldPod, labelsOf(e.oldPod.Namespace)) &&
			all(terms, waiting, labelsOf(waiting.Namespace)) &&
			(e.pod == nil || !all(terms, e.pod, labelsOf(e.pod.Namespace)))
	},
}

func affinityTerms(pod *v1.Pod) []fwk.AffinityTerm {
	terms, _ := fwk.GetAffinityTerms(pod, fwk.GetPodAffinityTerms(pod.Spec.Affinity))
	return terms
}

func antiTerms(pod *v1.Pod) []fwk.AffinityTerm {
	terms, _ := fwk.GetAffinityTerms(pod, fwk.GetPodAntiAffinityTerms(pod.Spec.Affinity))
	return terms
}

// all reports whether the pod matches every term, with its namespace labelled like that or not at all.
func all(terms []fwk.AffinityTerm, pod *v1.Pod, namespace labels.Set) bool {
	return len(terms) > 0 && !slices.ContainsFunc(terms, func(term fwk.AffinityTerm) bool {
		return !term.Matches(pod, nil) && !term.Matches(pod, namespace)
	})
}

func TestDifferences_AreDeclared(t *testing.T) {
	for of, recognized := range map[*comparisons.Comparison]int{
		comparisons.Spread: len(spreadDifferences) + 1, comparisons.Affinity: len(affinityDifferences), // the one is no hint's
	} {
		if declared := len(of.Differences); declared != recognized {
			t.Errorf("%s: %d differences are declared and %d recognized", of.Name, declared, recognized)
		}
	}
}
