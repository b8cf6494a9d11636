package consolidate

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/answers/capacity"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Annotations that keep pods and nodes, of Karpenter and of the Cluster Autoscaler.
const (
	doNotDisrupt      = "karpenter.sh/do-not-disrupt"
	safeToEvict       = "cluster-autoscaler.kubernetes.io/safe-to-evict"
	scaleDownDisabled = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
)

// replaced are the kinds of controllers whose pods are made again, as package whatif does.
var replaced = []world.Kind{world.ReplicaSet, world.ReplicationController, world.StatefulSet, world.Job}

// candidate is a node that may be emptied.
type candidate struct {
	node  string
	moves []*v1.Pod // by namespace and name
	share float64   // what they request of it
}

// comesWithNode reports whether a pod goes with its node: that of a daemon set, a static pod, and one that has ended.
func comesWithNode(pod *v1.Pod) bool {
	ref := metav1.GetControllerOfNoCopy(pod)
	_, mirror := pod.Annotations[v1.MirrorPodAnnotationKey]
	return mirror || ref != nil && (ref.Kind == string(world.DaemonSet) || ref.Kind == string(world.Node)) ||
		pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

// candidates returns the nodes that nothing keeps, the emptiest first, and those that something keeps.
func candidates(e *engine.Engine, o *Options) (all []candidate, blocked []Blocked) {
	for info := range capacity.Nodes(e) {
		node := info.Node()
		if b, is := keeps(info, o); is {
			blocked = append(blocked, b)
			continue
		}
		c := candidate{node: node.Name, share: shareOf(info)}
		for _, p := range info.GetPods() {
			if pod := p.GetPod(); !comesWithNode(pod) && pod.DeletionTimestamp == nil {
				c.moves = append(c.moves, pod)
			}
		}
		slices.SortFunc(c.moves, func(a, b *v1.Pod) int {
			return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
		})
		if len(c.moves) == 0 {
			c.share = 0
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(min(len(a.moves), 1), min(len(b.moves), 1)), cmp.Compare(a.share, b.share), cmp.Compare(len(a.moves), len(b.moves)), cmp.Compare(a.node, b.node))
	})
	return all, blocked
}

// keeps says what keeps a node whatever room there is.
func keeps(info fwk.NodeInfo, o *Options) (Blocked, bool) {
	node := info.Node()
	switch {
	case o.Keep != nil && o.Keep.Matches(labelSet(node.Labels)):
		return Blocked{Node: node.Name, Kind: Kept, Detail: "it is to be kept: " + o.Keep.String()}, true
	case node.Annotations[doNotDisrupt] == "true":
		return Blocked{Node: node.Name, Kind: DoNotDisrupt, Detail: "the node has the annotation " + doNotDisrupt}, true
	case node.Annotations[scaleDownDisabled] == "true":
		return Blocked{Node: node.Name, Kind: DoNotDisrupt, Detail: "the node has the annotation " + scaleDownDisabled}, true
	}
	var first *Blocked
	for _, p := range info.GetPods() {
		pod := p.GetPod()
		if comesWithNode(pod) {
			continue
		}
		b := Blocked{Node: node.Name, Pod: pod.Namespace + "/" + pod.Name}
		ref := metav1.GetControllerOfNoCopy(pod)
		switch {
		case pod.Annotations[doNotDisrupt] == "true":
			b.Kind, b.Detail = DoNotDisrupt, "the pod has the annotation "+doNotDisrupt
		case pod.Annotations[safeToEvict] == "false":
			b.Kind, b.Detail = DoNotDisrupt, "the pod has the annotation "+safeToEvict+"=false"
		case ref == nil || ref.UID == "":
			b.Kind, b.Detail = NoController, "no controller would make the pod again"
		case !slices.Contains(replaced, world.Kind(ref.Kind)):
			b.Kind, b.Detail = NoController, fmt.Sprintf("whether its %s makes the pod again is not known", ref.Kind)
		default:
			continue
		}
		if first == nil || b.Pod < first.Pod {
			first = &b
		}
	}
	if first != nil {
		return *first, true
	}
	return Blocked{}, false
}

// labelSet is labels of a node, as selectors take them.
type labelSet map[string]string

func (s labelSet) Has(label string) bool              { _, is := s[label]; return is }
func (s labelSet) Get(label string) string            { return s[label] }
func (s labelSet) Lookup(label string) (string, bool) { value, is := s[label]; return value, is }

// shareOf is the greater of the shares of cpu and memory that are requested of a node.
func shareOf(info fwk.NodeInfo) float64 {
	has, asked := info.GetAllocatable(), info.GetRequested()
	return max(share(asked.GetMilliCPU(), has.GetMilliCPU()), share(asked.GetMemory(), has.GetMemory()))
}

func share(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
