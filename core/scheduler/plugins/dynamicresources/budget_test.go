package dynamicresources_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// dear is an expression that costs about half of what one may, matches no device, and is admitted by API servers.
func dear(t *testing.T) string {
	numbers := "[" + strings.Repeat("1,", 39) + "1]"
	text := "!" + numbers + ".all(a, " + numbers + ".all(b, " + numbers + ".all(c, a + b + c < 4)))"
	compiled := cel.GetCompiler(cel.Features{}).CompileCELExpression(text, cel.Options{})
	if compiled.Error != nil || compiled.MaxCost > resourcev1.CELSelectorExpressionMaxCost {
		t.Fatalf("no API server admits it: %v, cost %d", compiled.Error, compiled.MaxCost)
	}
	return text
}

// Expressions of a tenant's claim take the steps of the filter timeout by what they cost, on one node and on all of a cycle.
func TestFilter_ChargesCostOfExpressions(t *testing.T) {
	for name, features := range map[string]string{
		"stable": "", "incubating": "DRAPartitionableDevices", "experimental": "DRAConsumableCapacity",
	} {
		t.Run(name, func(t *testing.T) {
			objects := []world.Object{mk.DeviceClass("gpu"), claim().Request("gpu", "gpu", 1, dear(t)).Obj()}
			nodes := []string{"a", "b", "c", "d", "e"}
			for _, node := range nodes {
				slice := mk.ResourceSlice("on-"+node, driver, node).Node(node)
				for i := range 128 {
					slice.Devices(fmt.Sprint("device-", i))
				}
				objects = append(objects, slice.Obj())
			}
			f := newFixture(t, features, objects...)
			f.limit(time.Second)
			pod := user()
			state, _ := f.cycle(pod)
			var left []int64
			for _, node := range nodes {
				status := f.plugin.Filter(t.Context(), state, pod, nodeInfo(mk.Node(node).Obj()))
				if status.Code() != fwk.UnschedulableAndUnresolvable || status.Message() != dynamicresources.ReasonTimeout {
					t.Errorf("on %s it is %v", node, status)
				}
				left = append(left, dynamicresources.StepsLeft(state))
			}
			// A second is a hundred thousand steps on a node, and twice as many in a cycle.
			if diff := cmp.Diff([]int64{100_000, 0, 0, 0, 0}, left); diff != "" {
				t.Errorf("after each node the cycle has steps (-want +got):\n%s", diff)
			}
			// The next cycle has its own steps: what was decided on a whole node is kept, and the others are looked at.
			state, _ = f.cycle(pod)
			_ = f.plugin.Filter(t.Context(), state, pod, nodeInfo(mk.Node("e").Obj()))
			if got := dynamicresources.StepsLeft(state); got != 100_000 {
				t.Errorf("a node that an earlier cycle had no steps for leaves %d of its own", got)
			}
		})
	}
}

// A plain expression is far below the filter timeout, on as many devices as a node may have.
func TestFilter_PlainExpressionsAreCheap(t *testing.T) {
	slice := mk.ResourceSlice("s", driver, "p").Node("n")
	for i := range 128 {
		slice.Devices(fmt.Sprint("device-", i)).Attribute("model", "old")
	}
	slice.Devices("last").Attribute("model", "new")
	f := newFixture(t, "", mk.DeviceClass("gpu", `device.driver == "`+driver+`"`), slice.Obj(),
		claim().Request("gpu", "gpu", 1, `device.attributes["`+driver+`"].model == "new"`).Obj())
	f.limit(time.Second / 10)
	if got := f.found(user(), "n"); !strings.Contains(got, "last") {
		t.Errorf("it is %q", got)
	}
}
