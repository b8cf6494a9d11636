package diagnose_test

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/plugins/dynamicresources/shortage"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// Claims of a template are one for each pod: a fix of what they request is made to each, and one device more is for one pod.
func TestPending_FixOfGeneratedClaims(t *testing.T) {
	replica := func(name string) []world.Object {
		template, made := "pair", name+"-gpu-x1"
		pod := mk.Pod(name).Owner("apps/v1", "ReplicaSet", "train").CPU("1").Obj()
		pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: &template}}
		pod.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: &made}}
		claim := mk.ResourceClaim(made).Request("gpu", "gpu", 3).Obj()
		claim.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(pod, v1.SchemeGroupVersion.WithKind("Pod"))}
		return []world.Object{claim, pod}
	}
	objects := []world.Object{mk.DeviceClass("gpu")}
	for _, name := range []string{"a", "b"} {
		objects = append(objects, node(name, "4").Obj(), mk.ResourceSlice(name, gpuDriver, name).Node(name).Devices("gpu-0", "gpu-1").Obj())
	}
	e := engineWith(t, append(append(objects, replica("train-0")...), replica("train-1")...)...)
	groups, err := diagnose.Pending(e, func(*diagnose.Group) bool { return true })
	if err != nil || len(groups) != 1 || groups[0].Fix == nil {
		t.Fatalf("got %d groups, %v, the first perhaps without a fix", len(groups), err)
	}
	if got, want := fmt.Sprintf("%s places %d", groups[0].Fix.Text, groups[0].Places), "create claim train-0-gpu-x1 for 2 devices only places 2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A claim is in flight while its pod is bound: its devices are taken, and the answer names who has them.
func TestDevices_HeldByAPodThatIsBeingBound(t *testing.T) {
	e := engineWith(t, node("a", "4").Obj(), mk.DeviceClass("gpu"), mk.ResourceSlice("a", gpuDriver, "a").Node("a").Devices("gpu-0").Obj(),
		mk.ResourceClaim("first").Request("gpu", "gpu", 1).Obj(), mk.Pod("first").CPU("1").Priority(9).ResourceClaim("first").Obj(),
		mk.ResourceClaim("web").Request("gpu", "gpu", 1).Obj(), mk.Pod("web").CPU("1").Priority(7).ResourceClaim("web").Obj())
	if e.Devices().Claim("default", "first").Status.Allocation != nil || e.BindingCount() != 1 {
		t.Fatal("the first pod is not being bound")
	}
	d, err := diagnose.Pod(e, world.PodRefOf(mk.Pod("web").Obj()))
	if err != nil {
		t.Fatal(err)
	}
	holders := d.Devices.Claims[0].Requests[0].Reasons[0].Holders
	if len(holders) != 1 || holders[0].Pod != "default/first" || holders[0].Claim != "default/first" || holders[0].Ended {
		t.Errorf("the holders are %+v", holders)
	}
	if got := d.Devices.On("a"); len(got) != 1 || got[0].Trouble != shortage.TroubleTaken {
		t.Errorf("the devices of the node are %+v", got)
	}
}

// A device that is used with admin access is not taken by that.
func TestDevices_AdminAccessTakesNothing(t *testing.T) {
	admin := mk.ResourceClaim("watch").Request("gpu", "gpu", 1).Allocated("a", "gpu", gpuDriver, "a", "gpu-0").Obj()
	yes := true
	admin.Status.Allocation.Devices.Results[0].AdminAccess = &yes
	slice := mk.ResourceSlice("a", gpuDriver, "a").Node("a").Devices("gpu-0")
	e := engineWith(t, node("a", "4").Obj(), mk.DeviceClass("gpu"), slice.Obj(), admin,
		mk.ResourceClaim("web").Request("gpu", "gpu", 2).Obj(), mk.Pod("web").CPU("1").ResourceClaim("web").Obj())
	d, err := diagnose.Pod(e, world.PodRefOf(mk.Pod("web").Obj()))
	if err != nil || d.Devices.Nearest == nil || d.Devices.Nearest.Free != 1 || len(d.Devices.Nearest.Held) > 0 {
		t.Errorf("the nearest is %+v, %v", d.Devices.Nearest, err)
	}
}
