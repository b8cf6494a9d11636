package volumebinding

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/nodeclasses"
	"orrery/core/scheduler/reuse"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// seenNode is what checkBound reads of a node.
type seenNode struct {
	labels  map[string]string
	csiNode *storagev1.CSINode // nil if there is none
}

// nodeLabels divide the nodes by the labels that bound volumes have gone by, and by the in-tree plugins that CSI drivers replace.
type nodeLabels struct {
	classes *nodeclasses.Classes[seenNode]
	csiNode func(name string) *storagev1.CSINode
	changes framework.ObjectChanges
	mark    uint64

	keys    []string // of the labels
	crowded []string // keys that divide the nodes into too many classes, as host names do
}

func newNodeLabels(h fwk.Handle, csiNode func(string) *storagev1.CSINode) *nodeLabels {
	changes, ok := h.(framework.ObjectChanges)
	if !ok {
		return nil
	}
	n := &nodeLabels{csiNode: csiNode, changes: changes}
	if n.classes = nodeclasses.New(h, n.describe); n.classes == nil {
		return nil
	}
	return n
}

func (n *nodeLabels) describe(node fwk.NodeInfo, to reuse.Signature) (seenNode, reuse.Signature) {
	seen := seenNode{node.Node().Labels, n.csiNode(node.Node().Name)}
	for _, key := range n.keys {
		value, has := seen.labels[key]
		to = to.Flag(has).Text(value)
	}
	if seen.csiNode == nil {
		return seen, to.Flag(false)
	}
	return seen, to.Flag(true).Text(seen.csiNode.Annotations[v1.MigratedPluginsAnnotationKey])
}

// maxKeys is how many labels may divide the nodes.
//
//orrery:limit scheduler; labels of nodes that bound volumes go by and that divide the nodes into classes; pods with volumes that go by others ask node by node
const maxKeys = 16

// maxClasses is how many classes the labels may divide the nodes into: more are hardly fewer than nodes.
//
//orrery:limit scheduler; classes of nodes by the labels that bound volumes go by; pods with volumes that go by the last of the labels ask node by node
const maxClasses = 64

// follow brings the classes up to the nodes, and reports whether they are few.
func (n *nodeLabels) follow() bool {
	names, now, known := n.changes.ObjectChanges(world.CSINode, n.mark)
	n.mark = now
	if !known {
		n.classes.ForgetAll()
	}
	for _, name := range names {
		n.classes.Forget(name.Name)
	}
	if !n.classes.Follow() {
		return false
	}
	if last := len(n.keys) - 1; last >= 0 && n.classes.Len() > maxClasses {
		n.crowded = append(n.crowded, n.keys[last])
		n.keys = n.keys[:last]
		n.classes.ForgetAll()
		return false
	}
	return true
}

// divides reports whether the nodes are divided by all labels that a volume goes by.
func (n *nodeLabels) divides(by volumes.Reach) bool {
	for key := range by.Keys() {
		if !slices.Contains(n.keys, key) {
			return false
		}
	}
	return true
}

// add adds the labels that a volume goes by. It returns false if there is none to be added.
func (n *nodeLabels) add(of volumes.Reach) (added bool) {
	for key := range of.Keys() {
		if !slices.Contains(n.keys, key) && !slices.Contains(n.crowded, key) && len(n.keys)+len(n.crowded) < maxKeys {
			n.keys, added = append(n.keys, key), true
		}
	}
	if added {
		n.classes.ForgetAll()
	}
	return added
}

// FilterClasses implements framework.ClassFilter, for pods whose claims are all bound.
func (pl *VolumeBinding) FilterClasses(state fwk.CycleState) (framework.ClassVerdicts, bool) {
	c, err := readCycle(state)
	if err != nil || pl.classed == nil || c.claims == nil || len(c.claims.delayed) > 0 {
		return framework.ClassVerdicts{}, false
	}
	for pl.classed.follow() {
		verdicts, undivided := pl.evaluateClasses(c.claims.bound)
		if undivided == nil {
			return verdicts, verdicts.Classes != nil
		}
		if !pl.classed.add(*undivided) {
			break
		}
	}
	return framework.ClassVerdicts{}, false
}

// evaluateClasses evaluates the classes of nodes. If a volume goes by labels that do not divide them, it returns that.
func (pl *VolumeBinding) evaluateClasses(bound []*boundClaim) (verdicts framework.ClassVerdicts, undivided *volumes.Reach) {
	verdicts, _ = pl.classed.classes.Evaluate(func(node seenNode) (*fwk.Status, bool) {
		against, err := checkBound(bound, node.labels, func(c *boundClaim) (volumes.Reach, error) {
			reach, err := pl.reachBy(c, node.csiNode)
			if !pl.classed.divides(reach) {
				undivided = &reach
			}
			return reach, err
		})
		switch {
		case err != nil, undivided != nil:
			return nil, false
		case against != 0:
			return against.status(), true
		}
		return nil, true
	})
	return verdicts, undivided
}
