package topology

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"
)

// event is a cluster event as hints are told of it.
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

func (c *cluster) someEvent(t *rapid.T, waiting *v1.Pod) event {
	e := event{resource: fwk.Pod}
	one, two := somePod(t, "e"), somePod(t, "e")
	two.Namespace, two.UID, two.Spec.Affinity = one.Namespace, one.UID, one.Spec.Affinity
	if !oneIn(t, 4, "pod of the event has no node") {
		one.Spec.NodeName, two.Spec.NodeName = "n1", "n1"
	}
	switch rapid.IntRange(0, 8).Draw(t, "event") {
	case 0:
		e.action, e.pod = fwk.Add, one
	case 1, 2:
		e.action, e.oldPod = fwk.Delete, one
	case 3:
		e.action, e.oldPod, e.pod = fwk.UpdatePodLabel, one, two
	case 4:
		e.action, e.oldPod, e.pod = fwk.UpdatePodLabel, waiting.DeepCopy(), waiting
		e.oldPod.Labels = two.Labels
	case 5:
		e.action, e.oldPod, e.pod = fwk.UpdatePodToleration, waiting.DeepCopy(), waiting
		e.oldPod.Spec.Tolerations = nil
	case 6:
		e.resource, e.action, e.node = fwk.Node, fwk.Add, someNode(t, "e")
	case 7:
		e.resource, e.action, e.oldNode = fwk.Node, fwk.Delete, someNode(t, "e")
	default:
		e.resource, e.action, e.oldNode, e.node = fwk.Node, fwk.UpdateNodeLabel, someNode(t, "e"), someNode(t, "e")
		if oneIn(t, 3, "only taints change") {
			e.action, e.node.Labels = fwk.UpdateNodeTaint, e.oldNode.Labels
		}
	}
	return e
}

// compareHints asks all sides about random events. An answer of ours may only differ by waking the pod, and then a
// difference must cover it.
func (c *cluster) compareHints(t *rapid.T, sides []side, pod *v1.Pod, differences []Difference, n *tally) {
	events := agreeOn(t, sides, "EventsToRegister", func(_ int, s side) []fwk.ClusterEvent {
		registered, err := s.plugin.EventsToRegister(context.Background())
		c.must(err)
		var list []fwk.ClusterEvent
		for _, r := range registered {
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
		want := ask(sides[0], i, pod, e)
		for _, s := range sides[1:] {
			got := ask(s, i, pod, e)
			if got == want {
				continue
			}
			covered := slices.ContainsFunc(differences, func(d Difference) bool { return d.Covers(c.labelsOf, pod, e) })
			if want == fwk.Queue || !covered {
				t.Fatalf("hint about %s/%v: kube-scheduler says %v, %s says %v, and no difference covers it\nevent:\n%s",
					e.resource, e.action, want, s.name, got, cmp.Diff(event{}, e, cmp.AllowUnexported(event{})))
			}
			n.wokenHere++
		}
	}
}

// ask leaves errors out: with one, every answer is Queue.
func ask(s side, i int, pod *v1.Pod, e event) fwk.QueueingHint {
	registered, _ := s.plugin.EventsToRegister(context.Background())
	oldObj, newObj := e.objects()
	answer, _ := registered[i].QueueingHintFn(klog.Background(), pod, oldObj, newObj)
	return answer
}

func (c *cluster) labelsOf(namespace string) labels.Set {
	if ns, err := c.objects.Core().V1().Namespaces().Lister().Get(namespace); err == nil {
		return ns.Labels
	}
	return nil
}

// Difference is an event that wakes a pod here and not in kube-scheduler.
type Difference struct {
	Why    string
	Covers func(labelsOf func(namespace string) labels.Set, waiting *v1.Pod, e event) bool
}

// Differences are all there may be. They concern the hints of InterPodAffinity; nothing else differs.
var Differences = []Difference{
	{
		Why: "a pod was deleted whose own required anti-affinity kept the waiting pod out",
		Covers: func(labelsOf func(string) labels.Set, waiting *v1.Pod, e event) bool {
			return e.action == fwk.Delete && e.oldPod != nil &&
				slices.ContainsFunc(antiTerms(e.oldPod), matching(waiting, labelsOf(waiting.Namespace)))
		},
	},
	{
		Why: "a node joined, or changed labels, that the pod's own affinity allows: another pod's anti-affinity may not reach it",
		Covers: func(_ func(string) labels.Set, waiting *v1.Pod, e event) bool {
			return e.node != nil && (e.oldNode == nil || !maps.Equal(e.oldNode.Labels, e.node.Labels)) &&
				!slices.ContainsFunc(affinityTerms(waiting), func(term fwk.AffinityTerm) bool {
					_, has := e.node.Labels[term.TopologyKey]
					return !has
				})
		},
	},
	{
		Why: "a pod in a namespace selected by its labels began to match the waiting pod's affinity",
		Covers: func(labelsOf func(string) labels.Set, waiting *v1.Pod, e event) bool {
			return e.pod != nil && all(affinityTerms(waiting), e.pod, labelsOf(e.pod.Namespace)) &&
				!all(affinityTerms(waiting), e.pod, nil)
		},
	},
	{
		Why: "a pod ceased to match one of the waiting pod's anti-affinity terms, but not all, or by its namespace's labels",
		Covers: func(labelsOf func(string) labels.Set, waiting *v1.Pod, e event) bool {
			return e.oldPod != nil && slices.ContainsFunc(antiTerms(waiting), func(term fwk.AffinityTerm) bool {
				namespace := labelsOf(e.oldPod.Namespace)
				was := term.Matches(e.oldPod, nil) || term.Matches(e.oldPod, namespace)
				is := e.pod != nil && (term.Matches(e.pod, nil) || term.Matches(e.pod, namespace))
				return was && !is
			})
		},
	},
	{
		Why: "a match of the waiting pod's affinity is gone; if it was the last, the pod may be the first anywhere",
		Covers: func(labelsOf func(string) labels.Set, waiting *v1.Pod, e event) bool {
			terms := affinityTerms(waiting)
			return e.oldPod != nil && all(terms, e.oldPod, labelsOf(e.oldPod.Namespace)) &&
				all(terms, waiting, labelsOf(waiting.Namespace)) &&
				(e.pod == nil || !all(terms, e.pod, labelsOf(e.pod.Namespace)))
		},
	},
	{
		Why: "the waiting pod's own labels changed",
		Covers: func(_ func(string) labels.Set, waiting *v1.Pod, e event) bool {
			return e.pod != nil && e.pod.UID == waiting.UID && !maps.Equal(e.oldPod.Labels, e.pod.Labels)
		},
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

func matching(pod *v1.Pod, namespace labels.Set) func(fwk.AffinityTerm) bool {
	return func(term fwk.AffinityTerm) bool { return term.Matches(pod, namespace) }
}

// all reports whether the pod matches every term, with its namespace labelled like that or not at all.
func all(terms []fwk.AffinityTerm, pod *v1.Pod, namespace labels.Set) bool {
	return len(terms) > 0 && !slices.ContainsFunc(terms, func(term fwk.AffinityTerm) bool {
		return !term.Matches(pod, nil) && !term.Matches(pod, namespace)
	})
}

func TestDifferencesAreExplained(t *testing.T) {
	for _, d := range Differences {
		t.Log(d.Why)
	}
}
