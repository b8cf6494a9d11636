package framework

import (
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// Diagnosis gathers why a pod could not be placed.
type Diagnosis struct {
	NodeToStatus *NodeToStatus
	// UnschedulablePlugins turned the pod down, or some of the nodes; an event one of them waits for brings the pod back.
	// Those that said Pending are in it too.
	UnschedulablePlugins sets.Set[string]
	// PendingPlugins said Pending: the pod has its place and waits for something else.
	PendingPlugins sets.Set[string]
	// PreFilterMsg is why PreFilter rejected the pod on all nodes; empty if it did not.
	PreFilterMsg string
	// PostFilterMsg is what PostFilter had to say.
	PostFilterMsg string

	noted *fwk.Status // last; nodes often share a status
}

// AddPluginStatus notes who rejected.
func (d *Diagnosis) AddPluginStatus(status *fwk.Status) {
	if status == d.noted || status == nil || status.Plugin() == "" {
		return
	}
	d.noted = status
	if status.IsRejected() {
		d.UnschedulablePlugins = with(d.UnschedulablePlugins, status.Plugin())
	}
	if status.Code() == fwk.Pending {
		d.PendingPlugins = with(d.PendingPlugins, status.Plugin())
	}
}

func with(set sets.Set[string], name string) sets.Set[string] {
	if set == nil {
		return sets.New(name)
	}
	return set.Insert(name)
}

// FitError says that a pod fits on no node.
type FitError struct {
	Pod *v1.Pod
	// NumAllNodes is how many nodes there are; it is 1 when the chosen node was refused after all.
	NumAllNodes int
	Diagnosis   Diagnosis
}

// NewNodeFitError is the FitError of a pod whose chosen node was refused by a Reserve or Permit plugin.
func NewNodeFitError(pod *v1.Pod, node string, status *fwk.Status) *FitError {
	e := &FitError{Pod: pod, NumAllNodes: 1, Diagnosis: Diagnosis{NodeToStatus: NewNodeToStatus(1)}}
	e.Diagnosis.NodeToStatus.Set(node, status)
	e.Diagnosis.AddPluginStatus(status)
	return e
}

// Error counts the reasons: "0/3 nodes are available: 1 Too many pods, 2 Insufficient cpu."
func (e *FitError) Error() string {
	var b strings.Builder
	b.WriteString("0/")
	b.WriteString(strconv.Itoa(e.NumAllNodes))
	b.WriteString(" nodes are available:")
	reasons := e.Diagnosis.PreFilterMsg
	if reasons == "" {
		reasons = strings.Join(e.Diagnosis.histogram(e.NumAllNodes), ", ")
	}
	if reasons != "" {
		b.WriteString(" ")
		b.WriteString(reasons)
		b.WriteString(".")
	}
	if e.Diagnosis.PostFilterMsg != "" {
		b.WriteString(" ")
		b.WriteString(e.Diagnosis.PostFilterMsg)
	}
	return b.String()
}

// histogram is "<count> <reason>" for every reason, sorted as text. Nodes often share one status, so statuses are
// counted first and their reasons after.
func (d *Diagnosis) histogram(numAllNodes int) []string {
	if d.NodeToStatus == nil {
		return nil
	}
	byReason := map[string]int{}
	for status, nodes := range d.NodeToStatus.Count(numAllNodes) {
		for _, reason := range status.Reasons() {
			byReason[reason] += nodes
		}
	}
	lines := make([]string, 0, len(byReason))
	for reason, nodes := range byReason {
		lines = append(lines, strconv.Itoa(nodes)+" "+reason)
	}
	slices.Sort(lines)
	return lines
}
