package soak

import (
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/world"
	"orrery/core/world/memory"
)

// faultActions are the steps that are faults: of the API server, of one replica of the scheduler, and of what is beside them.
var faultActions = map[string]func(*run, Step){
	"break-watch": func(r *run, s Step) { r.cluster.BreakWatch(watchedKind(s.N), time.Duration(s.For)) },
	"stall-watch": func(r *run, s Step) { r.cluster.StallWatch(watchedKind(s.N), time.Duration(s.For)) },
	"double":      func(r *run, s Step) { r.cluster.DuplicateNext(watchedKind(s.N), s.Count) },
	"restart-api": func(r *run, s Step) {
		r.cluster.RestartServer(time.Duration(s.For))
		r.apiDownUntil = r.cluster.Now().Add(time.Duration(s.For))
	},
	"slow-api": func(r *run, s Step) {
		r.cluster.SlowDown(time.Duration(s.For), memory.Delay{Base: 100 * time.Millisecond, Jitter: 2 * time.Second})
	},
	"fail-call": func(r *run, s Step) {
		draw := drawing(s.N)
		for range max(1, s.Count) {
			r.cluster.InjectFault(pick(draw, calls...), pick(draw, callFaults...))
		}
	},

	"crash":     func(r *run, s Step) { r.replicaOf(s).crashAfter(s.Count) },
	"terminate": func(r *run, s Step) { r.replicaOf(s).elector.Terminate() },
	"pause":     func(r *run, s Step) { r.replicaOf(s).elector.Pause(time.Duration(s.For)) },
	"suspend":   func(r *run, s Step) { r.replicaOf(s).elector.Suspend(time.Duration(s.For)) },
	"stray":     func(r *run, s Step) { r.replicaOf(s).straying(s.Count, time.Duration(s.For)) },
	"partition": func(r *run, s Step) { r.replicaOf(s).partition(time.Duration(s.For), s.Count%2 == 1) },
	"clock-rate": func(r *run, s Step) {
		r.replicaOf(s).elector.SetRate(slowestClock + drawing(s.N).Float64()*(fastestClock-slowestClock))
	},
	"set-clock": func(r *run, s Step) {
		r.replicaOf(s).elector.SetWallClock(time.Duration(s.For) * time.Duration(pick(drawing(s.N), 1, -1)))
	},
	"late-kind":   func(r *run, s Step) { r.replicaOf(s).delay(watchedKind(s.N), time.Duration(s.For)) },
	"reorder":     func(r *run, s Step) { r.replicaOf(s).reorder(drawing(s.N), time.Duration(s.For)) },
	"stale-list":  func(r *run, s Step) { r.replicaOf(s).listStale(time.Duration(s.For)) },
	"stale-start": func(r *run, s Step) { r.replicaOf(s).startStale(time.Duration(s.For)) },

	"stop-extender": func(r *run, s Step) { r.changeExtender(s, func(x *memory.Extender) { x.Down = true }) },
	"slow-extender": func(r *run, s Step) {
		r.changeExtender(s, func(x *memory.Extender) { x.Takes = memory.Delay{Base: time.Second, Jitter: 8 * time.Second} })
	},
	"fail-extender": func(r *run, s Step) { r.changeExtender(s, func(x *memory.Extender) { x.Error = "out of order" }) },
	"hang-provisioner": func(r *run, s Step) {
		r.cluster.HangProvisioner(diskDriver, time.Duration(s.For))
	},
	"fail-detach": func(r *run, s Step) {
		if volume := r.chosen(s.N, nil, world.PersistentVolume); volume != nil {
			r.cluster.FailDetach(volume.GetName(), time.Duration(s.For))
		}
	},
	"stop-driver": func(r *run, s Step) {
		if p, _, ok := r.device(s.N); ok {
			r.cluster.StopDeviceDriver(p.Driver, p.Node)
			r.cluster.After(time.Duration(s.For), func(c *memory.Cluster) { c.StartDeviceDriver(p.Driver, p.Node) })
		}
	},
	"hang-driver":   func(r *run, s Step) { r.cluster.HangBinding(slowDeviceDriver, time.Duration(s.For)) },
	"fail-driver":   func(r *run, s Step) { r.cluster.FailBinding(slowDeviceDriver, time.Duration(s.For)) },
	"fill-disks":    (*run).fillDisks,
	"use-memory":    (*run).useMemory,
	"taint-device":  (*run).taintDevice,
	"unplug-device": (*run).unplugDevice,

	"record":      (*run).record,
	"attach":      (*run).attach,
	"save-flight": (*run).saveFlight,
	"full-disk":   onDisk(func(w *rolling, until time.Time) { w.disk.fullUntil = until }),
	"bad-disk":    onDisk(func(w *rolling, until time.Time) { w.disk.failsUntil = until }),
	"hung-disk":   onDisk(func(w *rolling, until time.Time) { w.hangs = until }),
}

// The rates of clocks are all but what the election's settings tolerate, a ratio of 1.5.
const (
	slowestClock = 0.8
	fastestClock = 1.1999
)

func watchedKind(n uint64) world.Kind {
	return pick(drawing(n), world.Pod, world.Pod, world.Pod, world.Node, world.Node, world.PersistentVolumeClaim, world.PersistentVolume, world.ResourceClaim, world.ResourceSlice, world.CSINode)
}

var (
	calls      = []memory.Call{memory.CallBind, memory.CallBind, memory.CallPatchStatus, memory.CallDelete, memory.CallPlugin, memory.CallVolume, memory.CallResourceClaim}
	callFaults = []memory.Fault{memory.RequestRefused, memory.RequestLost, memory.ReplyLost, memory.RequestThrottled}
)

// faultRates are the random faults of a plan, by name: where each has its probability.
var faultRates = map[string]func(*memory.WatchFaults, *memory.CallFaults) *float64{
	"watch lost":     func(w *memory.WatchFaults, _ *memory.CallFaults) *float64 { return &w.Break },
	"watch late":     func(w *memory.WatchFaults, _ *memory.CallFaults) *float64 { return &w.Delay },
	"watch doubled":  func(w *memory.WatchFaults, _ *memory.CallFaults) *float64 { return &w.Duplicate },
	"call refused":   func(_ *memory.WatchFaults, c *memory.CallFaults) *float64 { return &c.Refuse },
	"call throttled": func(_ *memory.WatchFaults, c *memory.CallFaults) *float64 { return &c.Throttle },
	"call lost":      func(_ *memory.WatchFaults, c *memory.CallFaults) *float64 { return &c.Lose },
	"reply lost":     func(_ *memory.WatchFaults, c *memory.CallFaults) *float64 { return &c.LoseReply },
	"call slow":      func(_ *memory.WatchFaults, c *memory.CallFaults) *float64 { return &c.Slow },
	"bound by other": func(_ *memory.WatchFaults, c *memory.CallFaults) *float64 { return &c.BoundByOther },
}

// randomFaults are the faults of a plan's rates.
func (p *Plan) randomFaults() memory.Faults {
	watch := memory.WatchFaults{RelistAfter: memory.Delay{Jitter: 20 * time.Second}, DelayBy: memory.Delay{Jitter: 5 * time.Second}}
	call := memory.CallFaults{SlowBy: memory.Delay{Jitter: 20 * time.Second}}
	for name, rate := range p.Rates {
		*faultRates[name](&watch, &call) = rate
	}
	f := memory.Faults{Watch: map[world.Kind]memory.WatchFaults{"": watch}, Calls: map[memory.Call]memory.CallFaults{}}
	for _, one := range calls {
		f.Calls[one] = call
	}
	return f
}

// onDisk is a fault of the disk that a replica records on.
func onDisk(fault func(*rolling, time.Time)) func(*run, Step) {
	return func(r *run, s Step) {
		if w := r.replicaOf(s).rolling; w != nil {
			fault(w, r.cluster.Now().Add(time.Duration(s.For)))
		}
	}
}

func (r *run) replicaOf(s Step) *replica { return r.replicas[s.N%uint64(len(r.replicas))] }

// changeExtender changes the extender for some time.
func (r *run) changeExtender(s Step, change func(*memory.Extender)) {
	x := extender()
	change(&x)
	r.cluster.SetExtender(extenderAddress, x)
	r.cluster.After(time.Duration(s.For), func(c *memory.Cluster) { c.SetExtender(extenderAddress, extender()) })
}

const extenderAddress = "http://licences"

func extender() memory.Extender {
	return memory.Extender{
		Refuses: func(n *v1.Node) bool { return n.Labels["disk"] == "tape" }, Reason: "no licence",
		Prefers: func(n *v1.Node) bool { return n.Labels["disk"] == "ssd" },
		Takes:   memory.Delay{Base: 5 * time.Millisecond, Jitter: 20 * time.Millisecond},
	}
}

// device returns a pool and one of its devices; false if none is published.
func (r *run) device(n uint64) (memory.DevicePool, string, bool) {
	pools := r.cluster.DevicePools()
	if len(pools) == 0 {
		return memory.DevicePool{}, "", false
	}
	p := pools[n%uint64(len(pools))]
	if len(p.Devices) == 0 {
		return p, "", false
	}
	return p, p.Devices[n%uint64(len(p.Devices))].Name, true
}

func (r *run) taintDevice(s Step) {
	p, device, ok := r.device(s.N)
	if !ok {
		return
	}
	effect := pick(drawing(s.N), resourcev1.DeviceTaintEffectNoSchedule, resourcev1.DeviceTaintEffectNoExecute)
	_ = r.cluster.TaintDevice(p.Driver, p.Node, p.Name, device, resourcev1.DeviceTaint{Key: "broken", Effect: effect})
	r.cluster.After(time.Duration(s.For), func(c *memory.Cluster) { _ = c.UntaintDevice(p.Driver, p.Node, p.Name, device, "broken") })
}

func (r *run) unplugDevice(s Step) {
	p, device, ok := r.device(s.N)
	if !ok {
		return
	}
	_ = r.cluster.UnplugDevice(p.Driver, p.Node, p.Name, device)
	r.cluster.After(time.Duration(s.For), func(c *memory.Cluster) {
		_ = c.PlugDevice(p.Driver, p.Node, p.Name, resourcev1.Device{Name: device})
	})
}

// fillDisks leaves hardly any room for volumes in a zone, for some time.
func (r *run) fillDisks(s Step) {
	zone := map[string]string{v1.LabelTopologyZone: "zone-" + strconv.Itoa(int(s.N%uint64(r.plan.Zones)))}
	r.cluster.SetCapacity(diskDriver, zone, 1<<20)
	r.cluster.After(time.Duration(s.For), func(c *memory.Cluster) { c.SetCapacity(diskDriver, zone, 1<<50) })
}

// useMemory makes a node run out of memory for some time, or all but.
func (r *run) useMemory(s Step) {
	node, _ := r.chosen(s.N, nil, world.Node).(*v1.Node)
	if node == nil {
		return
	}
	used := node.Status.Capacity.Memory().Value() - pick(drawing(s.N), int64(-1), 0, 50<<20, 200<<20)
	_ = r.cluster.ReportUsage(memory.UsageReport{Node: node.Name, Usage: memory.Usage{Memory: used}})
	r.cluster.After(time.Duration(s.For), func(c *memory.Cluster) { _ = c.ReportUsage(memory.UsageReport{Node: node.Name}) })
}
