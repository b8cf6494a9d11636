package pool

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
)

// groupLabels are labels by which the nodes of autoscalers and clouds tell their pool or node group, the most telling first.
var groupLabels = []string{
	nodePoolLabel, "eks.amazonaws.com/nodegroup", "cloud.google.com/gke-nodepool", "kubernetes.azure.com/agentpool", "agentpool",
	"node.cluster.x-k8s.io/deployment", "cluster.x-k8s.io/deployment-name", "doks.digitalocean.com/node-pool", "nodepool",
}

// groupOf is the label that tells a node's pool, and the pool's name.
func groupOf(node *v1.Node) (label, name string) {
	for _, label := range groupLabels {
		if name := node.Labels[label]; name != "" {
			return label, name
		}
	}
	return "", ""
}

// NameOf is the name of the pool that a node tells; empty if it tells none.
func NameOf(node *v1.Node) string {
	_, name := groupOf(node)
	return name
}

// Of reports whether a node is of the pool.
func (p *Pool) Of(node *v1.Node) bool {
	return p.Label != "" && node.Labels[p.Label] == p.Name
}

// Observe completes pools by the nodes that exist, in the order of their names: a pool that only nodes tell of is added, with the labels and
// taints that all of its nodes have; and the sizes of machines are those that are there and meet the pool's requirements.
func Observe(declared []*Pool, nodes []*v1.Node) []*Pool {
	pools := slices.Clone(declared)
	byGroup := map[[2]string][]*v1.Node{}
	for _, node := range nodes {
		if label, name := groupOf(node); name != "" {
			byGroup[[2]string{label, name}] = append(byGroup[[2]string{label, name}], node)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(byGroup), func(a, b [2]string) int {
		return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
	}) {
		has := slices.ContainsFunc(pools, func(p *Pool) bool { return p.Name == key[1] })
		if !has && len(pools) < maxPools {
			pools = append(pools, groupPool(key[0], key[1], byGroup[key]))
		}
	}
	for _, p := range pools {
		p.observe(nodes)
	}
	Sort(pools)
	return pools
}

// groupPool is a pool that nothing but its nodes tells of.
func groupPool(label, name string, nodes []*v1.Node) *Pool {
	p := &Pool{
		Name: name, Origin: "nodes with " + label, Label: label, Labels: maps.Clone(nodes[0].Labels), Taints: lastingTaints(nodes[0]),
		Unknown: []string{"how many nodes it may have, and what it has that its nodes do not show"},
	}
	for _, node := range nodes[1:] {
		maps.DeleteFunc(p.Labels, func(key, value string) bool { return node.Labels[key] != value })
		has := lastingTaints(node)
		p.Taints = slices.DeleteFunc(p.Taints, func(t v1.Taint) bool { return !slices.Contains(has, t) })
	}
	for _, own := range ownLabels {
		delete(p.Labels, own)
	}
	return p
}

// ownLabels are those of one machine rather than of all of a kind.
var ownLabels = []string{v1.LabelHostname, v1.LabelTopologyZone, v1.LabelInstanceTypeStable, v1.LabelFailureDomainBetaZone, v1.LabelInstanceType}

// lastingTaints are taints that a new node of the kind would have, too: not those of a condition or of a node that leaves or begins.
func lastingTaints(node *v1.Node) []v1.Taint {
	var all []v1.Taint
	for _, t := range node.Spec.Taints {
		passing := strings.HasPrefix(t.Key, change.ConditionTaintPrefix) || strings.HasPrefix(t.Key, "node.cloudprovider.kubernetes.io/") ||
			strings.HasPrefix(t.Key, "karpenter.sh/") || t.Key == "ToBeDeletedByClusterAutoscaler" || t.Key == "DeletionCandidateOfClusterAutoscaler"
		if !passing {
			all = append(all, v1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect})
		}
	}
	return all
}

// maxShapes bounds the sizes of machines of a pool.
//
//orrery:limit answers; sizes of machines of a node pool; those that come later by name are left out
const maxShapes = 200

// observe adds the sizes of machines that are there and that the pool may have. Sizes that a file gives are all that it has.
func (p *Pool) observe(nodes []*v1.Node) {
	if len(p.Shapes) > 0 {
		return
	}
	at := map[string]int{}
	for _, node := range nodes {
		// Another pool's machine may be one of this pool only if that is Karpenter's, which chooses among machines.
		if !p.Of(node) && p.Origin != karpenter || !p.mayHave(node) {
			continue
		}
		name := node.Labels[v1.LabelInstanceTypeStable]
		if name == "" && !p.Of(node) {
			continue
		}
		i, known := at[name]
		if !known {
			if len(p.Shapes) == maxShapes {
				continue
			}
			i, at[name] = len(p.Shapes), len(p.Shapes)
			p.Shapes = append(p.Shapes, Shape{Name: name, Allocatable: node.Status.Allocatable, Labels: machineLabels(node)})
		}
		s := &p.Shapes[i]
		if zone := node.Labels[v1.LabelTopologyZone]; zone != "" && !slices.Contains(s.Zones, zone) {
			s.Zones = append(s.Zones, zone)
		}
	}
	slices.SortFunc(p.Shapes, func(a, b Shape) int { return strings.Compare(a.Name, b.Name) })
	for i := range p.Shapes {
		slices.Sort(p.Shapes[i].Zones)
	}
	if len(p.Shapes) == 0 {
		p.Unknown = append(p.Unknown, "how large its nodes are: none exists, and no file says it")
	} else if p.Origin == karpenter {
		p.Unknown = append(p.Unknown, "machines of types of which no node exists")
	}
}

// mayHave reports whether the machine of a node meets what the pool requires.
func (p *Pool) mayHave(node *v1.Node) bool {
	for key, value := range machineLabels(node) {
		if d := p.domainOf(key); !d.allows(value) {
			return false
		}
	}
	zone := p.domainOf(v1.LabelTopologyZone)
	at := node.Labels[v1.LabelTopologyZone]
	return at == "" || zone.allows(at)
}

// machineLabels are the labels of a node that its machine gives it, wherever it is.
func machineLabels(node *v1.Node) map[string]string {
	labels := map[string]string{}
	for key, value := range node.Labels {
		if isWellKnown(key) && key != v1.LabelHostname && key != v1.LabelTopologyZone && key != capacityType {
			labels[key] = value
		}
	}
	return labels
}
