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
	"orrery/core/mk"
	"orrery/core/world"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

const driver = "dra.example.com"

// scene is a world without delays around a controller. What the controller does is written down, with its time; deleted
// pods are gone at once, and the conditions of rules are written. Devices are named pool/device.
type scene struct {
	t       *testing.T
	c       *device.Controller
	now     time.Time
	version int
	objects map[string]world.Object
	outcome func(world.Effect) world.Outcome
	grace   time.Duration // that pods have to end, when they are deleted; gone at once if zero
	log     strings.Builder
}

func newScene(t *testing.T, o device.Options) *scene {
	o.FirstEffect = 1000
	return &scene{
		t: t, c: device.New(o), now: noon, objects: map[string]world.Object{},
		outcome: func(world.Effect) world.Outcome { return world.Outcome{} },
	}
}

// at lets time go by, from one timer to the next.
func (s *scene) at(seconds float64) *scene {
	to := noon.Add(time.Duration(seconds * float64(time.Second)))
	for {
		wake, ok := s.c.NextWake()
		if !ok || wake.After(to) {
			break
		}
		s.tell(wake, world.Tick{})
	}
	s.now = to
	return s
}

func key(o world.Object) string {
	return fmt.Sprintf("%s %s/%s", world.KindOf(o), o.GetNamespace(), o.GetName())
}

func (s *scene) set(o world.Object) *scene {
	s.version++
	o.SetResourceVersion(strconv.Itoa(s.version))
	s.objects[key(o)] = o
	return s.tell(s.now, world.Changed{Op: world.Modified, Object: o})
}

func (s *scene) gone(kind world.Kind, namespace, name string) *scene {
	o := s.objects[fmt.Sprintf("%s %s/%s", kind, namespace, name)].DeepCopyObject().(world.Object)
	s.version++
	o.SetResourceVersion(strconv.Itoa(s.version))
	delete(s.objects, key(o))
	return s.tell(s.now, world.Changed{Op: world.Deleted, Object: o})
}

func (s *scene) tell(at time.Time, event world.Event) *scene {
	s.now = at
	s.c.Apply(world.Input{At: at, Event: event})
	effects := s.c.Effects()
	for _, status := range s.c.Statuses() {
		s.say("rule %s: %s=%s, %s", status.Rule, status.Condition.Reason, status.Condition.Status, status.Condition.Message)
		if rule, ok := s.objects["DeviceTaintRule /"+status.Rule].(*resourcev1alpha3.DeviceTaintRule); ok {
			rule = rule.DeepCopy()
			rule.Status.Conditions = []metav1.Condition{status.Condition}
			s.set(rule)
		}
	}
	for _, e := range effects {
		s.carryOut(e)
	}
	return s
}

func (s *scene) carryOut(e world.Effect) {
	out := s.outcome(e)
	switch act := e.Action.(type) {
	case world.EmitEvent:
		s.say("%s: %s", act.Regarding, act.Note)
		return
	case world.PatchStatus:
		s.say("%s: %s", act.Pod, act.Condition.Reason)
	case world.Delete:
		s.say("%s: deleted", act.Pod)
		if pod, ok := s.objects["Pod "+act.Pod.String()].(*v1.Pod); ok && out.OK() {
			s.delete(pod)
		}
	}
	s.tell(s.now, world.EffectDone{Effect: e.ID, Outcome: out})
}

func (s *scene) delete(pod *v1.Pod) {
	if s.grace == 0 {
		s.gone(world.Pod, pod.Namespace, pod.Name)
		return
	}
	pod = pod.DeepCopy()
	pod.DeletionTimestamp = &metav1.Time{Time: s.now.Add(s.grace)}
	s.set(pod)
}

func (s *scene) say(format string, args ...any) {
	fmt.Fprintf(&s.log, "%vs "+format+"\n", append([]any{s.now.Sub(noon).Seconds()}, args...)...)
}

// left are the pods that were deleted, and when.
func (s *scene) left() string {
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

// claim is one that holds a device and is reserved for pods.
func claim(namespace, name, held string, pods ...string) *resourcev1.ResourceClaim {
	c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: name, UID: types.UID("claim/" + namespace + "/" + name),
	}}
	c.Status.Allocation = &resourcev1.AllocationResult{}
	hold(c, held)
	for _, pod := range pods {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{
			Resource: "pods", Name: pod, UID: types.UID("pod/" + namespace + "/" + pod),
		})
	}
	return c
}

// hold adds a device to what a claim holds, with the tolerations of its request.
func hold(c *resourcev1.ResourceClaim, held string, tolerations ...resourcev1.DeviceToleration) {
	pool, name, _ := strings.Cut(held, "/")
	results := &c.Status.Allocation.Devices.Results
	*results = append(*results, resourcev1.DeviceRequestAllocationResult{
		Request: "req", Driver: driver, Pool: pool, Device: name, Tolerations: tolerations,
	})
}

// tolerating is a claim of one device for pod a, with tolerations.
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

// slice is all of a pool, in one generation, with one taint on each device that is named with one: gpu-0, gpu-1=bad@30
// was added 30 s after noon, gpu-2=bad:NoSchedule@30 has another effect.
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

// rule taints devices that it selects, by driver, pool and device where they are given.
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

func board(b *evict.Record) string {
	var text strings.Builder
	for _, d := range append(b.Open(), b.Ended()...) {
		fmt.Fprintf(&text, "%s: %s, %vs, %s\n", d.Pod.Name, d.Phase, d.Deadline.Sub(noon).Seconds(), d.Reason)
	}
	return text.String()
}
