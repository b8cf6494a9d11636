package diagnose

import (
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/plugins/volumezone"
)

// PlaceOf says where a volume is, by its node affinity or else its labels: "in zone-b", "on node n1"; empty if it is
// anywhere.
func PlaceOf(pv *v1.PersistentVolume) string {
	if affinity := pv.Spec.NodeAffinity; affinity != nil && affinity.Required != nil {
		var terms []string
		for i := range affinity.Required.NodeSelectorTerms {
			if text := placeOfTerm(affinity.Required.NodeSelectorTerms[i].MatchExpressions); !slices.Contains(terms, text) {
				terms = append(terms, text)
			}
		}
		return strings.Join(terms, " or ")
	}
	switch zones, regions := volumezone.Zones(pv); {
	case len(zones) > 0:
		return placeText(v1.LabelTopologyZone, zones)
	case len(regions) > 0:
		return placeText(v1.LabelTopologyRegion, regions)
	}
	return ""
}

// placeOfTerm takes the smallest place of a term: a node rather than a zone, a zone rather than a region.
func placeOfTerm(requirements []v1.NodeSelectorRequirement) string {
	for _, is := range []func(string) bool{isHostKey, isZoneKey, isRegionKey} {
		for _, r := range requirements {
			if r.Operator == v1.NodeSelectorOpIn && is(r.Key) {
				return placeText(r.Key, r.Values)
			}
		}
	}
	parts := make([]string, len(requirements))
	for i, r := range requirements {
		parts[i] = r.Key + " " + string(r.Operator) + " (" + listed(r.Values) + ")"
	}
	return "on nodes with " + strings.Join(parts, " and ")
}

// PlaceOfSelector says where a segment of storage is; "anywhere" for a selector of all nodes.
func PlaceOfSelector(selector *metav1.LabelSelector) string {
	if selector == nil {
		return "nowhere"
	}
	var requirements []v1.NodeSelectorRequirement
	for _, key := range slices.Sorted(maps.Keys(selector.MatchLabels)) {
		requirements = append(requirements, v1.NodeSelectorRequirement{Key: key, Operator: v1.NodeSelectorOpIn, Values: []string{selector.MatchLabels[key]}})
	}
	for _, e := range selector.MatchExpressions {
		requirements = append(requirements, v1.NodeSelectorRequirement{Key: e.Key, Operator: v1.NodeSelectorOperator(e.Operator), Values: e.Values})
	}
	if len(requirements) == 0 {
		return "anywhere"
	}
	return placeOfTerm(requirements)
}

// placeOfClass says where a class makes volumes; empty if anywhere.
func placeOfClass(class *storagev1.StorageClass) string {
	var terms []string
	for _, t := range class.AllowedTopologies {
		var requirements []v1.NodeSelectorRequirement
		for _, e := range t.MatchLabelExpressions {
			requirements = append(requirements, v1.NodeSelectorRequirement{Key: e.Key, Operator: v1.NodeSelectorOpIn, Values: e.Values})
		}
		if len(requirements) > 0 {
			terms = append(terms, placeOfTerm(requirements))
		}
	}
	return strings.Join(terms, " or ")
}

// placeText names a place by the value of a node label. CSI drivers have keys of their own for nodes and zones.
func placeText(key string, values []string) string {
	switch {
	case isHostKey(key):
		return "on node " + listed(values)
	case isZoneKey(key):
		named := slices.Clone(values)
		for i := range named {
			named[i] = zoneName(named[i])
		}
		return "in " + listed(named)
	case isRegionKey(key):
		return "in region " + listed(values)
	}
	return "on nodes with " + key + " In (" + listed(values) + ")"
}

func isHostKey(key string) bool {
	return strings.HasSuffix(key, "/hostname") || strings.HasSuffix(key, "/node")
}
func isZoneKey(key string) bool   { return strings.HasSuffix(key, "/zone") }
func isRegionKey(key string) bool { return strings.HasSuffix(key, "/region") }

// zoneName names a zone so that a reader knows it for one: "zone b", and "zone-b" as it is.
func zoneName(zone string) string {
	if strings.Contains(zone, "zone") {
		return zone
	}
	return "zone " + zone
}

// zoneOf returns the zone that consists of just these nodes; empty if there is none.
func (p *pendingPod) zoneOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	zone := p.zone(names[0])
	if zone == "" {
		return ""
	}
	all := 0
	for name := range p.nodes {
		if p.zone(name) == zone {
			all++
		}
	}
	if all != len(names) || slices.ContainsFunc(names, func(name string) bool { return p.zone(name) != zone }) {
		return ""
	}
	return zone
}

func (p *pendingPod) zone(node string) string {
	if info := p.nodes[node]; info != nil {
		return info.Node().Labels[v1.LabelTopologyZone]
	}
	return ""
}

// zonesText counts nodes by zone: "zone-a 14, zone-c 14".
func (p *pendingPod) zonesText(names []string) string {
	counts := map[string]int{}
	for _, name := range names {
		if zone := p.zone(name); zone != "" {
			counts[zone]++
		}
	}
	parts := []string{}
	for _, zone := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, plural.Count(counts[zone], "node")+" in "+zoneName(zone))
	}
	return listed(parts)
}
