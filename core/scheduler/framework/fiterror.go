package framework

import (
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// Diagnosis gathers why a pod could not be scheduled.
type Diagnosis struct {
	NodeToStatus *NodeToStatus
	// UnschedulablePlugins rejected the pod, or nodes for it; their events requeue the pod. Those that returned Pending are
	// among them.
	UnschedulablePlugins sets.Set[string]
	// PendingPlugins returned Pending: the pod waits for something other than room.
	PendingPlugins sets.Set[string]
	// PreFilterMsg is why PreFilter rejected the pod on all nodes; empty if it did not.
	PreFilterMsg string
	// PostFilterMsg is the message of PostFilter.
	PostFilterMsg string

	lastAdded *fwk.Status // nodes often share a status
}

// AddPluginStatus adds the plugin of a rejection.
func (d *Diagnosis) AddPluginStatus(status *fwk.Status) {
	if status == d.lastAdded || status == nil || status.Plugin() == "" {
		return
	}
	d.lastAdded = status
	if status.IsRejected() {
		d.UnschedulablePlugins = insertName(d.UnschedulablePlugins, status.Plugin())
	}
	if status.Code() == fwk.Pending {
		d.PendingPlugins = insertName(d.PendingPlugins, status.Plugin())
	}
}

// Reject adds the rejection of a node that the search visits.
func (d *Diagnosis) Reject(node fwk.NodeInfo, status *fwk.Status) {
	d.NodeToStatus.Append(node, status)
	d.AddPluginStatus(status)
}

// AddPlugin adds what rejected nodes without a status of its own, as extenders do.
func (d *Diagnosis) AddPlugin(name string) {
	d.UnschedulablePlugins = insertName(d.UnschedulablePlugins, name)
}

func insertName(set sets.Set[string], name string) sets.Set[string] {
	if set == nil {
		return sets.New(name)
	}
	return set.Insert(name)
}

// FitError says that a pod fits on no node.
type FitError struct {
	Pod *v1.Pod
	// NumAllNodes is how many nodes there are; 1 when Reserve or Permit rejected the chosen node.
	NumAllNodes int
	Diagnosis   Diagnosis
}

// NewNodeFitError is the FitError of a pod whose chosen node a Reserve or Permit plugin rejected.
func NewNodeFitError(pod *v1.Pod, node string, status *fwk.Status) *FitError {
	e := &FitError{Pod: pod, NumAllNodes: 1, Diagnosis: Diagnosis{NodeToStatus: NewNodeToStatus(1)}}
	e.Diagnosis.NodeToStatus.Set(node, status)
	e.Diagnosis.AddPluginStatus(status)
	return e
}

// Error counts the reasons: "0/3 nodes are available: 1 Too many pods, 2 Insufficient cpu."
func (e *FitError) Error() string {
	text := e.reasons()
	if e.Diagnosis.PostFilterMsg != "" {
		text += " " + e.Diagnosis.PostFilterMsg
	}
	return text
}

func (e *FitError) reasons() string {
	switch {
	case e.Diagnosis.PreFilterMsg != "":
		return unavailable(e.NumAllNodes, e.Diagnosis.PreFilterMsg)
	case e.Diagnosis.NodeToStatus == nil:
		return unavailable(e.NumAllNodes, "")
	}
	return Unavailable(e.NumAllNodes, e.Diagnosis.NodeToStatus.Count(e.NumAllNodes))
}

// Unavailable is the text of a [FitError], by the number of nodes in all and with each status.
func Unavailable(nodes int, byStatus map[*fwk.Status]int) string {
	return unavailable(nodes, strings.Join(histogram(byStatus), ", "))
}

func unavailable(nodes int, reasons string) string {
	text := "0/" + strconv.Itoa(nodes) + " nodes are available:"
	if reasons != "" {
		text += " " + reasons + "."
	}
	return text
}

// histogram is "<count> <reason>" for every reason, sorted as text. Nodes often share one status, so statuses are
// counted first and their reasons after.
func histogram(byStatus map[*fwk.Status]int) []string {
	byReason := map[string]int{}
	for status, nodes := range byStatus {
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
