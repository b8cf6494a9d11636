package devices_test

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/scheduler/devices"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// counters returns the two slices of a pool whose devices share a counter.
func counters(driver, pool string, reach func(*mk.ResourceSliceBuilder) *mk.ResourceSliceBuilder) []world.Object {
	sets := reach(mk.ResourceSlice(driver+pool+"-counters", driver, pool).Pool(1, 2)).Obj()
	sets.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "set", Counters: map[string]resourcev1.Counter{"memory": {}}}}
	parts := reach(mk.ResourceSlice(driver+pool+"-parts", driver, pool).Pool(1, 2)).Devices("1").Obj()
	parts.Spec.Devices[0].ConsumesCounters = []resourcev1.DeviceCounterConsumption{{CounterSet: "set", Counters: sets.Spec.SharedCounters[0].Counters}}
	return []world.Object{sets, parts}
}

func on(node string) func(*mk.ResourceSliceBuilder) *mk.ResourceSliceBuilder {
	return func(b *mk.ResourceSliceBuilder) *mk.ResourceSliceBuilder { return b.Node(node) }
}

func everywhere(b *mk.ResourceSliceBuilder) *mk.ResourceSliceBuilder { return b.AllNodes() }

func inZone(zone string) func(*mk.ResourceSliceBuilder) *mk.ResourceSliceBuilder {
	return func(b *mk.ResourceSliceBuilder) *mk.ResourceSliceBuilder {
		b.Obj().Spec.NodeSelector = &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
			{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: []string{zone}},
		}}}}
		return b
	}
}

// slice returns the only slice of a pool, with a device.
func slice(pool string, reach func(*mk.ResourceSliceBuilder) *mk.ResourceSliceBuilder) *resourcev1.ResourceSlice {
	return reach(mk.ResourceSlice("s-"+pool, "d", pool)).Devices("1").Obj()
}

// A device is taken from each pool; the nodes that reach it have changed, and no others.
func TestReached_ChangesWithItsPools(t *testing.T) {
	nodes := []*v1.Node{mk.Node("n1").Zone("a").Obj(), mk.Node("n2").Zone("a").Obj(), mk.Node("n3").Zone("b").Obj()}
	late := counters("d", "p", on("n1"))
	late[1].(*resourcev1.ResourceSlice).Spec.Devices[0].ConsumesCounters[0].CounterSet = "none"
	binds := slice("p", everywhere)
	yes := true
	binds.Spec.Devices[0].BindsToNode = &yes
	for name, tt := range map[string]struct {
		slices  []world.Object
		changed string
		keys    int // different ones
	}{
		"a node's pool":                      {[]world.Object{slice("p", on("n1"))}, "n1", 2},
		"a pool of all nodes":                {[]world.Object{slice("p", everywhere), slice("q", on("n1"))}, "n1 n2 n3", 2},
		"a pool of some nodes":               {[]world.Object{slice("p", inZone("a"))}, "n1 n2 n3", 2},
		"a pool that binds to a node":        {[]world.Object{binds}, "n1 n2 n3", 3},
		"a node's pool with counters":        {counters("d", "p", on("n1")), "n1", 2},
		"a node's pool without all counters": {late, "n1 n2 n3", 2},
		"another pool":                       {[]world.Object{slice("q", on("n1"))}, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, devices.Gates{}, tt.slices...)
			before, keys := map[string]devices.Reached{}, map[devices.ReachKey]bool{}
			for _, node := range nodes {
				before[node.Name] = f.Reached(node)
				keys[before[node.Name].Key] = true
			}
			if len(keys) != tt.keys {
				t.Errorf("the nodes have %d keys, want %d", len(keys), tt.keys)
			}
			f.change(world.Added, with("c", "1"))
			var changed []string
			for _, node := range nodes {
				if f.Reached(node) != before[node.Name] {
					changed = append(changed, node.Name)
				}
			}
			if got := strings.Join(changed, " "); got != tt.changed {
				t.Errorf("changed: %s, want %s", got, tt.changed)
			}
		})
	}
}

func TestReached_IsTheSameForTheSameDevices(t *testing.T) {
	node := mk.Node("n").Obj()
	f := newFixture(t, devices.Gates{}, slice("p", on("n")), version(with("c", "1"), "1"))
	before := f.Reached(node)
	f.change(world.Modified, version(with("c", "1"), "2"))
	if f.Reached(node) != before {
		t.Error("a claim that keeps its devices changes what the node reaches")
	}
	f.change(world.Modified, version(with("c", "2"), "3"))
	if f.Reached(node) == before {
		t.Error("a claim with another device changes nothing")
	}
}

func TestState_SlicesFor(t *testing.T) {
	f := newFixture(t, devices.Gates{}, slice("b", on("n1")), slice("a", everywhere), slice("c", on("n2")), slice("d", inZone("a")))
	for node, want := range map[string]string{"n1": "s-a s-b s-d", "n2": "s-a s-c s-d", "n3": "s-a s-d"} {
		var names []string
		for _, s := range f.SlicesFor(node) {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("the allocator gets %s for %s, want %s", got, node, want)
		}
	}
}

func TestState_Entangled(t *testing.T) {
	older := counters("d", "p", on("n1"))
	older[0].(*resourcev1.ResourceSlice).Spec.Pool.Generation = 2
	for name, tt := range map[string]struct {
		slices []world.Object
		want   bool
	}{
		"one pool":                           {counters("d", "p", everywhere), false},
		"slices of two generations":          {older, true},
		"two drivers on one node":            {append(counters("d", "p", on("n1")), counters("e", "p", on("n1"))...), false},
		"two drivers on two nodes":           {append(counters("d", "p", on("n1")), counters("e", "p", on("n2"))...), true},
		"two drivers everywhere":             {append(counters("d", "p", everywhere), counters("e", "p", everywhere)...), true},
		"two drivers, one without counters":  {append(counters("d", "p", everywhere), mk.ResourceSlice("s", "e", "p").AllNodes().Devices("1").Obj()), false},
		"two drivers, pools of other names":  {append(counters("d", "p", everywhere), counters("e", "q", everywhere)...), false},
		"two slices of a generation, no set": {[]world.Object{slice("p", on("n1")), mk.ResourceSlice("t", "d", "p").Pool(2, 1).Node("n2").Obj()}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, devices.Gates{}, tt.slices...)
			if got := f.Entangled(); got != tt.want {
				t.Errorf("entangled: %v, want %v", got, tt.want)
			}
			for _, s := range tt.slices {
				f.change(world.Deleted, s)
			}
			if f.Entangled() {
				t.Error("they are entangled without slices")
			}
		})
	}
}
