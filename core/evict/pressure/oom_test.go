package pressure_test

import (
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict/pressure"
	"orrery/core/testing/mk"
)

// withLimits limits a pod's first container.
func withLimits(b *mk.PodBuilder, limits ...string) *v1.Pod {
	b.Obj().Spec.Containers[0].Resources.Limits = mk.Resources(limits...)
	return b.Obj()
}

// Shows NPE-49, NPE-50 and C-23.
func TestOOMScoreAdj(t *testing.T) {
	critical := withPriorityClass(mk.Pod("critical").Priority(2000001000).Obj(), "system-node-critical")
	named := withPriorityClass(mk.Pod("named").Obj(), "system-node-critical")
	sidecar := mk.Pod("sidecar").Memory("8Gi").Sidecar("logs", mk.Resources("memory", "1Gi")).Obj()
	whole := mk.Pod("whole").Memory("1Gi").Container("b", "b", mk.Resources("memory", "1Gi")).Obj()
	whole.Spec.Resources = &v1.ResourceRequirements{Requests: mk.Resources("memory", "10Gi")}
	for _, tt := range []struct {
		name      string
		pod       *v1.Pod
		container *v1.Container
		want      int64
	}{
		{"4Gi of 16Gi", mk.Pod("p").Memory("4Gi").Obj(), nil, 750},
		{"all of the memory", mk.Pod("p").Memory("16Gi").Obj(), nil, 3},
		{"next to nothing", mk.Pod("p").Memory("1Mi").Obj(), nil, 999},
		{"only cpu", mk.Pod("p").CPU("1").Obj(), nil, 999},
		{"best effort", mk.Pod("p").Obj(), nil, 1000},
		{"guaranteed", withLimits(mk.Pod("p").CPU("1").Memory("1Gi"), "cpu", "1", "memory", "1Gi"), nil, -997},
		{"node-critical", critical, nil, -997},
		{"the class's name without its priority", named, nil, 1000},
		{"a sidecar of a container that requests half of the memory", sidecar, &sidecar.Spec.InitContainers[0], 500},
		{"half of the 8Gi that the pod requests beyond its containers, and 1Gi of its own", whole, nil, 688},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := tt.container
			if c == nil {
				c = &tt.pod.Spec.Containers[0]
			}
			if got := pressure.OOMScoreAdj(tt.pod, c, 16<<30); got != tt.want {
				t.Errorf("oom_score_adj %d, want %d", got, tt.want)
			}
		})
	}
}

// Of equal usage best effort goes first, then burstable, then guaranteed; of equal adjustments the larger usage. Shows NPE-51.
func TestOOMOrder(t *testing.T) {
	guaranteed := withLimits(mk.Pod("guaranteed").CPU("1").Memory("4Gi"), "cpu", "1", "memory", "4Gi")
	best, larger := mk.Pod("best").Obj(), mk.Pod("larger").Obj()
	burst, idle := mk.Pod("burst").Memory("4Gi").Obj(), mk.Pod("idle").Obj()
	s := measure()
	for pod, used := range map[*v1.Pod]string{guaranteed: "2Gi", best: "2Gi", larger: "3Gi", burst: "2Gi", idle: "0"} {
		s.pod(pod, containerUses("c", used, "0", "0"))
	}
	for i := range s.Pods {
		s.Pods[i].Containers[0].Name = guaranteed.Spec.Containers[0].Name
	}
	var got []string
	for _, p := range pressure.OOMOrder([]*v1.Pod{guaranteed, best, larger, burst, idle}, s.sum(), 16<<30, 16<<30) {
		got = append(got, fmt.Sprintf("%s %d", p.Pod.Name, p.Score))
	}
	if want := "larger 1187, best 1125, burst 875, guaranteed -872"; strings.Join(got, ", ") != want {
		t.Errorf("order %v, want %s", got, want)
	}
}
