package whatif

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/change"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// apply makes one change in the simulated cluster, whose events inform the engine.
func (r *run) apply(c change.Change) error {
	switch c.Verb {
	case change.Cordon, change.Uncordon:
		return r.setUnschedulable(c.Name, c.Verb == change.Cordon)
	case change.Drain:
		if _, err := r.node(c.Name); err != nil {
			return err
		}
		return r.startDrain(c.Name)
	case change.AddNodes:
		return r.addNodes(c.Name, c.Count)
	case change.AddShape:
		return r.addShape(c)
	case change.DeleteNode:
		if _, err := r.node(c.Name); err != nil {
			return err
		}
		return r.cluster.Delete(world.Node, "", c.Name, metav1.DeleteOptions{})
	case change.Taint, change.Untaint:
		return r.setTaint(c)
	case change.Label:
		return r.setLabel(c)
	case change.Scale:
		return r.scale(c.Name, c.Count)
	case change.AddVolume, change.SetCapacity, change.DeleteClaim, change.SetClass:
		return r.changeStorage(c)
	case change.AddDevice, change.TaintDevice, change.UntaintDevice:
		return r.changeDevice(c)
	case change.DeleteGang:
		return r.deleteGang(c.Name)
	case change.SetMinCount:
		return r.setMinCount(c.Name, c.Count)
	case change.Upgrade:
		return r.upgrade(c.Name)
	case change.FreeClaim, change.SetDeviceClass, change.SetDeviceCount, change.RelaxClaim, change.DropConstraint, change.TolerateDevices:
		return r.changeDeviceClaim(c)
	}
	pod, err := r.pod(c.Name)
	if err != nil {
		return err
	}
	return r.applyToPod(c, pod)
}

// applyToPod changes one pod.
func (r *run) applyToPod(c change.Change, pod *v1.Pod) error {
	if c.Verb == change.DeletePod {
		r.slots.deleted[pod.UID] = true
		return r.cluster.Delete(world.Pod, pod.Namespace, pod.Name, metav1.DeleteOptions{})
	}
	if c.Verb == change.Move {
		return r.move(pod, c.Value)
	}
	changed := pod.DeepCopy()
	if err := c.AlterPod(changed, r.priorityClass, r.engine.Profiles(), comparisons(r.engine)); err != nil {
		return err
	}
	if pod.Spec.NodeName != "" && (c.Verb == change.SetRequests || c.Verb == change.SetProfile) {
		r.slots.recreated[pod.UID] = true
		r.put(recreate(changed, changed.Name))
		return nil
	}
	changed.ResourceVersion = ""
	r.put(changed)
	r.cluster.RequestActivation(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name})
	return nil
}

// move recreates a pod on a node, where it has to fit.
func (r *run) move(pod *v1.Pod, node string) error {
	if _, err := r.node(node); err != nil {
		return err
	}
	x, err := r.engine.Explain(pod.Namespace, pod.Name)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(x.Nodes, func(n engine.NodeVerdict) bool { return n.Node == node })
	if i < 0 || !x.Nodes[i].Feasible {
		return fmt.Errorf("pod %q does not fit on node %q", printable.Line(pod.Namespace+"/"+pod.Name, 200), printable.Line(node, 80))
	}
	moved := recreate(pod, pod.Name)
	moved.Spec.NodeName = node
	r.slots.recreated[pod.UID] = true
	r.put(moved)
	return nil
}

func (r *run) priorityClass(name string) *schedulingv1.PriorityClass {
	o, err := r.cluster.Get(world.PriorityClass, "", name)
	if err != nil {
		return nil
	}
	return o.(*schedulingv1.PriorityClass)
}

func (r *run) node(name string) (*v1.Node, error) {
	if node := r.cluster.Node(name); node != nil {
		return node, nil
	}
	return nil, fmt.Errorf("there is no node %q", printable.Line(name, 80))
}

// pod finds a pod by NAMESPACE/NAME, or by NAME in the default namespace or, if absent there, in the only namespace
// that has it.
func (r *run) pod(name string) (*v1.Pod, error) {
	pods := findAll(r, world.Pod, name)
	if err := checkUnique("pod", name, len(pods)); err != nil {
		return nil, err
	}
	return pods[0].(*v1.Pod), nil
}

func checkUnique(noun, name string, there int) error {
	name = printable.Line(name, 80)
	switch {
	case there == 0:
		return fmt.Errorf("there is no %s %q", noun, name)
	case there > 1:
		return fmt.Errorf("there are %d of the name %q in several namespaces: write NAMESPACE/%s", there, name, name)
	}
	return nil
}

func (r *run) setUnschedulable(name string, yes bool) error {
	node, err := r.node(name)
	if err != nil {
		return err
	}
	changed := node.DeepCopy()
	changed.Spec.Unschedulable = yes
	_, err = r.cluster.Update(changed)
	return err
}

func (r *run) setTaint(c change.Change) error {
	node, err := r.node(c.Name)
	if err != nil {
		return err
	}
	changed := node.DeepCopy()
	if changed.Spec.Taints, err = c.AlterTaints(changed.Spec.Taints, metav1.Time{Time: r.now}); err != nil {
		return fmt.Errorf("node %q: %w", c.Name, err)
	}
	_, err = r.cluster.Update(changed)
	return err
}

func (r *run) setLabel(c change.Change) error {
	node, err := r.node(c.Name)
	if err != nil {
		return err
	}
	changed := node.DeepCopy()
	if err := c.AlterLabels(changed); err != nil {
		return fmt.Errorf("node %q: %w", c.Name, err)
	}
	_, err = r.cluster.Update(changed)
	return err
}

// addNodes adds new nodes like an existing one.
func (r *run) addNodes(like string, n int) error {
	model, err := r.node(like)
	if err != nil {
		return err
	}
	for _, name := range r.newNodeNames(like[:min(len(like), maxNameBytes-maxSuffixBytes)]+"-new", n) {
		// It is taken as it is: a name or a label that the model may have can be too long for another node.
		if err := r.cluster.Load(change.NodeLike(model, name)); err != nil {
			return err
		}
		if err := r.addSlicesLike(model, name); err != nil {
			return err
		}
	}
	return nil
}

// addShape adds new nodes of a shape. Where there are daemon sets, their pods have their places before others come: a real node is not ready
// until they were scheduled, which they tolerate.
func (r *run) addShape(c change.Change) error {
	names, daemons := r.newNodeNames("new-node-", c.Count), r.engine.Store().Len(world.DaemonSet) > 0
	for _, name := range names {
		node, err := c.NewNode(name)
		if err != nil {
			return err
		}
		node.Spec.Unschedulable = daemons
		if err := r.cluster.Load(node); err != nil {
			return err
		}
	}
	if !daemons {
		return nil
	}
	r.toRestNow()
	for _, name := range names {
		if err := r.setUnschedulable(name, false); err != nil {
			return err
		}
	}
	return nil
}

// newNodeNames returns n names that no node has.
func (r *run) newNodeNames(stem string, n int) []string {
	var names []string
	for number := 1; len(names) < n; number++ {
		if name := fmt.Sprintf("%s%d", stem, number); r.cluster.Node(name) == nil {
			names = append(names, name)
		}
	}
	return names
}
