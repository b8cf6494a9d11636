package dynamicresources

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
	upmetrics "k8s.io/kubernetes/pkg/scheduler/metrics"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/parity/oracle/allocations"
	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/world"
)

func TestMain(m *testing.M) {
	difftest.PrepareSynctest()
	upmetrics.Register() // kube-scheduler's plugin counts
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	os.Exit(m.Run())
}

// seen counts the situations that the cases reached.
var seen = difftest.Coverage{}

// Shows DRA-01, DRA-18, DRA-27, DRA-33, DRA-36, DRA-41 and DRA-45.
func TestDynamicResources_SameAnswers(t *testing.T) {
	n := difftest.CheckInSynctest(t, comparisons.DynamicResources.Cases, compareOne)
	for _, gate := range gates {
		required = append(required, gateState(gate.name, true), gateState(gate.name, false))
	}
	seen.Require(t, n, required...)
}

// required are situations without which too little was compared.
var required = []string{
	"placed", "rejected", "failed", "scored", "fit scored", "deallocated", "stale claim deleted", "bound", "unreserved before PreBind",
	"implicit claim", "implicit claim and own", "device plugin", "two kinds of requests", "waited for devices", "hint Queue", "hint QueueSkip",
	"binding failed: allocated elsewhere", "binding failed: deleted", "binding failed: broken", "binding failed: binding failed",
	"binding failed: timeout: context deadline", "binding failed: timeout: claim",
}

func compareOne(r *difftest.Source) {
	c := newCluster(r)
	defer c.stop()
	c.fill(r)
	c.sameEvents(r)
	var pods []*v1.Pod
	for i := range r.Range(2, 8) {
		p := pod(r, i)
		if r.OneIn(2) {
			c.change(r, p)
		}
		if len(pods) > 0 && r.OneIn(4) { // a pod whose attempt failed, mostly
			p = difftest.Pick(r, pods...)
		}
		if claim := c.conditional(); claim != nil && r.Bool() {
			c.waitsSince(time.Now().Add(-time.Duration(r.IntN(14))*time.Second-notAtALook), claim)
			p.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: claim.Name, ResourceClaimName: &claim.Name}}
		}
		c.hintOfPod(r, p)
		c.schedule(r, p)
		pods = append(pods, p)
	}
}

func (c *cluster) fill(r *difftest.Source) {
	for _, name := range classNames {
		c.apply(world.Added, class(r, name))
	}
	for _, name := range nodes {
		c.nodes[name] = node(r, name)
	}
	for _, s := range inventory(r) {
		c.apply(world.Added, s)
	}
	for _, name := range claimNames {
		c.apply(world.Added, claim(r, name))
	}
	for i := range r.IntN(3) {
		c.apply(world.Added, rule(r, i))
	}
}

// change changes an object, and asks whether that helps a pod.
func (c *cluster) change(r *difftest.Source, pod *v1.Pod) {
	switch r.IntN(6) {
	case 0:
		s := slice(r, r.Range(1, 8))
		op := world.Added
		if c.store.Object(world.ResourceSlice, "", s.Name) != nil {
			op = world.Modified
		}
		c.apply(op, s)
	case 1:
		c.changeClaim(r, pod, func(claim *resourcev1.ResourceClaim) { claim.Status = resourcev1.ResourceClaimStatus{} })
	case 2:
		c.changeClaim(r, pod, func(claim *resourcev1.ResourceClaim) { claim.Status.ReservedFor = nil })
	case 3:
		c.changeClaim(r, pod, func(claim *resourcev1.ResourceClaim) { driverSays(r, claim) })
	case 4:
		c.apply(world.Modified, class(r, difftest.Pick(r, classNames...)))
	default:
		name := fmt.Sprintf("rule%d", r.IntN(3))
		if held := c.store.Object(world.DeviceTaintRule, "", name); held != nil {
			c.apply(world.Deleted, held)
		}
	}
}

// conditional is a claim whose devices have binding conditions; nil if there is none.
func (c *cluster) conditional() *resourcev1.ResourceClaim {
	for _, name := range claimNames {
		if claim := c.claim(name); claim.Status.Allocation != nil && claim.DeletionTimestamp == nil {
			for _, result := range claim.Status.Allocation.Devices.Results {
				if len(result.BindingConditions) > 0 {
					return claim
				}
			}
		}
	}
	return nil
}

// notAtALook keeps the end of a claim's time apart from the times at which kube-scheduler looks.
const notAtALook = 750 * time.Millisecond

// waitsSince has a claim wait for its devices since an earlier attempt.
func (c *cluster) waitsSince(since time.Time, claim *resourcev1.ResourceClaim) {
	claim = claim.DeepCopy()
	at := metav1.NewTime(since)
	claim.Status.Allocation.AllocationTimestamp, claim.Status.Devices = &at, nil
	c.apply(world.Modified, claim)
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
	theirFragments, theirs := c.theirs.SignPod(ctx, pod)
	ourFragments, ours := c.orrery.SignPod(ctx, pod)
	a.sameStatus("SignPod", theirs, ours)
	a.same("SignPod", theirFragments, ourFragments)
	a.sameFit(ctx)
	_, theirs = c.theirs.PreFilter(ctx, a.theirs, pod, nil)
	_, ours = c.orrery.PreFilter(ctx, a.ours, pod, nil)
	if a.sameStatus("PreFilter", theirs, ours); !ours.IsSuccess() {
		return
	}
	reachable := nodes
	if r.OneIn(3) { // other plugins reject the other nodes
		reachable = []string{difftest.Pick(r, nodes...)}
	}
	fit, more := a.filter(ctx, reachable)
	switch {
	case !more:
	case len(fit) == 0:
		seen.Count("rejected")
		a.postFilter(ctx)
	default:
		seen.Count("placed")
		a.score(ctx, fit)
		a.bind(ctx, difftest.Pick(r, fit...).Node().Name)
	}
}

// filter returns the nodes that fit, and false if the attempt failed.
func (a *attempt) filter(ctx context.Context, reachable []string) (fit []fwk.NodeInfo, more bool) {
	for _, name := range reachable {
		info := cache.NewNodeInfo()
		info.SetNode(a.c.nodes[name])
		steps := &stepContext{ctx, maxSteps}
		ours := a.c.orrery.Filter(steps, a.ours, a.pod, info)
		if steps.left == 0 {
			seen.Count("search too long")
			return nil, false
		}
		theirs := a.c.theirs.Filter(allocations.WithPoolOrder(ctx), a.theirs, a.pod, info)
		switch a.sameStatus("Filter on "+name, theirs, ours); {
		case ours.IsSuccess():
			if a.servedByPlugin(info.Node()) {
				seen.Count("device plugin")
			}
			fit = append(fit, info)
		case ours.Code() == fwk.Error:
			seen.Count("failed")
			return nil, false
		}
	}
	return fit, true
}

// stepContext ends a search after so many steps: in virtual time kube-scheduler's timeout never ends it.
type stepContext struct {
	context.Context
	left int
}

const maxSteps = 20_000

// Err takes a step.
func (s *stepContext) Err() error {
	if s.left == 0 {
		return context.Canceled
	}
	s.left--
	return nil
}

// servedByPlugin reports whether a device plugin of a node has a resource that a class has, too.
func (a *attempt) servedByPlugin(node *v1.Node) bool {
	for name := range a.pod.Spec.Containers[0].Resources.Requests {
		if amount := node.Status.Allocatable[name]; !amount.IsZero() && a.c.state.ClassOf(name) != nil {
			return true
		}
	}
	return false
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
			seen.Count("scored")
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
	a.beginWrites("", nil)
	_, theirs := a.c.theirs.PostFilter(ctx, a.theirs, a.pod, nil)
	_, ours := a.c.orrery.PostFilter(ctx, a.ours, a.pod, nil)
	switch a.sameStatus("PostFilter", theirs, ours); ours.Message() {
	case dynamicresources.ReasonDeallocated:
		seen.Count("deallocated")
	case dynamicresources.ReasonClaimDeleted:
		seen.Count("stale claim deleted")
	}
	a.readBack("PostFilter")
}

// names are those of all claims that the API server has.
func (c *cluster) names() []string {
	var all []string
	for object := range c.store.Objects(world.ResourceClaim) {
		all = append(all, object.GetName())
	}
	slices.Sort(all)
	return all
}
