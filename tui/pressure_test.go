package tui

import (
	"errors"
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"orrery/core/engine"
	"orrery/core/evict/pressure"
	"orrery/core/mk"
	"orrery/core/operate"
	"orrery/core/usage"
	"orrery/core/world"
	"orrery/views/collect"
)

// measured is a cluster whose nodes may not be asked what they use.
type measured struct {
	*cluster
	asked []string
}

func (m *measured) Usage(node string) *usage.Reading {
	m.asked = append(m.asked, node)
	return &usage.Reading{
		Node: node, Asked: true, Trouble: "may not get nodes/proxy, and no metrics API is served",
		Missing: []operate.Rule{{Resource: "nodes/proxy", Verb: "get"}}, Configuration: pressure.DefaultConfiguration("linux"),
	}
}

func TestOnlyTheNodeThatIsLookedAtIsAskedWhatItUses(t *testing.T) {
	source, _ := staging(t)
	m := &measured{cluster: source}
	s := watch(t, m, 120, 30)
	s.keys("3", "enter").shows("Node")
	if len(m.asked) > 0 {
		t.Fatalf("%q were asked though nobody looks at their pressure", m.asked)
	}
	s.keys("p").shows("Pressure", "no usage data: may not get nodes/proxy, and no metrics API is served", "it takes the RBAC rule get nodes/proxy", "memory.available")
	for _, node := range m.asked {
		if node != "node-0" {
			t.Errorf("%s was asked", node)
		}
	}
	if len(m.asked) == 0 {
		t.Error("the node was not asked")
	}
	asked := len(m.asked)
	s.keys("p").shows("p: this is what presses the node").keys("esc").shows("Node").keys("1")
	if len(m.asked) > asked+2 {
		t.Errorf("it was asked %d times more after nobody looked", len(m.asked)-asked)
	}
	s.keys("2", "p").shows("p: no node is selected")
}

// written is a cluster with a chronicle.
type written struct {
	*cluster
	engine    *engine.Engine
	chronicle *collect.Chronicle
}

func (w *written) Engine() *engine.Engine        { return w.engine }
func (w *written) Chronicle() *collect.Chronicle { return w.chronicle }

func TestARefusedEvictionIsWrittenDown(t *testing.T) {
	source, _ := staging(t)
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	w := &written{source, e, collect.NewChronicle(collect.ChronicleOptions{})}
	pod := mk.Pod("one").Node("node-0").Phase(v1.PodRunning).Obj()
	in := world.Input{At: start, Event: world.Changed{Op: world.Added, Object: pod}}
	w.chronicle.Applied(in, e.Apply(in))
	p := newPump(w, 30, func() time.Duration { return 0 }, nil)
	held := fmt.Errorf("could not evict pod default/one: %w", apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0))
	p.refused(operate.Action{Verb: operate.Evict, Pod: world.RefOf(pod)}, errors.New("something else"))
	p.refused(operate.Action{Verb: operate.Delete, Pod: world.RefOf(pod)}, held)
	p.refused(operate.Action{Verb: operate.Evict, Pod: world.RefOf(pod)}, held)
	if n := len(p.orders); n != 1 {
		t.Fatalf("%d refusals were written down, of one", n)
	}
	(<-p.orders)(p)
	ended := w.chronicle.Board().Ended()
	if len(ended) != 1 || ended[0].Pod.Name != "one" || ended[0].By != "somebody here" {
		t.Errorf("the board says %+v", ended)
	}
}
