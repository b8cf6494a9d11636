package figures

import (
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/answer"
	"orrery/core/safe/printable"
)

// maxLabel bounds the value of a label, in characters.
//
//orrery:limit text; a name in a label of orrery_pod_* or orrery_owner_*, in characters; cut off
const maxLabel = 120

// class is what pods are told apart by where their time is measured.
type class struct{ namespace, priority, ownerKind string }

var otherClass = class{other, other, other}

// owner is what brings pods about. A pod without a controller is nobody's: its own name would be a series for each such pod.
type owner struct{ namespace, kind, name string }

var otherOwner = owner{other, other, other}

// workloadOf returns what a pod counts for. All texts are printable.
func workloadOf(pod *v1.Pod) (class, owner) {
	kind, name, _ := strings.Cut(answer.OwnerOf(pod), "/")
	if kind == "pod" {
		name = ""
	}
	o := owner{printable.Line(pod.Namespace, maxLabel), printable.Line(kind, maxLabel), printable.Line(name, maxLabel)}
	return class{o.namespace, priorityOf(pod), o.kind}, o
}

// priorityOf is the name of a pod's priority class, or else the number.
func priorityOf(pod *v1.Pod) string {
	switch {
	case pod.Spec.PriorityClassName != "":
		return printable.Line(pod.Spec.PriorityClassName, maxLabel)
	case pod.Spec.Priority != nil:
		return strconv.Itoa(int(*pod.Spec.Priority))
	}
	return "0"
}
