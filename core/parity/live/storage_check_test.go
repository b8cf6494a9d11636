package live_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/parity/apiserver"
	"orrery/core/world"
)

// checkVolumes waits until every claim of every running pod has a volume of its own which the pod's node can use, and which
// is attached there and nowhere else; and until no node has more volumes than its limit. The attach controller may detach a
// volume of a replaced pod and attach it again.
func (s *storageFixture) checkVolumes(limit int32) {
	s.t.Helper()
	s.eventually(func() error {
		if faults := s.volumeFaults(limit); len(faults) > 0 {
			return fmt.Errorf("volumes of running pods: %q", faults)
		}
		return nil
	})
}

// volumeFaults returns what is wrong about the volumes of running pods.
func (s *storageFixture) volumeFaults(limit int32) (faults []string) {
	s.t.Helper()
	pods, attached := s.list(), s.attachedTo()
	volumes, claims, nodes := map[string]*v1.PersistentVolume{}, map[string]*v1.PersistentVolumeClaim{}, map[string]*v1.Node{}
	for _, volume := range s.volumes() {
		volumes[volume.Name] = &volume
	}
	for _, claim := range s.claims() {
		claims[claim.Name] = &claim
	}
	for _, node := range s.nodes {
		nodes[node.Name] = node
	}
	owner := map[string]string{} // claim by volume
	for _, pod := range pods {
		for i := range pod.Spec.Volumes {
			name, _ := world.ClaimOf(&pod, &pod.Spec.Volumes[i])
			claim := claims[name]
			if pod.Status.Phase != v1.PodRunning {
				continue
			}
			if claim == nil || volumes[claim.Spec.VolumeName] == nil {
				faults = append(faults, fmt.Sprintf("%s has none for %s", pod.Name, pod.Spec.Volumes[i].Name))
				continue
			}
			volume := volumes[claim.Spec.VolumeName]
			if other := owner[volume.Name]; other != "" && other != claim.Name {
				faults = append(faults, fmt.Sprintf("the claims %s and %s both have %s", other, claim.Name, volume.Name))
			}
			owner[volume.Name] = claim.Name
			if problem := misplaced(&pod, claim, volume, nodes[pod.Spec.NodeName], attached[volume.Name]); problem != "" {
				faults = append(faults, fmt.Sprintf("%s on %s, %s: %s", pod.Name, pod.Spec.NodeName, volume.Name, problem))
			}
		}
	}
	return append(faults, overLimit(attached, limit)...)
}

// misplaced returns what is wrong about a volume of a running pod; empty if nothing is.
func misplaced(pod *v1.Pod, claim *v1.PersistentVolumeClaim, volume *v1.PersistentVolume, node *v1.Node, attached []string) string {
	if claim.Status.Phase != v1.ClaimBound || volume.Status.Phase != v1.VolumeBound || volume.Spec.ClaimRef == nil || volume.Spec.ClaimRef.UID != claim.UID {
		return fmt.Sprintf("claim %s is %s, the volume is %s and names %v", claim.Name, claim.Status.Phase, volume.Status.Phase, volume.Spec.ClaimRef)
	}
	selector, err := nodeaffinity.NewNodeSelector(volume.Spec.NodeAffinity.Required)
	if err != nil || !selector.Match(node) {
		return fmt.Sprintf("the node cannot use it: %v, %v", volume.Spec.NodeAffinity.Required, err)
	}
	if volume.Spec.CSI != nil && !slices.Equal(attached, []string{pod.Spec.NodeName}) {
		return fmt.Sprintf("it is attached to %v", attached)
	}
	return ""
}

// attachedTo returns the nodes that volumes are attached to, by volume.
func (s *storageFixture) attachedTo() map[string][]string {
	s.t.Helper()
	list, err := s.client.StorageV1().VolumeAttachments().List(s.ctx, metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	all := map[string][]string{}
	for _, a := range list.Items {
		if a.DeletionTimestamp == nil {
			all[*a.Spec.Source.PersistentVolumeName] = append(all[*a.Spec.Source.PersistentVolumeName], a.Spec.NodeName)
		}
	}
	return all
}

// overLimit returns the nodes that more than limit volumes are attached to, if it is not zero.
func overLimit(attached map[string][]string, limit int32) (faults []string) {
	byNode := map[string]int32{}
	for _, nodes := range attached {
		for _, node := range nodes {
			if byNode[node]++; limit > 0 && byNode[node] == limit+1 {
				faults = append(faults, fmt.Sprintf("%s has more than %d", node, limit))
			}
		}
	}
	return faults
}

// storageWrite is a write of a volume or a claim, as the API server took it.
type storageWrite struct {
	resource, name string
	uid            types.UID
	version        string
	to             string // the claim that the volume names, or the node that the claim selects
	text           string // the object after it, without what differs between runs
}

// storageWrites returns the successful writes of volumes and claims by a user since the test began, and counts the others by
// response code.
func (s *storageFixture) storageWrites(user string) (writes []storageWrite, failed map[int]int) {
	s.t.Helper()
	failed = map[int]int{}
	for _, a := range s.auditEntries() {
		if a.Stage != "ResponseComplete" || a.User.Username != user || (a.Verb != "update" && a.Verb != "patch") ||
			(a.ObjectRef.Resource != "persistentvolumes" && a.ObjectRef.Resource != "persistentvolumeclaims") {
			continue
		}
		if !a.succeeded() {
			failed[a.ResponseStatus.Code]++
			continue
		}
		writes = append(writes, s.storageWrite(&a))
	}
	return writes, failed
}

// unstable are the parts of an object that differ between runs: its identity, and numbers in names.
var unstable = regexp.MustCompile(`"(uid|resourceVersion|creationTimestamp|lastPhaseTransitionTime)":"[^"]*"|-[0-9]+\b|[0-9a-f]{8}-[0-9a-f-]{27}`)

func (s *storageFixture) storageWrite(a *auditEntry) storageWrite {
	w := storageWrite{resource: a.ObjectRef.Resource, name: a.ObjectRef.Name, text: s.normalize(unstable.ReplaceAllString(string(a.ResponseObject), "·"))}
	var object struct {
		Metadata metav1.ObjectMeta
		Spec     struct{ ClaimRef *v1.ObjectReference }
	}
	if err := json.Unmarshal(a.ResponseObject, &object); err != nil {
		s.t.Fatalf("%s %s in the audit log: %v", w.resource, w.name, err)
	}
	w.uid, w.version, w.to = object.Metadata.UID, object.Metadata.ResourceVersion, object.Metadata.Annotations[storagevolume.AnnSelectedNode]
	if ref := object.Spec.ClaimRef; ref != nil {
		w.to = string(ref.UID)
	}
	return w
}

// changedTwice returns the volumes that were given to two claims and the claims for which two nodes were selected, though the
// controllers had not undone the first write.
func (s *storageFixture) changedTwice(schedulers []storageWrite) (names []string) {
	s.t.Helper()
	controllers, _ := s.storageWrites(apiserver.Admin)
	undone := slices.DeleteFunc(controllers, func(w storageWrite) bool { return w.to != "" })
	writes := slices.Concat(schedulers, undone)
	slices.SortFunc(writes, func(a, b storageWrite) int {
		order, err := resourceversion.CompareResourceVersion(a.version, b.version)
		if err != nil {
			s.t.Fatal(err)
		}
		return order
	})
	to := map[types.UID]string{}
	for _, w := range writes {
		if before := to[w.uid]; before != "" && w.to != "" && before != w.to {
			names = append(names, fmt.Sprintf("%s %s: %s, then %s", w.resource, w.name, before, w.to))
		}
		to[w.uid] = w.to
	}
	return names
}

// countTexts counts writes by their text.
func countTexts(writes []storageWrite) map[string]int {
	counts := map[string]int{}
	for _, w := range writes {
		counts[w.resource+": "+w.text]++
	}
	return counts
}
