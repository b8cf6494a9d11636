package collect_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// pendingHistory is a random history of a queue: pods of every age come and go, are tried, wait and are bound.
type pendingHistory struct {
	*testing.T
	rng   *rand.Rand
	e     *engine.Engine
	pods  map[string]*v1.Pod
	count int
}

func (h *pendingHistory) apply(after time.Duration, event world.Event) {
	if err := h.e.Apply(world.Input{At: h.e.Now().Add(after), Event: event}); err != nil {
		h.Fatal(err)
	}
}

// addPod adds a pod that was created at some time, also long before the program started, or by a clock that is ahead.
func (h *pendingHistory) addPod() {
	h.count++
	b := mk.Pod(fmt.Sprintf("p-%03d", h.count)).CPU([]string{"1", "3", "90"}[h.rng.IntN(3)])
	if h.rng.IntN(8) == 0 {
		b.Gate("hold")
	}
	pod := b.Obj()
	pod.CreationTimestamp = metav1.NewTime(h.e.Now().Add(-time.Duration(h.rng.IntN(4000)-100) * time.Second).Truncate(time.Second))
	if h.rng.IntN(10) == 0 {
		pod.CreationTimestamp = metav1.Time{}
		pod.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse, LastTransitionTime: metav1.NewTime(h.e.Now().Add(-time.Hour))}}
	}
	h.pods[pod.Name] = pod
	h.apply(0, world.Changed{Op: world.Added, Object: pod})
}

func (h *pendingHistory) step() {
	switch h.rng.IntN(8) {
	case 0, 1:
		h.addPod()
	case 2:
		h.apply(time.Duration(h.rng.IntN(20_000))*time.Millisecond, world.Tick{})
	case 3:
		if len(h.pods) > 0 {
			name := fmt.Sprintf("p-%03d", 1+h.rng.IntN(h.count))
			if pod := h.pods[name]; pod != nil {
				delete(h.pods, name)
				h.apply(0, world.Changed{Op: world.Deleted, Object: pod})
			}
		}
	case 4:
		h.count++
		h.apply(0, world.Changed{Op: world.Added, Object: mk.Node(fmt.Sprintf("n-%03d", h.count)).CPU("3").Memory("8Gi").Pods("10").Obj()})
	default:
		d, decided := h.e.Step()
		for _, effect := range h.e.Effects() {
			if !world.HasOutcome(effect.Action) {
				continue
			}
			h.apply(0, world.EffectDone{Effect: effect.ID})
			if _, bind := effect.Action.(world.Bind); bind && decided {
				bound := h.pods[d.Pod.Name].DeepCopy()
				bound.Spec.NodeName = d.Node
				h.pods[bound.Name] = bound
				h.apply(0, world.Changed{Op: world.Modified, Object: bound})
			}
		}
	}
}

// pendingSince is computed from what the pod was created with.
func (h *pendingHistory) pendingSince(name string) time.Time {
	since := h.pods[name].CreationTimestamp.Time
	if since.IsZero() {
		since = h.pods[name].Status.Conditions[0].LastTransitionTime.Time
	}
	if since.After(h.e.Now()) {
		since = h.e.Now()
	}
	return since
}

// TestQueue_PendingSinceTheyHaveNoNode checks rows, orders and the health of random histories against their inputs.
func TestQueue_PendingSinceTheyHaveNoNode(t *testing.T) {
	for seed := range uint64(5) {
		e, err := engine.New(engine.Options{Start: start})
		if err != nil {
			t.Fatal(err)
		}
		h := &pendingHistory{T: t, rng: rand.New(rand.NewPCG(seed, 4)), e: e, pods: map[string]*v1.Pod{}}
		c := collect.New(collect.Options{})
		for i := range 300 {
			h.step()
			h.check(c)
			if t.Failed() {
				t.Fatalf("that was seed %d after %d steps", seed, i+1)
			}
		}
	}
}

func (h *pendingHistory) check(c *collect.Collector) {
	model := func(sort string) *views.Model {
		return c.Model(h.e, collect.Query{Open: views.QueuePane, Rows: 1000, Columns: 200, Sort: sort})
	}
	m := model("pending")
	rows := m.Queue.Pods.Rows
	var longest *views.PodRow
	for i := range rows {
		r := &rows[i]
		name := strings.TrimPrefix(r.Key, "default/")
		if want := h.pendingSince(name); !r.Pending.Equal(want) {
			h.Errorf("%s is pending since %v, want %v", r.Key, r.Pending, want)
		}
		moves := h.e.PodTransitions(h.pods[name].UID)
		if r.State != views.InFlight && !r.Since.Equal(moves[len(moves)-1].At) {
			h.Errorf("%s is %s since %v, want %v", r.Key, r.State.Word(), r.Since, moves[len(moves)-1].At)
		}
		if i > 0 && rows[i-1].Pending.After(r.Pending) {
			h.Errorf("%s stands before %s, which is pending for longer", rows[i-1].Key, r.Key)
		}
		tried := r.State == views.Unschedulable || r.State == views.Backoff || r.State == views.Active && r.Attempts > 0
		if tried && (longest == nil || cmp.Or(r.Pending.Compare(longest.Pending), strings.Compare(r.Key, longest.Key)) < 0) {
			longest = r
		}
	}
	health := m.Header.Health
	if longest != nil && health.Unplaced > 0 && (health.StuckKey != longest.Key || !health.StuckSince.Equal(longest.Pending)) {
		h.Errorf("the health names %s since %v, want %s since %v", health.StuckKey, health.StuckSince, longest.Key, longest.Pending)
	}
	if len(rows) == 0 {
		return
	}
	canvas := draw.New(200, 60)
	views.Screen(canvas, m, &views.State{Open: views.QueuePane, Sort: "pending"}, draw.Braille, h.e.Now())
	lines := strings.Split(canvas.Plain(), "\n")
	for _, r := range rows[:min(len(rows), 10)] {
		name := strings.TrimPrefix(r.Key, "default/")
		at := slices.IndexFunc(lines, func(line string) bool { // of the list: a transition has the state behind the name
			before, _, found := strings.Cut(line, name)
			return found && (strings.Contains(before, r.State.Word()) || strings.Contains(before, r.State.Short()))
		})
		if at < 0 {
			h.Errorf("there is no row of %s:\n%s", r.Key, canvas.Plain())
			return
		}
		before, after, _ := strings.Cut(lines[at], name)
		if age := age(h.e.Now().Sub(r.Since)); !slices.Contains(strings.Fields(before), age) {
			h.Errorf("the row %q does not say that it is so for %s", lines[at], age)
		}
		if age := age(h.e.Now().Sub(r.Pending)); !slices.Contains(strings.Fields(after), age) {
			h.Errorf("the row %q does not say that it is pending for %s", lines[at], age)
		}
	}
	if health.StuckKey != "" && health.Nodes > 0 && !strings.Contains(canvas.Plain(), strings.TrimPrefix(health.StuckKey, "default/")+" for "+age(h.e.Now().Sub(health.StuckSince))) {
		h.Errorf("the health line does not say how long %s is pending:\n%s", health.StuckKey, lines[1])
	}
}

func age(d time.Duration) string { return string(draw.AppendAge(nil, d)) }
