package views_test

import (
	"fmt"
	"time"

	"orrery/views"
)

// sampleGangs are gangs in every state.
func sampleGangs() *views.Gangs {
	v := &views.Gangs{}
	rejected := "38 Insufficient nvidia.com/gpu"
	for i, row := range []views.GangRow{
		{State: views.GangTimedOut, Least: 8, Deadline: ago(12 * time.Second), Note: "room for 8 pods", Reason: rejected},
		{State: views.GangWithoutWorkload, Note: "workload render, which does not exist"},
		{State: views.GangOnPermit, Least: 8, Deadline: in(41 * time.Second), Note: "room for 3 pods", Reason: rejected},
		{State: views.GangOnPermit, Least: 100, Deadline: in(4*time.Minute + 7*time.Second), Note: "room for 33 pods", Reason: "203 node(s) didn't match pod topology spread constraints"},
		{State: views.GangUnschedulable, Least: 4, Note: "room for 2 pods", Reason: noMemory},
		{State: views.GangIncomplete, Least: 16, Note: "5 more pods"},
		{State: views.GangGated, Least: 2, Note: "the gates of 2 pods", Reason: "SchedulingGates"},
		{State: views.GangQueued, Least: 12, Note: "the turn of 12 pods"},
		{State: views.GangPlaced, Least: 6, Note: "the binding of 2 pods"},
		{State: views.GangPartlyBound, Least: 3, Note: "room for 1 pod", Reason: "38 Insufficient cpu"},
		{State: views.GangBound, Least: 64, Deadline: ago(time.Hour)},
		{State: views.GangBasic},
		{State: views.GangEmpty, Least: 4, Note: "its pods"},
	} {
		row.Count = [...][len(row.Count)]int{{views.GangPodRejected: 8}, {views.GangPodGated: 3}, {3: 1, 2: 5, 6: 2}, {2: 67, 6: 33}, {3: 2, 6: 2}, {4: 11, 5: 5}, {4: 2}, {3: 12}, {4, 2}, {3, 0, 0, 0, 0, 0, 1}, {64}, {2, 0, 0, 1}, {}}[i]
		row.Name = []string{"ml/train-large-%05x/workers", "default/simulation-%05x/pods/replica-7"}[i%2]
		row.Name = fmt.Sprintf(row.Name, 0x3a1f0+i*4421)
		row.Key, row.Scope, row.Timeout, row.Priority, row.Created = row.Name, row.Name, 5*time.Minute, int32(i%4)*1000, ago(time.Duration(i*i+3)*time.Minute)
		row.Pod = "ml/train-large-worker-7-x9k2p"
		v.Count[row.State]++
		for stage, n := range row.Count {
			v.Pods[stage] += n
		}
		v.List.Rows = append(v.List.Rows, row)
	}
	v.List.Total = len(v.List.Rows)
	return v
}

// samplePodGroups are groups of 1.37.
func samplePodGroups() *views.Gangs {
	v := &views.Gangs{PodGroups: true}
	condition := func(status, reason, message string) []views.GroupCondition {
		return []views.GroupCondition{{Type: "PodGroupInitiallyScheduled", Status: status, Reason: reason, Message: message, Since: ago(time.Minute)}}
	}
	racks := []views.GroupAbove{{Name: "racks", Least: 2, Topology: []string{"zone"}}}
	for _, row := range []views.GangRow{
		{
			Name: "ml/train-0", State: views.GangUnschedulable, Least: 8, Count: [7]int{views.GangPodBound: 5, views.GangPodRejected: 3}, Note: "room for 3 pods", Reason: "38 Insufficient nvidia.com/gpu",
			Path: "train › racks", Above: racks, Topology: []views.GroupTopology{{Key: "example.com/rack", Domains: "r12"}}, Disruption: "all",
			Claims: []string{"fabric = train-0-fabric-x7k2p"}, Conditions: condition("False", "Unschedulable", "0/12 placements are feasible"),
		},
		{
			Name: "ml/train-1", State: views.GangIncomplete, Least: 8, Count: [7]int{views.GangPodQueued: 6, views.GangPodMissing: 2}, Note: "2 more pods",
			Path: "train › racks", Above: racks, Topology: []views.GroupTopology{{Key: "example.com/rack"}}, Disruption: "all",
		},
		{Name: "ml/lost", State: views.GangWithoutWorkload, Count: [7]int{views.GangPodQueued: 1}, Note: "PodGroup lost, which does not exist, or is not read"},
		{
			Name: "ml/infer", State: views.GangBound, Least: 2, Count: [7]int{views.GangPodBound: 2}, Path: "infer", Topology: []views.GroupTopology{{Key: "zone", Domains: "a (1), b (1)"}},
			Disruption: "single", Conditions: condition("True", "Scheduled", ""),
		},
		{Name: "ml/batch", State: views.GangBasic, Count: [7]int{views.GangPodBound: 2, views.GangPodQueued: 1}, Note: "the turn of 1 pod", Disruption: "single"},
	} {
		row.Key, row.Scope, row.WithPodGroup, row.Created, row.Priority, row.Pod = row.Name, row.Name, true, ago(7*time.Minute), 1000, row.Name+"-x9k2p"
		v.Count[row.State]++
		for stage, n := range row.Count {
			v.Pods[stage] += n
		}
		v.List.Rows = append(v.List.Rows, row)
	}
	v.List.Total = len(v.List.Rows)
	return v
}

// useHostileGangs replaces every name with a hostile one.
func useHostileGangs(name func() string, v *views.Gangs) {
	for i := range v.List.Rows {
		g := &v.List.Rows[i]
		g.Name, g.Note, g.Reason, g.Pod, g.Path = name(), name(), name(), name(), name()
		g.WithPodGroup = true
		g.Topology, g.Claims = []views.GroupTopology{{Key: name(), Domains: name()}}, []string{name()}
		g.Conditions = []views.GroupCondition{{Type: name(), Status: name(), Reason: name(), Message: name()}}
		g.Above = []views.GroupAbove{{Name: name(), Topology: []string{name()}, Conditions: g.Conditions}}
	}
}
