package main

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/mk"
	"orrery/core/world"
)

// row is a kind of pod to schedule, and its cluster.
type row struct {
	name string
	// pod returns the i-th pod of a run.
	pod func(i int) *mk.PodBuilder
	// bound returns the pods on the i-th node at the start; nil means two of the usual kind.
	bound func(node int) []*mk.PodBuilder
	// objects are the cluster's objects other than nodes and pods.
	objects []world.Object
	// onNode returns what comes with a node; nil means nothing.
	onNode func(node string) []world.Object
	// claim adds the requests of a pod's claim for devices. Only pods with such claims need it.
	claim func(*mk.ResourceClaimBuilder)
	// gates are the feature gates, off by default, that the row needs.
	gates []string
	// gang is how many pods are bound together; 0 means that each is bound by itself.
	gang int
	// extender says that an extender is asked about every pod.
	extender bool
	// storage returns the claim of a name, and its volume if there is one. Only pods with claims need it.
	storage func(claim string) []world.Object
	// unschedulable reports whether the i-th pod fits no node; nil means every pod fits.
	unschedulable func(i int) bool
	// deleteEvery is after how many bindings one of the bound pods is deleted; 0 means never.
	deleteEvery int
	// pods is how many pods a run schedules; 0 means the usual number.
	pods int
	// slow marks a row in which kube-scheduler needs most of a second for a pod where all of 5,000 nodes are scored.
	slow bool
}

// groups is the number of applications that the pods of a row belong to, if it matters.
const groups = 10

var rows = append([]row{
	{name: "one template", pod: plain},
	{name: "all different", pod: func(i int) *mk.PodBuilder {
		return mk.Pod(fmt.Sprintf("p%d", i)).Label("app", fmt.Sprintf("app%d", i)).
			CPU(fmt.Sprintf("%dm", 100+i%997)).Memory(fmt.Sprintf("%dMi", 100+i%499))
	}},
	{name: "hard spread", pod: hardSpread, bound: withSomeOf(hardSpread)},
	{
		name: "default spread",
		pod:  func(i int) *mk.PodBuilder { return plain(i).Label("app", "web") },
		objects: []world.Object{&v1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default", UID: "service/web"},
			Spec:       v1.ServiceSpec{Selector: map[string]string{"app": "web"}},
		}},
	},
	{name: "anti-affinity", pod: antiAffinity, bound: withSomeOf(antiAffinity)},
	{name: "required affinity", pod: requiredAffinity, bound: withSomeOf(requiredAffinity)},
	{name: "preferred affinity", pod: preferredAffinity, bound: withSomeOf(preferredAffinity)},
	{
		name: "preemption", pods: 100,
		pod:   func(i int) *mk.PodBuilder { return plain(i).CPU("16").Priority(100) },
		bound: filled,
	},
	{
		name: "unschedulable churn", deleteEvery: 20,
		pod: func(i int) *mk.PodBuilder {
			if unfit(i) {
				return plain(i).CPU("62")
			}
			return plain(i)
		},
		unschedulable: unfit,
	},
}, slices.Concat(storageRows, deviceRows, gangRows, extenderRows)...)

func unfit(i int) bool { return i%10 == 4 }

func plain(i int) *mk.PodBuilder {
	return mk.Pod(fmt.Sprintf("p%d", i)).Label("app", "main").CPU("100m").Memory("100Mi")
}

// usual returns the pods on a node before the run.
func usual(node int) []*mk.PodBuilder {
	var pods []*mk.PodBuilder
	for i := range 2 {
		pods = append(pods, mk.Pod(fmt.Sprintf("old%d-%d", node, i)).Label("app", "old").CPU("4").Memory("8Gi"))
	}
	return pods
}

// filled returns four pods of low priority that fill a node.
func filled(node int) []*mk.PodBuilder {
	var full []*mk.PodBuilder
	for i := range 4 {
		full = append(full, mk.Pod(fmt.Sprintf("low%d-%d", node, i)).CPU("16").Memory("1Gi").Priority(int32(i)))
	}
	return full
}

// withSomeOf adds one of the row's own pods to the usual ones of every fifth node.
func withSomeOf(pod func(int) *mk.PodBuilder) func(int) []*mk.PodBuilder {
	return func(node int) []*mk.PodBuilder {
		pods := usual(node)
		if node%5 == 0 {
			own := pod(node / 5)
			own.Obj().Name = fmt.Sprintf("own%d", node)
			pods = append(pods, own.Namespace("default"))
		}
		return pods
	}
}

func group(i int) (name string, selector *metav1.LabelSelector) {
	name = fmt.Sprintf("group%d", i%groups)
	return name, &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
}

func hardSpread(i int) *mk.PodBuilder {
	app, selector := group(i)
	b := plain(i).Label("app", app)
	for _, key := range []string{v1.LabelTopologyZone, v1.LabelHostname} {
		b.Obj().Spec.TopologySpreadConstraints = append(b.Obj().Spec.TopologySpreadConstraints, v1.TopologySpreadConstraint{
			MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: selector,
		})
	}
	return b
}

func antiAffinity(i int) *mk.PodBuilder {
	app, selector := group(i)
	return plain(i).Label("app", app).Affinity(&v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{LabelSelector: selector, TopologyKey: v1.LabelHostname}},
	}})
}

func requiredAffinity(i int) *mk.PodBuilder {
	app, selector := group(i)
	return plain(i).Label("app", app).Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{LabelSelector: selector, TopologyKey: v1.LabelTopologyZone}},
	}})
}

func preferredAffinity(i int) *mk.PodBuilder {
	app, selector := group(i)
	return plain(i).Label("app", app).Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{
			Weight: 10, PodAffinityTerm: v1.PodAffinityTerm{LabelSelector: selector, TopologyKey: v1.LabelHostname},
		}},
	}})
}
