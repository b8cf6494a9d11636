package engine_test

import (
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func TestAccounting_FollowsPodLevelResourcesGate(t *testing.T) {
	for on, want := range map[bool]engine.Verdict{true: engine.Unschedulable, false: engine.Placed} {
		features, err := config.ParseFeatures(map[string]bool{"PodLevelResources": on})
		if err != nil {
			t.Fatal(err)
		}
		s := newFixture(t, engine.Options{Config: config.Default(features)})
		running := mk.Pod("running").Node("n1").Obj()
		running.Spec.Resources = &v1.ResourceRequirements{Requests: mk.Resources("cpu", "2")}
		s.added(mk.Node("n1").CPU("2").Memory("8Gi").Obj(), running, mk.Pod("next").CPU("1").Obj())
		if got := s.decide(); len(got) != 1 || got[0].Verdict != want {
			t.Errorf("with PodLevelResources=%v: %+v, want the next pod %s", on, got, want)
		}
	}
}

// Each container requests as much cpu as the store takes in; all of them together are more than an int64 counts.
func TestAccounting_SumsBeyondInt64FillNode(t *testing.T) {
	const most = "9007199254740"
	bound := func(name string, containers int) *v1.Pod {
		pod := mk.Pod(name).Node("n1").CPU(most).Obj()
		for len(pod.Spec.Containers) < containers {
			pod.Spec.Containers = append(pod.Spec.Containers, pod.Spec.Containers[0])
		}
		return pod
	}
	for name, c := range map[string]struct{ pods, containers int }{
		"two pods of many containers": {2, 2048},
		"many pods of one container":  {1025, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t, engine.Options{})
			s.added(mk.Node("n1").CPU("4").Pods("5000").Memory("8Gi").Obj())
			third := mk.Pod("third").CPU("3").Obj()
			all := world.Listed{Kind: world.Pod, Objects: []world.Object{third}}
			for i := range c.pods {
				all.Objects = append(all.Objects, bound(fmt.Sprint("bound-", i), c.containers))
			}
			s.apply(all)
			if got := s.decide(); len(got) != 1 || got[0].Verdict != engine.Unschedulable {
				t.Fatalf("%+v, want the third pod unschedulable", got)
			}
			s.apply(world.Listed{Kind: world.Pod, Objects: []world.Object{third}})
			s.after(time.Hour)
			if got := s.decide(); len(got) != 1 || got[0].Verdict != engine.Placed {
				t.Errorf("without the other pods: %+v, want the third pod placed", got)
			}
		})
	}
}
