package allocate

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
)

// results writes what was chosen into allocation results, one for each claim.
func (s *search) results() ([]resourcev1.AllocationResult, error) {
	all := make([]resourcev1.AllocationResult, len(s.claims))
	for i, claim := range s.claims {
		result := &all[i]
		result.Devices.Results = make([]resourcev1.DeviceRequestAllocationResult, len(claim.results))
		for j := range claim.results {
			result.Devices.Results[j] = s.resultOf(claim, &claim.results[j])
		}
		result.Devices.Config = s.configuration(claim)
		selector, err := s.selectorFor(claim.results)
		if err != nil {
			return nil, fmt.Errorf("create NodeSelector for claim %s: %w", claim.Name, err)
		}
		result.NodeSelector = selector
	}
	return all, nil
}

func (s *search) resultOf(claim *claimState, c *chosenDevice) resourcev1.DeviceRequestAllocationResult {
	result := resourcev1.DeviceRequestAllocationResult{
		Request: c.request.full(), Driver: c.slice.Spec.Driver, Pool: c.slice.Spec.Pool.Name, Device: c.device().Name, ShareID: c.shared,
	}
	if c.request.admin {
		result.AdminAccess = ptr.To(true)
	}
	if !s.oldest {
		result.Tolerations = claim.tolerations(c.request)
	}
	if len(c.consumed) > 0 {
		result.ConsumedCapacity = c.consumed.Clone()
	}
	if s.DeviceBindingAndStatus {
		result.BindingConditions, result.BindingFailureConditions = c.device().BindingConditions, c.device().BindingFailureConditions
	}
	return result
}

// tolerations are those of the first request with the name.
func (c *claimState) tolerations(r *request) []resourcev1.DeviceToleration {
	for _, slot := range c.slots {
		for _, other := range slot.of {
			if other.base() == r.base() && other.name == r.name {
				return other.tolerates
			}
		}
	}
	return nil
}

// configuration lists what classes and claim say about the devices, for the requests that it is for.
func (s *search) configuration(claim *claimState) []resourcev1.DeviceAllocationConfiguration {
	var all []resourcev1.DeviceAllocationConfiguration
	type span struct{ begin, end int }
	ofClass := map[string]span{}
	for _, slot := range claim.slots {
		r := slot.chosen()
		if known, has := ofClass[r.class.Name]; has {
			for i := known.begin; i < known.end; i++ {
				all[i].Requests = append(all[i].Requests, r.full())
			}
			continue
		}
		begin := len(all)
		for i := range r.class.Spec.Config {
			all = append(all, resourcev1.DeviceAllocationConfiguration{
				Source: resourcev1.AllocationConfigSourceClass, Requests: []string{r.full()}, DeviceConfiguration: r.class.Spec.Config[i].DeviceConfiguration,
			})
		}
		ofClass[r.class.Name] = span{begin, len(all)}
	}
	for i := range claim.Spec.Devices.Config {
		config := &claim.Spec.Devices.Config[i]
		for range s.timesListed(claim, config.Requests) {
			all = append(all, resourcev1.DeviceAllocationConfiguration{
				Source: resourcev1.AllocationConfigSourceClaim, Requests: config.Requests, DeviceConfiguration: config.DeviceConfiguration,
			})
		}
	}
	if s.configOnce {
		for i := range all {
			if !slices.ContainsFunc(claim.slots, func(slot *slot) bool { return !slot.in(all[i].Requests) }) {
				all[i].Requests = nil // as none are named, it is for all
			}
		}
	}
	return all
}

// timesListed is how often a configuration of the claim is listed: once for each request that it names, up to 1.36.
func (s *search) timesListed(claim *claimState, requests []string) int {
	if len(requests) == 0 {
		return 1
	}
	times := 0
	for _, slot := range claim.slots {
		if slot.in(requests) {
			times++
		}
	}
	if s.configOnce {
		times = min(times, 1)
	}
	return times
}

// in reports whether names have a request, or the alternative of it that was chosen.
func (s *slot) in(names []string) bool {
	r := s.chosen()
	return slices.Contains(names, r.base()) || s.prefers && slices.Contains(names, r.full())
}

// selectorFor selects the nodes that reach all devices: the node itself if one is its own, else those that the selectors of all match.
func (s *search) selectorFor(devices []chosenDevice) (*v1.NodeSelector, error) {
	var term v1.NodeSelectorTerm
	for i := range devices {
		d := &devices[i]
		name, selector := d.slice.Spec.NodeName, d.slice.Spec.NodeSelector
		if d.slice.perDevice() {
			name, selector = d.device().NodeName, d.device().NodeSelector
		}
		if binds := s.late && ptr.Deref(d.device().BindsToNode, false); name != nil || binds {
			if s.late {
				name = &s.node.Name
			}
			return &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
				MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{*name}}},
			}}}, nil
		}
		if selector == nil || len(selector.NodeSelectorTerms) == 0 {
			continue
		}
		if n := len(selector.NodeSelectorTerms); n > 1 {
			return nil, fmt.Errorf("unsupported ResourceSlice.NodeSelector with %d terms", n)
		}
		term.MatchFields = withNew(term.MatchFields, selector.NodeSelectorTerms[0].MatchFields)
		term.MatchExpressions = withNew(term.MatchExpressions, selector.NodeSelectorTerms[0].MatchExpressions)
	}
	if len(term.MatchFields)+len(term.MatchExpressions) == 0 {
		return nil, nil
	}
	return &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{term}}, nil
}

// withNew adds the requirements that are not there yet.
func withNew(all, more []v1.NodeSelectorRequirement) []v1.NodeSelectorRequirement {
	for _, requirement := range more {
		if !slices.ContainsFunc(all, func(other v1.NodeSelectorRequirement) bool {
			return other.Key == requirement.Key && other.Operator == requirement.Operator && sets.New(other.Values...).Equal(sets.New(requirement.Values...))
		}) {
			all = append(all, requirement)
		}
	}
	return all
}
