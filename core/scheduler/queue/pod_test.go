package queue_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/queue"
	"orrery/core/testing/mk"
)

func TestPod_Getters(t *testing.T) {
	hints, err := queue.NewHints(testPlugin{name: "Shut", events: []fwk.ClusterEventWithHint{{Event: queue.EventNodeAdd}}})
	if err != nil {
		t.Fatal(err)
	}
	opts := queue.DefaultOptions()
	opts.Profiles = map[string]queue.Profile{v1.DefaultSchedulerName: {
		PreEnqueue: []fwk.PreEnqueuePlugin{testPlugin{name: "Shut"}}, Hints: hints,
	}}
	q := queue.New(opts)
	created, first, second := clock("12:00:00"), clock("12:00:10"), clock("12:01:00")

	shut, open := mk.Pod("web").Priority(7).Label("Shut", "").Obj(), mk.Pod("web").Priority(7).Obj()
	q.Add(shut, created)
	p, _ := q.Get("default", "web")
	if p.GetGatingPlugin() != "Shut" || len(p.GetGatingPluginEvents()) != 2 || p.GetInitialAttemptTimestamp() != nil {
		t.Errorf("gated by %q until %v, first tried at %v", p.GetGatingPlugin(), p.GetGatingPluginEvents(), p.GetInitialAttemptTimestamp())
	}
	q.Update(shut, open, first)
	q.Activate([]*v1.Pod{open}, first)
	p, _ = q.Pop(first)
	p.Reject(sets.New("A", "C"), sets.New("B"))
	if err := q.AddUnschedulableIfNotPresent(p, q.SchedulingCycle(), second); err != nil {
		t.Fatal(err)
	}
	q.Activate([]*v1.Pod{open}, second)
	if got := *p.GetInitialAttemptTimestamp(); !got.Equal(first) {
		t.Errorf("the first attempt was at %s, want the time at which the gate opened", got)
	}
	got := []any{
		p.State().String(), p.Event(), p.Since(), p.Priority(), p.Rejectors(), p.GetTimestamp(), p.GetAttempts(),
		p.GetUnschedulableCount(), p.GetConsecutiveErrorsCount(), p.GetBackoffExpiration(),
		sets.List(p.GetUnschedulablePlugins()), sets.List(p.GetPendingPlugins()), p.GetPodInfo().GetPod().Name,
	}
	want := []any{
		"active", queue.ForceActivate, second, int32(7),
		[]string{"A", "B", "C"},
		second, 1, 1, 0, second.Add(time.Second),
		[]string{"A", "C"},
		[]string{"B"},
		"web",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the pod (-want +got):\n%s", diff)
	}
}

func TestPod_RejectDoesNotChangeDiagnosis(t *testing.T) {
	opts := queue.DefaultOptions()
	opts.Profiles = map[string]queue.Profile{v1.DefaultSchedulerName: {PreEnqueue: []fwk.PreEnqueuePlugin{testPlugin{name: "Shut"}}}}
	q := queue.New(opts)
	now := clock("12:00:00")
	q.Add(mk.Pod("web").Obj(), now)
	p, _ := q.Pop(now)
	p.Update(mk.Pod("web").Label("Shut", "").Obj())
	diagnosis := sets.New("Fit")
	p.Reject(diagnosis, nil)
	q.Move(fwk.ClusterEvent{Resource: fwk.WildCard, ActionType: fwk.All}, nil, nil, now, nil)
	if err := q.AddUnschedulableIfNotPresent(p, q.SchedulingCycle(), now); err != nil {
		t.Fatal(err)
	}
	if p.State() != queue.Gated || !p.GetUnschedulablePlugins().Has("Shut") || diagnosis.Has("Shut") {
		t.Errorf("the pod is %s by %v; its diagnosis is now %v", p.State(), p.Rejectors(), diagnosis)
	}
}

func TestNominator_OnlyPendingPods(t *testing.T) {
	pods := map[string]*v1.Pod{
		"waits": mk.Pod("waits").Obj(), "bound": mk.Pod("bound").Node("n2").Obj(),
	}
	q := queue.New(queue.Options{LookupPod: func(_, name string) *v1.Pod { return pods[name] }})
	now := clock("12:00:00")
	for _, row := range []struct {
		name, to string
		mode     fwk.NominatingMode
		want     bool
	}{
		{"waits", "n1", fwk.ModeOverride, true},
		{"bound", "n1", fwk.ModeOverride, false},
		{"deleted", "n1", fwk.ModeOverride, false},
		{"waits", "", fwk.ModeOverride, false},
		{"waits", "n1", fwk.ModeNoop, false}, // its status names no node
	} {
		pod := mk.Pod(row.name).Obj()
		q.Add(pod, now)
		p, _ := q.Get("default", row.name)
		q.AddNominatedPod(klog.Logger{}, p.GetPodInfo(), &fwk.NominatingInfo{NominatedNodeName: row.to, NominatingMode: row.mode})
		if _, got := q.NominatedNode(pod); got != row.want {
			t.Errorf("pod %s to %q, mode %d: nominated %v", row.name, row.to, row.mode, got)
		}
	}
	pod := pods["waits"]
	p, _ := q.Get("default", "waits")
	q.AddNominatedPod(klog.Logger{}, p.GetPodInfo(), &fwk.NominatingInfo{NominatedNodeName: "n1", NominatingMode: fwk.ModeOverride})
	q.UpdateNominatedPod(klog.Logger{}, pod, p.GetPodInfo())
	if node, _ := q.NominatedNode(pod); node != "n1" {
		t.Errorf("after an update without a status it is nominated for %q", node)
	}
}

func TestStateOf_EachState(t *testing.T) {
	q := queue.New(queue.DefaultOptions())
	now := clock("12:00:00")
	pod := mk.Pod("web").Obj()
	states := func() [2]any { return [2]any{q.StateOf("default", "web"), q.Has(pod)} }
	got := [][2]any{states()}
	q.Add(pod, now)
	got = append(got, states())
	q.Pop(now)
	got = append(got, states())
	q.DoneWithReason(pod.UID, "bound")
	got = append(got, states())
	want := [][2]any{{queue.Gone, false}, {queue.Active, true}, {queue.InFlight, true}, {queue.Gone, false}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	if q.Has(mk.Pod("web").UID("another").Obj()) {
		t.Error("a namesake is taken for the pod")
	}
}
