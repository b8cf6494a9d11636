package queue_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/scheduler/queue"
	"orrery/core/testing/mk"
)

// Every window of every part is what one cuts out of the part as a whole, whatever was done to the queue before, and a
// fork has the same windows.
func TestWindow_IsPartOfSortedState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newModel(drawOptions(t))
		for _, d := range drawActions(t) {
			a.apply(d)
		}
		first, n := rapid.IntRange(0, 4).Draw(t, "first"), rapid.IntRange(0, 4).Draw(t, "n")
		for part, whole := range map[queue.State][]*queue.Pod{
			queue.Active: sortedPods(a.queue, queue.Active), queue.Backoff: sortedPods(a.queue, queue.Backoff), queue.InFlight: a.queue.InFlight(),
			queue.Unschedulable: sortedPods(a.queue, queue.Unschedulable), queue.Gated: sortedPods(a.queue, queue.Gated),
		} {
			want := named(whole[min(first, len(whole)):min(first+n, len(whole))])
			if got := named(a.queue.Window(nil, part, first, n)); !slices.Equal(got, want) {
				t.Errorf("%s from %d on, %d of them: got %v, want %v of %v", part, first, n, got, want, named(whole))
			}
			all := named(a.queue.Pods(nil, part))
			slices.Sort(all)
			if want := slices.Sorted(slices.Values(named(whole))); !slices.Equal(all, want) {
				t.Errorf("all of %s are %v, want %v", part, all, want)
			}
		}
	})
}

func named(pods []*queue.Pod) []string {
	names := []string{}
	for _, p := range pods {
		names = append(names, p.Pod().Name)
	}
	return names
}

// Far down a long queue the same holds as near its head.
func TestWindow_FarDownLongQueue(t *testing.T) {
	q, now := queue.New(queue.DefaultOptions()), clock("12:00:00")
	for i := range 3000 {
		q.Add(mk.Pod(fmt.Sprint("p", i)).Priority(int32(i*7919%101)).Obj(), now.Add(time.Duration(i)*time.Millisecond))
	}
	whole := named(sortedPods(q, queue.Active))
	for _, first := range []int{0, 1000, 1023, 1024, 2000, 2990, 3000} {
		if diff := gocmp.Diff(whole[first:min(first+20, 3000)], named(q.Window(nil, queue.Active, first, 20))); diff != "" {
			t.Errorf("the window at %d differs (-want +got):\n%s", first, diff)
		}
	}
	if err := q.Check(); err != nil {
		t.Error(err)
	}
}

func TestSortWindow_SortsOnlyWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfNDistinct(rapid.Int(), 0, 400, func(i int) int { return i }).Draw(t, "items")
		first, n := rapid.IntRange(0, 400).Draw(t, "first"), rapid.IntRange(0, 400).Draw(t, "n")
		want := slices.Sorted(slices.Values(items))
		first = min(first, len(items))
		end := min(first+n, len(items))
		queue.SortWindow(items, first, n, cmp.Compare[int])
		if !slices.Equal(items[first:end], want[first:end]) {
			t.Errorf("got %v, want %v", items[first:end], want[first:end])
		}
		slices.Sort(items)
		if !slices.Equal(items, want) {
			t.Errorf("something was lost: %v, want %v", items, want)
		}
	})
}

// The curve ends with the counts of now, and has for every second what follows from the moves up to its end.
func TestDepthHistory_FollowsMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newModel(drawOptions(t))
		for _, d := range drawActions(t) {
			a.apply(d)
		}
		var history queue.DepthHistory
		for i := range a.records {
			history.Add(&a.records[i])
		}
		end := a.now.Unix()
		curve := history.Until(end, nil)
		if len(curve) != queue.DepthSeconds {
			t.Fatalf("the curve has %d seconds, want %d", len(curve), queue.DepthSeconds)
		}
		for i, got := range curve {
			second, want := end-queue.DepthSeconds+1+int64(i), 0.0
			for _, r := range a.records {
				if r.Kind != queue.Moved || r.At.Unix() > second {
					continue
				}
				if r.To != queue.Gone && r.To != queue.InFlight {
					want++
				}
				if r.From != queue.Gone && r.From != queue.InFlight {
					want--
				}
			}
			if got != want {
				t.Errorf("%d s before the end %v waited, want %v", end-second, got, want)
			}
		}
		n := a.queue.Counts()
		if now := n.Active + n.Backoff + n.ErrorBackoff + n.Unschedulable + n.Gated; curve[len(curve)-1] != float64(now) {
			t.Errorf("now %v wait, want %d", curve[len(curve)-1], now)
		}
	})
}

func TestDepthHistory_LongIdle(t *testing.T) {
	var history queue.DepthHistory
	at := clock("12:00:00")
	history.Add(&queue.Transition{At: at, To: queue.Active})
	history.Add(&queue.Transition{At: at, To: queue.Gated})
	history.Add(&queue.Transition{At: at.Add(time.Hour), From: queue.Active, To: queue.InFlight})
	for _, tt := range []struct {
		name  string
		at    time.Time
		want  float64
		first float64
	}{
		{"the first second, before which no pod was pending", at, 0, 0},
		{"an hour later, when one has gone", at.Add(time.Hour), 1, 2},
		{"long after the last move", at.Add(3 * time.Hour), 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			curve := history.Until(tt.at.Unix(), nil)
			if got := curve[len(curve)-1]; got != tt.want {
				t.Errorf("at last %v wait, want %v", got, tt.want)
			}
			if curve[0] != tt.first {
				t.Errorf("at first %v wait, want %v", curve[0], tt.first)
			}
		})
	}
}

// All moves that a journal keeps come newest first, each once.
func TestJournal_Newest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := queue.NewJournal()
		j.PerPod, j.Overall = rapid.IntRange(1, 4).Draw(t, "per pod"), rapid.IntRange(1, 12).Draw(t, "overall")
		uids := map[types.UID]bool{}
		for seq := range uint64(rapid.IntRange(0, 60).Draw(t, "moves")) {
			uid := types.UID(fmt.Sprint(rapid.IntRange(0, 5).Draw(t, "pod")))
			uids[uid] = true
			j.Add(&queue.Transition{Seq: seq, UID: uid})
		}
		var want, got []uint64
		for uid := range uids {
			way := j.Of(uid)
			for i := range way {
				want = append(want, way[i].Seq)
			}
			last := j.Last(uid, 2)
			if !slices.EqualFunc(last, way[max(len(way)-2, 0):], func(a, b queue.Transition) bool { return a.Seq == b.Seq }) {
				t.Errorf("the last two moves of %s are %v, want the end of %v", uid, last, way)
			}
		}
		slices.SortFunc(want, func(a, b uint64) int { return cmp.Compare(b, a) })
		for m := range j.Newest() {
			got = append(got, m.Seq)
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestPreEnqueueCounts_CallsAndRejections(t *testing.T) {
	gate := testPlugin{name: "Gate"}
	opts := queue.DefaultOptions()
	hints, err := queue.NewHints(gate)
	if err != nil {
		t.Fatal(err)
	}
	opts.Profiles = map[string]queue.Profile{mk.Pod("p").Obj().Spec.SchedulerName: {PreEnqueue: []fwk.PreEnqueuePlugin{gate}, Hints: hints}}
	q, now := queue.New(opts), clock("12:00:00")
	q.Add(mk.Pod("held").Label("Gate", "").Obj(), now)
	q.Add(mk.Pod("free").Obj(), now)
	want := []queue.PreEnqueueCount{{Plugin: "Gate", Calls: 2, Rejections: 1}}
	profile := mk.Pod("p").Obj().Spec.SchedulerName
	if diff := gocmp.Diff(want, q.PreEnqueueCounts(profile)); diff != "" {
		t.Errorf("the counts differ (-want +got):\n%s", diff)
	}
	fork := q.Fork(opts)
	fork.Add(mk.Pod("other").Obj(), now)
	if got := fork.PreEnqueueCounts(profile)[0].Calls; got != 3 {
		t.Errorf("the fork counts %d calls, want 3", got)
	}
	if got := q.PreEnqueueCounts(profile)[0].Calls; got != 2 {
		t.Errorf("after a call in the fork the queue counts %d, want 2", got)
	}
}

func BenchmarkQueue_Window(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		q, now := queue.New(queue.DefaultOptions()), clock("12:00:00")
		for i := range n {
			q.Add(mk.Pod(fmt.Sprint("p", i)).Obj(), now)
		}
		for _, first := range []int{0, n - 60} {
			b.Run(fmt.Sprintf("active=%d/first=%d", n, first), func(b *testing.B) {
				var room []*queue.Pod
				b.ReportAllocs()
				for b.Loop() {
					room = q.Window(room[:0], queue.Active, first, 60)
				}
			})
		}
	}
	for _, n := range []int{1000, 100_000} {
		q := fullQueue(b, n)
		for _, first := range []int{0, n - 60} {
			b.Run(fmt.Sprintf("parked=%d/first=%d", n, first), func(b *testing.B) {
				var room []*queue.Pod
				b.ReportAllocs()
				for b.Loop() {
					room = q.Window(room[:0], queue.Unschedulable, first, 60)
				}
			})
		}
	}
}

// The curve is the same at any time; a remainder of a negative second, before 1970, is negative.
func TestDepthHistory_BeforeUnixEpoch(t *testing.T) {
	curve := func(from time.Time) []float64 {
		var h queue.DepthHistory
		h.Add(&queue.Transition{At: from, To: queue.Active})
		h.Add(&queue.Transition{At: from.Add(3 * time.Second), To: queue.Backoff})
		h.Add(&queue.Transition{At: from.Add(5 * time.Minute), From: queue.Active, To: queue.InFlight})
		return h.Until(from.Add(5*time.Minute+time.Second).Unix(), nil)
	}
	want := curve(clock("12:00:00"))
	for _, from := range []time.Time{{}, time.Unix(-1, 0), time.Unix(-120, 500), time.Date(1960, 2, 29, 0, 0, 0, 0, time.UTC)} {
		if got := curve(from); !slices.Equal(got, want) {
			t.Errorf("from %v on the curve is\n%v\nwant\n%v", from, got, want)
		}
	}
}
