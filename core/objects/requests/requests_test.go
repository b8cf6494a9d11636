package requests_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"

	"orrery/core/objects/requests"
	"orrery/core/testing/mk"
)

func TestOf_DoesNotChangePod(t *testing.T) {
	pod := mk.Pod("web").Overhead("memory", "0.1").Obj()
	pod.Spec.Resources = &v1.ResourceRequirements{Requests: mk.Resources("memory", "1.5")}
	before := pod.DeepCopy()
	first := requests.Of(pod, resource.PodResourcesOptions{})
	again := requests.Of(pod, resource.PodResourcesOptions{})
	if diff := cmp.Diff(before, pod); diff != "" {
		t.Errorf("the pod was changed (-before +after):\n%s", diff)
	}
	if got, want := again.Memory().String(), first.Memory().String(); got != want || want != "1600m" {
		t.Errorf("asked twice, the pod requests %s and then %s, want 1600m both times", want, got)
	}
}

func TestOf_SumsContainersSidecarsOverhead(t *testing.T) {
	pod := mk.Pod("web").CPU("500m").Init("setup", mk.Resources("cpu", "2")).
		Sidecar("proxy", mk.Resources("cpu", "100m")).Overhead("cpu", "250m").Obj()
	if got := requests.Of(pod, resource.PodResourcesOptions{}); got.Cpu().String() != "2250m" {
		t.Errorf("the pod requests %s, want 2250m: the set-up container alone is more than the rest together", got.Cpu())
	}
}

func TestLimits_ContainersAndOverhead(t *testing.T) {
	pod := mk.Pod("web").Overhead("memory", "0.1").Obj()
	pod.Spec.Resources = &v1.ResourceRequirements{Limits: mk.Resources("memory", "1.5")}
	before := pod.DeepCopy()
	for range 2 {
		if got := requests.Limits(pod, resource.PodResourcesOptions{}); got.Memory().String() != "1600m" || !got.Cpu().IsZero() {
			t.Errorf("the pod may use %v of memory and %v of cpu, want 1600m and no limit", got.Memory(), got.Cpu())
		}
	}
	if diff := cmp.Diff(before, pod); diff != "" {
		t.Errorf("the pod was changed (-before +after):\n%s", diff)
	}
}
