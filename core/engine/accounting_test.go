package engine_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/config"
	"orrery/core/engine"
	"orrery/core/mk"
)

func TestAccounting_FollowsPodLevelResourcesGate(t *testing.T) {
	for on, want := range map[bool]engine.Verdict{true: engine.Unschedulable, false: engine.Placed} {
		features, err := config.ParseFeatures(map[string]bool{"PodLevelResources": on})
		if err != nil {
			t.Fatal(err)
		}
		s := newScene(t, engine.Options{Config: config.Default(features)})
		running := mk.Pod("running").Node("n1").Obj()
		running.Spec.Resources = &v1.ResourceRequirements{Requests: mk.Resources("cpu", "2")}
		s.added(mk.Node("n1").CPU("2").Memory("8Gi").Obj(), running, mk.Pod("next").CPU("1").Obj())
		if got := s.decide(); len(got) != 1 || got[0].Verdict != want {
			t.Errorf("with PodLevelResources=%v: %+v, want the next pod %s", on, got, want)
		}
	}
}
