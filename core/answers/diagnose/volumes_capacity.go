package diagnose

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/world"
)

// StorageShort is the claims that are larger than what their drivers publish for the nodes.
type StorageShort struct {
	Claims []ShortClaim `json:"claims"`
}

// ShortClaim is a claim with the segments of storage that its driver publishes for its class.
type ShortClaim struct {
	Claim       string    `json:"claim"`
	Requested   string    `json:"requested"`
	Class       string    `json:"class"`
	Provisioner string    `json:"provisioner"`
	Segments    []Segment `json:"segments"`
	// Unpublished counts the rejected nodes that no segment covers.
	Unpublished int `json:"unpublished,omitempty"`
}

// Segment is one CSIStorageCapacity: how large a volume can be there, and how much larger it would have to be.
type Segment struct {
	Name  string `json:"name"` // namespace/name
	Place string `json:"place"`
	Nodes int    `json:"nodes"`
	Most  string `json:"most,omitempty"`
	Short string `json:"short,omitempty"`

	most *resource.Quantity
}

func (p *pendingPod) notEnoughSpace(on []string) Evidence {
	e := &StorageShort{}
	for _, l := range p.claimLinks() {
		if l.State != ClaimDelayed && l.State != ClaimProvisioning || l.Requested == "" || !volumebinding.Provisions(l.class) || !p.tracked(l.class) {
			continue
		}
		c := ShortClaim{Claim: l.Claim, Requested: l.Requested, Class: l.Class.Name, Provisioner: l.class.Provisioner, Segments: []Segment{}}
		covered := map[string]bool{}
		for _, capacity := range p.capacitiesOf(l.Class.Name) {
			if s := p.segment(capacity, l.object.Spec.Resources.Requests[v1.ResourceStorage], on, covered); s.Nodes > 0 && s.Short != "" {
				c.Segments = append(c.Segments, s)
			}
		}
		if c.Unpublished = len(on) - len(covered); len(c.Segments) > 0 || c.Unpublished > 0 {
			slices.SortStableFunc(c.Segments, func(a, b Segment) int { return b.most.Cmp(*a.most) })
			e.Claims = append(e.Claims, c)
		}
	}
	return e
}

// tracked reports whether the class's driver publishes its capacity.
func (p *pendingPod) tracked(class *storagev1.StorageClass) bool {
	driver, _ := p.engine.Store().Object(world.CSIDriver, "", class.Provisioner).(*storagev1.CSIDriver)
	return driver != nil && driver.Spec.StorageCapacity != nil && *driver.Spec.StorageCapacity
}

// capacitiesOf are the segments of a class, by namespace and name.
func (p *pendingPod) capacitiesOf(class string) []*storagev1.CSIStorageCapacity {
	var all []*storagev1.CSIStorageCapacity
	for o := range p.engine.Store().Objects(world.CSIStorageCapacity) {
		if c := o.(*storagev1.CSIStorageCapacity); c.StorageClassName == class {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *storagev1.CSIStorageCapacity) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return all
}

// segment compares a segment with a size, on the nodes that it covers.
func (p *pendingPod) segment(c *storagev1.CSIStorageCapacity, size resource.Quantity, on []string, covered map[string]bool) Segment {
	s := Segment{Name: c.Namespace + "/" + c.Name, Place: PlaceOfSelector(c.NodeTopology), most: &resource.Quantity{}}
	covers := coveredBy(c)
	for _, name := range on {
		if info := p.nodes[name]; info != nil && covers.Matches(labels.Set(info.Node().Labels)) {
			covered[name] = true
			s.Nodes++
		}
	}
	if most := volumebinding.VolumeLimit(c); most != nil {
		s.most, s.Most = most, most.String()
	} else {
		s.Most = "nothing"
	}
	if s.most.Cmp(size) < 0 {
		missing := size.DeepCopy()
		missing.Sub(*s.most)
		s.Short = missing.String()
	}
	return s
}

// coveredBy selects the nodes of a segment. As in the plugin, a segment without a selector has none.
func coveredBy(c *storagev1.CSIStorageCapacity) labels.Selector {
	if c.NodeTopology == nil {
		return labels.Nothing()
	}
	selector, err := metav1.LabelSelectorAsSelector(c.NodeTopology)
	if err != nil {
		return labels.Nothing()
	}
	return selector
}

// Facts implements Evidence.
func (e *StorageShort) Facts() []string {
	var facts []string
	for _, c := range e.Claims {
		var parts []string
		for _, s := range c.Segments[:min(len(c.Segments), maxListed)] {
			parts = append(parts, fmt.Sprintf("%s %s, %s short", s.Most, s.Place, s.Short))
		}
		if more := len(c.Segments) - maxListed; more > 0 {
			parts = append(parts, fmt.Sprintf("less in %d more", more))
		}
		if c.Unpublished > 0 {
			parts = append(parts, "nothing for "+plural.Count(c.Unpublished, "node"))
		}
		facts = append(facts, fmt.Sprintf("claim %s requests %s of class %s; %s publishes at most %s",
			c.Claim, c.Requested, c.Class, c.Provisioner, strings.Join(parts, "; ")))
	}
	return facts
}

// Hint implements Evidence.
func (e *StorageShort) Hint() string {
	if len(e.Claims) != 1 || len(e.Claims[0].Segments) == 0 {
		return ""
	}
	s := &e.Claims[0].Segments[0]
	return fmt.Sprintf("would fit with %s more storage of class %s %s", s.Short, e.Claims[0].Class, s.Place)
}
