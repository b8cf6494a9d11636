package collect_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/core/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// The same past makes the same models, byte for byte.
func TestModel_IsDeterministic(t *testing.T) {
	var models [2][]*views.Model
	for i := range models {
		e, ch := busyCluster(t)
		c := collect.New(collect.Options{Source: "s", History: ch})
		for _, pane := range everyPane {
			look := collect.Query{Open: pane, Rows: 50, Columns: 120, Node: "worker-01", Pod: world.PodRef{Namespace: "ml", Name: "trainer-1"}}
			models[i] = append(models[i], c.Model(e, look))
		}
	}
	if diff := cmp.Diff(models[0], models[1]); diff != "" {
		t.Errorf("twice the same is not the same:\n%s", diff)
	}
}

// A fork of engine and chronicle shows what they showed, and goes its own way.
func TestHistory_ForkIsIndependent(t *testing.T) {
	e, ch := busyCluster(t)
	f, err := e.Fork()
	if err != nil {
		t.Fatal(err)
	}
	twin := ch.Fork().(*collect.History)
	c := collect.New(collect.Options{History: ch})
	for _, pane := range everyPane {
		look := collect.Query{Open: pane, Rows: 50, Columns: 120, Node: "worker-01", Pod: world.PodRef{Namespace: "ml", Name: "trainer-1"}}
		before := c.Model(e, look)
		c.SetHistory(twin)
		if diff := cmp.Diff(before, c.Model(f, look)); diff != "" {
			t.Errorf("pane %q of the fork differs (-original +fork):\n%s", pane, diff)
		}
		c.SetHistory(ch)
	}
	look := collect.Query{Open: views.MetricsPane}
	before := c.Model(e, look)
	apply(t, f, twin, world.Changed{Op: world.Added, Object: mk.Pod("more").Namespace("shop").CPU("1m").Obj()})
	if diff := cmp.Diff(before, c.Model(e, look)); diff != "" {
		t.Errorf("what happens in the fork shows in the original:\n%s", diff)
	}
}

// What was handed out stays as it is, whatever happens afterwards: it is drawn while the engine goes on.
func TestModel_IsImmutable(t *testing.T) {
	c := newLargeCluster(t, 20, 200)
	collector := collect.New(collect.Options{History: c.chronicle})
	look := collect.Query{Open: views.Overview, Rows: 40, Columns: 120}
	m := collector.Model(c.engine, look)
	text := fmt.Sprintf("%+v %+v %+v", *m.Queue, *m.Snapshot, *m.Zones)
	for range 50 {
		c.decide(1)
		collector.Model(c.engine, look)
	}
	if now := fmt.Sprintf("%+v %+v %+v", *m.Queue, *m.Snapshot, *m.Zones); now != text {
		t.Errorf("the model has changed:\n%s", cmp.Diff(text, now))
	}
}
