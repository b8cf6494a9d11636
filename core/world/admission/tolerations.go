package admission

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"orrery/core/objects/requests"
)

// nodeProblemSeconds is how long a pod stays on a node that is not ready or unreachable, unless it says so itself.
const nodeProblemSeconds = 300

// tolerateNodeProblems lets a pod stay for a while on a node with problems. It is DefaultTolerationSeconds.
func tolerateNodeProblems(_ Reader, q *Request) error {
	pod := q.pod()
	if pod == nil {
		return nil
	}
	given := pod.Spec.Tolerations
	for _, key := range []string{v1.TaintNodeNotReady, v1.TaintNodeUnreachable} {
		said := slices.ContainsFunc(given, func(t v1.Toleration) bool {
			return (t.Key == key || t.Key == "") && (t.Effect == v1.TaintEffectNoExecute || t.Effect == "")
		})
		if !said {
			seconds := int64(nodeProblemSeconds)
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{
				Key: key, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: &seconds,
			})
		}
	}
	return nil
}

// tolerateExtendedResources lets pods onto the nodes that are kept for the resources that they request. It is
// ExtendedResourceToleration.
func tolerateExtendedResources(_ Reader, q *Request) error {
	pod := q.pod()
	if pod == nil {
		return nil
	}
	extended := map[v1.ResourceName]bool{}
	for c := range Containers(&pod.Spec) {
		for name := range c.Resources.Requests {
			if requests.IsExtended(name) {
				extended[name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(extended)) {
		setToleration(pod, v1.Toleration{Key: string(name), Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule})
	}
	return nil
}

// setToleration replaces the tolerations that match one, or else adds it.
func setToleration(pod *v1.Pod, t v1.Toleration) {
	var list []v1.Toleration
	replaced := false
	for _, had := range pod.Spec.Tolerations {
		if t.MatchToleration(&had) {
			had, replaced = t, true
		}
		list = append(list, had)
	}
	if !replaced {
		list = append(list, t)
	}
	pod.Spec.Tolerations = list
}

// mergeTolerations joins two lists, without the tolerations that another one covers.
func mergeTolerations(first, second []v1.Toleration) []v1.Toleration {
	all := slices.Concat(first, second)
	var merged []v1.Toleration
	for i := range all {
		t := &all[i]
		covered := slices.ContainsFunc(merged, func(had v1.Toleration) bool { return covers(&had, t) }) ||
			slices.ContainsFunc(all[i+1:], func(next v1.Toleration) bool {
				return !equality.Semantic.DeepEqual(next, *t) && covers(&next, t)
			})
		if !covered {
			merged = append(merged, *t)
		}
	}
	return merged
}

// covers reports whether a toleration tolerates all that another one does.
func covers(wide, t *v1.Toleration) bool {
	if equality.Semantic.DeepEqual(wide, t) {
		return true
	}
	if t.Key != wide.Key && (wide.Key != "" || wide.Operator != v1.TolerationOpExists) {
		return false
	}
	if t.Effect != wide.Effect && wide.Effect != "" {
		return false
	}
	if limit := wide.TolerationSeconds; wide.Effect == v1.TaintEffectNoExecute && limit != nil &&
		(t.TolerationSeconds == nil || *t.TolerationSeconds > *limit) {
		return false
	}
	switch wide.Operator {
	case v1.TolerationOpExists:
		return true
	case v1.TolerationOpEqual, "":
		return t.Operator == v1.TolerationOpEqual && t.Value == wide.Value
	}
	return false
}
