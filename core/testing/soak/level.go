package soak

import (
	"bytes"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// isPod reports whether a pod of a node is this one.
func isPod(pod *v1.Pod) func(fwk.PodInfo) bool {
	return func(other fwk.PodInfo) bool { return other.GetPod().UID == pod.UID }
}

// stateSlack is how much larger the state of a process may be than that of a new one, in bytes: the store remembers the names of up to
// 2,048 deleted objects of each kind.
const stateSlack = 256 << 10

// histories are the latest decisions, transitions and problems, which a process keeps up to a number of them, and the nodes with their
// pods as they were in the last scheduling cycle, which stay in the snapshot and its index until the next one. Beside them its caches may be
// larger than those of a new one by cacheSlack, and for each node by nodeSlack, in bytes: what is kept of a kind of pods is a cell for each.
var histories = []string{"engine.decisionLog", "engine.Problem", "queue.Journal", "cache.NodeInfo", "topology.PodIndex"}

const (
	cacheSlack = 4 << 20
	nodeSlack  = 32 << 10
)

// checkLevel: when everything that ran is deleted, nothing of it is retained.
func (r *run) checkLevel() {
	for _, o := range r.cluster.List(world.Pod) {
		if pod := o.(*v1.Pod); pod.DeletionTimestamp == nil {
			r.fail("level", "%s is there although everything was deleted", pod.Name)
		}
	}
	if len(r.cluster.List(world.Pod)) > 0 || r.cluster.Now().Sub(r.lastNews) < quietFor {
		r.checked("restless")
		return // pods of lost nodes cannot be stopped
	}
	for _, one := range r.replicas {
		if one.engine != nil && one.leads() {
			one.checkLevel()
		}
	}
}

func (r *replica) checkLevel() {
	r.run.checked("level")
	e := r.engine
	volumes, claims := e.Volumes().Assumed()
	inFlight, abandoned, assumed := e.Devices().Pending()
	retained := map[string]int{
		"queued pods": e.Queue().Len(), "nominations": len(e.Queue().NominatedNodes()), "bindings": e.BindingCount(), "waiting pods": e.WaitingCount(),
		"effects": len(e.PendingEffects()), "assumed pods": e.Cache().AssumedCount(), "cached pods": e.Cache().PodCount(),
		"nodes that are gone": e.Cache().NodeCount() - e.Store().Len(world.Node), "assumed volumes": volumes + claims, "assumed claims": inFlight - abandoned + assumed,
	}
	for _, what := range sortedKeys(retained) {
		if n := retained[what]; n != 0 {
			r.ledger.fail("level", "%d %s are retained: %v", n, what, retained)
		}
	}
	fresh := r.ledger.fresh("", true)
	if fresh == nil {
		return
	}
	r.run.checked("memory")
	slack := int64(cacheSlack + nodeSlack*e.Store().Len(world.Node))
	if size, level := footprintOf(e, histories...), footprintOf(fresh, histories...); size > level+slack {
		r.ledger.fail("level", "the process takes %d bytes, and a new one %d", size, level)
	}
	old, err := e.State()
	if err != nil {
		r.ledger.fail("level", "the state cannot be written at rest: %v", err)
		return
	}
	young, err := fresh.State()
	if err != nil {
		r.ledger.fail("level", "a new engine's state cannot be written: %v", err)
		return
	}
	if len(old.Data) > len(young.Data)+stateSlack || len(old.Objects) > len(young.Objects) {
		r.ledger.fail("level", "the state has %d bytes and %d objects, and that of a new engine %d and %d", len(old.Data), len(old.Objects), len(young.Data), len(young.Objects))
	}
	r.checkRestored(old.Data)
}

// checkRestored: an engine that goes on from the state has the same state.
func (r *replica) checkRestored(state []byte) {
	r.run.checked("restore")
	held, err := r.engine.State()
	if err != nil {
		return
	}
	again, err := engine.New(r.options)
	if err == nil {
		err = again.Restore(held)
	}
	if err != nil {
		r.ledger.fail("restore", "the state cannot be restored: %v", err)
		return
	}
	if got, err := again.State(); err != nil || !bytes.Equal(got.Data, state) {
		r.ledger.fail("restore", "an engine restored from a state of %d bytes has another one of %d: %v", len(state), len(got.Data), err)
	}
}
