package queue

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/cache"
)

// nominator knows which pods are meant for which node once room has been made. It may know better than a pod's status,
// which is written later.
type nominator struct {
	byNode map[string][]nominee // in the order of nomination
	nodeOf map[types.UID]string // by identity
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

// AddNominatedPod nominates a pod: for the node that info names or, where info leaves it open, for that of the pod's
// status. Any earlier nomination ends, also if there is no new one. A pod that the cluster no longer has, or has
// assigned, is not nominated.
func (q *Queue) AddNominatedPod(_ klog.Logger, pod fwk.PodInfo, info *fwk.NominatingInfo) {
	q.nominate(pod.GetPod(), info)
}

// DeleteNominatedPodIfExists ends a pod's nomination.
func (q *Queue) DeleteNominatedPodIfExists(pod *v1.Pod) { q.withdraw(pod) }

// UpdateNominatedPod follows a change of a pod.
func (q *Queue) UpdateNominatedPod(_ klog.Logger, old *v1.Pod, updated fwk.PodInfo) {
	q.renominate(old, updated.GetPod())
}

// NominatedPodsForNode are the pods nominated for a node, in the order of nomination. A pod that is not in the queue at
// the moment is known by name only. The pods are shared, not copied.
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
			infos[i] = n.bare()
		}
	}
	return infos
}

// NominatedNode is the node that a pod is nominated for.
func (q *Queue) NominatedNode(pod *v1.Pod) (node string, ok bool) {
	node, ok = q.nodeOf[identity(pod)]
	return node, ok
}

// NominatedNodes are the nodes that pods are nominated for, sorted.
func (q *Queue) NominatedNodes() []string { return sortedKeys(q.byNode) }

func (n nominee) bare() *cache.PodInfo {
	info, _ := cache.NewPodInfo(&v1.Pod{ // no affinity that could fail to parse
		ObjectMeta: metav1.ObjectMeta{Namespace: n.key.Namespace, Name: n.key.Name, UID: n.uid},
	})
	return info
}

func (q *Queue) nominate(pod *v1.Pod, info *fwk.NominatingInfo) {
	q.withdraw(pod)
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
}

func (q *Queue) mayNominate(pod *v1.Pod) bool {
	if q.opts.Pods == nil {
		return true
	}
	known := q.opts.Pods(pod.Namespace, pod.Name)
	return known != nil && known.Spec.NodeName == ""
}

// renominate follows a change of a pod. A status that named no node and still names none does not end a nomination: it
// is only older than the nomination is.
func (q *Queue) renominate(old, updated *v1.Pod) {
	var info *fwk.NominatingInfo
	if old.Status.NominatedNodeName == "" && updated.Status.NominatedNodeName == "" {
		if node, ok := q.nodeOf[identity(old)]; ok {
			info = &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: node}
		}
	}
	if info == nil && updated.Status.NominatedNodeName == "" && len(q.nodeOf) == 0 {
		return
	}
	q.withdraw(old)
	q.nominate(updated, info)
}

func (q *Queue) withdraw(pod *v1.Pod) {
	if len(q.nodeOf) == 0 {
		return
	}
	id := identity(pod)
	node, ok := q.nodeOf[id]
	if !ok {
		return
	}
	delete(q.nodeOf, id)
	rest := slices.DeleteFunc(q.byNode[node], func(n nominee) bool { return n.id == id })
	if len(rest) == 0 {
		delete(q.byNode, node)
	} else {
		q.byNode[node] = rest
	}
}
