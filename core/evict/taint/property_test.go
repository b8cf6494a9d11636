package taint_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"orrery/core/evict"
	"orrery/core/evict/taint"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// randomHistory draws changes of two nodes and a few pods. Pod "safe" tolerates every taint forever.
// everything forever.
func randomHistory(t *rapid.T) []world.Input {
	var inputs []world.Input
	at := noon
	exists, incarnation := map[string]bool{}, map[string]int{}
	for version := range rapid.IntRange(5, 40).Draw(t, "steps") {
		at = at.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "wait")) * time.Second)
		var object world.Object
		if rapid.Bool().Draw(t, "node") {
			node := mk.Node(rapid.SampledFrom([]string{"n1", "n2"}).Draw(t, "name"))
			for _, key := range []string{"bad", "worse"} {
				if rapid.Bool().Draw(t, key) {
					node.Taint(key, "", v1.TaintEffectNoExecute)
				}
			}
			object = node.Obj()
		} else {
			object = drawPod(t)
		}
		object.SetResourceVersion(strconv.Itoa(version + 1))
		op, name := world.Modified, fmt.Sprintf("%T %s", object, object.GetName())
		object.SetUID(types.UID(fmt.Sprint(name, incarnation[name])))
		if exists[name] && rapid.IntRange(0, 5).Draw(t, "delete") == 0 {
			op = world.Deleted
			incarnation[name]++
		}
		exists[name] = op != world.Deleted
		inputs = append(inputs, world.Input{At: at, Event: world.Changed{Op: op, Object: object}})
	}
	return inputs
}

// drawPod draws a pod; its name decides its node.
func drawPod(t *rapid.T) *v1.Pod {
	name := rapid.SampledFrom([]string{"safe", "a", "b", "c"}).Draw(t, "name")
	pod := mk.Pod(name).Node(map[string]string{"safe": "n1", "a": "n1", "b": "n2", "c": "n1"}[name])
	if name == "safe" {
		return pod.Toleration(v1.Toleration{Operator: v1.TolerationOpExists}).Obj()
	}
	for _, key := range []string{"bad", "worse"} {
		if rapid.Bool().Draw(t, "tolerates "+key) {
			seconds := int64(rapid.IntRange(-1, 60).Draw(t, "seconds"))
			pod.Toleration(v1.Toleration{Key: key, Operator: v1.TolerationOpExists, TolerationSeconds: &seconds})
		}
	}
	return pod.Obj()
}

// playAll applies a history to a controller and completes its effects at once. It returns the effects.
func playAll(c *taint.Controller, inputs []world.Input) []world.Effect {
	var effects []world.Effect
	for len(inputs) > 0 {
		in := inputs[0]
		if wake, due := c.NextWake(); due && !wake.After(in.At) {
			in = world.Input{At: wake, Event: world.Tick{}}
		} else {
			inputs = inputs[1:]
		}
		c.Apply(in)
		for emitted := c.Effects(); len(emitted) > 0; emitted = c.Effects() {
			for _, e := range emitted {
				if world.HasOutcome(e.Action) {
					c.Apply(world.Input{At: in.At, Event: world.EffectDone{Effect: e.ID}})
				}
			}
			effects = append(effects, emitted...)
		}
	}
	return effects
}

func addDay(inputs []world.Input) []world.Input {
	end := inputs[len(inputs)-1].At.Add(24 * time.Hour)
	return append(inputs[:len(inputs):len(inputs)], world.Input{At: end, Event: world.Tick{}})
}

func TestController_TolerationWithoutLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, e := range playAll(taint.New(taint.Options{Act: true, FirstEffect: 1}), addDay(randomHistory(t))) {
			if action, deletes := e.Action.(world.Delete); deletes && action.Pod.Name == "safe" {
				t.Fatalf("the pod was deleted at %v", e.At.Sub(noon))
			}
		}
	})
}

// A pod that stays on a node with a taint it does not tolerate without a limit is deleted in the end.
func TestController_EvictsEveryLimitedPod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := randomHistory(t)
		deleted := map[types.UID]bool{}
		for _, e := range playAll(taint.New(taint.Options{Act: true, FirstEffect: 1}), addDay(inputs)) {
			if action, deletes := e.Action.(world.Delete); deletes {
				deleted[action.Pod.UID] = true
			}
		}
		nodes, pods := map[string]*v1.Node{}, map[string]*v1.Pod{}
		for _, in := range inputs {
			switch o := in.Event.(world.Changed).Object.(type) {
			case *v1.Node:
				if nodes[o.Name] = o; in.Event.(world.Changed).Op == world.Deleted {
					nodes[o.Name] = nil
				}
			case *v1.Pod:
				if pods[o.Name] = o; in.Event.(world.Changed).Op == world.Deleted {
					pods[o.Name] = nil
				}
			}
		}
		for name, pod := range pods {
			if pod == nil || nodes[pod.Spec.NodeName] == nil || deleted[pod.UID] {
				continue
			}
			if limit := evict.TolerationLimitOf(pod.Spec.Tolerations, nodes[pod.Spec.NodeName].Spec.Taints, false); !limit.Unlimited {
				t.Fatalf("%s was not deleted, and its limit is %v", name, limit.Duration)
			}
		}
	})
}

func TestController_RepeatedAndLateInputs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := addDay(randomHistory(t))
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
		want := playAll(taint.New(taint.Options{Act: true, FirstEffect: 1, Record: once}), inputs)
		got := playAll(taint.New(taint.Options{Act: true, FirstEffect: 1, Record: again}), repeated)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("effects (-once +repeated):\n%s", diff)
		}
		if diff := cmp.Diff(recordText(once), recordText(again)); diff != "" {
			t.Fatalf("records (-once +repeated):\n%s", diff)
		}
	})
}

// A list of the known objects changes nothing, at any time.
func TestController_ListOfKnownObjects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := addDay(randomHistory(t))
		at := rapid.IntRange(1, len(inputs)-1).Draw(t, "list after")
		objects := map[string]world.Object{}
		for _, in := range inputs[:at] {
			change := in.Event.(world.Changed)
			name := fmt.Sprintf("%T %s", change.Object, change.Object.GetName())
			if objects[name] = change.Object; change.Op == world.Deleted {
				delete(objects, name)
			}
		}
		lists := map[world.Kind]*world.Listed{world.Node: {Kind: world.Node}, world.Pod: {Kind: world.Pod}}
		for _, object := range objects {
			list := lists[world.KindOf(object)]
			list.Objects = append(list.Objects, object)
		}
		listed := append([]world.Input{}, inputs[:at]...)
		for _, kind := range []world.Kind{world.Pod, world.Node} {
			listed = append(listed, world.Input{At: inputs[at-1].At, Event: *lists[kind]})
		}
		listed = append(listed, inputs[at:]...)
		want := playAll(taint.New(taint.Options{Act: true, FirstEffect: 1}), inputs)
		got := playAll(taint.New(taint.Options{Act: true, FirstEffect: 1}), listed)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("effects (-without +with a list):\n%s", diff)
		}
	})
}

func TestController_Fork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := addDay(randomHistory(t))
		cut := rapid.IntRange(0, len(inputs)-1).Draw(t, "fork at")
		b := evict.NewRecord()
		c := taint.New(taint.Options{Act: true, FirstEffect: 1, Record: b})
		playAll(c, inputs[:cut])
		fork := c.Fork(b.Fork())
		other := c.Fork(b.Fork())
		playAll(other, addDay(append(inputs[:cut:cut], world.Input{At: inputs[cut].At, Event: world.Listed{Kind: world.Pod}})))
		want, got := playAll(c, inputs[cut:]), playAll(fork, inputs[cut:])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("effects (-original +fork):\n%s", diff)
		}
	})
}
