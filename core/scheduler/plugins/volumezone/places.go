package volumezone

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// topologyKeys are the labels that are read, with the key of today for each.
var topologyKeys = []struct{ key, current string }{
	{v1.LabelFailureDomainBetaZone, v1.LabelTopologyZone},
	{v1.LabelFailureDomainBetaRegion, v1.LabelTopologyRegion},
	{v1.LabelTopologyZone, v1.LabelTopologyZone},
	{v1.LabelTopologyRegion, v1.LabelTopologyRegion},
}

// place is one label of a volume: a node has to have one of the values under one of the keys.
type place struct {
	key, current string
	values       []string // sorted, each once
}

// places are the labels of all volumes of a pod.
type places []place

// Clone returns the places themselves: nothing changes them.
func (p places) Clone() fwk.StateData { return p }

// separator stands between the zones of a volume that is in several.
const separator = "__"

// placesOfVolume reads a volume's labels, in the order of topologyKeys. A label with an empty value between separators has no
// meaning and is left out.
func placesOfVolume(pv *v1.PersistentVolume) places {
	var all places
	for _, k := range topologyKeys {
		label, has := pv.Labels[k.key]
		if !has {
			continue
		}
		values := strings.Split(label, separator)
		for i := range values {
			values[i] = strings.TrimSpace(values[i])
		}
		if slices.Contains(values, "") {
			continue
		}
		slices.Sort(values)
		all = append(all, place{k.key, k.current, slices.Compact(values)})
	}
	return all
}

// Zones returns the zones and regions that a volume's labels name; nodes elsewhere are rejected.
func Zones(pv *v1.PersistentVolume) (zones, regions []string) {
	for _, p := range placesOfVolume(pv) {
		if p.current == v1.LabelTopologyZone {
			zones = p.values
		} else {
			regions = p.values
		}
	}
	return zones, regions
}

// Includes returns whether a node with some labels is where a volume's labels say that the volume is.
func Includes(pv *v1.PersistentVolume) func(node map[string]string) bool {
	return placesOfVolume(pv).include
}

func (p place) equal(other place) bool {
	return p.key == other.key && slices.Equal(p.values, other.values)
}

// include reports whether a node with these labels is in all places. A node without a topology label is everywhere.
func (p places) include(labels map[string]string) bool {
	if !hasTopology(labels) {
		return true
	}
	for i := range p {
		value, has := labels[p[i].key]
		if !has {
			value, has = labels[p[i].current]
		}
		if !has || !slices.Contains(p[i].values, value) {
			return false
		}
	}
	return true
}

func hasTopology(labels map[string]string) bool {
	for i := range topologyKeys {
		if _, has := labels[topologyKeys[i].key]; has {
			return true
		}
	}
	return false
}
