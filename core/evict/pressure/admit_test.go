package pressure_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict"
	"orrery/core/evict/lifecycle"
	"orrery/core/evict/pressure"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

func TestAdmit(t *testing.T) {
	bestEffort, burstable := mk.Pod("a").Obj(), mk.Pod("a").Memory("1Mi").Obj()
	tolerant := mk.Pod("a").Toleration(v1.Toleration{Key: v1.TaintNodeMemoryPressure, Operator: v1.TolerationOpExists}).Obj()
	critical := mk.Pod("a").Priority(2000000000).Obj()
	const memory, disk = v1.NodeMemoryPressure, v1.NodeDiskPressure
	tests := []struct {
		name       string
		pod        *v1.Pod
		conditions []v1.NodeConditionType
		refusal    string
	}{
		{"no pressure", bestEffort, nil, ""},
		{"memory pressure: a BestEffort pod", bestEffort, []v1.NodeConditionType{memory}, "The node had condition: [MemoryPressure]. "},
		{"memory pressure: a BestEffort pod that tolerates it", tolerant, []v1.NodeConditionType{memory}, ""},
		{"memory pressure: a Burstable pod", burstable, []v1.NodeConditionType{memory}, ""},
		{"disk pressure: no ordinary pod", burstable, []v1.NodeConditionType{disk}, "The node had condition: [DiskPressure]. "},
		{"disk pressure: a critical pod", critical, []v1.NodeConditionType{disk}, ""},
		{"both: a toleration of one is not enough", tolerant, []v1.NodeConditionType{memory, disk}, "The node had condition: [MemoryPressure DiskPressure]. "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ok, message := pressure.Admit(tt.pod, tt.conditions)
			if ok != (tt.refusal == "") || message != tt.refusal {
				t.Errorf("admitted: %v, %q, want %q", ok, message, tt.refusal)
			}
		})
	}
}

func TestConditions(t *testing.T) {
	before := []v1.NodeCondition{
		{Type: v1.NodeReady, Status: v1.ConditionTrue},
		{Type: v1.NodeDiskPressure, Status: v1.ConditionTrue, Reason: "KubeletHasDiskPressure", Message: "kubelet has disk pressure", LastTransitionTime: metav1.Time{Time: noon}},
	}
	at := noon.Add(time.Minute)
	var got []string
	for _, c := range pressure.Conditions(before, []v1.NodeConditionType{v1.NodeDiskPressure, v1.NodePIDPressure}, at) {
		got = append(got, fmt.Sprintf("%s=%s %s (%s) since %v", c.Type, c.Status, c.Reason, c.Message, c.LastTransitionTime.Sub(noon)))
	}
	want := []string{
		got[0],
		"DiskPressure=True KubeletHasDiskPressure (kubelet has disk pressure) since 0s",
		"MemoryPressure=False KubeletHasSufficientMemory (kubelet has sufficient memory available) since 1m0s",
		"PIDPressure=True KubeletHasInsufficientPID (kubelet has insufficient PID available) since 1m0s",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for condition, key := range map[v1.NodeConditionType]string{
		v1.NodeMemoryPressure: "node.kubernetes.io/memory-pressure", v1.NodeDiskPressure: "node.kubernetes.io/disk-pressure", v1.NodePIDPressure: "node.kubernetes.io/pid-pressure",
	} {
		if taint, ok := pressure.Taint(condition); !ok || taint.Key != key || taint.Effect != v1.TaintEffectNoSchedule {
			t.Errorf("%s taints with %v", condition, taint)
		}
	}
	if _, ok := pressure.Taint(v1.NodeReady); ok {
		t.Error("a ready node is tainted")
	}
}

func TestQOS(t *testing.T) {
	limited := func(requests, limits v1.ResourceList) *v1.Pod {
		pod := mk.Pod("a").Obj()
		pod.Spec.Containers = []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{Requests: requests, Limits: limits}}}
		return pod
	}
	full := mk.Resources("cpu", "1", "memory", "1Gi")
	own := limited(nil, nil)
	own.Spec.Resources = &v1.ResourceRequirements{Requests: full, Limits: full}
	guaranteed := limited(nil, nil)
	guaranteed.Status.QOSClass = v1.PodQOSGuaranteed
	for _, tt := range []struct {
		name string
		pod  *v1.Pod
		want v1.PodQOSClass
	}{
		{"no requests", limited(nil, nil), v1.PodQOSBestEffort},
		{"zero requests", limited(mk.Resources("cpu", "0"), nil), v1.PodQOSBestEffort},
		{"other resources do not count", limited(mk.Resources("example.com/gpu", "1"), nil), v1.PodQOSBestEffort},
		{"more than is counted is not nothing", limited(mk.Resources("cpu", "1e30"), nil), v1.PodQOSBurstable},
		{"limits equal to requests", limited(full, full), v1.PodQOSGuaranteed},
		{"no limit of memory", limited(full, mk.Resources("cpu", "1")), v1.PodQOSBurstable},
		{"a limit above the request", limited(full, mk.Resources("cpu", "2", "memory", "1Gi")), v1.PodQOSBurstable},
		{"the pod's own resources", own, v1.PodQOSGuaranteed},
		{"the status has it", guaranteed, v1.PodQOSGuaranteed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := pressure.QOS(tt.pod); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// The kubelet's actions in a simulated cluster: the pod fails although a budget selects it and its grace period is a minute,
// and the node is tainted.
func TestKubelet_EvictionInMemoryWorld(t *testing.T) {
	c := memory.New(memory.Options{Start: noon, NodeLifecycle: lifecycle.InCluster(lifecycle.Options{Start: noon, Immediate: true})})
	must := func(_ world.Object, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.Create(mk.Node("n1").CPU("8").Memory("10Gi").Condition(v1.NodeReady, v1.ConditionTrue).Obj()))
	pod := mk.Pod("web").Obj()
	pod.Spec.TerminationGracePeriodSeconds = ptr(int64(60))
	must(c.Create(pod))
	c.Do(world.Effect{ID: 1, At: c.Now(), Action: world.Bind{Pod: world.PodRefOf(c.Pod("default", "web")), Node: "n1"}})
	record := evict.NewRecord()
	k, err := pressure.New(pressure.Options{Node: "n1", Configuration: pressure.DefaultConfiguration("linux"), Start: noon}, record)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range c.Advance(time.Second) {
		k.Apply(in)
	}
	k.Observe(c.Now(), measure().memory("90Mi").pod(c.Pod("default", "web"), uses("9Gi")).sum())
	for _, in := range append(c.Advance(9*time.Second), world.Input{At: noon.Add(10 * time.Second), Event: world.Tick{}}) {
		k.Apply(in)
	}
	for _, timed := range k.Actions() {
		switch action := timed.Action.(type) {
		case pressure.EvictPod:
			there := c.Pod(action.Pod.Namespace, action.Pod.Name).DeepCopy()
			there.Status = action.Status(there, timed.At)
			must(c.UpdateStatus(there))
		case pressure.StatusWritten:
			node := c.Node("n1").DeepCopy()
			node.Status.Conditions = pressure.Conditions(node.Status.Conditions, action.Conditions, timed.At)
			must(c.UpdateStatus(node))
		}
	}
	for _, in := range c.Advance(time.Second) {
		k.Apply(in)
	}
	got := c.Pod("default", "web").Status
	last := got.Conditions[len(got.Conditions)-1]
	if got.Phase != v1.PodFailed || got.Reason != "Evicted" || got.Message != "The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. " ||
		last.Type != v1.DisruptionTarget || last.Reason != "TerminationByKubelet" {
		t.Errorf("the pod's status is %+v", got)
	}
	if taints := c.Node("n1").Spec.Taints; len(taints) != 1 || taints[0].Key != v1.TaintNodeMemoryPressure {
		t.Errorf("the node's taints are %v", taints)
	}
}
