package evict_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/evict"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func second(int) time.Duration { return time.Second }

func newEvictor() evict.Evictor {
	return evict.NewEvictor(10, v1.PodCondition{Reason: "Because", Message: "of this"}, second)
}

// effects lists the evictor's new effects: "10 PatchStatus".
func effects(r *evict.Evictor) string {
	var list []string
	for _, e := range r.Effects() {
		list = append(list, fmt.Sprintf("%d %s", e.ID, strings.TrimPrefix(fmt.Sprintf("%T", e.Action), "world.")))
	}
	return strings.Join(list, ", ")
}

func expect(t *testing.T, r *evict.Evictor, want string) {
	t.Helper()
	if diff := cmp.Diff(want, effects(r)); diff != "" {
		t.Fatalf("effects (-want +got):\n%s", diff)
	}
}

func TestEvictor_ConditionThenDelete(t *testing.T) {
	r, pod := newEvictor(), mk.Pod("a").Obj()
	r.Start(noon.Add(2*time.Second), pod, noon)
	expect(t, &r, "10 PatchStatus")
	r.EffectDone(noon, world.EffectDone{Effect: 10})
	expect(t, &r, "11 Delete")
	ref, end := r.EffectDone(noon.Add(3*time.Second), world.EffectDone{Effect: 11})
	if ref != world.PodRefOf(pod) || end != evict.PodEvicted || r.Evicting(pod.UID) {
		t.Errorf("after the deletion: %v, end %v, evicting %v", ref, end, r.Evicting(pod.UID))
	}
	if counters := r.Counters(); counters.Evicted != 1 || counters.Latency.Sum != 3*time.Second {
		t.Errorf("counters %+v, want one eviction after 3 s", counters)
	}
	if _, end := r.EffectDone(noon, world.EffectDone{Effect: 11}); end != evict.NotOver {
		t.Error("the same outcome counted twice")
	}
}

func TestEvictor_DeletesPodWithCondition(t *testing.T) {
	r, pod := newEvictor(), mk.Pod("a").Condition(v1.DisruptionTarget, v1.ConditionTrue, "Because").Obj()
	pod.Status.Conditions[0].Message = "of this"
	r.Start(noon, pod, noon)
	expect(t, &r, "10 Delete")
}

func TestEvictor_Retries(t *testing.T) {
	r, pod := newEvictor(), mk.Pod("a").Obj()
	r.Start(noon, pod, noon)
	r.EffectDone(noon, world.EffectDone{Effect: 10, Outcome: world.Outcome{Code: fwk.Error}})
	if at, waits := r.NextWake(); !waits || !at.Equal(noon.Add(time.Second)) {
		t.Errorf("the next attempt is at %v, want a second later", at)
	}
	if ref, due := r.PopRetry(noon.Add(time.Second)); !due || ref != world.PodRefOf(pod) {
		t.Errorf("PopRetry returned %v, want the pod", ref)
	}
	effects(&r)
	r.Retry(noon.Add(time.Second), pod)
	expect(t, &r, "11 PatchStatus")
}

func TestEvictor_PodChangesBetweenCalls(t *testing.T) {
	gone := world.Outcome{Code: fwk.Error, Reason: metav1.StatusReasonNotFound}
	for _, row := range []struct {
		name   string
		change func(*evict.Evictor, *v1.Pod)
		want   string
		over   bool
	}{
		{"a pod cancelled before it has the condition is not deleted", func(r *evict.Evictor, pod *v1.Pod) {
			r.Cancel(pod.UID)
			r.EffectDone(noon, world.EffectDone{Effect: 10})
		}, "10 PatchStatus", true},
		{"a deletion in flight cannot be cancelled", func(r *evict.Evictor, pod *v1.Pod) {
			r.EffectDone(noon, world.EffectDone{Effect: 10})
			if r.Cancel(pod.UID) {
				panic("cancelled a deletion in flight")
			}
		}, "10 PatchStatus, 11 Delete", false},
		{"a cancelled eviction ends with its failed deletion", func(r *evict.Evictor, pod *v1.Pod) {
			r.EffectDone(noon, world.EffectDone{Effect: 10})
			r.Cancel(pod.UID)
			if _, end := r.EffectDone(noon, world.EffectDone{Effect: 11, Outcome: world.Outcome{Code: fwk.Error}}); end != evict.PodStays {
				panic("the pod does not stay")
			}
		}, "10 PatchStatus, 11 Delete", true},
		{"one that is requested again goes on", func(r *evict.Evictor, pod *v1.Pod) {
			r.EffectDone(noon, world.EffectDone{Effect: 10})
			r.Cancel(pod.UID)
			if !r.Continue(pod.UID) {
				panic("the eviction is over")
			}
			r.EffectDone(noon, world.EffectDone{Effect: 11, Outcome: world.Outcome{Code: fwk.Error}})
			if _, due := r.PopRetry(noon.Add(time.Second)); !due {
				panic("there is no other attempt")
			}
			r.Retry(noon.Add(time.Second), pod)
		}, "10 PatchStatus, 11 Delete, 12 PatchStatus", false},
		{"NotFound ends the eviction", func(r *evict.Evictor, _ *v1.Pod) {
			r.EffectDone(noon, world.EffectDone{Effect: 10, Outcome: gone})
		}, "10 PatchStatus", true},
		{"a failed call for a deleted pod is not retried", func(r *evict.Evictor, pod *v1.Pod) {
			r.PodDeleted(pod.UID)
			r.EffectDone(noon, world.EffectDone{Effect: 10, Outcome: world.Outcome{Code: fwk.Error}})
		}, "10 PatchStatus", true},
		{"a deleted pod's next attempt is dropped", func(r *evict.Evictor, pod *v1.Pod) {
			r.EffectDone(noon, world.EffectDone{Effect: 10, Outcome: world.Outcome{Code: fwk.Error}})
			r.PodDeleted(pod.UID)
		}, "10 PatchStatus", true},
		{"a clone is independent", func(r *evict.Evictor, pod *v1.Pod) {
			clone := r.Clone()
			clone.Cancel(pod.UID)
			r.EffectDone(noon, world.EffectDone{Effect: 10})
		}, "10 PatchStatus, 11 Delete", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, pod := newEvictor(), mk.Pod("a").Obj()
			r.Start(noon, pod, noon)
			row.change(&r, pod)
			expect(t, &r, row.want)
			if r.Evicting(pod.UID) == row.over {
				t.Errorf("evicting: %v, want %v", r.Evicting(pod.UID), !row.over)
			}
			if _, waits := r.NextWake(); waits {
				t.Error("another attempt is due")
			}
		})
	}
}
