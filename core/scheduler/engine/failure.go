package engine

import (
	"cmp"
	"errors"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
)

// failure describes why an attempt ended without a node.
type failure struct {
	status *fwk.Status
	// nomination is the change to the pod's nomination; nil leaves it as it is.
	nomination *fwk.NominatingInfo
	// cleanupErr is an error of undoing the placement; it is only reported.
	cleanupErr error

	text string // the status' message, built on first use
}

// message returns the pod's condition message. It is built once, as it summarizes the results on thousands of nodes.
func (f *failure) message() string {
	if f.text == "" {
		f.text = f.status.Message()
	}
	return f.text
}

// recordFailure writes the failure into the attempt's decision.
func (a *attempt) recordFailure(f *failure) {
	a.decision.Verdict = Failed
	if f.status.IsRejected() {
		a.decision.Verdict = Unschedulable
	}
	a.decision.Message = f.message()
	if f.nomination.Mode() == fwk.ModeOverride {
		a.decision.Nominated = f.nomination.NominatedNodeName
	}
	a.decision.Rejections = rejections(f.status)
}

// requeue returns a pod to the queue after a failure, and emits an event and, where it has something new, a patch of
// the pod's status.
func (e *Engine) requeue(popped *queue.Pod, profile string, f *failure) {
	e.reportProblem(f.cleanupErr)
	pod := popped.Pod()
	var fit *framework.FitError
	if errors.As(f.status.AsError(), &fit) {
		popped.Reject(fit.Diagnosis.UnschedulablePlugins, fit.Diagnosis.PendingPlugins)
	}
	// The store has the current pod: it may have been changed, bound by another scheduler, replaced or deleted. From 1.36 on the failure is
	// written to the current pod, whose nomination may be newer, and not at all to another one of the same name.
	switch current := e.store.Pod(pod.Namespace, pod.Name); {
	case current == nil || assigned(current):
		e.queue.Done(pod.UID)
	case current.UID != pod.UID:
		e.queue.Done(pod.UID)
		if e.features.writesToCurrent {
			return
		}
	default:
		popped.Update(current)
		e.reportProblem(e.queue.AddUnschedulableIfNotPresent(popped, e.queue.SchedulingCycle(), e.now))
		if e.features.writesToCurrent {
			pod = current
		}
	}
	nominated, _ := e.queue.NominatedNode(pod)
	e.queue.AddNominatedPod(klog.Logger{}, popped.GetPodInfo(), f.nomination)

	message := f.message()
	e.emit(world.EmitEvent{
		Regarding: world.PodRefOf(pod), Type: v1.EventTypeWarning, Reason: "FailedScheduling", Action: "Scheduling",
		Note: truncateNote(message), Controller: profile,
	})
	e.patchStatus(pod, nominated, f, message)
}

// patchStatus writes only a changed condition or nomination; most repeated failures write nothing. The pod was nominated for a node,
// which its status may not show yet.
func (e *Engine) patchStatus(pod *v1.Pod, nominated string, f *failure, message string) {
	reason := v1.PodReasonSchedulerError
	if f.status.IsRejected() {
		reason = v1.PodReasonUnschedulable
	}
	patch := world.PatchStatus{Pod: world.PodRefOf(pod)}
	if !hasCondition(pod, reason, message) {
		patch.Condition = &v1.PodCondition{
			Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: reason, Message: message,
			ObservedGeneration: pod.Generation,
		}
	}
	if f.nomination.Mode() == fwk.ModeOverride {
		node := &f.nomination.NominatedNodeName
		if clears := *node == "" && nominated != ""; clears || *node != pod.Status.NominatedNodeName {
			patch.NominatedNode = node
		}
	}
	if patch.Condition != nil || patch.NominatedNode != nil {
		e.emit(patch)
	}
}

func hasCondition(pod *v1.Pod, reason, message string) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c v1.PodCondition) bool {
		return c.Type == v1.PodScheduled && c.Status == v1.ConditionFalse && c.Reason == reason && c.Message == message
	})
}

// rejections groups the reasons in a status by plugin and text, most nodes first.
func rejections(status *fwk.Status) []Rejection {
	var fit *framework.FitError
	if !errors.As(status.AsError(), &fit) || fit.Diagnosis.NodeToStatus == nil {
		return nil
	}
	counts := map[Rejection]int{}
	for status, nodes := range fit.Diagnosis.NodeToStatus.Count(fit.NumAllNodes) {
		for _, reason := range status.Reasons() {
			counts[Rejection{Plugin: status.Plugin(), Reason: reason}] += nodes
		}
	}
	list := make([]Rejection, 0, len(counts))
	for r, nodes := range counts {
		r.Nodes = nodes
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b Rejection) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Plugin, b.Plugin), cmp.Compare(a.Reason, b.Reason))
	})
	return list
}
