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
	"orrery/core/mk"
	"orrery/core/world"
)

func second(int) time.Duration { return time.Second }

func removals() evict.Evictor {
	return evict.NewEvictor(10, v1.PodCondition{Reason: "Because", Message: "of this"}, second)
}

// wanted is what is wanted of the world, in words.
func wanted(r *evict.Evictor) string {
	var words []string
	for _, e := range r.Effects() {
		words = append(words, fmt.Sprintf("%d %s", e.ID, strings.TrimPrefix(fmt.Sprintf("%T", e.Action), "world.")))
	}
	return strings.Join(words, ", ")
}

func expect(t *testing.T, r *evict.Evictor, want string) {
	t.Helper()
	if diff := cmp.Diff(want, wanted(r)); diff != "" {
		t.Fatalf("wanted of the world (-want +got):\n%s", diff)
	}
}

func TestEvictor_ConditionThenDelete(t *testing.T) {
	r, pod := removals(), mk.Pod("a").Obj()
	r.Start(noon.Add(2*time.Second), pod, noon)
	expect(t, &r, "10 PatchStatus")
	r.EffectDone(noon, world.EffectDone{Effect: 10})
	expect(t, &r, "11 Delete")
	ref, over, deleted := r.EffectDone(noon.Add(3*time.Second), world.EffectDone{Effect: 11})
	if ref != world.PodRefOf(pod) || !over || !deleted || r.Evicting(pod.UID) {
		t.Errorf("after the deletion: %v, over %v, deleted %v, under way %v", ref, over, deleted, r.Evicting(pod.UID))
	}
	if tally := r.Counters(); tally.Evicted != 1 || tally.Latency.Sum != 3*time.Second {
		t.Errorf("tally %+v, want one that took 3 s", tally)
	}
	if _, over, _ := r.EffectDone(noon, world.EffectDone{Effect: 11}); over {
		t.Error("the same outcome counted twice")
	}
}

func TestEvictor_DeletesPodWithCondition(t *testing.T) {
	r, pod := removals(), mk.Pod("a").Condition(v1.DisruptionTarget, v1.ConditionTrue, "Because").Obj()
	pod.Status.Conditions[0].Message = "of this"
	r.Start(noon, pod, noon)
	expect(t, &r, "10 Delete")
}

func TestEvictor_Retries(t *testing.T) {
	r, pod := removals(), mk.Pod("a").Obj()
	r.Start(noon, pod, noon)
	r.EffectDone(noon, world.EffectDone{Effect: 10, Outcome: world.Outcome{Code: fwk.Error}})
	if at, waits := r.NextWake(); !waits || !at.Equal(noon.Add(time.Second)) {
		t.Errorf("the next attempt is at %v, want a second later", at)
	}
	if ref, due := r.PopRetry(noon.Add(time.Second)); !due || ref != world.PodRefOf(pod) {
		t.Errorf("due is %v, want the pod", ref)
	}
	wanted(&r)
	r.Retry(noon.Add(time.Second), pod)
	expect(t, &r, "11 PatchStatus")
}

func TestEvictor_PodChangesMeanwhile(t *testing.T) {
	gone := world.Outcome{Code: fwk.Error, Reason: metav1.StatusReasonNotFound}
	for _, row := range []struct {
		name      string
		meanwhile func(*evict.Evictor, *v1.Pod)
		want      string
		over      bool
	}{
		{"a pod that is called off before it is marked is not deleted", func(r *evict.Evictor, pod *v1.Pod) {
			r.Cancel(pod.UID)
			r.EffectDone(noon, world.EffectDone{Effect: 10})
		}, "10 PatchStatus", true},
		{"one that is being deleted cannot be called off", func(r *evict.Evictor, pod *v1.Pod) {
			r.EffectDone(noon, world.EffectDone{Effect: 10})
			if r.Cancel(pod.UID) {
				panic("it was called off")
			}
		}, "10 PatchStatus, 11 Delete", false},
		{"one that is not there any more is let go", func(r *evict.Evictor, _ *v1.Pod) {
			r.EffectDone(noon, world.EffectDone{Effect: 10, Outcome: gone})
		}, "10 PatchStatus", true},
		{"one that is known to be gone is not tried again", func(r *evict.Evictor, pod *v1.Pod) {
			r.PodDeleted(pod.UID)
			r.EffectDone(noon, world.EffectDone{Effect: 10, Outcome: world.Outcome{Code: fwk.Error}})
		}, "10 PatchStatus", true},
		{"nor if it was waiting for its next attempt", func(r *evict.Evictor, pod *v1.Pod) {
			r.EffectDone(noon, world.EffectDone{Effect: 10, Outcome: world.Outcome{Code: fwk.Error}})
			r.PodDeleted(pod.UID)
		}, "10 PatchStatus", true},
		{"a copy goes its own way", func(r *evict.Evictor, pod *v1.Pod) {
			twin := r.Clone()
			twin.Cancel(pod.UID)
			r.EffectDone(noon, world.EffectDone{Effect: 10})
		}, "10 PatchStatus, 11 Delete", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, pod := removals(), mk.Pod("a").Obj()
			r.Start(noon, pod, noon)
			row.meanwhile(&r, pod)
			expect(t, &r, row.want)
			if r.Evicting(pod.UID) == row.over {
				t.Errorf("under way: %v, want %v", r.Evicting(pod.UID), !row.over)
			}
			if _, waits := r.NextWake(); waits {
				t.Error("another attempt is due")
			}
		})
	}
}
