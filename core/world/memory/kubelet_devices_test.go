package memory_test

import (
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// lastEvent is the note of the latest event of a kubelet, without UIDs.
func (s *scene) lastEvent(pod string) string {
	note := ""
	for _, e := range s.Events() {
		if e.Controller == "kubelet" && e.Regarding.Name == pod {
			note = e.Note
		}
	}
	return note
}

// A pod that is on a node before its claim is ready waits, and starts when it is.
func TestKubeletDevices_StartsPods(t *testing.T) {
	const waits, runs = "pod p Pending on n1 PodScheduled=True", "pod p Running on n1 PodScheduled=True Ready=True"
	for _, row := range []struct {
		name          string
		before, after func(s *scene) error
		why           string // of the pod's waiting
	}{
		{
			"there is no claim",
			func(*scene) error { return nil },
			func(s *scene) error {
				create(s, deviceClaim("r"))
				return allocate(s.Cluster, "r", "n1", []string{"gpu-0"}, s.Pod("default", "p"))
			},
			`fetch ResourceClaim r: resourceclaims.resource.k8s.io "r" not found`,
		},
		{
			"the claim is not allocated",
			func(s *scene) error { create(s, deviceClaim("r")); return nil },
			func(s *scene) error { return allocate(s.Cluster, "r", "n1", []string{"gpu-0"}, s.Pod("default", "p")) },
			"pod p (POD) is not allowed to use ResourceClaim r (CLAIM)",
		},
		{
			"the driver is away",
			func(s *scene) error {
				create(s, deviceClaim("r"))
				s.StopDeviceDriver(gpus, "n1")
				return allocate(s.Cluster, "r", "n1", []string{"gpu-0"}, s.Pod("default", "p"))
			},
			func(s *scene) error { s.StartDeviceDriver(gpus, "n1"); return nil },
			"DRA driver gpu.example.com is not registered",
		},
		{
			"the device is away",
			func(s *scene) error {
				create(s, deviceClaim("r"))
				s.publish(gpusOf("n1", "gpu-1"))
				return allocate(s.Cluster, "r", "n1", []string{"gpu-0"}, s.Pod("default", "p"))
			},
			func(s *scene) error { return s.PlugDevice(gpus, "n1", "n1", resourcev1.Device{Name: "gpu-0"}) },
			"NodePrepareResources failed for ResourceClaim r: there is no device gpu-0 in pool n1",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newScene(t, memory.Options{Latency: memory.TypicalLatency()})
			create(s, node("n1"))
			pod := create(s, usingClaim(mk.Pod("p").Obj(), "r"))
			s.must(row.before(s))
			s.bind("p", "n1")
			s.pass(time.Minute)
			s.wantsState(waits, world.Pod)
			got := strings.TrimPrefix(s.lastEvent("p"), "Failed to prepare dynamic resources: prepare dynamic resources: ")
			got = strings.ReplaceAll(got, string(pod.UID), "POD")
			if o, err := s.Get(world.ResourceClaim, "default", "r"); err == nil {
				got = strings.ReplaceAll(got, string(o.GetUID()), "CLAIM")
			}
			if got != row.why {
				t.Errorf("the kubelet says %q, want %q", got, row.why)
			}
			s.must(row.after(s))
			s.pass(time.Minute)
			s.wantsState(runs, world.Pod)
		})
	}
}

func TestKubeletDevices_OtherNode(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, node("n1"))
	create(s, node("n2"))
	create(s, deviceClaim("r"))
	pod := create(s, usingClaim(mk.Pod("p").Obj(), "r"))
	s.must(allocate(s.Cluster, "r", "n1", []string{"gpu-0"}, pod))
	s.bind("p", "n2")
	s.pass(time.Hour)
	s.wantsState("pod p Pending on n2 PodScheduled=True", world.Pod)
	if got, want := s.lastEvent("p"), "node n2 does not reach the allocated devices"; !strings.HasSuffix(got, want) {
		t.Errorf("the kubelet says %q, want %q at its end", got, want)
	}
	s.mustDelete(world.Pod, "p") // it does not wait for a driver
	s.pass(time.Minute)
	s.wantsState("resourceclaim r", world.Pod, world.ResourceClaim)
}

// A claim of another pod, of the name in the pod's status, does not start it. The pod gets its own when that one is gone.
func TestKubeletDevices_ClaimOfAnother(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, node("n1"))
	create(s, deviceClaim("other"))
	create(s, gpuTemplate("one"))
	pod := usingTemplate(mk.Pod("p").Obj(), "one")
	pod.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: ptr("other")}}
	s.must(s.Load(pod)) // a new pod would have no status
	s.bind("p", "n1")
	s.pass(time.Minute)
	s.wantsState(`
		pod p Pending on n1 PodScheduled=True
		resourceclaim other
	`, world.Pod, world.ResourceClaim)
	if got, want := s.lastEvent("p"), "ResourceClaim default/other was not created for Pod default/p (Pod is not owner)"; !strings.HasSuffix(got, want) {
		t.Errorf("the kubelet says %q, want %q at its end", got, want)
	}
	s.mustDelete(world.ResourceClaim, "other")
	s.pass(time.Minute)
	pod = s.Pod("default", "p")
	s.must(allocate(s.Cluster, generated(t, pod), "n1", []string{"gpu-1"}, pod))
	s.pass(time.Minute)
	s.wantsState("pod p Running on n1 PodScheduled=True Ready=True", world.Pod)
}

// Pods whose devices a driver prepared end only while it is there: one that is deleted, and one that ends by itself.
func TestKubeletDevices_DriverHoldsPods(t *testing.T) {
	for _, away := range []time.Duration{time.Minute, 0} {
		s := newScene(t, memory.Options{PodBehavior: func(p *v1.Pod) memory.PodBehavior {
			if p.Name == "short" {
				return memory.PodBehavior{Run: time.Minute}
			}
			return memory.PodBehavior{Stop: time.Second}
		}})
		create(s, node("n1"))
		for i, name := range []string{"short", "long"} {
			create(s, deviceClaim(name))
			create(s, usingClaim(mk.Pod(name).Obj(), name))
			s.schedule(name, "n1", []string{"gpu-0", "gpu-1"}[i])
		}
		s.pass(30 * time.Second)
		s.StopDeviceDriver(gpus, "n1")
		s.mustDelete(world.Pod, "long")
		s.pass(30*time.Second + away)
		s.wantsState(`
			pod long Running on n1 PodScheduled=True Ready=True deleting in 30s
			pod short Running on n1 PodScheduled=True Ready=True
			resourceclaim long n1/gpu-1 for long protected
			resourceclaim short n1/gpu-0 for short protected
		`, world.Pod, world.ResourceClaim)
		s.StartDeviceDriver(gpus, "n1")
		s.pass(time.Minute)
		s.wantsState(`
			pod short Succeeded on n1 PodScheduled=True Ready=False/PodCompleted
			resourceclaim long
			resourceclaim short
		`, world.Pod, world.ResourceClaim)
	}
}

// Of two pods with one claim on a node, the first to end needs no driver.
func TestKubeletDevices_LastPodNeedsDriver(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, node("n1"))
	create(s, deviceClaim("r"))
	for _, name := range []string{"p", "q"} {
		create(s, usingClaim(mk.Pod(name).Obj(), "r"))
		s.schedule(name, "n1", "gpu-0")
	}
	s.pass(time.Minute)
	s.StopDeviceDriver(gpus, "n1")
	s.mustDelete(world.Pod, "p")
	s.pass(time.Minute)
	s.mustDelete(world.Pod, "q")
	s.pass(time.Minute)
	s.wantsState("resourceclaim r n1/gpu-0 for q protected", world.ResourceClaim)
	if err := s.Delete(world.Pod, "default", "q", graceOf(0)); err != nil { // by force
		t.Fatal(err)
	}
	s.pass(time.Minute)
	s.wantsState("resourceclaim r", world.ResourceClaim, world.Pod)
}
