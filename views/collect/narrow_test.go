package collect_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/filter"
)

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

func TestQueue_Filter(t *testing.T) {
	e, ch := busyCluster(t)
	c := collect.New(collect.Options{History: ch})
	for _, tt := range []struct {
		name, text, sort string
		reverse          bool
		want             []string
	}{
		{"a namespace", "-n ml", "", false, []string{"ml/trainer-0", "ml/trainer-1", "ml/trainer-2"}},
		{"the inverse", "!trainer", "", false, []string{"batch/nightly"}},
		{"a state", "gated", "", false, []string{"batch/nightly"}},
		{"a plugin that rejected it", "noderesourcesfit", "", false, []string{"ml/trainer-0", "ml/trainer-1", "ml/trainer-2"}},
		{"another order", "", "name", false, []string{"batch/nightly", "ml/trainer-0", "ml/trainer-1", "ml/trainer-2"}},
		{"reversed", "", "", true, []string{"batch/nightly", "ml/trainer-2", "ml/trainer-1", "ml/trainer-0"}},
		{"no match", "absent", "", false, []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := c.Model(e, collect.Query{Open: views.QueuePane, Rows: 10, Filter: mustFilter(t, tt.text), Sort: tt.sort, Reverse: tt.reverse})
			if got := podNames(m.Queue.Pods.Rows); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if want := (views.Filtered{Matches: len(tt.want), Of: 4}); *m.Filtered != want {
				t.Errorf("Filtered is %+v, want %+v", *m.Filtered, want)
			}
		})
	}
}

// Every order of every list has the list's rows, and is reversible.
func TestSorts_ShowSameRows(t *testing.T) {
	busy, ch := busyCluster(t)
	pod := world.PodRef{Namespace: "ml", Name: "trainer-2"}
	for _, pane := range everyPane {
		e, c := busy, collect.New(collect.Options{History: ch})
		if pane == views.DevicesPane || pane == views.DeviceClaimsPane {
			e = largeDevices(t, 20)
		}
		if pane == views.GangsPane {
			e = largeGangs(t, 20)
		}
		query := collect.Query{Open: pane, Rows: 1000, Pod: pod, Node: "worker-01"}
		plain := rowsOf(c.Model(e, query))
		for _, sort := range sortsOf(pane) {
			query.Sort = sort
			sorted := rowsOf(c.Model(e, query))
			query.Reverse = true
			reversed := rowsOf(c.Model(e, query))
			query.Reverse = false
			if len(sorted) == 0 || len(sorted) != len(plain) {
				t.Errorf("pane %q by %s has %d rows, want %d", pane, sort, len(sorted), len(plain))
			}
			slices.Reverse(reversed)
			if diff := cmp.Diff(sorted, reversed); diff != "" {
				t.Errorf("pane %q by %s, reversed:\n%s", pane, sort, diff)
			}
			slices.Sort(sorted)
			if diff := cmp.Diff(slices.Sorted(slices.Values(plain)), sorted); diff != "" {
				t.Errorf("pane %q by %s has other rows:\n%s", pane, sort, diff)
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
	case m.Storage != nil:
		for _, r := range m.Storage.ClaimList.Rows {
			add(r.Key)
		}
		for _, r := range m.Storage.VolumeList.Rows {
			add(r.Key)
		}
	case m.Devices != nil:
		for _, r := range m.Devices.List.Rows {
			add(r.Key)
		}
		for _, r := range m.Devices.ClaimList.Rows {
			add(r.Key)
		}
	case m.Gangs != nil:
		for _, r := range m.Gangs.List.Rows {
			add(r.Key)
		}
	case m.List != nil:
		switch list := m.List.(type) {
		case *views.List[views.NodeRow]:
			for _, r := range list.Rows {
				add(r.Key)
			}
		case *views.List[views.ClusterPod]:
			for _, r := range list.Rows {
				add(r)
			}
		}
	case m.Pressure != nil:
		for _, r := range m.Pressure.Pods.Rows {
			r.Rank = 0 // differs by signal
			add(r.Name)
		}
	}
	return rows
}

// A filter on a long queue yields partial results until it is complete.
func TestQueue_FilterWalksInParts(t *testing.T) {
	c := newLargeCluster(t, 3, 30_000)
	collector := collect.New(collect.Options{History: c.history})
	query := collect.Query{Open: views.QueuePane, Rows: 20, Filter: mustFilter(t, "stuck -n team-3"), Sort: "name"}
	m := collector.Model(c.engine, query)
	if !m.Filtered.Partial || m.Filtered.Of != 30_000 {
		t.Errorf("the first result is %+v, want a part of 30,000", *m.Filtered)
	}
	for calls := 1; m.Filtered.Partial; calls++ {
		if calls > 10 {
			t.Fatal("not complete after 10 calls")
		}
		m = collector.Model(c.engine, query)
	}
	want := 0
	for i := range 6000 {
		if i%7 == 3 {
			want++
		}
	}
	if m.Filtered.Matches != want || m.Queue.Pods.At(0).Name != "team-3/stuck-000003" {
		t.Errorf("%d matches from %s on, want %d from team-3/stuck-000003 on", m.Filtered.Matches, m.Queue.Pods.At(0).Name, want)
	}
}

// sortsOf are the orders of a pane's list; the overview has none.
func sortsOf(id views.PaneID) []string {
	if p := views.PaneOf(id); p != nil {
		return p.Sorts()
	}
	return nil
}

// A pod that waits for a permit has a binding, and is in flight in the queue: it is listed once.
func TestQueue_ListsWaitingPodOnce(t *testing.T) {
	features, err := config.ParseFeatureFlag("GenericWorkload=true", "GangScheduling=true")
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Start: start, Config: config.Default(features)})
	if err != nil {
		t.Fatal(err)
	}
	objects := []world.Object{mk.Node("n").CPU("2").Pods("10").Obj(), mk.Workload("train", mk.Gang("workers", 3))}
	for _, name := range []string{"a", "b", "c"} {
		objects = append(objects, mk.Pod(name).CPU("1").InGroup("train", "workers").Obj())
	}
	for _, o := range objects {
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	for more := true; more; {
		_, more = e.Step()
	}
	c := collect.New(collect.Options{})
	for _, text := range []string{"", "default"} {
		m := c.Model(e, collect.Query{Open: views.QueuePane, Rows: 10, Filter: mustFilter(t, text)})
		for _, p := range m.Queue.Pods.Rows[:2] {
			if p.Attempts != 1 {
				t.Errorf("%s is in flight in attempt %d, want 1", p.Key, p.Attempts)
			}
		}
		if got := podNames(m.Queue.Pods.Rows); !slices.Equal(got, []string{"default/a", "default/b", "default/c"}) || m.Queue.Counts.InFlight != 2 || m.Queue.Pods.Total != 3 {
			t.Errorf("filter %q: pods %v of %d, %d in flight; want three, two in flight", text, got, m.Queue.Pods.Total, m.Queue.Counts.InFlight)
		}
	}
}
