package cycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	resourcev1 "k8s.io/api/resource/v1"
)

func TestGenerate_IsDeterministic(t *testing.T) {
	for number := range 40 {
		if one, other := generateCase(7, number).YAML(), generateCase(7, number).YAML(); one != other {
			t.Fatalf("case %d of seed 7, generated twice, differs:\n%s", number, cmp.Diff(one, other))
		}
	}
	if generateCase(1, 0).YAML() == generateCase(2, 0).YAML() {
		t.Error("two seeds have the same first case")
	}
}

func TestCase_YAMLRoundTrip(t *testing.T) {
	for number := range 40 {
		text := generateCase(3, number).YAML()
		read, err := parseCase([]byte(text))
		if err != nil {
			t.Fatalf("case %d: %v", number, err)
		}
		if diff := cmp.Diff(text, read.YAML()); diff != "" {
			t.Fatalf("case %d (-encoded +decoded and encoded again):\n%s", number, diff)
		}
	}
}

// What no API server stores is not compared: kube-scheduler panics on it, or says that it does not know it.
func TestReduce_KeepsDevicesValid(t *testing.T) {
	number := 0
	for len(generateCase(1, number).Devices.Claims) == 0 {
		number++
	}
	parts := func(c *clusterCase) (selectors []resourcev1.DeviceSelector, requests []resourcev1.DeviceRequest) {
		for _, class := range c.Devices.Classes {
			selectors = append(selectors, class.Spec.Selectors...)
		}
		for _, claim := range c.Devices.Claims {
			requests = append(requests, claim.Spec.Devices.Requests...)
		}
		return selectors, requests
	}
	full := generateCase(1, number)
	allSelectors, allRequests := parts(full)
	small := reduceFields(full, 5000, func(c *clusterCase) bool {
		selectors, requests := parts(c)
		return len(selectors) == len(allSelectors) && len(requests) == len(allRequests)
	})
	selectors, requests := parts(small)
	for _, selector := range selectors {
		if selector.CEL == nil || selector.CEL.Expression == "" {
			t.Errorf("a selector has no expression: %+v", selector)
		}
	}
	for _, request := range requests {
		if (request.Exactly == nil) == (len(request.FirstAvailable) == 0) {
			t.Errorf("a request is not of one kind: %+v", request)
		}
	}
}

func TestReduce_KeepsOnlyWhatFails(t *testing.T) {
	number := 0
	for len(generateCase(1, number).Nodes) < 3 || len(generateCase(1, number).Bound) < 2 {
		number++
	}
	full := generateCase(1, number)
	last := full.Nodes[len(full.Nodes)-1].Name
	small := reduceFields(full, 5000, func(c *clusterCase) bool {
		return len(c.Nodes) > 0 && c.Nodes[len(c.Nodes)-1].Name == last
	})
	if len(small.Nodes) != 1 || len(small.Bound)+len(small.Waiting)+len(small.Changes) != 0 {
		t.Errorf("the last node alone fails, but the case was reduced to:\n%s", small.YAML())
	}
}
