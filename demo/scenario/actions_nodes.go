package scenario

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
)

// nodes returns the names of the nodes that match the words.
func (d *ScriptRunner) nodes(words []string) []string {
	var all []string
	for _, o := range d.server.List(world.Node) {
		node := o.(*v1.Node)
		if slices.ContainsFunc(words, func(word string) bool { return matchesNode(word, node) }) {
			all = append(all, node.Name)
		}
	}
	return all
}

func (d *ScriptRunner) eachNode(words []string, do func(name string) error) error {
	for _, name := range d.nodes(words) {
		if err := do(name); err != nil {
			return err
		}
	}
	return nil
}

func (d *ScriptRunner) add(m *moment) error {
	for i := range m.Add {
		if err := d.addNodes(&m.Add[i], false); err != nil {
			return err
		}
		for _, node := range m.Add[i].nodes() {
			if err := d.joined(&m.Add[i], node.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *ScriptRunner) remove(m *moment) error {
	return d.eachNode(m.Remove, func(name string) error {
		return d.server.Delete(world.Node, "", name, metav1.DeleteOptions{})
	})
}

func (d *ScriptRunner) cordon(words []string, on bool) error {
	return d.eachNode(words, func(name string) error { return d.setCordon(name, on) })
}

func (d *ScriptRunner) setCordon(name string, on bool) error {
	return d.edit(world.Node, "", name, func(o world.Object) { o.(*v1.Node).Spec.Unschedulable = on })
}

func (d *ScriptRunner) drain(m *moment) error {
	if m.Drain != nil {
		d.startDrain(m.Drain)
	}
	return nil
}

// changeTaints sets taints, or takes them off: those of the same key and effect.
func (d *ScriptRunner) changeTaints(t *taintChange, on bool) error {
	if t == nil {
		return nil
	}
	return d.eachNode(t.Nodes, func(name string) error {
		return d.edit(world.Node, "", name, func(o world.Object) {
			spec := &o.(*v1.Node).Spec
			for _, one := range t.Taints {
				spec.Taints = slices.DeleteFunc(spec.Taints, func(had v1.Taint) bool {
					return had.Key == one.Key && had.Effect == one.Effect
				})
				if on {
					at := metav1.Time{Time: d.server.Now()}
					one.TimeAdded = &at
					spec.Taints = append(spec.Taints, one.Taint)
				}
			}
		})
	})
}
