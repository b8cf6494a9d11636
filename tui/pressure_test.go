package tui

import (
	"errors"
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"orrery/core/evict/pressure"
	"orrery/core/operator/actions"
	"orrery/core/operator/usage"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views/collect"
)

// measuredSource is a cluster whose nodes may not be queried for their usage.
type measuredSource struct {
	*cluster
	queried []string
}

func (m *measuredSource) Usage(node string) *usage.Reading {
	m.queried = append(m.queried, node)
	return &usage.Reading{
		Node: node, Queried: true, Problem: "may not get nodes/proxy, and no metrics API is served",
		MissingRules: []actions.Rule{{Resource: "nodes/proxy", Verb: "get"}}, Configuration: pressure.DefaultConfiguration("linux"),
	}
}

func TestPressure_ReadsUsageOfOpenNodeOnly(t *testing.T) {
	source, _ := operableSource(t)
	m := &measuredSource{cluster: source}
	s := watch(t, m, 120, 30)
	s.keys("3", "enter").shows("Node")
	if len(m.queried) > 0 {
		t.Fatalf("%q were queried without an open pressure pane", m.queried)
	}
	s.keys("p").shows("Pressure", "no usage data: may not get nodes/proxy, and no metrics API is served", "needs the RBAC rule get nodes/proxy", "memory.available")
	for _, node := range m.queried {
		if node != "node-0" {
			t.Errorf("%s was queried", node)
		}
	}
	if len(m.queried) == 0 {
		t.Error("the node was not queried")
	}
	queried := len(m.queried)
	s.keys("p").shows("p: this is the pressure pane already").keys("esc").shows("Node").keys("1")
	if len(m.queried) > queried+2 {
		t.Errorf("queried %d times more after the pane was closed", len(m.queried)-queried)
	}
	s.keys("2", "p").shows("p: no node is selected")
}

// historySource is a cluster with a history.
type historySource struct {
	*cluster
	engine  *engine.Engine
	history *collect.History
}

func (w *historySource) Engine() *engine.Engine    { return w.engine }
func (w *historySource) History() *collect.History { return w.history }

func TestConfirm_RecordsRefusedEviction(t *testing.T) {
	source, _ := operableSource(t)
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	w := &historySource{source, e, collect.NewHistory(collect.HistoryOptions{})}
	pod := mk.Pod("one").Node("node-0").Phase(v1.PodRunning).Obj()
	in := world.Input{At: start, Event: world.Changed{Op: world.Added, Object: pod}}
	w.history.Applied(in, e.Apply(in))
	p := newLoop(w, 30, func() time.Duration { return 0 }, nil)
	refusal := fmt.Errorf("could not evict pod default/one: %w", apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0))
	p.recordRefusal(actions.Evict{Pod: world.PodRefOf(pod)}, errors.New("something else"))
	p.recordRefusal(actions.Delete{Pod: world.PodRefOf(pod)}, refusal)
	p.recordRefusal(actions.Evict{Pod: world.PodRefOf(pod)}, refusal)
	if n := len(p.requests); n != 1 {
		t.Fatalf("%d refusals recorded, want 1", n)
	}
	(<-p.requests)(p)
	ended := w.history.Evictions().Ended()
	if len(ended) != 1 || ended[0].Pod.Name != "one" || ended[0].Initiator != "orrery user" {
		t.Errorf("the record has %+v", ended)
	}
}
