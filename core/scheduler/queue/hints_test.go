package queue_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/queue"
	"orrery/core/testing/mk"
)

// awaited returns the events that requeue a pod that one plugin rejected.
func awaited(t *testing.T, plugins []fwk.EnqueueExtensions, rejector string) []string {
	t.Helper()
	hints, err := queue.NewHints(plugins...)
	if err != nil {
		t.Fatal(err)
	}
	opts := queue.DefaultOptions()
	opts.Profiles = map[string]queue.Profile{v1.DefaultSchedulerName: {Hints: hints}}
	q := queue.New(opts)
	now := clock("12:00:00")
	q.Add(mk.Pod("web").Obj(), now)
	p, _ := q.Pop(now)
	reject(t, q, p, now, rejector)
	var labels []string
	for _, e := range q.RequeuesOn(p) {
		labels = append(labels, e.Label())
	}
	return labels
}

func TestNewHints_RegisteredEvents(t *testing.T) {
	on := func(events ...fwk.ClusterEvent) testPlugin {
		p := testPlugin{name: "P"}
		for _, e := range events {
			p.events = append(p.events, fwk.ClusterEventWithHint{Event: e})
		}
		return p
	}
	node := func(a fwk.ActionType) fwk.ClusterEvent { return fwk.ClusterEvent{Resource: fwk.Node, ActionType: a} }
	all := []string{
		"PodAll", "NodeAll", "PersistentVolumeAll", "PersistentVolumeClaimAll", "storage.k8s.io/CSINodeAll",
		"storage.k8s.io/CSIDriverAll", "storage.k8s.io/CSIStorageCapacityAll", "storage.k8s.io/StorageClassAll",
		"resource.k8s.io/ResourceClaimAll", "resource.k8s.io/DeviceClassAll",
	}
	for _, row := range []struct {
		name   string
		plugin fwk.EnqueueExtensions
		want   []string
	}{
		{"nothing", on(), nil},
		{"new nodes bring taints with them", on(node(fwk.Add)), []string{"NodeAdd", "NodeUpdateNodeTaint"}},
		{"unless taints are registered", on(node(fwk.Add), node(fwk.UpdateNodeTaint)), []string{"NodeAdd", "NodeUpdateNodeTaint"}},
		{"or are among the actions", on(node(fwk.All)), []string{"NodeAll"}},
		{"or new nodes are not", on(node(fwk.Delete)), []string{"NodeDelete"}},
		{"everything", queue.AllEvents("P", false), all},
		{"everything, with workloads", queue.AllEvents("P", true), append(all[:len(all):len(all)], "scheduling.k8s.io/WorkloadAll")},
	} {
		if diff := cmp.Diff(row.want, awaited(t, []fwk.EnqueueExtensions{row.plugin}, "P")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}

// filterer does not say which events it wants.
type filterer string

func (f filterer) Name() string { return string(f) }

func (filterer) Filter(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) *fwk.Status {
	return nil
}

// Shows QUEUE-26.
func TestEnqueueExtensions_PluginWithoutEventsGetsAll(t *testing.T) {
	exts := queue.EnqueueExtensions([]fwk.Plugin{filterer("Filters"), testPlugin{name: "Gates"}}, false)
	var names []string
	for _, ext := range exts {
		names = append(names, ext.Name())
	}
	if diff := cmp.Diff([]string{"Filters", "Gates"}, names); diff != "" {
		t.Errorf("plugins (-want +got):\n%s", diff)
	}
	if got := awaited(t, exts, "Filters"); len(got) != 10 {
		t.Errorf("a plugin that does not say what it wants hears of %v", got)
	}
	if got := awaited(t, exts, "Gates"); len(got) != 0 {
		t.Errorf("a plugin that wants nothing hears of %v", got)
	}
}

func TestWatchedEvents_UnionOfProfiles(t *testing.T) {
	one, err := queue.NewHints(testPlugin{name: "A", events: []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}},
		{Event: fwk.ClusterEvent{Resource: fwk.PersistentVolume, ActionType: fwk.Add}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	other, err := queue.NewHints(testPlugin{name: "B", events: []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.PersistentVolume, ActionType: fwk.Delete}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []fwk.ClusterEvent{
		{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeTaint},
		{Resource: fwk.PersistentVolume, ActionType: fwk.Add | fwk.Delete},
	}
	if diff := cmp.Diff(want, queue.WatchedEvents(one, other)); diff != "" {
		t.Errorf("to be watched (-want +got):\n%s", diff)
	}
}

type brokenPlugin struct{ filterer }

func (brokenPlugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return nil, errors.New("no lister")
}

func TestNewHints_PluginError(t *testing.T) {
	_, err := queue.NewHints(brokenPlugin{"First"}, testPlugin{name: "P"}, brokenPlugin{"Second"})
	if err == nil || !strings.Contains(err.Error(), "First") || !strings.Contains(err.Error(), "Second") {
		t.Errorf("got %v, want an error that names both", err)
	}
}
