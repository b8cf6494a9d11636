package shortage

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

const driverOfTest = "gpu.example.com"

func deviceWith(name, model string) *poolDevice {
	return &poolDevice{id: deviceID{driverOfTest, "pool", name}, Device: &resourcev1.Device{Name: name, Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
		"model": {StringValue: &model}, "uuid": {StringValue: ptr.To(name)},
	}}}
}

func TestExpression_Reads(t *testing.T) {
	model, memory := deviceKey{"attributes", driverOfTest, "model"}, deviceKey{"capacity", driverOfTest, "memory"}
	for text, want := range map[string]struct {
		reads []deviceKey
		whole bool
	}{
		`device.driver == "gpu.example.com"`:                                                            {},
		`device.attributes["gpu.example.com"].model == "A100"`:                                          {reads: []deviceKey{model}},
		`device.attributes["gpu.example.com"]["model"] == "A100"`:                                       {reads: []deviceKey{model}},
		`has(device.attributes["gpu.example.com"].model)`:                                               {reads: []deviceKey{model}},
		`device.attributes["gpu.example.com"].?model.orValue("") == ""`:                                 {reads: []deviceKey{model}},
		`cel.bind(gpu, device.attributes["gpu.example.com"], gpu.model == "A100" || gpu.model == "L4")`: {reads: []deviceKey{model}},
		`device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0 && device.attributes["gpu.example.com"].model != ""`: {
			reads: []deviceKey{memory, model},
		},
		`"model" in device.attributes["gpu.example.com"]`:                           {whole: true},
		`["A100", "L4"].exists(m, m == device.attributes["gpu.example.com"].model)`: {reads: []deviceKey{model}},
		`device.attributes.size() > 0`:                                              {whole: true},
	} {
		x := newExpressions(false).of(text)
		if x.problem != "" {
			t.Errorf("%s: %s", text, x.problem)
		}
		if diff := cmp.Diff(want.reads, x.reads, cmp.AllowUnexported(deviceKey{})); diff != "" || x.whole != want.whole {
			t.Errorf("%s (-want +got), whole %v:\n%s", text, x.whole, diff)
		}
	}
}

// Devices that are alike to an expression cost one evaluation, and its answer is that of an evaluation of each.
func TestExpressions_EvaluateWhatDiffers(t *testing.T) {
	e := newExpressions(false)
	x := e.of(`device.attributes["gpu.example.com"].model == "A100"`)
	before := e.left
	for i := range 100 {
		model := []string{"A100", "L4"}[i%2]
		if said := e.matches(x, deviceWith(fmt.Sprint(i), model)); said.problem != "" || said.matches != (model == "A100") {
			t.Errorf("of %s it says %+v", model, said)
		}
	}
	if cost := before - e.left; len(x.said) != 2 || cost != 2*leastCost {
		t.Errorf("%d devices were evaluated, for %d", len(x.said), cost)
	}
}

// Where the common limit is reached, the rest is not evaluated, and says so.
func TestExpressions_CommonLimit(t *testing.T) {
	e := newExpressions(false)
	e.left = 3*leastCost - 1
	x := e.of(`device.attributes["gpu.example.com"].uuid != ""`)
	evaluated := 0
	for i := range 10 {
		switch said := e.matches(x, deviceWith(fmt.Sprint(i), "A100")); said.problem {
		case "":
			evaluated++
		case notEvaluated:
		default:
			t.Errorf("got %+v", said)
		}
	}
	if evaluated != 3 {
		t.Errorf("%d devices were evaluated", evaluated)
	}
}
