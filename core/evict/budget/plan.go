package budget

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
)

// DrainOptions are those of kubectl drain.
type DrainOptions struct {
	// Force lets pods go that no controller would replace, IgnoreDaemonSets leaves a daemon set's pods where they are,
	// and DeleteEmptyDirData lets pods go that lose data with their emptyDir volumes. Without them, such pods stop the
	// drain before it has begun.
	Force, IgnoreDaemonSets, DeleteEmptyDirData bool
	// DisableEviction deletes the pods, whatever the budgets say.
	DisableEviction bool
	// GraceSeconds replaces the pods' own grace periods, unless it is nil.
	GraceSeconds *int64
	// Timeout is how long the whole may take; zero is for ever.
	Timeout time.Duration
	// SkipWait leaves alone pods that have been due to be gone for that long; zero is never.
	SkipWait time.Duration
}

// Plan is what a drain will do with the pods of a node.
type Plan struct {
	// Leave are the pods that have to go, by namespace and name.
	Leave []*v1.Pod
	// Stay are those that are left alone.
	Stay []*v1.Pod
	// Warnings are for people: what is left alone, and what is lost.
	Warnings []string
}

// What kubectl says of pods, and the flag that changes it.
const (
	daemonSetFatal, daemonSetWarning       = "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)", "ignoring DaemonSet-managed Pods"
	localStorageFatal, localStorageWarning = "Pods with local storage (use --delete-emptydir-data to override)", "deleting Pods with local storage"
	unmanagedFatal, unmanagedWarning       = "Pods declare no controller (use --force to override)", "deleting Pods that declare no controller"
)

// opinion is what one rule says of a pod: that it is left alone, that it stops the drain, or only a warning.
type opinion struct {
	stays   bool
	fatal   string
	warning string
}

// rule is one of the rules of a drain.
type rule func(o DrainOptions, pod *v1.Pod, lookup Lookup, now time.Time) opinion

var rules = []rule{longGone, ofDaemonSet, mirror, keepsData, unmanaged}

// MakePlan sorts the pods of a node into those that have to go and those that stay. The error names every pod that
// stops the drain.
func MakePlan(o DrainOptions, pods []*v1.Pod, lookup Lookup, now time.Time) (Plan, error) {
	var plan Plan
	var warnings, errors verdicts
	for _, pod := range sortedByName(pods) {
		stays, warning := false, ""
		for _, rule := range rules {
			says := rule(o, pod, lookup, now)
			if says.warning != "" {
				warning = says.warning
			}
			if says.fatal != "" {
				errors.add(says.fatal, pod)
			}
			if says.stays || says.fatal != "" {
				stays = true
				break
			}
		}
		if warning != "" {
			warnings.add(warning, pod)
		}
		if stays {
			plan.Stay = append(plan.Stay, pod)
		} else {
			plan.Leave = append(plan.Leave, pod)
		}
	}
	plan.Warnings = warnings.lines()
	if lines := errors.lines(); len(lines) > 0 {
		return plan, fmt.Errorf("cannot delete %s", strings.Join(lines, "; cannot delete "))
	}
	return plan, nil
}

// longGone leaves alone what should have been gone for long.
func longGone(o DrainOptions, pod *v1.Pod, _ Lookup, now time.Time) opinion {
	return opinion{stays: o.SkipWait > 0 && pod.DeletionTimestamp != nil && now.Sub(pod.DeletionTimestamp.Time) > o.SkipWait}
}

// ofDaemonSet leaves alone what would only come back, since a daemon set ignores that a node is cordoned.
func ofDaemonSet(o DrainOptions, pod *v1.Pod, lookup Lookup, _ time.Time) opinion {
	ref := metav1.GetControllerOfNoCopy(pod)
	switch {
	case ref == nil || ref.Kind != string(world.DaemonSet) || hasEnded(pod):
		return opinion{}
	case lookup(world.DaemonSet, pod.Namespace, ref.Name) == nil:
		gone := fmt.Sprintf("daemonsets.apps %q not found", ref.Name)
		if o.Force {
			return opinion{warning: gone}
		}
		return opinion{fatal: gone}
	case !o.IgnoreDaemonSets:
		return opinion{fatal: daemonSetFatal}
	}
	return opinion{stays: true, warning: daemonSetWarning}
}

// mirror leaves alone what only reflects a static pod.
func mirror(_ DrainOptions, pod *v1.Pod, _ Lookup, _ time.Time) opinion {
	_, reflects := pod.Annotations[v1.MirrorPodAnnotationKey]
	return opinion{stays: reflects}
}

func keepsData(o DrainOptions, pod *v1.Pod, _ Lookup, _ time.Time) opinion {
	local := slices.ContainsFunc(pod.Spec.Volumes, func(v v1.Volume) bool { return v.EmptyDir != nil })
	return unless(!local || hasEnded(pod), o.DeleteEmptyDirData, localStorageFatal, localStorageWarning)
}

func unmanaged(o DrainOptions, pod *v1.Pod, _ Lookup, _ time.Time) opinion {
	return unless(metav1.GetControllerOfNoCopy(pod) != nil || hasEnded(pod), o.Force, unmanagedFatal, unmanagedWarning)
}

// unless has nothing to say of what is harmless, warns of what is allowed, and stops at what is not.
func unless(harmless, allowed bool, fatal, warning string) opinion {
	switch {
	case harmless:
		return opinion{}
	case allowed:
		return opinion{warning: warning}
	}
	return opinion{fatal: fatal}
}

// verdicts are what is said of pods, each once with all its pods, in the order in which it was first said.
type verdicts []struct {
	says string
	pods []string
}

func (v *verdicts) add(says string, pod *v1.Pod) {
	name := pod.Namespace + "/" + pod.Name
	for i := range *v {
		if (*v)[i].says == says {
			(*v)[i].pods = append((*v)[i].pods, name)
			return
		}
	}
	*v = append(*v, struct {
		says string
		pods []string
	}{says, []string{name}})
}

func (v verdicts) lines() []string {
	var lines []string
	for _, said := range v {
		lines = append(lines, said.says+": "+strings.Join(said.pods, ", "))
	}
	return lines
}
