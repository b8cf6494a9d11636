package engine_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	componentresource "k8s.io/component-helpers/resource"
	"pgregory.net/rapid"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// A tenant's pod that its maker has put on a node uses it, whatever else it requests: no other pod is placed beside it.
func TestEngine_CountsPodWithHostileAmounts(t *testing.T) {
	for _, amount := range []string{"9100T", "9223372036854775807", "8Ei", "1e30"} {
		s := newFixture(t, engine.Options{})
		s.added(
			mk.Node("full").CPU("4").Memory("64Gi").Obj(), mk.Node("small").CPU("2").Memory("64Gi").Obj(),
			mk.Pod("tenant").Namespace("a").Node("full").CPU("4").Request("example.com/none", amount).Obj(),
			mk.Pod("other").Namespace("b").CPU("1").Obj(),
		)
		if d := s.decide(); len(d) != 1 || d[0].Node != "small" {
			t.Errorf("%s: %+v, want the pod on the node with room", amount, d)
		}
	}
}

// A pending pod with more of something than any number can hold is as unschedulable as with one too many.
func TestEngine_PendingPodWithHostileAmountsIsUnschedulable(t *testing.T) {
	s := newFixture(t, engine.Options{})
	s.added(mk.Node("n").CPU("9E").Memory("9E").Obj(), mk.Pod("p").CPU("1").Request("example.com/none", "9100T").Obj())
	d := s.decide()
	if want := "0/1 nodes are available: 1 Insufficient example.com/none."; len(d) != 1 || !strings.HasPrefix(d[0].Message, want) {
		t.Errorf("%+v, want %s", d, want)
	}
}

// unusable are pods with a value that Kubernetes 1.35 does not know, and the fields that have it.
func unusable() map[string]*v1.Pod {
	near := []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{{Key: "zone", Operator: "Near", Values: []string{"a"}}}}}
	like := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Like"}}}
	spread := mk.Pod("p").Obj()
	spread.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: "Cry"}}
	const required = "requiredDuringSchedulingIgnoredDuringExecution"
	return map[string]*v1.Pod{
		"spec.tolerations[0].operator is \"Like\"": mk.Pod("p").Toleration(v1.Toleration{Key: "k", Operator: "Like"}).Obj(),
		"spec.affinity.nodeAffinity." + required + ".nodeSelectorTerms[0].matchExpressions[0].operator is \"Near\"": mk.Pod("p").Affinity(&v1.Affinity{
			NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: near}},
		}).Obj(),
		"spec.affinity.podAntiAffinity." + required + "[0].labelSelector.matchExpressions[0].operator is \"Like\"": mk.Pod("p").Affinity(&v1.Affinity{
			PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{LabelSelector: like, TopologyKey: "zone"}}},
		}).Obj(),
		"spec.topologySpreadConstraints[0].whenUnsatisfiable is \"Cry\"": spread,
		"spec.containers[0].resources.requests.cpu is negative":          mk.Pod("p").CPU("-1").Obj(),
	}
}

func TestEngine_PodWithUnusableFieldIsToldAndKept(t *testing.T) {
	for field, pod := range unusable() {
		s := newFixture(t, engine.Options{})
		s.added(mk.Node("n").CPU("4").Memory("8Gi").Label("zone", "a").Obj(), pod)
		d := s.decide()
		if len(d) != 1 || d[0].Verdict != engine.Unschedulable || !strings.Contains(d[0].Message, field) {
			t.Fatalf("%s: %+v", field, d)
		}
		if d := s.decide(); len(d) > 0 || s.e.PodState("default", "p") != engine.StateUnschedulable {
			t.Errorf("%s: decided again: %+v; it is %s", field, d, s.e.PodState("default", "p"))
		}
		reported := false
		for _, effect := range s.e.Effects() {
			patch, is := effect.Action.(world.PatchStatus)
			reported = reported || is && patch.Condition != nil && patch.Condition.Status == v1.ConditionFalse && patch.Condition.Reason == v1.PodReasonUnschedulable &&
				strings.Contains(patch.Condition.Message, field)
		}
		if !reported {
			t.Errorf("%s: no condition names the field", field)
		}
		if x, err := s.e.Explain("default", "p"); err != nil || !strings.Contains(x.Decision.Message, field) {
			t.Errorf("%s: explained as %+v, %v", field, x, err)
		}
	}
}

func TestEngine_PodWithUnusableFieldIsCountedOnNode(t *testing.T) {
	for field, pod := range unusable() {
		s := newFixture(t, engine.Options{})
		pod := pod.DeepCopy()
		pod.Spec.NodeName = "n"
		pod.Spec.Containers = append(pod.Spec.Containers, mk.Pod("").CPU("3").Obj().Spec.Containers...)
		s.added(mk.Node("n").CPU("4").Memory("8Gi").Obj())
		err := s.e.Apply(world.Input{At: s.now, Event: world.Changed{Object: pod}})
		if err == nil || !strings.Contains(err.Error(), field) || len(s.e.Refusals()) != 1 {
			t.Errorf("%s: error %v, %d refusals", field, err, len(s.e.Refusals()))
		}
		s.added(mk.Pod("other").CPU("2").Obj())
		if d := s.decide(); len(d) != 1 || d[0].Verdict != engine.Unschedulable {
			t.Errorf("%s: %+v, want no room for another pod", field, d)
		}
	}
}

// A node with a value that is not known changes as any other: a cordon is not missed.
func TestEngine_NodeWithUnusableFieldIsUpdated(t *testing.T) {
	s := newFixture(t, engine.Options{})
	s.added(mk.Node("n").CPU("4").Memory("8Gi").Obj(), mk.Node("m").CPU("1").Memory("8Gi").Obj())
	changed := mk.Node("n").CPU("4").Memory("8Gi").Taint("k", "v", "NoFun").Obj()
	changed.Spec.Unschedulable = true
	if err := s.e.Apply(world.Input{At: s.now, Event: world.Changed{Op: world.Modified, Object: changed}}); err == nil || !strings.Contains(err.Error(), "NoFun") {
		t.Errorf("error %v, want one that names the effect", err)
	}
	s.added(mk.Pod("p").CPU("1").Obj())
	if d := s.decide(); len(d) != 1 || d[0].Node != "m" {
		t.Errorf("%+v, want the pod on the node that is not cordoned", d)
	}
}

// counted is a quantity in the scheduler's unit, by the quantity's own arithmetic where that is exact.
func counted(name v1.ResourceName, q resource.Quantity) int64 {
	switch {
	case q.Sign() < 0:
		return 0
	case name == v1.ResourceCPU && q.Cmp(*resource.NewMilliQuantity(math.MaxInt64, resource.DecimalSI)) >= 0,
		name != v1.ResourceCPU && q.CmpInt64(math.MaxInt64) >= 0:
		return math.MaxInt64
	case name == v1.ResourceCPU:
		return q.MilliValue()
	}
	return q.Value()
}

func anyHostileList(t *rapid.T, names ...v1.ResourceName) v1.ResourceList {
	list := v1.ResourceList{}
	for _, name := range names {
		if rapid.Bool().Draw(t, string(name)) {
			list[name] = resource.MustParse(rapid.SampledFrom([]string{
				"0", "100m", "1", "1Gi", "9007199254740993", "9100T", "4Ei", "9223372036854775807", "1e30", "-1", "-9E",
			}).Draw(t, "amount"))
		}
	}
	return list
}

// anyHostilePod draws a pod on a node with amounts and values of all kinds.
func anyHostilePod(t *rapid.T, name string, resources []v1.ResourceName) *v1.Pod {
	pod := mk.Pod(name).Node("n").Obj()
	if field := rapid.SampledFrom(append([]string{""}, slices.Sorted(maps.Keys(unusable()))...)).Draw(t, "unusable"); field != "" {
		spec := unusable()[field].DeepCopy().Spec
		spec.NodeName = "n"
		pod.Spec = spec
	}
	pod.Spec.Containers = make([]v1.Container, rapid.IntRange(1, 3).Draw(t, "containers"))
	for i := range pod.Spec.Containers {
		pod.Spec.Containers[i].Resources.Requests = anyHostileList(t, resources...)
	}
	if rapid.Bool().Draw(t, "init") {
		pod.Spec.InitContainers = []v1.Container{{Resources: v1.ResourceRequirements{Requests: anyHostileList(t, resources...)}}}
	}
	if rapid.Bool().Draw(t, "has overhead") {
		pod.Spec.Overhead = anyHostileList(t, resources...)
	}
	return pod
}

// What the cache counts on a node is what its pods request, recomputed from the objects: a negative amount is zero, and a sum beyond an
// int64 is the greatest.
func TestEngine_CountsWhatPodsOnNodeRequest(t *testing.T) {
	resources := []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage, "example.com/gpu", "example.com/none"}
	rapid.Check(t, func(t *rapid.T) {
		e, err := engine.New(engine.Options{Start: start})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Object: mk.Node("n").CPU("4").Memory("8Gi").Obj()}}); err != nil {
			t.Fatal(err)
		}
		there := map[string]*v1.Pod{}
		for i := range rapid.IntRange(1, 8).Draw(t, "steps") {
			change := world.Changed{}
			if names := slices.Sorted(maps.Keys(there)); len(names) > 0 && rapid.IntRange(0, 2).Draw(t, "deletes") == 0 {
				name := rapid.SampledFrom(names).Draw(t, "which")
				change = world.Changed{Op: world.Deleted, Object: there[name]}
				delete(there, name)
			} else {
				pod := anyHostilePod(t, fmt.Sprint("p", i), resources)
				there[pod.Name], change.Object = pod, pod
			}
			_ = e.Apply(world.Input{At: start, Event: change})
			if err := e.Check(); err != nil {
				t.Fatal(err)
			}
			sums := map[v1.ResourceName]int64{}
			for _, pod := range there {
				for name, q := range componentresource.PodRequests(withoutNegative(pod), componentresource.PodResourcesOptions{}) {
					n := counted(name, q)
					if sums[name] += n; sums[name] < 0 {
						sums[name] = math.MaxInt64
					}
				}
			}
			requested := e.Cache().Dump().Nodes["n"].GetRequested()
			got := map[v1.ResourceName]int64{
				v1.ResourceCPU: requested.GetMilliCPU(), v1.ResourceMemory: requested.GetMemory(), v1.ResourceEphemeralStorage: requested.GetEphemeralStorage(),
			}
			for name, n := range requested.GetScalarResources() {
				got[name] = n
			}
			for _, name := range resources {
				if got[name] != sums[name] {
					t.Fatalf("%s: %d is counted, and the pods request %d", name, got[name], sums[name])
				}
			}
		}
	})
}

func withoutNegative(pod *v1.Pod) *v1.Pod {
	pod = pod.DeepCopy()
	lists := []v1.ResourceList{pod.Spec.Overhead}
	for _, all := range [][]v1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range all {
			lists = append(lists, all[i].Resources.Requests)
		}
	}
	for _, list := range lists {
		for name, q := range list {
			if q.Sign() < 0 {
				list[name] = resource.Quantity{}
			}
		}
	}
	return pod
}
