package scenario

import (
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict/budget"
	devicetaints "orrery/core/evict/device"
	"orrery/core/evict/pressure"
	taints "orrery/core/evict/taint"
	"orrery/core/process/leader/sim"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/world"
	"orrery/core/world/admission"
	"orrery/core/world/memory"
)

// simulation plays a scenario: a cluster in virtual time with all its controllers and schedulers.
type simulation struct {
	*ScriptRunner
	cluster      *memory.Cluster
	election     *sim.Simulation
	replicas     []*replica
	evictors     []drive.Controller // of pods on tainted nodes and devices
	end          time.Time
	apiDownUntil time.Time                  // the API server is unavailable until then; its clients wait
	extenders    map[string]memory.Extender // as they are now, by address

	observed int // the observed replica; none if negative
	inputs   int
	progress func(now time.Time) // progress
}

// newSimulation creates everything that exists from the beginning.
func newSimulation(s *Scenario, c *memory.Cluster) (*simulation, error) {
	st := &simulation{
		cluster: c, extenders: s.file.Scheduler.simulatedExtenders(), observed: -1, end: c.Now().Add(s.Length), progress: func(time.Time) {},
		evictors: []drive.Controller{taints.New(taints.Options{
			Act: true, FirstEffect: 1, ComparisonOperators: s.config.Features.Enabled(config.TaintTolerationComparisonOperators),
		})},
	}
	if s.config.Features.Enabled(config.DRADeviceTaints) {
		st.evictors = append(st.evictors, devicetaints.New(devicetaints.Options{Act: true, FirstEffect: 1}))
	}
	st.ScriptRunner = s.NewScriptRunner(c, s.Start, st.say)
	st.created, st.joined, st.extraActions = st.setUsageOf, st.publishDevices, st.faultActions()
	return st, st.addReplicas()
}

// newCluster returns an empty cluster with the scenario's settings.
func (s *Scenario) newCluster(start time.Time, seed uint64) (*memory.Cluster, error) {
	kubelets, err := pressure.NewKubelets(pressure.KubeletsOptions{Configuration: s.kubelet})
	if err != nil {
		return nil, s.file.Cluster.Fail("kubelet", "%v", err)
	}
	s.file.eachGroup(func(g *nodeGroup) {
		for _, node := range g.nodes() {
			kubelets.SetMachine(node.Name, g.machine())
		}
	})
	admits := s.file.Cluster.Admission.options()
	admits.DeclaredFeatures = s.config.Features.Enabled(config.NodeDeclaredFeatures)
	compares := s.config.Features.Enabled(config.TaintTolerationComparisonOperators)
	return memory.New(memory.Options{
		Start: start, Seed: seed, Latency: s.file.Cluster.Latency.of(), PodBehavior: s.PodLife,
		Budgets: budget.Rules{}, NodeLifecycle: nodeLifecycle(s.file.Cluster.Controllers, start, compares), Pressure: kubelets,
		ComparisonOperators: compares, DeviceGatesOff: admission.DeviceGatesOff{
			AdminAccess:       !s.config.Features.Enabled(config.DRAAdminAccess),
			ClaimDeviceStatus: !s.config.Features.Enabled(config.DRAResourceClaimDeviceStatus),
		}, Admission: admits, Extenders: s.file.Scheduler.simulatedExtenders(),
	}), nil
}

// PodLife returns a pod's behavior on its node, by its workload.
func (s *Scenario) PodLife(pod *v1.Pod) memory.PodBehavior {
	life := memory.DefaultPodBehavior(pod)
	w := s.file.workload(pod.Labels[appLabel])
	if w == nil {
		return life
	}
	life.Start, life.Fails = w.Startup.pick(pod.UID, "starts"), w.Fails
	if w.Runtime != nil {
		life.Run = w.Runtime.pick(pod.UID, "runs")
	}
	if w.Shutdown != nil {
		life.Stop = w.Shutdown.pick(pod.UID, "stops")
	}
	return life
}

// run plays to the end.
func (s *simulation) run() error {
	v := drive.Virtual{World: s, Stop: func() bool { return s.err != nil }}
	for _, r := range s.replicas {
		v.Controllers = append(v.Controllers, r)
	}
	v.Controllers = append(append(v.Controllers, s.evictors...), electionTimers{s.election}, scriptActions{s})
	if s.observed >= 0 && s.file.saysUsage() {
		v.Controllers = append(v.Controllers, s.newUsageReadings())
	}
	v.Run(s.end)
	return s.err
}

// Next returns the cluster's next input. A scenario that does not end is an error.
func (s *simulation) Next(until time.Time) (world.Input, bool) {
	in, ok := s.cluster.Next(until)
	if !ok {
		return in, false
	}
	if s.inputs++; s.inputs > maxInputs {
		s.err = s.file.Fail("", "more than %d things have happened after %v, and it does not end there: make it smaller", maxInputs, in.At.Sub(s.Start))
	}
	if s.inputs%1024 == 0 {
		s.progress(in.At)
	}
	return in, true
}

// Do passes an effect to the cluster.
func (s *simulation) Do(effect world.Effect) { s.cluster.Do(effect) }

// electionTimers runs the election, which has no inputs and effects.
type electionTimers struct{ *sim.Simulation }

func (e electionTimers) Apply(in world.Input) {
	if _, tick := in.Event.(world.Tick); tick {
		e.Run(in.At)
	}
}

func (e electionTimers) Effects() []world.Effect     { return nil }
func (e electionTimers) NextWake() (time.Time, bool) { return e.Next() }

// scriptActions carries out the script and its drains. They wait for an API server that is down.
type scriptActions struct{ *simulation }

func (s scriptActions) Apply(in world.Input) {
	_, tick := in.Event.(world.Tick)
	if tick && (s.err != nil || in.At.Before(s.apiDownUntil)) {
		return
	}
	for _, d := range s.drains {
		d.apply(in)
	}
	if tick {
		s.err = s.runDue(in.At)
	}
}

func (s scriptActions) Effects() []world.Effect {
	if s.err == nil && !s.cluster.Now().Before(s.apiDownUntil) {
		s.err = s.advanceDrains()
	}
	return nil
}

func (s scriptActions) NextWake() (time.Time, bool) {
	at, ok := s.ScriptRunner.NextWake()
	if at.Before(s.apiDownUntil) {
		at = s.apiDownUntil
	}
	return at, ok
}

// say sets a mark in the recording.
func (s *simulation) say(text string) {
	if s.observed < 0 {
		return
	}
	r := s.replicas[s.observed]
	if marker, ok := r.observer.(Marker); ok {
		r.apply(world.Input{At: s.cluster.Now(), Event: world.Tick{}})
		marker.Mark(text)
	}
}
