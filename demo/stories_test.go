package demo_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/release"
	"orrery/core/trace"
	"orrery/core/world"
)

// The reasons of evictions, as in the pods' conditions.
const (
	byTaint    = "DeletionByTaintManager"
	byAPI      = "EvictionByEvictionAPI"
	byPressure = "TerminationByKubelet"
	byPod      = "PreemptionByScheduler"
)

func TestMorningRush_SmallestZoneBlocks(t *testing.T) {
	w := observe(t, "morning-rush")
	if n := w.most(5, 40); n > 10 {
		t.Errorf("%d pods are pending before east is full, want at most a few", n)
	}
	if n := w.most(70, 92); n < 30 {
		t.Errorf("at most %d pods are pending for east, want 30", n)
	}
	if n := w.most(105, 110); n > 10 {
		t.Errorf("%d pods are pending after nodes were added", n)
	}
	spreads := 0
	for _, d := range w.decisions {
		for _, r := range d.Rejections {
			if r.Plugin == "PodTopologySpread" && strings.Contains(r.Reason, "topology spread constraints") && r.Nodes > 20 {
				spreads++
				break
			}
		}
	}
	if spreads < 30 {
		t.Errorf("%d decisions fail because most nodes would violate the spread constraint, want 30", spreads)
	}
	w.eventsOf(t, trace.FirstFailure, "unschedulable")
	if diff := cmp.Diff(map[string]int{"recommend": 3}, w.pendingReasons()); diff != "" {
		t.Errorf("pending pods at the end (-want +got):\n%s", diff)
	}
}

func TestPriorityStorm_PreemptsCheapestFirst(t *testing.T) {
	w := observe(t, "priority-storm")
	victims := func(from, to int) (apps map[string]int, violations int) {
		apps = map[string]int{}
		for i, d := range w.decisions {
			if d.Preemption == nil || w.when[i] < time.Duration(from)*time.Second || w.when[i] >= time.Duration(to)*time.Second {
				continue
			}
			if strings.Contains(d.Pod.Name, "payments") {
				violations += d.Preemption.Violations
				for _, pod := range d.Preemption.Victims {
					apps[app(pod)]++
				}
			}
		}
		return apps, violations
	}
	first, violated := victims(20, 50)
	if first["batch-thumbnails"]+first["batch-embeddings"] < 20 || first["analytics"]+first["web"] > 0 || violated > 0 {
		t.Errorf("the first wave preempts %v and violates %d budgets, want batch alone", first, violated)
	}
	second, _ := victims(50, 84)
	if second["batch-embeddings"] < 60 || second["analytics"] == 0 {
		t.Errorf("the second wave preempts %v, want the rest of batch and then others", second)
	}
	if _, violated = victims(84, 112); violated == 0 {
		t.Error("the third wave violates no budget")
	}
	for _, l := range w.evictions(byPod, "") {
		if app(l.pod) == "payments" {
			t.Error("payments itself was preempted")
		}
	}
	for _, d := range w.decisions {
		if patient := strings.HasPrefix(d.Pod.Name, "model-train") || strings.HasPrefix(d.Pod.Name, "forecasts"); patient && d.Preemption != nil {
			t.Errorf("%s preempts, although its policy is Never", d.Pod)
		}
	}
	w.eventsOf(t, trace.Preemption, "payments")
	if waits := w.pendingReasons(); waits["model-train"] != 4 || waits["payments"] != 0 {
		t.Errorf("pending at the end: %v, want the training job and no payments", waits)
	}
}

func TestZoneFailure_TaintEvictions(t *testing.T) {
	w := observe(t, "zone-failure")
	if len(w.tainted) != 26 {
		t.Errorf("%d nodes have NoExecute taints, want the 26 of the south", len(w.tainted))
	}
	first, last := 10*time.Hour, time.Duration(0)
	for node, at := range w.tainted {
		if !strings.HasPrefix(node, "node-south-") {
			t.Errorf("%s is tainted", node)
		}
		first, last = min(first, at), max(last, at)
	}
	if first < 58*time.Second || first > 66*time.Second || last-first < 20*time.Second || last-first > 30*time.Second {
		t.Errorf("taints are added from %v to %v, want them a second apart 50 s after the last heartbeat", first, last)
	}
	tolerationSeconds := map[string]time.Duration{"gateway": 5 * time.Second, "storefront": 5 * time.Second, "thumbnails": 10 * time.Second, "search-index": 20 * time.Second}
	gone := map[string]int{}
	for _, l := range w.evictions(byTaint, "") {
		gone[app(l.pod)]++
		wait, known := tolerationSeconds[app(l.pod)]
		if took := l.at - w.tainted[l.pod.Spec.NodeName]; known && (took < wait-50*time.Millisecond || took > wait+100*time.Millisecond) {
			t.Errorf("%s is evicted %v after its node was tainted, want its tolerationSeconds, %v", l.pod.Name, took, wait)
		}
	}
	for name := range tolerationSeconds {
		if gone[name] < 5 {
			t.Errorf("%d pods of %s were evicted, want 5", gone[name], name)
		}
	}
	if gone["ledger"] > 0 {
		t.Errorf("%d pods of the ledger were evicted, although the zone recovered in time", gone["ledger"])
	}
	if w.most(76, 120) == 0 || len(w.pendingReasons()) > 0 {
		t.Errorf("no pod was pending in the meantime, or some still are: %v", w.pendingReasons())
	}
	for o := range w.engine.Store().Objects(world.Node) {
		if n := o.(*v1.Node); len(n.Spec.Taints) > 0 {
			t.Errorf("%s still has taints at the end: %v", n.Name, n.Spec.Taints)
		}
	}
}

func TestNodeDrain_BlockedByBudget(t *testing.T) {
	w := observe(t, "node-drain")
	evicted := w.evictions(byAPI, "")
	if n := len(between(evicted, 5, 40)); n < 40 {
		t.Errorf("%d pods are evicted before the drain is blocked, want 40", n)
	}
	if held := between(evicted, 42, 76); len(held) > 0 {
		t.Errorf("%d pods are evicted while the gateway's budget blocks the drain, the first at %v", len(held), held[0].at)
	}
	if n := len(between(evicted, 76, 95)); n < 10 {
		t.Errorf("%d pods are evicted after the budget allows it, want 10", n)
	}
	for _, s := range w.allowed["gateway"] {
		if s.from < 76*time.Second && s.n != 0 {
			t.Errorf("the gateway's budget allows %d evictions at %v", s.n, s.from)
		}
	}
	gateways := w.evictions(byAPI, "gateway")
	if len(gateways) < 2 || len(gateways) > 4 || gateways[0].at < 76*time.Second {
		t.Errorf("gateways evicted: %d; want those on old nodes, two at least, and all after 76 s", len(gateways))
	}
	// The database is evicted one by one: no ready pod is evicted before the previous one is replaced. Pods that have not started
	// do not count for a budget.
	database := slices.DeleteFunc(w.evictions(byAPI, "ledger-db"), func(l evictedPod) bool { return l.pod.Status.Phase == v1.PodPending })
	for i := 1; i < len(database); i++ {
		if apart := database[i].at - database[i-1].at; apart < 5*time.Second {
			t.Errorf("two pods of the database are evicted within %v", apart)
		}
	}
	if len(database) < 2 {
		t.Errorf("%d pods of the database are evicted, want at least two", len(database))
	}
	empty := map[string]bool{}
	for _, m := range w.marks {
		if name, ok := strings.CutSuffix(m.Mark.Text, " is empty"); ok {
			empty[name] = true
		}
	}
	if len(empty) != 8 {
		t.Errorf("%d nodes are reported empty, want 8: %v", len(empty), empty)
	}
	if diff := cmp.Diff(map[string]int{"legacy-print": 4}, w.pendingReasons()); diff != "" {
		t.Errorf("pending pods at the end (-want +got):\n%s", diff)
	}
}

func TestMemoryPressure_EvictsOverRequests(t *testing.T) {
	w := observe(t, "memory-pressure")
	first := ""
	for node, at := range w.pressed {
		if first == "" || at < w.pressed[first] {
			first = node
		}
	}
	if first != "worker-a-03" {
		t.Errorf("%q is the first node under pressure, want the one with the fastest leak", first)
	}
	if len(w.pressed) < 10 {
		t.Errorf("%d nodes are under pressure, want 10", len(w.pressed))
	}
	evicted := w.evictions(byPressure, "")
	if len(evicted) < 30 {
		t.Errorf("%d pods are evicted, want 30", len(evicted))
	}
	// Of the pods that use more than their requests, one of the lowest priority is evicted first: one without requests.
	if app(evicted[0].pod) != "scratch" || evicted[0].pod.Spec.NodeName != "worker-a-03" {
		t.Errorf("the first evicted pod is %s on %s", evicted[0].pod.Name, evicted[0].pod.Spec.NodeName)
	}
	for _, l := range evicted {
		if app(l.pod) == "api" {
			t.Errorf("%s is evicted, and uses less than its requests", l.pod.Name)
		}
	}
	for node := range w.pressed {
		if w.relieved[node] < 112*time.Second {
			t.Errorf("%s is still under pressure at the end", node)
		}
	}
	w.eventsOf(t, trace.Eviction, "TerminationByKubelet")
	if waits := w.pendingReasons(); len(waits) > 0 {
		t.Errorf("pending at the end: %v", waits)
	}
}

// What nodes use is recorded as often as a console reads it, and more often where memory is short; the kubelet's own choice follows
// from the last reading before it.
func TestMemoryPressure_UsageIsRecorded(t *testing.T) {
	r, err := trace.NewReader(bytes.NewReader(bytesOf(t, "memory-pressure")))
	if err != nil {
		t.Fatal(err)
	}
	last, readings := map[string]time.Time{}, 0
	for record, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		u, ok := record.Body.(trace.Usage)
		if !ok {
			continue
		}
		if readings++; len(u.Summary.Pods) == 0 || u.Summary.Node.Memory == nil {
			t.Errorf("%s at %v: %+v", u.Node, record.At, u.Summary)
		}
		if before, known := last[u.Node]; known {
			free, since := *u.Summary.Node.Memory.AvailableBytes, record.At.Sub(before)
			if since < time.Second || since > 15*time.Second || since < 15*time.Second && free > 1<<30 {
				t.Errorf("%s was read after %v, with %d bytes free", u.Node, since, free)
			}
		}
		last[u.Node] = record.At
	}
	if len(last) != 20 || readings < 20*10 || readings > 20*30 {
		t.Errorf("%d readings of %d nodes", readings, len(last))
	}
}

func TestLeaderFailover_NewLeaderClearsBacklog(t *testing.T) {
	w := observe(t, "leader-failover")
	changed := w.eventsOf(t, trace.LeaderChange, "scheduler-2 became leader")
	// The leader is killed at 18 s, at most 2 s after its last renewal; the lease expires after 15 s, and the others retry every 2 s.
	if changed < 31*time.Second || changed > 38*time.Second {
		t.Errorf("the leader changes at %v", changed)
	}
	leaders := 0
	for _, m := range w.marks {
		if m.Mark.Kind == trace.LeaderChange {
			leaders++
		}
	}
	if leaders != 1 {
		t.Errorf("the leader changes %d times, want once", leaders)
	}
	if w.when[0] < changed-time.Second || w.decisions[0].Verdict != engine.Placed {
		t.Errorf("the replica decides at %v, before it leads", w.when[0])
	}
	if n := w.most(28, int(changed/time.Second)+1); n < 100 {
		t.Errorf("at most %d pods are pending without a leader, want 100", n)
	}
	backlog := 0
	for _, at := range w.when {
		if at < w.when[0]+2*time.Second {
			backlog++
		}
	}
	if backlog < 150 {
		t.Errorf("%d decisions are made in the first two seconds, want the backlog of 150", backlog)
	}
	before := slices.IndexFunc(w.marks, func(m trace.MarkAt) bool { return m.Mark.Kind == trace.FirstFailure })
	if before < 0 {
		t.Error("no decision fails")
	}
	if waits := w.pendingReasons(); waits["index-messages"] == 0 || len(waits) > 1 {
		t.Errorf("pending at the end: %v, want those that need whole nodes", waits)
	}
}

func TestRecordings_VarietyOfPods(t *testing.T) {
	for _, name := range []string{"morning-rush", "zone-failure"} {
		w := observe(t, name)
		kinds := map[string]bool{}
		for o := range w.engine.Store().Objects(world.Pod) {
			for _, owner := range o.GetOwnerReferences() {
				kinds[owner.Kind] = true
			}
		}
		for _, kind := range []string{"ReplicaSet", "StatefulSet", "DaemonSet"} {
			if !kinds[kind] {
				t.Errorf("%s has no pod of a %s", name, kind)
			}
		}
	}
}

func TestStatefulRollout_WaitsForStorage(t *testing.T) {
	w := observe(t, "stateful-rollout")
	places := map[string][]string{} // of the database's pods, in order
	for i, d := range w.decisions {
		if !strings.HasPrefix(d.Pod.Name, "db-") {
			continue
		}
		if d.Verdict == engine.Placed {
			places[d.Pod.Name] = append(places[d.Pod.Name], d.Node)
		}
		full := slices.ContainsFunc(d.Rejections, func(r engine.Rejection) bool {
			return r.Plugin == "VolumeBinding" && r.Reason == "node(s) did not have enough free storage" && r.Nodes == 4
		})
		if at := w.when[i]; d.Pod.Name == "db-5" && at < 68*time.Second && !full {
			t.Errorf("at %v db-5 is %s, not for lack of storage in one zone: %v", at, d.Verdict, d.Rejections)
		}
		if at := w.when[i]; d.Pod.Name > "db-5" && at < 68*time.Second {
			t.Errorf("at %v there is %s, although db-5 is pending", at, d.Pod.Name)
		}
	}
	if got := places["db-5"]; len(got) != 1 || !strings.HasPrefix(got[0], "data-b-") {
		t.Errorf("db-5 was placed on %v, want a node of zone b", got)
	}
	if got := places["db-2"]; len(got) != 2 || got[0] != "data-a-3" || got[1] == got[0] || !strings.HasPrefix(got[1], "data-a-") {
		t.Errorf("db-2 was placed on %v, want data-a-3, and another node of zone a when that one is out of service", got)
	}
	if len(places) != 9 {
		t.Errorf("%d replicas were placed, want 9", len(places))
	}
	if waits := w.pendingReasons(); len(waits) > 0 {
		t.Errorf("pending at the end: %v", waits)
	}
}

// Everything gets a node but the benchmark, which no node is without a load generator for. What waits is what 1.37 decides otherwise.
func TestUpgrade_BenchmarkWaits(t *testing.T) {
	w := observe(t, "upgrade")
	if got := w.engine.Features().Release(); got != release.V135 {
		t.Errorf("it is decided as %v, want 1.35", got)
	}
	if diff := cmp.Diff(map[string]int{"benchmark": 3}, w.pendingReasons()); diff != "" {
		t.Errorf("pending pods at the end (-want +got):\n%s", diff)
	}
	if n := w.most(55, 95); n < 3 || n > 20 {
		t.Errorf("at most %d pods are pending in the sale, want the benchmark and a few that are about to be placed", n)
	}
	for _, d := range w.decisions {
		if d.Verdict != engine.Placed && !strings.HasPrefix(d.Pod.Name, "benchmark-") {
			t.Errorf("%s is not placed: %s", d.Pod, d.Message)
		}
	}
}
