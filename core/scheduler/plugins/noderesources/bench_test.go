package noderesources

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
)

// What one pod costs once per cycle (Pod) and once per node (Node). Filter and scores allocate nothing for a node;
// the tests check that.
func BenchmarkFit(b *testing.B) {
	fit, balanced := fitWith(b, nil), balancedWith(b, "cpu", "memory")
	plain := mk.Pod("plain").CPU("500m").Memory("1Gi").Obj()
	accelerated := mk.Pod("accelerated").CPU("500m").Memory("1Gi").Request(gpu, "1").Obj()
	silent := mk.Pod("silent").Sidecar("s", nil).Obj()
	roomy := onNode(mk.Node("n").CPU("16").Memory("64Gi").Resource(gpu, "8").Obj())
	taken := onNode(mk.Node("n").CPU("16").Memory("64Gi").Resource(gpu, "8").Obj(), mk.Pod("q").Request(gpu, "8").CPU("16").Obj())
	for _, pod := range []*v1.Pod{plain, accelerated, silent} {
		b.Run("Pod/"+pod.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				state := framework.NewCycleState()
				fit.PreFilter(b.Context(), state, pod, nil)
				fit.PreScore(b.Context(), state, pod, nil)
				balanced.PreScore(b.Context(), state, pod, nil)
			}
		})
		b.Run("Sign/"+pod.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fit.SignPod(b.Context(), pod)
			}
		})
		state := framework.NewCycleState()
		fit.PreFilter(b.Context(), state, pod, nil)
		fit.PreScore(b.Context(), state, pod, nil)
		balanced.PreScore(b.Context(), state, pod, nil)
		for name, node := range map[string]fwk.NodeInfo{"fits": roomy, "does not": taken} {
			b.Run("Node/"+pod.Name+" "+name, func(b *testing.B) {
				for b.Loop() {
					fit.Filter(b.Context(), state, pod, node)
				}
			})
		}
		b.Run("Node/"+pod.Name+" scores", func(b *testing.B) {
			for b.Loop() {
				fit.Score(b.Context(), state, pod, roomy)
				balanced.Score(b.Context(), state, pod, roomy)
			}
		})
	}
}
