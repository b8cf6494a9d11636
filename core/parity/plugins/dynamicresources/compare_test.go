package dynamicresources

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/cache"
	"orrery/core/framework"
	"orrery/core/mk"
	"orrery/core/parity/difftest"
	"orrery/core/plugins/dynamicresources"
	"orrery/core/world"
)

// reached counts the situations that the cases reached.
var reached = map[string]int{}

func TestMain(m *testing.M) {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	os.Exit(m.Run())
}

// Shows DRA-01, DRA-18, DRA-27, DRA-33, DRA-36, DRA-41 and DRA-45.
func TestDynamicResources_SameAnswers(t *testing.T) {
	difftest.Check(t, 300, func(r *difftest.Source) {
		c := newCluster(r)
		c.fill(r)
		for i := range r.Range(2, 8) {
			if r.OneIn(3) {
				c.change(r)
			}
			c.schedule(r, pod(r, i))
		}
	})
	for _, name := range []string{"placed", "rejected", "failed", "deallocated", "bound", "binding failed", "unreserved", "scored"} {
		if reached[name] == 0 {
			t.Errorf("no case reached: %s", name)
		}
	}
	t.Logf("reached: %v", reached)
}

func (c *cluster) fill(r *difftest.Source) {
	for _, name := range classNames {
		c.apply(world.Added, class(r, name))
	}
	for i := range r.Range(1, 7) {
		c.apply(world.Added, slice(r, i))
	}
	for _, name := range claimNames {
		c.apply(world.Added, claim(r, name))
	}
	for i := range r.IntN(3) {
		c.apply(world.Added, rule(r, i))
	}
}

// change changes an object.
func (c *cluster) change(r *difftest.Source) {
	switch r.IntN(4) {
	case 0:
		s := slice(r, r.Range(1, 7))
		op := world.Added
		if c.store.Object(world.ResourceSlice, "", s.Name) != nil {
			op = world.Modified
		}
		c.apply(op, s)
	case 1:
		held := c.claim(difftest.Pick(r, claimNames...)).DeepCopy()
		held.Status = resourcev1.ResourceClaimStatus{}
		c.apply(world.Modified, held)
	case 2:
		held := c.claim(difftest.Pick(r, claimNames...)).DeepCopy()
		held.Status.ReservedFor = nil
		c.apply(world.Modified, held)
	default:
		name := fmt.Sprintf("rule%d", r.IntN(3))
		if held := c.store.Object(world.DeviceTaintRule, "", name); held != nil {
			c.apply(world.Deleted, held)
		}
	}
}

// attempt is a scheduling cycle on both sides.
type attempt struct {
	*difftest.Source
	c            *cluster
	pod          *v1.Pod
	ours, theirs fwk.CycleState
}

func (a *attempt) same(what string, theirs, ours any) {
	if diff := cmp.Diff(theirs, ours); diff != "" {
		a.Fatalf("gates %v, %s of %s (-kube-scheduler +Orrery):\n%s", a.c.gates, what, a.pod.Name, diff)
	}
}

func statusText(s *fwk.Status) string {
	if s.IsSuccess() {
		return "Success"
	}
	return s.Code().String() + ": " + s.Message()
}

func (a *attempt) sameStatus(what string, theirs, ours *fwk.Status) *fwk.Status {
	a.same(what, statusText(theirs), statusText(ours))
	return ours
}

func (c *cluster) schedule(r *difftest.Source, pod *v1.Pod) {
	a := &attempt{r, c, pod, framework.NewCycleState(), upframework.NewCycleState()}
	ctx := context.Background()
	a.sameStatus("PreEnqueue", c.theirs.PreEnqueue(ctx, pod), c.orrery.PreEnqueue(ctx, pod))
	_, theirs := c.theirs.PreFilter(ctx, a.theirs, pod, nil)
	_, ours := c.orrery.PreFilter(ctx, a.ours, pod, nil)
	if a.sameStatus("PreFilter", theirs, ours); !ours.IsSuccess() {
		return
	}
	var fit []fwk.NodeInfo
	reachable := nodes
	if r.OneIn(3) { // other plugins reject the other nodes
		reachable = []string{difftest.Pick(r, nodes...)}
	}
	for _, name := range reachable {
		info := cache.NewNodeInfo()
		info.SetNode(mk.Node(name).Obj())
		theirs := a.theirFilter(ctx, info)
		if theirs == nil { // kube-scheduler panics on all devices that consume counters
			reached["panicked"]++
			a.same("Filter with a panic", fwk.Error, c.orrery.Filter(ctx, a.ours, pod, info).Code())
			return
		}
		switch ours := a.sameStatus("Filter on "+name, theirs, c.orrery.Filter(ctx, a.ours, pod, info)); {
		case ours.IsSuccess():
			fit = append(fit, info)
		case ours.Code() == fwk.Error:
			reached["failed"]++
			return
		}
	}
	if len(fit) == 0 {
		reached["rejected"]++
		a.postFilter(ctx)
		return
	}
	reached["placed"]++
	a.score(ctx, fit)
	a.bind(ctx, difftest.Pick(r, fit...).Node().Name)
}

// theirFilter is nil if the plugin panics.
func (a *attempt) theirFilter(ctx context.Context, info fwk.NodeInfo) (status *fwk.Status) {
	defer func() {
		if recover() != nil {
			status = nil
		}
	}()
	if status = a.c.theirs.Filter(dynamicresources.WithPoolOrder(ctx), a.theirs, a.pod, info); status == nil {
		status = fwk.NewStatus(fwk.Success)
	}
	return status
}

func (a *attempt) score(ctx context.Context, fit []fwk.NodeInfo) {
	var theirs, ours fwk.NodeScoreList
	for _, info := range fit {
		their, theirStatus := a.c.theirs.Score(ctx, a.theirs, a.pod, info)
		our, ourStatus := a.c.orrery.Score(ctx, a.ours, a.pod, info)
		if a.sameStatus("Score", theirStatus, ourStatus); !ourStatus.IsSuccess() {
			return
		}
		if our > 0 {
			reached["scored"]++
		}
		theirs, ours = append(theirs, fwk.NodeScore{Name: info.Node().Name, Score: their}), append(ours, fwk.NodeScore{Name: info.Node().Name, Score: our})
	}
	a.same("raw scores", theirs, ours)
	a.c.theirs.ScoreExtensions().NormalizeScore(ctx, a.theirs, a.pod, theirs)
	a.c.orrery.ScoreExtensions().NormalizeScore(ctx, a.ours, a.pod, ours)
	a.same("normalized scores", theirs, ours)
}

// postFilter compares what is deallocated. Among several claims kube-scheduler chooses any.
func (a *attempt) postFilter(ctx context.Context) {
	candidates := 0
	for i := range a.pod.Spec.ResourceClaims {
		if name := a.pod.Spec.ResourceClaims[i].ResourceClaimName; name != nil && a.c.claim(*name).Status.Allocation != nil {
			candidates++
		}
	}
	if candidates > 1 {
		return
	}
	a.c.server.meanwhile, a.c.server.written, a.c.emitted = nil, map[string]*resourcev1.ResourceClaim{}, nil
	_, theirs := a.c.theirs.PostFilter(ctx, a.theirs, a.pod, nil)
	_, ours := a.c.orrery.PostFilter(ctx, a.ours, a.pod, nil)
	a.sameStatus("PostFilter", theirs, ours)
	written := map[string]*resourcev1.ResourceClaim{}
	for _, act := range a.c.emitted {
		deallocate := act.(world.DeallocateResourceClaim)
		written[deallocate.Claim.Name] = deallocate.Apply(a.c.claim(deallocate.Claim.Name))
		reached["deallocated"]++
	}
	a.readBack(written)
}

// readBack compares the claims that were written, and has both sides read them.
func (a *attempt) readBack(ours map[string]*resourcev1.ResourceClaim) {
	theirs := a.c.server.written
	a.same("the claims written", normalized(theirs), normalized(ours))
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		a.c.apply(world.Modified, ours[name])
	}
}

func normalized(claims map[string]*resourcev1.ResourceClaim) map[string]*resourcev1.ResourceClaim {
	all := map[string]*resourcev1.ResourceClaim{}
	for name, claim := range claims {
		all[name] = claim.DeepCopy()
		all[name].ResourceVersion = ""
		withoutShares(all[name])
		if len(all[name].Status.ReservedFor) == 0 {
			all[name].Status.ReservedFor = nil
		}
	}
	return all
}

// withoutShares replaces the identifiers of shares, which are random.
func withoutShares(claim *resourcev1.ResourceClaim) {
	if claim.Status.Allocation == nil {
		return
	}
	for i := range claim.Status.Allocation.Devices.Results {
		if result := &claim.Status.Allocation.Devices.Results[i]; result.ShareID != nil {
			result.ShareID = ptr.To(types.UID("share"))
		}
	}
}

// bind reserves the claims for a node, and either writes them or gives them up.
func (a *attempt) bind(ctx context.Context, node string) {
	c := a.c
	a.sameStatus("Reserve", c.theirs.Reserve(ctx, a.theirs, a.pod, node), c.orrery.Reserve(ctx, a.ours, a.pod, node))
	a.sameState("after Reserve")
	c.server.meanwhile, c.server.written, c.server.patched, c.emitted = map[string]*resourcev1.ResourceClaim{}, map[string]*resourcev1.ResourceClaim{}, nil, nil
	if a.OneIn(4) {
		a.unreserve(ctx, node)
		return
	}
	a.meanwhile()
	theirs := c.theirs.PreBind(ctx, a.theirs, a.pod, node)
	written, ours := a.preBind(node)
	a.sameStatus("PreBind", theirs, ours)
	a.sameState("after PreBind")
	if ours.IsSuccess() {
		reached["bound"]++
	} else {
		reached["binding failed"]++
		a.unreserve(ctx, node)
	}
	for name, claim := range c.server.meanwhile {
		if c.server.written[name] == nil {
			c.server.written[name], written[name] = claim, claim
		}
	}
	a.readBack(written)
	a.sameState("after the claims were read")
}

// meanwhile has another scheduler change a claim, at times.
func (a *attempt) meanwhile() {
	if len(a.pod.Spec.ResourceClaims) == 0 || !a.OneIn(5) {
		return
	}
	name := a.pod.Spec.ResourceClaims[0].ResourceClaimName
	if name == nil {
		return
	}
	claim := a.c.claim(*name).DeepCopy()
	a.c.version++
	claim.ResourceVersion = fmt.Sprint(a.c.version)
	if a.Bool() {
		claim.Labels = map[string]string{"changed": "yes"}
	} else if claim.Status.Allocation == nil {
		claim.Status.Allocation = mk.ResourceClaim("").Allocated("n1", "r0", drivers[0], "n1", "elsewhere").Obj().Status.Allocation
	}
	a.c.server.meanwhile[*name] = claim
}

// preBind carries out the steps of Orrery's plugin, and returns the claims that they write.
func (a *attempt) preBind(node string) (map[string]*resourcev1.ResourceClaim, *fwk.Status) {
	written := map[string]*resourcev1.ResourceClaim{}
	for outcome := (*world.Outcome)(nil); ; {
		step := a.c.orrery.PreBindStep(a.ours, a.pod, node, time.Unix(0, 0), outcome)
		if step.Action == nil {
			return written, step.Status
		}
		act := step.Action.(world.ReserveResourceClaim)
		held := a.c.claim(act.Claim.Name)
		if other := a.c.server.meanwhile[act.Claim.Name]; other != nil {
			held = other
		}
		if earlier := written[act.Claim.Name]; earlier != nil {
			held = earlier
		}
		reserved, err := act.Apply(held)
		outcome = &world.Outcome{}
		if err != nil {
			outcome = &world.Outcome{Code: fwk.Error, Message: err.Error()}
			continue
		}
		written[act.Claim.Name] = reserved
	}
}

func (a *attempt) unreserve(ctx context.Context, node string) {
	reached["unreserved"]++
	a.c.theirs.Unreserve(ctx, a.theirs, a.pod, node)
	a.c.orrery.Unreserve(ctx, a.ours, a.pod, node)
	var ours []string
	for _, act := range a.c.emitted {
		ours = append(ours, act.(world.UnreserveResourceClaim).Claim.Name)
	}
	a.same("the claims unreserved", a.c.server.patched, ours)
	a.sameState("after Unreserve")
}

// sameState compares the claims in flight with their devices, and all devices that are taken.
func (a *attempt) sameState(when string) {
	c := a.c
	theirs, ours := map[string]*resourcev1.ResourceClaim{}, map[string]*resourcev1.ResourceClaim{}
	for _, claim := range c.manager.inFlight {
		theirs[claim.Name] = claim
	}
	for _, name := range claimNames {
		if claim := c.state.InFlight(c.claim(name).UID); claim != nil {
			ours[name] = claim
		}
	}
	a.same("claims in flight "+when, normalized(theirs), normalized(ours))
	their, err := c.manager.SharedDRAManager.ResourceClaims().GatherAllocatedState()
	must(err)
	our := c.state.Allocated()
	a.same("devices taken "+when, texts(their.AllocatedDevices), texts(our.AllocatedDevices))
	a.same("capacity taken "+when, fmt.Sprint(capacities(their.AggregatedCapacity)), fmt.Sprint(capacities(our.AggregatedCapacity)))
	must(c.state.Check())
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
