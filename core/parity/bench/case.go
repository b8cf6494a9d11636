package main

import (
	"fmt"
	"strconv"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/plugins/podvolumes"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// testCase is a row on a number of nodes with a percentageOfNodesToScore.
type testCase struct {
	row
	nodes      int
	percentage int32 // 0 is adaptive
}

// cases lists every row with every number of nodes and percentage that it is measured with.
func cases() []testCase {
	var all []testCase
	for _, r := range rows {
		all = append(all, testCase{r, 100, 0}) // every node is scored, whatever the percentage
		for _, nodes := range []int{500, 5000} {
			for _, percentage := range []int32{0, 100} {
				all = append(all, testCase{r, nodes, percentage})
			}
		}
	}
	return all
}

func (c testCase) name() string { return fmt.Sprintf("%s/%d/%s", c.row.name, c.nodes, c.share()) }

func (c testCase) share() string {
	if c.percentage == 0 {
		return "adaptive"
	}
	return strconv.Itoa(int(c.percentage)) + "%"
}

// size returns how many pods one run schedules. On 100 nodes a fifth of them does: more would not fit where a node takes one pod of ten.
func (c testCase) size(requested int) int {
	if requested > 0 {
		return requested
	}
	n := c.sizeOnMany()
	if c.nodes <= 100 && n > 20 {
		return n / 5
	}
	return n
}

func (c testCase) sizeOnMany() int {
	switch {
	case c.slow && c.nodes >= 5000 && c.percentage == 100:
		return min(20, c.pods)
	case c.pods > 0:
		return c.pods
	case c.nodes >= 5000 && c.percentage == 100:
		return 300
	}
	return 1000
}

// cluster returns the objects that exist before the first pod is created, in the order in which they are added.
func (c testCase) cluster() []world.Object {
	all := []world.Object{&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default", UID: "namespace/default"}}}
	all = append(all, c.objects...)
	for i := range c.nodes {
		all = append(all, mk.Node(fmt.Sprintf("n%d", i)).Zone(zone(i)).Region("r").
			Label("node.kubernetes.io/instance-type", "large").CPU("64").Memory("256Gi").Obj())
	}
	bound := c.bound
	if bound == nil {
		bound = usual
	}
	for i := range c.nodes {
		name := fmt.Sprintf("n%d", i)
		if c.onNode != nil {
			all = append(all, c.onNode(name)...)
		}
		for _, pod := range bound(i) {
			all = append(all, c.withClaims(pod.Node(name).Phase(v1.PodRunning).Obj())...)
		}
	}
	for i, object := range all {
		object.SetResourceVersion(strconv.Itoa(i + 1))
	}
	return all
}

// zones is the number of zones that the nodes are in.
const zones = 3

func zone(i int) string { return fmt.Sprintf("z%d", i%zones) }

// withClaims returns a pod after its claims and their volumes.
func (c testCase) withClaims(pod *v1.Pod) []world.Object {
	var all []world.Object
	for name := range podvolumes.Claims(pod) {
		all = append(all, c.storage(name)...)
	}
	for _, name := range claimsOf(pod) {
		all = append(all, c.deviceClaim(pod, name))
	}
	return append(all, pod)
}

// batch is a part of a run's pods, and how many of them are schedulable.
type batch struct {
	pods      []*v1.Pod
	objects   []world.Object // the pods, each after its claims and volumes
	placeable int
}

// batches returns the pods of the warm-up and of the measured part.
func (c testCase) batches(size int) (warmUp, measured batch) {
	warm := max(1, size/10)
	for i := range warm + size {
		b := &warmUp
		if i >= warm {
			b = &measured
		}
		pod := c.pod(i).Obj()
		objects := c.withClaims(pod)
		for _, object := range objects {
			object.SetResourceVersion(strconv.Itoa(1_000_000 + i))
		}
		b.pods = append(b.pods, pod)
		b.objects = append(b.objects, objects...)
		if c.unschedulable == nil || !c.unschedulable(i) {
			b.placeable++
		}
	}
	return warmUp, measured
}
