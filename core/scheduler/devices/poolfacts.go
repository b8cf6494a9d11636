package devices

import (
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// poolFacts follow from the slices of a pool.
type poolFacts struct {
	nodes    []string // that its slices or devices name, in order
	wide     bool     // whether nodes that it does not name may reach it, or be held up by it
	binds    bool     // whether an allocation of its devices names the node, whichever it is
	counters bool     // whether devices share counters
	uniform  bool     // whether its slices agree on the pool's generation and on how many they are, and are not more
}

func factsOf(all []*resourcev1.ResourceSlice) poolFacts {
	facts := poolFacts{uniform: true}
	for _, slice := range all {
		first, pool := &all[0].Spec.Pool, &slice.Spec.Pool
		facts.uniform = facts.uniform && *first == *pool && int64(len(all)) <= pool.ResourceSliceCount
		facts.counters = facts.counters || len(slice.Spec.SharedCounters) > 0
		facts.wide = facts.wide || ptr.Deref(slice.Spec.NodeName, "") == "" || slice.Spec.PerDeviceNodeSelection != nil
		facts.name(slice.Spec.NodeName)
		for i := range slice.Spec.Devices {
			facts.name(slice.Spec.Devices[i].NodeName)
			facts.binds = facts.binds || ptr.Deref(slice.Spec.Devices[i].BindsToNode, false)
		}
	}
	// The allocator looks at counters for all nodes. That leaves no trace where no device is reached, if the pool is in order.
	facts.wide = facts.wide || facts.counters && !(facts.uniform && complete(all) && CounterProblem(all) == "")
	slices.Sort(facts.nodes)
	facts.nodes = slices.Compact(facts.nodes)
	return facts
}

func (f *poolFacts) name(node *string) {
	if name := ptr.Deref(node, ""); name != "" && (len(f.nodes) == 0 || f.nodes[len(f.nodes)-1] != name) {
		f.nodes = append(f.nodes, name)
	}
}

func complete(all []*resourcev1.ResourceSlice) bool {
	return len(all) > 0 && int64(len(all)) == all[0].Spec.Pool.ResourceSliceCount
}

// CounterProblem is what is wrong with the counters of a pool: a set has the name of another, or a device consumes of what there is not. It
// is empty if nothing is.
func CounterProblem(all []*resourcev1.ResourceSlice) string {
	sets := map[string]map[string]resourcev1.Counter{}
	for _, slice := range all {
		for _, set := range slice.Spec.SharedCounters {
			if _, twice := sets[set.Name]; twice {
				return "two counter sets have the name " + set.Name
			}
			sets[set.Name] = set.Counters
		}
	}
	for _, slice := range all {
		for i := range slice.Spec.Devices {
			d := &slice.Spec.Devices[i]
			for _, consumed := range d.ConsumesCounters {
				set, known := sets[consumed.CounterSet]
				if !known {
					return "device " + d.Name + " consumes of counter set " + consumed.CounterSet + ", which does not exist"
				}
				for name := range consumed.Counters {
					if _, known := set[name]; !known {
						return "device " + d.Name + " consumes of counters that set " + consumed.CounterSet + " does not have"
					}
				}
			}
		}
	}
	return ""
}

// entangled reports whether the counters of pools of one name depend on the nodes that were looked at before. The allocator
// computes what is left of them once for each name, at the first node that reaches a pool of that name: the same for all nodes
// if there is one pool and its slices agree, or if the pools are those of one node.
func entangled(same []*pool) bool {
	for _, p := range same {
		oneNode := !p.wide && len(p.nodes) == 1 && p.nodes[0] == same[0].soleNode()
		if !p.uniform || len(same) > 1 && !oneNode {
			return true
		}
	}
	return false
}

// soleNode is the only node that the pool names, or "", or more.
func (p *pool) soleNode() string {
	if len(p.nodes) == 1 {
		return p.nodes[0]
	}
	return ""
}
