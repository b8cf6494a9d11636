package device_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"orrery/core/evict"
	"orrery/core/evict/device"
	"orrery/core/world"
)

// randomHistory draws changes of a pool, two rules, three claims and their pods. The claim and pod "safe" tolerate every taint
// forever.
func randomHistory(t *rapid.T) []world.Input {
	var inputs []world.Input
	at := noon
	exists, incarnation := map[string]bool{}, map[string]int{}
	for version := range rapid.IntRange(5, 40).Draw(t, "steps") {
		at = at.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "wait")) * time.Second)
		object := drawObject(t, at)
		name := key(object)
		object.SetResourceVersion(strconv.Itoa(version + 1))
		op, kind := world.Modified, world.KindOf(object)
		if kind == world.ResourceSlice || kind == world.DeviceTaintRule { // these are deleted and created again
			object.SetUID(types.UID(fmt.Sprint(name, incarnation[name])))
			if exists[name] && rapid.IntRange(0, 4).Draw(t, "delete") == 0 {
				op = world.Deleted
				incarnation[name]++
			}
		}
		exists[name] = op != world.Deleted
		inputs = append(inputs, world.Input{At: at, Event: world.Changed{Op: op, Object: object}})
	}
	return append(inputs, world.Input{At: at.Add(24 * time.Hour), Event: world.Tick{}})
}

func drawObject(t *rapid.T, now time.Time) world.Object {
	name := rapid.SampledFrom([]string{"safe", "a", "b"}).Draw(t, "name")
	held := map[string]string{"safe": "pool/gpu-0", "a": "pool/gpu-0", "b": "pool/gpu-1"}[name]
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return user("default", name, "c-"+name)
	case 1:
		c := claim("default", "c-"+name, held, name)
		tolerations := &c.Status.Allocation.Devices.Results[0].Tolerations
		if name == "safe" {
			*tolerations = []resourcev1.DeviceToleration{{Operator: resourcev1.DeviceTolerationOpExists}}
		} else if rapid.Bool().Draw(t, "tolerates") {
			*tolerations = []resourcev1.DeviceToleration{toleration("bad", noExecute, 30)}
		}
		return c
	case 2:
		effect := rapid.SampledFrom([]string{"NoExecute", "NoSchedule", "None"}).Draw(t, "effect")
		generation := now.Sub(noon) / time.Second
		return rule("r-"+name, effect, int64(generation), now, driver, "", rapid.SampledFrom([]string{"", "gpu-0", "gpu-1"}).Draw(t, "device"))
	default:
		devices := []string{"gpu-0", "gpu-1"}
		for i := range devices {
			if rapid.Bool().Draw(t, "tainted") {
				devices[i] += fmt.Sprintf("=bad@%d", rapid.IntRange(0, 90).Draw(t, "since"))
			}
		}
		return slice("s-"+name, "pool", int64(rapid.IntRange(1, 2).Draw(t, "generation")), devices...)
	}
}

// play applies a history to a controller and completes its effects at once. It returns the effects.
func play(c *device.Controller, inputs []world.Input) (effects []world.Effect) {
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

func newActing(b *evict.Record) *device.Controller {
	return device.New(device.Options{Act: true, FirstEffect: 1, Record: b})
}

func TestController_TolerationWithoutLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, e := range play(newActing(nil), randomHistory(t)) {
			if action, deletes := e.Action.(world.Delete); deletes && action.Pod.Name == "safe" {
				t.Fatalf("the pod was deleted at %v", e.At.Sub(noon))
			}
		}
	})
}

// Every pod that is due in the end was deleted.
func TestController_EvictsEveryDuePod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := randomHistory(t)
		deleted := map[types.UID]bool{}
		for _, e := range play(newActing(nil), inputs) {
			if action, deletes := e.Action.(world.Delete); deletes {
				deleted[action.Pod.UID] = true
			}
		}
		// A controller that starts with the final state finds every remaining pod due.
		late := evict.NewRecord()
		play(device.New(device.Options{Record: late}), append([]world.Input{{At: inputs[len(inputs)-1].At, Event: world.Tick{}}}, atOnce(inputs)...))
		for _, d := range late.Open() {
			if !deleted[d.Pod.UID] {
				t.Fatalf("%s was not deleted: it is %s and due at %v", d.Pod, d.Phase, d.Deadline.Sub(noon))
			}
		}
	})
}

func atOnce(inputs []world.Input) []world.Input {
	end := inputs[len(inputs)-1].At
	moved := make([]world.Input, len(inputs))
	for i, in := range inputs {
		moved[i] = world.Input{At: end, Event: in.Event}
	}
	return moved
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
		want, got := play(newActing(once), inputs), play(newActing(again), repeated)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("effects (-once +repeated):\n%s", diff)
		}
		if diff := cmp.Diff(recordText(once), recordText(again)); diff != "" {
			t.Fatalf("records (-once +repeated):\n%s", diff)
		}
	})
}

func TestController_Fork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := randomHistory(t)
		at := rapid.IntRange(0, len(inputs)-1).Draw(t, "fork at")
		b := evict.NewRecord()
		c := newActing(b)
		play(c, inputs[:at])
		fork, other := c.Fork(b.Fork()), c.Fork(b.Fork())
		play(other, []world.Input{
			{At: inputs[at].At, Event: world.Listed{Kind: world.ResourceSlice}},
			{At: inputs[at].At, Event: world.Listed{Kind: world.Pod}},
		})
		want, got := play(c, inputs[at:]), play(fork, inputs[at:])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("effects (-original +fork):\n%s", diff)
		}
	})
}
