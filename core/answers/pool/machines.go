package pool

import (
	"cmp"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8s.io/component-helpers/resource"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	"orrery/core/answers/price"
	"orrery/core/objects/requests"
	"orrery/core/safe/printable"
)

// machine is a node that a pool could make.
type machine struct {
	pool *Pool
	node *v1.Node
	// holds is how many of the pods that wait it holds by the sums of their requests.
	holds  int
	price  float64
	priced bool
}

// machinesFor returns the nodes that a pool could make for a pod, one for each size and zone, by its labels, taints and size.
func (p *Pool) machinesFor(pod *v1.Pod) []*machine {
	var all []*machine
	for i := range p.Shapes {
		s := &p.Shapes[i]
		if !p.mayBe(s) {
			continue
		}
		for _, zone := range p.zonesOf(s) {
			if node := p.nodeFor(pod, s, zone); node != nil && takes(node, pod) {
				all = append(all, &machine{pool: p, node: node})
			}
		}
	}
	return all
}

// mayBe reports whether a size of machine meets what the pool requires, wherever the machine is.
func (p *Pool) mayBe(s *Shape) bool {
	for key, value := range s.Labels {
		if d := p.domainOf(key); isWellKnown(key) && !d.allows(value) {
			return false
		}
	}
	return true
}

// zonesOf are the zones in which the pool may have machines of a size; one without a name if nothing tells of zones.
func (p *Pool) zonesOf(s *Shape) []string {
	d, zones := p.domainOf(v1.LabelTopologyZone), s.Zones
	if !d.any && (len(zones) == 0 || !s.Told) {
		zones = d.values // a machine of the type may be had in each, as far as is known
	}
	if d.any && len(zones) == 0 {
		return []string{""}
	}
	return slices.DeleteFunc(slices.Clone(zones), func(zone string) bool { return !d.allows(zone) })
}

// nodeFor returns a new node of a size in a zone, whose other labels are chosen for a pod; nil if the labels contradict.
func (p *Pool) nodeFor(pod *v1.Pod, s *Shape, zone string) *v1.Node {
	labels := maps.Clone(p.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, s.Labels)
	if zone != "" {
		labels[v1.LabelTopologyZone] = zone
	}
	if p.Label != "" {
		labels[p.Label] = p.Name
	}
	for _, alternative := range alternatives(pod) {
		chosen := maps.Clone(labels)
		if p.complete(chosen, alternative) {
			node := &v1.Node{
				ObjectMeta: metav1.ObjectMeta{Labels: chosen},
				Spec:       v1.NodeSpec{Taints: slices.Clone(p.Taints)},
				Status:     v1.NodeStatus{Capacity: s.Allocatable, Allocatable: s.Allocatable, Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}},
			}
			if match, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err == nil && match {
				return node
			}
		}
	}
	return nil
}

// complete chooses values for the labels that the pool or the pod requires and that the size does not tell.
func (p *Pool) complete(labels map[string]string, wanted []v1.NodeSelectorRequirement) bool {
	for _, r := range slices.Concat(p.Requirements, wanted) {
		if _, is := labels[r.Key]; is {
			continue
		}
		d := p.domainOf(r.Key)
		if !d.set {
			continue
		}
		value, known := d.choose(slices.DeleteFunc(slices.Clone(wanted), func(w v1.NodeSelectorRequirement) bool { return w.Key != r.Key }))
		if known {
			labels[r.Key] = value
		} else if slices.ContainsFunc(wanted, func(w v1.NodeSelectorRequirement) bool { return w.Key == r.Key }) {
			return false
		}
	}
	return true
}

// takes reports whether an empty node takes a pod by its taints and its size.
func takes(node *v1.Node, pod *v1.Pod) bool {
	if _, untolerated := corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, pod.Spec.Tolerations, keepsAway, true); untolerated {
		return false
	}
	for name, q := range requests.Of(pod, resource.PodResourcesOptions{}) {
		if requests.Amount(name, q) > requests.AmountOf(node.Status.Allocatable, name) {
			return false
		}
	}
	return true
}

// rank sorts machines: those that hold most of the pods first, of these the cheapest, and of these the smallest.
func rank(all []*machine, waiting []*v1.Pod, prices *price.Prices) {
	for _, m := range all {
		m.price, m.priced = priceOf(prices, m.node)
		m.holds = holds(m.node, waiting)
	}
	size := func(m *machine, name v1.ResourceName) int64 {
		return requests.AmountOf(m.node.Status.Allocatable, name)
	}
	slices.SortStableFunc(all, func(a, b *machine) int {
		byPrice := 0
		if a.priced && b.priced {
			byPrice = cmp.Compare(a.price, b.price)
		}
		return cmp.Or(cmp.Compare(b.holds, a.holds), byPrice, cmp.Compare(size(a, v1.ResourceCPU), size(b, v1.ResourceCPU)),
			cmp.Compare(size(a, v1.ResourceMemory), size(b, v1.ResourceMemory)),
			cmp.Compare(a.node.Labels[v1.LabelInstanceTypeStable], b.node.Labels[v1.LabelInstanceTypeStable]),
			cmp.Compare(a.node.Labels[v1.LabelTopologyZone], b.node.Labels[v1.LabelTopologyZone]))
	})
}

// holds counts the pods that an empty node takes one beside the other, by the sums of their requests.
func holds(node *v1.Node, waiting []*v1.Pod) (n int) {
	left := map[v1.ResourceName]int64{}
	for name := range node.Status.Allocatable {
		left[name] = requests.AmountOf(node.Status.Allocatable, name)
	}
	for _, pod := range waiting {
		if left[v1.ResourcePods] <= int64(n) {
			break
		}
		needs := requests.Of(pod, resource.PodResourcesOptions{})
		fits := takes(node, pod)
		for name, q := range needs {
			fits = fits && requests.Amount(name, q) <= left[name]
		}
		if match, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); !fits || err != nil || !match {
			continue
		}
		for name, q := range needs {
			left[name] -= requests.Amount(name, q)
		}
		n++
	}
	return n
}

// title names a machine: its type or its size, and its zone.
func (m *machine) title() string {
	name := cmp.Or(m.node.Labels[v1.LabelInstanceTypeStable], requests.Format(v1.ResourceCPU, requests.AmountOf(m.node.Status.Allocatable, v1.ResourceCPU))+" cpu")
	if zone := m.node.Labels[v1.LabelTopologyZone]; zone != "" {
		name += " in " + zone
	}
	return printable.Line(name, 120)
}
