package volumebinding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/volumes"
)

// segment is a CSIStorageCapacity that is too small for a claim, with the first of the nodes that it covers.
type segment struct {
	place, node string
	most, short string
	amount      framework.NodeAmount
}

// short is about a claim that is larger than what its driver publishes for the nodes.
func (x *explanation) short(e framework.Evidence, c *claimNodes) framework.Evidence {
	class, size := c.link.Class, c.claim.Spec.Resources.Requests[v1.ResourceStorage]
	segments, covered := x.segmentsOf(c)
	e.Code, e.Amounts = StorageShort, &framework.Amounts{Resource: string(v1.ResourceStorage), Requested: size.Value()}
	var parts []string
	for _, s := range segments[:min(len(segments), framework.MaxListed)] {
		parts = append(parts, fmt.Sprintf("%s %s, %s short", s.most, s.place, s.short))
		e.Amounts.Nodes = append(e.Amounts.Nodes, s.amount)
		e.Amounts.Largest = max(e.Amounts.Largest, s.amount.Free)
	}
	if more := len(segments) - framework.MaxListed; more > 0 {
		parts = append(parts, fmt.Sprintf("less in %d more", more))
	}
	if rest := len(c.Nodes) - covered; rest > 0 {
		parts = append(parts, "nothing for "+plural.Count(rest, "node"))
	}
	if len(segments) > 0 {
		s := &segments[0]
		e.Nearest, e.Hint = s.node, fmt.Sprintf("would fit with %s more storage of class %s %s", s.short, class.Name, s.place)
	}
	most := "at most "
	if len(segments) == 0 {
		most = ""
	}
	e.Facts = []string{fmt.Sprintf("claim %s requests %s of class %s; %s publishes %s%s", e.About, c.link.Requested, class.Name, class.Provisioner, most, strings.Join(parts, "; "))}
	e.Predicate = e.Verb("has", "have") + " too little storage (" + e.Facts[0] + ")"
	allowed := *c
	allowed.Nodes = slices.DeleteFunc(slices.Clone(c.Nodes), func(n framework.RejectedNode) bool { return !c.claim.source.allows(n.Node().Labels) })
	e.Changes = x.more(&allowed, "capacity "+class.Name+" "+c.link.Requested, false)
	return e
}

// segmentsOf are the segments of the claim's class, the largest first, and the number of nodes that they cover.
func (x *explanation) segmentsOf(c *claimNodes) (list []segment, covered int) {
	all, err := x.capacities.List(labels.Everything())
	if err != nil {
		return nil, 0
	}
	all = slices.DeleteFunc(slices.Clone(all), func(s *storagev1.CSIStorageCapacity) bool {
		return s.StorageClassName != c.link.Class.Name || s.NodeTopology == nil
	})
	slices.SortFunc(all, func(a, b *storagev1.CSIStorageCapacity) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	size, seen := c.claim.Spec.Resources.Requests[v1.ResourceStorage], map[string]bool{}
	for _, published := range all {
		nodes, err := metav1.LabelSelectorAsSelector(published.NodeTopology)
		if err != nil {
			continue
		}
		s := segment{place: volumes.PlaceOfSelector(published.NodeTopology), most: "nothing"}
		missing := size.DeepCopy()
		if most := VolumeLimit(published); most != nil {
			s.most, s.amount.Free = most.String(), most.Value()
			missing.Sub(*most)
		}
		s.short = missing.String()
		for i := range c.Nodes {
			if n := &c.Nodes[i]; nodes.Matches(labels.Set(n.Node().Labels)) {
				s.node, seen[n.Name()] = cmp.Or(s.node, n.Name()), true
			}
		}
		if s.node != "" && missing.Sign() > 0 {
			s.amount.Node, s.amount.Allocatable, s.amount.Missing = s.node, s.amount.Free, missing.Value()
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b segment) int { return cmp.Compare(b.amount.Free, a.amount.Free) })
	return list, len(seen)
}
