package device_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/evict"
	"orrery/core/evict/device"
	"orrery/core/world"
)

func wantLog(t *testing.T, s *fixture, want string) {
	t.Helper()
	if diff := cmp.Diff(want, s.log.String()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// Shows DRA-50 and C-18.
func TestStatus_EvictionProgress(t *testing.T) {
	s := newFixture(t, device.Options{Act: true})
	s.set(claim("east", "c", "pool/gpu-0", "a")).set(user("east", "a", "c"))
	s.set(claim("west", "c", "pool/gpu-1", "b")).set(user("west", "b", "c"))
	s.set(rule("r", "NoExecute", 1, noon, driver)).at(60)
	wantLog(t, s, `0s rule r: PodsPendingEviction=True, 2 pods need to be evicted in 2 different namespaces.
0s east/a: Marking for deletion
0s east/a: DeletionByDeviceTaintManager
0s east/a: deleted
0s west/b: Marking for deletion
0s west/b: DeletionByDeviceTaintManager
0s west/b: deleted
10s rule r: Completed=False, 2 pods evicted since starting the controller.
`)
}

func TestStatus_PendingAndEvicted(t *testing.T) {
	s := newFixture(t, device.Options{Act: true})
	s.grace = 25 * time.Second
	s.set(claim("east", "c", "pool/gpu-0", "a")).set(user("east", "a", "c"))
	for _, namespace := range []string{"north", "west"} {
		c := claim(namespace, "c", "pool/gpu-1", "b")
		c.Status.Allocation.Devices.Results[0].Tolerations = append(c.Status.Allocation.Devices.Results[0].Tolerations,
			toleration("", noExecute, 60))
		s.set(c).set(user(namespace, "b", "c"))
	}
	s.set(rule("r", "NoExecute", 1, noon, driver)).at(59)
	s.remove(world.Pod, "east", "a").at(99)
	wantLog(t, s, `0s rule r: PodsPendingEviction=True, 3 pods need to be evicted in 3 different namespaces.
0s east/a: Marking for deletion
0s east/a: DeletionByDeviceTaintManager
0s east/a: deleted
10s rule r: PodsPendingEviction=True, 2 pods need to be evicted in 2 different namespaces. 1 pod evicted since starting the controller.
60s north/b: Marking for deletion
60s north/b: DeletionByDeviceTaintManager
60s north/b: deleted
60s west/b: Marking for deletion
60s west/b: DeletionByDeviceTaintManager
60s west/b: deleted
70s rule r: Completed=False, 3 pods evicted since starting the controller.
`)
}

func TestStatus_Singular(t *testing.T) {
	s := newFixture(t, device.Options{Act: true})
	s.set(claim("default", "c", "pool/gpu-0", "a")).set(user("default", "a", "c"))
	s.set(rule("r", "NoExecute", 1, noon, driver)).at(60)
	got := s.log.String()
	for _, text := range []string{"True, 1 pod needs to be evicted in 1 namespace.\n", "False, 1 pod evicted since starting the controller.\n"} {
		if !strings.Contains(got, text) {
			t.Errorf("the log lacks %q:\n%s", text, got)
		}
	}
}

// Shows DRA-51, DRA-52 and C-18.
func TestStatus_NoEffect(t *testing.T) {
	s := newFixture(t, device.Options{Act: true})
	s.set(slice("s", "pool", 1, "gpu-0", "gpu-1", "gpu-2"))
	s.set(slice("old", "pool", 0, "gpu-3"))
	s.set(claim("default", "c", "pool/gpu-0", "a")).set(user("default", "a", "c"))
	s.set(rule("r", "None", 1, noon, driver))
	s.at(30).set(claim("default", "d", "pool/gpu-1", "b")).set(user("default", "b", "d")).at(60)
	wantLog(t, s, `0s rule r: NoEffect=False, 3 published devices selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.
`)
	s.set(rule("q", "None", 1, noon))
	if want := "0 published devices selected. 0 allocated devices selected. 0 pods would be evicted in 0 different namespaces if"; !strings.Contains(s.log.String(), want) {
		t.Errorf("the log of a rule that selects nothing lacks %q:\n%s", want, s.log.String())
	}
}

func TestStatus_OtherEffectAndNotStarted(t *testing.T) {
	s := newFixture(t, device.Options{Act: true})
	s.set(rule("p", "NoSchedule", 1, noon, driver)).set(rule("q", "NoExecute", 1, noon, driver))
	wantLog(t, s, `0s rule p: OtherEffect=False, Eviction only happens for the NoExecute effect.
0s rule q: NotStarted=False, 
`)
}

// Shows DRA-53.
func TestStatus_RateLimit(t *testing.T) {
	s := newFixture(t, device.Options{Act: true})
	hour := toleration("", noExecute, 3600)
	s.set(rule("r", "NoSchedule", 1, noon, driver))
	s.at(3).set(rule("r", "NoExecute", 2, noon, driver))
	for i, name := range []string{"a", "b", "x"} {
		c := claim("default", "c-"+name, "pool/gpu-0", name)
		c.Status.Allocation.Devices.Results[0].Tolerations = append(c.Status.Allocation.Devices.Results[0].Tolerations, hour)
		s.at(float64(20 + 4*i)).set(c).set(user("default", name, "c-"+name))
	}
	s.at(300)
	wantLog(t, s, `0s rule r: OtherEffect=False, Eviction only happens for the NoExecute effect.
3s rule r: NotStarted=False, 
30s rule r: PodsPendingEviction=True, 3 pods need to be evicted in 1 namespace.
`)
}

// An immediate status update does not delay the one that is due ten seconds after the rule's pods were found.
func TestStatus_ImmediateUpdateDoesNotDelayNext(t *testing.T) {
	s := newFixture(t, device.Options{Act: true})
	s.set(claim("default", "c", "pool/gpu-0", "a")).set(user("default", "a", "c"))
	s.at(30).set(rule("r", "NoExecute", 1, noon.Add(34*time.Second), driver)) // by a clock that is ahead
	s.at(99)
	wantLog(t, s, `30s rule r: PodsPendingEviction=True, 1 pod needs to be evicted in 1 namespace.
34s default/a: Marking for deletion
34s default/a: DeletionByDeviceTaintManager
34s default/a: deleted
40s rule r: Completed=False, 1 pod evicted since starting the controller.
`)
}

func TestStatus_WrittenByAnother(t *testing.T) {
	s := newFixture(t, device.Options{})
	r := rule("r", "NoExecute", 1, noon, driver)
	r.Status.Conditions = []metav1.Condition{{
		Type: "EvictionInProgress", Status: "False", Reason: "NotStarted", ObservedGeneration: 1, LastTransitionTime: metav1.Time{Time: noon},
	}}
	s.set(r).at(60)
	wantLog(t, s, "")
}

func TestStatus_RuleDeleted(t *testing.T) {
	s := newFixture(t, device.Options{Act: true})
	s.set(claim("default", "c", "pool/gpu-0", "a")).set(user("default", "a", "c"))
	s.set(rule("r", "NoExecute", 1, noon, driver)).remove(world.DeviceTaintRule, "", "r").at(60)
	if got := s.log.String(); strings.Contains(got, "10s rule") {
		t.Errorf("the status of a deleted rule was written:\n%s", got)
	}
}

func TestController_RecordsEviction(t *testing.T) {
	b := evict.NewRecord()
	s := newFixture(t, device.Options{Act: true, Record: b})
	s.grace = 30 * time.Second
	s.set(tolerating(toleration("", noExecute, 60))).set(user("default", "a", "c"))
	s.set(slice("s", "pool", 1, "gpu-0=bad@5"))
	s.set(rule("r", "NoExecute", 1, noon, driver))
	check := func(when, want string) {
		t.Helper()
		if diff := cmp.Diff(want, recordText(b)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	check("while the timer runs", "a: counting down, 60s, dra.example.com/unhealthy=Broken:NoExecute by rule r and 1 more\n")
	s.at(10).remove(world.DeviceTaintRule, "", "r")
	check("without the rule", "a: counting down, 65s, bad:NoExecute on dra.example.com/pool/gpu-0\n")
	s.at(70)
	check("when the pod is terminating", "a: terminating, 95s, bad:NoExecute on dra.example.com/pool/gpu-0\n")
	s.set(slice("s", "pool", 1, "gpu-0"))
	check("when the taint is removed too late", "a: terminating, 95s, bad:NoExecute on dra.example.com/pool/gpu-0\n")
	s.at(95).remove(world.Pod, "default", "a")
	check("at the end", "a: evicted, 95s, bad:NoExecute on dra.example.com/pool/gpu-0\n")
	if counters := s.c.Counters(); counters.Evicted != 1 {
		t.Errorf("%d pods were evicted, want 1", counters.Evicted)
	}
}

func TestController_PredictsOnly(t *testing.T) {
	b := evict.NewRecord()
	s := newFixture(t, device.Options{Record: b})
	s.set(claim("default", "c", "pool/gpu-0", "a")).set(user("default", "a", "c"))
	s.set(claim("default", "d", "pool/gpu-0", "b")).set(user("default", "b", "d"))
	s.at(5).set(slice("s", "pool", 1, "gpu-0=bad@5"))
	s.at(8).remove(world.Pod, "default", "a").set(slice("s", "pool", 1, "gpu-0"))
	if diff := cmp.Diff("a: evicted, 5s, bad:NoExecute on dra.example.com/pool/gpu-0\n"+
		"b: cancelled, 5s, no device it uses has a NoExecute taint\n", recordText(b)); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	wantLog(t, s, "")
}

func TestStatus_PodDeletedByOther(t *testing.T) {
	b := evict.NewRecord()
	s := newFixture(t, device.Options{Act: true, Record: b})
	s.grace = time.Minute
	pod := user("default", "a", "c")
	s.set(tolerating(toleration("", noExecute, 20))).set(pod)
	s.set(slice("s", "pool", 1, "gpu-0=bad@0"))
	s.at(10).delete(pod)
	s.at(99)
	wantLog(t, s, "")
	if diff := cmp.Diff("a: cancelled, 20s, terminating for another reason\n", recordText(b)); diff != "" || s.c.Counters().Evicted != 0 {
		t.Errorf("%d evicted; record (-want +got):\n%s", s.c.Counters().Evicted, diff)
	}
}

// A condition that could not be written is decided again, 10 s later.
func TestStatus_WrittenAgainAfterFailure(t *testing.T) {
	s := newFixture(t, device.Options{Act: true})
	failures := 1
	s.outcome = func(e world.Effect) world.Outcome {
		if _, writes := e.Action.(world.SetRuleCondition); writes && failures > 0 {
			failures--
			return world.Outcome{Code: fwk.Error, Reason: metav1.StatusReasonInternalError, Message: "etcd is away"}
		}
		return world.Outcome{}
	}
	s.set(rule("r", "NoExecute", 1, noon, driver)).at(9)
	if got := s.log.String(); got != "" {
		t.Errorf("before: %s", got)
	}
	s.at(11)
	wantLog(t, s, "10s rule r: NotStarted=False, \n")
}
