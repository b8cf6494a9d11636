package trace

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
)

// learn adds the compounds that an object tells of: the claims of a pod's ephemeral volumes, which a claim tells of by its owner as
// well, and the zones of a GCE disk, in which its driver finds the region.
func (h *NameHasher) learn(o world.Object) {
	switch o := o.(type) {
	case *v1.Pod:
		for i := range o.Spec.Volumes {
			if v := &o.Spec.Volumes[i]; v.Ephemeral != nil {
				h.learnCompound(o.Name, v.Name)
			}
		}
	case *v1.PersistentVolumeClaim:
		owner := metav1.GetControllerOfNoCopy(o)
		if owner == nil || owner.Kind != string(world.Pod) {
			return
		}
		if volume, ok := strings.CutPrefix(o.Name, owner.Name+"-"); ok {
			h.learnCompound(owner.Name, volume)
		}
	case *v1.PersistentVolume:
		if o.Spec.GCEPersistentDisk != nil {
			h.learnZones(o.Labels[v1.LabelTopologyZone])
			h.learnZones(o.Labels[v1.LabelFailureDomainBetaZone])
		}
	}
}

// learnZones learns zones such as us-central1-a, of which the first two parts are the region. Of one zone no region is read.
func (h *NameHasher) learnZones(label string) {
	zones := strings.Split(label, placeSeparator)
	if len(zones) < 2 {
		return
	}
	for _, zone := range zones {
		parts := strings.Split(zone, "-")
		const ofZone = 3
		if len(parts) == ofZone {
			region := parts[0] + "-" + parts[1]
			h.learnCompound(parts[0], parts[1])
			h.learnCompound(region, parts[2])
		}
	}
}

func (h *NameHasher) learnCompound(base, rest string) {
	if h.order == nil && h.compounds.add(base, rest) {
		delete(h.cache, base+"-"+rest) // it was hashed as one name
	}
}
