package collect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/demo"
	"orrery/demo/playback"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// TestOrrery_AgreesWithThePanes compares the picture with what the panes show of the same moment.
func TestOrrery_AgreesWithThePanes(t *testing.T) {
	for _, recording := range demo.Traces() {
		name := recording.Name
		d := playRecording(t, name)
		length := d.End().Sub(d.Start())
		for part := range 30 {
			d.SeekTo(d.Start().Add(length * time.Duration(part+1) / 30))
			checkOrrery(t, d)
			if t.Failed() {
				t.Fatalf("that was %s at %v", name, d.Now().Sub(d.Start()))
			}
		}
	}
}

func playRecording(t *testing.T, name string) *playback.Recording {
	t.Helper()
	file, err := demo.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := playback.Open(file, playback.Options{Name: name, Follower: func(*engine.Engine) play.Follower { return collect.NewHistory(collect.HistoryOptions{}) }})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func checkOrrery(t *testing.T, d *playback.Recording) {
	t.Helper()
	history, _ := d.Follower().(*collect.History)
	c := collect.New(collect.Options{History: history})
	model := func(pane views.PaneID) *views.Model {
		return c.Model(d.Engine(), collect.Query{Open: pane, Rows: 5000, Columns: 5000})
	}
	v, zones := model(views.OrreryPane).Orrery, model(views.ZonesPane).Zones
	nodes, _ := model(views.NodesPane).List.(*views.List[views.NodeRow])
	if len(v.Bodies) != nodes.Total || v.Nodes.Total != nodes.Total {
		t.Errorf("it has %d bodies and %d rows of %d nodes", len(v.Bodies), v.Nodes.Total, nodes.Total)
	}
	results, next := searchedNodes(zones, model(views.SnapshotPane).Snapshot.List.Rows)
	for i, b := range v.Bodies {
		row := nodes.At(i)
		if want := results[row.Key]; b.Result != max(want, views.NotVisited) {
			t.Errorf("%s is %d in the search, and %d in the zones", row.Key, b.Result, want)
		}
		const recent = views.Changed | views.Fading
		if level := uint8(255 * min(max(row.CPU.Fraction, row.Memory.Fraction), 1)); b.Level != level || b.Flags != row.Flags&^recent {
			t.Errorf("%s is %+v in the picture, and %+v in its row", row.Key, b, row)
		}
		if row.Zone != v.Zones[v.Order.Of[i]] {
			t.Errorf("%s is in zone %q and on the ring of %q", row.Key, row.Zone, v.Zones[v.Order.Of[i]])
		}
	}
	if _, is := results[next]; is && v.Start < nodes.Total && nodes.At(v.Start).Key != next && slices.ContainsFunc(nodes.Rows, func(n views.NodeRow) bool { return n.Key == next }) {
		t.Errorf("the next search starts at %s in the picture, and at %s in the zones", nodes.At(v.Start).Key, next)
	}
	if v.Last != nil {
		if diff := cmp.Diff(zones.Searches[0], *v.Last); diff != "" {
			t.Errorf("the last search differs from the zones' (-zones +orrery):\n%s", diff)
		}
	}
	if counts := model(views.QueuePane).Queue.Counts; counts != v.Counts {
		t.Errorf("the belt counts %+v and the queue %+v", v.Counts, counts)
	}
	if evictions := model(views.EvictionsPane).Evictions; evictions.Counts[views.StateTerminating] != v.Terminating {
		t.Errorf("%d pods terminate, in the evictions %d", v.Terminating, evictions.Counts[views.StateTerminating])
	}
	if diff := cmp.Diff(model(views.LeaderPane).Leader, v.Leader); diff != "" {
		t.Errorf("the leader differs from its pane's:\n%s", diff)
	}
	for _, size := range [][2]int{{80, 24}, {100, 30}, {140, 40}, {220, 60}} {
		checkDrawing(t, v, d.Now(), size[0], size[1])
	}
}

// searchedNodes are the last search's results by node, and where the next one starts, as the lanes have them: the snapshot's nodes in
// their order, zone by zone.
func searchedNodes(zones *views.Zones, order []views.NodeRow) (results map[string]views.LaneCell, next string) {
	results = map[string]views.LaneCell{}
	seen, lanes := map[string]int{}, map[string]views.Lane{}
	for _, l := range zones.Lanes {
		lanes[l.Zone] = l
	}
	for i, n := range order {
		results[n.Key] = lanes[n.Zone].Cells[seen[n.Zone]]
		if seen[n.Zone]++; i == zones.Start%len(order) {
			next = n.Key
		}
	}
	return results, next
}

// checkDrawing looks for the picture's numbers on a screen of a size.
func checkDrawing(t *testing.T, v *views.Orrery, now time.Time, w, h int) {
	t.Helper()
	canvas := draw.New(w, h)
	views.Screen(canvas, &views.Model{Orrery: v}, &views.State{Open: views.OrreryPane}, draw.Braille, now)
	text := canvas.Plain()
	wanted := []string{
		fmt.Sprintf("● %d active", v.Counts.Active), fmt.Sprintf("◔ %d backing off", v.Counts.Backoff), fmt.Sprintf("✗ %d unsched", v.Counts.Unschedulable),
		fmt.Sprintf("%d nodes in %d zones", len(v.Bodies), len(v.Zones)),
	}
	if v.Last != nil {
		wanted = append(wanted, fmt.Sprintf("○ %d examined   ● %d feasible   ✗ %d rejected", v.Last.Examined, v.Last.Feasible, v.Last.Examined-v.Last.Feasible))
	}
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("at %dx%d it does not show %q:\n%s", w, h, want, text)
		}
	}
}

// TestOrrery_Preemption steps to a preemption: its node is marked, and its victims depart from it at that moment.
func TestOrrery_Preemption(t *testing.T) {
	d := playRecording(t, "priority-storm")
	for d.StepDecision() {
		var last *engine.Decision
		for last = range d.Engine().Decisions() {
			break
		}
		if last.Preemption == nil {
			continue
		}
		history, _ := d.Follower().(*collect.History)
		v := collect.New(collect.Options{History: history}).Model(d.Engine(), collect.Query{Open: views.OrreryPane, Rows: 100}).Orrery
		if v.Nominated < 0 || v.Nodes.At(v.Nominated).Key != last.Nominated || v.Victims != len(last.Preemption.Victims) {
			t.Errorf("it marks node %d for %d victims, want %s for %d", v.Nominated, v.Victims, last.Nominated, len(last.Preemption.Victims))
		}
		departing := 0
		for _, eviction := range v.RecentEvictions {
			if eviction.Node == v.Nominated && eviction.At.Equal(last.At) {
				departing++
			}
		}
		if departing != v.Victims {
			t.Errorf("%d of %d victims depart", departing, v.Victims)
		}
		return
	}
	t.Error("there is no preemption")
}

// TestOrrery_RecentEvictionsAreShownForATime checks that a recent eviction is shown for its time only.
func TestOrrery_RecentEvictionsAreShownForATime(t *testing.T) {
	d := playRecording(t, "zone-failure")
	for _, m := range d.Marks() {
		if m.Mark.Kind == trace.Eviction {
			d.SeekTo(m.At)
			break
		}
	}
	shown := 0
	for range 100 {
		d.SeekTo(d.Now().Add(100 * time.Millisecond))
		history, _ := d.Follower().(*collect.History)
		v := collect.New(collect.Options{History: history}).Model(d.Engine(), collect.Query{Open: views.OrreryPane}).Orrery
		for _, eviction := range v.RecentEvictions {
			if age := d.Engine().Now().Sub(eviction.At); age < 0 || age >= views.RecentEvictionTime {
				t.Fatalf("at %v an eviction is listed that began %v ago", d.Now(), age)
			}
		}
		shown += len(v.RecentEvictions)
	}
	if shown == 0 {
		t.Error("in ten seconds nothing departs")
	}
}

func TestOrrery_Sizes(t *testing.T) {
	e, ch := busyCluster(t)
	sizes := func() (list []views.BodySize) {
		for _, b := range collect.New(collect.Options{History: ch}).Model(e, collect.Query{Open: views.OrreryPane}).Orrery.Bodies {
			list = append(list, b.Size)
		}
		return list
	}
	for i, size := range sizes() {
		if size != views.Medium {
			t.Errorf("node %d of nodes that are all alike is of size %d", i, size)
		}
	}
	apply(t, e, ch, world.Changed{Op: world.Added, Object: mk.Node("large").CPU("16").Memory("32Gi").Pods("110").Zone("zone-z").Obj()})
	apply(t, e, ch, world.Changed{Op: world.Added, Object: mk.Pod("refresh").Namespace("shop").CPU("100m").Obj()})
	counts := map[views.BodySize]int{}
	for _, size := range sizes() {
		counts[size]++
	}
	if diff := cmp.Diff(map[views.BodySize]int{views.Small: 9, views.Large: 1}, counts); diff != "" {
		t.Errorf("beside a node four times as large (-want +got):\n%s", diff)
	}
}

// TestOrrery_TellsWhatThePanesTell compares what the picture says in words and by its loop with what the panes show.
func TestOrrery_TellsWhatThePanesTell(t *testing.T) {
	d := playRecording(t, "morning-rush")
	d.SeekTo(d.Start().Add(70 * time.Second))
	history, _ := d.Follower().(*collect.History)
	c := collect.New(collect.Options{History: history})
	model := func(pane views.PaneID) *views.Model {
		return c.Model(d.Engine(), collect.Query{Open: pane, Rows: 5000, Columns: 5000})
	}
	v := model(views.OrreryPane).Orrery
	if latest := model(views.DecisionsPane).Decisions.List.Rows[0]; v.Decided == nil || v.Decided.Seq != latest.Seq {
		t.Errorf("the last decision is %+v, want number %d", v.Decided, latest.Seq)
	}
	if len(v.Returning) != min(v.Counts.Backoff, 48) || len(v.Returning) == 0 {
		t.Errorf("%d of %d back-offs are drawn", len(v.Returning), v.Counts.Backoff)
	}
	chosen, bad := 0, 0
	for _, n := range v.Named {
		if row := v.Nodes.At(n.Node); row.Name != n.Name {
			t.Errorf("node %d is called %s, and is %s", n.Node, n.Name, row.Name)
		}
		if n.Fact == "chosen" {
			chosen++
			continue
		}
		bad++
		for i, b := range v.Bodies { // no node that is not named is fuller
			named := slices.ContainsFunc(v.Named, func(o views.NamedBody) bool { return o.Node == i })
			if !named && b.Flags == 0 && v.Bodies[n.Node].Flags == 0 && b.Level > v.Bodies[n.Node].Level {
				t.Errorf("%s is named at %d, and a node with %d is not", n.Name, v.Bodies[n.Node].Level, b.Level)
			}
		}
	}
	if chosen > 1 || bad == 0 || bad > 3 {
		t.Errorf("%d chosen and %d bad nodes are named: %+v", chosen, bad, v.Named)
	}
	pods := 0
	for _, b := range v.Bodies {
		pods += b.Pods
	}
	if want := d.Engine().Cache().PodCount(); pods != want {
		t.Errorf("the moons are %d pods, and the cache has %d", pods, want)
	}
}

// TestOrrery_FlightsOfAWhatIf places the pods of a what-if at the nodes of the picture; a node with a hostile name is one that it has not.
func TestOrrery_FlightsOfAWhatIf(t *testing.T) {
	d := playRecording(t, "morning-rush")
	d.SeekTo(d.Start().Add(30 * time.Second))
	w := &views.WhatIf{}
	w.Changes.Rows = []views.WhatIfChange{
		{Pod: "a", Without: "shop-east-1", With: "shop-east-2"},
		{Pod: "b", Without: "shop-east-1", To: views.Unschedulable},
		{Pod: "c", With: "\x1b[2Jnew"},
		{Pod: "d", Without: "shop-east-1", To: views.Deleted},
		{Pod: "e", Without: "shop-east-1", Unchanged: true},
	}
	v := collect.New(collect.Options{}).Model(d.Engine(), collect.Query{Open: views.OrreryPane, Rows: 100, WhatIf: w}).Orrery
	if len(v.Flights) != 4 {
		t.Fatalf("%d pods fly: %+v", len(v.Flights), v.Flights)
	}
	name := func(i int) string { return v.Nodes.At(i).Name }
	if f := v.Flights; name(f[0].From) != "shop-east-1" || name(f[0].To) != "shop-east-2" || f[1].To != -1 || f[1].Gone || f[1].New || !f[2].New || f[2].From != -1 || !f[3].Gone {
		t.Errorf("they fly %+v", f)
	}
}
