package volumerestrictions

import (
	"context"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/podvolumes"
)

var _ framework.Explainer = (*VolumeRestrictions)(nil)

// The reason codes of VolumeRestrictions.
const (
	DiskInUse  = "disk-in-use"
	ClaimInUse = "claim-in-use"
)

// ReasonCodes are the codes of the plugin.
var ReasonCodes = []framework.ReasonCode{
	{Code: DiskInUse, Means: "another pod uses a disk of the pod", Fields: []string{"objects", "changes"}},
	{Code: ClaimInUse, Means: "another pod uses a claim of mode ReadWriteOncePod", Fields: []string{"objects", "changes"}},
}

// Explain names the pods that use the pod's disks on the nodes, or its claims on any node.
func (pl *VolumeRestrictions) Explain(_ context.Context, _ fwk.CycleState, pod *v1.Pod, rejected framework.Rejection) []framework.Evidence {
	if len(rejected.Nodes) == 0 {
		return podvolumes.Troubles(podvolumes.Reader(pl.state, pod, rejected.All), &rejected)
	}
	disks := framework.Evidence{Code: DiskInUse, Message: ReasonDiskInUse}
	claims := framework.Evidence{Code: ClaimInUse, Message: ReasonClaimInUse}
	for i := range rejected.Nodes {
		n := &rejected.Nodes[i]
		if holders := diskHolders(pod, n); len(holders) > 0 {
			disks.Nodes, disks.Objects = append(disks.Nodes, n.Name()), append(disks.Objects, holders...)
		} else {
			claims.Nodes = append(claims.Nodes, n.Name())
		}
	}
	var list []framework.Evidence
	if len(disks.Nodes) > 0 {
		describeDisks(&disks)
		list = append(list, disks)
	}
	if len(claims.Nodes) > 0 {
		claims.Objects = pl.claimHolders(pod, rejected.All)
		describeClaims(&claims)
		list = append(list, claims)
	}
	return list
}

func diskHolders(pod *v1.Pod, n *framework.RejectedNode) []framework.Object {
	var holders []framework.Object
	for _, infos := range [][]fwk.PodInfo{n.GetPods(), n.Nominated} {
		for _, info := range infos {
			if v := conflict(pod, info.GetPod()); v != nil {
				holders = append(holders, framework.Object{
					Kind: "Pod", Name: framework.PodName(info.GetPod()), Node: n.Name(), Note: diskText(&v.VolumeSource), Nominated: info.GetPod().Spec.NodeName == "",
				})
			}
		}
	}
	return holders
}

// claimHolders are the pods that use claims of the pod which one pod at a time may use.
func (pl *VolumeRestrictions) claimHolders(pod *v1.Pod, all []fwk.NodeInfo) []framework.Object {
	exclusive, err := pl.exclusiveClaimsOf(pod)
	if err != nil {
		return nil
	}
	var holders []framework.Object
	for _, claim := range exclusive.names {
		for _, p := range podvolumes.Users(all, pod, claim) {
			holders = append(holders, framework.Object{Kind: "Pod", Name: framework.PodName(p), Node: p.Spec.NodeName, Note: "claim " + claim + terminating(p)})
		}
	}
	return holders
}

func terminating(pod *v1.Pod) string {
	if pod.DeletionTimestamp != nil {
		return ", terminating"
	}
	return ""
}

func describeDisks(e *framework.Evidence) {
	first := &e.Objects[0]
	var holders []string
	for _, o := range e.Objects {
		holders = append(holders, o.Note+" on "+o.Node+" by "+o.Name)
	}
	e.Facts = []string{"disks in use: " + framework.Listed(holders)}
	e.Predicate = e.Verb("has ", "have ") + first.Note + " in use by " + first.Name
	e.Hint = "would fit on " + first.Node + " once " + first.Name + " has ended"
	e.Changes = deletions(e.Objects)
}

func describeClaims(e *framework.Evidence) {
	if len(e.Objects) == 0 { // by the cache, a pod that is being bound
		e.Predicate = e.Verb("waits", "wait") + " for a claim of mode ReadWriteOncePod that another pod uses"
		return
	}
	for _, o := range e.Objects {
		claim, ending, _ := strings.Cut(o.Note, ",")
		fact := claim + " is ReadWriteOncePod, and " + o.Name + " on " + o.Node + " uses it"
		if ending != "" {
			fact += ", which is" + ending
		}
		e.Facts = append(e.Facts, fact)
	}
	first := &e.Objects[0]
	e.Sentence = e.Facts[0]
	e.Predicate = "cannot take it while " + first.Name + " on " + first.Node + " uses " + first.Note + " (ReadWriteOncePod)"
	e.Hint = "would fit once " + first.Name + " has ended"
	e.Changes = deletions(e.Objects)
}

func deletions(holders []framework.Object) []string {
	var changes []string
	for _, o := range holders {
		if c := "delete pod " + o.Name; !o.Nominated && !slices.Contains(changes, c) {
			changes = append(changes, c)
		}
	}
	return changes
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
