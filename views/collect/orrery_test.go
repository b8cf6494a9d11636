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
