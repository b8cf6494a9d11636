package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/world"
)

// ClaimState is what a claim is for the pod that names it.
type ClaimState string

// The states, those that reject a pod on every node first.
const (
	ClaimMissing       ClaimState = "missing"
	ClaimLost          ClaimState = "lost"
	ClaimTerminating   ClaimState = "terminating"
	ClaimForeign       ClaimState = "foreign" // an ephemeral volume's, made for another pod
	ClaimUnbound       ClaimState = "unbound" // it has to be bound before its pod is placed
	ClaimVolumeMissing ClaimState = "volumeMissing"
	ClaimProvisioning  ClaimState = "provisioning" // for the node that was selected
	ClaimDelayed       ClaimState = "delayed"      // it is bound when its pod has a node
	ClaimBound         ClaimState = "bound"
)

// ClaimLink is one claim of a pod, with its class and its volume.
type ClaimLink struct {
	// Volume is its name in the pod, Claim its own.
	Volume    string     `json:"volume"`
	Claim     string     `json:"claim"`
	Ephemeral bool       `json:"ephemeral,omitempty"`
	State     ClaimState `json:"state"`
	// Requested is the size, AccessModes are the requested ones.
	Requested   string                          `json:"requested,omitempty"`
	AccessModes []v1.PersistentVolumeAccessMode `json:"accessModes,omitempty"`
	// Says is what the claim says about itself, WaitsFor who has to act next, and Since when it waits.
	Says     string     `json:"message"`
	WaitsFor string     `json:"waitsFor,omitempty"`
	Since    *time.Time `json:"since,omitempty"`

	Class            *ClassLink  `json:"class,omitempty"`
	PersistentVolume *VolumeLink `json:"persistentVolume,omitempty"`

	object *v1.PersistentVolumeClaim
	class  *storagev1.StorageClass
}

// ClassLink is the class of a claim.
type ClassLink struct {
	Name        string `json:"name"`
	Provisioner string `json:"provisioner,omitempty"`
	BindingMode string `json:"bindingMode,omitempty"`
	Says        string `json:"message"`
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

// Chain returns the chain of a pod without the reasons against nodes, which takes an explanation; nil for a pod without claims.
func Chain(e *engine.Engine, pod *v1.Pod) *Storage {
	if links := newPendingPod(e, pod).claimLinks(); len(links) > 0 {
		return &Storage{Claims: links}
	}
	return nil
}

// claimLinks returns the pod's claims in its order.
func (p *pendingPod) claimLinks() []ClaimLink {
	if p.claims == nil {
		for i := range p.pod.Spec.Volumes {
			v := &p.pod.Spec.Volumes[i]
			if claim, is := world.ClaimOf(p.pod, v); is {
				p.claims = append(p.claims, p.claimLink(v, claim))
			}
		}
	}
	return p.claims
}

func (p *pendingPod) claimLink(v *v1.Volume, claim string) ClaimLink {
	l := ClaimLink{Volume: v.Name, Claim: claim, Ephemeral: v.Ephemeral != nil}
	l.object = p.engine.Volumes().Claim(p.pod.Namespace, l.Claim)
	if l.object == nil {
		p.describeMissing(&l)
		return l
	}
	r := claimReader{engine: p.engine, pod: p.pod, users: p.usersOf, nearest: p.nearestText}
	r.describe(&l)
	if pv := p.engine.Volumes().Volume(l.object.Spec.VolumeName); pv != nil && volumebinding.IsBound(l.object) {
		l.PersistentVolume = p.volumeLink(pv)
		if l.State == ClaimBound && l.PersistentVolume.Place != "" {
			l.Says += ", which is " + l.PersistentVolume.Place
		}
	}
	return l
}

func (p *pendingPod) volumeLink(pv *v1.PersistentVolume) *VolumeLink {
	l := &VolumeLink{Name: pv.Name, Place: PlaceOf(pv)}
	if size, has := pv.Spec.Capacity[v1.ResourceStorage]; has {
		l.Capacity = size.String()
	}
	reaches := p.reaches(pv)
	for name := range p.nodes {
		if reaches(name) {
			l.Reaches++
		}
	}
	says := []string{}
	if l.Place != "" {
		says = append(says, "is "+l.Place)
	}
	says = append(says, fmt.Sprintf("reaches %d of %s", l.Reaches, plural.Count(len(p.nodes), "node")))
	for o := range p.engine.Store().Objects(world.VolumeAttachment) {
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
		l.Says += sinceText(since)
	}
	if problem != nil {
		l.Error = problem.Message
		l.Says += " (" + problem.Message + ")"
	}
	return l
}

func sinceText(t time.Time) string { return " since " + t.UTC().Format(time.RFC3339) }

// Links are the links of the chain, from the claims to the nodes. What was said already, such as in a summary, is not said
// again, and neither is a class of several claims.
func (s *Storage) Links(said string) []Link {
	var links []Link
	classes := map[string]bool{}
	for i := range s.Claims {
		l := &s.Claims[i]
		claim := Link{Says: l.described(), Bad: len(troubled(s.Claims[i:i+1])) > 0}
		if l.object != nil && strings.Contains(said, l.text()) {
			claim.Says = "claim " + l.Claim + " (" + l.asks() + ")"
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
	if s.Nodes > 0 && (s.Says == "" || !strings.Contains(said, s.Says)) {
		links = append(links, Link{Says: s.nodesLine()})
	}
	return links
}

// Lines are the links of the chain in words, from the claims to the nodes.
func (s *Storage) Lines() []string {
	var lines []string
	for i := range s.Claims {
		l := &s.Claims[i]
		lines = append(lines, l.described())
		if l.Class != nil {
			lines = append(lines, "class "+l.Class.Name+" "+l.Class.Says)
		}
		if pv := l.PersistentVolume; pv != nil {
			lines = append(lines, "volume "+pv.Name+" "+pv.Says)
		}
	}
	if s.Nodes > 0 {
		lines = append(lines, s.nodesLine())
	}
	return lines
}

// nodesLine says on how many nodes storage lets the pod run, and why not on those.
func (s *Storage) nodesLine() string {
	line := fmt.Sprintf("nodes: storage allows %d of %d", s.Allowed, s.Nodes)
	if len(s.Blocked) > 0 {
		line += ": " + blockedText(s.Allowed, s.Blocked)
	}
	return line
}
