package diagnose

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"orrery/core/objects/csimigration"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/scheduler/plugins/volumezone"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// VolumesElsewhere are the volumes of bound claims that do not reach the nodes.
type VolumesElsewhere struct {
	Volumes []ElsewhereVolume `json:"volumes"`
	// Rejected counts the nodes without a volume, Zones says where they are.
	Rejected int    `json:"rejected"`
	Zones    string `json:"zones,omitempty"`
	Nodes    int    `json:"nodes"`

	only int
}

// ElsewhereVolume is a bound claim with the place of its volume; Reaches counts the nodes of all that can use it.
type ElsewhereVolume struct {
	Claim   string `json:"claim"`
	Says    string `json:"message"`
	Volume  string `json:"volume"`
	Place   string `json:"place,omitempty"`
	Reaches int    `json:"reaches"`
}

func (p *pendingPod) elsewhere(on, only []string) Evidence {
	e := &VolumesElsewhere{Rejected: len(on), Zones: p.zonesText(on), Nodes: len(p.nodes), only: len(only)}
	for _, l := range p.claimLinks() {
		switch {
		case l.State == ClaimVolumeMissing:
			e.Volumes = append(e.Volumes, ElsewhereVolume{Claim: l.Claim, Says: l.Says, Volume: l.object.Spec.VolumeName})
		case l.PersistentVolume != nil && l.PersistentVolume.Reaches < len(p.nodes):
			e.Volumes = append(e.Volumes, ElsewhereVolume{l.Claim, l.Says, l.PersistentVolume.Name, l.PersistentVolume.Place, l.PersistentVolume.Reaches})
		}
	}
	return e
}

// reaches returns whether both plugins that look at a volume's place let a node use it.
func (p *pendingPod) reaches(pv *v1.PersistentVolume) func(node string) bool {
	included, reach := volumezone.Includes(pv), volumes.ReachOf(pv)
	inTree, portworx := csimigration.PluginOf(pv) != "", p.engine.Features().Enabled(config.CSIMigrationPortworx)
	return func(node string) bool {
		info := p.nodes[node]
		if info == nil {
			return false
		}
		on, err := reach, error(nil)
		if inTree {
			csiNode, _ := p.engine.Store().Object(world.CSINode, "", node).(*storagev1.CSINode)
			on, err = volumebinding.ReachOn(pv, csiNode, portworx)
		}
		return err == nil && on.Check(info.Node().Labels) == nil && included(info.Node().Labels)
	}
}

// Facts implements Evidence.
func (e *VolumesElsewhere) Facts() []string {
	var facts []string
	for _, v := range e.Volumes {
		fact := "claim " + v.Claim + " " + v.Says
		if v.Place != "" || v.Reaches > 0 {
			fact += fmt.Sprintf(": %d of %s can use it", v.Reaches, plural.Count(e.Nodes, "node"))
		}
		facts = append(facts, fact)
	}
	if len(facts) > 0 && e.Zones != "" {
		facts = append(facts, "the others: "+e.Zones)
	}
	return facts
}

// Hint implements Evidence.
func (e *VolumesElsewhere) Hint() string {
	if e.only == 0 {
		return ""
	}
	text := plural.Count(e.only, "node") + " would fit but for the " + plural.Of(len(e.Volumes), "volume")
	return text + "; a volume does not move: its data would have to be restored there"
}
