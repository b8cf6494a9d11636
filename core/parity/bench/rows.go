package main

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/testing/mk/kinds"
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
	// extender says that an extender is asked about every pod.
	extender bool
	// storage returns the claim of a name, and its volume if there is one. Only pods with claims need it.
	storage func(claim string) []world.Object
	// unschedulable reports whether the i-th pod fits no node; nil means every pod fits.
	unschedulable func(i int) bool
	// deleteEvery is after how many bindings one of the bound pods is deleted; 0 means never.
	deleteEvery int
	// changeNodeEvery is after how many bindings a node is added or changed; 0 means never.
	changeNodeEvery int
	// pods is how many pods a run schedules; 0 means the usual number.
	pods int
	// slow marks a row in which kube-scheduler needs most of a second for a pod where all of 5,000 nodes are scored.
	slow bool
}

var rows = append([]row{
	{name: "one template", pod: kinds.Plain},
	{name: "all different", pod: kinds.Different},
	{name: "hard spread", pod: kinds.HardSpread, bound: withSomeOf(kinds.HardSpread)},
	{
		name: "default spread",
		pod:  func(i int) *mk.PodBuilder { return kinds.Plain(i).Label("app", "web") },
		objects: []world.Object{&v1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default", UID: "service/web"},
			Spec:       v1.ServiceSpec{Selector: map[string]string{"app": "web"}},
		}},
	},
	{name: "anti-affinity", pod: kinds.AntiAffinity, bound: withSomeOf(kinds.AntiAffinity)},
	{name: "required affinity", pod: kinds.RequiredAffinity, bound: withSomeOf(kinds.RequiredAffinity)},
	{name: "preferred affinity", pod: kinds.PreferredAffinity, bound: withSomeOf(kinds.PreferredAffinity)},
	{
		name: "preemption", pods: 100,
		pod:   func(i int) *mk.PodBuilder { return kinds.Plain(i).CPU("16").Priority(100) },
		bound: filled,
	},
	{
		name: "unschedulable churn", deleteEvery: 20,
		pod: func(i int) *mk.PodBuilder {
			if unfit(i) {
				return kinds.Plain(i).CPU("62")
			}
			return kinds.Plain(i)
		},
		unschedulable: unfit,
	},
	{name: "churn of nodes and pods", pod: kinds.Plain, deleteEvery: 5, changeNodeEvery: 10},
}, slices.Concat(storageRows, deviceRows, extenderRows)...)

func unfit(i int) bool { return i%10 == 4 }

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
