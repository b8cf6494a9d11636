// Package licenses is a Filter plugin of a third party that can say why it rejects a pod. Nodes have licenses of a program, by an
// annotation; each pod that names the program in a label takes one.
package licenses

import (
	"context"
	"fmt"
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

const (
	// Name of the plugin in configurations.
	Name = "Licenses"
	// Label names the program in a pod; Annotation is how many may run it on a node: none without it.
	Label      = "example.com/runs"
	Annotation = "example.com/licenses"
)

// noneLeft is the reason of its rejections.
const noneLeft = "node(s) had no license left"

// Licenses is the plugin.
type Licenses struct{}

var (
	_ fwk.FilterPlugin    = Licenses{}
	_ framework.Explainer = Licenses{}
)

// New makes the plugin; it takes no arguments.
func New(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return Licenses{}, nil }

// Name is the plugin's name.
func (Licenses) Name() string { return Name }

// Filter rejects a pod that needs a license where all are taken.
func (Licenses) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if program := pod.Labels[Label]; program != "" && len(usersOf(program, node)) >= licensesOf(node.Node()) {
		return fwk.NewStatus(fwk.Unschedulable, noneLeft)
	}
	return nil
}

func licensesOf(node *v1.Node) int {
	n, err := strconv.Atoi(node.Annotations[Annotation])
	if err != nil {
		return 0
	}
	return n
}

// usersOf are the pods of a node that run a program.
func usersOf(program string, node fwk.NodeInfo) []*v1.Pod {
	var users []*v1.Pod
	for _, other := range node.GetPods() {
		if pod := other.GetPod(); pod.Labels[Label] == program {
			users = append(users, pod)
		}
	}
	return users
}

// Explain names the pods that have the licenses and, where one of these is all that is in the way, its deletion as what to try.
func (Licenses) Explain(_ context.Context, _ fwk.CycleState, pod *v1.Pod, rejected framework.Rejection) []framework.Evidence {
	program := pod.Labels[Label]
	e := framework.Evidence{Code: "example.com/license-none", Message: noneLeft}
	for i := range rejected.Nodes {
		n := &rejected.Nodes[i]
		e.Nodes = append(e.Nodes, n.Name())
		users := usersOf(program, n)
		for _, user := range users {
			e.Objects = append(e.Objects, framework.Object{Kind: "Pod", Name: framework.PodName(user), Node: n.Name(), Note: "a license of " + program})
		}
		if len(n.Others) == 0 && len(users) > 0 {
			e.Changes = append(e.Changes, "delete pod "+framework.PodName(users[0]))
		}
		e.Facts = append(e.Facts, fmt.Sprintf("%s has %d licenses, and %d pods run %s", n.Name(), licensesOf(n.Node()), len(users), program))
	}
	e.Predicate = e.Verb("has", "have") + " no license of " + program + " left"
	return []framework.Evidence{e}
}
