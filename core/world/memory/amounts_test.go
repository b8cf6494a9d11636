package memory

import (
	"math"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	podresource "k8s.io/component-helpers/resource"
	"pgregory.net/rapid"

	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/testing/mk"
)

// What a pod adds to a node's sums it takes with it again, even if they were beyond an int64.
func TestAmounts_SumsSaturateAndStayExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sums amounts
		var held []int64
		exact := new(big.Int)
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			var n int64
			if remove := len(held) > 0 && rapid.Bool().Draw(t, "remove"); remove {
				n, held = held[0], held[1:]
				sums, exact = sums.sub(amounts{{v1.ResourceMemory, saturating.SumOf(n)}}), exact.Sub(exact, big.NewInt(n))
			} else {
				n = rapid.OneOf(rapid.Int64Range(0, 1<<53), rapid.SampledFrom([]int64{1 << 62, math.MaxInt64})).Draw(t, "amount")
				held = append(held, n)
				sums, exact = sums.add(amounts{{v1.ResourceMemory, saturating.SumOf(n)}}), exact.Add(exact, big.NewInt(n))
			}
			want := int64(math.MaxInt64)
			if exact.IsInt64() {
				want = exact.Int64()
			}
			if got := sums.of(v1.ResourceMemory); got != want {
				t.Fatalf("the sum is %d, want %d", got, want)
			}
		}
	})
}

func TestInsufficient_BeyondInt64(t *testing.T) {
	huge := amountsOf(mk.Resources("cpu", "9007199254740000"))
	used := amounts(nil).add(huge).add(huge).add(huge)
	there := amountsOf(mk.Resources("cpu", "4"))
	if name, short := insufficient(amountsOf(mk.Resources("cpu", "3")), used, there); !short || name != v1.ResourceCPU {
		t.Errorf("3 cpus fit on a node of 4 that has pods of %d", used.of(v1.ResourceCPU))
	}
	if name, short := insufficient(amountsOf(mk.Resources("cpu", "1e30")), nil, there); !short || name != v1.ResourceCPU {
		t.Error("1e30 cpus fit on a node of 4")
	}
}

// What is summed without a list is what the list says, but for what is requested as zero.
func TestRequestsOf_IsTheSumOfTheLists(t *testing.T) {
	plain := 0
	rapid.Check(t, func(t *rapid.T) {
		draw := func(of string) v1.ResourceList {
			list := v1.ResourceList{}
			for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage, "example.com/gpu"} {
				if q := rapid.SampledFrom([]string{"", "", "0", "100m", "3Gi", "8Ei"}).Draw(t, of); q != "" {
					list[name] = resource.MustParse(q)
				}
			}
			return list
		}
		pod := mk.Pod("p").Obj()
		pod.Spec.Containers = make([]v1.Container, rapid.IntRange(1, 3).Draw(t, "containers"))
		for i := range pod.Spec.Containers {
			pod.Spec.Containers[i].Name = string(rune('a' + i))
			pod.Spec.Containers[i].Resources.Requests = draw("request")
		}
		pod.Spec.Overhead = draw("overhead")
		if rapid.Bool().Draw(t, "is resized") {
			pod.Status.ContainerStatuses = []v1.ContainerStatus{{Name: "a", Resources: &v1.ResourceRequirements{Requests: draw("given")}}}
		}
		if sum, ok := requests.Plain(pod); ok && !sum.HasOthers() {
			plain++
		}
		want := map[v1.ResourceName]int64{v1.ResourcePods: 1}
		for name, q := range requests.Of(pod, podresource.PodResourcesOptions{UseStatusResources: true}) {
			if n := requests.Amount(name, q); n > 0 {
				want[name] = n
			}
		}
		got := map[v1.ResourceName]int64{}
		for _, x := range requestsOf(pod) {
			if n := x.sum.Int64(); n > 0 {
				got[x.name] = n
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
	if plain == 0 {
		t.Error("no pod was plain")
	}
}
