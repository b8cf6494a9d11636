// Package plugintest asks plugins questions and puts the answers in words that a table can hold. Tests use it.
package plugintest

import (
	"context"
	"encoding/json"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
)

// Said puts a status in words: "Success", or its code, and the reasons after a colon.
func Said(status *fwk.Status) string {
	if message := status.Message(); message != "" {
		return status.Code().String() + ": " + message
	}
	return status.Code().String()
}

// Filter asks a plugin about one node as a scheduling cycle does: PreFilter first, if it has one, then Filter unless
// that said Skip. It returns PreFilter's words if they are the last.
func Filter(plugin fwk.Plugin, pod *v1.Pod, node fwk.NodeInfo) string {
	state := framework.NewCycleState()
	if pre, ok := plugin.(fwk.PreFilterPlugin); ok {
		if _, status := pre.PreFilter(context.Background(), state, pod, []fwk.NodeInfo{node}); !status.IsSuccess() {
			return Said(status)
		}
	}
	return Said(plugin.(fwk.FilterPlugin).Filter(context.Background(), state, pod, node))
}

// Scores asks a plugin to score nodes: PreFilter and PreScore first, where it has them. It returns the raw scores and the
// normalised ones; both are nil if PreScore said Skip.
func Scores(t testing.TB, plugin fwk.Plugin, pod *v1.Pod, nodes ...fwk.NodeInfo) (raw, normalised []int64) {
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
			t.Fatalf("PreScore said %s", Said(status))
		}
	}
	scorer := plugin.(fwk.ScorePlugin)
	list := make(fwk.NodeScoreList, len(nodes))
	for i, node := range nodes {
		score, status := scorer.Score(ctx, state, pod, node)
		if !status.IsSuccess() {
			t.Fatalf("Score of node %s said %s", node.Node().Name, Said(status))
		}
		raw = append(raw, score)
		list[i] = fwk.NodeScore{Name: node.Node().Name, Score: score}
	}
	if extensions := scorer.ScoreExtensions(); extensions != nil {
		if status := extensions.NormalizeScore(ctx, state, pod, list); !status.IsSuccess() {
			t.Fatalf("NormalizeScore said %s", Said(status))
		}
	}
	for _, score := range list {
		normalised = append(normalised, score.Score)
	}
	return raw, normalised
}

// Events are those that a plugin asks to be told of.
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

// Hint asks what a plugin says of an event to a pod it has turned down: "Queue", "QueueSkip", either with an error
// after a colon, or "not registered" if the plugin has not asked to be told of such events.
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
