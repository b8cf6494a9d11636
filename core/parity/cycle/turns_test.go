package cycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	uppreempt "k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"orrery/core/parity/difftest"
	"orrery/core/testing/mk"
)

// turns orders what kube-scheduler's goroutines do after a decision to preempt pods on permit. By itself their speed decides
// whether the preemption is over when such a pod is requeued, which ends the preemptor's wait, or holds the preemptor back:
//
//	the cycle ends ─► evict all victims but the last ─► requeue those on permit ─► evict the last ─► requeue it
//
// They are requeued before the last one is evicted only if the preemption needs API calls, which take time in a cluster.
type turns struct {
	eviction, requeue chan struct{}
}

func newTurns() turns { return turns{make(chan struct{}), make(chan struct{})} }

// settle lets kube-scheduler's goroutines go on until all of them wait.
func (t turns) settle() {
	for {
		synctest.Wait()
		select {
		case t.requeue <- struct{}{}:
			continue
		default:
		}
		select {
		case t.eviction <- struct{}{}:
		default:
			return
		}
	}
}

// holdEvictions has the goroutines of preemptions wait for their turns.
func (t *upstreamScheduler) holdEvictions(h upframework.Framework) {
	for _, plugin := range h.PreEnqueuePlugins() {
		preempts, is := plugin.(*defaultpreemption.DefaultPreemption)
		if !is {
			continue
		}
		evict := preempts.Evaluator.PreemptPod
		preempts.Evaluator.PreemptPod = func(ctx context.Context, c uppreempt.Candidate, preemptor, victim *v1.Pod, plugin string) error {
			victims := slices.DeleteFunc(slices.Clone(c.Victims().Pods), func(v *v1.Pod) bool { return v.DeletionTimestamp != nil })
			last := victim == victims[len(victims)-1]
			calls := h.GetWaitingPod(victim.UID) == nil || t.client.writesOthers(preemptor)
			if victim == victims[0] || last && calls {
				<-t.turns.eviction
			}
			return evict(ctx, c, preemptor, victim, plugin)
		}
	}
}

// isPreempted reports whether a pod lost its place on permit to another one.
func isPreempted(status *fwk.Status) bool {
	var fit *upframework.FitError
	return errors.As(status.AsError(), &fit) && fit.Diagnosis.UnschedulablePlugins.Has(defaultpreemption.Name)
}

// A preemptor is held back if a victim on permit loses its place while others have to be deleted, or nominations to be cleared.
func TestScheduler_PreemptsPodsOnPermit(t *testing.T) {
	nominated := []*v1.Pod{mk.Pod("nominated").CPU("100").NeverPreempt().Nominated("node").Obj()}
	bound := func(priority int32) *v1.Pod { return mk.Pod("bound").Node("node").CPU("1").Priority(priority).Obj() }
	for _, tc := range []struct {
		name             string
		bound, nominated []*v1.Pod
		onPermit         []int32 // their priorities: the higher ones are evicted first
		heldBack         bool
	}{
		{"before a bound pod", []*v1.Pod{bound(1)}, nil, []int32{2}, true},
		{"after a bound pod", []*v1.Pod{bound(2)}, nil, []int32{1}, false},
		{"before and after a bound pod", []*v1.Pod{bound(2)}, nil, []int32{3, 1}, true},
		{"alone", nil, nil, []int32{2, 1}, false},
		{"while a nomination is cleared", nil, nominated, []int32{2, 1}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &clusterCase{
				Gates:     map[string]bool{"GenericWorkload": true, "GangScheduling": true},
				Config:    &configv1.KubeSchedulerConfiguration{TypeMeta: metav1.TypeMeta{APIVersion: configv1.SchemeGroupVersion.String(), Kind: "KubeSchedulerConfiguration"}},
				Nodes:     []*v1.Node{mk.Node("node").CPU("3").Obj()},
				Bound:     tc.bound,
				Nominated: tc.nominated,
			}
			for _, priority := range tc.onPermit {
				name := fmt.Sprint("gang-", priority)
				c.Workloads = append(c.Workloads, mk.Workload(name, mk.Gang("workers", 2)))
				for _, cpu := range []string{"1", "100"} {
					pod := mk.Pod(name + "-" + cpu).CPU(cpu).Priority(priority).Obj()
					pod.Spec.WorkloadRef = &v1.WorkloadReference{Name: name, PodGroup: "workers"}
					c.Waiting = append(c.Waiting, pod)
				}
			}
			c.Changes = []clusterChange{{AddPod: mk.Pod("preemptor").CPU("3").Priority(10).Obj()}}
			seen := difftest.Coverage{}
			if mismatch := compareDecisions(t, c, seen); mismatch != "" {
				t.Fatal(mismatch)
			}
			if seen["pods with preemption"] == 0 || seen[heldBack] > 0 != tc.heldBack {
				t.Errorf("the preemptor was held back: want %v; reached: %s", tc.heldBack, seen)
			}
		})
	}
}
