package diagnose

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
)

// Room is what a node has of a resource for the pod, in the units of Shortage. Free is as Filter counts it, zero on an
// overcommitted node, where Missing is more than the difference; Held is what pods nominated there hold.
type Room struct {
	Node        string `json:"node"`
	Free        int64  `json:"free"`
	Held        int64  `json:"held,omitempty"`
	Allocatable int64  `json:"allocatable"`
	Missing     int64  `json:"missing"`
}

// maxRooms bounds the nodes in a Shortage.
//
//orrery:limit answers; nodes of a shortage that are named; the others are left out
const maxRooms = 5

// rooms returns the nodes nearest to being enough, of those that have the resource at all.
func (p *pendingPod) rooms(name v1.ResourceName, requested int64, nodes []string) []Room {
	var list []Room
	for _, node := range nodes {
		info := p.nodes[node]
		if info == nil || requests.AmountIn(info.GetAllocatable(), name) == 0 {
			continue
		}
		free := p.free(info, name)
		list = append(list, Room{
			Node: node, Free: max(free, 0), Held: max(saturating.Sub(requests.Free(info, name), free), 0),
			Allocatable: requests.AmountIn(info.GetAllocatable(), name), Missing: saturating.Sub(requested, free),
		})
	}
	slices.SortStableFunc(list, func(a, b Room) int { return cmp.Compare(a.Missing, b.Missing) }) // the first is Shortage.Nearest
	return slices.Clip(list[:min(len(list), maxRooms)])
}

// Format formats an amount of the resource as an exact quantity.
func (s *Shortage) Format(amount int64) string { return formatAmount(s.Resource, amount) }
