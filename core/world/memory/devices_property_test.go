package memory_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"pgregory.net/rapid"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// deviceSteps are the steps of a random script that are about devices. Claims are r0 to r5, templates t0 to t3 and nodes n0 to
// n3, each with two devices.
var deviceSteps = []string{
	"resource claim", "resource claim", "drop resource claim", "template", "template", "drop template", "pod of claim", "pod of claim",
	"pod of template", "pod of template", "pod of both", "publish", "publish", "publish slowly", "taint device", "unplug", "plug",
	"drop slices", "stop driver", "start driver", "allocate", "allocate", "allocate", "allocate", "allocate", "force delete",
}

func playDevices(c *memory.Cluster, do func(world.Action), s step) {
	n, m := strconv.Itoa(s.A), strconv.Itoa(s.B)
	pod := mk.Pod("p" + n).Obj()
	switch s.What {
	case "resource claim":
		_, _ = c.Create(deviceClaim("r" + n))
	case "drop resource claim":
		_ = c.Delete(world.ResourceClaim, "default", "r"+n, metav1.DeleteOptions{})
	case "template":
		_, _ = c.Create(gpuTemplate("t" + m))
	case "drop template":
		_ = c.Delete(memory.ResourceClaimTemplate, "default", "t"+m, metav1.DeleteOptions{})
	case "pod of claim":
		_, _ = c.Create(usingClaim(pod, "r"+m))
	case "pod of template":
		_, _ = c.Create(usingTemplate(pod, "t"+m))
	case "pod of both":
		_, _ = c.Create(usingClaim(usingTemplate(pod, "t"+m), "r"+n))
	case "publish", "publish slowly":
		p := gpusOf("n"+m, "gpu-0 gpu-1")
		if s.What == "publish slowly" {
			p.PerSlice = 1
		}
		_ = c.PublishDevices(p)
	case "taint device":
		_ = c.TaintDevice(gpus, "n"+m, "n"+m, "gpu-"+strconv.Itoa(s.A%2), failed)
	case "unplug":
		_ = c.UnplugDevice(gpus, "n"+m, "n"+m, "gpu-"+strconv.Itoa(s.A%2))
	case "plug":
		_ = c.PlugDevice(gpus, "n"+m, "n"+m, resourcev1.Device{Name: "gpu-" + strconv.Itoa(s.A%2)})
	case "drop slices":
		for _, o := range c.List(world.ResourceSlice) {
			_ = c.Delete(world.ResourceSlice, "", o.GetName(), metav1.DeleteOptions{})
		}
	case "stop driver":
		c.StopDeviceDriver(gpus, "n"+m)
	case "start driver":
		c.StartDeviceDriver(gpus, "n"+m)
	case "allocate":
		for _, o := range c.List(world.Pod) {
			scheduleWithDevices(c, do, o.(*v1.Pod), "n"+m)
		}
	}
}

// scheduleWithDevices allocates the claims of a pending pod on a node, unless another one has a claim or no device is free, and
// binds the pod there.
func scheduleWithDevices(c *memory.Cluster, do func(world.Action), pod *v1.Pod, on string) {
	if pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil || c.Node(on) == nil {
		return
	}
	var claims []*resourcev1.ResourceClaim
	for i := range pod.Spec.ResourceClaims {
		name, generated, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil {
			return
		}
		o, err := c.Get(world.ResourceClaim, "default", *name)
		if err != nil || o.GetDeletionTimestamp() != nil || generated && resourceclaim.IsForPod(pod, o.(*resourcev1.ResourceClaim), false) != nil {
			return
		}
		claims = append(claims, o.(*resourcev1.ResourceClaim))
	}
	for _, claim := range claims {
		if a := claim.Status.Allocation; a != nil && a.Devices.Results[0].Pool != on || resourceclaim.IsReservedForPod(pod, claim, false) {
			return
		}
		device := freeDevice(c, on)
		if claim.Status.Allocation == nil && device == "" {
			return
		}
		if err := allocate(c, claim.Name, on, []string{device}, pod); err != nil {
			return
		}
	}
	do(world.Bind{Pod: world.PodRefOf(pod), Node: on})
}

// freeDevice is a device of a node that no claim has; empty if there is none.
func freeDevice(c *memory.Cluster, on string) string {
	taken := holders(c)
	for i := range 2 {
		if device := "gpu-" + strconv.Itoa(i); len(taken[on+"/"+device]) == 0 {
			return device
		}
	}
	return ""
}

// holders are the claims that have a device.
func holders(c *memory.Cluster) map[string][]string {
	all := map[string][]string{}
	for _, o := range c.List(world.ResourceClaim) {
		if a := o.(*resourcev1.ResourceClaim).Status.Allocation; a != nil {
			for _, r := range a.Devices.Results {
				all[r.Pool+"/"+r.Device] = append(all[r.Pool+"/"+r.Device], o.GetName())
			}
		}
	}
	return all
}

func TestDevices_AtRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, effect := memory.New(troubled(anyOptions(t))), world.EffectID(0)
		for i := range 4 {
			play(c, &effect, step{What: "node", B: i})
		}
		stopped := map[string]bool{}
		steps := rapid.SampledFrom(append(deviceSteps, "bind", "bind", "lose", "recover", "node", "drop node", "delete", "delete", "restart"))
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			s := step{
				What: steps.Draw(t, "what"), A: rapid.IntRange(0, 5).Draw(t, "a"), B: rapid.IntRange(0, 3).Draw(t, "b"),
				Wait: time.Duration(rapid.IntRange(0, 60_000).Draw(t, "wait")) * time.Millisecond,
			}
			play(c, &effect, s)
			switch s.What {
			case "stop driver":
				stopped["n"+strconv.Itoa(s.B)] = true
			case "start driver", "drop node": // a node that comes back has its drivers
				stopped["n"+strconv.Itoa(s.B)] = false
			}
		}
		for i := range 4 {
			_ = c.RecoverNode("n" + strconv.Itoa(i))
		}
		rest(c, func(world.Input) {})
		for _, one := range slices.Concat(deviceErrors(c), sliceErrors(c, stopped), startErrors(c, stopped)) {
			t.Error(one)
		}
	})
}

// sliceErrors lists the pools whose slices are not what their driver, which runs and reaches the API server, wants.
func sliceErrors(c *memory.Cluster, stopped map[string]bool) []string {
	var problems []string
	published := map[string][]string{}
	for _, o := range c.List(world.ResourceSlice) {
		slice := o.(*resourcev1.ResourceSlice)
		for _, d := range slice.Spec.Devices {
			published[slice.Spec.Pool.Name] = append(published[slice.Spec.Pool.Name], fmt.Sprint(d.Name, len(d.Taints)))
		}
		if c.Node(*slice.Spec.NodeName) == nil {
			problems = append(problems, fmt.Sprintf("slice %s is there, and its node is not", slice.Name))
		}
	}
	for _, p := range c.DevicePools() {
		var want []string
		for _, d := range p.Devices {
			want = append(want, fmt.Sprint(d.Name, len(d.Taints)))
		}
		if stopped[p.Node] {
			want = nil
		}
		got := published[p.Name]
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			problems = append(problems, fmt.Sprintf("pool %s has %v in its slices, want %v", p.Name, got, want))
		}
	}
	return problems
}

// startErrors lists the pods that run without their devices, or do not run with them.
func startErrors(c *memory.Cluster, stopped map[string]bool) []string {
	var problems []string
	for _, o := range c.List(world.Pod) {
		pod := o.(*v1.Pod)
		if pod.Spec.NodeName == "" || c.Node(pod.Spec.NodeName) == nil || pod.DeletionTimestamp != nil {
			continue
		}
		reserved, there := true, !stopped[pod.Spec.NodeName]
		for i := range pod.Spec.ResourceClaims {
			name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
			if err != nil {
				reserved = false
				continue
			}
			o, err := c.Get(world.ResourceClaim, "default", *name)
			if reserved = reserved && err == nil && resourceclaim.IsReservedForPod(pod, o.(*resourcev1.ResourceClaim), false); reserved {
				there = there && isPublished(c, o.(*resourcev1.ResourceClaim), pod.Spec.NodeName)
			}
		}
		switch {
		case pod.Status.Phase == v1.PodRunning && !reserved:
			problems = append(problems, fmt.Sprintf("pod %s runs without its claims", pod.Name))
		case pod.Status.Phase == v1.PodPending && reserved && there:
			problems = append(problems, fmt.Sprintf("pod %s does not start, though it has its claims", pod.Name))
		}
	}
	return problems
}

// isPublished reports whether the devices of a claim are on a node, as far as their driver tells.
func isPublished(c *memory.Cluster, claim *resourcev1.ResourceClaim, node string) bool {
	for _, r := range claim.Status.Allocation.Devices.Results {
		pool, known := c.Devices(gpus, node, r.Pool)
		there := slices.ContainsFunc(pool.Devices, func(d resourcev1.Device) bool { return d.Name == r.Device })
		if r.Pool != node || known && !there {
			return false
		}
	}
	return true
}

// deviceErrors lists what must never be true of a cluster at rest.
func deviceErrors(c *memory.Cluster) []string {
	var problems []string
	fail := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	for device, claims := range holders(c) {
		if len(claims) > 1 {
			fail("device %s is allocated to %v", device, claims)
		}
	}
	for _, o := range c.List(world.ResourceClaim) {
		claim := o.(*resourcev1.ResourceClaim)
		for _, r := range claim.Status.ReservedFor {
			if pod := c.Pod("default", r.Name); pod == nil || pod.UID != r.UID || pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed {
				fail("claim %s is reserved for pod %s, which is gone or has ended", claim.Name, r.Name)
			}
		}
		if claim.DeletionTimestamp != nil && len(claim.Status.ReservedFor) == 0 {
			fail("claim %s is not deleted, though no pod needs it", claim.Name)
		}
		if owner := metav1.GetControllerOfNoCopy(claim); owner != nil {
			if pod := c.Pod("default", owner.Name); pod == nil || pod.UID != owner.UID {
				fail("claim %s is there, and its pod %s is not", claim.Name, owner.Name)
			}
		}
	}
	for _, o := range c.List(world.Pod) {
		pod := o.(*v1.Pod)
		for i := range pod.Spec.ResourceClaims {
			for _, one := range claimErrors(c, pod, &pod.Spec.ResourceClaims[i]) {
				fail("pod %s %s", pod.Name, one)
			}
		}
	}
	return problems
}

// claimErrors lists what is wrong with one of a pod's claims.
func claimErrors(c *memory.Cluster, pod *v1.Pod, ref *v1.PodResourceClaim) []string {
	if pod.DeletionTimestamp != nil || pod.Status.Phase != v1.PodPending || ref.ResourceClaimTemplateName == nil {
		return nil
	}
	if _, err := c.Get(memory.ResourceClaimTemplate, "default", *ref.ResourceClaimTemplateName); err != nil {
		return nil
	}
	name, _, err := resourceclaim.Name(pod, ref)
	if err != nil {
		return []string{"lacks a claim of its template: " + err.Error()}
	}
	if _, err := c.Get(world.ResourceClaim, "default", *name); err != nil {
		return []string{"lacks its claim: " + err.Error()}
	}
	return nil
}
