package pool

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"

	"orrery/core/answers/change"
	"orrery/core/answers/price"
	"orrery/core/objects/requests"
	"orrery/core/safe/printable"
)

// Pool is a kind of node that an autoscaler makes.
type Pool struct {
	Name string
	// Origin says what declares it.
	Origin string
	// Label is the key of the label whose value is the pool's name on its nodes; empty if they have none.
	Label string
	// Weight is the greater the earlier the pool is taken.
	Weight int
	// Requirements narrow the labels that a node may have, Labels are those that each has, and Taints its taints once it is ready.
	Requirements []v1.NodeSelectorRequirement
	Labels       map[string]string
	Taints       []v1.Taint
	// Limits are what all nodes of the pool may have together, and Max how many there may be; nil and zero if that is not known.
	Limits v1.ResourceList
	Max    int
	// Shapes are the sizes of machines that are known, by name.
	Shapes []Shape
	// Unknown says what is not known of the pool.
	Unknown []string
}

// Shape is a size of machine.
type Shape struct {
	// Name is its instance type; empty if it has none.
	Name        string
	Allocatable v1.ResourceList
	// Labels are those of the machine, Zones where there are such. Told says that there are such nowhere else: a file gives them.
	Labels map[string]string
	Zones  []string
	Told   bool
}

// Title is the pool's name with its origin.
func (p *Pool) Title() string {
	return printable.Line(p.Name, 100) + " (" + printable.Line(p.Origin, 100) + ")"
}

// Sort sorts pools in the order in which an autoscaler takes them: by weight, and of like weight, as Karpenter does, the last name first.
func Sort(pools []*Pool) {
	slices.SortStableFunc(pools, func(a, b *Pool) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(b.Name, a.Name))
	})
}

// Find returns the pool of a name; an error that names the others if no pool has it.
func Find(pools []*Pool, name string) (*Pool, error) {
	var names []string
	for _, p := range pools {
		if p.Name == name {
			return p, nil
		}
		names = append(names, printable.Line(p.Name, 60))
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no pool %q, and none is known: give some with --pools", printable.Line(name, 60))
	}
	return nil, fmt.Errorf("there is no pool %q: there are %s", printable.Line(name, 60), printable.Line(strings.Join(names, ", "), 300))
}

// shape finds a size of machine by its type; without a type, the only one.
func (p *Pool) shape(name string) (*Shape, error) {
	var names []string
	for i := range p.Shapes {
		if s := &p.Shapes[i]; s.Name == name && name != "" || name == "" && len(p.Shapes) == 1 {
			return s, nil
		}
		names = append(names, printable.Line(cmp.Or(p.Shapes[i].Name, "without a type"), 60))
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("how large the nodes of pool %s are is not known: give a size with --pools", p.Title())
	case name == "":
		return nil, fmt.Errorf("pool %s has machines of several sizes: write NAME/TYPE with one of %s", p.Title(), printable.Line(strings.Join(names, ", "), 300))
	}
	return nil, fmt.Errorf("pool %s has no machine %q that is known: there are %s", p.Title(), printable.Line(name, 60), printable.Line(strings.Join(names, ", "), 300))
}

// ShapeOf returns the change that adds one node of a pool: of NAME, or of NAME/TYPE if it has machines of several sizes.
func ShapeOf(pools []*Pool, name string) (change.Change, error) {
	name, machine, _ := strings.Cut(name, "/")
	p, err := Find(pools, name)
	if err != nil {
		return change.Change{}, err
	}
	s, err := p.shape(machine)
	if err != nil {
		return change.Change{}, err
	}
	zone := ""
	if d := p.domainOf(v1.LabelTopologyZone); !d.any {
		zone, _ = d.choose(nil)
	} else if len(s.Zones) > 0 {
		zone = s.Zones[0]
	}
	return change.ShapeOf(p.nodeFor(&v1.Pod{}, s, zone), 1)
}

// PoolVerdict is whether a pool could take a pod.
type PoolVerdict struct {
	Pool *Pool
	// Why is the first thing that contradicts; empty if the pool could take it.
	Why string
}

// Verdicts says of each pool whether it could take a pod, by what it declares.
func Verdicts(pools []*Pool, pod *v1.Pod) []PoolVerdict {
	var all []PoolVerdict
	for _, p := range pools {
		all = append(all, PoolVerdict{p, p.Contradiction(pod)})
	}
	return all
}

// Contradiction is the first thing that keeps a pod from every node that the pool may make, by what it declares; empty if nothing does.
// What other pods have to do with it, as affinity and spread, is not looked at.
func (p *Pool) Contradiction(pod *v1.Pod) string {
	if t, untolerated := corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), p.Taints, pod.Spec.Tolerations, keepsAway, true); untolerated {
		return fmt.Sprintf("the pod does not tolerate the taint %s", printable.Line(t.ToString(), 200))
	}
	if why := p.contradictingLabel(pod); why != "" {
		return why
	}
	return p.tooSmall(pod)
}

func keepsAway(t *v1.Taint) bool { return t.Effect != v1.TaintEffectPreferNoSchedule }

// tooSmall says that the pod requests more than any known size has.
func (p *Pool) tooSmall(pod *v1.Pod) string {
	if len(p.Shapes) == 0 {
		return ""
	}
	needs := requests.Of(pod, resource.PodResourcesOptions{})
	for _, name := range slices.Sorted(maps.Keys(needs)) {
		needed, most := requests.AmountOf(needs, name), int64(0)
		for i := range p.Shapes {
			most = max(most, requests.AmountOf(p.Shapes[i].Allocatable, name))
		}
		if needed > most {
			return fmt.Sprintf("the pod requests %s of %s, and the largest node that is known has %s", requests.Format(name, needed), name, requests.Format(name, most))
		}
	}
	return ""
}

// priceOf is the price of a new node, and whether it has one.
func priceOf(prices *price.Prices, node *v1.Node) (float64, bool) {
	if prices == nil {
		return 0, false
	}
	return prices.Of(node)
}
