package shortage

import (
	"encoding/json"
	"strings"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/safe/footprint"
	"orrery/core/testing/fuzz"
)

// FuzzSelector reads CEL selectors of device classes and requests, and evaluates them on a device. No API server has checked them.
//
//orrery:reads core/scheduler/plugins/dynamicresources/shortage core/scheduler/plugins/dynamicresources core/scheduler/plugins/noderesources
func FuzzSelector(f *testing.F) {
	const device = `{"name":"a","attributes":{"model":{"string":"A100"},"example.com/x":{"int":3},"v":{"version":"1.2.3"}},"capacity":{"memory":{"value":"40Gi"}}}`
	for _, text := range []string{
		`device.attributes["gpu.example.com"].model == "A100"`, `device.capacity["gpu.example.com"].memory.compareTo(quantity("1Gi")) > 0`, `cel.bind(a, device.attributes, a["x"].y.startsWith("\x1b"))`,
		`["a"].exists(m, device.attributes["gpu.example.com"].?model.orValue("") == m)`, `device.attributes["example.com"].x / 0 == 1`, `semver("1.2.3").isGreaterThan(device.attributes["gpu.example.com"].v)`,
		`[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, a + b + c > 0)))`, `device.driver.matches("(a+)+$")`, `"`, `((((((((((true))))))))))`, "\u202e", `device`,
	} {
		f.Add(text, []byte(device))
	}
	f.Fuzz(func(t *testing.T, text string, device []byte) {
		own := &resourcev1.Device{}
		if footprint.Of(own).JSON(device) >= footprint.HugeQuantity || json.Unmarshal(device, own) != nil {
			return
		}
		fuzz.Cost(t, len(text)+len(device), func() {
			e := newExpressions(true)
			x := e.of(text)
			if strings.Contains(x.problem, "\n") || len(x.problem) > 1000 { // what shows it makes it printable
				t.Errorf("the problem is no line: %q", x.problem)
			}
			said := e.matches(x, &poolDevice{id: deviceID{driverOfTest, "pool", "a"}, Device: own})
			if said.matches && said.problem != "" {
				t.Errorf("it says %+v", said)
			}
		})
	})
}
