package collect_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// largeDevices has slices of eight devices each, five of which claims of pods have.
func largeDevices(t testing.TB, slices int) *engine.Engine {
	e := deviceEngine(t)
	apply := func(o world.Object) {
		if err := e.Apply(world.Input{At: e.Now(), Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range slices {
		node := fmt.Sprintf("node-%05d", i)
		apply(mk.Node(node).CPU("64").Pods("100").Obj())
		slice := mk.ResourceSlice("slice-"+node, gpus, node).Node(node)
		for d := range 8 {
			slice.Devices(fmt.Sprint("gpu-", d)).Attribute("model", []string{"h100", "a100"}[i%2])
		}
		apply(slice.Obj())
		for d := range 5 {
			apply(largeClaim(i, d, ""))
			apply(mk.Pod(fmt.Sprintf("pod-%05d-%d", i, d)).ResourceClaim(fmt.Sprintf("claim-%05d-%d", i, d)).Node(node).Obj())
		}
	}
	return e
}

func largeClaim(slice, device int, label string) world.Object {
	node := fmt.Sprintf("node-%05d", slice)
	c := mk.ResourceClaim(fmt.Sprintf("claim-%05d-%d", slice, device)).Request("gpu", "gpu", 1).Allocated(node, "gpu", gpus, node, fmt.Sprint("gpu-", device)).
		ReservedFor(fmt.Sprintf("pod-%05d-%d", slice, device)).Obj()
	if label != "" {
		c.Labels = map[string]string{"frame": label}
		c.ResourceVersion = label
	}
	return c
}

// deviceFrame is one frame of a pane, of which the cursor is at a row.
func deviceFrame(e *engine.Engine, c *collect.Collector, canvas *draw.Canvas, pane views.PaneID, first int) (partial bool) {
	state := &views.State{Open: pane, Cursor: views.Cursor{Selected: first, First: first}}
	w, h := canvas.Size()
	m := c.Model(e, collect.Query{Open: pane, Columns: w, Rows: 3 * h, First: max(first-h, 0)})
	canvas.Reset(w, h)
	views.Screen(canvas, m, state, draw.Braille, start)
	return m.Partial()
}

// Everything is read in parts, and the parts together are the whole.
func TestDevices_ReadsInParts(t *testing.T) {
	e, c := largeDevices(t, 1500), collect.New(collect.Options{})
	v, parts := devicesOf(c, e, views.DevicesPane), 1
	for ; v.Reading; parts++ {
		v = devicesOf(c, e, views.DevicesPane)
	}
	if parts < 3 || v.Pools != 1500 || v.Count[views.DeviceReserved] != 7500 || v.Count[views.DeviceFree] != 4500 || v.Claims[views.DeviceClaimReserved] != 7500 {
		t.Errorf("after %d parts there are %d pools, %v devices and %v claims", parts, v.Pools, v.Count, v.Claims)
	}
	if m := v.Models[1]; m.MostFree != 3 || m.Places != 750 || m.All() != 6000 {
		t.Errorf("a model is %+v", m)
	}
}

// A frame's allocations do not depend on the number of devices.
func TestDevices_AllocationsAreBounded(t *testing.T) {
	allocs := func(slices int) float64 {
		e, c, canvas := largeDevices(t, slices), collect.New(collect.Options{}), draw.New(120, 40)
		for deviceFrame(e, c, canvas, views.DevicesPane, 0) {
		}
		i := 0
		return testing.AllocsPerRun(20, func() {
			i++ // a claim of the middle changes for every frame
			if err := e.Apply(world.Input{At: e.Now(), Event: world.Changed{Op: world.Modified, Object: largeClaim(slices/2, 1, fmt.Sprint(i))}}); err != nil {
				t.Fatal(err)
			}
			deviceFrame(e, c, canvas, views.DevicesPane, slices/2)
		})
	}
	few, many := allocs(200), allocs(2000)
	if few > 600 || many > 1.3*few {
		t.Errorf("a frame allocates %v times with 200 slices and %v with 2,000, want at most 600 and 30%% more", few, many)
	}
}

// BenchmarkDevices is one frame of 10,000 slices with 80,000 devices and 50,000 claims: the slowest until all were read, one
// after a change, one far down the list, and one of which nothing changed. It reports the memory that the devices take.
func BenchmarkDevices(b *testing.B) {
	const slices = 10_000
	e, canvas, i := largeDevices(b, slices), draw.New(140, 40), 0
	b.Run("first", func(b *testing.B) {
		var slowest time.Duration
		var grown uint64
		for b.Loop() {
			c, before := collect.New(collect.Options{}), heap()
			for partial := true; partial; {
				at := b.Elapsed()
				partial = deviceFrame(e, c, canvas, views.DevicesPane, 0)
				slowest = max(slowest, b.Elapsed()-at)
			}
			grown = max(heap(), before) - before
			runtime.KeepAlive(c)
		}
		b.ReportMetric(float64(slowest.Microseconds())/1000, "ms-slowest")
		b.ReportMetric(float64(grown)/(1<<20), "MiB")
	})
	for _, pane := range []views.PaneID{views.DevicesPane, views.DeviceClaimsPane, views.Overview} {
		for _, at := range []int{0, 9000} {
			for _, changed := range []bool{false, true} {
				b.Run(fmt.Sprintf("pane=%s/first=%d/changed=%v", pane, at, changed), func(b *testing.B) {
					c := collect.New(collect.Options{})
					for deviceFrame(e, c, canvas, pane, at) {
					}
					b.ReportAllocs()
					for b.Loop() {
						if i++; changed {
							b.StopTimer()
							in := world.Input{At: e.Now(), Event: world.Changed{Op: world.Modified, Object: largeClaim(5000, 1, fmt.Sprint(i))}}
							if err := e.Apply(in); err != nil {
								b.Fatal(err)
							}
							b.StartTimer()
						}
						deviceFrame(e, c, canvas, pane, at)
					}
				})
			}
		}
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
