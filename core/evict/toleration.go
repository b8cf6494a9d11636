package evict

import (
	"math"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
)

// TolerationLimit is how long a pod may stay on a node with NoExecute taints.
type TolerationLimit struct {
	// Unlimited is true if no taint limits the stay.
	Unlimited bool
	// Duration is the limit from now on; zero means immediate eviction.
	Duration time.Duration
	// Tolerated is true for a pod that tolerates every taint, if only for a while.
	Tolerated bool
	// Taint is the deciding one: the first untolerated taint, or the first of those tolerated for the shortest time.
	Taint v1.Taint
}

// NoExecute returns the taints with the effect NoExecute.
func NoExecute(taints []v1.Taint) []v1.Taint {
	var execute []v1.Taint
	for i := range taints {
		if taints[i].Effect == v1.TaintEffectNoExecute {
			execute = append(execute, taints[i])
		}
	}
	return execute
}

// TolerationLimitOf returns how long a pod with these tolerations may stay with these NoExecute taints. Of the tolerations
// that match a taint, the first in the pod's order counts; the shortest of those is the limit. Compare enables the
// operators Gt and Lt (the feature gate TaintTolerationComparisonOperators).
func TolerationLimitOf(tolerations []v1.Toleration, taints []v1.Taint, compare bool) TolerationLimit {
	stay := TolerationLimit{Unlimited: true, Tolerated: true}
	for i := range taints {
		used := firstMatchingToleration(tolerations, &taints[i], compare)
		if used == nil {
			return TolerationLimit{Taint: taints[i]}
		}
		limit, limited := secondsLimit(used)
		if limited && (stay.Unlimited || limit < stay.Duration) {
			stay = TolerationLimit{Duration: limit, Tolerated: true, Taint: taints[i]}
		}
	}
	return stay
}

func firstMatchingToleration(tolerations []v1.Toleration, taint *v1.Taint, compare bool) *v1.Toleration {
	for i := range tolerations {
		if tolerations[i].ToleratesTaint(klog.Logger{}, taint, compare) {
			return &tolerations[i]
		}
	}
	return nil
}

// secondsLimit returns how long a toleration lasts, if it has a limit. Seconds that a Duration cannot hold (292 years) are
// no limit.
func secondsLimit(t *v1.Toleration) (limit time.Duration, limited bool) {
	switch {
	case t.TolerationSeconds == nil, *t.TolerationSeconds > math.MaxInt64/int64(time.Second):
		return 0, false
	case *t.TolerationSeconds <= 0:
		return 0, true
	}
	return time.Duration(*t.TolerationSeconds) * time.Second, true
}

// Reason describes the deciding taint and the pod's toleration of it.
func (s TolerationLimit) Reason() string {
	switch {
	case s.Unlimited:
		return "every taint is tolerated"
	case !s.Tolerated:
		return s.Taint.ToString() + " is not tolerated"
	}
	taint := s.Taint.Key // without its effect: only NoExecute has a limit
	if s.Taint.Value != "" {
		taint += "=" + s.Taint.Value
	}
	return taint + ", tolerated for " + s.Duration.String()
}
