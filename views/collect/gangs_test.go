package collect_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// gangEngine is an engine with the gates of gangs.
func gangEngine(t interface{ Fatal(...any) }) *engine.Engine {
	features, err := config.ParseFeatures(map[string]bool{"GenericWorkload": true, "GangScheduling": true})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Start: start, Config: config.Default(features)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// schedule applies objects, and schedules all pods that can be.
func schedule(t interface{ Fatal(...any) }, e *engine.Engine, objects ...world.Object) {
	for _, o := range objects {
		applyStorage(t, e, world.Added, o)
	}
	stepAll(e)
}

func stepAll(e *engine.Engine) {
	for more := true; more; {
		_, more = e.Step()
	}
}

func wait(t interface{ Fatal(...any) }, e *engine.Engine, d time.Duration) {
	if err := e.Apply(world.Input{At: e.Now().Add(d), Event: world.Tick{}}); err != nil {
		t.Fatal(err)
	}
	stepAll(e)
}

func gangsOf(c *collect.Collector, e *engine.Engine) *views.Gangs {
	return c.Model(e, collect.Query{Open: views.GangsPane, Rows: 1000}).Gangs
}

// workers are pods of a gang that request so much CPU each.
func workers(gang string, cpus ...string) []world.Object {
	var pods []world.Object
	for i, cpu := range cpus {
		pods = append(pods, mk.Pod(fmt.Sprint(gang, "-", i)).CPU(cpu).InGroup(gang, "workers").Obj())
	}
	return pods
}

// A row for each gang: its state, its pods by stage, what it waits for, and the pod that keeps it back.
func TestGangs_States(t *testing.T) {
	e := gangEngine(t)
	objects := []world.Object{mk.Node("n").CPU("10").Pods("100").Obj()}
	for name, least := range map[string]int32{"bound": 1, "few": 3, "huge": 2, "late": 2, "partly": 1, "none": 4} {
		objects = append(objects, mk.Workload(name, mk.Gang("workers", least)))
	}
	objects = append(objects, mk.Workload("plain", mk.BasicGroup("workers")), mk.Workload("other", mk.Gang("others", 2)))
	objects = append(objects, mk.Pod("bound-0").CPU("1").InGroup("bound", "workers").Node("n").Obj())
	objects = append(objects, workers("plain", "1")...)
	objects = append(objects, workers("lost", "1")...)
	objects = append(objects, workers("other", "1")...)
	objects = append(objects, workers("few", "1")...)
	objects = append(objects, workers("huge", "99", "99")...)
	objects = append(objects, workers("partly", "1", "99")...)
	objects = append(objects, workers("late", "5", "99")...)
	schedule(t, e, objects...)
	wait(t, e, 10*time.Second)
	c := collect.New(collect.Options{})
	check := func(want ...string) {
		t.Helper()
		var got []string
		for _, r := range gangsOf(c, e).List.Rows {
			got = append(got, fmt.Sprintf("%s %s %v of %d, waits for %q %q, %s", r.Name, r.State.Word(), r.Count, r.Least, r.Note, r.Reason, r.Pod))
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	rest := []string{
		`default/huge/workers unschedulable [0 0 0 0 0 0 2] of 2, waits for "room for 2 pods" "NodeResourcesFit", default/huge-0`,
		`default/few/workers incomplete [0 0 0 0 1 2 0] of 3, waits for "2 more pods" "", default/few-0`,
		`default/partly/workers partly bound [0 1 0 0 0 0 1] of 1, waits for "room for 1 pod" "NodeResourcesFit", default/partly-1`,
		`default/bound/workers bound [1 0 0 0 0 0 0] of 1, waits for "" "", default/bound-0`,
		`default/plain/workers no gang [0 1 0 0 0 0 0] of 0, waits for "" "", default/plain-0`,
		`default/none/workers no pods [0 0 0 0 0 0 0] of 4, waits for "its pods" "", `,
		`default/other/others no pods [0 0 0 0 0 0 0] of 2, waits for "its pods" "", `,
	}
	lost := []string{
		`default/lost/workers no workload [0 0 0 0 1 0 0] of 0, waits for "workload lost, which does not exist" "", default/lost-0`,
		`default/other/workers no workload [0 0 0 0 1 0 0] of 0, waits for "group workers, which its workload does not have" "", default/other-0`,
	}
	check(append(append(slices.Clone(lost), `default/late/workers on permit [0 0 1 0 0 0 1] of 2, waits for "room for 1 pod" "NodeResourcesFit", default/late-1`), rest...)...)
	h := c.Model(e, collect.Query{}).Header.Health
	if h.HoldingGangs != 1 || h.OneHolding != "default/late/workers" || h.TimedOutGangs != 0 || !h.HoldsUntil.Equal(start.Add(gangs.Timeout)) {
		t.Errorf("the health is %+v", h)
	}

	// At the deadline the pod loses its place, to another one that takes all the room.
	applyStorage(t, e, world.Added, mk.Pod("filler").CPU("7").Priority(9).Obj())
	stepAll(e)
	wait(t, e, gangs.Timeout-10*time.Second)
	check(append(append([]string{`default/late/workers timed out [0 0 0 0 0 0 2] of 2, waits for "room for 2 pods" "DefaultPreemption", default/late-0`}, lost...), rest...)...)
	if h := c.Model(e, collect.Query{}).Header.Health; h.TimedOutGangs != 1 || h.OneTimedOut != "default/late/workers" || h.HoldingGangs != 0 {
		t.Errorf("the health is %+v", h)
	}
}

// A workload is a row without pods until a replica of its group has some.
func TestGangs_ReplicasReplaceTheWorkload(t *testing.T) {
	e, c := gangEngine(t), collect.New(collect.Options{})
	schedule(t, e, mk.Workload("train", mk.Gang("workers", 2)))
	names := func() (names []string) {
		for _, r := range gangsOf(c, e).List.Rows {
			names = append(names, r.Name)
		}
		return names
	}
	if got := names(); !slices.Equal(got, []string{"default/train/workers"}) {
		t.Errorf("without pods: %v", got)
	}
	pod := mk.Pod("p").InGroup("train", "workers").Obj()
	mk.Replica(pod, "east")
	applyStorage(t, e, world.Added, pod)
	if got := names(); !slices.Equal(got, []string{"default/train/workers/east"}) {
		t.Errorf("with a replica: %v", got)
	}
	applyStorage(t, e, world.Deleted, pod)
	if got := names(); !slices.Equal(got, []string{"default/train/workers"}) {
		t.Errorf("when it is gone: %v", got)
	}
}

// What is kept from frame to frame is what reading everything again gives, whatever changed.
func TestGangs_FollowChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, kept := gangEngine(t), collect.New(collect.Options{})
		applyStorage(t, e, world.Added, mk.Node("n").CPU("4").Memory("8Gi").Pods("10").Obj())
		for range rapid.IntRange(1, 40).Draw(t, "changes") {
			changeGangs(t, e)
			if diff := gocmp.Diff(gangsOf(collect.New(collect.Options{}), e), gangsOf(kept, e), gocmp.AllowUnexported(views.Gangs{})); diff != "" {
				t.Fatalf("(-read again +kept):\n%s", diff)
			}
		}
	})
}

func changeGangs(t *rapid.T, e *engine.Engine) {
	pick := func(label string, names ...string) string { return rapid.SampledFrom(names).Draw(t, label) }
	name, gang := pick("pod", "a", "b", "c", "d"), pick("gang", "x", "y")
	held := e.Store().Pod("default", name)
	switch action := pick("action", "pod", "pod", "pod", "delete", "bind", "workload", "step", "step", "time", "node"); {
	case action == "workload" && e.Store().Object(world.Workload, "default", gang) != nil && rapid.Bool().Draw(t, "gone"):
		applyStorage(t, e, world.Deleted, mk.Workload(gang, mk.Gang("workers", 1)))
	case action == "workload":
		applyStorage(t, e, world.Modified, mk.Workload(gang, mk.Gang("workers", int32(rapid.IntRange(1, 3).Draw(t, "least")))))
	case action == "step":
		stepAll(e)
	case action == "time":
		wait(t, e, rapid.SampledFrom([]time.Duration{time.Second, time.Minute, gangs.Timeout}).Draw(t, "time"))
	case action == "node":
		applyStorage(t, e, world.Modified, mk.Node("n").CPU(pick("cpu", "1", "4", "9")).Memory("8Gi").Pods("10").Obj())
	case held == nil && action == "pod":
		pod := mk.Pod(name).CPU(pick("cpu", "1", "2", "9")).InGroup(gang, "workers").Obj()
		mk.Replica(pod, pick("replica", "", "", "r"))
		pod.UID = types.UID(name + "-uid")
		applyStorage(t, e, world.Added, pod)
	case held != nil && action == "delete":
		applyStorage(t, e, world.Deleted, held)
	case held != nil && action == "bind" && held.Spec.NodeName == "":
		bound := held.DeepCopy()
		bound.Spec.NodeName = "n"
		applyStorage(t, e, world.Modified, bound)
	}
}

// A filter finds gangs by state, stage, workload and pod, and pods by their gang; every order has all gangs.
func TestGangs_FilterAndSort(t *testing.T) {
	e, c := largeGangs(t, 8), collect.New(collect.Options{})
	for text, want := range map[string]int{"bound": 2, "permit": 2, "-g gang-00001": 1, "-g default/gang-00001/workers": 1, "-g gang": 0, "gang-00003-07": 1, "missing": 2, "-n shop": 0} {
		if got := len(c.Model(e, collect.Query{Open: views.GangsPane, Rows: 100, Filter: mustFilter(t, text)}).Gangs.List.Rows); got != want {
			t.Errorf("%q finds %d gangs, want %d", text, got, want)
		}
	}
	for pane, want := range map[views.PaneID]int{views.PodsPane: 10, views.QueuePane: 10} {
		m := c.Model(e, collect.Query{Open: pane, Rows: 100, Filter: mustFilter(t, "-g default/gang-00003/workers")})
		if m.Filtered.Matches != want {
			t.Errorf("pane %s has %d pods of a gang, want %d", pane, m.Filtered.Matches, want)
		}
	}
}

// A pod on permit says for how many it waits, and until when.
func TestQueue_GangOnPermit(t *testing.T) {
	e := gangEngine(t)
	schedule(t, e, append(workers("train", "1", "99", "99"), mk.Node("n").CPU("2").Pods("10").Obj(), mk.Workload("train", mk.Gang("workers", 3)))...)
	p := collect.New(collect.Options{}).Model(e, collect.Query{Open: views.QueuePane, Rows: 10}).Queue.Pods.Rows[0]
	if p.Reason != "needs 2 more of gang train/workers" || !p.Until.Equal(start.Add(gangs.Timeout)) {
		t.Errorf("it %s until %v", p.Reason, p.Until)
	}
}

// largeGangs has n gangs of ten pods in turn: bound, incomplete, unschedulable, and on permit.
func largeGangs(t interface{ Fatal(...any) }, n int) *engine.Engine {
	e := gangEngine(t)
	add := func(o world.Object) {
		if err := e.Apply(world.Input{At: e.Now(), Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	add(mk.Node("n").CPU("1000000").Pods("1000000").Obj())
	for _, kind := range [...]int{0, 2, 3, 1} { // the incomplete ones last: each pod that comes is a hint for every gated one
		for i := kind; i < n; i += 4 {
			name := fmt.Sprintf("gang-%05d", i)
			add(mk.Workload(name, mk.Gang("workers", 10)))
			for j := range 10 {
				pod := mk.Pod(fmt.Sprintf("%s-%02d", name, j)).CPU("1").InGroup(name, "workers").NeverPreempt()
				switch {
				case kind == 0:
					pod.Node("n")
				case kind == 1 && j > 6:
					continue
				case kind == 2, kind == 3 && j > 6:
					pod.CPU("9999999")
				}
				add(pod.Obj())
			}
		}
	}
	stepAll(e)
	return e
}

// touch changes a pod of a gang.
func touch(t testing.TB, e *engine.Engine, gang, i int) {
	was := e.Store().Pod("default", fmt.Sprintf("gang-%05d-00", gang))
	pod := was.DeepCopy()
	pod.Status.Conditions = append(pod.Status.Conditions[:0:0], v1.PodCondition{Type: v1.PodScheduled, Status: v1.ConditionFalse, Message: fmt.Sprintf("0/%d nodes are available: %d Insufficient cpu.", i, i)})
	if err := e.Apply(world.Input{At: e.Now(), Event: world.Changed{Op: world.Modified, Object: pod}}); err != nil {
		t.Fatal(err)
	}
}

// Everything is read in parts, and the parts together are the whole.
func TestGangs_ReadsInParts(t *testing.T) {
	e, c := largeGangs(t, 1000), collect.New(collect.Options{})
	v, parts := gangsOf(c, e), 1
	for ; v.Reading; parts++ {
		v = gangsOf(c, e)
	}
	want := [len(v.Count)]int{views.GangOnPermit: 250, views.GangUnschedulable: 250, views.GangIncomplete: 250, views.GangBound: 250}
	if parts < 3 || v.Count != want || v.Pods[views.GangPodOnPermit] != 1750 || v.Pods[views.GangPodMissing] != 750 {
		t.Errorf("after %d parts there are %v gangs of %v pods", parts, v.Count, v.Pods)
	}
}

// A frame's allocations do not depend on the number of gangs.
func TestGangs_AllocationsAreBounded(t *testing.T) {
	allocs := func(n int) float64 {
		e, c, canvas := largeGangs(t, n), collect.New(collect.Options{}), draw.New(120, 40)
		for deviceFrame(e, c, canvas, views.GangsPane, 0) {
		}
		i := 0
		return testing.AllocsPerRun(20, func() {
			i++
			touch(t, e, n/2+2, i)
			deviceFrame(e, c, canvas, views.GangsPane, n/2)
		})
	}
	few, many := allocs(200), allocs(1000)
	if few > 1000 || many > 1.3*few {
		t.Errorf("a frame allocates %v times with 200 gangs and %v with 1,000, want at most 1000 and 30%% more", few, many)
	}
}

// BenchmarkGangs is one frame of 5,000 gangs of ten pods: the slowest until all were read, and then with and without a change.
func BenchmarkGangs(b *testing.B) {
	const n = 5000
	e, canvas, i := largeGangs(b, n), draw.New(140, 40), 0
	b.Run("first", func(b *testing.B) {
		var slowest time.Duration
		for b.Loop() {
			c := collect.New(collect.Options{})
			for partial := true; partial; {
				at := b.Elapsed()
				partial = deviceFrame(e, c, canvas, views.GangsPane, 0)
				slowest = max(slowest, b.Elapsed()-at)
			}
		}
		b.ReportMetric(float64(slowest.Microseconds())/1000, "ms-slowest")
	})
	for _, pane := range []views.PaneID{views.GangsPane, views.Overview} {
		for _, changed := range []bool{false, true} {
			b.Run(fmt.Sprintf("pane=%s/changed=%v", pane, changed), func(b *testing.B) {
				c := collect.New(collect.Options{})
				for deviceFrame(e, c, canvas, pane, n/2) {
				}
				b.ReportAllocs()
				for b.Loop() {
					if i++; changed {
						b.StopTimer()
						touch(b, e, 2502, i)
						b.StartTimer()
					}
					deviceFrame(e, c, canvas, pane, n/2)
				}
			})
		}
	}
}
