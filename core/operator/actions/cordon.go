package actions

import (
	"context"
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/change"
)

// Cordon marks a node unschedulable.
type Cordon struct{ Node string }

// ToggleCordon cordons a node, or uncordons it if it is cordoned.
func ToggleCordon(node *v1.Node) Action {
	if node.Spec.Unschedulable {
		return Uncordon{node.Name}
	}
	return Cordon{node.Name}
}

func (Cordon) Verb() string               { return "cordon" }
func (a Cordon) String() string           { return "cordon node " + a.Node }
func (a Cordon) DoneText() string         { return "cordoned node " + a.Node }
func (a Cordon) Command() string          { return "kubectl cordon " + a.Node }
func (Cordon) UndoText() string           { return "c uncordons it." }
func (Cordon) Notes() []string            { return nil }
func (a Cordon) Changes() []change.Change { return oneChange(change.Cordon, a.Node) }

func (a Cordon) do(ctx context.Context, h *Executor) error {
	return h.setUnschedulable(ctx, a.Node, true)
}

// Uncordon makes a node schedulable again.
type Uncordon struct{ Node string }

func (Uncordon) Verb() string               { return "uncordon" }
func (a Uncordon) String() string           { return "uncordon node " + a.Node }
func (a Uncordon) DoneText() string         { return "uncordoned node " + a.Node }
func (a Uncordon) Command() string          { return "kubectl uncordon " + a.Node }
func (Uncordon) UndoText() string           { return "c cordons it; pods that were scheduled meanwhile stay." }
func (Uncordon) Notes() []string            { return nil }
func (a Uncordon) Changes() []change.Change { return oneChange(change.Uncordon, a.Node) }

func (a Uncordon) do(ctx context.Context, h *Executor) error {
	return h.setUnschedulable(ctx, a.Node, false)
}

func (h *Executor) setUnschedulable(ctx context.Context, node string, on bool) error {
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"unschedulable": on}})
	if err != nil {
		return err
	}
	_, err = h.Client.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return ExplainForbidden(err, Rule{Resource: "nodes", Verb: "patch"})
}
