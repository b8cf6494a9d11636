package queue

import (
	"iter"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
)

// nominator maps pods to their nominated nodes. It may be ahead of the pods' status, which is written later.
type nominator struct {
	byNode map[string][]nominee // in the order of nomination
	nodeOf map[types.UID]string // by identity

	version uint64 // grows with every change
}

type nominee struct {
	id  types.UID
	uid types.UID
	key types.NamespacedName
}

var _ fwk.PodNominator = (*Queue)(nil)

func (n *nominator) init() {
	n.byNode = map[string][]nominee{}
	n.nodeOf = map[types.UID]string{}
}

// AddNominatedPod nominates a pod for the node in info or, if info does not override it, for that in the pod's status.
// An earlier nomination ends in any case. A pod that is deleted or assigned is not nominated.
func (q *Queue) AddNominatedPod(_ klog.Logger, pod fwk.PodInfo, info *fwk.NominatingInfo) {
	q.addNomination(pod.GetPod(), info)
}

// DeleteNominatedPodIfExists ends a pod's nomination.
func (q *Queue) DeleteNominatedPodIfExists(pod *v1.Pod) { q.deleteNomination(pod) }

// UpdateNominatedPod applies a change of a pod.
func (q *Queue) UpdateNominatedPod(_ klog.Logger, old *v1.Pod, updated fwk.PodInfo) {
	q.updateNomination(old, updated.GetPod())
}

// NominatedPodsForNode returns the pods nominated for a node, in the order of nomination. For a pod that is not in the
// queue it has only the name and UID. The pods are shared, not copied.
func (q *Queue) NominatedPodsForNode(node string) []fwk.PodInfo {
	nominees := q.byNode[node]
	if len(nominees) == 0 {
		return nil
	}
	infos := make([]fwk.PodInfo, len(nominees))
	for i, n := range nominees {
		if p := q.pods[n.key]; p != nil {
			infos[i] = p.GetPodInfo()
		} else {
			infos[i] = n.podInfo()
		}
	}
	return infos
}

// NominatedNode returns the node that a pod is nominated for.
func (q *Queue) NominatedNode(pod *v1.Pod) (node string, ok bool) {
	node, ok = q.nodeOf[identity(pod)]
	return node, ok
}

// NominationVersion grows whenever a nomination changes.
func (q *Queue) NominationVersion() uint64 { return q.nominator.version }

// HasNominations reports whether any pod is nominated.
func (q *Queue) HasNominations() bool { return len(q.byNode) > 0 }

// NominatedNodes returns the nodes with nominated pods, sorted.
func (q *Queue) NominatedNodes() []string { return sortedKeys(q.byNode) }

// NominatedNodesUnordered is NominatedNodes, in any order and without a list.
func (q *Queue) NominatedNodesUnordered() iter.Seq[string] { return maps.Keys(q.byNode) }

func (n nominee) podInfo() *cache.PodInfo {
	info, _ := cache.NewPodInfo(&v1.Pod{ // no affinity that could fail to parse
		ObjectMeta: metav1.ObjectMeta{Namespace: n.key.Namespace, Name: n.key.Name, UID: n.uid},
	})
	return info
}

func (q *Queue) addNomination(pod *v1.Pod, info *fwk.NominatingInfo) {
	q.deleteNomination(pod)
	node := pod.Status.NominatedNodeName
	if info.Mode() == fwk.ModeOverride {
		node = info.NominatedNodeName
	}
	if node == "" || !q.mayNominate(pod) {
		return
	}
	id := identity(pod)
	q.nodeOf[id] = node
	q.byNode[node] = append(q.byNode[node], nominee{id, pod.UID, keyOf(pod)})
	q.nominator.version++
}

func (q *Queue) mayNominate(pod *v1.Pod) bool {
	if q.opts.LookupPod == nil {
		return true
	}
	known := q.opts.LookupPod(pod.Namespace, pod.Name)
	return known != nil && known.UID == pod.UID && known.Spec.NodeName == ""
}

// updateNomination applies a change of a pod. A nomination survives if the status names no node before and after: the
// status is older than the nomination.
func (q *Queue) updateNomination(old, updated *v1.Pod) {
	var info *fwk.NominatingInfo
	if old.Status.NominatedNodeName == "" && updated.Status.NominatedNodeName == "" {
		if node, ok := q.nodeOf[identity(old)]; ok {
			info = &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: node}
		}
	}
	if info == nil && updated.Status.NominatedNodeName == "" && len(q.nodeOf) == 0 {
		return
	}
	q.deleteNomination(old)
	q.addNomination(updated, info)
}

func (q *Queue) deleteNomination(pod *v1.Pod) {
	if len(q.nodeOf) == 0 {
		return
	}
	id := identity(pod)
	node, ok := q.nodeOf[id]
	if !ok {
		return
	}
	delete(q.nodeOf, id)
	q.nominator.version++
	rest := slices.DeleteFunc(q.byNode[node], func(n nominee) bool { return n.id == id })
	if len(rest) == 0 {
		delete(q.byNode, node)
	} else {
		q.byNode[node] = rest
	}
}
