package diagnose

import (
	"cmp"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/answers/answer"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
)

// Queueing is a queued pod's state and what ends it.
type Queueing struct {
	State    string    `json:"state"`
	Since    time.Time `json:"since,omitzero"`
	Attempts int       `json:"attempts"`
	// RejectedBy are the plugins that rejected or gate the pod. RequeuesOn are the events that they registered, in words.
	RejectedBy []string `json:"rejectedBy,omitempty"`
	RequeuesOn []string `json:"requeuesOn,omitempty"`
	// RetryBy is when the pod is tried again if no event comes; zero for a gated pod.
	RetryBy time.Time `json:"retryBy,omitzero"`
}

// QueueingOf returns the state of a pod in the queue; nil for a pod that is not queued.
func QueueingOf(e *engine.Engine, pod *v1.Pod) *Queueing {
	p, queued := e.Queue().Get(pod.Namespace, pod.Name)
	if !queued {
		return nil
	}
	q := &Queueing{State: p.State().String(), Since: p.Since(), Attempts: p.GetAttempts(), RejectedBy: p.Rejectors()}
	for _, event := range byResource(e.Queue().RequeuesOn(p)) {
		q.RequeuesOn = append(q.RequeuesOn, eventText(event))
	}
	if at, ok := e.Queue().RetryBy(p); ok {
		q.RetryBy = at
	}
	return q
}

// Facts are plain sentences; there is none for a pod in activeQ, whose turn comes next.
func (q *Queueing) Facts() []string {
	var facts []string
	if len(q.RequeuesOn) > 0 {
		facts = append(facts, "requeued when "+strings.Join(q.RequeuesOn, "; when "))
	}
	if !q.RetryBy.IsZero() && q.State != queue.Active.String() {
		facts = append(facts, "tried again at "+answer.At(q.RetryBy)+" at the latest")
	}
	return facts
}

// actionWords are the changes for which plugins register: what happens to an object, or the field that changes.
var actionWords = []struct {
	action       fwk.ActionType
	verb, change string
}{
	{fwk.Add, "is added", ""},
	{fwk.Delete, "is deleted", ""},
	{fwk.UpdatePodScaleDown, "requests less", ""},
	{fwk.UpdatePodScaleUp, "requests more", ""},
	{fwk.UpdatePodSchedulingGatesEliminated, "loses its scheduling gates", ""},
	{fwk.UpdatePodGeneratedResourceClaim, "gets its resource claims", ""},
	{fwk.UpdateNodeAllocatable, "", "allocatable resources"},
	{fwk.UpdateNodeLabel | fwk.UpdatePodLabel, "", "labels"},
	{fwk.UpdateNodeTaint, "", "taints"},
	{fwk.UpdatePodToleration, "", "tolerations"},
	{fwk.UpdateNodeCondition, "", "conditions"},
	{fwk.UpdateNodeAnnotation, "", "annotations"},
	{fwk.UpdateNodeDeclaredFeature, "", "declared features"},
	{fwk.UpdateNodePreemptionPolicy, "", "preemption policy"},
}

// kindsOfPods are what events of pods are about from 1.37 on.
var kindsOfPods = map[fwk.EventResource]string{
	fwk.AssignedPod: "a Pod with a node", fwk.UnscheduledPod: "a Pod without a node", fwk.TargetPod: "the Pod itself",
}

// byResource merges the registrations for one resource. The wildcard covers all.
func byResource(events []fwk.ClusterEvent) []fwk.ClusterEvent {
	var merged []fwk.ClusterEvent
	for _, event := range events {
		if queue.IsWildcard(event) {
			return []fwk.ClusterEvent{event}
		}
		i := slices.IndexFunc(merged, func(other fwk.ClusterEvent) bool { return other.Resource == event.Resource })
		if i < 0 {
			i = len(merged)
			merged = append(merged, fwk.ClusterEvent{Resource: event.Resource})
		}
		merged[i].ActionType |= event.ActionType
	}
	return merged
}

// eventText is a registration in words: "a Node is added or changes its labels or taints".
func eventText(event fwk.ClusterEvent) string {
	if queue.IsWildcard(event) {
		return "anything changes"
	}
	resource := string(event.Resource)
	resource = cmp.Or(kindsOfPods[event.Resource], "a "+resource[strings.LastIndexByte(resource, '/')+1:])
	if event.ActionType == fwk.All {
		return resource + " changes"
	}
	updated := event.ActionType&fwk.Update == fwk.Update
	var verbs, fields []string
	for _, w := range actionWords {
		switch {
		case event.ActionType&w.action == 0 || updated && fwk.Update&w.action != 0:
		case w.verb != "":
			verbs = append(verbs, w.verb)
		default:
			fields = append(fields, w.change)
		}
	}
	if updated {
		verbs = append(verbs, "is updated")
	}
	if len(fields) > 0 {
		verbs = append(verbs, "changes its "+alternatives(fields))
	}
	return resource + " " + alternatives(verbs)
}

// alternatives joins words: "a, b or c".
func alternatives(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
