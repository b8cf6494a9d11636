package main

import (
	"fmt"
	"strconv"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/mk"
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

// size returns how many pods one run schedules.
func (c testCase) size(requested int) int {
	switch {
	case requested > 0:
		return requested
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
		all = append(all, mk.Node(fmt.Sprintf("n%d", i)).Zone(fmt.Sprintf("z%d", i%3)).Region("r").
			Label("node.kubernetes.io/instance-type", "large").CPU("64").Memory("256Gi").Obj())
	}
	bound := c.bound
	if bound == nil {
		bound = usual
	}
	for i := range c.nodes {
		for _, pod := range bound(i) {
			all = append(all, pod.Node(fmt.Sprintf("n%d", i)).Phase(v1.PodRunning).Obj())
		}
	}
	for i, object := range all {
		object.SetResourceVersion(strconv.Itoa(i + 1))
	}
	return all
}

// batch is a part of a run's pods, and how many of them are schedulable.
type batch struct {
	pods      []*v1.Pod
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
		pod.ResourceVersion = strconv.Itoa(1_000_000 + i)
		b.pods = append(b.pods, pod)
		if c.unschedulable == nil || !c.unschedulable(i) {
			b.placeable++
		}
	}
	return warmUp, measured
}
