package engine

import (
	"cmp"
	"errors"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
	"orrery/core/queue"
	"orrery/core/world"
)

// failure is why a pod did not get its node.
type failure struct {
	status *fwk.Status
	// nomination says what becomes of the pod's claim to a node; nil leaves it as it is.
	nomination *fwk.NominatingInfo
	// also is an error met on the way back. It changes nothing for the pod.
	also error

	text string // the status' message, once somebody has asked for it
}

// message is what the pod's condition says. Putting the verdicts on thousands of nodes into a sentence is done once.
func (f *failure) message() string {
	if f.text == "" {
		f.text = f.status.Message()
	}
	return f.text
}

// judge writes down what became of an attempt without a node.
func (a *attempt) judge(f *failure) {
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

// requeue brings a pod back to the queue after a failure, and tells the world why: once as an event, and in the pod's
// condition where that says something new.
func (e *Engine) requeue(popped *queue.Pod, profile string, f *failure) {
	e.note(f.also)
	pod := popped.Pod()
	var fit *framework.FitError
	if errors.As(f.status.AsError(), &fit) {
		popped.Reject(fit.Diagnosis.UnschedulablePlugins, fit.Diagnosis.PendingPlugins)
	}
	// The pod as the cluster has it now: it may have been changed, bound by somebody else, replaced or deleted.
	if current := e.store.Pod(pod.Namespace, pod.Name); current == nil || current.UID != pod.UID || assigned(current) {
		e.queue.Done(pod.UID)
	} else {
		popped.Update(current)
		e.note(e.queue.AddUnschedulableIfNotPresent(popped, e.queue.SchedulingCycle(), e.now))
	}
	e.queue.AddNominatedPod(klog.Logger{}, popped.GetPodInfo(), f.nomination)

	message := f.message()
	e.do(world.Announce{
		Regarding: world.RefOf(pod), Type: v1.EventTypeWarning, Reason: "FailedScheduling", Action: "Scheduling",
		Note: shortNote(message), Controller: profile,
	})
	e.patchStatus(pod, f, message)
}

// patchStatus writes what is new of the condition and the nomination; most repeated failures write nothing.
func (e *Engine) patchStatus(pod *v1.Pod, f *failure, message string) {
	reason := v1.PodReasonSchedulerError
	if f.status.IsRejected() {
		reason = v1.PodReasonUnschedulable
	}
	patch := world.PatchStatus{Pod: world.RefOf(pod)}
	if !hasCondition(pod, reason, message) {
		patch.Condition = &v1.PodCondition{
			Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: reason, Message: message,
			ObservedGeneration: pod.Generation,
		}
	}
	if f.nomination.Mode() == fwk.ModeOverride && f.nomination.NominatedNodeName != pod.Status.NominatedNodeName {
		patch.NominatedNode = &f.nomination.NominatedNodeName
	}
	if patch.Condition != nil || patch.NominatedNode != nil {
		e.do(patch)
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
