package noderesources

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func TestSignPod(t *testing.T) {
	full := mk.Pod("p").CPU("1").Memory("1Gi").Request(gpu, "1").Obj()
	for name, tc := range map[string]struct {
		plugin fwk.SignPlugin
		pod    *v1.Pod
		want   map[string]string
	}{
		"a pod with cpu and memory requests is signed by them": {fitWith(t, nil), full, map[string]string{
			"v1.Pod.Spec.ContainerRequestsAndOverheads()": `{"MilliCPU":1000,"Memory":1073741824,"EphemeralStorage":0,"AllowedPodNumber":0,"ScalarResources":{"example.com/gpu":1}}`,
		}},
		"a pod with a missing request is also signed by the defaults": {fitWith(t, nil), mk.Pod("p").CPU("1").Obj(), map[string]string{
			"v1.Pod.Spec.ContainerRequestsAndOverheads()":        `{"MilliCPU":1000,"Memory":0,"EphemeralStorage":0,"AllowedPodNumber":0,"ScalarResources":null}`,
			"orrery/v1.Pod.Spec.ContainerRequestsWithDefaults()": `{"MilliCPU":1000,"Memory":209715200,"EphemeralStorage":0,"AllowedPodNumber":0,"ScalarResources":null}`,
		}},
		"balanced allocation signs requests alone": {balancedWith(t, "cpu"), mk.Pod("p").Obj(), map[string]string{
			"v1.Pod.Spec.ContainerRequestsAndOverheads()": `{"MilliCPU":0,"Memory":0,"EphemeralStorage":0,"AllowedPodNumber":0,"ScalarResources":null}`,
		}},
		"with the gate DRAExtendedResource nothing is signed": {fitWith(t, nil, "DRAExtendedResource"), full, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, plugintest.Signature(t, tc.plugin, tc.pod)); diff != "" {
				t.Errorf("fragments (-want +got):\n%s", diff)
			}
		})
	}
}

// Pods with equal fragments must score equally on every node.
func TestSignPod_EqualSignaturesGetEqualAnswers(t *testing.T) {
	fit, balanced := fitWith(t, nil), balancedWith(t, "cpu", "memory")
	amounts := rapid.SampledFrom([]string{"", "0", "100m", "200m", "1"})
	draw := func(t *rapid.T, name string) *v1.Pod {
		b := mk.Pod(name)
		for i := range rapid.IntRange(0, 2).Draw(t, name+" containers") {
			list := v1.ResourceList{}
			for _, resource := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
				if amount := amounts.Draw(t, string(resource)); amount != "" {
					list[resource] = mk.Resources("x", amount)["x"]
				}
			}
			if rapid.Bool().Draw(t, "init") {
				b.Init(string(rune('a'+i)), list)
			} else {
				b.Container(string(rune('a'+i)), "app", list)
			}
		}
		return b.Obj()
	}
	same := 0
	rapid.Check(t, func(rt *rapid.T) {
		a, b := draw(rt, "a"), draw(rt, "b")
		node := onNode(mk.Node("n").CPU("2").Memory("1Gi").Obj())
		for _, plugin := range []fwk.SignPlugin{fit, balanced} {
			if !cmp.Equal(plugintest.Signature(t, plugin, a), plugintest.Signature(t, plugin, b)) {
				continue
			}
			same++
			scoreA, _ := plugintest.Scores(t, plugin, a, node)
			scoreB, _ := plugintest.Scores(t, plugin, b, node)
			if diff := cmp.Diff(scoreA, scoreB); diff != "" {
				rt.Fatalf("%s: two pods of one signature score differently (-a +b):\n%s", plugin.Name(), diff)
			}
		}
	})
	if same == 0 {
		t.Error("no two pods had the same signature: the test compared nothing")
	}
}
