package preempt

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// Findings has what a preemption found on every node. A cycle state that has empty ones under FindingsKey gets them filled
// in; without them, a preemption costs one failed read more. All methods accept nil.
type Findings struct {
	// Ineligible says why the pod may not preempt, empty if it may; Terminating are earlier victims that it waits for.
	Ineligible  string
	Terminating []*v1.Pod
	// EvictingOn is the node of a preemption in progress, and Evicting are its victims that do not terminate yet.
	EvictingOn string
	Evicting   []*v1.Pod
	// Nodes are those of the dry run, in its order. NotTried counts the other nodes with a resolvable rejection, and
	// Unresolvable those whose rejection no eviction changes.
	Nodes                  []NodeFinding
	NotTried, Unresolvable int
}

// NodeFinding is the outcome of the dry run on one node.
type NodeFinding struct {
	Node string
	// Pods counts the pods there, Lower those with a lower priority than the preemptor's.
	Pods, Lower int
	// Plugin and Reasons are the rejection that remains without the pods of lower priority.
	Plugin  string
	Reasons []string
	// Victims make room. Budgets are the PodDisruptionBudgets that their evictions violate, by namespace/name.
	Victims []*v1.Pod
	Budgets []string
}

// FindingsKey is the cycle state's key of the *[Findings] to fill in.
const FindingsKey fwk.StateKey = "orrery/preemption-findings"

// Clone returns the findings themselves, so that those of a state's clones are found in the state.
func (f *Findings) Clone() fwk.StateData { return f }

// FindingsIn returns the findings that a state asks for, or nil.
func FindingsIn(state fwk.CycleState) *Findings {
	f, err := framework.ReadState[*Findings](state, FindingsKey)
	if err != nil {
		return nil
	}
	return f
}

func (f *Findings) ineligible(reason string, terminating []*v1.Pod) {
	if f != nil {
		f.Ineligible, f.Terminating = reason, terminating
	}
}

// tried adds the outcome of a dry run.
func (f *Findings) tried(node fwk.NodeInfo, s *nodeDryRun, o outcome) {
	if f == nil {
		return
	}
	n := NodeFinding{Node: node.Node().Name, Pods: len(node.GetPods()), Lower: len(s.lowerPriority)}
	if o.contender != nil {
		n.Victims = o.contender.Victims
		for _, pdb := range s.violated {
			if name := pdb.Namespace + "/" + pdb.Name; !slices.Contains(n.Budgets, name) {
				n.Budgets = append(n.Budgets, name)
			}
		}
	} else if n.Lower > 0 {
		n.Plugin, n.Reasons = o.status.Plugin(), o.status.Reasons()
	}
	f.Nodes = append(f.Nodes, n)
}

// ended counts the nodes that the dry run left out.
func (f *Findings) ended(tried, potential, all int) {
	if f != nil {
		f.NotTried, f.Unresolvable = potential-tried, all-potential
	}
}

// Progress adds the preemption of a pod that is in progress.
func (f *Findings) Progress(d *VictimEvictions, preemptor *v1.Pod) {
	if f == nil {
		return
	}
	run, ok := d.inProgress[d.latest[preemptor.UID]]
	if !ok {
		return
	}
	f.EvictingOn = run.node
	for _, victim := range run.victims {
		if now := d.currentPod(victim); now != nil && now.DeletionTimestamp == nil {
			f.Evicting = append(f.Evicting, now)
		}
	}
}
