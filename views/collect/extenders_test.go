package collect_test

import (
	"strings"
	"testing"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// Wherever a decision is shown that extenders had no part in, they are named.
func TestModel_ExtendersNotAsked(t *testing.T) {
	settings, err := config.Load([]byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"+
		"extenders: [{urlPrefix: \"http://gpu\", filterVerb: f, preemptVerb: p}]\n"), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Config: settings, ExtendersUnasked: true, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	c := memory.New(memory.Options{Start: start})
	for _, o := range []world.Object{mk.Node("n1").CPU("4").Memory("8Gi").Obj(), mk.Node("n2").CPU("4").Memory("8Gi").Obj(), mk.Pod("web").CPU("1").Obj()} {
		if _, err := c.Create(o); err != nil {
			t.Fatal(err)
		}
	}
	drive.Run(c, c.Now(), drive.NewScheduler(e))
	source := collect.New(collect.Options{})
	pod := world.PodRef{Namespace: "default", Name: "web"}
	for name, query := range map[string]collect.Query{
		"decisions": {Open: views.DecisionsPane}, "explain": {Open: views.ExplainPane, Pod: pod}, "journey": {Open: views.JourneyPane, Pod: pod},
	} {
		query.Rows = 40
		canvas := draw.New(220, 40)
		views.Screen(canvas, source.Model(e, query), &views.State{Open: query.Open}, draw.Braille, e.Now())
		if text := canvas.Plain(); !strings.Contains(text, "extenders not asked: http://gpu") {
			t.Errorf("%s does not name the extender:\n%s", name, text)
		}
	}
}
