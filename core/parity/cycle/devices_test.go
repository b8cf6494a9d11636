package cycle

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"orrery/core/parity/difftest"
	"orrery/core/parity/oracle/allocations"
	"orrery/core/parity/oracle/claimserver"
	"orrery/core/scheduler/devices"
	"orrery/core/world"
)

// withPoolOrder has every allocation take the pools in the order of Orrery's plugin. kube-scheduler's takes them in random order.
func withPoolOrder(ctx context.Context) context.Context {
	return klog.NewContext(ctx, klog.New(poolOrder{}))
}

// poolOrder sorts the pools that the allocator logs before it uses them. The log of allocations.WithPoolOrder does so once.
type poolOrder struct{}

func once() klog.LogSink {
	return klog.FromContext(allocations.WithPoolOrder(context.Background())).GetSink()
}

func (poolOrder) Init(klog.RuntimeInfo)            {}
func (poolOrder) Enabled(level int) bool           { return once().Enabled(level) }
func (poolOrder) Error(error, string, ...any)      {}
func (p poolOrder) WithValues(...any) klog.LogSink { return p }
func (p poolOrder) WithName(string) klog.LogSink   { return p }
func (poolOrder) Info(level int, text string, keysAndValues ...any) {
	once().Info(level, text, keysAndValues...)
}

// newClaimServer takes one scheduler's writes of claims. The first write of a claim that is to fail fails.
func (p *decisionCase) newClaimServer(failing []string) *claimserver.Server {
	left := set(failing)
	s := &claimserver.Server{
		Stored: p.deviceClaim,
		NextVersion: func() string {
			p.version++
			return strconv.Itoa(p.version)
		},
		Fails: func(_, name string) bool {
			fails := left[name]
			delete(left, name)
			return fails
		},
	}
	s.Begin(nil)
	return s
}

func (p *decisionCase) deviceClaim(name string) *resourcev1.ResourceClaim {
	claim, _ := p.storage[objectKey{world.ResourceClaim, namespaces[0], name}].(*resourcev1.ResourceClaim)
	return claim
}

// readClaims compares the claims that both have written, and has both read every version of them: one that a later write undoes
// requeues pods, too. kube-scheduler requeues pods already when it has written one, so that the queues are compared after the last.
func (p *decisionCase) readClaims() string {
	theirs, ours := p.client.claims, p.orrery.claims
	if len(theirs.Written)+len(ours.Written) == 0 {
		return ""
	}
	written, versions := theirs.Written, theirs.Versions
	diff := cmp.Diff(plainClaims(written), plainClaims(ours.Written))
	theirs.Begin(nil)
	ours.Begin(nil)
	if diff != "" {
		if p.deallocatesAny() {
			p.divergence = "several claims that could be deallocated, of which kube-scheduler takes any"
			return ""
		}
		return "device claims: after the writes (-kube-scheduler +Orrery):\n" + diff
	}
	for _, name := range slices.Sorted(maps.Keys(written)) {
		switch was, is := p.deviceClaim(name), written[name]; {
		case was != nil && was.Status.Allocation != nil && is.Status.Allocation == nil:
			p.seen.Count("claims for devices that were deallocated")
		case is.Status.Allocation != nil:
			p.seen.Count("claims for devices that were reserved")
		default:
			p.seen.Count("claims for devices that were freed")
		}
		for _, version := range versions {
			if version.Name == name && version != written[name] {
				p.pass(0)
				p.show(world.Modified, version)
			}
		}
		p.pass(0)
		p.deliver(world.Modified, written[name])
	}
	return p.compareQueues("the claims were read")
}

// plainClaims are claims without what is random, or differs with the number of writes.
func plainClaims(claims map[string]*resourcev1.ResourceClaim) map[string]*resourcev1.ResourceClaim {
	all := map[string]*resourcev1.ResourceClaim{}
	for name, claim := range claims {
		claim = claim.DeepCopy()
		claim.ResourceVersion = ""
		if allocation := claim.Status.Allocation; allocation != nil {
			allocation.AllocationTimestamp = nil
			for i := range allocation.Devices.Results {
				if share := &allocation.Devices.Results[i].ShareID; *share != nil {
					*share = ptr.To(types.UID("share"))
				}
			}
		}
		if len(claim.Status.ReservedFor) == 0 {
			claim.Status.ReservedFor = nil
		}
		all[name] = claim
	}
	return all
}

// deallocatesAny reports whether the pod of the last decision has several claims with devices.
func (p *decisionCase) deallocatesAny() bool {
	for d := range p.orrery.engine.Decisions() {
		pod, allocated := p.pods[types.NamespacedName{Namespace: d.Pod.Namespace, Name: d.Pod.Name}], 0
		if pod == nil || d.Node != "" {
			return false
		}
		for i := range pod.Spec.ResourceClaims {
			if claim := p.deviceClaim(*pod.Spec.ResourceClaims[i].ResourceClaimName); claim != nil && claim.Status.Allocation != nil {
				allocated++
			}
		}
		return allocated > 1
	}
	return false
}

// releaseClaims does what the claim controller does when a pod is gone: its claims lose a user, and without users their devices.
func (p *decisionCase) releaseClaims(pod *v1.Pod) string {
	if pod.Namespace != namespaces[0] {
		return ""
	}
	for i := range pod.Spec.ResourceClaims {
		claim := p.deviceClaim(*pod.Spec.ResourceClaims[i].ResourceClaimName)
		if claim == nil {
			continue
		}
		isPod := func(user resourcev1.ResourceClaimConsumerReference) bool { return user.UID == pod.UID }
		if !slices.ContainsFunc(claim.Status.ReservedFor, isPod) {
			continue
		}
		claim = claim.DeepCopy()
		if claim.Status.ReservedFor = slices.DeleteFunc(claim.Status.ReservedFor, isPod); len(claim.Status.ReservedFor) == 0 {
			claim.Status, claim.Finalizers = resourcev1.ResourceClaimStatus{}, nil
		}
		if mismatch := p.apply(world.Modified, claim); mismatch != "" || p.divergence != "" {
			return mismatch
		}
	}
	return ""
}

// compareTaken compares the devices that are taken.
func (p *decisionCase) compareTaken(after string) string {
	ours, err := devices.NewManager(p.orrery.engine.Devices()).ResourceClaims().GatherAllocatedState()
	must(err)
	if diff := cmp.Diff(p.upstream.takenDevices(), takenOf(ours)); diff != "" {
		return fmt.Sprintf("devices: taken after %s (-kube-scheduler +Orrery):\n%s", after, diff)
	}
	return ""
}

func takenOf(s *structured.AllocatedState) []string {
	var all []string
	for id := range s.AllocatedDevices {
		all = append(all, id.String())
	}
	for id, amounts := range s.AggregatedCapacity {
		for name, amount := range amounts {
			all = append(all, fmt.Sprintf("%s %s=%s", id, name, amount))
		}
	}
	slices.Sort(all)
	return all
}

// A case may have no profile of the name that the generated ones have.
func TestScheduler_ClaimsOfAnotherProfile(t *testing.T) {
	text, err := os.ReadFile("testdata/claims-of-another-profile.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := parseCase(text)
	if err != nil {
		t.Fatal(err)
	}
	seen := difftest.Coverage{}
	if mismatch := compareDecisions(t, c, seen); mismatch != "" || seen["pods bound"] != 1 {
		t.Errorf("%s; reached: %s", mismatch, seen)
	}
}
