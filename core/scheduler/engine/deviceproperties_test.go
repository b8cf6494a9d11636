package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// The scenarios of devices are three nodes with a few devices each, and pods with claims of their own or shared ones. Pods
// come and go, claims are released as by their controller, and with faults the API server refuses and loses calls.

// deviceFaults are all faults, those of the writes of claims for devices included.
func deviceFaults() memory.Faults {
	f := allFaults()
	f.Calls[memory.CallResourceClaim] = f.Calls[memory.CallPatchStatus]
	return f
}

// deviceScenario returns a cluster with all its changes scheduled.
func deviceScenario(seed uint64, faults memory.Faults) *memory.Cluster {
	r := rand.New(rand.NewPCG(seed, 0xdece))
	c := memory.New(memory.Options{Start: start, Seed: seed, Latency: memory.TypicalLatency(), Faults: faults})
	must(c.Create(mk.DeviceClass("gpu")))
	for i := range 3 {
		name := "n" + strconv.Itoa(i)
		must(c.Create(mk.Node(name).CPU("4").Memory("8Gi").Obj()))
		slice := mk.ResourceSlice(name, driver, name).Node(name)
		for d := range 1 + r.IntN(3) {
			slice.Devices("d" + strconv.Itoa(d))
		}
		must(c.Create(slice.Obj()))
	}
	at := func(change func(*memory.Cluster)) {
		c.At(start.Add(time.Duration(r.Int64N(int64(scenarioLength)))), change)
	}
	for i := range 10 {
		claim := mk.ResourceClaim("c"+strconv.Itoa(i)).Request("gpu", "gpu", int64(1+r.IntN(2))).Obj()
		pod := mk.Pod("p" + strconv.Itoa(i)).CPU("100m").ResourceClaim(claim.Name)
		if r.IntN(3) == 0 {
			pod.ResourceClaim("c" + strconv.Itoa((i+1)%10))
		}
		at(func(c *memory.Cluster) { _, _ = c.Create(claim) })
		at(func(c *memory.Cluster) { _, _ = c.Create(pod.Obj()) })
	}
	for range 6 + r.IntN(10) {
		pod, grace := "p"+strconv.Itoa(r.IntN(10)), int64(0)
		at(func(c *memory.Cluster) {
			_ = c.Delete(world.Pod, "default", pod, metav1.DeleteOptions{GracePeriodSeconds: &grace})
		})
		if r.IntN(6) == 0 {
			at(func(c *memory.Cluster) { c.RestartServer(5 * time.Second) })
		}
	}
	for i := range 40 {
		c.At(start.Add(scenarioLength*time.Duration(i)/30), releaseClaims)
	}
	return c
}

// releaseClaims removes the pods that are gone from the users of claims, and deallocates claims without users.
func releaseClaims(c *memory.Cluster) {
	for _, o := range c.List(world.ResourceClaim) {
		claim := *o.(*resourcev1.ResourceClaim)
		var users []resourcev1.ResourceClaimConsumerReference
		for _, user := range claim.Status.ReservedFor {
			if pod := c.Pod(claim.Namespace, user.Name); pod != nil && pod.UID == user.UID {
				users = append(users, user)
			}
		}
		if len(users) == len(claim.Status.ReservedFor) {
			continue
		}
		if claim.Status.ReservedFor = users; len(users) == 0 {
			claim.Status.Allocation = nil
		}
		_, _ = c.UpdateStatus(&claim)
	}
}

// deviceCheck observes one run. After every input the engine's state has no contradiction, a claim is in flight only for a pod
// that is being bound, and no device of the cluster is allocated twice.
type deviceCheck struct {
	t    *testing.T
	e    *engine.Engine
	c    *memory.Cluster
	seed uint64
	ends map[string]int
}

func (s *deviceCheck) fail(format string, args ...any) {
	s.t.Helper()
	s.t.Errorf("scenario %d at %v: %s", s.seed, s.e.Now().Sub(start), fmt.Sprintf(format, args...))
}

func (s *deviceCheck) Applied(in world.Input, err error) {
	if s.t.Failed() {
		return
	}
	if err != nil {
		s.fail("%T: %v", in.Event, err)
	}
	if err := s.e.Check(); err != nil {
		s.fail("after %T: %v", in.Event, err)
	}
	if inFlight, abandoned, _ := s.e.Devices().Pending(); inFlight-abandoned > 2*s.e.BindingCount() {
		s.fail("%d claims are in flight, and %d pods", inFlight-abandoned, s.e.BindingCount())
	} else if abandoned > 0 {
		s.ends["abandoned"]++
	}
	s.noDeviceTwice()
}

func (s *deviceCheck) noDeviceTwice() {
	owners := map[string]types.UID{}
	for _, o := range s.c.List(world.ResourceClaim) {
		claim := o.(*resourcev1.ResourceClaim)
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			id := result.Pool + "/" + result.Device
			if owners[id] != "" {
				s.fail("device %s is allocated to two claims", id)
			}
			owners[id] = claim.UID
		}
	}
}

func (s *deviceCheck) Stepped(*engine.Decision) {}

func (s *deviceCheck) Emitted(e world.Effect) {
	s.ends[fmt.Sprintf("%T", e.Action)]++
}

// atRest checks that nothing is left in flight, and that every pod on a node has all its claims. With faults it may not: if the
// answer to its binding is lost, its claims are given up.
func (s *deviceCheck) atRest(faultless bool) {
	if inFlight, _, assumed := s.e.Devices().Pending(); inFlight+assumed > 0 {
		s.fail("at rest %d claims are in flight and %d assumed", inFlight, assumed)
	}
	for _, o := range s.c.List(world.Pod) {
		pod := o.(*v1.Pod)
		if pod.Spec.NodeName == "" {
			continue
		}
		s.ends["bound"]++
		for i := range pod.Spec.ResourceClaims {
			claim := s.e.Devices().StoredClaim(pod.Namespace, *pod.Spec.ResourceClaims[i].ResourceClaimName)
			if faultless && (claim == nil || claim.Status.Allocation == nil) {
				s.fail("pod %s is on a node without the devices of a claim", pod.Name)
			}
		}
	}
}

const deviceTail = 10 * time.Minute

// Whatever goes wrong, with and without faults between scheduler and cluster.
func TestDevices_SafeAndAtRest(t *testing.T) {
	t.Parallel()
	ends := map[string]int{}
	for seed := range uint64(*scenarios / 2) {
		for _, faults := range []memory.Faults{{}, deviceFaults()} {
			e, c := newEngine(t, seed), deviceScenario(seed, faults)
			s := &deviceCheck{t: t, e: e, c: c, seed: seed, ends: ends}
			drive.Run(c, start.Add(scenarioLength+deviceTail), drive.NewScheduler(e, s))
			s.atRest(faults.Calls == nil)
			if t.Failed() {
				return
			}
		}
	}
	for _, end := range []string{"world.ReserveResourceClaim", "world.UnreserveResourceClaim", "abandoned", "bound"} {
		if ends[end] == 0 {
			t.Errorf("no scenario reached %q: %v", end, ends)
		}
	}
}

// A fork in the middle, and what it was made from, end as a run without it.
func TestDevices_ForkDecidesTheSame(t *testing.T) {
	t.Parallel()
	end := start.Add(scenarioLength + deviceTail)
	for seed := range uint64(*scenarios / 4) {
		whole, cluster := newEngine(t, seed), deviceScenario(seed, deviceFaults())
		run(whole, cluster, end)
		want := outcomeOf(whole, cluster)
		e, c := newEngine(t, seed), deviceScenario(seed, deviceFaults())
		run(e, c, start.Add(scenarioLength/2))
		ef, err := e.Fork()
		if err != nil {
			t.Fatalf("forking scenario %d: %v", seed, err)
		}
		cf := c.Fork()
		run(ef, cf, end)
		run(e, c, end)
		if fork, original := outcomeOf(ef, cf), outcomeOf(e, c); fork != want || original != want {
			t.Errorf("scenario %d ends in %v, but forked halfway in %v and %v", seed, want, fork, original)
		}
	}
}
