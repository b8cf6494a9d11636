package dynamicresources_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// evaluations counts those of CEL expressions: each asks its context once when it is to end.
type evaluations struct {
	context.Context
	n int
}

func (c *evaluations) Done() <-chan struct{} {
	c.n++
	return c.Context.Done()
}

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
			ctx := &evaluations{Context: t.Context()}
			state, _ := f.cycle(pod)
			var each []int
			for _, node := range nodes {
				before := ctx.n
				status := f.plugin.Filter(ctx, state, pod, nodeInfo(mk.Node(node).Obj()))
				if status.Code() != fwk.UnschedulableAndUnresolvable || status.Message() != dynamicresources.ReasonTimeout {
					t.Errorf("on %s it is %v", node, status)
				}
				each = append(each, ctx.n-before)
			}
			// A second is a million units on a node, and two in a cycle.
			if each[0] < 2 || each[0] > 4 || each[1] < 1 || each[2]+each[3]+each[4] > 0 {
				t.Errorf("expressions were evaluated %v times on the nodes, want some 2 on two of them", each)
			}
			// The next cycle has its own steps: what was decided on a whole node is kept, and the others are looked at.
			state, _ = f.cycle(pod)
			before := ctx.n
			_ = f.plugin.Filter(ctx, state, pod, nodeInfo(mk.Node("e").Obj()))
			if ctx.n == before {
				t.Error("a node that an earlier cycle had no steps for is rejected without being looked at")
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
