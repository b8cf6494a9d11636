package volumebinding

import (
	"context"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/storage/volume"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/podvolumes"
	"orrery/core/scheduler/volumes"
)

var _ framework.Explainer = (*VolumeBinding)(nil)

// The reason codes of VolumeBinding, beside those of claims for which no node is feasible.
const (
	VolumeElsewhere = "volume-elsewhere"
	VolumeNone      = "volume-none"
	ClassElsewhere  = "class-elsewhere"
	NodeSelected    = "volume-being-made"
	StorageShort    = "storage-short"
)

// ReasonCodes are the codes of the plugin.
var ReasonCodes = append([]framework.ReasonCode{
	{Code: VolumeElsewhere, Means: "the volume of a claim does not reach the nodes", Fields: []string{"about", "wants", "objects"}},
	{Code: VolumeNone, Means: "no volume suits a claim there, and its class makes none", Fields: []string{"about", "wants", "missing", "changes"}},
	{Code: ClassElsewhere, Means: "the class of a claim makes volumes in other places only", Fields: []string{"about", "wants", "objects", "changes"}},
	{Code: NodeSelected, Means: "the volume of a claim is being made for another node", Fields: []string{"about", "wants", "objects"}},
	{Code: StorageShort, Means: "a claim is larger than the storage that its driver publishes", Fields: []string{"about", "amounts", "nearest", "changes"}},
}, podvolumes.ReasonCodes()...)

// explanation is about the nodes that the plugin rejects for a pod.
type explanation struct {
	*VolumeBinding
	cycle    *cycle
	reader   volumes.ClaimReader
	links    []volumes.ClaimLink
	rejected *framework.Rejection
}

// Explain chooses volumes on each node once more and says for which claim there is none.
func (pl *VolumeBinding) Explain(_ context.Context, state fwk.CycleState, pod *v1.Pod, rejected framework.Rejection) []framework.Evidence {
	x := &explanation{VolumeBinding: pl, reader: podvolumes.Reader(pl.volumes, pod, rejected.All), rejected: &rejected}
	x.reader.AttributesClass = pl.attributesClass
	var err error
	if x.cycle, err = readCycle(state); err != nil || x.cycle.claims == nil {
		return podvolumes.Troubles(x.reader, &rejected)
	}
	x.links = x.reader.OfPod()
	var elsewhere, missing []framework.RejectedNode
	var claims []*claimNodes
	for i := range rejected.Nodes {
		n := &rejected.Nodes[i]
		against, err := pl.choose(x.cycle, n.Node())
		if err != nil {
			continue
		}
		if against&volumeMissing != 0 {
			missing = append(missing, *n)
		}
		if against&volumeElsewhere != 0 {
			elsewhere = append(elsewhere, *n)
		}
		if against&(nothingToBind|notEnoughSpace) != 0 {
			claims = addNode(claims, x.failing(n.Name()), against&notEnoughSpace != 0, n)
		}
	}
	list := append(x.elsewhere(ReasonVolumeElsewhere, elsewhere), x.elsewhere(ReasonVolumeMissing, missing)...)
	for _, c := range claims {
		at := slices.IndexFunc(x.links, func(l volumes.ClaimLink) bool { return l.Claim == c.claim.Name })
		c.link = &x.links[at]
		switch e := (framework.Evidence{About: c.link.Claim, Nodes: c.Names(), Message: ReasonNothingToBind}); {
		case c.short:
			e.Message = ReasonNotEnoughSpace
			list = append(list, x.short(e, c))
		case c.claim.selected:
			list = append(list, x.selected(e, c))
		default:
			list = append(list, x.none(e, c))
		}
	}
	return list
}

// claimNodes are the nodes on which a claim is the first that gets no volume.
type claimNodes struct {
	framework.Rejection
	claim *delayedClaim
	short bool // for want of room
	link  *volumes.ClaimLink
}

func addNode(list []*claimNodes, claim *delayedClaim, short bool, n *framework.RejectedNode) []*claimNodes {
	at := slices.IndexFunc(list, func(c *claimNodes) bool { return c.claim == claim && c.short == short })
	if at < 0 {
		at, list = len(list), append(list, &claimNodes{claim: claim, short: short})
	}
	list[at].Nodes = append(list[at].Nodes, *n)
	return list
}

// failing is the claim that got no volume in the last choice, which was on the node.
func (x *explanation) failing(node string) *delayedClaim {
	claims, found := x.cycle.claims, &x.cycle.found
	var toProvision []*delayedClaim
	for _, c := range claims.delayed {
		switch {
		case c.selected && c.node != node:
			return c
		case c.selected:
			toProvision = append(toProvision, c)
		}
	}
	for _, c := range claims.bySize {
		if !slices.ContainsFunc(found.bindings, func(b binding) bool { return b.claim == c.PersistentVolumeClaim }) {
			toProvision = append(toProvision, c)
		}
	}
	return toProvision[len(found.provisions)]
}

// elsewhere is about the volumes of bound claims that do not reach every node.
func (x *explanation) elsewhere(message string, nodes []framework.RejectedNode) []framework.Evidence {
	if len(nodes) == 0 {
		return nil
	}
	var all []podvolumes.Elsewhere
	for i := range x.links {
		l := &x.links[i]
		if l.Object == nil || !volumes.IsBound(l.Object) {
			continue
		}
		v := podvolumes.Elsewhere{Claim: l.Claim, Volume: l.Object.Spec.VolumeName, Missing: l.State == volumes.ClaimVolumeMissing}
		if v.Missing != (message == ReasonVolumeMissing) {
			continue
		}
		if pv := x.volumes.Volume(v.Volume); pv != nil {
			v.Place = volumes.PlaceOf(pv)
			for _, info := range x.rejected.All {
				if x.reached(pv, info.Node()) {
					v.Reaches++
				}
			}
		}
		if v.Reaches < len(x.rejected.All) {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return nil
	}
	e := framework.Evidence{Code: VolumeElsewhere, Message: message}
	at := framework.Rejection{Nodes: nodes, All: x.rejected.All}
	e.Nodes = at.Names()
	podvolumes.DescribeElsewhere(&e, all, &at)
	return []framework.Evidence{e}
}

func (x *explanation) reached(pv *v1.PersistentVolume, node *v1.Node) bool {
	reach, err := x.reachOn(newBoundVolume(pv), node.Name)
	return err == nil && reach.Check(node.Labels) == nil
}

// selected is about a claim whose volume is being made for another node.
func (x *explanation) selected(e framework.Evidence, c *claimNodes) framework.Evidence {
	e.Code = NodeSelected
	e.Wants = "claim " + e.About + ", whose volume is being made for it"
	e.Sentence = c.link.Text() + "; no other node is considered meanwhile"
	e.Facts = []string{e.Sentence}
	e.Predicate = "cannot take claim " + e.About + ", whose volume is being made for " + c.claim.node
	e.Objects = []framework.Object{{Kind: "Node", Name: c.claim.node, Note: "annotation " + volume.AnnSelectedNode}}
	if alone := len(podvolumes.Alone(&c.Rejection)); alone > 0 {
		e.Hint = "would fit on " + plural.Count(alone, "node") + " without the annotation " + volume.AnnSelectedNode + " of claim " + e.About
	}
	return e
}

// none is about a claim for which no volume exists on the nodes, and for which none is made there.
func (x *explanation) none(e framework.Evidence, c *claimNodes) framework.Evidence {
	l, every := c.link, len(e.Nodes) == len(x.rejected.All)
	claim, why := "claim "+e.About+" ("+l.Asks()+")", "class "+l.Class.Name+" has no provisioner: a PersistentVolume has to exist"
	nearest := x.volumes.NearMisses(l.Object, x.attributesClass, func(pv *v1.PersistentVolume) string { return x.inTheWay(pv, c) })
	if e.Missing = nearest; volumes.Provisions(l.StorageClass) {
		place := volumes.PlaceOfClass(l.StorageClass)
		why = "class " + l.Class.Name + " makes volumes only " + place + " (allowedTopologies)"
		e.Code, e.Wants, e.Missing = ClassElsewhere, "volumes of class "+l.Class.Name+" ("+place+") for claim "+e.About, nil
		e.Predicate = e.Verb("is", "are") + " where class " + l.Class.Name + " makes no volume for claim " + e.About + " (only " + place + ")"
		e.Objects = []framework.Object{{Kind: "StorageClass", Name: l.Class.Name, Note: "allowedTopologies: " + place}}
		if every {
			e.Sentence = "class " + l.Class.Name + " makes volumes for claim " + e.About + " only " + place + " (allowedTopologies); no node is there"
		}
	} else {
		e.Code, e.Wants = VolumeNone, "a volume for claim "+e.About
		e.Predicate = e.Verb("has", "have") + " no volume for " + claim
		if every {
			e.Sentence = "no PersistentVolume suits " + claim + ", and its class has no provisioner"
			if len(nearest) > 0 {
				e.Sentence += "; nearest: " + strings.Join(nearest, "; ")
			}
		}
	}
	e.Facts = []string{"claim " + e.About + " requests " + l.Asks() + "; " + why}
	if len(nearest) > 0 {
		e.Facts = append(e.Facts, "nearest volumes: "+strings.Join(nearest, "; "))
	}
	if alone := podvolumes.Alone(&c.Rejection); len(alone) > 0 {
		e.Hint = "would fit on " + plural.Count(len(alone), "node") + " with a PersistentVolume there for claim " + e.About + ": " + l.Asks()
	}
	e.Changes = append(x.more(c, podvolumes.NewVolume(l), true), podvolumes.OtherClasses(&x.reader, l)...)
	return e
}

// inTheWay says why a volume that suits a claim is no use to it on the nodes.
func (x *explanation) inTheWay(pv *v1.PersistentVolume, c *claimNodes) string {
	for i := range c.Nodes {
		if x.reached(pv, c.Nodes[i].Node()) {
			return "goes to another claim of the pod"
		}
	}
	return "is " + volumes.PlaceOf(pv)
}

// maxMore bounds the places in which more storage is proposed.
//
//orrery:limit answers; zones or nodes for which more storage is proposed; the others are not
const maxMore = 2

// more proposes a change for the zones, or else the nodes, on which nothing else is in the way.
func (x *explanation) more(c *claimNodes, what string, onNode bool) []string {
	var changes []string
	for _, n := range podvolumes.Alone(&c.Rejection) {
		place := ""
		if zone := n.Node().Labels[v1.LabelTopologyZone]; zone != "" {
			place = " in " + zone
		} else if onNode {
			place = " on " + n.Name()
		}
		if change := what + place; c.link.Requested != "" && !slices.Contains(changes, change) {
			changes = append(changes, change)
		}
	}
	return changes[:min(len(changes), maxMore)]
}
