package dynamicresources

import (
	"crypto/sha256"
	"fmt"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// withNamedShares returns an allocation for a claim, with identifiers of the parts of devices. Each is
// made of the claim and of the position among its devices, so that no two parts of a device have the same.
func withNamedShares(claim *resourcev1.ResourceClaim, result resourcev1.AllocationResult) *resourcev1.AllocationResult {
	shared := func(r resourcev1.DeviceRequestAllocationResult) bool { return r.ShareID != nil }
	if !slices.ContainsFunc(result.Devices.Results, shared) {
		return &result
	}
	result.Devices.Results = slices.Clone(result.Devices.Results)
	for i := range result.Devices.Results {
		if one := &result.Devices.Results[i]; one.ShareID != nil {
			one.ShareID = shareOf(claim.UID, i)
		}
	}
	return &result
}

// shareOf is a UUID of version 8, which leaves its bits to the maker.
func shareOf(claim types.UID, position int) *types.UID {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", claim, position))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	share := types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
	return &share
}
