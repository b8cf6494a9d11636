// Package plugintest runs single plugins for tests and words their results for tables.
package plugintest

import (
	"context"
	"encoding/json"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// StatusText is a status as text: "Success", or its code, and the reasons after a colon.
func StatusText(status *fwk.Status) string {
	if message := status.Message(); message != "" {
		return status.Code().String() + ": " + message
	}
	return status.Code().String()
}

// Filter runs a plugin on one node as a scheduling cycle does: PreFilter first, if it has one, then Filter unless skipped.
// It returns the text of the last status.
func Filter(plugin fwk.Plugin, pod *v1.Pod, node fwk.NodeInfo) string {
	state := framework.NewCycleState()
	if pre, ok := plugin.(fwk.PreFilterPlugin); ok {
		if _, status := pre.PreFilter(context.Background(), state, pod, []fwk.NodeInfo{node}); !status.IsSuccess() {
			return StatusText(status)
		}
	}
	return StatusText(plugin.(fwk.FilterPlugin).Filter(context.Background(), state, pod, node))
}

// Scores scores nodes: PreFilter and PreScore first, if the plugin has them. It returns the raw scores and the normalized
// ones; both are nil if PreScore returned Skip.
func Scores(t testing.TB, plugin fwk.Plugin, pod *v1.Pod, nodes ...fwk.NodeInfo) (raw, normalized []int64) {
	t.Helper()
	ctx, state := context.Background(), framework.NewCycleState()
	if pre, ok := plugin.(fwk.PreFilterPlugin); ok {
		pre.PreFilter(ctx, state, pod, nodes)
	}
	if pre, ok := plugin.(fwk.PreScorePlugin); ok {
		status := pre.PreScore(ctx, state, pod, nodes)
		if status.IsSkip() {
			return nil, nil
		}
		if !status.IsSuccess() {
			t.Fatalf("PreScore returned %s", StatusText(status))
		}
	}
	scorer := plugin.(fwk.ScorePlugin)
	list := make(fwk.NodeScoreList, len(nodes))
	for i, node := range nodes {
		score, status := scorer.Score(ctx, state, pod, node)
		if !status.IsSuccess() {
			t.Fatalf("Score of node %s returned %s", node.Node().Name, StatusText(status))
		}
		raw = append(raw, score)
		list[i] = fwk.NodeScore{Name: node.Node().Name, Score: score}
	}
	if extensions := scorer.ScoreExtensions(); extensions != nil {
		if status := extensions.NormalizeScore(ctx, state, pod, list); !status.IsSuccess() {
			t.Fatalf("NormalizeScore returned %s", StatusText(status))
		}
	}
	for _, score := range list {
		normalized = append(normalized, score.Score)
	}
	return raw, normalized
}

// Events are those that a plugin registers.
func Events(t testing.TB, plugin fwk.EnqueueExtensions) (all []fwk.ClusterEvent) {
	t.Helper()
	registered, err := plugin.EventsToRegister(context.Background())
	if err != nil {
		t.Fatalf("EventsToRegister: %v", err)
	}
	for _, r := range registered {
		all = append(all, r.Event)
	}
	return all
}

// Hint is a plugin's queueing hint for a rejected pod and an event: "Queue" or "QueueSkip", with an error after a colon if
// there is one, or "not registered" if the plugin does not register the event.
func Hint(t testing.TB, plugin fwk.EnqueueExtensions, resource fwk.EventResource, action fwk.ActionType, pod *v1.Pod, before, after any) string {
	t.Helper()
	events, err := plugin.EventsToRegister(context.Background())
	if err != nil {
		t.Fatalf("EventsToRegister: %v", err)
	}
	for _, e := range events {
		if e.Event.Resource != resource || e.Event.ActionType&action == 0 {
			continue
		}
		if e.QueueingHintFn == nil {
			return fwk.Queue.String()
		}
		hint, err := e.QueueingHintFn(klog.Logger{}, pod, before, after)
		if err != nil {
			return hint.String() + ": " + err.Error()
		}
		return hint.String()
	}
	return "not registered"
}

// Signature is what a plugin adds to a pod's signature, each fragment as JSON; nil if it does not sign the pod.
func Signature(t testing.TB, plugin fwk.SignPlugin, pod *v1.Pod) map[string]string {
	t.Helper()
	fragments, status := plugin.SignPod(context.Background(), pod)
	if !status.IsSuccess() {
		return nil
	}
	signature := map[string]string{}
	for _, fragment := range fragments {
		value, err := json.Marshal(fragment.Value)
		if err != nil {
			t.Fatalf("fragment %q cannot be marshalled: %v", fragment.Key, err)
		}
		signature[fragment.Key] = string(value)
	}
	return signature
}
