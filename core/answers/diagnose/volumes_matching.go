package diagnose

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/scheduler/volumes"
)

// NothingToBind is the claims that find no volume on the nodes and get none made there.
type NothingToBind struct {
	Claims []UnmatchedClaim `json:"claims"`

	only int
}

// UnmatchedClaim is what a claim requests, why no volume is made on the nodes, and the volumes that nearly suit.
type UnmatchedClaim struct {
	Claim     string `json:"claim"`
	Requested string `json:"requested,omitempty"`
	Class     string `json:"class,omitempty"`
	// Selected is the node for which its volume is being made.
	Selected string       `json:"selected,omitempty"`
	Why      string       `json:"why"`
	Nearest  []VolumeMiss `json:"nearest"`

	asks string
}

// VolumeMiss is a volume that a claim cannot have on the nodes.
type VolumeMiss struct {
	Volume string `json:"volume"`
	Why    string `json:"why"`
}

func (p *pendingPod) nothingToBind(on, only []string) Evidence {
	e := &NothingToBind{only: len(only)}
	links := p.claimLinks()
	for i := range links {
		l := &links[i]
		if l.State != ClaimDelayed && l.State != ClaimProvisioning {
			continue
		}
		if why := p.whyNoVolume(l, on); why != "" {
			c := UnmatchedClaim{Claim: l.Claim, Requested: l.Requested, Class: l.Class.Name, Why: why, Nearest: p.nearMisses(l, on), asks: l.asks()}
			if l.State == ClaimProvisioning {
				c.Selected, c.Nearest = l.object.Annotations[volume.AnnSelectedNode], nil
			}
			e.Claims = append(e.Claims, c)
		}
	}
	return e
}

// whyNoVolume says why a claim gets no volume made on some of the nodes where it finds none; empty if it does everywhere.
func (p *pendingPod) whyNoVolume(l *ClaimLink, on []string) string {
	if l.State == ClaimProvisioning {
		if node := l.object.Annotations[volume.AnnSelectedNode]; slices.ContainsFunc(on, func(n string) bool { return n != node }) {
			return l.says() + "; no other node is considered meanwhile"
		}
		return ""
	}
	matching, err := p.engine.Volumes().Match(l.object, p.engine.Features().Enabled(config.VolumeAttributesClass))
	if err != nil {
		return ""
	}
	without := slices.DeleteFunc(slices.Clone(on), func(name string) bool {
		return p.nodes[name] == nil || matching.On(p.nodes[name].Node().Labels, func(*v1.PersistentVolume) bool { return false }) != nil ||
			p.provisions(l.class, name)
	})
	switch {
	case len(without) == 0:
		return ""
	case !volumebinding.Provisions(l.class):
		return "class " + l.Class.Name + " has no provisioner: a PersistentVolume has to exist"
	}
	return "class " + l.Class.Name + " makes volumes only " + placeOfClass(l.class) + " (allowedTopologies)"
}

func (p *pendingPod) provisions(class *storagev1.StorageClass, node string) bool {
	return volumebinding.Provisions(class) && volumebinding.Allows(class, p.nodes[node].Node().Labels)
}

// asks says what a claim requests: "10Gi, ReadWriteOnce, of class fast".
func (l *ClaimLink) asks() string {
	var parts []string
	if l.Requested != "" {
		parts = append(parts, l.Requested)
	}
	parts = append(parts, modesText(l.AccessModes))
	if l.Class != nil {
		parts = append(parts, "of class "+l.Class.Name)
	}
	return strings.Join(parts, ", ")
}

func modesText(modes []v1.PersistentVolumeAccessMode) string {
	names := make([]string, len(modes))
	for i, mode := range modes {
		names[i] = string(mode)
	}
	return strings.Join(names, "+")
}

const (
	// maxMisfits is how many reasons a volume may have against it to be worth telling.
	maxMisfits = 2
	// maxLooked bounds the volumes to choose from.
	//
	//orrery:limit answers; volumes that a claim could have and are looked at; the others are not
	maxLooked = 16
)

// nearMisses are the volumes with the fewest reasons against them, nearest first. A volume that suits in all else may be
// out of reach of the nodes.
func (p *pendingPod) nearMisses(l *ClaimLink, nodes []string) []VolumeMiss {
	misses := []VolumeMiss{}
	all, err := p.engine.Volumes().Misfits(l.object, p.engine.Features().Enabled(config.VolumeAttributesClass), maxLooked)
	if err != nil {
		return misses
	}
	for _, m := range all {
		switch {
		case len(m.Why) > maxMisfits, len(misses) == maxListed:
			return misses
		case len(m.Why) > 0:
			misses = append(misses, VolumeMiss{m.Volume.Name, misfitsText(l, m)})
		case nodes != nil && !slices.ContainsFunc(nodes, p.reaches(m.Volume)):
			misses = append(misses, VolumeMiss{m.Volume.Name, "is " + PlaceOf(m.Volume)})
		case nodes != nil:
			misses = append(misses, VolumeMiss{m.Volume.Name, "goes to another claim of the pod"})
		}
	}
	return misses
}

func misfitsText(l *ClaimLink, m volumes.Misfits) string {
	texts := make([]string, len(m.Why))
	for i, why := range m.Why {
		texts[i] = misfitText(l, m.Volume, why)
	}
	return strings.Join(texts, " and ")
}

func misfitText(l *ClaimLink, pv *v1.PersistentVolume, why volumes.Misfit) string {
	switch why {
	case volumes.TooSmall:
		size, missing := pv.Spec.Capacity[v1.ResourceStorage], l.object.Spec.Resources.Requests[v1.ResourceStorage].DeepCopy()
		missing.Sub(size)
		return fmt.Sprintf("has %s, %s too small", size.String(), missing.String())
	case volumes.OtherClass:
		if name := volume.GetPersistentVolumeClass(pv); name != "" {
			return "is of class " + name
		}
		return "has no class"
	case volumes.OtherAccessModes:
		return "allows " + modesText(pv.Spec.AccessModes) + " only"
	case volumes.OtherLabels:
		return "lacks the labels that the claim selects"
	case volumes.OtherVolumeMode:
		return "has another volumeMode"
	case volumes.OtherAttributesClass:
		return "has another volumeAttributesClassName"
	case volumes.NotAvailable:
		return "is " + string(pv.Status.Phase)
	case volumes.OfOtherClaim:
		text := "is claimed by " + pv.Spec.ClaimRef.Namespace + "/" + pv.Spec.ClaimRef.Name
		if pv.Status.Phase == v1.VolumeReleased {
			text += ", which is gone (Released)"
		}
		return text
	}
	return "is being deleted"
}

func missesText(misses []VolumeMiss) string {
	texts := make([]string, len(misses))
	for i, m := range misses {
		texts[i] = m.Volume + " " + m.Why
	}
	return strings.Join(texts, "; ")
}

// Facts implements Evidence.
func (e *NothingToBind) Facts() []string {
	var facts []string
	for _, c := range e.Claims {
		if c.Selected != "" {
			facts = append(facts, "claim "+c.Claim+" "+c.Why)
			continue
		}
		facts = append(facts, "claim "+c.Claim+" requests "+c.asks+"; "+c.Why)
		if len(c.Nearest) > 0 {
			facts = append(facts, "nearest volumes: "+missesText(c.Nearest))
		}
	}
	return facts
}

// Hint implements Evidence.
func (e *NothingToBind) Hint() string {
	if e.only == 0 || len(e.Claims) != 1 {
		return ""
	}
	if e.Claims[0].Selected != "" {
		return fmt.Sprintf("would fit on %s without the annotation %s of claim %s", plural.Count(e.only, "node"), volume.AnnSelectedNode, e.Claims[0].Claim)
	}
	return fmt.Sprintf("would fit on %s with a PersistentVolume there for claim %s: %s", plural.Count(e.only, "node"), e.Claims[0].Claim, e.Claims[0].asks)
}
