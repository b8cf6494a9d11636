package framework_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
)

// explaining is a Filter plugin that explains itself.
type explaining struct {
	filter
	explain func(framework.Rejection) []framework.Evidence
}

func (e explaining) Explain(_ context.Context, _ fwk.CycleState, _ *v1.Pod, r framework.Rejection) []framework.Evidence {
	return e.explain(r)
}

func TestExplain_AsksExplainersOnly(t *testing.T) {
	evidence := func(r framework.Rejection) []framework.Evidence {
		return []framework.Evidence{{Code: "odd", Nodes: []string{r.Nodes[0].Name()}}}
	}
	panicked := 0
	p := profile(t, framework.Options{OnPanic: func(*framework.PluginPanic) { panicked++ }},
		explaining{filter{fake: fake{name: "speaks"}}, evidence}, filter{fake: fake{name: "silent"}},
		explaining{filter{fake: fake{name: "breaks"}}, func(framework.Rejection) []framework.Evidence { panic("no") }})
	rejected := framework.Rejection{Nodes: []framework.RejectedNode{{NodeInfo: nodes("a")[0]}}}
	for plugin, want := range map[string][]framework.Evidence{
		"speaks": {{Code: "odd", Nodes: []string{"a"}}}, "silent": nil, "breaks": nil, "unknown": nil,
	} {
		got := p.Explain(t.Context(), framework.NewCycleState(), mk.Pod("p").Obj(), plugin, rejected)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", plugin, diff)
		}
	}
	if p.Explains("silent") || !p.Explains("speaks") || panicked != 1 {
		t.Errorf("silent explains itself: %t, speaks: %t; %d panics", p.Explains("silent"), p.Explains("speaks"), panicked)
	}
}
