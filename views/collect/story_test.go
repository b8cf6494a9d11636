package collect_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"orrery/core/answers/answer"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

func TestExplain_StuckPod(t *testing.T) {
	e, ch := busyCluster(t)
	c := collect.New(collect.Options{History: ch})
	q := c.Model(e, collect.Query{Open: views.QueuePane, Rows: 10}).Queue
	row := q.Pods.At(0)
	if row.Name != "ml/trainer-0" || row.State != views.Unschedulable || row.Reason != "7 Insufficient memory" || !strings.Contains(row.Plugin, "NodeResourcesFit") {
		t.Errorf("the first row is %+v, want ml/trainer-0, which lacks memory", row)
	}
	j := c.Model(e, collect.Query{Open: views.JourneyPane, Rows: 20, Pod: world.PodRef{Namespace: "ml", Name: "trainer-0"}}).Journey
	if !slices.Contains(j.RequeuesOn, "NodeUpdateNodeAllocatable") && !slices.Contains(j.RequeuesOn, "Node") {
		t.Errorf("it is requeued on %v, want a node event among them", j.RequeuesOn)
	}
	if j.QueuedFor < 15*time.Second || j.Attempts != 2 {
		t.Errorf("queued for %v in %d attempts, want more than 15s in 2", j.QueuedFor, j.Attempts)
	}
	last := j.Steps.Rows[0]
	if last.Examined != 9 || last.Feasible != 0 || last.Note != "7 Insufficient memory" {
		t.Errorf("its last attempt is %+v, want 9 nodes examined, of which 7 lack memory", last)
	}
}

// An explanation has the storage, the preemption, the queue, and what two changes do; and nothing of that twice.
func TestExplain_EvidenceOnce(t *testing.T) {
	claim := mk.Claim("data").Size("9Gi").Class("fast").Obj()
	held := mk.Claim("held").Bound("pv").Obj()
	volume := mk.Volume("pv").Size("1Gi").Class("fast").On(v1.LabelTopologyZone, "a").For(held).Obj()
	e := storageCluster(t, mk.Node("n1").CPU("4").Zone("a").Obj(), mk.Node("n2").CPU("4").Zone("a").Obj(), mk.Node("far").CPU("9").Zone("b").Obj(), mk.Class("fast", driver).Obj(),
		claim, held, volume, mk.Pod("a").CPU("2").Node("n1").Obj(), mk.Pod("b").CPU("2").Node("n2").Obj(), mk.Pod("mover").CPU("4").PVC("held").Obj(), mk.Pod("unbound").PVC("data").Obj())
	c := collect.New(collect.Options{})
	for pod, want := range map[string]struct {
		summary, chain, preemption, queue, words string
	}{
		"mover":   {"volume pv of claim held in zone a", "volume pv is in zone a, reaches 2 of 3 nodes", "no lower-priority pods", "requeued when", "move default/a far"},
		"unbound": {"claim data is not bound", "claim data (9Gi, ReadWriteOnce, of class fast)", "", "requeued when", ""},
	} {
		query := collect.Query{Open: views.ExplainPane, Rows: 10, Pod: world.PodRef{Namespace: "default", Name: pod}}
		first := c.Model(e, query)
		second := c.Model(e, query)
		if !first.Partial() || second.Partial() {
			t.Errorf("%s: the first model is partial: %v, the second: %v", pod, first.Partial(), second.Partial())
		}
		x := second.Explain
		section := func(title string) (text string) {
			for _, s := range x.Sections {
				for _, l := range s.Lines {
					if s.Title == title {
						text += l.Says + "\n"
					}
				}
			}
			return text
		}
		facts := ""
		for _, f := range x.Facts {
			facts += f.Name + " " + f.Value + "\n"
		}
		if !strings.Contains(x.Summary, want.summary) || !strings.Contains(section("Storage"), want.chain) || !strings.Contains(section("Preemption"), want.preemption) ||
			!strings.Contains(facts, want.queue) {
			t.Errorf("%s: %q\n%s\n%+v", pod, x.Summary, facts, x.Sections)
		}
		if moved := slices.ContainsFunc(x.Remedies, func(r answer.Remedy) bool { return r.Change == want.words }); moved != (want.words != "") {
			t.Errorf("%s: the remedies are %+v", pod, x.Remedies)
		}
		texts := []string{x.Summary}
		for i := range x.Reasons {
			texts = append(texts, x.Reasons[i].Beside...)
		}
		for _, s := range x.Sections {
			for _, l := range s.Lines {
				if !s.Internal {
					texts = append(texts, l.Says)
				}
			}
		}
		for i, a := range texts {
			for j, b := range texts {
				if i != j && strings.Contains(a, b) {
					t.Errorf("%s: %q says what %q says", pod, a, b)
				}
			}
		}
	}
}

func TestQueue_TransitionsHaveEarlierStates(t *testing.T) {
	e, ch := busyCluster(t)
	transitions := collect.New(collect.Options{History: ch}).Model(e, collect.Query{Open: views.QueuePane}).Queue.Transitions
	if m := transitions[0]; m.Pod != "ml/trainer-2" || m.From != views.InFlight || m.To != views.Unschedulable {
		t.Errorf("the latest transition is %+v, want ml/trainer-2's to Unschedulable", m)
	}
	if want := []views.PodState{views.Unschedulable, views.Backoff, views.Active}; !slices.Equal(transitions[0].Earlier[len(transitions[0].Earlier)-3:], want) {
		t.Errorf("the earlier states are %v, want %v at the end", transitions[0].Earlier, want)
	}
	seen := map[string]bool{}
	bound := 0
	for _, m := range transitions {
		if seen[m.Pod] {
			t.Errorf("%s has two transitions", m.Pod)
		}
		seen[m.Pod] = true
		if m.To == views.Bound {
			bound++
		}
		if (m.To == views.Bound) != (m.Node != "") {
			t.Errorf("%s has the node %q and is %s", m.Pod, m.Node, m.To.Word())
		}
	}
	if bound == 0 {
		t.Errorf("no pod is bound in %+v", transitions)
	}
}

func TestZones_ShowFeasibleNodes(t *testing.T) {
	e, ch := busyCluster(t)
	apply(t, e, ch, world.Changed{Op: world.Added, Object: mk.Pod("late").Namespace("shop").CPU("100m").Obj()})
	z := collect.New(collect.Options{History: ch}).Model(e, collect.Query{Open: views.ZonesPane, Columns: 80}).Zones
	count := map[views.LaneCell]int{}
	for _, l := range z.Lanes {
		for _, cell := range l.Cells {
			count[cell]++
		}
	}
	if count[views.Chosen] != 1 || count[views.Feasible]+1 != z.Feasible || count[views.Rejected] != z.Rejected || z.Pod != "shop/late" {
		t.Errorf("the lanes show %v for %s, which found %d feasible and rejected %d", count, z.Pod, z.Feasible, z.Rejected)
	}
	if count[views.Visited] > 0 {
		t.Errorf("the result for %d nodes is unknown", count[views.Visited])
	}
}

// apply applies events a second later to an engine and its history, and makes all decisions.
func apply(t testing.TB, e *engine.Engine, ch *collect.History, events ...world.Event) {
	t.Helper()
	for _, event := range events {
		in := world.Input{At: e.Now().Add(time.Second), Event: event}
		err := e.Apply(in)
		if ch.Applied(in, err); err != nil {
			t.Fatal(err)
		}
		for d, more := e.Step(); more; d, more = e.Step() {
			ch.Stepped(d)
		}
		e.Effects()
	}
}

func TestLeader_InHeaderAndPane(t *testing.T) {
	e, ch := busyCluster(t)
	m := collect.New(collect.Options{History: ch}).Model(e, collect.Query{Open: views.LeaderPane})
	if m.Header.Leader != "replica-b" || m.Header.LeaseLeft <= 0 {
		t.Errorf("the header has leader %q for %v", m.Header.Leader, m.Header.LeaseLeft)
	}
	l := m.Leader
	if l.Holder != "replica-b" || l.State != "held" || l.Transitions != 1 || len(l.History) != 1 || l.History[0].From != "replica-a" {
		t.Errorf("the pane has %+v, want that replica-b took over from replica-a", l)
	}
	if len(l.Candidates) != 1 || l.Candidates[0].Name != "replica-a" {
		t.Errorf("the candidates are %v, want replica-a", l.Candidates)
	}
	if len(l.RenewIntervals) < 5 || l.FailoverAt.Before(e.Now()) || l.MaxClockSkew <= 1 {
		t.Errorf("renew intervals %v, failover %v, skew %v", l.RenewIntervals, l.FailoverAt, l.MaxClockSkew)
	}
}

// A taint's eviction is predicted until the pod is deleted, for whatever reason: then it is terminating, and past its grace period
// it is not predicted again.
func TestEvictions_DeletedPodIsTerminating(t *testing.T) {
	e, ch := busyCluster(t)
	node := mk.Node("doomed").CPU("4").Pods("10")
	pod := mk.Pod("rolled").Namespace("shop").UID("rolled").Node("doomed").Toleration(v1.Toleration{
		Key: "broken", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](300),
	})
	apply(t, e, ch, world.Changed{Op: world.Added, Object: node.Obj()}, world.Changed{Op: world.Added, Object: pod.Obj()})
	tainted := node.Obj().DeepCopy()
	tainted.Spec.Taints = append(tainted.Spec.Taints, v1.Taint{Key: "broken", Effect: v1.TaintEffectNoExecute})
	apply(t, e, ch, world.Changed{Op: world.Modified, Object: tainted})
	state := func() string {
		for _, row := range collect.New(collect.Options{History: ch}).Model(e, collect.Query{Open: views.EvictionsPane, Rows: 100}).Evictions.List.Rows {
			if row.Pod == "shop/rolled" {
				return row.State().String()
			}
		}
		return "not listed"
	}
	if got := state(); got != "predicted" {
		t.Fatalf("before it is deleted the pod is %s, want predicted", got)
	}
	deleted := pod.Obj().DeepCopy()
	deleted.DeletionTimestamp, deleted.DeletionGracePeriodSeconds = &metav1.Time{Time: e.Now()}, ptr.To[int64](0)
	apply(t, e, ch, world.Changed{Op: world.Modified, Object: deleted})
	if got := state(); got != "terminating" {
		t.Errorf("after it was deleted the pod is %s, want terminating", got)
	}
}

func TestEvictions_ShowPreemptionAtOnce(t *testing.T) {
	e, ch := busyCluster(t)
	big := mk.Pod("urgent").Namespace("shop").CPU("3").Memory("7Gi").Priority(1_000_000).Obj()
	apply(t, e, ch, world.Changed{Op: world.Added, Object: big})
	c := collect.New(collect.Options{History: ch})
	var victims []string
	for _, d := range c.Model(e, collect.Query{Open: views.EvictionsPane, Rows: 100}).Evictions.List.Rows {
		if d.Cause == "preemption" {
			victims = append(victims, d.Pod)
		}
	}
	if len(victims) == 0 {
		t.Error("the preemptor has no victims")
	}
	for _, row := range c.Model(e, collect.Query{Open: views.DecisionsPane, Rows: 1}).Decisions.List.Rows {
		if row.Pod != "shop/urgent" || row.Node == "" {
			t.Errorf("the latest decision is %+v, want that shop/urgent has a nomination", row)
		}
	}
}

func TestNode_Detail(t *testing.T) {
	e, ch := busyCluster(t)
	node := mk.Node("full").CPU("8").Memory("16Gi").Pods("20").Zone("zone-a").Taint("dedicated", "ml", v1.TaintEffectNoSchedule).Obj()
	node.Status.Images = []v1.ContainerImage{
		{Names: []string{"small@sha256:1", "registry/small:1"}, SizeBytes: 5 << 20}, {Names: []string{"registry/large:2"}, SizeBytes: 4 << 30}, {},
	}
	anti := &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{TopologyKey: v1.LabelHostname}}}}
	apply(
		t, e, ch, world.Changed{Op: world.Added, Object: node},
		world.Changed{Op: world.Added, Object: mk.Pod("data").Namespace("ml").CPU("1").Memory("1Gi").PVC("disk").HostPort(9100).Affinity(anti).Node("full").Obj()},
		world.Changed{Op: world.Added, Object: mk.Pod("any").Namespace("shop").CPU("1m").Obj()},
	)
	c := collect.New(collect.Options{History: ch})
	n := c.Model(e, collect.Query{Open: views.NodePane, Node: "full", Rows: 10}).Node
	facts := map[string]string{}
	for _, f := range n.Facts {
		facts[f.Name] = f.Value
	}
	for name, want := range map[string]string{"taints": "dedicated=ml:NoSchedule", "ports": "9100/TCP", "claims": "ml/disk", "affinity": "1 pod, 1 of them required anti-affinity"} {
		if facts[name] != want {
			t.Errorf("%s: got %q, want %q", name, facts[name], want)
		}
	}
	want := []views.NodeImage{{Name: "registry/large:2", Size: "4Gi", Nodes: 1}, {Name: "registry/small:1", Size: "5Mi", Nodes: 1}}
	if diff := cmp.Diff(want, n.Images); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
	if p := n.Pods.At(0); p == nil || p.Name != "ml/data" || !p.Affine || p.Claims != 1 {
		t.Errorf("its first pod is %+v, want ml/data with affinity and a claim", p)
	}
	if r := n.Row; r.Affine != 1 || r.Repelling != 1 || r.Claims != 1 || r.Ports != 1 || r.Images != 3 {
		t.Errorf("its row is %+v", r)
	}
}

func TestSnapshot_Drift(t *testing.T) {
	e, ch := busyCluster(t)
	query := collect.Query{Open: views.SnapshotPane, Rows: 5}
	if s := collect.New(collect.Options{History: ch}).Model(e, query).Snapshot; s.Drift != "" || !s.Compared {
		t.Errorf("drift without a cause: %q", s.Drift)
	}
	if _, err := e.Store().(*store.Store).Apply(world.Changed{Op: world.Added, Object: mk.Node("unknown").Obj()}); err != nil {
		t.Fatal(err)
	}
	if s := collect.New(collect.Options{History: ch}).Model(e, query).Snapshot; s.Drift != "1 node missing in the cache" {
		t.Errorf("the drift is %q, want a missing node", s.Drift)
	}
}

func TestModel_PassesTimelineAndWhatIf(t *testing.T) {
	e, _ := busyCluster(t)
	timeline, whatIf := &views.Timeline{Speed: "2x"}, &views.WhatIf{Tried: "drain n1"}
	m := collect.New(collect.Options{}).Model(e, collect.Query{Open: views.WhatIfPane, Timeline: timeline, WhatIf: whatIf})
	if m.Timeline != timeline || m.WhatIf != whatIf {
		t.Errorf("got %v and %v", m.Timeline, m.WhatIf)
	}
}
