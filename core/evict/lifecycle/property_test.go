package lifecycle_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"orrery/core/evict"
	"orrery/core/evict/lifecycle"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// randomHistory draws changes of six nodes in two zones and of a pod on each.
func randomHistory(t *rapid.T) []world.Input {
	var inputs []world.Input
	at, version := noon, 0
	for range rapid.IntRange(3, 40).Draw(t, "steps") {
		at = at.Add(time.Duration(rapid.IntRange(0, 200).Draw(t, "wait")) * 100 * time.Millisecond)
		i := rapid.IntRange(0, 5).Draw(t, "node")
		name, zone := "n"+strconv.Itoa(i), "z"+strconv.Itoa(i%2)
		words := []string{rapid.SampledFrom([]string{"ready", "ready", "notready", "unknown", "none"}).Draw(t, "ready")}
		if rapid.IntRange(0, 5).Draw(t, "cordoned") == 0 {
			words = append(words, "cordoned")
		}
		var object world.Object = nodeOf(name+"@"+zone, at, words)
		if rapid.IntRange(0, 5).Draw(t, "pod") == 0 {
			object = mk.Pod("p" + strconv.Itoa(i)).Node(name).Obj()
		}
		version++
		object.SetResourceVersion(strconv.Itoa(version))
		inputs = append(inputs, world.Input{At: at, Event: world.Changed{Op: world.Modified, Object: object}})
	}
	return append(inputs, world.Input{At: at.Add(5 * time.Minute), Event: world.Tick{}})
}

func playAll(m *lifecycle.Controller, inputs []world.Input) []lifecycle.Change {
	for _, in := range inputs {
		m.Apply(in)
	}
	return m.Changes()
}

func newController(b *evict.Record) *lifecycle.Controller {
	return lifecycle.New(lifecycle.Options{Start: noon, Heartbeats: true, Record: b})
}

// Each zone adds one NoExecute taint in 10 s; a taint that replaces its opposite does not count.
func TestController_ZoneRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		last := map[int]time.Time{}
		for _, c := range playAll(newController(nil), randomHistory(t)) {
			for _, added := range c.Add {
				if added.Effect != v1.TaintEffectNoExecute || len(c.Remove) > 0 {
					continue
				}
				zone := int(c.Node[1]-'0') % 2
				if before, known := last[zone]; known && c.At.Sub(before) < 10*time.Second {
					t.Fatalf("zone %d: taints at %v and %v", zone, before.Sub(noon), c.At.Sub(noon))
				}
				last[zone] = c.At
			}
		}
	})
}

// While one node is ready, every node gets exactly the taint of its condition in the end.
func TestController_EveryNodeGetsItsTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := lifecycle.New(lifecycle.Options{Start: noon})
		inputs := randomHistory(t)
		end := inputs[len(inputs)-1].At
		m.Apply(world.Input{At: noon, Event: world.Changed{Object: nodeOf("healthy@z2", noon, []string{"ready"})}})
		taints, ready := map[string]map[string]bool{}, map[string]v1.ConditionStatus{}
		for _, in := range inputs {
			applyChanges(taints, playAll(m, []world.Input{{At: in.At, Event: world.Tick{}}}))
			if change, ok := in.Event.(world.Changed); ok {
				if node, ok := change.Object.(*v1.Node); ok {
					taints[node.Name], ready[node.Name] = map[string]bool{}, "" // the update overwrote the taints
					if len(node.Status.Conditions) > 0 {
						ready[node.Name] = node.Status.Conditions[0].Status
					}
				}
			}
			applyChanges(taints, playAll(m, []world.Input{in}))
		}
		applyChanges(taints, playAll(m, []world.Input{{At: end.Add(time.Hour), Event: world.Tick{}}}))
		for node, has := range taints {
			want := map[string]bool{}
			switch ready[node] {
			case v1.ConditionFalse:
				want[v1.TaintNodeNotReady] = true
			case v1.ConditionUnknown:
				want[v1.TaintNodeUnreachable] = true
			}
			if diff := cmp.Diff(want, has); diff != "" {
				t.Fatalf("NoExecute taints of %s, whose Ready is %q (-want +got):\n%s", node, ready[node], diff)
			}
		}
	})
}

func applyChanges(taints map[string]map[string]bool, changes []lifecycle.Change) {
	for _, c := range changes {
		if taints[c.Node] == nil {
			continue
		}
		for _, t := range c.Remove {
			if t.Effect == v1.TaintEffectNoExecute {
				delete(taints[c.Node], t.Key)
			}
		}
		for _, t := range c.Add {
			if t.Effect == v1.TaintEffectNoExecute {
				taints[c.Node][t.Key] = true
			}
		}
	}
}

func TestController_RepeatedAndLateInputs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := randomHistory(t)
		var repeated []world.Input
		for i, in := range inputs {
			repeated = append(repeated, in)
			for range rapid.IntRange(0, 2).Draw(t, "repeats") {
				repeat := inputs[rapid.IntRange(0, i).Draw(t, "repeat")]
				repeat.At = in.At
				repeated = append(repeated, repeat)
			}
		}
		once, again := evict.NewRecord(), evict.NewRecord()
		if diff := cmp.Diff(playAll(newController(once), inputs), playAll(newController(again), repeated)); diff != "" {
			t.Fatalf("changes (-once +repeated):\n%s", diff)
		}
		if diff := cmp.Diff(recordText(once), recordText(again)); diff != "" {
			t.Fatalf("records (-once +repeated):\n%s", diff)
		}
	})
}

func TestController_Fork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := randomHistory(t)
		cut := rapid.IntRange(0, len(inputs)-1).Draw(t, "fork at")
		b := evict.NewRecord()
		m := newController(b)
		playAll(m, inputs[:cut])
		fork, other := m.Fork(b.Fork()), m.Fork(b.Fork())
		removed := nodeOf("n0@z0", noon, nil)
		removed.UID = types.UID("node/n0")
		playAll(other, []world.Input{
			{At: inputs[cut].At, Event: world.Changed{Op: world.Deleted, Object: removed}},
			{At: inputs[cut].At.Add(time.Hour), Event: world.Tick{}},
		})
		want, got := playAll(m, inputs[cut:]), playAll(fork, inputs[cut:])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("changes (-original +fork):\n%s", diff)
		}
	})
}
