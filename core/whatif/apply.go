package whatif

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/printable"
	"orrery/core/world"
)

// apply makes one change in the cluster. The engine hears of it as of anything else that happens there.
func (r *run) apply(c Change) error {
	switch c.Verb {
	case Cordon, Uncordon:
		return r.setUnschedulable(c.Name, c.Verb == Cordon)
	case Drain:
		if _, err := r.node(c.Name); err != nil {
			return err
		}
		return r.startDrain(c.Name)
	case AddNodes:
		return r.addNodes(c.Name, c.Count)
	case DeleteNode:
		if _, err := r.node(c.Name); err != nil {
			return err
		}
		return r.cluster.Delete(world.Node, "", c.Name, metav1.DeleteOptions{})
	case Taint, Untaint:
		return r.setTaint(c)
	case Scale:
		return r.scale(c.Name, c.Count)
	}
	pod, err := r.pod(c.Name)
	if err != nil {
		return err
	}
	return r.applyToPod(c, pod)
}

// applyToPod makes a change of one pod.
func (r *run) applyToPod(c Change, pod *v1.Pod) error {
	if c.Verb == DeletePod {
		return r.cluster.Delete(world.Pod, pod.Namespace, pod.Name, metav1.DeleteOptions{})
	}
	changed := pod.DeepCopy()
	if err := alter(changed, c, r.classes(), r.engine.Profiles()); err != nil {
		return err
	}
	if pod.Spec.NodeName != "" && (c.Verb == SetRequests || c.Verb == SetProfile) {
		r.follow.remade[pod.UID] = true
		r.create(anew(changed, changed.Name))
		return nil
	}
	changed.ResourceVersion = ""
	r.create(changed)
	r.cluster.Ask(nameOf(pod))
	return nil
}

func (r *run) node(name string) (*v1.Node, error) {
	if node := r.cluster.Node(name); node != nil {
		return node, nil
	}
	return nil, fmt.Errorf("there is no node %q", printable.Line(name, 80))
}

// pod finds a pod by NAMESPACE/NAME or, by the name alone, in the namespace default or where there is only one of it.
func (r *run) pod(name string) (*v1.Pod, error) {
	pods := named(r, world.Pod, name)
	if err := onlyOne("pod", name, len(pods)); err != nil {
		return nil, err
	}
	return pods[0].(*v1.Pod), nil
}

func onlyOne(noun, name string, there int) error {
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

func (r *run) setTaint(c Change) error {
	node, err := r.node(c.Name)
	if err != nil {
		return err
	}
	changed := node.DeepCopy()
	if changed.Spec.Taints, err = withTaint(changed.Spec.Taints, c, metav1.Time{Time: r.now}); err != nil {
		return fmt.Errorf("node %q: %w", c.Name, err)
	}
	_, err = r.cluster.Update(changed)
	return err
}

// withTaint sets or takes off a taint. One of the same key and effect is replaced.
func withTaint(list []v1.Taint, c Change, now metav1.Time) ([]v1.Taint, error) {
	if c.Verb == Taint {
		t, err := taintOf(c.Value)
		if err != nil {
			return nil, err
		}
		t.TimeAdded = &now
		list = slices.DeleteFunc(list, func(had v1.Taint) bool { return had.Key == t.Key && had.Effect == t.Effect })
		return append(list, t), nil
	}
	key, effect, err := taintKey(c.Value)
	if err != nil {
		return nil, err
	}
	rest := slices.DeleteFunc(slices.Clone(list), func(had v1.Taint) bool {
		return had.Key == key && (effect == "" || had.Effect == effect)
	})
	if len(rest) == len(list) {
		return nil, fmt.Errorf("there is no taint %q", c.Value)
	}
	return rest, nil
}
