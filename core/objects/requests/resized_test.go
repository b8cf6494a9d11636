package requests_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"

	"orrery/core/objects/requests"
	"orrery/core/testing/mk"
)

// resized is a pod of containers a and b in a state of a resize: what each desires, is allocated and has, in cores; "" is nothing.
func resized(a, b [3]string) *v1.Pod {
	list := func(cpu string) v1.ResourceList {
		if cpu == "" {
			return nil
		}
		return mk.Resources("cpu", cpu)
	}
	pod := mk.Pod("p").Obj()
	pod.Spec.Containers = nil
	for i, amounts := range [][3]string{a, b} {
		name := string(rune('a' + i))
		pod.Spec.Containers = append(pod.Spec.Containers, v1.Container{Name: name, Resources: v1.ResourceRequirements{Requests: list(amounts[0])}})
		status := v1.ContainerStatus{Name: name, AllocatedResources: list(amounts[1])}
		if amounts[2] != "" {
			status.Resources = &v1.ResourceRequirements{Requests: list(amounts[2])}
		}
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status)
	}
	return pod
}

func TestSum_PodInResize(t *testing.T) {
	infeasible := resized([3]string{"8", "1", "1"}, [3]string{"1", "", ""})
	infeasible.Status.Conditions = []v1.PodCondition{{Type: v1.PodResizePending, Status: v1.ConditionTrue, Reason: v1.PodReasonInfeasible}}
	whole := resized([3]string{"1", "1", "1"}, [3]string{"1", "1", "1"})
	whole.Spec.Resources = &v1.ResourceRequirements{Requests: mk.Resources("cpu", "3")}
	whole.Status.Resources = &v1.ResourceRequirements{Requests: mk.Resources("cpu", "5")}
	whole.Status.AllocatedResources = mk.Resources("cpu", "4")
	sidecar := mk.Pod("p").CPU("1").Sidecar("s", mk.Resources("cpu", "1")).Overhead("cpu", "500m").Obj()
	sidecar.Status.InitContainerStatuses = []v1.ContainerStatus{{Name: "s", AllocatedResources: mk.Resources("cpu", "2")}}
	for name, tc := range map[string]struct {
		pod             *v1.Pod
		container, pods string
	}{
		"a core moves from one container to the other": {resized([3]string{"2", "1", "1"}, [3]string{"1", "2", "2"}), "4", "3"},
		"both grow": {resized([3]string{"2", "1", "1"}, [3]string{"3", "2", "2"}), "5", "5"},
		"one is allocated more and has no resources in effect":    {resized([3]string{"2", "3", ""}, [3]string{"1", "", ""}), "3", "4"},
		"a resize that is infeasible counts what is there":        {infeasible, "2", "1"},
		"without statuses the spec counts":                        {resized([3]string{"2", "", ""}, [3]string{"1", "", ""}), "3", "3"},
		"requests of the whole pod take the place of all of them": {whole, "5", "5"},
		"a sidecar is allocated more; overhead is added":          {sidecar, "2500m", "3500m"},
	} {
		t.Run(name, func(t *testing.T) {
			options := resource.PodResourcesOptions{UseStatusResources: true, InPlacePodLevelResourcesVerticalScalingEnabled: true}
			before := tc.pod.DeepCopy()
			for sum, want := range map[requests.Sum]string{requests.PerContainer: tc.container, requests.PerPod: tc.pods} {
				for range 2 {
					if got := sum.Of(tc.pod, options); got.Cpu().String() != want {
						t.Errorf("by rule %d the pod requests %s cpu, want %s", sum, got.Cpu(), want)
					}
				}
			}
			if before.String() != tc.pod.String() {
				t.Error("the pod was changed")
			}
			options.UseStatusResources = false
			if spec, got := requests.Of(tc.pod, options), requests.PerPod.Of(tc.pod, options); spec.Cpu().Cmp(*got.Cpu()) != 0 {
				t.Errorf("without the status the pod requests %s, not the %s of its spec", got.Cpu(), spec.Cpu())
			}
		})
	}
}
