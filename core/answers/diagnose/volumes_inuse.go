package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/plugins/nodevolumelimits"
	"orrery/core/scheduler/plugins/volumerestrictions"
)

// ClaimHolders are the pods that use claims of which one pod at a time may: those of mode ReadWriteOncePod.
type ClaimHolders struct {
	Holders []ClaimHolder `json:"holders"`
}

// ClaimHolder is a pod on a node that uses a claim.
type ClaimHolder struct {
	Claim string `json:"claim"`
	Pod   string `json:"pod"` // namespace/name
	Node  string `json:"node"`
	// Terminating says that the pod is being deleted.
	Terminating bool `json:"terminating,omitempty"`
}

func (p *pendingPod) claimHolders() Evidence {
	e := &ClaimHolders{}
	for _, l := range p.claimLinks() {
		if l.Ephemeral || !slices.Contains(l.AccessModes, v1.ReadWriteOncePod) {
			continue
		}
		for _, pod := range p.holdersOf(l.Claim) {
			e.Holders = append(e.Holders, ClaimHolder{l.Claim, fullName(pod), pod.Spec.NodeName, pod.DeletionTimestamp != nil})
		}
	}
	return e
}

// Facts implements Evidence.
func (e *ClaimHolders) Facts() []string {
	var facts []string
	for _, h := range e.Holders {
		fact := fmt.Sprintf("claim %s is ReadWriteOncePod, and %s on %s uses it", h.Claim, h.Pod, h.Node)
		if h.Terminating {
			fact += ", which is terminating"
		}
		facts = append(facts, fact)
	}
	return facts
}

// Hint implements Evidence.
func (e *ClaimHolders) Hint() string { return "would fit once " + e.Holders[0].Pod + " has ended" }

// DiskHolders are the pods on the nodes that use a disk of the pod.
type DiskHolders struct {
	Holders []DiskHolder `json:"holders"`
}

// DiskHolder is a pod that uses a disk, named by the volume of the pending pod.
type DiskHolder struct {
	Volume string `json:"volume"`
	Disk   string `json:"disk"`
	Pod    string `json:"pod"` // namespace/name
	Node   string `json:"node"`
}

func (p *pendingPod) diskHolders(on []string) Evidence {
	e := &DiskHolders{}
	for _, name := range on {
		info := p.nodes[name]
		if info == nil {
			continue
		}
		for _, other := range info.GetPods() {
			if v := volumerestrictions.Conflict(p.pod, other.GetPod()); v != nil {
				e.Holders = append(e.Holders, DiskHolder{v.Name, diskText(&v.VolumeSource), fullName(other.GetPod()), name})
			}
		}
	}
	return e
}

func diskText(s *v1.VolumeSource) string {
	switch {
	case s.GCEPersistentDisk != nil:
		return "GCE persistent disk " + s.GCEPersistentDisk.PDName
	case s.AWSElasticBlockStore != nil:
		return "EBS volume " + s.AWSElasticBlockStore.VolumeID
	case s.ISCSI != nil:
		return "iSCSI target " + s.ISCSI.IQN
	case s.RBD != nil:
		return "RBD image " + s.RBD.RBDPool + "/" + s.RBD.RBDImage
	}
	return "disk"
}

// Facts implements Evidence.
func (e *DiskHolders) Facts() []string {
	var holders []string
	for _, h := range e.Holders {
		holders = append(holders, fmt.Sprintf("%s on %s by %s", h.Disk, h.Node, h.Pod))
	}
	if len(holders) == 0 {
		return nil
	}
	return []string{"disks in use: " + listed(holders)}
}

// Hint implements Evidence.
func (e *DiskHolders) Hint() string {
	return "would fit on " + e.Holders[0].Node + " once " + e.Holders[0].Pod + " has ended"
}

// VolumeLimits are the nodes where a CSI driver cannot attach the pod's volumes.
type VolumeLimits struct {
	// Nodes begin with the one that has the fewest volumes too many.
	Nodes []VolumeLimit `json:"nodes"`
}

// VolumeLimit is how many volumes of a driver a node has, can have, and would get with the pod.
type VolumeLimit struct {
	Node     string `json:"node"`
	Driver   string `json:"driver"`
	Attached int64  `json:"attached"`
	Limit    int64  `json:"limit"`
	Added    int64  `json:"added"`
}

func (l VolumeLimit) excess() int64 { return l.Attached + l.Added - l.Limit }

func (p *pendingPod) volumeLimits(on []string) Evidence {
	e := &VolumeLimits{}
	counter := nodevolumelimits.NewCounter(p.engine.Profile(p.pod.Spec.SchedulerName), p.engine.Features(), p.pod)
	for _, name := range on {
		if p.nodes[name] == nil {
			continue
		}
		for _, c := range counter.On(p.nodes[name]) {
			if c.Exceeded() {
				e.Nodes = append(e.Nodes, VolumeLimit{name, c.Driver, c.Attached, c.Limit, c.Added})
			}
		}
	}
	slices.SortStableFunc(e.Nodes, func(a, b VolumeLimit) int {
		return cmp.Or(cmp.Compare(a.excess(), b.excess()), cmp.Compare(a.Node, b.Node))
	})
	return e
}

// Facts implements Evidence.
func (e *VolumeLimits) Facts() []string {
	var facts []string
	for _, l := range e.Nodes[:min(len(e.Nodes), maxListed)] {
		facts = append(facts, fmt.Sprintf("%s has %d of %d volumes of %s, and the pod adds %d", l.Node, l.Attached, l.Limit, l.Driver, l.Added))
	}
	if more := len(e.Nodes) - maxListed; more > 0 {
		facts = append(facts, plural.Count(more, "more node")+" like these")
	}
	return facts
}

// Hint implements Evidence.
func (e *VolumeLimits) Hint() string {
	l := &e.Nodes[0]
	return fmt.Sprintf("would fit on %s with %s of %s less there", l.Node, plural.Count(int(l.excess()), "volume"), l.Driver)
}
