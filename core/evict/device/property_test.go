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

// life is a random history of a pool, two rules, three claims and their pods. The claim and pod "safe" tolerate
// everything for ever.
func life(t *rapid.T) []world.Input {
	var inputs []world.Input
	at := noon
	there, lives := map[string]bool{}, map[string]int{}
	for version := range rapid.IntRange(5, 40).Draw(t, "steps") {
		at = at.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "wait")) * time.Second)
		object := anyObject(t, at)
		name := key(object)
		object.SetResourceVersion(strconv.Itoa(version + 1))
		op, kind := world.Modified, world.KindOf(object)
		if kind == world.ResourceSlice || kind == world.DeviceTaintRule { // which come and go
			object.SetUID(types.UID(fmt.Sprint(name, lives[name])))
			if there[name] && rapid.IntRange(0, 4).Draw(t, "gone") == 0 {
				op = world.Deleted
				lives[name]++
			}
		}
		there[name] = op != world.Deleted
		inputs = append(inputs, world.Input{At: at, Event: world.Changed{Op: op, Object: object}})
	}
	return append(inputs, world.Input{At: at.Add(24 * time.Hour), Event: world.Tick{}})
}

func anyObject(t *rapid.T, now time.Time) world.Object {
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
		} else if rapid.Bool().Draw(t, "patient") {
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

// play tells a controller of a history and answers its effects at once. What it wanted comes back.
func play(c *device.Controller, inputs []world.Input) (wanted []world.Effect) {
	for len(inputs) > 0 {
		in := inputs[0]
		if wake, due := c.NextWake(); due && !wake.After(in.At) {
			in = world.Input{At: wake, Event: world.Tick{}}
		} else {
			inputs = inputs[1:]
		}
		c.Apply(in)
		for effects := c.Effects(); len(effects) > 0; effects = c.Effects() {
			for _, e := range effects {
				if world.HasOutcome(e.Action) {
					c.Apply(world.Input{At: in.At, Event: world.EffectDone{Effect: e.ID}})
				}
			}
			wanted = append(wanted, effects...)
		}
	}
	return wanted
}

func acting(b *evict.Record) *device.Controller {
	return device.New(device.Options{Act: true, FirstEffect: 1, Record: b})
}

func TestController_TolerationWithoutLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, e := range play(acting(nil), life(t)) {
			if act, deletes := e.Action.(world.Delete); deletes && act.Pod.Name == "safe" {
				t.Fatalf("it was deleted at %v", e.At.Sub(noon))
			}
		}
	})
}

// In the end nobody is due who has not been deleted.
func TestController_EvictsEveryDuePod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := life(t)
		deleted := map[types.UID]bool{}
		for _, e := range play(acting(nil), inputs) {
			if act, deletes := e.Action.(world.Delete); deletes {
				deleted[act.Pod.UID] = true
			}
		}
		// Whoever learns only now of what there is finds all of them due.
		late := evict.NewRecord()
		play(device.New(device.Options{Record: late}), append([]world.Input{{At: inputs[len(inputs)-1].At, Event: world.Tick{}}}, atOnce(inputs)...))
		for _, d := range late.Open() {
			if !deleted[d.Pod.UID] {
				t.Fatalf("%s is %s since %v, and was not deleted", d.Pod, d.Phase, d.Deadline.Sub(noon))
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
		inputs := life(t)
		var noisy []world.Input
		for i, in := range inputs {
			noisy = append(noisy, in)
			for range rapid.IntRange(0, 2).Draw(t, "echoes") {
				echo := inputs[rapid.IntRange(0, i).Draw(t, "echo")]
				echo.At = in.At
				noisy = append(noisy, echo)
			}
		}
		clean, disturbed := evict.NewRecord(), evict.NewRecord()
		want, got := play(acting(clean), inputs), play(acting(disturbed), noisy)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("effects (-clean +disturbed):\n%s", diff)
		}
		if diff := cmp.Diff(board(clean), board(disturbed)); diff != "" {
			t.Fatalf("boards (-clean +disturbed):\n%s", diff)
		}
	})
}

func TestController_Fork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := life(t)
		cut := rapid.IntRange(0, len(inputs)-1).Draw(t, "cut")
		b := evict.NewRecord()
		c := acting(b)
		play(c, inputs[:cut])
		fork, elsewhere := c.Fork(b.Fork()), c.Fork(b.Fork())
		play(elsewhere, []world.Input{
			{At: inputs[cut].At, Event: world.Listed{Kind: world.ResourceSlice}},
			{At: inputs[cut].At, Event: world.Listed{Kind: world.Pod}},
		})
		want, got := play(c, inputs[cut:]), play(fork, inputs[cut:])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("effects (-original +fork):\n%s", diff)
		}
		if diff := cmp.Diff(c.Statuses(), fork.Statuses()); diff != "" {
			t.Fatalf("statuses (-original +fork):\n%s", diff)
		}
	})
}
