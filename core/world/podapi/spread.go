package podapi

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// spread checks the topology spread constraints. Two of a pod differ in their key or in what happens if they do not hold.
func spread(list []v1.TopologySpreadConstraint, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for i := range list {
		wrong = append(wrong, constraint(&list[i], path.Index(i))...)
		for j := range list[i+1:] {
			if other := &list[i+1+j]; other.TopologyKey == list[i].TopologyKey && other.WhenUnsatisfiable == list[i].WhenUnsatisfiable {
				wrong = append(wrong, field.Duplicate(path.Index(i).Child("{topologyKey, whenUnsatisfiable}"),
					fmt.Sprintf("{%s, %s}", list[i].TopologyKey, list[i].WhenUnsatisfiable)))
				break
			}
		}
	}
	return wrong
}

func constraint(c *v1.TopologySpreadConstraint, path *field.Path) field.ErrorList {
	wrong := positive(c.MaxSkew, path.Child("maxSkew"))
	if c.TopologyKey == "" {
		wrong = append(wrong, field.Required(path.Child("topologyKey"), "can not be empty"))
	}
	if when := c.WhenUnsatisfiable; when != v1.DoNotSchedule && when != v1.ScheduleAnyway {
		wrong = append(wrong, field.NotSupported(path.Child("whenUnsatisfiable"), when,
			[]v1.UnsatisfiableConstraintAction{v1.DoNotSchedule, v1.ScheduleAnyway}))
	}
	wrong = append(wrong, minDomains(c, path.Child("minDomains"))...)
	wrong = append(wrong, inclusion(c.NodeAffinityPolicy, path.Child("nodeAffinityPolicy"))...)
	wrong = append(wrong, inclusion(c.NodeTaintsPolicy, path.Child("nodeTaintsPolicy"))...)
	wrong = append(wrong, labelKeys(c.MatchLabelKeys, nil, c.LabelSelector, path)...)
	return append(wrong, labelSelector(c.LabelSelector, path.Child("labelSelector"))...)
}

func positive(n int32, path *field.Path) field.ErrorList {
	if n <= 0 {
		return field.ErrorList{field.Invalid(path, int64(n), "must be greater than zero")}
	}
	return nil
}

func minDomains(c *v1.TopologySpreadConstraint, path *field.Path) field.ErrorList {
	if c.MinDomains == nil {
		return nil
	}
	wrong := positive(*c.MinDomains, path)
	if c.WhenUnsatisfiable != v1.DoNotSchedule {
		wrong = append(wrong, field.Invalid(path, c.MinDomains,
			fmt.Sprintf("can only use minDomains if whenUnsatisfiable=%s, not %s", v1.DoNotSchedule, c.WhenUnsatisfiable)))
	}
	return wrong
}

// inclusion checks a policy of which nodes count; without one a node counts as by default.
func inclusion(policy *v1.NodeInclusionPolicy, path *field.Path) field.ErrorList {
	if policy == nil || *policy == v1.NodeInclusionPolicyHonor || *policy == v1.NodeInclusionPolicyIgnore {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, policy, []v1.NodeInclusionPolicy{v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore})}
}
