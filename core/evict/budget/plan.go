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

// DrainOptions are the options of kubectl drain.
type DrainOptions struct {
	// Force allows pods without a controller, IgnoreDaemonSets skips DaemonSet pods, and DeleteEmptyDirData allows pods
	// that lose data with their emptyDir volumes. Without them, such pods fail the drain before it begins.
	Force, IgnoreDaemonSets, DeleteEmptyDirData bool
	// DisableEviction deletes the pods regardless of budgets.
	DisableEviction bool
	// GraceSeconds replaces the pods' own grace periods, unless it is nil.
	GraceSeconds *int64
	// Timeout bounds the whole drain; zero is no limit.
	Timeout time.Duration
	// SkipWait skips pods whose deletion deadline passed that long ago; zero skips none.
	SkipWait time.Duration
}

// Plan is what a drain does with the pods of a node.
type Plan struct {
	// Evict are the pods to evict, by namespace and name.
	Evict []*v1.Pod
	// Skip are the pods that stay.
	Skip []*v1.Pod
	// Warnings describe what is skipped and what is lost.
	Warnings []string
}

// kubectl's messages about pods, with the flag that changes each.
const (
	daemonSetFatal, daemonSetWarning       = "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)", "ignoring DaemonSet-managed Pods"
	localStorageFatal, localStorageWarning = "Pods with local storage (use --delete-emptydir-data to override)", "deleting Pods with local storage"
	unmanagedFatal, unmanagedWarning       = "Pods declare no controller (use --force to override)", "deleting Pods that declare no controller"
)

// filterResult is the result of one filter: the pod is skipped, fails the drain, or only causes a warning.
type filterResult struct {
	skip    bool
	fatal   string
	warning string
}

// podFilter is one of the rules of a drain.
type podFilter func(o DrainOptions, pod *v1.Pod, lookup Lookup, now time.Time) filterResult

var podFilters = []podFilter{skipDeletedFilter, daemonSetFilter, mirrorPodFilter, localStorageFilter, unmanagedFilter}

// MakePlan divides the pods of a node into those to evict and those to skip. The error names every pod that fails the
// drain.
func MakePlan(o DrainOptions, pods []*v1.Pod, lookup Lookup, now time.Time) (Plan, error) {
	var plan Plan
	var warnings, errors podMessages
	for _, pod := range sortedByName(pods) {
		stays, warning := false, ""
		for _, rule := range podFilters {
			result := rule(o, pod, lookup, now)
			if result.warning != "" {
				warning = result.warning
			}
			if result.fatal != "" {
				errors.add(result.fatal, pod)
			}
			if result.skip || result.fatal != "" {
				stays = true
				break
			}
		}
		if warning != "" {
			warnings.add(warning, pod)
		}
		if stays {
			plan.Skip = append(plan.Skip, pod)
		} else {
			plan.Evict = append(plan.Evict, pod)
		}
	}
	plan.Warnings = warnings.lines()
	if lines := errors.lines(); len(lines) > 0 {
		return plan, fmt.Errorf("cannot delete %s", strings.Join(lines, "; cannot delete "))
	}
	return plan, nil
}

// skipDeletedFilter skips pods whose deletion is long overdue.
func skipDeletedFilter(o DrainOptions, pod *v1.Pod, _ Lookup, now time.Time) filterResult {
	return filterResult{skip: o.SkipWait > 0 && pod.DeletionTimestamp != nil && now.Sub(pod.DeletionTimestamp.Time) > o.SkipWait}
}

// daemonSetFilter skips DaemonSet pods: their controller ignores cordons and would recreate them.
func daemonSetFilter(o DrainOptions, pod *v1.Pod, lookup Lookup, _ time.Time) filterResult {
	ref := metav1.GetControllerOfNoCopy(pod)
	switch {
	case ref == nil || ref.Kind != string(world.DaemonSet) || isTerminal(pod):
		return filterResult{}
	case lookup(world.DaemonSet, pod.Namespace, ref.Name) == nil:
		gone := fmt.Sprintf("daemonsets.apps %q not found", ref.Name)
		if o.Force {
			return filterResult{warning: gone}
		}
		return filterResult{fatal: gone}
	case !o.IgnoreDaemonSets:
		return filterResult{fatal: daemonSetFatal}
	}
	return filterResult{skip: true, warning: daemonSetWarning}
}

// mirrorPodFilter skips mirror pods, which only reflect static pods.
func mirrorPodFilter(_ DrainOptions, pod *v1.Pod, _ Lookup, _ time.Time) filterResult {
	_, reflects := pod.Annotations[v1.MirrorPodAnnotationKey]
	return filterResult{skip: reflects}
}

func localStorageFilter(o DrainOptions, pod *v1.Pod, _ Lookup, _ time.Time) filterResult {
	local := slices.ContainsFunc(pod.Spec.Volumes, func(v v1.Volume) bool { return v.EmptyDir != nil })
	return allowedOrFatal(!local || isTerminal(pod), o.DeleteEmptyDirData, localStorageFatal, localStorageWarning)
}

func unmanagedFilter(o DrainOptions, pod *v1.Pod, _ Lookup, _ time.Time) filterResult {
	return allowedOrFatal(metav1.GetControllerOfNoCopy(pod) != nil || isTerminal(pod), o.Force, unmanagedFatal, unmanagedWarning)
}

// allowedOrFatal returns nothing for a harmless pod, a warning for an allowed one, and an error for any other.
func allowedOrFatal(harmless, allowed bool, fatal, warning string) filterResult {
	switch {
	case harmless:
		return filterResult{}
	case allowed:
		return filterResult{warning: warning}
	}
	return filterResult{fatal: fatal}
}

// podMessages holds messages about pods, each once with all its pods, in the order of first use.
type podMessages []struct {
	text string
	pods []string
}

func (v *podMessages) add(text string, pod *v1.Pod) {
	name := pod.Namespace + "/" + pod.Name
	for i := range *v {
		if (*v)[i].text == text {
			(*v)[i].pods = append((*v)[i].pods, name)
			return
		}
	}
	*v = append(*v, struct {
		text string
		pods []string
	}{text, []string{name}})
}

func (v podMessages) lines() []string {
	var lines []string
	for _, message := range v {
		lines = append(lines, message.text+": "+strings.Join(message.pods, ", "))
	}
	return lines
}
