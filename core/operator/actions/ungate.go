package actions

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/change"
	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/core/world"
)

// Ungate removes scheduling gates from a pod, and keeps those that were added since.
type Ungate struct {
	Pod   world.PodRef
	Gates []string
}

// ProposeUngate removes all gates that a pod has now.
func ProposeUngate(pod *v1.Pod) (Action, error) {
	a := Ungate{Pod: world.PodRefOf(pod)}
	for _, gate := range pod.Spec.SchedulingGates {
		a.Gates = append(a.Gates, gate.Name)
	}
	if len(a.Gates) == 0 {
		return nil, fmt.Errorf("no scheduling gate holds pod %s", printable.Line(a.Pod.String(), 120))
	}
	return a, nil
}

func (Ungate) Verb() string { return "ungate" }

func (a Ungate) String() string {
	return "remove " + plural.Of(len(a.Gates), "scheduling gate") + " " + strings.Join(a.Gates, ", ") + " from pod " + a.Pod.String()
}

func (a Ungate) DoneText() string { return "removed the scheduling gates of pod " + a.Pod.String() }

// Command is the same action with kubectl, which removes all gates.
func (a Ungate) Command() string {
	return kubectlPod("patch", a.Pod) + ` --type merge -p '{"spec":{"schedulingGates":null}}'`
}

func (Ungate) UndoText() string           { return "none; the API does not let a gate be put back." }
func (Ungate) Notes() []string            { return nil }
func (a Ungate) Changes() []change.Change { return oneChange(change.Ungate, a.Pod.String()) }

func (a Ungate) do(ctx context.Context, h *Executor) error {
	type gate struct {
		Name  string `json:"name"`
		Patch string `json:"$patch"`
	}
	var gates []gate
	for _, name := range a.Gates {
		gates = append(gates, gate{name, "delete"})
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": a.Pod.UID}, "spec": map[string]any{"schedulingGates": gates}})
	if err != nil {
		return err
	}
	_, err = h.Client.CoreV1().Pods(a.Pod.Namespace).Patch(ctx, a.Pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return ExplainForbidden(err, Rule{Resource: "pods", Verb: "patch", Namespace: a.Pod.Namespace})
}
