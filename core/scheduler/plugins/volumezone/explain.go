package volumezone

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/podvolumes"
	"orrery/core/scheduler/volumes"
)

var _ framework.Explainer = (*VolumeZone)(nil)

// OtherZone is the reason code of nodes outside the zones that a volume's labels name.
const OtherZone = "volume-zone"

// ReasonCodes are the codes of the plugin.
var ReasonCodes = []framework.ReasonCode{
	{Code: OtherZone, Means: "the labels of a volume name other zones or regions", Fields: []string{"about", "wants", "objects"}},
}

// Explain names the volumes that are elsewhere.
func (pl *VolumeZone) Explain(_ context.Context, _ fwk.CycleState, pod *v1.Pod, rejected framework.Rejection) []framework.Evidence {
	if len(rejected.Nodes) == 0 {
		return podvolumes.Troubles(podvolumes.Reader(pl.state, pod, rejected.All), &rejected)
	}
	e := framework.Evidence{Code: OtherZone, Message: ReasonOtherZone, Nodes: rejected.Names()}
	var all []podvolumes.Elsewhere
	for name := range podvolumes.Claims(pod) {
		claim, err := pl.claims.PersistentVolumeClaims(pod.Namespace).Get(name)
		if err != nil || claim.Spec.VolumeName == "" {
			continue
		}
		pv, err := pl.volumes.Get(claim.Spec.VolumeName)
		if err != nil {
			continue
		}
		v, included := podvolumes.Elsewhere{Claim: name, Volume: pv.Name, Place: PlaceOf(pv)}, Includes(pv)
		for _, info := range rejected.All {
			if included(info.Node().Labels) {
				v.Reaches++
			}
		}
		if v.Reaches < len(rejected.All) {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return nil
	}
	podvolumes.DescribeElsewhere(&e, all, &rejected)
	return []framework.Evidence{e}
}

// PlaceOf says where a volume is, by its node affinity or else its labels: "in zone-b", "on node n1"; empty if it is anywhere.
func PlaceOf(pv *v1.PersistentVolume) string {
	if pv.Spec.NodeAffinity != nil && pv.Spec.NodeAffinity.Required != nil {
		return volumes.PlaceOf(pv)
	}
	switch zones, regions := Zones(pv); {
	case len(zones) > 0:
		return volumes.PlaceText(v1.LabelTopologyZone, zones)
	case len(regions) > 0:
		return volumes.PlaceText(v1.LabelTopologyRegion, regions)
	}
	return ""
}
