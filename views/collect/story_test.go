package collect_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/engine"
	"orrery/core/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
	"orrery/views/filter"
)

// everyPane are all panes that a collector fills.
var everyPane = []views.PaneID{
	views.Overview, views.QueuePane, views.SnapshotPane, views.ZonesPane, views.EvictionsPane, views.LeaderPane, views.DecisionsPane,
	views.PluginsPane, views.MetricsPane, views.ExplainPane, views.JourneyPane, views.NodePane,
}

func mustFilter(t testing.TB, text string) *filter.Filter {
	t.Helper()
	f, err := filter.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func podNames(rows []views.PodRow) []string {
	names := []string{}
	for i := range rows {
		names = append(names, rows[i].Name)
	}
	return names
}

func TestAStuckPodSaysWhyAndWhatWouldMoveIt(t *testing.T) {
	e, ch := rushHour(t)
	c := collect.New(collect.Run{Chronicle: ch})
	q := c.Model(e, collect.Look{Open: views.QueuePane, Rows: 10}).Queue
	row := q.Pods.At(0)
	if row.Name != "ml/trainer-0" || row.State != views.Unschedulable || row.Reason != "7 Insufficient memory" || !strings.Contains(row.Plugin, "NodeResourcesFit") {
		t.Errorf("the first row says %+v, want that ml/trainer-0 is stuck for want of memory", row)
	}
	j := c.Model(e, collect.Look{Open: views.JourneyPane, Rows: 20, Pod: world.Ref{Namespace: "ml", Name: "trainer-0"}}).Journey
	if !slices.Contains(j.Awaits, "NodeUpdateNodeAllocatable") && !slices.Contains(j.Awaits, "Node") {
		t.Errorf("it waits for %v, want a change of a node among them", j.Awaits)
	}
	if j.Waited < 15*time.Second || j.Attempts != 2 {
		t.Errorf("it waited %v in %d attempts, want more than 15s in 2", j.Waited, j.Attempts)
	}
	last := j.Steps.Rows[len(j.Steps.Rows)-1]
	if last.Examined != 9 || last.Feasible != 0 || last.Note != "7 Insufficient memory" {
		t.Errorf("its last attempt came to %+v, want that all 9 nodes were looked at and 7 lacked memory", last)
	}
}

func TestMovesLeaveATrail(t *testing.T) {
	e, ch := rushHour(t)
	moves := collect.New(collect.Run{Chronicle: ch}).Model(e, collect.Look{}).Queue.Moves
	if m := moves[0]; m.Pod != "ml/trainer-2" || m.From != views.InFlight || m.To != views.Unschedulable {
		t.Errorf("the latest move is %+v, want ml/trainer-2's from its attempt to the stuck", m)
	}
	if want := []views.PodState{views.Unschedulable, views.Backoff, views.Active}; !slices.Equal(moves[0].Trail[len(moves[0].Trail)-3:], want) {
		t.Errorf("before that it was %v, want %v in the end", moves[0].Trail, want)
	}
	seen := map[string]bool{}
	bound := 0
	for _, m := range moves {
		if seen[m.Pod] {
			t.Errorf("%s is told of twice", m.Pod)
		}
		seen[m.Pod] = true
		if m.To == views.Bound {
			bound++
		}
		if (m.To == views.Bound) != (m.Node != "") {
			t.Errorf("%s has gone to the node %q, and is %s", m.Pod, m.Node, m.To.Word())
		}
	}
	if bound == 0 {
		t.Errorf("nobody is seen to have got a node in %+v", moves)
	}
}

func TestZonesShowWhoWasFeasible(t *testing.T) {
	e, ch := rushHour(t)
	apply(t, e, ch, world.Changed{Op: world.Added, Object: mk.Pod("late").Namespace("shop").CPU("100m").Obj()})
	z := collect.New(collect.Run{Chronicle: ch}).Model(e, collect.Look{Open: views.ZonesPane, Columns: 80}).Zones
	count := map[views.LaneCell]int{}
	for _, l := range z.Lanes {
		for _, cell := range l.Cells {
			count[cell]++
		}
	}
	if count[views.ChosenOne] != 1 || count[views.Feasible]+1 != z.Feasible || count[views.Rejected] != z.Rejected || z.Pod != "shop/late" {
		t.Errorf("the lanes show %v for %s, which found %d feasible and rejected %d", count, z.Pod, z.Feasible, z.Rejected)
	}
	if count[views.LookedAt] > 0 {
		t.Errorf("of %d nodes it is not known what was found", count[views.LookedAt])
	}
}

// apply tells an engine and its chronicle what happened a second later, and lets it decide.
func apply(t testing.TB, e *engine.Engine, ch *collect.Chronicle, events ...world.Event) {
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

func TestWhoLeadsStandsInTheHeaderAndInItsPane(t *testing.T) {
	e, ch := rushHour(t)
	m := collect.New(collect.Run{Chronicle: ch}).Model(e, collect.Look{Open: views.LeaderPane})
	if m.Header.Leader != "replica-b" || m.Header.LeaderLeft <= 0 {
		t.Errorf("the header says %q leads for %v", m.Header.Leader, m.Header.LeaderLeft)
	}
	l := m.Leader
	if l.Holder != "replica-b" || l.State != "held" || l.Transitions != 1 || len(l.Changes) != 1 || l.Changes[0].From != "replica-a" {
		t.Errorf("the pane says %+v, want that replica-b took over from replica-a", l)
	}
	if len(l.Candidates) != 1 || l.Candidates[0].Name != "replica-a" {
		t.Errorf("%v wait, want replica-a", l.Candidates)
	}
	if len(l.Beats) < 5 || l.Takeover.Before(e.Now()) || l.Skew <= 1 {
		t.Errorf("beats %v, takeover %v, skew %v", l.Beats, l.Takeover, l.Skew)
	}
}

func TestAPreemptionIsOnTheBoardAsSoonAsItIsDecided(t *testing.T) {
	e, ch := rushHour(t)
	big := mk.Pod("urgent").Namespace("shop").CPU("3").Memory("7Gi").Priority(1_000_000).Obj()
	apply(t, e, ch, world.Changed{Op: world.Added, Object: big})
	c := collect.New(collect.Run{Chronicle: ch})
	var victims []string
	for _, d := range c.Model(e, collect.Look{Open: views.EvictionsPane, Rows: 100}).Evictions.List.Rows {
		if d.Cause == "preemption" {
			victims = append(victims, d.Pod)
		}
	}
	if len(victims) == 0 {
		t.Error("nobody is leaving for the more important pod")
	}
	for _, row := range c.Model(e, collect.Look{Open: views.DecisionsPane, Rows: 1}).Decisions.List.Rows {
		if row.Pod != "shop/urgent" || row.Node == "" {
			t.Errorf("the latest decision is %+v, want that shop/urgent has a nomination", row)
		}
	}
}

func TestANodeInFull(t *testing.T) {
	e, ch := rushHour(t)
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
	c := collect.New(collect.Run{Chronicle: ch})
	n := c.Model(e, collect.Look{Open: views.NodePane, Node: "full", Rows: 10}).Node
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
		t.Errorf("the first pod on it is %+v, want ml/data with affinity and a claim", p)
	}
	if r := n.Row; r.Affine != 1 || r.Repelling != 1 || r.Claims != 1 || r.Ports != 1 || r.Images != 3 {
		t.Errorf("its row says %+v", r)
	}
}

func TestBeliefThatIsNotTheClustersIsDrift(t *testing.T) {
	e, ch := rushHour(t)
	look := collect.Look{Open: views.SnapshotPane, Rows: 5}
	if s := collect.New(collect.Run{Chronicle: ch}).Model(e, look).Snapshot; s.Drift != "" || !s.Compared {
		t.Errorf("there is drift where none can be: %q", s.Drift)
	}
	if _, err := e.Store().Apply(world.Changed{Op: world.Added, Object: mk.Node("unknown").Obj()}); err != nil {
		t.Fatal(err)
	}
	if s := collect.New(collect.Run{Chronicle: ch}).Model(e, look).Snapshot; s.Drift != "1 node of the cluster not known" {
		t.Errorf("the drift is %q, want a node that is not known", s.Drift)
	}
}

func TestFilteringTheQueue(t *testing.T) {
	e, ch := rushHour(t)
	c := collect.New(collect.Run{Chronicle: ch})
	for _, tt := range []struct {
		name, text, sort string
		reverse          bool
		want             []string
	}{
		{"a namespace", "-n ml", "", false, []string{"ml/trainer-0", "ml/trainer-1", "ml/trainer-2"}},
		{"the inverse", "!trainer", "", false, []string{"batch/nightly"}},
		{"a state", "gated", "", false, []string{"batch/nightly"}},
		{"a plugin that turned it down", "noderesourcesfit", "", false, []string{"ml/trainer-0", "ml/trainer-1", "ml/trainer-2"}},
		{"another order", "", "name", false, []string{"batch/nightly", "ml/trainer-0", "ml/trainer-1", "ml/trainer-2"}},
		{"the other way round", "", "", true, []string{"batch/nightly", "ml/trainer-2", "ml/trainer-1", "ml/trainer-0"}},
		{"nobody", "absent", "", false, []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := c.Model(e, collect.Look{Open: views.QueuePane, Rows: 10, Filter: mustFilter(t, tt.text), Sort: tt.sort, Reverse: tt.reverse})
			if got := podNames(m.Queue.Pods.Rows); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if want := (views.Narrowed{Matches: len(tt.want), Of: 4}); *m.Narrowed != want {
				t.Errorf("it is said that %+v, want %+v", *m.Narrowed, want)
			}
		})
	}
}

// Every order of every list can be asked for, shows what the list shows, and comes out the other way round in reverse.
func TestEveryOrderShowsTheSameRows(t *testing.T) {
	e, ch := rushHour(t)
	c := collect.New(collect.Run{Chronicle: ch})
	pod := world.Ref{Namespace: "ml", Name: "trainer-2"}
	for _, pane := range everyPane {
		look := collect.Look{Open: pane, Rows: 1000, Pod: pod, Node: "worker-01"}
		plain := rowsOf(c.Model(e, look))
		for _, sort := range collect.Sorts(pane) {
			look.Sort = sort
			sorted := rowsOf(c.Model(e, look))
			look.Reverse = true
			reversed := rowsOf(c.Model(e, look))
			look.Reverse = false
			if len(sorted) == 0 || len(sorted) != len(plain) {
				t.Errorf("pane %d by %s has %d rows, want %d", pane, sort, len(sorted), len(plain))
			}
			slices.Reverse(reversed)
			if diff := cmp.Diff(sorted, reversed); diff != "" {
				t.Errorf("pane %d by %s is something else in reverse:\n%s", pane, sort, diff)
			}
			slices.Sort(sorted)
			if diff := cmp.Diff(slices.Sorted(slices.Values(plain)), sorted); diff != "" {
				t.Errorf("pane %d by %s has other rows:\n%s", pane, sort, diff)
			}
		}
	}
}

// rowsOf are the rows of the list of the open pane, as text.
func rowsOf(m *views.Model) []string {
	var rows []string
	add := func(row any) { rows = append(rows, fmt.Sprintf("%+v", row)) }
	switch {
	case m.Queue != nil:
		for _, r := range m.Queue.Pods.Rows {
			add(r)
		}
	case m.Snapshot != nil:
		for _, r := range m.Snapshot.List.Rows {
			add(r)
		}
	case m.Evictions != nil:
		for _, r := range m.Evictions.List.Rows {
			add(r)
		}
	case m.Decisions != nil:
		for _, r := range m.Decisions.List.Rows {
			add(r)
		}
	case m.Plugins != nil:
		for _, r := range m.Plugins.List.Rows {
			add(r)
		}
	case m.Explain != nil:
		for _, r := range m.Explain.Matrix.Rows {
			add(r)
		}
	case m.Node != nil:
		for _, r := range m.Node.Pods.Rows {
			add(r)
		}
	}
	return rows
}

func TestNamesToCompleteAWordWith(t *testing.T) {
	e, _ := rushHour(t)
	for _, tt := range []struct {
		name string
		got  []string
		want []string
	}{
		{"nodes", collect.NodeNames(e, "worker-0", 3), []string{"worker-00", "worker-01", "worker-02"}},
		{"the one node", collect.NodeNames(e, "worker-07", 9), []string{"worker-07"}},
		{"namespaces", collect.Namespaces(e, "b", 9), []string{"batch"}},
		{"pods of a namespace", collect.PodNames(e, "ml/", 2), []string{"ml/trainer-0", "ml/trainer-1"}},
		{"pods by their names alone", collect.PodNames(e, "night", 9), []string{"batch/nightly"}},
		{"pods by a namespace that begins so", collect.PodNames(e, "ba", 9), []string{"batch/nightly"}},
		{"plugins, whatever the case", collect.PluginNames(e, "noderesourcesf", 9), []string{"NodeResourcesFit"}},
		{"none", collect.PodNames(e, "zzz", 9), nil},
		{"no room for any", collect.PluginNames(e, "", 0), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !slices.Equal(tt.got, tt.want) {
				t.Errorf("got %v, want %v", tt.got, tt.want)
			}
		})
	}
}

// Every string that an object can bring is shown as what it is: escape sequences do not get through to any model.
func TestNothingThatComesFromOutsideReachesAModelUnseen(t *testing.T) {
	const evil = "a\x1b[31m\u202eb\n"
	e, ch := rushHour(t)
	node := mk.Node("n"+evil).CPU("8").Memory("16Gi").Pods("10").Zone("z"+evil).Taint("k"+evil, "v", v1.TaintEffectPreferNoSchedule).Obj()
	node.Status.Images = []v1.ContainerImage{{Names: []string{"i" + evil}, SizeBytes: 1}}
	node.Status.NodeInfo.KubeletVersion = evil
	pod := mk.Pod("p"+evil).Namespace("ns"+evil).Label("l", evil).CPU("100m").Memory("100Mi").Owner("v1", "K"+evil, "o"+evil).PVC("c" + evil).Node("n" + evil).Obj()
	held := mk.Pod("h" + evil).Namespace("ns" + evil).Gate("g" + evil).Obj()
	big := mk.Pod("b"+evil).Namespace("ns"+evil).CPU("900").NodeSelector("s"+evil, "x").Obj()
	big.Status.NominatedNodeName = "n" + evil
	small := mk.Pod("s" + evil).Namespace("ns" + evil).CPU("1m").Obj()
	for _, o := range []world.Object{node, pod, held, big, small} {
		in := world.Input{At: e.Now().Add(time.Second), Event: world.Changed{Op: world.Added, Object: o}}
		ch.Applied(in, e.Apply(in))
		for d, more := e.Step(); more; d, more = e.Step() {
			ch.Stepped(d)
		}
	}
	ch.Applied(world.Input{At: e.Now(), Event: world.Changed{Object: lease("r"+evil, e.Now(), 3)}}, nil)
	c := collect.New(collect.Run{Source: evil, Chronicle: ch})
	for _, pane := range everyPane {
		for _, name := range []string{pod.Name, held.Name, big.Name, small.Name} {
			m := c.Model(e, collect.Look{Open: pane, Rows: 1000, Columns: 200, Node: node.Name, Pod: world.Ref{Namespace: pod.Namespace, Name: name}})
			eachString(reflect.ValueOf(m), func(s string) {
				if strings.ContainsAny(s, "\x1b\u202e\n") {
					t.Errorf("pane %d shows %q", pane, s)
				}
			})
		}
	}
}

// eachString visits every string in a value.
func eachString(v reflect.Value, visit func(string)) {
	switch v.Kind() {
	case reflect.String:
		visit(v.String())
	case reflect.Pointer:
		if !v.IsNil() {
			eachString(v.Elem(), visit)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			eachString(v.Index(i), visit)
		}
	case reflect.Struct:
		if _, moment := v.Interface().(time.Time); moment {
			return
		}
		for i := range v.NumField() {
			eachString(v.Field(i), visit)
		}
	}
}

// From no node at all to ten thousand, every pane can be made and drawn at every size, and no border breaks.
func TestEveryPaneOfClustersOfEverySize(t *testing.T) {
	for _, nodes := range []int{0, 1, 10_000} {
		t.Run(fmt.Sprint(nodes, " nodes"), func(t *testing.T) {
			c := newCrowd(t, nodes, 50)
			c.decide(1)
			collector := collect.New(collect.Run{Chronicle: c.chronicle})
			for _, pane := range everyPane {
				m := collector.Model(c.engine, collect.Look{Open: pane, Rows: 60, Columns: 220, Node: "node-00000", Pod: world.Ref{Namespace: "team-1", Name: "stuck-000001"}})
				for _, size := range [][2]int{{60, 16}, {80, 24}, {220, 60}} {
					canvas := draw.New(size[0], size[1])
					views.Screen(canvas, m, &views.State{Open: pane, Focus: views.QueuePane}, draw.Braille, c.now)
					for i, line := range strings.Split(canvas.Plain(), "\n") {
						if w := draw.Width(line); w != size[0] {
							t.Errorf("pane %d at %v: line %d is %d wide", pane, size, i, w)
						}
					}
				}
			}
		})
	}
}

// The same past makes the same models, byte for byte.
func TestTheSameInputsMakeTheSameModels(t *testing.T) {
	var models [2][]*views.Model
	for i := range models {
		e, ch := rushHour(t)
		c := collect.New(collect.Run{Source: "s", Chronicle: ch})
		for _, pane := range everyPane {
			look := collect.Look{Open: pane, Rows: 50, Columns: 120, Node: "worker-01", Pod: world.Ref{Namespace: "ml", Name: "trainer-1"}}
			models[i] = append(models[i], c.Model(e, look))
		}
	}
	if diff := cmp.Diff(models[0], models[1]); diff != "" {
		t.Errorf("twice the same is not the same:\n%s", diff)
	}
}

// A fork of engine and chronicle shows what they showed, and goes its own way.
func TestAForkShowsTheSameAndGoesItsOwnWay(t *testing.T) {
	e, ch := rushHour(t)
	f, err := e.Fork()
	if err != nil {
		t.Fatal(err)
	}
	twin := ch.Fork().(*collect.Chronicle)
	c := collect.New(collect.Run{Chronicle: ch})
	for _, pane := range everyPane {
		look := collect.Look{Open: pane, Rows: 50, Columns: 120, Node: "worker-01", Pod: world.Ref{Namespace: "ml", Name: "trainer-1"}}
		before := c.Model(e, look)
		c.Follow(twin)
		if diff := cmp.Diff(before, c.Model(f, look)); diff != "" {
			t.Errorf("pane %d of the fork differs (-original +fork):\n%s", pane, diff)
		}
		c.Follow(ch)
	}
	look := collect.Look{Open: views.MetricsPane}
	before := c.Model(e, look)
	apply(t, f, twin, world.Changed{Op: world.Added, Object: mk.Pod("more").Namespace("shop").CPU("1m").Obj()})
	if diff := cmp.Diff(before, c.Model(e, look)); diff != "" {
		t.Errorf("what happens in the fork shows in the original:\n%s", diff)
	}
}

// What was handed out stays as it is, whatever happens afterwards: it is drawn while the engine goes on.
func TestAModelDoesNotChangeOnceItIsHandedOut(t *testing.T) {
	c := newCrowd(t, 20, 200)
	collector := collect.New(collect.Run{Chronicle: c.chronicle})
	look := collect.Look{Open: views.Overview, Rows: 40, Columns: 120}
	m := collector.Model(c.engine, look)
	text := fmt.Sprintf("%+v %+v %+v", *m.Queue, *m.Snapshot, *m.Zones)
	for range 50 {
		c.decide(1)
		collector.Model(c.engine, look)
	}
	if now := fmt.Sprintf("%+v %+v %+v", *m.Queue, *m.Snapshot, *m.Zones); now != text {
		t.Errorf("the model has changed:\n%s", cmp.Diff(text, now))
	}
}

// A filter over a long queue is answered bit by bit, and in the end in full.
func TestALongQueueIsFilteredBitByBit(t *testing.T) {
	c := newCrowd(t, 3, 30_000)
	collector := collect.New(collect.Run{Chronicle: c.chronicle})
	look := collect.Look{Open: views.QueuePane, Rows: 20, Filter: mustFilter(t, "stuck -n team-3"), Sort: "name"}
	m := collector.Model(c.engine, look)
	if !m.Narrowed.Partial || m.Narrowed.Of != 30_000 {
		t.Errorf("the first answer is %+v, want a part of 30,000", *m.Narrowed)
	}
	for calls := 1; m.Narrowed.Partial; calls++ {
		if calls > 10 {
			t.Fatal("it is not through after 10 calls")
		}
		m = collector.Model(c.engine, look)
	}
	want := 0
	for i := range 6000 {
		if i%7 == 3 {
			want++
		}
	}
	if m.Narrowed.Matches != want || m.Queue.Pods.At(0).Name != "team-3/stuck-000003" {
		t.Errorf("%d are left from %s on, want %d from team-3/stuck-000003 on", m.Narrowed.Matches, m.Queue.Pods.At(0).Name, want)
	}
}

func TestWhatOthersMakeIsPassedOn(t *testing.T) {
	e, _ := rushHour(t)
	timeline, whatIf := &views.Timeline{Speed: "2x"}, &views.WhatIf{Question: "?"}
	m := collect.New(collect.Run{}).Model(e, collect.Look{Open: views.WhatIfPane, Timeline: timeline, WhatIf: whatIf})
	if m.Timeline != timeline || m.WhatIf != whatIf {
		t.Errorf("got %v and %v", m.Timeline, m.WhatIf)
	}
}
