package evict

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"orrery/core/parity/difftest"
)

// deviceStep is one change of an object.
type deviceStep struct {
	at   time.Duration
	verb deviceVerb
	// name is the object's name; for claims and pods namespace/name.
	name string
	// uid is the UID if the object does not exist yet.
	uid types.UID

	generation int64 // of a slice's pool
	taints     [][]resourcev1.DeviceTaint

	rule resourcev1alpha3.DeviceTaintRuleSpec

	allocation *resourcev1.AllocationResult
	users      []string // pods that a claim is reserved for
	owner      bool     // the claim is owned by a pod, from a template

	node  string
	fails int // how many deletions of the pod fail before one succeeds
}

type deviceVerb string

const (
	setSlice  deviceVerb = "set slice"
	dropSlice deviceVerb = "drop slice"
	setRule   deviceVerb = "set rule"
	dropRule  deviceVerb = "drop rule"
	setClaim  deviceVerb = "set claim"
	dropClaim deviceVerb = "drop claim"
	setPod    deviceVerb = "set pod"
	dropPod   deviceVerb = "drop pod"
)

func (s deviceStep) String() string {
	text := fmt.Sprintf("%11.5fs %s %s", s.at.Seconds(), s.verb, s.name)
	switch s.verb {
	case setSlice:
		text += fmt.Sprintf(" generation %d", s.generation)
		for i, taints := range s.taints {
			for _, t := range taints {
				text += fmt.Sprintf(" gpu-%d=%s:%s@%.5f", i, t.Key, t.Effect, t.TimeAdded.Sub(difftest.SynctestStart).Seconds())
			}
		}
	case setRule:
		t := s.rule.Taint
		text += fmt.Sprintf(" %s=%s:%s@%.5f", t.Key, t.Value, t.Effect, t.TimeAdded.Sub(difftest.SynctestStart).Seconds())
		if sel := s.rule.DeviceSelector; sel != nil {
			text += fmt.Sprintf(" of %s/%s/%s", ptr.Deref(sel.Driver, "*"), ptr.Deref(sel.Pool, "*"), ptr.Deref(sel.Device, "*"))
		}
	case setClaim:
		text += fmt.Sprintf(" for %v", s.users)
		if s.allocation == nil {
			return text + " free"
		}
		for _, r := range s.allocation.Devices.Results {
			text += fmt.Sprintf(" %s/%s", r.Pool, r.Device)
			for _, t := range r.Tolerations {
				text += fmt.Sprintf(" [%s %s:%s", t.Operator, t.Key, t.Effect)
				if t.TolerationSeconds != nil {
					text += fmt.Sprintf(" %ds", *t.TolerationSeconds)
				}
				text += "]"
			}
		}
	case setPod:
		text += fmt.Sprintf(" node=%q fails=%d", s.node, s.fails)
	}
	return text
}

// deviceHistory is a sequence of steps, and when the comparison ends.
type deviceHistory struct {
	steps []deviceStep
	until time.Duration
}

func (h deviceHistory) String() string {
	var text strings.Builder
	for _, s := range h.steps {
		fmt.Fprintln(&text, s)
	}
	return text.String()
}

const deviceDriver = "dra.example.com"

// The objects of histories. The slices are in two pools, with two devices each.
var (
	slicePools = map[string]string{"s1": "one", "s2": "one", "s3": "two"}
	sliceFirst = map[string]int{"s1": 0, "s2": 2, "s3": 0}
	devices    = []string{"one/gpu-0", "one/gpu-1", "one/gpu-2", "two/gpu-0", "two/gpu-1"}
	podNames   = []string{"east/a", "east/b", "west/c", "west/d"}
	podClaims  = map[string][]string{"east/a": {"x"}, "east/b": {"x", "y"}, "west/c": {"x"}, "west/d": {generated}}
	claimNames = []string{"east/x", "east/y", "west/x", "west/" + generated}
)

// generatedClaim is the claim from the template of pod west/d.
const generated = "d-gpu"

// deviceGenerator draws a history. Every time in it has a different number of microseconds, so that no timer expires at the
// time of a step or of an unrelated timer.
type deviceGenerator struct {
	draw  *rand.Rand
	at    time.Duration
	marks int
	// held has each claim's allocation, which cannot be changed, only removed.
	held map[string]*resourcev1.AllocationResult
	// failing histories have no claims shared by several pods: when one pod ends, upstream retries the other at once.
	failing bool
}

// mark returns a time with unique microseconds.
func (g *deviceGenerator) mark(at time.Duration) time.Duration {
	g.marks++
	return at.Truncate(time.Second) + time.Duration(g.marks)*10*time.Microsecond
}

func drawDeviceHistory(seed uint64, number int) deviceHistory {
	g := &deviceGenerator{draw: rand.New(rand.NewPCG(seed, uint64(number))), held: map[string]*resourcev1.AllocationResult{}}
	g.failing = g.draw.IntN(4) == 0
	var h deviceHistory
	for i, name := range []string{"s1", "s2", "s3"} {
		h.steps = append(h.steps, g.slice(name, g.mark(time.Duration(i+1)*time.Second)))
	}
	for i := range 6 + g.draw.IntN(30) {
		g.at = g.mark(h.steps[len(h.steps)-1].at + time.Duration(1+g.draw.IntN(25))*time.Second)
		if g.failing {
			g.at += time.Second / 2 // longer than any series of attempts
		}
		s := g.step(i, g.at)
		s.uid = types.UID(fmt.Sprint(s.name, "-", i))
		if g.failing && s.verb == setPod {
			s.fails = g.draw.IntN(5)
		}
		h.steps = append(h.steps, s)
	}
	h.until = g.at + 300*time.Second
	return h
}

// step draws a step. The first ones are mostly of pods and claims, so that there are pods to evict.
func (g *deviceGenerator) step(i int, at time.Duration) deviceStep {
	n := g.draw.IntN(100)
	if i < 6 {
		n = pick(g.draw, 50, 80, n)
	}
	switch {
	case n < 20:
		return g.slice(pick(g.draw, "s1", "s1", "s2", "s3"), at)
	case n < 25:
		return deviceStep{at: at, verb: dropSlice, name: pick(g.draw, "s1", "s2", "s3")}
	case n < 40:
		return g.ruleStep(at)
	case n < 47:
		return deviceStep{at: at, verb: dropRule, name: pick(g.draw, "r1", "r2")}
	case n < 70:
		return g.claimStep(at)
	case n < 75:
		name := pick(g.draw, claimNames...)
		delete(g.held, name)
		return deviceStep{at: at, verb: dropClaim, name: name}
	case n < 95:
		return deviceStep{at: at, verb: setPod, name: pick(g.draw, podNames...), node: pick(g.draw, "n1", "n1", "n1", "")}
	}
	return deviceStep{at: at, verb: dropPod, name: pick(g.draw, podNames...)}
}

func (g *deviceGenerator) slice(name string, at time.Duration) deviceStep {
	s := deviceStep{at: at, verb: setSlice, name: name, uid: types.UID(name), generation: pick[int64](g.draw, 1, 1, 1, 2)}
	for range 2 {
		var taints []resourcev1.DeviceTaint
		for _, key := range []string{"bad", "worse"} {
			if g.draw.IntN(3) == 0 {
				taints = append(taints, resourcev1.DeviceTaint{
					Key: key, Value: pick(g.draw, "", "1"), TimeAdded: g.added(at),
					Effect: pick(g.draw, noExecute, noExecute, noExecute, resourcev1.DeviceTaintEffectNoSchedule, resourcev1.DeviceTaintEffectNone),
				})
			}
		}
		s.taints = append(s.taints, taints)
	}
	return s
}

const noExecute = resourcev1.DeviceTaintEffectNoExecute

// added draws when a taint was added: in the past, or in the near future by a fast clock.
func (g *deviceGenerator) added(at time.Duration) *metav1.Time {
	return &metav1.Time{Time: difftest.SynctestStart.Add(g.mark(at + time.Duration(g.draw.IntN(50)-30)*time.Second))}
}

func (g *deviceGenerator) ruleStep(at time.Duration) deviceStep {
	s := deviceStep{at: at, verb: setRule, name: pick(g.draw, "r1", "r2")}
	s.rule.Taint = resourcev1alpha3.DeviceTaint{
		Key: pick(g.draw, "bad", "rule"), Value: pick(g.draw, "", "1"), TimeAdded: g.added(at),
		Effect: pick(g.draw, resourcev1alpha3.DeviceTaintEffectNoExecute, resourcev1alpha3.DeviceTaintEffectNoExecute,
			resourcev1alpha3.DeviceTaintEffectNoExecute, resourcev1alpha3.DeviceTaintEffectNone, resourcev1alpha3.DeviceTaintEffectNoSchedule),
	}
	if g.draw.IntN(8) > 0 {
		s.rule.DeviceSelector = &resourcev1alpha3.DeviceTaintSelector{
			Driver: pick(g.draw, nil, ptr.To(deviceDriver), ptr.To(deviceDriver), ptr.To("other")),
			Pool:   pick(g.draw, nil, nil, ptr.To("one"), ptr.To("two")),
			Device: pick(g.draw, nil, nil, ptr.To("gpu-0"), ptr.To("gpu-2")),
		}
	}
	return s
}

func (g *deviceGenerator) claimStep(at time.Duration) deviceStep {
	s := deviceStep{at: at, verb: setClaim, name: pick(g.draw, claimNames...), owner: g.draw.IntN(4) > 0}
	for _, pod := range podNames {
		namespace, _, _ := strings.Cut(pod, "/")
		if strings.HasPrefix(s.name, namespace+"/") && g.draw.IntN(4) > 0 {
			s.users = append(s.users, pod)
		}
	}
	if g.failing {
		s.users = s.users[:min(1, len(s.users))]
	}
	switch {
	case g.draw.IntN(8) == 0:
		g.held[s.name] = nil
	case g.held[s.name] == nil:
		g.held[s.name] = g.allocation()
	}
	if s.allocation = g.held[s.name]; s.allocation == nil {
		s.users = nil // a claim without an allocation is not reserved
	}
	return s
}

func (g *deviceGenerator) allocation() *resourcev1.AllocationResult {
	a := &resourcev1.AllocationResult{}
	for _, i := range g.draw.Perm(len(devices))[:1+g.draw.IntN(2)] {
		pool, name := splitName(devices[i])
		r := resourcev1.DeviceRequestAllocationResult{Request: "req", Driver: deviceDriver, Pool: pool, Device: name}
		for range g.draw.IntN(3) {
			r.Tolerations = append(r.Tolerations, g.toleration())
		}
		a.Devices.Results = append(a.Devices.Results, r)
	}
	return a
}

// toleration draws one of these durations. No two differ by ten seconds, the delay of reports after a deletion.
func (g *deviceGenerator) toleration() resourcev1.DeviceToleration {
	t := resourcev1.DeviceToleration{
		Key: pick(g.draw, "bad", "worse", "rule"), Operator: resourcev1.DeviceTolerationOpExists,
		Effect: pick(g.draw, noExecute, noExecute, noExecute, resourcev1.DeviceTaintEffectNoSchedule),
	}
	switch g.draw.IntN(4) {
	case 0:
		t.Operator, t.Value = resourcev1.DeviceTolerationOpEqual, pick(g.draw, "", "1")
	case 1:
		t.Key = ""
	}
	if g.draw.IntN(5) > 0 {
		t.TolerationSeconds = ptr.To(pick[int64](g.draw, -1, 0, 1, 5, 33, 64, 120, 120, 120))
	}
	return t
}

// The objects of a step.

func (s deviceStep) sliceObject() *resourcev1.ResourceSlice {
	slice := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: s.name, UID: s.uid}}
	slice.Spec.Driver = deviceDriver
	slice.Spec.Pool = resourcev1.ResourcePool{Name: slicePools[s.name], Generation: s.generation, ResourceSliceCount: 1}
	for i, taints := range s.taints {
		slice.Spec.Devices = append(slice.Spec.Devices, resourcev1.Device{Name: fmt.Sprintf("gpu-%d", sliceFirst[s.name]+i), Taints: taints})
	}
	return slice
}

func splitName(name string) (namespace, own string) {
	namespace, own, _ = strings.Cut(name, "/")
	return namespace, own
}

func (s deviceStep) podObject() *v1.Pod {
	namespace, name := splitName(s.name)
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: s.uid}, Spec: v1.PodSpec{NodeName: s.node}}
	for _, claim := range podClaims[s.name] {
		if claim != generated {
			pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, v1.PodResourceClaim{Name: claim, ResourceClaimName: ptr.To(claim)})
			continue
		}
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, v1.PodResourceClaim{Name: "gpu", ResourceClaimTemplateName: ptr.To("gpus")})
		pod.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: ptr.To(generated)}}
	}
	return pod
}

// claimObject returns the claim, reserved for its users. One that does not exist may have been another pod of its name.
func (s deviceStep) claimObject(pods map[string]*v1.Pod) *resourcev1.ResourceClaim {
	namespace, name := splitName(s.name)
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: s.uid}}
	claim.Status.Allocation = s.allocation
	for _, user := range s.users {
		_, name := splitName(user)
		reference := resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: name, UID: "former"}
		if pod := pods[user]; pod != nil {
			reference.UID = pod.UID
		}
		claim.Status.ReservedFor = append(claim.Status.ReservedFor, reference)
	}
	if pod := pods["west/d"]; name == generated && s.owner && pod != nil {
		claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "d", UID: pod.UID, Controller: ptr.To(true)}}
	}
	return claim
}
