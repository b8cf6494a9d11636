package evict

import (
	"math"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
)

// Stay is how long a pod may stay on a node whose taints say NoExecute.
type Stay struct {
	// Forever says that nothing limits it.
	Forever bool
	// For is the limit otherwise, counted from the moment at which it is asked for; zero is not at all.
	For time.Duration
	// Tolerated tells a pod that tolerates every taint, for a while, from one that does not tolerate Taint.
	Tolerated bool
	// Taint decides: the first that is not tolerated, or the first that is tolerated for the shortest time.
	Taint v1.Taint
}

// NoExecute are the taints among those given that make pods leave.
func NoExecute(taints []v1.Taint) []v1.Taint {
	var execute []v1.Taint
	for i := range taints {
		if taints[i].Effect == v1.TaintEffectNoExecute {
			execute = append(execute, taints[i])
		}
	}
	return execute
}

// StayOf is how long a pod with these tolerations may stay with these taints, all of which make pods leave. Of the
// tolerations that match a taint, the first in the pod's order counts, and of those the shortest. Compare says that the
// operators Gt and Lt are known (the feature gate TaintTolerationComparisonOperators).
func StayOf(tolerations []v1.Toleration, taints []v1.Taint, compare bool) Stay {
	stay := Stay{Forever: true, Tolerated: true}
	for i := range taints {
		used := firstMatch(tolerations, &taints[i], compare)
		if used == nil {
			return Stay{Taint: taints[i]}
		}
		limit, limited := patience(used)
		if limited && (stay.Forever || limit < stay.For) {
			stay = Stay{For: limit, Tolerated: true, Taint: taints[i]}
		}
	}
	return stay
}

func firstMatch(tolerations []v1.Toleration, taint *v1.Taint, compare bool) *v1.Toleration {
	for i := range tolerations {
		if tolerations[i].ToleratesTaint(klog.Logger{}, taint, compare) {
			return &tolerations[i]
		}
	}
	return nil
}

// patience is how long a toleration lasts, if it has a limit. What a Duration cannot hold is 292 years and more, which
// is for ever.
func patience(t *v1.Toleration) (limit time.Duration, limited bool) {
	switch {
	case t.TolerationSeconds == nil, *t.TolerationSeconds > math.MaxInt64/int64(time.Second):
		return 0, false
	case *t.TolerationSeconds <= 0:
		return 0, true
	}
	return time.Duration(*t.TolerationSeconds) * time.Second, true
}

// Why says it for people: which taint, and what the pod makes of it.
func (s Stay) Why() string {
	switch {
	case s.Forever:
		return "every taint is tolerated"
	case !s.Tolerated:
		return s.Taint.ToString() + " is not tolerated"
	}
	return s.Taint.ToString() + " is tolerated for " + s.For.String()
}
