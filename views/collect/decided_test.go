package collect_test

import (
	"strings"
	"testing"
	"time"

	"orrery/core/answers/shadow"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// unboundCluster has pods that the engine has placed and nobody binds, and the list of Leases, of which there is none.
func unboundCluster(t *testing.T) (*engine.Engine, *collect.History) {
	t.Helper()
	e := storageCluster(t, mk.Node("node-20").CPU("4").Memory("8Gi").Pods("10").Obj(), mk.Pod("web-0").CPU("1").Obj(), mk.Pod("web-1").CPU("1").Obj(), mk.Pod("huge").CPU("9").Obj())
	ch := collect.NewHistory(collect.HistoryOptions{})
	applyTo(t, e, ch, start, world.Listed{Kind: world.Lease})
	return e, ch
}

func applyTo(t *testing.T, e *engine.Engine, ch *collect.History, at time.Time, event world.Event) {
	t.Helper()
	in := world.Input{At: at, Event: event}
	err := e.Apply(in)
	if err != nil {
		t.Fatal(err)
	}
	ch.Applied(in, err)
}

// TestNode_SaysWhatIsNotBound: what a shadow placed counts on a node beside what the cluster's scheduler placed, so that it may be more than
// there is. The node's page says how much that is, and which pods they are.
func TestNode_SaysWhatIsNotBound(t *testing.T) {
	e, ch := unboundCluster(t)
	for shadows, state := range map[bool]views.PodState{true: views.Decided, false: views.InFlight} {
		m := collect.New(collect.Options{History: ch, Shadows: shadows}).Model(e, collect.Query{Open: views.NodePane, Node: "node-20", Rows: 100})
		said := ""
		for _, fact := range m.Node.Facts {
			if fact.Name == "not bound" {
				said = fact.Value
			}
		}
		if strings.HasPrefix(said, "2 pods with 2 cpu") != shadows || (said != "") != shadows {
			t.Errorf("shadows %t: the node says %q", shadows, said)
		}
		if len(m.Node.Pods.Rows) != 2 {
			t.Errorf("shadows %t: there are %d pods", shadows, len(m.Node.Pods.Rows))
		}
		for _, pod := range m.Node.Pods.Rows {
			if pod.State != state {
				t.Errorf("shadows %t: %s is %s", shadows, pod.Name, pod.State.Word())
			}
		}
	}
}

// Beside a scheduler that does not run, a pod with a place is not in flight: no scheduler binds it.
func TestQueue_DecidedButNotBound(t *testing.T) {
	e, ch := unboundCluster(t)
	for _, tc := range []struct {
		shadows bool
		state   views.PodState
		counts  views.QueueCounts
		reason  string
	}{
		{true, views.Decided, views.QueueCounts{Decided: 2, Unschedulable: 1}, "→ node-20 (ours; not bound)"},
		{false, views.InFlight, views.QueueCounts{InFlight: 2, Unschedulable: 1}, "binding → node-20"},
	} {
		c := collect.New(collect.Options{History: ch, Shadows: tc.shadows})
		m := c.Model(e, collect.Query{Open: views.QueuePane, Rows: 100})
		row := m.Queue.Pods.Rows[0]
		if m.Queue.Counts != tc.counts || row.State != tc.state || row.Reason != tc.reason {
			t.Errorf("shadows %t: the counts are %+v, the first row %+v", tc.shadows, m.Queue.Counts, row)
		}
		placed := 0
		for _, moved := range m.Queue.Transitions {
			if moved.Node == "" {
				continue
			}
			if placed++; moved.To != tc.state {
				t.Errorf("shadows %t: a pod moved to %s", tc.shadows, moved.To.Word())
			}
		}
		if placed != 2 {
			t.Errorf("shadows %t: %d transitions to a node", tc.shadows, placed)
		}
		if j := c.Model(e, collect.Query{Open: views.JourneyPane, Pod: world.PodRef{Namespace: "default", Name: "web-0"}}).Journey; j.State != tc.state {
			t.Errorf("shadows %t: the journey's pod is %s", tc.shadows, j.State.Word())
		}
		for _, pod := range everyPod(c, e) {
			if strings.HasPrefix(pod.Name, "default/web") && (pod.State != tc.state || pod.Node != "node-20") {
				t.Errorf("shadows %t: of all pods %+v", tc.shadows, pod)
			}
		}
	}
}

func everyPod(c *collect.Collector, e *engine.Engine) []views.ClusterPod {
	m := c.Model(e, collect.Query{Open: views.PodsPane, Rows: 100})
	return m.List.(*views.List[views.ClusterPod]).Rows
}

func TestHealth_PodsThatNobodyBinds(t *testing.T) {
	const unheld = "kube-system/kube-scheduler"
	health := func(e *engine.Engine, ch *collect.History, shadows bool) views.Health {
		return collect.New(collect.Options{History: ch, Shadows: shadows}).Model(e, collect.Query{}).Header.Health
	}
	e, ch := unboundCluster(t)
	if h := health(e, ch, true); h.Unbound != 0 {
		t.Errorf("at once: %+v, and a scheduler may bind them yet", h)
	}
	applyTo(t, e, ch, start.Add(6*time.Second), world.Tick{})
	if h := health(e, ch, true); h.Unbound != 2 || h.Unheld != unheld || h.Unplaced != 1 {
		t.Errorf("after six seconds: %+v", h)
	}
	if h := health(e, ch, false); h.Unbound != 0 {
		t.Errorf("of the scheduler itself: %+v", h)
	}
	unknown := collect.NewHistory(collect.HistoryOptions{})
	if h := health(e, unknown, true); h.Unbound != 2 || h.Unheld != "" {
		t.Errorf("without the right to read leases: %+v", h)
	}
	applyTo(t, e, ch, start.Add(6*time.Second), world.Changed{Op: world.Added, Object: lease("replica-a", start.Add(6*time.Second), 0)})
	if h := health(e, ch, true); h.Unbound != 0 {
		t.Errorf("a scheduler leads: %+v", h)
	}
}

// A pod that backs off because nobody bound it has had a place; one that backs off after a plugin's panic has not.
func TestHealth_BackoffAfterPanicIsNoPlace(t *testing.T) {
	for name, tc := range map[string]struct {
		options                   engine.Options
		unbound, unplaced, panics int
	}{
		"nobody bound it": {engine.Options{}, 1, 0, 0},
		"a plugin panics": {withPicky(), 0, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			tc.options.Start = start
			s, err := shadow.New(shadow.Options{Engine: tc.options})
			if err != nil {
				t.Fatal(err)
			}
			ch := collect.NewHistory(collect.HistoryOptions{})
			apply := func(at time.Time, event world.Event) {
				t.Helper()
				in := world.Input{At: at, Event: event}
				err := s.Apply(in)
				if err != nil {
					t.Fatal(err)
				}
				ch.Applied(in, err)
				for more := true; more; {
					_, more = s.Step()
				}
			}
			apply(start, world.Listed{Kind: world.Lease})
			apply(start, world.Changed{Op: world.Added, Object: mk.Node("n1").CPU("4").Memory("8Gi").Pods("10").Obj()})
			pod := mk.Pod("web").CPU("1").Obj()
			apply(start, world.Changed{Op: world.Added, Object: pod})
			if tc.panics == 0 {
				apply(start.Add(shadow.PredictionTimeout), world.Tick{})
			}
			if state := s.Engine().Queue().StateOf("default", "web"); state != queue.ErrorBackoff {
				t.Fatalf("the pod is in %s", state)
			}
			h := collect.New(collect.Options{History: ch, Shadows: true}).Model(s.Engine(), collect.Query{}).Header.Health
			if h.Unbound != tc.unbound || h.Unplaced != tc.unplaced || h.Panics != tc.panics {
				t.Errorf("the health is %+v, want %d unbound, %d unplaced, %d panics", h, tc.unbound, tc.unplaced, tc.panics)
			}
		})
	}
}

// The cause of a pod that has a place is no reason to wait.
func TestPending_PodWithAPlace(t *testing.T) {
	e, _ := unboundCluster(t)
	all, err := collect.Pending(e, "", true)
	if err != nil {
		t.Fatal(err)
	}
	causes := map[string]string{}
	for _, g := range all.Groups.Rows {
		causes[g.Owner] = g.Cause
	}
	if got := causes["default/pod/web-0"]; got != "would go to node-20" || all.Pods != 3 {
		t.Errorf("the cause is %q; %d pods", got, all.Pods)
	}
	if got := causes["default/pod/huge"]; !strings.HasPrefix(got, "it requests 9 cpu") {
		t.Errorf("the cause of a pod without a place is %q", got)
	}
}
