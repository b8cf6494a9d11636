package observer_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict/observer"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// script applies states of pods to an observer, one a second from noon on.
type script struct {
	*observer.Observer
	now     time.Time
	version int
}

func newScript() *script { return &script{Observer: observer.New(observer.Options{}), now: noon} }

func (s *script) apply(event world.Event) *script {
	s.Apply(world.Input{At: s.now, Event: event})
	s.now = s.now.Add(time.Second)
	return s
}

func (s *script) withVersion(o world.Object) world.Object {
	s.version++
	o.SetResourceVersion(strconv.Itoa(s.version))
	return o
}

func (s *script) added(pod *v1.Pod) *script {
	return s.apply(world.Changed{Op: world.Added, Object: s.withVersion(pod)})
}

func (s *script) changed(pod *v1.Pod) *script {
	return s.apply(world.Changed{Op: world.Modified, Object: s.withVersion(pod)})
}

func (s *script) deleted(pod *v1.Pod) *script {
	return s.apply(world.Changed{Op: world.Deleted, Object: s.withVersion(pod)})
}

func (s *script) listed(pods ...*v1.Pod) *script {
	list := world.Listed{Kind: world.Pod}
	for _, pod := range pods {
		list.Objects = append(list.Objects, s.withVersion(pod))
	}
	return s.apply(list)
}

// state is a pod on n1 with changes: a condition, a deletion with half a minute left, an end.
func state(changes ...func(*v1.Pod)) *v1.Pod {
	pod := mk.Pod("a").Node("n1").Obj()
	for _, change := range changes {
		change(pod)
	}
	return pod
}

func withCondition(reason, message string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Status.Conditions = []v1.PodCondition{{
			Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: reason, Message: message,
			LastTransitionTime: metav1.Time{Time: noon.Add(-time.Hour)},
		}}
	}
}

func conditionRemoved(pod *v1.Pod) {
	pod.Status.Conditions = []v1.PodCondition{{Type: v1.DisruptionTarget, Status: v1.ConditionFalse}}
}

func terminating(pod *v1.Pod) { pod.DeletionTimestamp = &metav1.Time{Time: noon.Add(30 * time.Second)} }

func failed(reason, message string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Status.Phase, pod.Status.Reason, pod.Status.Message = v1.PodFailed, reason, message
	}
}

func TestDisruptionOf(t *testing.T) {
	scheduler := withCondition("PreemptionByScheduler", "default-scheduler: preempting to accommodate a higher priority pod")
	evicted := withCondition("EvictionByEvictionAPI", "Eviction API: evicting")
	kubelet := withCondition("TerminationByKubelet", "The node was low on resource: memory. ")
	tests := []struct {
		name string
		play func(*script)
		want string
	}{
		{"the condition, before the deletion", func(s *script) { s.added(state()).changed(state(evicted)) }, "a terminating n1; eviction API by eviction API: Eviction API: evicting"},
		{"the deletion has a deadline", func(s *script) { s.added(state()).changed(state(evicted, terminating)) }, "a terminating n1 due 30s; eviction API by eviction API: Eviction API: evicting"},
		{"deleted", func(s *script) {
			s.added(state()).changed(state(evicted, terminating)).deleted(state(evicted, terminating))
		}, "a evicted n1 due 30s ended 2s; eviction API by eviction API: Eviction API: evicting"},
		{"a watch that shows only the last state", func(s *script) { s.added(state()).deleted(state(evicted, terminating)) }, "a evicted n1 due 30s ended 1s; eviction API by eviction API: Eviction API: evicting"},
		{"a pod that failed is evicted before it is deleted", func(s *script) {
			s.added(state()).changed(state(evicted, terminating, failed("", ""))).deleted(state(evicted, terminating, failed("", "")))
		}, "a evicted n1 due 30s ended 1s; eviction API by eviction API: Eviction API: evicting"},
		{"a list without the pod", func(s *script) { s.added(state()).changed(state(evicted, terminating)).listed() }, "a evicted n1 due 30s ended 2s; eviction API by eviction API: Eviction API: evicting"},
		{"the condition is removed", func(s *script) { s.added(state()).changed(state(evicted)).changed(state(conditionRemoved)) }, "a cancelled n1 ended 2s; eviction API by eviction API: its DisruptionTarget condition was removed"},
		{"the condition is removed from a terminating pod", func(s *script) {
			s.added(state()).changed(state(evicted)).changed(state(conditionRemoved, terminating))
		}, "a terminating n1 due 30s; eviction API by eviction API: Eviction API: evicting"},
		{"a terminating pod without the condition is evicted for the first cause", func(s *script) {
			s.added(state()).changed(state(evicted)).changed(state(conditionRemoved, terminating)).deleted(state(conditionRemoved, terminating))
		}, "a evicted n1 due 30s ended 3s; eviction API by eviction API: Eviction API: evicting"},
		{"another condition replaces it", func(s *script) { s.added(state()).changed(state(evicted)).changed(state(scheduler)) }, `
			a terminating n1; preemption by default-scheduler: default-scheduler: preempting to accommodate a higher priority pod
			a cancelled n1 ended 2s; eviction API by eviction API: its DisruptionTarget condition was removed`},
		{"a late update changes nothing", func(s *script) {
			s.added(state()).changed(state(evicted, terminating)).deleted(state(evicted, terminating))
			late := state(evicted)
			late.ResourceVersion = "2"
			s.apply(world.Changed{Op: world.Modified, Object: late})
		}, "a evicted n1 due 30s ended 2s; eviction API by eviction API: Eviction API: evicting"},
		{"pressure", func(s *script) {
			s.added(state()).changed(state(kubelet, failed("Evicted", "The node was low on resource: memory. ")))
		}, "a evicted n1 ended 1s; node pressure by kubelet on n1: The node was low on resource: memory."},
		{"local storage limits, without a condition", func(s *script) {
			s.added(state()).changed(state(failed("Evicted", "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ")))
		}, "a evicted n1 ended 1s; node pressure by kubelet on n1: Pod ephemeral local storage usage exceeds the total limit of containers 1Gi."},
		{"a recording does not hold the status' message", func(s *script) { s.added(state()).changed(state(failed("Evicted", ""))) }, "a evicted n1 ended 1s; node pressure by kubelet on n1: Evicted"},
		{"preempted for a critical pod", func(s *script) {
			s.added(state()).changed(state(withCondition("TerminationByKubelet", "Pod was preempted by Kubelet to accommodate a critical pod."), failed("Preempting", "")))
		}, "a evicted n1 ended 1s; preemption by kubelet on n1: Pod was preempted by Kubelet to accommodate a critical pod."},
		{"its node shuts down", func(s *script) {
			s.added(state()).changed(state(withCondition("TerminationByKubelet", "Pod was terminated in response to imminent node shutdown."), failed("Terminated", "")))
		}, "a evicted n1 ended 1s; node shutdown by kubelet on n1: Pod was terminated in response to imminent node shutdown."},
		{"its node is deleted", func(s *script) {
			s.added(state()).changed(state(withCondition("DeletionByPodGC", "PodGC: node no longer exists"), failed("", "")))
		}, "a evicted n1 ended 1s; node gone by pod garbage collector: PodGC: node no longer exists"},
		{"an unknown reason is no cause", func(s *script) { s.added(state()).changed(state(withCondition("DeletionByWhim", ""), terminating)) }, ""},
		{"a pod that failed by itself", func(s *script) { s.added(state()).changed(state(failed("Error", ""))) }, ""},
		{"evicted long ago: the condition has the time", func(s *script) { s.listed(state(kubelet, failed("Evicted", ""))) }, "a evicted n1 ended -1h0m0s; node pressure by kubelet on n1: The node was low on resource: memory."},
		{"repeated updates of a failed pod record one eviction", func(s *script) {
			pod := func() *v1.Pod { return state(kubelet, failed("Evicted", "")) }
			s.listed(pod()).changed(pod()).listed(pod()).listed(pod()).deleted(pod())
		}, "a evicted n1 ended -1h0m0s; node pressure by kubelet on n1: The node was low on resource: memory."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScript()
			tt.play(s)
			if got := recordText(s.Record()); got != trim(tt.want) {
				t.Errorf("the record has\n%swant\n%s", got, trim(tt.want))
			}
		})
	}
}

func TestObserver_TerminalPodsAreRecordedOnce(t *testing.T) {
	s := newScript()
	var pods []*v1.Pod
	for i := range 9000 {
		pod := mk.Pod(fmt.Sprint("p", i)).Node("n1").Obj()
		failed("Evicted", "")(pod)
		pods = append(pods, pod)
	}
	s.listed(pods...)
	first := s.Record().Ended()[0].Pod.Name
	s.listed(pods...)
	if now := s.Record().Ended()[0].Pod.Name; now != first {
		t.Errorf("the oldest eviction was of %s and is of %s after the same list", first, now)
	}
}

func TestObserver_PrintableTexts(t *testing.T) {
	const hostile = "\x1b]0;owned\x07\u202e\r\n"
	s := newScript()
	node := mk.Node("n1").Taint("key"+hostile, "value"+hostile, v1.TaintEffectNoExecute).Obj()
	s.apply(world.Changed{Op: world.Added, Object: s.withVersion(node)})
	s.added(state())
	s.added(func() *v1.Pod {
		pod := mk.Pod("b").Node("n2").Obj()
		withCondition("PreemptionByScheduler", hostile+": "+strings.Repeat("x", 100_000))(pod)
		return pod
	}())
	for _, d := range s.Record().Open() {
		for _, text := range []string{d.Initiator, d.Reason} {
			if strings.ContainsAny(text, "\x1b\x07\u202e\r\n") || len(text) > 5000 {
				t.Errorf("the record's text for %s is %q", d.Pod.Name, text)
			}
		}
	}
	if n := len(s.Record().Open()); n != 2 {
		t.Errorf("%d open evictions, want one for the taint and one for the condition", n)
	}
}
