package collect

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/answer"
	"orrery/core/safe/printable"
	"orrery/views"
)

// deviceLinks is the chain from a pod's claims over their requests to devices.
func (x *deviceIndex) deviceLinks(pod *v1.Pod) []answer.Link {
	names := claimsNamedBy(pod)
	for name, claim := range x.inFlight { // an implicit claim
		if name.Namespace == pod.Namespace && name.Name == string(claim.UID) && strings.HasSuffix(name.Name, "/"+string(pod.UID)) {
			names = append(names, name)
		}
	}
	var links []answer.Link
	for _, name := range names {
		links = append(links, x.linksOf(name)...)
	}
	return links
}

// linksOf are a claim with its state, and its devices by request and pool.
func (x *deviceIndex) linksOf(name types.NamespacedName) []answer.Link {
	claim := x.claims.byName[name]
	if claim == nil {
		return nil // it is still to be read
	}
	if claim.claim == nil {
		what := name.Name
		if _, unnamed, found := strings.Cut(what, unmade); found {
			what = unnamed
		}
		return []answer.Link{{Says: printable.Text("claim " + what + " " + x.deviceClaimNote(claim)), Bad: claim.state == uint8(views.DeviceClaimMissing)}}
	}
	state := views.DeviceClaimState(claim.state)
	text := "claim " + strings.TrimPrefix(claimName(claim), name.Namespace+"/") + " (" + requestsOfClaim(claim.claim) + ") is " + state.Word()
	if note := x.deviceClaimNote(claim); note != "" {
		text += ": " + note
	}
	links := []answer.Link{{Says: printable.Text(text), Bad: state < views.DeviceClaimBinding}}
	for _, group := range groupedResults(claim) {
		links = append(links, answer.Link{Depth: 1, Says: printable.Text(x.groupText(group))})
	}
	return links
}

// groupedResults are what a claim has, by request and pool.
func groupedResults(c *deviceClaim) [][]*resourcev1.DeviceRequestAllocationResult {
	var groups [][]*resourcev1.DeviceRequestAllocationResult
	for i, results := 0, c.results(); i < len(results); i++ {
		r := &results[i]
		at := slices.IndexFunc(groups, func(g []*resourcev1.DeviceRequestAllocationResult) bool {
			return g[0].Request == r.Request && g[0].Driver == r.Driver && g[0].Pool == r.Pool
		})
		if at < 0 {
			at = len(groups)
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], r)
	}
	return groups
}

// groupText is what a request got of a pool: "request gpu: a100-0 (memory 20Gi of 80Gi) of pool serve-1, driver gpu.example.com".
func (x *deviceIndex) groupText(group []*resourcev1.DeviceRequestAllocationResult) string {
	names := make([]string, len(group))
	for i, r := range group {
		names[i] = r.Device
		if device := x.publishedDevice(resultID(r)); device != nil && len(r.ConsumedCapacity) > 0 {
			names[i] += " (" + capacityText(r.ConsumedCapacity, device) + ")"
		}
		if r.AdminAccess != nil && *r.AdminAccess {
			names[i] += " (admin access)"
		}
	}
	return "request " + group[0].Request + ": " + strings.Join(names, ", ") + " of pool " + group[0].Pool + ", driver " + group[0].Driver
}
