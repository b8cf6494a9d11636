package plugintest

import (
	"context"
	"strings"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// Explain filters the nodes and returns what the plugin says of the pod or of those nodes that it rejects, a line for each cause: its code, the nodes, and
// its other parts as far as it has them.
func Explain(plugin fwk.Plugin, pod *v1.Pod, nodes ...fwk.NodeInfo) string {
	ctx, state := context.Background(), framework.NewCycleState()
	rejected := framework.Rejection{All: nodes}
	if pre, ok := plugin.(fwk.PreFilterPlugin); ok {
		_, status := pre.PreFilter(ctx, state, pod, nodes)
		if status.IsSkip() {
			return ""
		}
		if !status.IsSuccess() {
			rejected.Reasons = status.Reasons()
		}
	}
	for _, node := range nodes {
		if len(rejected.Reasons) > 0 {
			break
		}
		if status := plugin.(fwk.FilterPlugin).Filter(ctx, state, pod, node); !status.IsSuccess() {
			rejected.Nodes = append(rejected.Nodes, framework.RejectedNode{NodeInfo: node, Reasons: status.Reasons(), Failed: status.Code() == fwk.Error})
		}
	}
	var lines []string
	for _, e := range plugin.(framework.Explainer).Explain(ctx, state, pod, rejected) {
		lines = append(lines, EvidenceText(&e))
	}
	return strings.Join(lines, "\n")
}

// Explain is [Explain] for the fixture's nodes.
func (s *Fixture) Explain(t TB, pod *v1.Pod) string {
	t.Helper()
	return Explain(s.plugin, pod, s.list(t)...)
}

// EvidenceText is evidence in one line.
func EvidenceText(e *framework.Evidence) string {
	line := e.Code
	if len(e.Nodes) > 0 {
		line += " on " + strings.Join(e.Nodes, " ") + ": " + e.Predicate
	}
	for _, part := range []struct{ name, text string }{
		{"sentence", e.Sentence}, {"wants", e.Wants}, {"meant", strings.Join(e.Meant, ", ")}, {"hint", e.Hint}, {"try", strings.Join(e.Changes, ", ")},
	} {
		if part.text != "" {
			line += " | " + part.name + ": " + part.text
		}
	}
	return line
}
