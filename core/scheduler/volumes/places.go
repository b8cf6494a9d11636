package volumes

import (
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/safe/plural"
)

// PlaceOf says where a volume is by its node affinity: "in zone-b", "on node n1"; empty if it is anywhere.
func PlaceOf(pv *v1.PersistentVolume) string {
	affinity := pv.Spec.NodeAffinity
	if affinity == nil || affinity.Required == nil {
		return ""
	}
	var terms []string
	for i := range affinity.Required.NodeSelectorTerms {
		if text := placeOfTerm(affinity.Required.NodeSelectorTerms[i].MatchExpressions); !slices.Contains(terms, text) {
			terms = append(terms, text)
		}
	}
	return strings.Join(terms, " or ")
}

// placeOfTerm takes the smallest place of a term: a node rather than a zone, a zone rather than a region.
func placeOfTerm(requirements []v1.NodeSelectorRequirement) string {
	for _, is := range []func(string) bool{isHostKey, isZoneKey, isRegionKey} {
		for _, r := range requirements {
			if r.Operator == v1.NodeSelectorOpIn && is(r.Key) {
				return PlaceText(r.Key, r.Values)
			}
		}
	}
	parts := make([]string, len(requirements))
	for i, r := range requirements {
		parts[i] = r.Key + " " + string(r.Operator) + " (" + plural.Listed(r.Values) + ")"
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

// PlaceOfClass says where a class makes volumes; empty if anywhere.
func PlaceOfClass(class *storagev1.StorageClass) string {
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

// PlaceText names a place by the value of a node label. CSI drivers have keys of their own for nodes and zones.
func PlaceText(key string, values []string) string {
	switch {
	case isHostKey(key):
		return "on node " + plural.Listed(values)
	case isZoneKey(key):
		named := slices.Clone(values)
		for i := range named {
			named[i] = ZoneName(named[i])
		}
		return "in " + plural.Listed(named)
	case isRegionKey(key):
		return "in region " + plural.Listed(values)
	}
	return "on nodes with " + key + " In (" + plural.Listed(values) + ")"
}

func isHostKey(key string) bool {
	return strings.HasSuffix(key, "/hostname") || strings.HasSuffix(key, "/node")
}
func isZoneKey(key string) bool   { return strings.HasSuffix(key, "/zone") }
func isRegionKey(key string) bool { return strings.HasSuffix(key, "/region") }

// ZoneName names a zone so that a reader knows it for one: "zone b", and "zone-b" as it is.
func ZoneName(zone string) string {
	if strings.Contains(zone, "zone") {
		return zone
	}
	return "zone " + zone
}
