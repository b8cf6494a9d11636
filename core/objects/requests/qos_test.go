package requests_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/objects/requests"
)

func TestQOS_ByPodOrContainers(t *testing.T) {
	both := func(cpu, memory string) v1.ResourceList {
		return v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu), v1.ResourceMemory: resource.MustParse(memory)}
	}
	full := v1.ResourceRequirements{Requests: both("1", "1Gi"), Limits: both("1", "1Gi")}
	some := v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("1")}}
	storage := v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceEphemeralStorage: resource.MustParse("1Gi")}}
	for name, tt := range map[string]struct {
		pod        *v1.ResourceRequirements
		containers []v1.ResourceRequirements
		want       v1.PodQOSClass
	}{
		"no container":                          {nil, nil, v1.PodQOSBestEffort},
		"no resources":                          {nil, []v1.ResourceRequirements{{}, storage}, v1.PodQOSBestEffort},
		"a request":                             {nil, []v1.ResourceRequirements{some}, v1.PodQOSBurstable},
		"limits of all that is requested":       {nil, []v1.ResourceRequirements{full, full}, v1.PodQOSGuaranteed},
		"one container without any":             {nil, []v1.ResourceRequirements{full, {}}, v1.PodQOSBurstable},
		"the pod's own instead":                 {&full, []v1.ResourceRequirements{some}, v1.PodQOSGuaranteed},
		"a list of the pod's own that is empty": {&v1.ResourceRequirements{}, []v1.ResourceRequirements{full}, v1.PodQOSGuaranteed},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &v1.Pod{Spec: v1.PodSpec{Resources: tt.pod}}
			for _, r := range tt.containers {
				pod.Spec.Containers = append(pod.Spec.Containers, v1.Container{Resources: r})
			}
			if got := requests.QOS(pod); got != tt.want {
				t.Errorf("the class is %s, want %s", got, tt.want)
			}
		})
	}
}
