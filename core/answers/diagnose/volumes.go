package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/csimigration"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/podvolumes"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/scheduler/plugins/volumezone"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// Storage is the chain from a pod over its claims, their classes and volumes to the nodes that the volumes reach, with what
// each link says. Why nodes are rejected for it the plugins say.
type Storage struct {
	Claims []ClaimLink `json:"claims"`
	// Nodes were filtered; on Allowed of them the volumes can be used, or be made.
	Nodes   int `json:"nodes"`
	Allowed int `json:"allowed"`
}

// ClaimLink is one claim of a pod, with its class and its volume.
type ClaimLink struct {
	volumes.ClaimLink
	PersistentVolume *VolumeLink `json:"persistentVolume,omitempty"`
}

// VolumeLink is the volume that a claim is bound to.
type VolumeLink struct {
	Name     string `json:"name"`
	Capacity string `json:"capacity,omitempty"`
	// Place says where it is, and Reaches on how many of the nodes it can be used.
	Place       string           `json:"place,omitempty"`
	Reaches     int              `json:"reaches"`
	Attachments []AttachmentLink `json:"attachments,omitempty"`
	Says        string           `json:"message"`
}

// AttachmentLink is a VolumeAttachment of a volume.
type AttachmentLink struct {
	Node     string     `json:"node"`
	Attacher string     `json:"attacher"`
	Attached bool       `json:"attached"`
	Since    *time.Time `json:"since,omitempty"`
	Error    string     `json:"error,omitempty"`
	Says     string     `json:"message"`
}

// Chain returns the chain of a pod without the nodes that it allows, which takes an explanation; nil for a pod without claims.
func Chain(e *engine.Engine, pod *v1.Pod) *Storage {
	if !podvolumes.UsesClaims(pod) {
		return nil
	}
	nodes := nodesOf(e)
	r := podvolumes.Reader(e.Volumes(), pod, nodes)
	r.AttributesClass = e.Features().Enabled(config.VolumeAttributesClass)
	s := &Storage{}
	for _, of := range r.OfPod() {
		s.Claims = append(s.Claims, withVolume(e, of, nodes))
	}
	return s
}

// chainOfClaim returns the chain of a claim alone.
func chainOfClaim(e *engine.Engine, claim *v1.PersistentVolumeClaim) *Storage {
	r := volumes.ClaimReader{State: e.Volumes(), AttributesClass: e.Features().Enabled(config.VolumeAttributesClass)}
	return &Storage{Claims: []ClaimLink{withVolume(e, r.Of(claim), nodesOf(e))}}
}

func nodesOf(e *engine.Engine) []fwk.NodeInfo {
	var nodes []fwk.NodeInfo
	for info := range e.Cache().RecentlyChanged() {
		if info.Node() != nil {
			nodes = append(nodes, info)
		}
	}
	return nodes
}

func withVolume(e *engine.Engine, of volumes.ClaimLink, nodes []fwk.NodeInfo) ClaimLink {
	l := ClaimLink{ClaimLink: of}
	if l.State == volumes.ClaimBound || l.State == volumes.ClaimTerminating && volumes.IsBound(l.Object) {
		l.PersistentVolume = volumeLink(e, e.Volumes().Volume(l.Object.Spec.VolumeName), nodes)
	}
	return l
}

// storage returns the chain of the pod.
func (p *pendingPod) storage(x *engine.Explanation) *Storage {
	s := Chain(p.engine, p.pod)
	if s == nil {
		return nil
	}
	s.Nodes = len(x.Nodes)
	for i := range x.Nodes {
		if !slices.ContainsFunc(x.RejectedBy(x.Nodes[i].Node), func(by string) bool { return by == volumebinding.Name || by == volumezone.Name }) {
			s.Allowed++
		}
	}
	return s
}

// volumeLink describes a volume; nil if there is none.
func volumeLink(e *engine.Engine, pv *v1.PersistentVolume, nodes []fwk.NodeInfo) *VolumeLink {
	if pv == nil {
		return nil
	}
	l := &VolumeLink{Name: pv.Name, Place: volumezone.PlaceOf(pv)}
	if size, has := pv.Spec.Capacity[v1.ResourceStorage]; has {
		l.Capacity = size.String()
	}
	reaches := reachesOf(e, pv)
	for _, info := range nodes {
		if reaches(info.Node()) {
			l.Reaches++
		}
	}
	var says []string
	if l.Place != "" {
		says = append(says, "is "+l.Place)
	}
	says = append(says, fmt.Sprintf("reaches %d of %s", l.Reaches, plural.Count(len(nodes), "node")))
	for o := range e.Store().Objects(world.VolumeAttachment) {
		a := o.(*storagev1.VolumeAttachment)
		if source := a.Spec.Source.PersistentVolumeName; source != nil && *source == pv.Name {
			l.Attachments = append(l.Attachments, AttachmentOf(a))
		}
	}
	slices.SortFunc(l.Attachments, func(a, b AttachmentLink) int { return strings.Compare(a.Node, b.Node) })
	for i := range l.Attachments[:min(len(l.Attachments), maxListed)] {
		says = append(says, l.Attachments[i].Says)
	}
	l.Says = strings.Join(says, ", ")
	return l
}

// reachesOf returns whether both plugins that look at a volume's place let a node use it.
func reachesOf(e *engine.Engine, pv *v1.PersistentVolume) func(*v1.Node) bool {
	included, reach := volumezone.Includes(pv), volumes.ReachOf(pv)
	inTree, portworx := csimigration.PluginOf(pv) != "", e.Features().Enabled(config.CSIMigrationPortworx)
	return func(node *v1.Node) bool {
		on, err := reach, error(nil)
		if inTree {
			csiNode, _ := e.Store().Object(world.CSINode, "", node.Name).(*storagev1.CSINode)
			on, err = volumebinding.ReachOn(pv, csiNode, portworx)
		}
		return err == nil && on.Check(node.Labels) == nil && included(node.Labels)
	}
}

// AttachmentOf describes an attachment.
func AttachmentOf(a *storagev1.VolumeAttachment) AttachmentLink {
	l := AttachmentLink{Node: a.Spec.NodeName, Attacher: a.Spec.Attacher, Attached: a.Status.Attached}
	at, problem := a.CreationTimestamp, a.Status.AttachError
	switch {
	case a.DeletionTimestamp != nil:
		at, problem = *a.DeletionTimestamp, a.Status.DetachError
		l.Says = "is being detached from " + l.Node + " by " + l.Attacher
	case l.Attached:
		l.Says = "is attached to " + l.Node + " by " + l.Attacher
	default:
		l.Says = "waits for attacher " + l.Attacher + " to attach it to " + l.Node
	}
	if !at.IsZero() {
		since := at.UTC()
		l.Since = &since
		l.Says += volumes.SinceText(since)
	}
	if problem != nil {
		l.Error = problem.Message
		l.Says += " (" + problem.Message + ")"
	}
	return l
}

// Links are the links of the chain, from the claims to the nodes. What was said already, such as in a summary, is not said
// again, and neither is a class of several claims.
func (s *Storage) Links(said string) []Link {
	var links []Link
	classes := map[string]bool{}
	for i := range s.Claims {
		l := &s.Claims[i]
		claim := Link{Says: l.Text(), Bad: l.Troubled()}
		if l.Object != nil {
			claim.Says = "claim " + l.Claim + " (" + l.Asks() + ")"
			if said != l.Text() {
				claim.Says += " " + l.Story()
			}
		}
		links = append(links, claim)
		if l.Class != nil && !classes[l.Class.Name] {
			classes[l.Class.Name] = true
			links = append(links, Link{Depth: 1, Says: "class " + l.Class.Name + " " + l.Class.Says})
		}
		if pv := l.PersistentVolume; pv != nil {
			links = append(links, Link{Depth: 1, Says: "volume " + pv.Name + " " + pv.Says})
		}
	}
	if s.Nodes > 0 {
		links = append(links, Link{Says: fmt.Sprintf("nodes: storage allows %d of %d", s.Allowed, s.Nodes)})
	}
	return links
}

// Lines are the links of the chain in words.
func (s *Storage) Lines() []string { return linesOf(s.Links("")) }

func linesOf(links []Link) []string {
	lines := make([]string, len(links))
	for i, l := range links {
		lines[i] = strings.Repeat("  ", l.Depth) + l.Says
	}
	return lines
}
