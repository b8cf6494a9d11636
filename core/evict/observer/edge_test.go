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
	"orrery/core/mk"
	"orrery/core/world"
)

// script tells an observer of states of pods, one a second from noon on.
type script struct {
	*observer.Observer
	now     time.Time
	version int
}

func newScript() *script { return &script{Observer: observer.New(observer.Options{}), now: noon} }

func (s *script) tell(event world.Event) *script {
	s.Apply(world.Input{At: s.now, Event: event})
	s.now = s.now.Add(time.Second)
	return s
}

func (s *script) stamp(o world.Object) world.Object {
	s.version++
	o.SetResourceVersion(strconv.Itoa(s.version))
	return o
}

func (s *script) added(pod *v1.Pod) *script {
	return s.tell(world.Changed{Op: world.Added, Object: s.stamp(pod)})
}

func (s *script) changed(pod *v1.Pod) *script {
	return s.tell(world.Changed{Op: world.Modified, Object: s.stamp(pod)})
}

func (s *script) gone(pod *v1.Pod) *script {
	return s.tell(world.Changed{Op: world.Deleted, Object: s.stamp(pod)})
}

func (s *script) listed(pods ...*v1.Pod) *script {
	list := world.Listed{Kind: world.Pod}
	for _, pod := range pods {
		list.Objects = append(list.Objects, s.stamp(pod))
	}
	return s.tell(list)
}

// state is a pod on n1, and each change of it: a mark, a deletion with half a minute left, an end.
func state(changes ...func(*v1.Pod)) *v1.Pod {
	pod := mk.Pod("a").Node("n1").Obj()
	for _, change := range changes {
		change(pod)
	}
	return pod
}

func marked(reason, message string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Status.Conditions = []v1.PodCondition{{
			Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: reason, Message: message,
			LastTransitionTime: metav1.Time{Time: noon.Add(-time.Hour)},
		}}
	}
}

func taken(pod *v1.Pod) {
	pod.Status.Conditions = []v1.PodCondition{{Type: v1.DisruptionTarget, Status: v1.ConditionFalse}}
}

func deleted(pod *v1.Pod) { pod.DeletionTimestamp = &metav1.Time{Time: noon.Add(30 * time.Second)} }

func failed(reason, message string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Status.Phase, pod.Status.Reason, pod.Status.Message = v1.PodFailed, reason, message
	}
}

func TestDisruptionOf(t *testing.T) {
	scheduler := marked("PreemptionByScheduler", "default-scheduler: preempting to accommodate a higher priority pod")
	evicted := marked("EvictionByEvictionAPI", "Eviction API: evicting")
	kubelet := marked("TerminationByKubelet", "The node was low on resource: memory. ")
	tests := []struct {
		name string
		play func(*script)
		want string
	}{
		{"a mark, before the deletion", func(s *script) { s.added(state()).changed(state(evicted)) }, "a terminating n1; eviction API by eviction API: Eviction API: evicting"},
		{"the deletion has a deadline", func(s *script) { s.added(state()).changed(state(evicted, deleted)) }, "a terminating n1 due 30s; eviction API by eviction API: Eviction API: evicting"},
		{"gone", func(s *script) {
			s.added(state()).changed(state(evicted, deleted)).gone(state(evicted, deleted))
		}, "a evicted n1 due 30s ended 2s; eviction API by eviction API: Eviction API: evicting"},
		{"a watch that shows only the last state", func(s *script) { s.added(state()).gone(state(evicted, deleted)) }, "a evicted n1 due 30s ended 1s; eviction API by eviction API: Eviction API: evicting"},
		{"a pod that stops has left before it is gone", func(s *script) {
			s.added(state()).changed(state(evicted, deleted, failed("", ""))).gone(state(evicted, deleted, failed("", "")))
		}, "a evicted n1 due 30s ended 1s; eviction API by eviction API: Eviction API: evicting"},
		{"a list without it", func(s *script) { s.added(state()).changed(state(evicted, deleted)).listed() }, "a evicted n1 due 30s ended 2s; eviction API by eviction API: Eviction API: evicting"},
		{"a mark that is taken back", func(s *script) { s.added(state()).changed(state(evicted)).changed(state(taken)) }, "a cancelled n1 ended 2s; eviction API by eviction API: its DisruptionTarget condition was removed"},
		{"but a deletion cannot be", func(s *script) { s.added(state()).changed(state(evicted)).changed(state(taken, deleted)) }, "a terminating n1 due 30s; eviction API by eviction API: Eviction API: evicting"},
		{"and what has begun to go for a cause has left for it", func(s *script) {
			s.added(state()).changed(state(evicted)).changed(state(taken, deleted)).gone(state(taken, deleted))
		}, "a evicted n1 due 30s ended 3s; eviction API by eviction API: Eviction API: evicting"},
		{"another mark instead", func(s *script) { s.added(state()).changed(state(evicted)).changed(state(scheduler)) }, `
			a terminating n1; preemption by default-scheduler: default-scheduler: preempting to accommodate a higher priority pod
			a cancelled n1 ended 2s; eviction API by eviction API: its DisruptionTarget condition was removed`},
		{"a late message changes nothing", func(s *script) {
			s.added(state()).changed(state(evicted, deleted)).gone(state(evicted, deleted))
			late := state(evicted)
			late.ResourceVersion = "2"
			s.tell(world.Changed{Op: world.Modified, Object: late})
		}, "a evicted n1 due 30s ended 2s; eviction API by eviction API: Eviction API: evicting"},
		{"pressure", func(s *script) {
			s.added(state()).changed(state(kubelet, failed("Evicted", "The node was low on resource: memory. ")))
		}, "a evicted n1 ended 1s; node pressure by kubelet on n1: The node was low on resource: memory."},
		{"limits of its own, without a mark", func(s *script) {
			s.added(state()).changed(state(failed("Evicted", "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ")))
		}, "a evicted n1 ended 1s; node pressure by kubelet on n1: Pod ephemeral local storage usage exceeds the total limit of containers 1Gi."},
		{"a recording does not hold the status' message", func(s *script) { s.added(state()).changed(state(failed("Evicted", ""))) }, "a evicted n1 ended 1s; node pressure by kubelet on n1: Evicted"},
		{"a critical pod takes its place", func(s *script) {
			s.added(state()).changed(state(marked("TerminationByKubelet", "Pod was preempted by Kubelet to accommodate a critical pod."), failed("Preempting", "")))
		}, "a evicted n1 ended 1s; preemption by kubelet on n1: Pod was preempted by Kubelet to accommodate a critical pod."},
		{"its node shuts down", func(s *script) {
			s.added(state()).changed(state(marked("TerminationByKubelet", "Pod was terminated in response to imminent node shutdown."), failed("Terminated", "")))
		}, "a evicted n1 ended 1s; node shutdown by kubelet on n1: Pod was terminated in response to imminent node shutdown."},
		{"its node is gone", func(s *script) {
			s.added(state()).changed(state(marked("DeletionByPodGC", "PodGC: node no longer exists"), failed("", "")))
		}, "a evicted n1 ended 1s; node gone by pod garbage collector: PodGC: node no longer exists"},
		{"a mark of a later Kubernetes is no cause known", func(s *script) { s.added(state()).changed(state(marked("DeletionByWhim", ""), deleted)) }, ""},
		{"one that failed by itself", func(s *script) { s.added(state()).changed(state(failed("Error", ""))) }, ""},
		{"evicted long ago: its mark says when", func(s *script) { s.listed(state(kubelet, failed("Evicted", ""))) }, "a evicted n1 ended -1h0m0s; node pressure by kubelet on n1: The node was low on resource: memory."},
		{"and it is there once, however often it is told of", func(s *script) {
			pod := func() *v1.Pod { return state(kubelet, failed("Evicted", "")) }
			s.listed(pod()).changed(pod()).listed(pod()).listed(pod()).gone(pod())
		}, "a evicted n1 ended -1h0m0s; node pressure by kubelet on n1: The node was low on resource: memory."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScript()
			tt.play(s)
			if got := portrait(s.Record()); got != trim(tt.want) {
				t.Errorf("the board says\n%swant\n%s", got, trim(tt.want))
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
		t.Errorf("the oldest departure was of %s and is of %s after the same list", first, now)
	}
}

func TestObserver_PrintableTexts(t *testing.T) {
	const hostile = "\x1b]0;owned\x07\u202e\r\n"
	s := newScript()
	node := mk.Node("n1").Taint("key"+hostile, "value"+hostile, v1.TaintEffectNoExecute).Obj()
	s.tell(world.Changed{Op: world.Added, Object: s.stamp(node)})
	s.added(state())
	s.added(func() *v1.Pod {
		pod := mk.Pod("b").Node("n2").Obj()
		marked("PreemptionByScheduler", hostile+": "+strings.Repeat("x", 100_000))(pod)
		return pod
	}())
	for _, d := range s.Record().Open() {
		for _, text := range []string{d.Initiator, d.Reason} {
			if strings.ContainsAny(text, "\x1b\x07\u202e\r\n") || len(text) > 5000 {
				t.Errorf("of %s the board says %q", d.Pod.Name, text)
			}
		}
	}
	if n := len(s.Record().Open()); n != 2 {
		t.Errorf("%d pods leave, want one for the taint and one for its mark", n)
	}
}
