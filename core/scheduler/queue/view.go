package queue

import (
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// View is a read-only queue. Its pods are the queue's own: do not change or keep them.
type View interface {
	// Counts, Len and Seq are the number of pods by state, of all pods, and of records.
	Counts() Counts
	Len() int
	Seq() uint64
	// Get, StateOf and Has look up one pod.
	Get(namespace, name string) (*Pod, bool)
	StateOf(namespace, name string) State
	Has(pod *v1.Pod) bool
	// InFlight, Window and Pods list the pods of a state; Compare is the order of Window.
	InFlight() []*Pod
	Window(into []*Pod, state State, first, n int) []*Pod
	Pods(into []*Pod, state State) []*Pod
	Compare(a, b *Pod) int
	// RequeuesOn lists the events that would requeue an unschedulable or gated pod.
	RequeuesOn(p *Pod) []fwk.ClusterEvent
	// RetryBy is when the pod is tried again at the latest.
	RetryBy(p *Pod) (at time.Time, ok bool)
	PreEnqueueCounts(schedulerName string) []PreEnqueueCount
	NominatedNode(pod *v1.Pod) (node string, ok bool)
	NominatedNodes() []string
	NominatedPodsForNode(node string) []fwk.PodInfo
}

var _ View = (*Queue)(nil)
