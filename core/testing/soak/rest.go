package soak

import (
	"math"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/resource"

	"orrery/core/objects/saturating"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// What an hour has after its steps: from calmAfter on no random fault strikes. Twice what is at rest is checked, after which every
// second hour, and the last, deletes all that runs. The end of the hour has the checks that take longer than the longest wait of a
// pod.
var (
	calmAfter  = activeTime
	restAfter  = []time.Duration{33*time.Minute + oddly, 45*time.Minute + oddly}
	emptyAfter = 46 * time.Minute
	lastAfter  = 59*time.Minute + oddly
)

// oddly keeps the checks away from whole seconds, at which the queue's own timers make pods ready.
const oddly = 7300 * time.Millisecond

// scheduleChecks sets the timers of every hour.
func (r *run) scheduleChecks() {
	for hour := range r.plan.Hours {
		begin := r.start.Add(time.Duration(hour) * time.Hour)
		if hour > 0 {
			r.at(begin, func() { r.cluster.SetFaults(r.plan.randomFaults()) })
		}
		r.at(begin.Add(calmAfter), func() {
			r.cluster.SetFaults(memory.Faults{})
			r.mend()
		})
		for _, after := range restAfter {
			r.at(begin.Add(after), func() { r.checkAtRest(false) })
		}
		empties := hour%2 == 1 || hour == r.plan.Hours-1
		if empties {
			r.at(begin.Add(emptyAfter), r.empty)
		}
		r.at(begin.Add(lastAfter), func() {
			r.checkAtRest(true)
			for _, one := range r.replicas {
				if one.rolling != nil && one.engine != nil {
					one.rolling.check(false)
				}
			}
			if empties {
				r.checkLevel()
			}
		})
	}
}

// mend ends what the fragile plugin does to pods, which would otherwise be tried for hours.
func (r *run) mend() {
	for _, o := range r.cluster.List(world.Pod) {
		if o.GetLabels()[fragileLabel] != "" {
			pod := o.DeepCopyObject().(*v1.Pod)
			delete(pod.Labels, fragileLabel)
			_, _ = r.cluster.Update(pod) // the API server may be down
		}
	}
}

// empty deletes all workloads, pods and claims.
func (r *run) empty() {
	for _, kind := range workloadKinds {
		for _, o := range r.cluster.List(kind) {
			if ownerless(o) {
				r.deleteWithPods(o)
			}
		}
	}
	for _, kind := range []world.Kind{world.Pod, world.PersistentVolumeClaim, world.PersistentVolume, world.ResourceClaim, memory.ResourceClaimTemplate, world.PodDisruptionBudget, world.Workload} {
		for _, o := range r.cluster.List(kind) {
			_ = r.cluster.Delete(kind, o.GetNamespace(), o.GetName(), metav1.DeleteOptions{})
		}
	}
}

// quietFor is longer than the longest back-off, so that a pod that anything helped has been tried again.
const quietFor = 15 * time.Second

// checkAtRest checks what holds when nothing has happened for a while. At last every pod has been retried, whatever helped it.
func (r *run) checkAtRest(last bool) {
	now := r.cluster.Now()
	if now.Sub(r.lastNews) < quietFor {
		r.checked("restless")
		return
	}
	for _, one := range r.replicas {
		if one.engine == nil || one.elector.Paused() || one.connection.cutOff(now) {
			continue
		}
		one.checkSame()
		one.ledger.checkState()
		if one.leads() {
			one.checkNoneLost()
			one.checkQueuesRest()
			one.checkRetried(last)
		}
	}
	r.checkLed(3)
}

// checkLed: a scheduler leads, if not now then soon: the election goes on with its faults, which may just have ended a term.
func (r *run) checkLed(tries int) {
	r.checked("lease")
	switch {
	case r.leader() != nil:
	case tries == 0:
		r.fail("lease", "no scheduler leads, however long one waits")
	default:
		r.after(17*time.Second, func() { r.checkLed(tries - 1) })
	}
}

// checkSame: the store holds what the API server has, and the cache has the pods on their nodes.
func (r *replica) checkSame() {
	r.run.checked("same")
	store := r.engine.Store()
	for _, kind := range store.Kinds() {
		n := 0
		for _, o := range r.run.cluster.List(kind) {
			if world.IsTerminated(o) {
				continue
			}
			n++
			held := store.Object(kind, o.GetNamespace(), o.GetName())
			if held == nil || held.GetResourceVersion() != o.GetResourceVersion() {
				r.ledger.fail("same", "%s %s is not held as the API server has it", kind, o.GetName())
				return
			}
		}
		if held := store.Len(kind); held != n {
			r.ledger.fail("same", "%d of %s are held, and the API server has %d", held, kind, n)
		}
	}
	cache := r.engine.Cache().Dump()
	for o := range store.Objects(world.Pod) {
		pod := o.(*v1.Pod)
		if pod.Spec.NodeName == "" {
			continue
		}
		node := cache.Nodes[pod.Spec.NodeName]
		if node == nil || !slices.ContainsFunc(node.GetPods(), isPod(pod)) {
			r.ledger.fail("same", "the cache does not have %s on %s", pod.Name, pod.Spec.NodeName)
		}
	}
	r.checkCounted()
}

// checkCounted: what the cache counts on each node is what the pods request that the API server has there.
func (r *replica) checkCounted() {
	r.run.checked("counted")
	want := map[string]map[v1.ResourceName]int64{}
	for _, o := range r.run.cluster.List(world.Pod) {
		pod := o.(*v1.Pod)
		if pod.Spec.NodeName == "" || world.IsTerminated(pod) {
			continue
		}
		sums := want[pod.Spec.NodeName]
		if sums == nil {
			sums = map[v1.ResourceName]int64{}
			want[pod.Spec.NodeName] = sums
		}
		for name, q := range resource.PodRequests(pod, asScheduled) {
			sums[name] = saturating.Add(sums[name], wholeUnits(name, q))
		}
	}
	assumed := map[string]bool{}
	for _, pod := range r.engine.Cache().Assumed() {
		assumed[pod.Node] = true
	}
	nodes := r.engine.Cache().Dump().Nodes
	for _, name := range sortedKeys(nodes) {
		node := nodes[name]
		if assumed[name] {
			continue // of a binding that waits
		}
		has := node.GetRequested()
		for _, of := range []struct {
			name v1.ResourceName
			n    int64
		}{
			{v1.ResourceCPU, has.GetMilliCPU()},
			{v1.ResourceMemory, has.GetMemory()},
			{v1.ResourceEphemeralStorage, has.GetEphemeralStorage()},
			{hostileResource, has.GetScalarResources()[hostileResource]},
		} {
			if n := want[name][of.name]; n != of.n && len(node.GetPods()) > 0 {
				r.ledger.fail("counted", "the cache counts %d of %s on %s, whose pods request %d", of.n, of.name, name, n)
			}
		}
	}
}

// wholeUnits is a quantity as the scheduler counts it, by the quantity's own arithmetic where that is exact.
func wholeUnits(name v1.ResourceName, q apiresource.Quantity) int64 {
	most := apiresource.NewQuantity(math.MaxInt64, apiresource.DecimalSI)
	if name == v1.ResourceCPU {
		most = apiresource.NewMilliQuantity(math.MaxInt64, apiresource.DecimalSI)
	}
	switch {
	case q.Cmp(*most) >= 0:
		return math.MaxInt64
	case name == v1.ResourceCPU:
		return q.MilliValue()
	}
	return q.Value()
}

// checkNoneLost: every pod of the API server that runs or waits is known, and is in a state.
func (r *replica) checkNoneLost() {
	r.run.checked("pods")
	for _, o := range r.run.cluster.List(world.Pod) {
		pod := o.(*v1.Pod)
		state := r.engine.PodState(pod.Namespace, pod.Name)
		switch {
		case ended(pod) || pod.DeletionTimestamp != nil:
		case state == engine.StateGone:
			r.ledger.fail("pods", "%s is lost, on node %q", pod.Name, pod.Spec.NodeName)
		case (state == engine.StateBound) != (pod.Spec.NodeName != ""):
			r.ledger.fail("pods", "%s is %s, and on node %q", pod.Name, state, pod.Spec.NodeName)
		}
	}
}

// checkQueuesRest: when nothing has happened for longer than any back-off, no pod is ready, and a binding that has not ended waits for
// other pods or for objects, until a deadline.
func (r *replica) checkQueuesRest() {
	r.run.checked("rest")
	if c := r.engine.Queue().Counts(); c.Active > 0 || c.InFlight > r.engine.BindingCount() {
		r.ledger.fail("rest", "at rest the queue holds %+v, and %d bindings are in flight", c, r.engine.BindingCount())
	}
	for _, b := range r.engine.Bindings() {
		if len(b.Waiting) == 0 && len(b.Objects) == 0 {
			r.ledger.fail("rest", "at rest the binding of %s to %s waits for nothing, since %v, in %s", b.Pod, b.Node, b.Since, b.Stage)
		}
	}
}
