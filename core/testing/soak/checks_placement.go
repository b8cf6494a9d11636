package soak

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/resource"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/world"
)

// asScheduled counts what a pod that is resized has, too.
var asScheduled = resource.PodResourcesOptions{UseStatusResources: true}

// checkRoom: what the pods of the node request, summed anew, is no more than there is, of whatever the placed pod requests. The pods are
// those that the process has placed there, and those that the API server has there, if the process was told of them.
func (l *ledger) checkRoom(d *engine.Decision) {
	l.run.checked("room")
	store := l.engine.Store()
	node, placed := store.Node(d.Node), store.Pod(d.Pod.Namespace, d.Pod.Name)
	if node == nil || placed == nil {
		return
	}
	there := map[types.UID]*v1.Pod{placed.UID: placed}
	for _, o := range l.run.cluster.List(world.Pod) {
		pod, known := l.assigned[o.GetUID()]
		if !known || pod.Spec.NodeName != d.Node || world.IsTerminated(o) {
			continue
		}
		if held := store.Pod(pod.Namespace, pod.Name); held != nil && held.UID == pod.UID {
			pod = held // the state that it counts, where a late event was of an older one
		}
		there[pod.UID] = pod
	}
	for _, assumed := range l.engine.Cache().Assumed() {
		if pod := store.Pod(assumed.Namespace, assumed.Name); assumed.Node == d.Node && pod != nil && string(pod.UID) == assumed.UID {
			there[pod.UID] = pod
		}
	}
	requested := v1.ResourceList{}
	for _, pod := range there {
		for name, q := range resource.PodRequests(pod, asScheduled) {
			sum := requested[name]
			sum.Add(q)
			requested[name] = sum
		}
	}
	if most := node.Status.Allocatable.Pods(); int64(len(there)) > most.Value() {
		l.fail("room", "with %s, %s has %d pods of %d", d.Pod, d.Node, len(there), most.Value())
	}
	for name, q := range resource.PodRequests(placed, asScheduled) {
		sum, most := requested[name], node.Status.Allocatable[name]
		if !q.IsZero() && sum.Cmp(most) > 0 {
			l.fail("room", "with %s, the pods of %s request %s of %s of %s", d.Pod, d.Node, sum.String(), most.String(), name)
		}
	}
}

// checkFilter: a new engine, which knows what the process knows and reuses nothing, lets the pod have the node.
func (l *ledger) checkFilter(d *engine.Decision) {
	l.run.checked("filter")
	fresh := l.fresh(d.Pod.UID, false)
	if fresh == nil {
		return
	}
	node, err := fresh.TryOn(d.Pod.Namespace, d.Pod.Name, d.Node)
	if err != nil || node != d.Node {
		why := "no plugin said why"
		if x, err := fresh.Explain(d.Pod.Namespace, d.Pod.Name); err == nil {
			why = x.Decision.Message
			for _, verdict := range x.Nodes {
				for _, s := range verdict.Statuses {
					if verdict.Node == d.Node && len(s.Reasons) > 0 {
						why = s.Plugin + ": " + s.Reasons[0]
					}
				}
			}
		}
		l.fail("filter", "%s is placed on %s, where a new engine does not place it: %s", d.Pod, d.Node, why)
	}
}

// fresh is a new engine with the objects of the process's store, where what it has placed has its place, but for one pod. Pods are
// nominated as they are in the process, or not at all.
func (l *ledger) fresh(without types.UID, nominates bool) *engine.Engine {
	o := l.replica.options
	o.NoReuse, o.ExtendersUnasked, o.Start = true, true, l.engine.Now()
	e, err := engine.New(o)
	if err != nil {
		l.fail("inputs", "a second engine cannot be made: %v", err)
		return nil
	}
	places := map[string]string{}
	for _, assumed := range l.engine.Cache().Assumed() {
		places[assumed.UID] = assumed.Node
	}
	for _, list := range trace.Lists(l.engine.Store()) {
		if list.Kind == world.Pod {
			list.Objects = slices.Clone(list.Objects)
			for i, o := range list.Objects {
				pod := *o.(*v1.Pod)
				if node := places[string(pod.UID)]; node != "" && pod.UID != without && pod.Spec.NodeName == "" {
					pod.Spec.NodeName = node
				}
				if pod.Status.NominatedNodeName = ""; nominates {
					pod.Status.NominatedNodeName, _ = l.engine.Queue().NominatedNode(&pod)
				}
				list.Objects[i] = &pod
			}
		}
		if err := e.Apply(world.Input{At: l.engine.Now(), Event: list}); err != nil {
			l.fail("inputs", "a second engine refuses a list: %v", err)
			return nil
		}
	}
	return e
}

// claimedThing is a device or a volume that a call takes.
type claimedThing struct {
	names []string
	by    types.UID // the claim
	// free is whether the thing may be taken for another claim all the same.
	free bool
}

func volumeName(name string) string { return "volume " + name }

// checkVolume: no volume is claimed that the process knows to be another claim's, or that it is claiming for another.
func (l *ledger) checkVolume(id world.EffectID, act world.ClaimVolume) {
	l.run.checked("volumes")
	stored, _ := l.engine.Store().Object(world.PersistentVolume, "", act.Volume.Name).(*v1.PersistentVolume)
	if stored != nil && stored.Spec.ClaimRef != nil && stored.Spec.ClaimRef.UID != "" && stored.Spec.ClaimRef.UID != act.Claim.UID {
		l.fail("volumes", "volume %s is claimed for %s, and is %s's", act.Volume.Name, act.Claim.Name, stored.Spec.ClaimRef.Name)
	}
	shared := l.podsOf(act.Claim.Namespace, act.Claim.Name) > 1
	l.take("volumes", id, claimedThing{names: []string{volumeName(act.Volume.Name)}, by: act.Claim.UID, free: shared})
}

// podsOf counts the pods that name a claim for a volume. Where one of several fails, what is assumed of the claim and its volume ends for all of
// them, as in kube-scheduler, and the API server decides for which claim the volume is.
func (l *ledger) podsOf(namespace, claim string) (n int) {
	for o := range l.engine.Store().Objects(world.Pod) {
		pod := o.(*v1.Pod)
		if pod.Namespace == namespace && slices.ContainsFunc(pod.Spec.Volumes, func(v v1.Volume) bool {
			return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim
		}) {
			n++
		}
	}
	return n
}

// checkDevices: no device is allocated that the process knows to be another claim's, or that it is allocating to another.
func (l *ledger) checkDevices(id world.EffectID, act world.ReserveResourceClaim) {
	if act.Allocation == nil {
		return
	}
	l.run.checked("devices")
	wanted := devicesOf(act.Allocation)
	for o := range l.engine.Store().Objects(world.ResourceClaim) {
		if o.GetUID() == act.Claim.UID {
			continue
		}
		for _, name := range devicesOf(allocationOf(o)) {
			if slices.Contains(wanted, name) {
				l.fail("devices", "%s is allocated to claim %s, and is claim %s's", name, act.Claim.Name, o.GetName())
			}
		}
	}
	l.take("devices", id, claimedThing{names: wanted, by: act.Claim.UID})
}

func (l *ledger) take(invariant string, id world.EffectID, thing claimedThing) {
	for other, taken := range l.taken {
		if taken.by == thing.by {
			if invariant == "volumes" { // of a pod that is gone, whose name and claim another has got
				taken.free, thing.free = true, true
				l.taken[other] = taken
			}
			continue
		}
		for _, name := range thing.names {
			switch {
			case !slices.Contains(taken.names, name):
			case taken.free:
				thing.free = true // when the other call fails, what is assumed for this one ends, too
			default:
				l.fail(invariant, "effect %d takes %s, which effect %d is taking for another claim", id, name, other)
			}
		}
	}
	l.taken[id] = thing
}
