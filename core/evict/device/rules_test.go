package device_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict/device"
	"orrery/core/mk"
	"orrery/core/world"
)

const (
	noExecute  = resourcev1.DeviceTaintEffectNoExecute
	noSchedule = resourcev1.DeviceTaintEffectNoSchedule
)

func TestController_EvictionTime(t *testing.T) {
	for _, row := range []struct {
		name string
		play func(*scene)
		want string
	}{
		{"a NoExecute taint on a device that is in use makes the pod leave", func(s *scene) {
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
		}, "30s a"},
		{"a taint on another device does not", func(s *scene) {
			s.at(30).set(slice("s", "pool", 1, "gpu-0", "gpu-1=bad@30"))
		}, ""},
		{"NoSchedule and None make nobody leave", func(s *scene) {
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad:NoSchedule@30"))
			s.at(40).set(slice("s", "pool", 1, "gpu-0=bad:None@30"))
		}, ""},
		{"a taint added at 0, a pod that comes at 60, a toleration of 100 s: it leaves at 100", func(s *scene) {
			s.gone(world.Pod, "default", "a").gone(world.ResourceClaim, "default", "c")
			s.set(slice("s", "pool", 1, "gpu-0=bad@0"))
			c := tolerating(toleration("bad", noExecute, 100))
			c.UID, c.Status.ReservedFor[0].UID = "another", "another"
			pod := user("default", "a", "c")
			pod.UID = "another"
			s.at(60).set(c).set(pod)
		}, "100s a"},
		{"a toleration without seconds is for ever", func(s *scene) {
			s.set(tolerating(toleration("bad", noExecute)))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
		}, ""},
		{"an empty toleration tolerates everything", func(s *scene) {
			s.set(tolerating(resourcev1.DeviceToleration{Operator: resourcev1.DeviceTolerationOpExists}))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
		}, ""},
		{"a toleration of NoSchedule only does not help", func(s *scene) {
			s.set(tolerating(toleration("bad", noSchedule)))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
		}, "30s a"},
		{"of two tolerations of a taint the shorter one counts", func(s *scene) {
			s.set(tolerating(toleration("bad", noExecute, 90), toleration("", noExecute, 20)))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
		}, "50s a"},
		{"less than zero seconds are none", func(s *scene) {
			s.set(tolerating(toleration("bad", noExecute, -7)))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
		}, "30s a"},
		{"of several devices the one that is due first counts", func(s *scene) {
			c := tolerating(toleration("bad", noExecute, 90))
			hold(c, "pool/gpu-1", toleration("bad", noExecute, 40))
			s.set(c)
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30", "gpu-1=bad@20"))
		}, "60s a"},
		{"of several claims the one that is due first counts", func(s *scene) {
			other := claim("default", "d", "pool/gpu-1", "b")
			s.set(other).set(claim("default", "e", "pool/gpu-2", "b")).set(user("default", "b", "d", "e"))
			s.at(30).set(slice("s", "pool", 1, "gpu-0", "gpu-1=bad@80", "gpu-2=bad@70"))
		}, "70s b"},
		{"a taint that goes before the time is up makes nobody leave", func(s *scene) {
			s.set(tolerating(toleration("bad", noExecute, 60)))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
			s.at(89).set(slice("s", "pool", 1, "gpu-0"))
		}, ""},
		{"a second taint with less time shortens what is left", func(s *scene) {
			s.set(tolerating(toleration("bad", noExecute, 600), toleration("worse", noExecute, 10)))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
			s.at(50).set(slice("s", "pool", 1, "gpu-0=worse@50"))
		}, "60s a"},
		{"only slices of a pool's newest generation count", func(s *scene) {
			s.set(slice("new", "pool", 2, "gpu-0"))
			s.at(30).set(slice("old", "pool", 1, "gpu-0=bad@30"))
			s.at(40).gone(world.ResourceSlice, "", "new")
		}, "40s a"},
		{"a slice that is withdrawn takes its taints along", func(s *scene) {
			s.set(tolerating(toleration("bad", noExecute, 60)))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
			s.at(40).gone(world.ResourceSlice, "", "s")
		}, ""},
		{"a pod that is not on a node yet stays, until it is", func(s *scene) {
			waiting := user("default", "b", "d")
			waiting.Spec.NodeName = ""
			s.set(waiting).set(claim("default", "d", "pool/gpu-1", "b"))
			s.at(30).set(slice("s", "pool", 1, "gpu-1=bad@30"))
			s.at(40).set(user("default", "b", "d"))
		}, "40s b"},
		{"a pod that names the claim without being on its list stays", func(s *scene) {
			s.set(user("default", "b", "c"))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
		}, "30s a"},
		{"every pod on the list leaves, though the first is not known", func(s *scene) {
			s.set(claim("default", "d", "pool/gpu-1", "unknown", "x", "y")).set(user("default", "x", "d")).set(user("default", "y", "d"))
			s.at(30).set(slice("s", "pool", 1, "gpu-1=bad@30"))
		}, "30s x, 30s y"},
		{"a claim made from a template must be the pod's own", func(s *scene) {
			s.set(generated("b", "pod/default/b")).set(generated("x", "somebody else's"))
			s.at(30).set(slice("s", "pool", 1, "gpu-1=bad@30"))
			for _, name := range []string{"b", "x"} {
				s.set(fromTemplate(name))
			}
		}, "30s b"},
		{"a claim that loses its allocation lets its pods be", func(s *scene) {
			s.set(tolerating(toleration("bad", noExecute, 60)))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
			free := tolerating()
			free.Status.Allocation = nil
			s.at(40).set(free)
		}, ""},
		{"a taint without a time makes nobody leave", func(s *scene) {
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@none"))
		}, ""},
		{"a rule taints all devices of a driver", func(s *scene) {
			s.set(claim("default", "d", "other/gpu-7", "b")).set(user("default", "b", "d"))
			s.at(30).set(rule("r", "NoExecute", 1, s.now, driver))
		}, "30s a, 30s b"},
		{"... of a pool, or one device alone", func(s *scene) {
			s.set(claim("default", "d", "other/gpu-0", "b")).set(user("default", "b", "d"))
			s.at(30).set(rule("r", "NoExecute", 1, s.now, driver, "other"))
			s.at(40).set(rule("q", "NoExecute", 1, s.now, "", "", "gpu-0"))
		}, "30s b, 40s a"},
		{"... of a pool and a device of it: the one device, and nobody else's of that name", func(s *scene) {
			s.set(claim("default", "d", "other/gpu-0", "b")).set(user("default", "b", "d"))
			s.set(claim("default", "e", "pool/gpu-1", "x")).set(user("default", "x", "e"))
			s.at(30).set(rule("r", "NoExecute", 1, s.now, driver, "pool", "gpu-0"))
		}, "30s a"},
		{"... of another driver's pool of that name: none here", func(s *scene) {
			s.at(30).set(rule("r", "NoExecute", 1, s.now, "other.example.com", "pool"))
		}, ""},
		{"a rule that is changed taints other devices from then on", func(s *scene) {
			s.set(claim("default", "d", "other/gpu-0", "b")).set(user("default", "b", "d"))
			s.set(tolerating(toleration("", noExecute, 60)))
			s.at(30).set(rule("r", "NoExecute", 1, s.now, driver, "pool"))
			s.at(40).set(rule("r", "NoExecute", 2, s.now, driver, "other"))
		}, "40s b"},
		{"a rule's taint that was added before the pod came counts from then, as a slice's does", func(s *scene) {
			s.set(tolerating(toleration("", noExecute, 100)))
			s.at(60).set(rule("r", "NoExecute", 1, noon, driver))
		}, "100s a"},
		{"a rule without a selector taints nothing", func(s *scene) {
			s.at(30).set(rule("r", "NoExecute", 1, s.now))
		}, ""},
		{"a rule with an empty selector taints everything", func(s *scene) {
			s.at(30).set(rule("r", "NoExecute", 1, s.now, ""))
		}, "30s a"},
		{"a rule of another effect makes nobody leave until it is NoExecute", func(s *scene) {
			s.at(30).set(rule("r", "NoSchedule", 1, s.now, driver))
			s.at(40).set(rule("r", "None", 2, s.now, driver))
			s.at(50).set(rule("r", "NoExecute", 3, s.now, driver))
		}, "50s a"},
		{"a rule that is deleted takes its taint along", func(s *scene) {
			s.set(tolerating(toleration("", noExecute, 60)))
			s.at(30).set(rule("r", "NoExecute", 1, s.now, driver))
			s.at(80).gone(world.DeviceTaintRule, "", "r")
		}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newScene(t, device.Options{Act: true})
			s.set(claim("default", "c", "pool/gpu-0", "a")).set(user("default", "a", "c"))
			row.play(s)
			s.at(9999)
			if got := s.left(); got != row.want {
				t.Errorf("left: %q, want %q\n%s", got, row.want, s.log.String())
			}
		})
	}
}

// generated is a claim made from a template, for the pod of that UID.
func generated(pod string, owner types.UID) *resourcev1.ResourceClaim {
	c := claim("default", pod+"-gpu", "pool/gpu-1", pod)
	yes := true
	c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod, UID: owner, Controller: &yes}}
	return c
}

func fromTemplate(name string) *v1.Pod {
	pod := mk.Pod(name).Node("n1").Obj()
	template, made := "template", name+"-gpu"
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: &template}}
	pod.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: &made}}
	return pod
}

func TestController_RetryDelays(t *testing.T) {
	s := newScene(t, device.Options{Act: true})
	failures := 4
	s.outcome = func(e world.Effect) world.Outcome {
		if _, deletes := e.Action.(world.Delete); deletes && failures > 0 {
			failures--
			return world.Outcome{Code: 1, Reason: metav1.StatusReasonTimeout}
		}
		return world.Outcome{}
	}
	s.set(claim("default", "c", "pool/gpu-0", "a")).set(user("default", "a", "c"))
	s.set(slice("s", "pool", 1, "gpu-0=bad@0")).at(9)
	if tally := s.c.Counters(); tally.Failed != 4 || tally.Evicted != 1 || tally.Latency.Sum != 75*time.Millisecond {
		t.Errorf("tally %+v, want 4 failures and a deletion after 5+10+20+40 ms", tally)
	}
}

func TestController_DeletesOnce(t *testing.T) {
	s := newScene(t, device.Options{Act: true})
	s.set(claim("default", "c", "pool/gpu-0", "a")).set(user("default", "a", "c"))
	s.outcome = func(e world.Effect) world.Outcome {
		if _, deletes := e.Action.(world.Delete); deletes {
			delete(s.objects, "Pod default/a") // the API server knows, and nobody else
		}
		return world.Outcome{}
	}
	s.set(slice("s", "pool", 1, "gpu-0=bad@0"))
	s.at(5).set(rule("r", "NoExecute", 1, s.now, driver))
	if got := s.left(); got != "0s a" {
		t.Errorf("deleted: %q, want once", got)
	}
}
