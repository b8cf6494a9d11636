package device_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/evict/device"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

const driver = "dra.example.com"

// fixture runs a controller in a cluster without delays and logs its effects with their times. A deleted pod is gone at
// once, and rules get the conditions that the controller reports. Devices are named pool/device.
type fixture struct {
	t       *testing.T
	c       *device.Controller
	now     time.Time
	version int
	objects map[string]world.Object
	outcome func(world.Effect) world.Outcome
	grace   time.Duration // of deleted pods; zero deletes them at once
	log     strings.Builder
}

func newFixture(t *testing.T, o device.Options) *fixture {
	o.FirstEffect = 1000
	return &fixture{
		t: t, c: device.New(o), now: noon, objects: map[string]world.Object{},
		outcome: func(world.Effect) world.Outcome { return world.Outcome{} },
	}
}

// at advances the time, from one timer to the next.
func (s *fixture) at(seconds float64) *fixture {
	to := noon.Add(time.Duration(seconds * float64(time.Second)))
	for {
		wake, ok := s.c.NextWake()
		if !ok || wake.After(to) {
			break
		}
		s.apply(wake, world.Tick{})
	}
	s.now = to
	return s
}

func key(o world.Object) string {
	return fmt.Sprintf("%s %s/%s", world.KindOf(o), o.GetNamespace(), o.GetName())
}

func (s *fixture) set(o world.Object) *fixture {
	s.version++
	o.SetResourceVersion(strconv.Itoa(s.version))
	s.objects[key(o)] = o
	return s.apply(s.now, world.Changed{Op: world.Modified, Object: o})
}

func (s *fixture) remove(kind world.Kind, namespace, name string) *fixture {
	o := s.objects[fmt.Sprintf("%s %s/%s", kind, namespace, name)].DeepCopyObject().(world.Object)
	s.version++
	o.SetResourceVersion(strconv.Itoa(s.version))
	delete(s.objects, key(o))
	return s.apply(s.now, world.Changed{Op: world.Deleted, Object: o})
}

func (s *fixture) apply(at time.Time, event world.Event) *fixture {
	s.now = at
	s.c.Apply(world.Input{At: at, Event: event})
	for _, e := range s.c.Effects() {
		s.perform(e)
	}
	return s
}

// setCondition carries out a write of a rule's condition.
func (s *fixture) setCondition(action world.SetRuleCondition) {
	c := action.Condition
	s.logf("rule %s: %s=%s, %s", action.Rule.Name, c.Reason, c.Status, c.Message)
	if rule, ok := s.objects["DeviceTaintRule /"+action.Rule.Name].(*resourcev1alpha3.DeviceTaintRule); ok {
		if written, same := action.Apply(rule); same {
			s.set(written)
		}
	}
}

func (s *fixture) perform(e world.Effect) {
	out := s.outcome(e)
	switch action := e.Action.(type) {
	case world.EmitEvent:
		s.logf("%s: %s", action.Regarding, action.Note)
		return
	case world.SetRuleCondition:
		if out.OK() {
			s.setCondition(action)
		}
	case world.PatchStatus:
		s.logf("%s: %s", action.Pod, action.Condition.Reason)
	case world.Delete:
		s.logf("%s: deleted", action.Pod)
		if pod, ok := s.objects["Pod "+action.Pod.String()].(*v1.Pod); ok && out.OK() {
			s.delete(pod)
		}
	}
	s.apply(s.now, world.EffectDone{Effect: e.ID, Outcome: out})
}

func (s *fixture) delete(pod *v1.Pod) {
	if s.grace == 0 {
		s.remove(world.Pod, pod.Namespace, pod.Name)
		return
	}
	pod = pod.DeepCopy()
	pod.DeletionTimestamp = &metav1.Time{Time: s.now.Add(s.grace)}
	s.set(pod)
}

func (s *fixture) logf(format string, args ...any) {
	fmt.Fprintf(&s.log, "%vs "+format+"\n", append([]any{s.now.Sub(noon).Seconds()}, args...)...)
}

// deletions lists the deleted pods with their times.
func (s *fixture) deletions() string {
	var kept []string
	for line := range strings.Lines(s.log.String()) {
		if words := strings.Fields(line); words[len(words)-1] == "deleted" {
			kept = append(kept, words[0]+" "+strings.Trim(strings.TrimPrefix(words[1], "default/"), ":"))
		}
	}
	return strings.Join(kept, ", ")
}

// user is a pod on a node that uses a claim of its namespace.
func user(namespace, name string, claims ...string) *v1.Pod {
	pod := mk.Pod(name).Namespace(namespace).Node("n1").Obj()
	for _, claim := range claims {
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, v1.PodResourceClaim{Name: claim, ResourceClaimName: &claim})
	}
	return pod
}

// claim is an allocated claim of one device, reserved for pods.
func claim(namespace, name, device string, pods ...string) *resourcev1.ResourceClaim {
	c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: name, UID: types.UID("claim/" + namespace + "/" + name),
	}}
	c.Status.Allocation = &resourcev1.AllocationResult{}
	allocate(c, device)
	for _, pod := range pods {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{
			Resource: "pods", Name: pod, UID: types.UID("pod/" + namespace + "/" + pod),
		})
	}
	return c
}

// allocate adds a device to a claim's allocation, with the tolerations of its request.
func allocate(c *resourcev1.ResourceClaim, device string, tolerations ...resourcev1.DeviceToleration) {
	pool, name, _ := strings.Cut(device, "/")
	results := &c.Status.Allocation.Devices.Results
	*results = append(*results, resourcev1.DeviceRequestAllocationResult{
		Request: "req", Driver: driver, Pool: pool, Device: name, Tolerations: tolerations,
	})
}

// tolerating is a claim of one device for pod a whose request has tolerations.
func tolerating(tolerations ...resourcev1.DeviceToleration) *resourcev1.ResourceClaim {
	c := claim("default", "c", "pool/gpu-0", "a")
	c.Status.Allocation.Devices.Results[0].Tolerations = tolerations
	return c
}

func toleration(key string, effect resourcev1.DeviceTaintEffect, seconds ...int64) resourcev1.DeviceToleration {
	t := resourcev1.DeviceToleration{Key: key, Operator: resourcev1.DeviceTolerationOpExists, Effect: effect}
	if len(seconds) > 0 {
		t.TolerationSeconds = &seconds[0]
	}
	return t
}

// slice holds all devices of a pool in one generation. gpu-0 is a device without taints, gpu-1=bad@30 one with a NoExecute taint
// added 30 s after noon, gpu-2=bad:NoSchedule@30 one with another effect.
func slice(name, pool string, generation int64, devices ...string) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("slice/" + name)}}
	s.Spec.Driver, s.Spec.Pool = driver, resourcev1.ResourcePool{Name: pool, Generation: generation, ResourceSliceCount: 1}
	for _, text := range devices {
		device, taint, tainted := strings.Cut(text, "=")
		d := resourcev1.Device{Name: device}
		if tainted {
			taint, at, _ := strings.Cut(taint, "@")
			key, effect, other := strings.Cut(taint, ":")
			if !other {
				effect = "NoExecute"
			}
			d.Taints = []resourcev1.DeviceTaint{{Key: key, Effect: resourcev1.DeviceTaintEffect(effect), TimeAdded: after(at)}}
		}
		s.Spec.Devices = append(s.Spec.Devices, d)
	}
	return s
}

func after(seconds string) *metav1.Time {
	n, err := strconv.Atoi(seconds)
	if err != nil {
		return nil
	}
	return &metav1.Time{Time: noon.Add(time.Duration(n) * time.Second)}
}

// rule is a rule that selects devices by driver, pool and device; empty ones select all.
func rule(name, effect string, generation int64, added time.Time, selects ...string) *resourcev1alpha3.DeviceTaintRule {
	r := &resourcev1alpha3.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: types.UID("rule/" + name), Generation: generation,
	}}
	r.Spec.Taint = resourcev1alpha3.DeviceTaint{
		Key: driver + "/unhealthy", Value: "Broken", Effect: resourcev1alpha3.DeviceTaintEffect(effect),
		TimeAdded: &metav1.Time{Time: added},
	}
	if len(selects) > 0 {
		r.Spec.DeviceSelector = &resourcev1alpha3.DeviceTaintSelector{}
		for i, field := range []**string{&r.Spec.DeviceSelector.Driver, &r.Spec.DeviceSelector.Pool, &r.Spec.DeviceSelector.Device} {
			if i < len(selects) && selects[i] != "" {
				*field = &selects[i]
			}
		}
	}
	return r
}

func recordText(b *evict.Record) string {
	var text strings.Builder
	for _, d := range append(b.Open(), b.Ended()...) {
		fmt.Fprintf(&text, "%s: %s, %vs, %s\n", d.Pod.Name, d.Phase, d.Deadline.Sub(noon).Seconds(), d.Reason)
	}
	return text.String()
}
