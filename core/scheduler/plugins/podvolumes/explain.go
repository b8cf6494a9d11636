package podvolumes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/volumes"
)

// codes are the reason codes of claims for which no node is feasible.
var codes = map[volumes.ClaimState]framework.ReasonCode{
	volumes.ClaimMissing:       {Code: "claim-missing", Means: "a claim does not exist (as any plugin that reads claims says)", Fields: []string{"about", "objects", "meant"}},
	volumes.ClaimLost:          {Code: "claim-lost", Means: "the volume of a claim is gone", Fields: []string{"about", "objects"}},
	volumes.ClaimTerminating:   {Code: "claim-terminating", Means: "a claim is being deleted", Fields: []string{"about", "objects"}},
	volumes.ClaimForeign:       {Code: "claim-foreign", Means: "another object has the name of an ephemeral volume's claim", Fields: []string{"about", "objects"}},
	volumes.ClaimUnbound:       {Code: "claim-unbound", Means: "a claim has to be bound before its pod is placed", Fields: []string{"about", "objects", "meant", "changes"}},
	volumes.ClaimVolumeMissing: {Code: "claim-volume-missing", Means: "a claim is bound to a volume that does not exist", Fields: []string{"about", "objects"}},
}

// ReasonCodes are the codes of claims for which no node is feasible.
func ReasonCodes() []framework.ReasonCode { return slices.Collect(maps.Values(codes)) }

// StateOf returns the state of volumes that a plugin's handle has; nil if it has none.
func StateOf(h fwk.Handle) *volumes.State {
	if has, ok := h.(framework.VolumeState); ok {
		return has.Volumes()
	}
	return nil
}

// Reader describes the claims of a pod.
func Reader(state *volumes.State, pod *v1.Pod, nodes []fwk.NodeInfo) volumes.ClaimReader {
	users := func(claim string) []string {
		var users []string
		for _, user := range Users(nodes, pod, claim) {
			users = append(users, framework.PodName(user)+" on "+user.Spec.NodeName)
		}
		return users
	}
	return volumes.ClaimReader{State: state, Pod: pod, Users: users}
}

// Users are the other pods on nodes that name a claim of the pod's namespace, by name.
func Users(nodes []fwk.NodeInfo, pod *v1.Pod, claim string) []*v1.Pod {
	var users []*v1.Pod
	for _, info := range nodes {
		for _, other := range info.GetPods() {
			p := other.GetPod()
			if p.Namespace == pod.Namespace && p.UID != pod.UID && slices.Contains(slices.Collect(Claims(p)), claim) {
				users = append(users, p)
			}
		}
	}
	slices.SortFunc(users, func(a, b *v1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return users
}

// Troubles are the pod's claims for which no node is feasible. Every plugin that reads claims rejects such a pod: the first one in words of
// its own.
func Troubles(r volumes.ClaimReader, rejected *framework.Rejection) []framework.Evidence {
	if r.State == nil || len(rejected.Reasons) == 0 {
		return nil
	}
	var list []framework.Evidence
	links := r.OfPod()
	for i := range links {
		l := &links[i]
		if !l.Troubled() {
			continue
		}
		e := framework.Evidence{
			Code: codes[l.State].Code, About: l.Claim, Message: rejected.Reasons[0], Sentence: l.Text(), Facts: []string{l.Text()}, Meant: l.Meant,
			Objects: []framework.Object{{Kind: "PersistentVolumeClaim", Name: r.Pod.Namespace + "/" + l.Claim, Note: l.Says}},
		}
		if l.Class != nil && l.StorageClass == nil {
			e.Objects = append(e.Objects, framework.Object{Kind: "StorageClass", Name: l.Class.Name, Note: l.Class.Says})
		}
		if l.State == volumes.ClaimUnbound && l.Object.Spec.VolumeName == "" {
			e.Changes = changesOf(&r, l)
		}
		list = append(list, e)
	}
	return list
}

// maxChanges bounds the changes of one kind.
//
//orrery:limit answers; changes of one kind that a volume plugin proposes; the others are not
const maxChanges = 2

// OtherClasses are the claims of other classes that make a volume: for one that waits for its pod, when the pod is placed.
func OtherClasses(r *volumes.ClaimReader, l *volumes.ClaimLink) []string {
	var changes []string
	for _, class := range r.Classes() {
		if l.Class != nil && class.Name == l.Class.Name || !volumes.Provisions(class) || l.Open() && !volumes.IsDelayed(class) {
			continue
		}
		changes = append(changes, "class "+r.Pod.Namespace+"/"+l.Claim+" "+class.Name)
	}
	return changes[:min(len(changes), maxChanges)]
}

// changesOf would bind a claim that does not wait for its pod: another class or, where no provisioner makes one, a volume.
func changesOf(r *volumes.ClaimReader, l *volumes.ClaimLink) []string {
	var changes []string
	if len(l.Meant) > 0 { // its class is mistyped
		for _, class := range l.Meant[:min(len(l.Meant), maxChanges)] {
			changes = append(changes, "class "+r.Pod.Namespace+"/"+l.Claim+" "+class)
		}
		return changes
	}
	changes = OtherClasses(r, l)
	if l.Requested != "" && volumes.SuitsPlain(l.Object) && (l.StorageClass == nil || !volumes.Provisions(l.StorageClass)) {
		changes = append(changes, NewVolume(l)) // which the controller binds
	}
	return changes
}

// NewVolume is the addition of a volume for a claim.
func NewVolume(l *volumes.ClaimLink) string {
	if l.Class == nil {
		return "add pv " + l.Requested
	}
	return "add pv " + l.Requested + " of " + l.Class.Name
}

// Elsewhere is a volume that nodes do not reach. Reaches counts those of all that do; the place of one that does not exist is empty.
type Elsewhere struct {
	Claim, Volume, Place string
	Missing              bool
	Reaches              int
}

// DescribeElsewhere says of nodes that they do not reach volumes. These say which nodes the pod wants.
func DescribeElsewhere(e *framework.Evidence, all []Elsewhere, rejected *framework.Rejection) {
	var bound, wants, predicates, names []string
	for _, v := range all {
		says, want := "claim "+v.Claim+" is bound to "+v.Volume, "volume "+v.Volume+" of claim "+v.Claim
		predicate := want
		switch {
		case v.Missing:
			says, predicate = says+", which does not exist", predicate+", which does not exist"
		case v.Place != "":
			says, predicate, want = says+", which is "+v.Place, predicate+", which is "+v.Place, want+" "+v.Place
		}
		bound, wants, predicates, names = append(bound, says), append(wants, want), append(predicates, predicate), append(names, v.Volume)
		if !v.Missing {
			says += fmt.Sprintf(": %d of %s can use it", v.Reaches, plural.Count(len(rejected.All), "node"))
		}
		e.Facts = append(e.Facts, says)
		e.Objects = append(e.Objects, framework.Object{Kind: "PersistentVolume", Name: v.Volume, Note: strings.TrimSpace("of claim " + v.Claim + " " + v.Place)})
	}
	if zones := zonesText(rejected.Nodes); zones != "" {
		e.Facts = append(e.Facts, "the others: "+zones)
	}
	e.About = strings.Join(names, " ")
	e.Wants, e.Predicate = strings.Join(wants, " and "), "cannot reach "+strings.Join(predicates, " and ")
	if len(e.Nodes) == len(rejected.All) {
		e.Sentence = strings.Join(bound[:min(len(bound), framework.MaxListed)], ", ")
		if !all[0].Missing {
			e.Sentence += "; no node is there"
		}
	}
	if alone := len(Alone(rejected)); alone > 0 {
		e.Hint = plural.Count(alone, "node") + " would fit but for the " + plural.Of(len(all), "volume") + "; a volume does not move: its data would have to be restored there"
	}
}

// Alone are the nodes for which no other plugin, and this one for one reason only, rejects the pod.
func Alone(rejected *framework.Rejection) []framework.RejectedNode {
	return slices.DeleteFunc(rejected.Alone(), func(n framework.RejectedNode) bool { return len(n.Reasons) > 1 })
}

// zonesText counts nodes by zone: "14 nodes in zone-a, 1 node in zone c".
func zonesText(nodes []framework.RejectedNode) string {
	counts := map[string]int{}
	for i := range nodes {
		if zone := nodes[i].Node().Labels[v1.LabelTopologyZone]; zone != "" {
			counts[zone]++
		}
	}
	var parts []string
	for _, zone := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, plural.Count(counts[zone], "node")+" in "+volumes.ZoneName(zone))
	}
	return framework.Listed(parts)
}
