package scenario

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
)

// nodes are the names of those that words mean.
func (s *stage) nodes(words []string) []string {
	var all []string
	for _, o := range s.cluster.List(world.Node) {
		node := o.(*v1.Node)
		if slices.ContainsFunc(words, func(word string) bool { return matches(word, node) }) {
			all = append(all, node.Name)
		}
	}
	return all
}

func (s *stage) eachNode(words []string, do func(name string) error) error {
	for _, name := range s.nodes(words) {
		if err := do(name); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) add(m *moment) error {
	for i := range m.Add {
		if err := s.addNodes(&m.Add[i], false); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) remove(m *moment) error {
	return s.eachNode(m.Remove, func(name string) error {
		return s.cluster.Delete(world.Node, "", name, metav1.DeleteOptions{})
	})
}

func (s *stage) cordon(words []string, on bool) error {
	return s.eachNode(words, func(name string) error { return setCordon(s.cluster, s.cluster.Node(name), on) })
}

func (s *stage) drain(m *moment) error {
	if m.Drain != nil {
		s.begin(m.Drain)
	}
	return nil
}

// retaint sets taints, or takes them off: those of the same key and effect.
func (s *stage) retaint(t *tainting, on bool) error {
	if t == nil {
		return nil
	}
	return s.eachNode(t.Nodes, func(name string) error {
		return s.edit(world.Node, "", name, func(o world.Object) {
			spec := &o.(*v1.Node).Spec
			for _, one := range t.With {
				spec.Taints = slices.DeleteFunc(spec.Taints, func(had v1.Taint) bool {
					return had.Key == one.Key && had.Effect == one.Effect
				})
				if on {
					at := metav1.Time{Time: s.cluster.Now()}
					one.TimeAdded = &at
					spec.Taints = append(spec.Taints, one.Taint)
				}
			}
		})
	})
}
