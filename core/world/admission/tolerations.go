package admission

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"orrery/core/objects/requests"
	"orrery/core/world"
	"orrery/core/world/podapi"
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
	for c := range podapi.Containers(&pod.Spec) {
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

// The annotations of a namespace for PodTolerationRestriction.
const (
	defaultTolerationsAnnotation = "scheduler.alpha.kubernetes.io/defaultTolerations"
	whitelistAnnotation          = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"
)

// tolerateAsNamespace gives a pod the tolerations of its namespace, and that of memory pressure unless it is best effort. It
// is the first half of PodTolerationRestriction.
func (o *Options) tolerateAsNamespace(r Reader, q *Request) error {
	pod := q.pod()
	if pod == nil {
		return nil
	}
	var more []v1.Toleration
	if q.Old == nil {
		given, said, err := tolerationsOf(r, pod.Namespace, defaultTolerationsAnnotation)
		if err != nil {
			return err
		}
		if !said {
			given = slices.Clone(o.DefaultTolerations)
		}
		more = given
	}
	if podapi.QOSClass(pod) != v1.PodQOSBestEffort {
		more = append(more, v1.Toleration{Key: v1.TaintNodeMemoryPressure, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule})
	}
	if len(more) > 0 {
		pod.Spec.Tolerations = mergeTolerations(pod.Spec.Tolerations, more)
	}
	return o.withinWhitelist(r, q)
}

// withinWhitelist refuses tolerations that the namespace does not allow. It is the second half of PodTolerationRestriction.
func (o *Options) withinWhitelist(r Reader, q *Request) error {
	pod := q.pod()
	if pod == nil || len(pod.Spec.Tolerations) == 0 {
		return nil
	}
	allowed, said, err := tolerationsOf(r, pod.Namespace, whitelistAnnotation)
	by := "namespace"
	if !said {
		allowed, by = o.AllowedTolerations, "cluster"
	}
	if err != nil || len(allowed) == 0 {
		return err
	}
	for i := range pod.Spec.Tolerations {
		covered := slices.ContainsFunc(allowed, func(w v1.Toleration) bool { return covers(&w, &pod.Spec.Tolerations[i]) })
		if !covered {
			return fmt.Errorf("pod tolerations (possibly merged with namespace default tolerations) conflict with its %s whitelist", by)
		}
	}
	return nil
}

// tolerationsOf reads the tolerations in an annotation of a namespace, which may say nothing.
func tolerationsOf(r Reader, namespace, annotation string) (list []v1.Toleration, said bool, err error) {
	ns, err := r.Get(world.Namespace, "", namespace)
	if err != nil {
		return nil, false, err
	}
	text, said := ns.GetAnnotations()[annotation]
	if text == "" {
		return nil, said, nil
	}
	err = json.Unmarshal([]byte(text), &list)
	return list, true, err
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
