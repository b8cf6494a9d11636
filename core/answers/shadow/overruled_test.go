package shadow_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orrery/core/answers/shadow"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// A pod that the cluster's scheduler binds to another node than ours goes from in flight to bound. It is never queued
// again, and the comparison says how the two nodes compare.
func TestShadow_FollowsPodBoundElsewhere(t *testing.T) {
	twin := mk.Node("twin").CPU("8").Memory("16Gi").Obj()
	for _, tt := range []struct {
		name string
		node string // where the cluster's scheduler binds it
		want string
	}{
		{"an equally good node", "other twin", "as good"},
		{"a worse node", "low", "ours scores higher"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newHarness(t, allNodesScored(), big, twin, low)
			w.pass(time.Second)
			w.update(web)
			ours := w.Engine().Bindings()[0].Node
			actual := tt.node
			if actual == "other twin" {
				actual = map[string]string{"big": "twin", "twin": "big"}[ours]
			}
			w.pass(time.Second)
			w.update(on(web, actual))
			var path []string
			for _, m := range w.Engine().PodTransitions(web.UID) {
				path = append(path, m.From.String()+" → "+m.To.String()+" "+m.Event)
			}
			want := []string{"gone → active UnschedulablePodAdd", "active → in-flight PodPopped", "in-flight → gone Done", "gone → gone BoundByOther"}
			if diff := cmp.Diff(want, path); diff != "" {
				t.Errorf("its transitions (-want +got):\n%s", diff)
			}
			if problems := w.Engine().Counters().Problems; problems != 0 || w.Engine().BindingCount() != 0 || w.Predicted() != 0 {
				t.Errorf("%d problems, %d bindings in flight, %d held, want none", problems, w.Engine().BindingCount(), w.Predicted())
			}
			if o, ok := w.Comparator().Overruled(web.UID); !ok || o.Real != actual || o.Ours != ours || o.Compared {
				t.Errorf("overruled at once: %+v, want %s instead of %s, not compared yet", o, actual, ours)
			}
			w.pass(shadow.Window)
			o, _ := w.Comparator().Overruled(web.UID)
			got := "as good"
			if !o.Compared || !o.Scored() {
				got = "not compared"
			} else if o.Lead > 0 {
				got = "ours scores higher"
			}
			if got != tt.want {
				t.Errorf("overruled: %+v, want %s", o, tt.want)
			}
		})
	}
}

// A relist that shows the pod on another node ends the binding in the same way.
func TestShadow_FollowsPodBoundElsewhereInList(t *testing.T) {
	w := newHarness(t, allNodesScored(), big, low, web)
	w.apply(world.Listed{Kind: world.Pod, Objects: []world.Object{on(web, "low")}})
	transitions := w.Engine().PodTransitions(web.UID)
	if last := transitions[len(transitions)-1]; last.Note != "bound to low by default-scheduler, not to big" {
		t.Errorf("its last transition is %+v", last)
	}
	if n := w.Engine().Counters().Problems; n != 0 {
		t.Errorf("%d problems", n)
	}
}
