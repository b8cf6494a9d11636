package device_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict/device"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

const (
	noExecute  = resourcev1.DeviceTaintEffectNoExecute
	noSchedule = resourcev1.DeviceTaintEffectNoSchedule
)

// Shows DRA-41, DRA-43, DRA-44, DRA-47, DRA-48, DRA-49 and TAINT-33.
func TestController_EvictionTime(t *testing.T) {
	for _, row := range []struct {
		name string
		play func(*fixture)
		want string
	}{
		{"a NoExecute taint on a device in use evicts the pod", func(s *fixture) {
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
		}, "30s a"},
		{"a taint on another device does not evict it", func(s *fixture) {
			s.at(30).set(slice("s", "pool", 1, "gpu-0", "gpu-1=bad@30"))
		}, ""},
		{"NoSchedule and None evict no pod", func(s *fixture) {
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad:NoSchedule@30"))
			s.at(40).set(slice("s", "pool", 1, "gpu-0=bad:None@30"))
		}, ""},
		{"toleration seconds count from the time the taint was added: added at 0, a pod at 60, 100 s: evicted at 100", func(s *fixture) {
			s.remove(world.Pod, "default", "a").remove(world.ResourceClaim, "default", "c")
			s.set(slice("s", "pool", 1, "gpu-0=bad@0"))
			c := tolerating(toleration("bad", noExecute, 100))
			c.UID, c.Status.ReservedFor[0].UID = "another", "another"
			pod := user("default", "a", "c")
			pod.UID = "another"
			s.at(60).set(c).set(pod)
		}, "100s a"},
		{"a toleration without seconds has no limit", func(s *fixture) {
			s.set(tolerating(toleration("bad", noExecute)))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
		}, ""},
		{"an empty toleration tolerates everything", func(s *fixture) {
			s.set(tolerating(resourcev1.DeviceToleration{Operator: resourcev1.DeviceTolerationOpExists}))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
		}, ""},
		{"a toleration of NoSchedule only does not help", func(s *fixture) {
			s.set(tolerating(toleration("bad", noSchedule)))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
		}, "30s a"},
		{"of two tolerations of a taint the shorter one counts", func(s *fixture) {
			s.set(tolerating(toleration("bad", noExecute, 90), toleration("", noExecute, 20)))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
		}, "50s a"},
		{"negative seconds are zero", func(s *fixture) {
			s.set(tolerating(toleration("bad", noExecute, -7)))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
		}, "30s a"},
		{"of several devices the earliest deadline counts", func(s *fixture) {
			c := tolerating(toleration("bad", noExecute, 90))
			allocate(c, "pool/gpu-1", toleration("bad", noExecute, 40))
			s.set(c)
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30", "gpu-1=bad@20"))
		}, "60s a"},
		{"of several claims the earliest deadline counts", func(s *fixture) {
			other := claim("default", "d", "pool/gpu-1", "b")
			s.set(other).set(claim("default", "e", "pool/gpu-2", "b")).set(user("default", "b", "d", "e"))
			s.at(30).set(slice("s", "pool", 1, "gpu-0", "gpu-1=bad@80", "gpu-2=bad@70"))
		}, "70s b"},
		{"a taint removed before the deadline evicts no pod", func(s *fixture) {
			s.set(tolerating(toleration("bad", noExecute, 60)))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
			s.at(89).set(slice("s", "pool", 1, "gpu-0"))
		}, ""},
		{"a second taint with a shorter toleration shortens the time left", func(s *fixture) {
			s.set(tolerating(toleration("bad", noExecute, 600), toleration("worse", noExecute, 10)))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
			s.at(50).set(slice("s", "pool", 1, "gpu-0=worse@50"))
		}, "60s a"},
		{"only slices of a pool's newest generation count", func(s *fixture) {
			s.set(slice("new", "pool", 2, "gpu-0"))
			s.at(30).set(slice("old", "pool", 1, "gpu-0=bad@30"))
			s.at(40).remove(world.ResourceSlice, "", "new")
		}, "40s a"},
		{"a deleted slice has no taints", func(s *fixture) {
			s.set(tolerating(toleration("bad", noExecute, 60)))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
			s.at(40).remove(world.ResourceSlice, "", "s")
		}, ""},
		{"a pod is evicted only once it is bound", func(s *fixture) {
			waiting := user("default", "b", "d")
			waiting.Spec.NodeName = ""
			s.set(waiting).set(claim("default", "d", "pool/gpu-1", "b"))
			s.at(30).set(slice("s", "pool", 1, "gpu-1=bad@30"))
			s.at(40).set(user("default", "b", "d"))
		}, "40s b"},
		{"a pod that names the claim and is not in its reservedFor stays", func(s *fixture) {
			s.set(user("default", "b", "c"))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
		}, "30s a"},
		{"every pod in reservedFor is evicted, though the first is unknown", func(s *fixture) {
			s.set(claim("default", "d", "pool/gpu-1", "unknown", "x", "y")).set(user("default", "x", "d")).set(user("default", "y", "d"))
			s.at(30).set(slice("s", "pool", 1, "gpu-1=bad@30"))
		}, "30s x, 30s y"},
		{"a claim made from a template must be the pod's own", func(s *fixture) {
			s.set(generated("b", "pod/default/b")).set(generated("x", "another owner"))
			s.at(30).set(slice("s", "pool", 1, "gpu-1=bad@30"))
			for _, name := range []string{"b", "x"} {
				s.set(fromTemplate(name))
			}
		}, "30s b"},
		{"a deallocated claim evicts no pod", func(s *fixture) {
			s.set(tolerating(toleration("bad", noExecute, 60)))
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@30"))
			free := tolerating()
			free.Status.Allocation = nil
			s.at(40).set(free)
		}, ""},
		{"a taint without timeAdded evicts no pod", func(s *fixture) {
			s.at(30).set(slice("s", "pool", 1, "gpu-0=bad@none"))
		}, ""},
		{"a rule taints all devices of a driver", func(s *fixture) {
			s.set(claim("default", "d", "other/gpu-7", "b")).set(user("default", "b", "d"))
			s.at(30).set(rule("r", "NoExecute", 1, s.now, driver))
		}, "30s a, 30s b"},
		{"a rule taints the devices of a pool, or one device", func(s *fixture) {
			s.set(claim("default", "d", "other/gpu-0", "b")).set(user("default", "b", "d"))
			s.at(30).set(rule("r", "NoExecute", 1, s.now, driver, "other"))
			s.at(40).set(rule("q", "NoExecute", 1, s.now, "", "", "gpu-0"))
		}, "30s b, 40s a"},
		{"a rule for a pool and a device taints only that device, not those of that name elsewhere", func(s *fixture) {
			s.set(claim("default", "d", "other/gpu-0", "b")).set(user("default", "b", "d"))
			s.set(claim("default", "e", "pool/gpu-1", "x")).set(user("default", "x", "e"))
			s.at(30).set(rule("r", "NoExecute", 1, s.now, driver, "pool", "gpu-0"))
		}, "30s a"},
		{"a rule for another driver's pool of that name taints none here", func(s *fixture) {
			s.at(30).set(rule("r", "NoExecute", 1, s.now, "other.example.com", "pool"))
		}, ""},
		{"a changed rule taints other devices", func(s *fixture) {
			s.set(claim("default", "d", "other/gpu-0", "b")).set(user("default", "b", "d"))
			s.set(tolerating(toleration("", noExecute, 60)))
			s.at(30).set(rule("r", "NoExecute", 1, s.now, driver, "pool"))
			s.at(40).set(rule("r", "NoExecute", 2, s.now, driver, "other"))
		}, "40s b"},
		{"the seconds of a rule's taint count from its timeAdded, as those of a slice's", func(s *fixture) {
			s.set(tolerating(toleration("", noExecute, 100)))
			s.at(60).set(rule("r", "NoExecute", 1, noon, driver))
		}, "100s a"},
		{"a rule without a selector taints nothing", func(s *fixture) {
			s.at(30).set(rule("r", "NoExecute", 1, s.now))
		}, ""},
		{"a rule with an empty selector taints everything", func(s *fixture) {
			s.at(30).set(rule("r", "NoExecute", 1, s.now, ""))
		}, "30s a"},
		{"a rule of another effect evicts no pod until it is NoExecute", func(s *fixture) {
			s.at(30).set(rule("r", "NoSchedule", 1, s.now, driver))
			s.at(40).set(rule("r", "None", 2, s.now, driver))
			s.at(50).set(rule("r", "NoExecute", 3, s.now, driver))
		}, "50s a"},
		{"a deleted rule has no taint", func(s *fixture) {
			s.set(tolerating(toleration("", noExecute, 60)))
			s.at(30).set(rule("r", "NoExecute", 1, s.now, driver))
			s.at(80).remove(world.DeviceTaintRule, "", "r")
		}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newFixture(t, device.Options{Act: true})
			s.set(claim("default", "c", "pool/gpu-0", "a")).set(user("default", "a", "c"))
			row.play(s)
			s.at(9999)
			if got := s.deletions(); got != row.want {
				t.Errorf("deletions: %q, want %q\n%s", got, row.want, s.log.String())
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
	s := newFixture(t, device.Options{Act: true})
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
	if counters := s.c.Counters(); counters.Failed != 4 || counters.Evicted != 1 || counters.Latency.Sum != 75*time.Millisecond {
		t.Errorf("counters %+v, want 4 failures and a deletion after 5+10+20+40 ms", counters)
	}
}

func TestController_DeletesOnce(t *testing.T) {
	s := newFixture(t, device.Options{Act: true})
	s.set(claim("default", "c", "pool/gpu-0", "a")).set(user("default", "a", "c"))
	s.outcome = func(e world.Effect) world.Outcome {
		if _, deletes := e.Action.(world.Delete); deletes {
			delete(s.objects, "Pod default/a") // deleted in the API server; the watch is behind
		}
		return world.Outcome{}
	}
	s.set(slice("s", "pool", 1, "gpu-0=bad@0"))
	s.at(5).set(rule("r", "NoExecute", 1, s.now, driver))
	if got := s.deletions(); got != "0s a" {
		t.Errorf("deletions: %q, want one", got)
	}
}
