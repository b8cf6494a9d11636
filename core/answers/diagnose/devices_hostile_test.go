package diagnose_test

import (
	"fmt"
	"strings"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// An expression that costs more than it may, or that cannot be compiled, is evaluated on one node and not on all: there is one
// reason, and it is about the expression.
func TestDevices_HostileExpressions(t *testing.T) {
	list := "[" + strings.TrimSuffix(strings.Repeat("1,", 40), ",") + "]"
	for name, tt := range map[string]struct{ expression, says string }{
		"a cost bomb": {
			fmt.Sprintf("%[1]s.all(a, %[1]s.all(b, %[1]s.all(c, %[1]s.all(d, a+b+c+d > 0))))", list),
			"cannot be evaluated: operation cancelled: actual cost limit exceeded, on gpu-000/gpu",
		},
		"deep nesting": {strings.Repeat("(", 5000), "cannot be evaluated: expression recursion limit exceeded: 250"},
		"ten kilobytes with an error": {
			strings.Repeat(`device.driver == "a" || `, 420) + "nothing", "cannot be evaluated: line 1, column 10081: undeclared reference to 'nothing'",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := diagnosedOn(t, 100, tt.expression)
			if d.Decision.Verdict != engine.Failed || len(d.Nodes) != 1 {
				t.Errorf("the verdict is %s after %d nodes", d.Decision.Verdict, len(d.Nodes))
			}
			if !strings.HasPrefix(d.Summary, "claim web, request gpu: the selector ") || !strings.Contains(d.Summary, tt.says) || len(d.Summary) > 500 {
				t.Errorf("got %s", d.Summary)
			}
			if len(d.Remedies) > 0 {
				t.Errorf("the remedies are %v", d.Remedies)
			}
		})
	}
}

// Of an expression that is long and right only the beginning is shown, in one line.
func TestDevices_LongExpressionIsCut(t *testing.T) {
	d := diagnosedOn(t, 3, strings.Repeat("device.driver == \"a\" ||\n", 400)+"false")
	for _, reason := range d.Devices.Claims[0].Requests[0].Reasons {
		if len(reason.Says) > 400 || strings.Contains(reason.Says, "\n") || reason.Devices != 3 {
			t.Errorf("got %d devices: %q", reason.Devices, reason.Says)
		}
	}
	if d.Devices.Claims[0].Requests[0].TooFewOn != 3 {
		t.Errorf("got %+v", d.Devices.Claims[0].Requests[0])
	}
}

// No API server stores a selector without an expression, and kube-scheduler panics on it. It is the one reason here.
func TestDevices_SelectorWithoutExpression(t *testing.T) {
	class := mk.DeviceClass("gpu", "true")
	class.Spec.Selectors[0].CEL = nil
	d := diagnosedWith(t, class, 100, "true")
	if d.Decision.Verdict != engine.Failed || len(d.Nodes) != 1 {
		t.Errorf("the verdict is %s after %d nodes", d.Decision.Verdict, len(d.Nodes))
	}
	if want := "class gpu of claim web, request gpu: selector #0 has no CEL expression"; d.Summary != want {
		t.Errorf("got %q, want %q", d.Summary, want)
	}
	if want := `running "DynamicResources" filter plugin: allocating devices on node "gpu-000": class gpu: selector #0: no CEL expression`; d.Decision.Message != want {
		t.Errorf("got %q, want %q", d.Decision.Message, want)
	}
}

// diagnosedOn diagnoses a pod with a claim for a device that an expression selects, on so many nodes with one.
func diagnosedOn(t *testing.T, nodes int, expression string) *diagnose.Diagnosis {
	t.Helper()
	return diagnosedWith(t, mk.DeviceClass("gpu"), nodes, expression)
}

func diagnosedWith(t *testing.T, class *resourcev1.DeviceClass, nodes int, expression string) *diagnose.Diagnosis {
	t.Helper()
	objects := []world.Object{class}
	for i := range nodes {
		name := fmt.Sprintf("gpu-%03d", i)
		objects = append(objects, node(name, "4").Obj(), mk.ResourceSlice(name, gpuDriver, name).Node(name).Devices("gpu").Obj())
	}
	pod := mk.Pod("web").CPU("1").ResourceClaim("web").Obj()
	d, err := diagnose.Pod(engineWith(t, append(objects, mk.ResourceClaim("web").Request("gpu", "gpu", 1, expression).Obj(), pod)...), world.PodRefOf(pod))
	if err != nil {
		t.Fatal(err)
	}
	return d
}
