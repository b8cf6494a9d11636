package live_test

import (
	"context"
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"orrery/core/objects/workloads"
	"orrery/core/parity/apiserver"
	"orrery/core/parity/program"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

const gangGates = "--feature-gates=GenericWorkload=true,GangScheduling=true"

// needsWorkloads skips a test of groups where the API server does not have those that Orrery follows.
func needsWorkloads(t *testing.T) {
	t.Helper()
	if served != release.V135 {
		t.Skipf("groups of Kubernetes %s are PodGroups, which are not modelled; those of %s need its control plane: -tags=processes, with %s=%[2]s",
			served, release.V135, program.Switch)
	}
}

// A gang is bound as a whole on nodes that have room for just its pods, by Orrery as by kube-scheduler: none of its pods before the
// last exists, and as many on each node.
// Shows GANG-01, GANG-04, GANG-05 and GANG-08.
func TestGangs_BoundTogether(t *testing.T) {
	needsWorkloads(t)
	const pods, nodes = 100, 50
	for name, program := range map[string]schedulerProgram{"Orrery": orrery, "kube-scheduler": kubeScheduler} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t, gangNodes(nodes)...)
			p := s.scheduleAs(scheduler, program, gangGates)
			s.eventually(p.ready)
			s.workload("train", pods)
			s.members("train", 0, pods-1)
			s.pods(1, "alone", "10m") // the scheduler has seen what comes before
			s.bound(1)
			s.members("train", pods-1, pods)
			for node, n := range s.bound(pods + 1) {
				if n < pods/nodes {
					t.Errorf("%d pods are on %s, want at least %d", n, node, pods/nodes)
				}
			}
			s.checkBindings(s.watchBindings())
		})
	}
}

// The leader is killed while pods of a gang wait on permit: they have no node yet, and another replica places them anew. When there
// is room for the last one, all are bound, each once.
// Shows GANG-06.
func TestGangs_LeaderKilledOnPermit(t *testing.T) {
	needsWorkloads(t)
	const pods, nodes = 100, 50
	s := newFixture(t, gangNodes(nodes-1)...)
	s.leaseDuration = s.shortLease()
	watches := s.watchBindings()
	first := s.scheduleAs(scheduler, orrery, gangGates)
	s.eventually(first.ready)
	s.eventually(func() error { return s.tenureOf(scheduler, 1) })
	s.workload("train", pods)
	s.members("train", 0, pods)
	s.eventually(s.rejectedMember)
	second := s.scheduleAs(rival, orrery, gangGates)
	s.eventually(second.follows)
	s.keepRunning(second)
	_ = first.Process.Kill()
	s.eventually(func() error { return s.leads(rival) })
	if bound := s.atLeastBound(1); bound == nil {
		t.Error("a pod of the gang was bound before all had room")
	}
	s.addNodes(gangNodes(nodes)[nodes-1:]...)
	s.bound(pods)
	s.checkBindings(append(watches, s.watchBindings()...))
	for _, b := range s.bindingsWithoutLease() {
		t.Errorf("a binding without the lease: %s", b)
	}
}

// gangNodes are nodes with room for two pods of a gang each.
func gangNodes(n int) []*v1.Node {
	nodes := make([]*v1.Node, n)
	for i := range nodes {
		nodes[i] = apiserver.Node(i, "2050m", "4Gi", "110")
	}
	return nodes
}

// workload creates a workload with one gang.
func (s *fixture) workload(name string, least int32) {
	s.t.Helper()
	of := s.dynamicClient().Resource(world.Workload.Resource()).Namespace(v1.NamespaceDefault)
	encoded, err := runtime.DefaultUnstructuredConverter.ToUnstructured(mk.Workload(name, mk.Gang("workers", least)))
	if err != nil {
		s.t.Fatal(err)
	}
	made := &unstructured.Unstructured{Object: encoded}
	made.SetGroupVersionKind(workloads.GroupVersion.WithKind("Workload"))
	if _, err := of.Create(s.ctx, made, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = of.Delete(context.WithoutCancel(s.ctx), name, metav1.DeleteOptions{}) })
}

// members creates the pods of a gang from one number to another, of one CPU each. Their field spec.workloadRef is in no type of later
// releases.
func (s *fixture) members(workload string, from, to int) {
	s.t.Helper()
	of := s.dynamicClient().Resource(world.Pod.Resource()).Namespace(v1.NamespaceDefault)
	several := errgroup.Group{}
	several.SetLimit(8)
	for i := from; i < to; i++ {
		several.Go(func() error {
			pod := apiserver.Pod(fmt.Sprintf("%s-%d", workload, i), "1", "16Mi")
			pod.Spec.SchedulerName = s.name
			encoded, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod)
			if err != nil {
				return err
			}
			made := &unstructured.Unstructured{Object: encoded}
			made.SetGroupVersionKind(v1.SchemeGroupVersion.WithKind(string(world.Pod)))
			ref := map[string]any{"name": workload, "podGroup": "workers"}
			if err := unstructured.SetNestedMap(made.Object, ref, "spec", "workloadRef"); err != nil {
				return err
			}
			_, err = of.Create(s.ctx, made, metav1.CreateOptions{})
			return err
		})
	}
	if err := several.Wait(); err != nil {
		s.t.Fatal(err)
	}
}

// rejectedMember checks that there is a pod without room, while the others wait on permit.
func (s *fixture) rejectedMember() error {
	rejected := 0
	for _, pod := range s.list() {
		for _, c := range pod.Status.Conditions {
			if c.Type == v1.PodScheduled && c.Reason == v1.PodReasonUnschedulable {
				rejected++
			}
		}
	}
	if rejected == 0 {
		return fmt.Errorf("no pod of the gang was rejected")
	}
	return nil
}
