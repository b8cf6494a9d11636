package live_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/live"
)

func want[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestInitialLists_HandedOutTogetherPodsLast(t *testing.T) {
	var lists chan struct{}
	holdLists := func(s *harness) {
		lists = make(chan struct{})
		s.setFault(func(r *http.Request) fault {
			if strings.HasSuffix(r.URL.Path, "/pods") || strings.HasSuffix(r.URL.Path, "/nodes") {
				return fault{wait: lists}
			}
			return fault{}
		})
	}
	playPrepared(t, live.Options{}, holdLists, func(s *harness) {
		synctest.Wait()
		want(t, "missing while no list is answered", 2, len(s.cluster.Unsynced()))
		close(lists)
		want(t, "first", "Nodes: x", s.next())
		want(t, "second", "Pods: a b", s.next())
		want(t, "missing", 0, len(s.cluster.Unsynced()))
	}, nodeX, podA, podB)
}

func TestChanges_FollowListsInOrder(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		s.put(podB)
		s.put(mk.Pod("b").Label("new", "yes").Obj())
		s.remove(podA)
		want(t, "first", "added b", s.next())
		want(t, "second", "modified b", s.next())
		want(t, "third", "deleted a", s.next())
		want(t, "and then", "nothing", s.next())
	}, podA)
}

func TestReflector_TrimsObjects(t *testing.T) {
	wordy := mk.Pod("wordy").Obj()
	wordy.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
	wordy.Spec.Containers[0].Env = []v1.EnvVar{{Name: "PASSWORD", Value: "canary"}}
	check := func(o world.Object) {
		pod := o.(*v1.Pod)
		if len(pod.ManagedFields) > 0 || len(pod.Spec.Containers[0].Env) > 0 {
			t.Errorf("the pod came with %v and %v", pod.ManagedFields, pod.Spec.Containers[0].Env)
		}
	}
	play(t, func(s *harness) {
		s.next()
		in, _ := s.cluster.Next(s.cluster.Now().Add(time.Minute))
		check(in.Event.(world.Listed).Objects[0])
		s.put(wordy)
		in, _ = s.cluster.Next(s.cluster.Now().Add(time.Minute))
		check(in.Event.(world.Changed).Object)
	}, wordy)
}

func TestNext_HonoursDeadline(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		want(t, "waited", 3*time.Second, elapses(func() { s.quiet(3 * time.Second) }))
		if _, ok := s.cluster.Next(s.cluster.Now().Add(-time.Second)); ok {
			t.Error("an input came for a time that has passed")
		}
	})
}

func TestReflector_ResumesBrokenWatch(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		s.breakWatches()
		s.put(podB)
		want(t, "next", "added b", s.next())
		want(t, "then", "nothing", s.next())
		want(t, "lists made of pods", 1, s.count(&s.podLists))
		if s.cluster.Counters().Watches < 3 {
			t.Errorf("watches begun: %d", s.cluster.Counters().Watches)
		}
	}, podA)
}

func TestReflector_RelistsAfterExpiredWatch(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		s.setDown(true)
		s.remove(podA)
		s.put(podB)
		s.forget()
		s.setDown(false)
		got := []string{s.next(), s.next()}
		if got[0] != "Pods: b" && got[1] != "Pods: b" {
			t.Errorf("came: %q, want a list of pods in it", got)
		}
		want(t, "relists", 2, int(s.cluster.Counters().Relists))
		s.remove(podB)
		want(t, "the watch goes on", "deleted b", s.next())
	}, podA)
}

func TestReflector_LongOutageLosesNothing(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		s.setDown(true)
		s.quiet(5 * time.Minute)
		s.put(podB)
		s.setDown(false)
		want(t, "next", "added b", s.next())
	}, podA)
}

// However long and however often API servers were away, a watch is back within seconds.
func TestReflector_IsBackSoonAfterAnOutage(t *testing.T) {
	for name, outage := range map[string]func(s *harness){
		"away for an hour": func(s *harness) {
			s.setDown(true)
			pass(time.Hour)
			s.setDown(false)
		},
		"away again and again": func(s *harness) {
			for range 20 {
				s.setDown(true)
				pass(10 * time.Second)
				s.setDown(false)
				pass(10 * time.Second)
			}
			s.setDown(true)
			pass(10 * time.Second)
			s.setDown(false)
		},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(s *harness) {
				s.listed()
				outage(s)
				s.put(podB)
				took := elapses(func() { want(t, "next", "added b", s.next()) })
				if most := 6 * time.Second; took > most {
					t.Errorf("the watch is back after %v, want %v at most", took, most)
				}
			}, podA)
		})
	}
}

func TestUnsynced_NamesKindThatCannotBeListed(t *testing.T) {
	forbidden := func(s *harness) { s.setFault(times(100, "GET", "/nodes", fault{code: 403})) }
	playPrepared(t, live.Options{}, forbidden, func(s *harness) {
		want(t, "next", "nothing", s.next())
		want(t, "missing", []world.Kind{world.Node}, s.cluster.Unsynced())
		s.setFault(nil)
		want(t, "first", "Nodes: x", s.next())
	}, nodeX, podA)
}

func TestReflector_SlowReaderBlocksWatch(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		for range 10_000 {
			s.put(podA)
		}
		synctest.Wait()
		n := 0
		for s.next() != "nothing" {
			n++
		}
		want(t, "changes", 10_000, n)
	}, podA)
}
