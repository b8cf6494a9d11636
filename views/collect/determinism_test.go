package collect_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"orrery/core/answers/answer"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// The same inputs make the same models, byte for byte.
func TestModel_IsDeterministic(t *testing.T) {
	var models [2][]*views.Model
	for i := range models {
		e, ch := busyCluster(t)
		c := collect.New(collect.Options{Source: "s", History: ch})
		for _, pane := range everyPane {
			query := collect.Query{Open: pane, Rows: 50, Columns: 120, Node: "worker-01", Pod: world.PodRef{Namespace: "ml", Name: "trainer-1"}}
			models[i] = append(models[i], c.Model(e, query))
		}
	}
	if diff := cmp.Diff(models[0], models[1]); diff != "" {
		t.Errorf("two runs differ:\n%s", diff)
	}
}

// keptOfItsOwn leaves out what an engine keeps of earlier pods: a fork begins with nothing.
var keptOfItsOwn = cmp.Options{
	cmpopts.IgnoreFields(views.Snapshot{}, "Reuse"), cmpopts.IgnoreFields(answer.Answer{}, "KeptVerdicts"), cmpopts.IgnoreFields(answer.Words{}, "Facts"),
}

// A fork of engine and history has the same models, and is independent.
func TestHistory_ForkIsIndependent(t *testing.T) {
	e, ch := busyCluster(t)
	f, err := e.Fork()
	if err != nil {
		t.Fatal(err)
	}
	fork := ch.Fork().(*collect.History)
	c := collect.New(collect.Options{History: ch})
	for _, pane := range everyPane {
		query := collect.Query{Open: pane, Rows: 50, Columns: 120, Node: "worker-01", Pod: world.PodRef{Namespace: "ml", Name: "trainer-1"}}
		before := c.Model(e, query)
		c.SetHistory(fork)
		if diff := cmp.Diff(before, c.Model(f, query), keptOfItsOwn); diff != "" {
			t.Errorf("pane %q of the fork differs (-original +fork):\n%s", pane, diff)
		}
		c.SetHistory(ch)
	}
	query := collect.Query{Open: views.MetricsPane}
	before := c.Model(e, query)
	apply(t, f, fork, world.Changed{Op: world.Added, Object: mk.Pod("more").Namespace("shop").CPU("1m").Obj()})
	if diff := cmp.Diff(before, c.Model(e, query)); diff != "" {
		t.Errorf("a change of the fork changed the original:\n%s", diff)
	}
}

// A returned model never changes: it is drawn while the engine runs on.
func TestModel_IsImmutable(t *testing.T) {
	c := newLargeCluster(t, 20, 200)
	collector := collect.New(collect.Options{History: c.history})
	query := collect.Query{Open: views.Overview, Rows: 40, Columns: 120}
	m := collector.Model(c.engine, query)
	text := fmt.Sprintf("%+v %+v %+v", *m.Queue, *m.Snapshot, *m.Zones)
	for range 50 {
		c.decide(1)
		collector.Model(c.engine, query)
	}
	if now := fmt.Sprintf("%+v %+v %+v", *m.Queue, *m.Snapshot, *m.Zones); now != text {
		t.Errorf("the model has changed:\n%s", cmp.Diff(text, now))
	}
}
