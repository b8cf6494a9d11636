package cache

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"orrery/core/testing/mk"
)

// exact are sums that never overflow.
type exact map[v1.ResourceName]*big.Int

func (e exact) add(name v1.ResourceName, n *big.Int) {
	if e[name] == nil {
		e[name] = new(big.Int)
	}
	e[name].Add(e[name], n)
}

// saturated is the int64 next to a sum.
func (e exact) saturated(name v1.ResourceName) int64 {
	switch n := e[name]; {
	case n == nil:
		return 0
	case !n.IsInt64():
		return math.MaxInt64
	default:
		return n.Int64()
	}
}

var largeResources = []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage, "example.com/gpu"}

// anyLargePod draws a pod of which some overflow a sum, and returns its exact requests.
func anyLargePod(t *rapid.T, name string) (*v1.Pod, exact) {
	pod := mk.Pod(name).Node("n").Obj()
	pod.Spec.Containers = nil
	sums := exact{}
	container := func(of int64) (c v1.Container) {
		c.Resources.Requests = v1.ResourceList{}
		for _, r := range largeResources {
			if r != v1.ResourceCPU && r != v1.ResourceMemory && rapid.IntRange(0, 3).Draw(t, "leaves out") == 0 {
				continue
			}
			n := rapid.OneOf(rapid.Int64Range(0, 1<<53), rapid.SampledFrom([]int64{0, 1, 1 << 62, math.MaxInt64 / 1000, math.MaxInt64})).Draw(t, "amount")
			q, of := resource.NewQuantity(n, resource.DecimalSI), big.NewInt(of)
			if r == v1.ResourceCPU {
				of.Mul(of, big.NewInt(1000))
			}
			c.Resources.Requests[r] = *q
			sums.add(r, of.Mul(of, big.NewInt(n)))
		}
		return c
	}
	for range rapid.IntRange(1, 3).Draw(t, "kinds of containers") {
		times := rapid.SampledFrom([]int64{1, 2, 9}).Draw(t, "containers")
		c := container(times)
		for range times {
			pod.Spec.Containers = append(pod.Spec.Containers, c)
		}
	}
	return pod, sums
}

func TestNodeInfo_SumsSaturate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := NewNodeInfo()
		type held struct {
			pod  *v1.Pod
			sums exact
		}
		var pods []held
		for step := range rapid.IntRange(1, 8).Draw(t, "steps") {
			if len(pods) > 0 && rapid.Bool().Draw(t, "remove") {
				i := rapid.IntRange(0, len(pods)-1).Draw(t, "which")
				if err := n.RemovePod(log, pods[i].pod); err != nil {
					t.Fatal(err)
				}
				pods = append(pods[:i], pods[i+1:]...)
			} else {
				pod, sums := anyLargePod(t, fmt.Sprint("p", step))
				n.AddPod(pod)
				pods = append(pods, held{pod, sums})
			}
			all := exact{}
			for _, p := range pods {
				for name, sum := range p.sums {
					all.add(name, sum)
				}
			}
			for _, at := range []*NodeInfo{n, n.Copy()} {
				r := at.GetRequested()
				same(t, "cpu", all.saturated(v1.ResourceCPU), r.GetMilliCPU())
				same(t, "memory", all.saturated(v1.ResourceMemory), r.GetMemory())
				same(t, "ephemeral storage", all.saturated(v1.ResourceEphemeralStorage), r.GetEphemeralStorage())
				same(t, "gpus", all.saturated("example.com/gpu"), r.GetScalarResources()["example.com/gpu"])
				same(t, "cpu for scores", all.saturated(v1.ResourceCPU), at.GetNonZeroRequested().GetMilliCPU())
				same(t, "memory for scores", all.saturated(v1.ResourceMemory), at.GetNonZeroRequested().GetMemory())
			}
		}
	})
}

func TestResource_AmountsSaturate(t *testing.T) {
	r := NewResource(mk.Resources("cpu", "1e30", "memory", "1e30", "ephemeral-storage", "8Ei", "pods", "1e30", "example.com/gpu", "1e30"))
	r.Add(mk.Resources("cpu", "1", "memory", "1", "ephemeral-storage", "1", "pods", "1", "example.com/gpu", "1"))
	want := amounts{
		CPU: math.MaxInt64, Memory: math.MaxInt64, Ephemeral: math.MaxInt64, Pods: math.MaxInt64,
		Scalars: map[v1.ResourceName]int64{"example.com/gpu": math.MaxInt64},
	}
	same(t, "sums", want, amountsOf(r))
	r = NewResource(nil)
	r.SetMaxResource(mk.Resources("cpu", "1e30", "memory", "1e30", "ephemeral-storage", "1e30", "example.com/gpu", "1e30"))
	want.Pods = 0
	same(t, "maximum", want, amountsOf(r))
}
