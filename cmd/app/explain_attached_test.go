package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// Of 312 pods in activeQ two are decided about each second; another one is unschedulable.
func TestStanding_SaysWhenAPodsTurnComes(t *testing.T) {
	start := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	s := drive.NewScheduler(e)
	add := func(o world.Object) {
		s.Apply(world.Input{At: e.Now().Add(time.Millisecond), Event: world.Changed{Op: world.Added, Object: o}})
	}
	add(mk.Node("node-1").CPU("4").Memory("8Gi").Pods("10").Obj())
	huge := mk.Pod("huge").UID("huge").CPU("20").Obj()
	huge.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse, Message: "0/1 nodes are available: 1 Insufficient cpu."}}
	add(huge)
	s.Effects()
	var pods []*v1.Pod
	for i := range 312 {
		pods = append(pods, mk.Pod(fmt.Sprintf("web-%03d", i)).UID(fmt.Sprint("web", i)).CPU("1m").Obj())
		add(pods[i])
	}
	busy, idle := &diagnose.Rate{Decisions: 120, Window: rateWindow}, &diagnose.Rate{Window: rateWindow}
	for _, c := range []struct {
		of   *diagnose.Rate
		pod  *v1.Pod
		want string
	}{
		{busy, pods[13], "queue 14th of 312 in activeQ; its turn in about 7s, at the present 2 decisions per second"},
		{busy, pods[311], "queue 312th of 312 in activeQ; its turn in about 2m36s, at the present 2 decisions per second"},
		{idle, pods[0], "queue 1st of 312 in activeQ; its turn not known: nothing was decided in the last minute"},
		{busy, huge, "queue one of 1 pod in unschedulablePods; last failed on 0/1 nodes are available: 1 Insufficient cpu."},
	} {
		d, err := diagnose.Ask(e, world.PodRefOf(c.pod), diagnose.Question{Rate: c.of})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, f := range d.Facts {
			if slices.Contains([]string{"queue", "its turn", "last failed on"}, f.Name) {
				lines = append(lines, f.Name+" "+f.Value)
			}
		}
		if got := strings.Join(lines, "; "); got != c.want {
			t.Errorf("of %s: %q, want %q", c.pod.Name, got, c.want)
		}
	}
}
