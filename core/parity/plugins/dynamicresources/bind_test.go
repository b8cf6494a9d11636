package dynamicresources

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/parity/claimwrites"
	"orrery/core/parity/difftest"
	"orrery/core/parity/oracle/claimserver"
	"orrery/core/scheduler/devices"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// bind reserves the claims for a node, and either writes them or gives them up.
func (a *attempt) bind(ctx context.Context, node string) {
	c := a.c
	if a.createsEmptyClaim(node) {
		seen.Count("empty implicit claim")
		return
	}
	a.sameStatus("Reserve", c.theirs.Reserve(ctx, a.theirs, a.pod, node), c.orrery.Reserve(ctx, a.ours, a.pod, node))
	a.sameState("after Reserve")
	a.beginWrites("", nil)
	if a.OneIn(4) {
		seen.Count("unreserved before PreBind")
		a.unreserve(ctx, node)
		return
	}
	their, theirs := c.theirs.PreBindPreFlight(ctx, a.theirs, a.pod, node)
	our, ours := c.orrery.PreBindPreFlight(ctx, a.ours, a.pod, node)
	if a.sameStatus("PreBindPreFlight", theirs, ours).IsSuccess() {
		a.same("what PreBindPreFlight says", their, our)
	}
	a.beginWrites(a.failure(), a.meanwhile())
	c.ourEvents, c.theirEvents = nil, nil
	b := &binding{attempt: a, node: node}
	status := b.run(ctx)
	a.same("events", c.theirEvents, c.ourEvents)
	if !status.IsSuccess() {
		seen.Count("binding failed: %s", failureOf(status))
		a.beginWrites(c.failing, nil)
		a.unreserve(ctx, node)
		return
	}
	a.sameState("after PreBind")
	seen.Count("bound")
}

// failures are the ends of bindings, by a part of their text.
var failures = []string{"allocated elsewhere", "deleted", "broken", "timeout: context deadline", "timeout: claim", "binding failed"}

func failureOf(status *fwk.Status) string {
	for _, part := range failures {
		if strings.Contains(status.Message(), part) {
			return part
		}
	}
	return status.Message()
}

// createsEmptyClaim reports whether kube-scheduler would create an implicit claim without requests, for a pod with claims of
// its own, and fail.
func (a *attempt) createsEmptyClaim(node string) bool {
	if len(a.pod.Spec.ResourceClaims) == 0 {
		return false
	}
	served, backed := false, false
	for _, container := range slices.Concat(a.pod.Spec.InitContainers, a.pod.Spec.Containers) {
		for name, quantity := range container.Resources.Requests {
			if quantity.IsZero() || a.c.state.ClassOf(name) == nil {
				continue
			}
			provided := a.c.nodes[node].Status.Allocatable[name]
			served, backed = served || provided.IsZero(), true
		}
	}
	return backed && !served
}

// failure is the kind of write that fails, at times.
func (a *attempt) failure() string {
	if !a.OneIn(6) {
		return ""
	}
	return difftest.Pick(a.Source, claimserver.Claim, claimserver.Finalizer, claimserver.Status, claimserver.User, claimserver.Deletion, claimserver.PodStatus)
}

// meanwhile has another scheduler change a claim, at times.
func (a *attempt) meanwhile() map[string]*resourcev1.ResourceClaim {
	if len(a.pod.Spec.ResourceClaims) == 0 || !a.OneIn(5) {
		return nil
	}
	name := a.pod.Spec.ResourceClaims[0].ResourceClaimName
	if name == nil {
		return nil
	}
	claim := a.c.claim(*name).DeepCopy()
	claim.ResourceVersion = a.c.nextVersion()
	switch a.IntN(3) {
	case 0:
		claim.Labels = map[string]string{"changed": "yes"}
	case 1:
		if claim.Status.Allocation == nil {
			claim.Status.Allocation = mk.ResourceClaim("").Allocated("n1", "r0", drivers[0], "n1", "of-"+*name).Obj().Status.Allocation
		}
	default:
		claim.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	}
	return map[string]*resourcev1.ResourceClaim{*name: claim}
}

// binding is a PreBind on both sides. kube-scheduler looks every five seconds whether devices are ready, and every second
// whether the implicit claim can be read; changes come in between, one at a time, so that it misses none.
type binding struct {
	*attempt
	node   string
	wait   time.Time // of Orrery's plugin, if it waits
	done   bool
	status *fwk.Status
	ended  chan *fwk.Status
	theirs *fwk.Status
}

// retries is longer than kube-scheduler tries to write a claim again after conflicts.
const retries = 200 * time.Millisecond

func (b *binding) run(ctx context.Context) *fwk.Status {
	ctx, cancel := context.WithCancel(ctx)
	defer time.Sleep(retries)
	defer cancel()
	b.ended = make(chan *fwk.Status, 1)
	began := time.Now()
	go func() { b.ended <- b.c.theirs.PreBind(ctx, b.attempt.theirs, b.pod, b.node) }()
	b.step(nil)
	time.Sleep(retries)
	b.readBack("PreBind")
	b.sameImplicit()
	b.passUntil(began.Add(time.Second / 2))
	b.step(nil) // the claims were read
	for _, second := range []time.Duration{2500, 7500} {
		b.passUntil(began.Add(second * time.Millisecond))
		if !b.done {
			seen.Count("waited for devices")
			b.progress()
		}
	}
	b.passUntil(began.Add(200 * time.Second)) // longer than all of their timeouts
	synctest.Wait()
	select {
	case b.theirs = <-b.ended:
	default:
		b.Fatalf("gates %v, kube-scheduler still binds %s, and Orrery: %v %s", b.c.gates, b.pod.Name, b.done, statusText(b.status))
	}
	if !b.done {
		b.Fatalf("gates %v, Orrery still binds %s, and kube-scheduler does not: %s", b.c.gates, b.pod.Name, statusText(b.theirs))
	}
	return b.sameStatus("PreBind", b.theirs, b.status)
}

// passUntil lets the time pass, with the ends of waits of Orrery's plugin.
func (b *binding) passUntil(end time.Time) {
	for !b.done && !b.wait.IsZero() && !b.wait.After(end) {
		time.Sleep(time.Until(b.wait))
		b.step(nil)
	}
	time.Sleep(time.Until(end))
}

// step takes steps of Orrery's plugin until it waits or has ended.
func (b *binding) step(outcome *world.Outcome) {
	for !b.done {
		step := b.c.orrery.PreBindStep(b.ours, b.pod, b.node, time.Now(), outcome)
		switch {
		case step.Action != nil:
			outcome = claimwrites.CarryOut(b.c.ourWrites, step.Action)
		case step.Wait != nil:
			b.wait = step.Wait.Until
			return
		default:
			b.done, b.status = true, step.Status
		}
	}
}

// progress has a driver say something of the devices of a claim.
func (b *binding) progress() {
	synctest.Wait()
	b.c.changeClaim(b.Source, b.pod, func(claim *resourcev1.ResourceClaim) { driverSays(b.Source, claim) })
	b.step(nil)
}

// driverSays sets conditions of some devices of a claim.
func driverSays(r *difftest.Source, claim *resourcev1.ResourceClaim) {
	if claim.Status.Allocation == nil {
		return
	}
	claim.Status.Devices = nil
	failed := r.OneIn(3)
	for _, result := range claim.Status.Allocation.Devices.Results {
		status := resourcev1.AllocatedDeviceStatus{Driver: result.Driver, Pool: result.Pool, Device: result.Device}
		for _, condition := range []string{"ready", "attached", "failed"} {
			if (condition == "failed") == failed && !r.OneIn(8) {
				status.Conditions = append(status.Conditions, metav1.Condition{
					Type: condition, Status: metav1.ConditionTrue, Reason: "Why", Message: "because",
				})
			}
		}
		if !r.OneIn(8) {
			claim.Status.Devices = append(claim.Status.Devices, status)
		}
	}
}

// sameImplicit compares what the pod is told about its implicit claim.
func (b *binding) sameImplicit() {
	theirs, ours := b.c.theirWrites.PodStatus, b.c.ourWrites.PodStatus
	b.same("the pod's status", theirs, ours)
	if ours == nil {
		return
	}
	seen.Count("implicit claim")
	if len(b.pod.Spec.ResourceClaims) > 0 {
		seen.Count("implicit claim and own")
	}
	if len(b.c.claim(ours.ResourceClaimName).Spec.Devices.Requests) > 1 {
		seen.Count("two kinds of requests")
	}
}

func (a *attempt) unreserve(ctx context.Context, node string) {
	a.c.theirs.Unreserve(ctx, a.theirs, a.pod, node)
	a.c.orrery.Unreserve(ctx, a.ours, a.pod, node)
	a.c.deliver() // until then Orrery keeps the devices of an implicit claim that was created
	a.sameState("after Unreserve")
	a.readBack("Unreserve")
	a.sameState("after the claims were read")
}

func (a *attempt) beginWrites(failing string, meanwhile map[string]*resourcev1.ResourceClaim) {
	a.c.failing = failing
	a.c.ourWrites.Begin(meanwhile)
	a.c.theirWrites.Begin(meanwhile)
}

// readBack compares the writes, and has both sides read the claims.
func (a *attempt) readBack(when string) {
	theirs, ours := a.c.theirWrites, a.c.ourWrites
	a.same("the writes of "+when, theirs.Said, ours.Said)
	a.same("the claims after "+when, normalized(theirs.Written), normalized(ours.Written))
	for _, name := range slices.Sorted(maps.Keys(theirs.Written)) {
		switch claim, held := theirs.Written[name], a.c.claim(name); {
		case claim == nil && held != nil:
			a.c.apply(world.Deleted, held)
		case claim != nil && held == nil:
			a.c.apply(world.Added, claim)
		case claim != nil:
			a.c.apply(world.Modified, claim)
		}
	}
	theirs.Written, ours.Written = map[string]*resourcev1.ResourceClaim{}, map[string]*resourcev1.ResourceClaim{}
	theirs.Said, ours.Said = nil, nil
}

func normalized(claims map[string]*resourcev1.ResourceClaim) map[string]*resourcev1.ResourceClaim {
	all := map[string]*resourcev1.ResourceClaim{}
	for name, claim := range claims {
		if claim == nil {
			all[name] = nil
			continue
		}
		all[name] = claim.DeepCopy()
		all[name].ResourceVersion = ""
		if strings.HasPrefix(name, "<") { // the implicit claim before it is created: its UID is made by chance
			all[name].UID = ""
		}
		if allocation := all[name].Status.Allocation; allocation != nil {
			normalize(allocation)
		}
		if len(all[name].Status.ReservedFor) == 0 {
			all[name].Status.ReservedFor = nil
		}
	}
	return all
}

// normalize replaces the identifiers of shares, which are random, and has the time in seconds, as the API server does.
func normalize(allocation *resourcev1.AllocationResult) {
	for i := range allocation.Devices.Results {
		if result := &allocation.Devices.Results[i]; result.ShareID != nil {
			result.ShareID = ptr.To(types.UID("share"))
		}
	}
	if at := allocation.AllocationTimestamp; at != nil {
		*at = at.Rfc3339Copy()
	}
}

// sameState compares the claims in flight with their devices, and all devices that are taken.
func (a *attempt) sameState(when string) {
	c := a.c
	theirs, ours := map[string]*resourcev1.ResourceClaim{}, map[string]*resourcev1.ResourceClaim{}
	for _, claim := range c.manager.inFlight {
		theirs[claim.Name] = claim
	}
	uids := []types.UID{"<extended-resources>/" + a.pod.UID}
	for _, name := range c.names() {
		uids = append(uids, c.claim(name).UID)
	}
	for _, uid := range uids {
		if claim := c.state.InFlight(uid); claim != nil {
			ours[claim.Name] = claim
		}
	}
	a.same("claims in flight "+when, untimed(theirs), untimed(ours))
	their, err := c.manager.SharedDRAManager.ResourceClaims().GatherAllocatedState()
	must(err)
	our, err := devices.NewManager(c.state).ResourceClaims().GatherAllocatedState()
	must(err)
	a.same("devices taken "+when, texts(their.AllocatedDevices), texts(our.AllocatedDevices))
	a.same("capacity taken "+when, fmt.Sprint(capacities(their.AggregatedCapacity)), fmt.Sprint(capacities(our.AggregatedCapacity)))
	a.same("shares in flight "+when, len(their.AllocatedSharedDeviceIDs), len(our.AllocatedSharedDeviceIDs))
	must(c.state.Check())
}

// untimed returns claims without the time of their allocation: kube-scheduler notes it in a claim in flight while it writes it.
func untimed(claims map[string]*resourcev1.ResourceClaim) map[string]*resourcev1.ResourceClaim {
	all := normalized(claims)
	for _, claim := range all {
		claim.Status.Allocation.AllocationTimestamp = nil
	}
	return all
}

func texts(set sets.Set[structured.DeviceID]) []string {
	var all []string
	for id := range set {
		all = append(all, id.String())
	}
	slices.Sort(all)
	return all
}

// capacities lists the capacity that is taken, by device.
func capacities(all structured.ConsumedCapacityCollection) []string {
	var list []string
	for id, amounts := range all {
		for name, amount := range amounts {
			list = append(list, fmt.Sprintf("%s %s=%s", id, name, amount))
		}
	}
	slices.Sort(list)
	return list
}

// changeClaim changes a claim, and asks whether that helps a pod. It is one of the pod's, mostly.
func (c *cluster) changeClaim(r *difftest.Source, pod *v1.Pod, change func(*resourcev1.ResourceClaim)) {
	names := c.names()
	for i := range pod.Spec.ResourceClaims {
		if name := pod.Spec.ResourceClaims[i].ResourceClaimName; name != nil {
			names = append(names, *name, *name, *name, *name, *name, *name)
		}
	}
	was := c.claim(difftest.Pick(r, names...))
	is := was.DeepCopy()
	change(is)
	c.apply(world.Modified, is)
	c.sameHint(r, pod, fwk.ClusterEvent{Resource: fwk.ResourceClaim, ActionType: fwk.Update}, was, c.claim(is.Name))
}
