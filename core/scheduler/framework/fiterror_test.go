package framework_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

func TestFitError_Message(t *testing.T) {
	cpu := fwk.NewStatus(fwk.Unschedulable, "Insufficient cpu")
	both := fwk.NewStatus(fwk.Unschedulable, "Insufficient cpu", "Too many pods")
	taint := fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "node(s) had untolerated taint(s)")
	tests := []struct {
		name     string
		statuses []*fwk.Status // one for each of the first nodes
		nodes    int
		absent   *fwk.Status
		pre      string
		post     string
		want     string
	}{
		{
			name: "reasons are counted", statuses: []*fwk.Status{cpu, taint, cpu}, nodes: 3,
			want: "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.",
		},
		{
			name: "a node may have several", statuses: []*fwk.Status{both, cpu}, nodes: 2,
			want: "0/2 nodes are available: 1 Too many pods, 2 Insufficient cpu.",
		},
		{
			name: "equal reasons of different statuses are one", statuses: []*fwk.Status{cpu, fwk.NewStatus(fwk.Unschedulable, "Insufficient cpu")}, nodes: 2,
			want: "0/2 nodes are available: 2 Insufficient cpu.",
		},
		{
			name: "sorted as text: 10 before 2", nodes: 12,
			statuses: []*fwk.Status{cpu, cpu, taint, taint, taint, taint, taint, taint, taint, taint, taint, taint},
			want:     "0/12 nodes are available: 10 node(s) had untolerated taint(s), 2 Insufficient cpu.",
		},
		{
			name: "the PostFilter message comes last", statuses: []*fwk.Status{cpu, cpu, cpu}, nodes: 3,
			post: "no new claims to deallocate, preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
			want: "0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
		},
		{
			name: "PreFilter speaks for all nodes", statuses: []*fwk.Status{cpu}, nodes: 2, pre: `persistentvolumeclaim "x" not found`, post: "not found",
			want: `0/2 nodes are available: persistentvolumeclaim "x" not found. not found`,
		},
		{
			name: "absent nodes count for their common reason", statuses: []*fwk.Status{cpu}, nodes: 5,
			absent: fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "node(s) didn't satisfy plugin(s) [NodeAffinity]"),
			want:   "0/5 nodes are available: 1 Insufficient cpu, 4 node(s) didn't satisfy plugin(s) [NodeAffinity].",
		},
		{
			name: "absent nodes have no reason by default", statuses: []*fwk.Status{cpu}, nodes: 5,
			want: "0/5 nodes are available: 1 Insufficient cpu.",
		},
		{name: "no statuses", nodes: 4, want: "0/4 nodes are available:"},
		{
			name: "an error is its own reason", statuses: []*fwk.Status{fwk.AsStatus(errors.New("timeout"))}, nodes: 1,
			want: "0/1 nodes are available: 1 timeout.",
		},
		{
			name: "more statuses than nodes", statuses: []*fwk.Status{cpu, cpu}, nodes: 1,
			absent: taint, want: "0/1 nodes are available: 2 Insufficient cpu.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			statuses := framework.NewNodeToStatus(tt.nodes)
			for i, s := range tt.statuses {
				statuses.Append(nodes(fmt.Sprintf("n%d", i))[0], s)
			}
			if tt.absent != nil {
				statuses.SetAbsentNodesStatus(tt.absent)
			}
			err := &framework.FitError{NumAllNodes: tt.nodes, Diagnosis: framework.Diagnosis{
				NodeToStatus: statuses, PreFilterMsg: tt.pre, PostFilterMsg: tt.post,
			}}
			if got := err.Error(); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestNewNodeFitError(t *testing.T) {
	err := framework.NewNodeFitError(web, "n1", fwk.NewStatus(fwk.Unschedulable, "rejected due to timeout after waiting 1s at plugin P").WithPlugin("P"))
	if got, want := err.Error(), "0/1 nodes are available: 1 rejected due to timeout after waiting 1s at plugin P."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if diff := cmp.Diff([]string{"P"}, sorted(err.Diagnosis.UnschedulablePlugins)); diff != "" {
		t.Errorf("rejectors (-want +got):\n%s", diff)
	}
	var none framework.FitError
	if got := none.Error(); got != "0/0 nodes are available:" {
		t.Errorf("an empty error is %q", got)
	}
}

func TestDiagnosis_AddPluginStatus(t *testing.T) {
	var d framework.Diagnosis
	for _, s := range []*fwk.Status{
		nil,
		fwk.NewStatus(fwk.Unschedulable, "no plugin"),
		fwk.NewStatus(fwk.Unschedulable).WithPlugin("A"),
		fwk.NewStatus(fwk.UnschedulableAndUnresolvable).WithPlugin("B"),
		fwk.NewStatus(fwk.Pending).WithPlugin("C"),
		fwk.NewStatus(fwk.Error).WithPlugin("D"),
	} {
		d.AddPluginStatus(s)
	}
	if diff := cmp.Diff([]string{"A", "B", "C"}, sorted(d.UnschedulablePlugins)); diff != "" {
		t.Errorf("unschedulable (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"C"}, sorted(d.PendingPlugins)); diff != "" {
		t.Errorf("pending (-want +got):\n%s", diff)
	}
}
