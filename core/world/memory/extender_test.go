package memory_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

const odd = "http://odd"

func oddNodes() memory.Extender {
	return memory.Extender{
		Refuses: func(n *v1.Node) bool { return n.Labels["odd"] == "yes" }, Reason: "odd",
		Prefers: func(n *v1.Node) bool { return n.Labels["fast"] == "yes" },
		Takes:   memory.Delay{Base: time.Second},
	}
}

// extenderCalls is a cluster with one extender, and a call of it.
func extenderCalls(x memory.Extender) (*memory.Cluster, func(verb world.ExtenderVerb) world.CallExtender) {
	c := memory.New(memory.Options{Extenders: map[string]memory.Extender{odd: x}})
	c.Advance(0) // the first lists
	pod := mk.Pod("web").Obj()
	return c, func(verb world.ExtenderVerb) world.CallExtender {
		return world.CallExtender{
			Pod: world.PodRefOf(pod), Verb: verb, URL: odd + "/" + verb.String(), Timeout: 3 * time.Second,
			Request: world.ExtenderRequest{Pod: pod, NamesOnly: true, Nodes: []*v1.Node{
				mk.Node("n1").Label("odd", "yes").Obj(), mk.Node("n2").Label("fast", "yes").Obj(), mk.Node("n3").Obj(),
			}},
		}
	}
}

// outcomes returns the outcomes that come in the next while, and when.
func outcomes(c *memory.Cluster, within time.Duration) (list []world.Outcome, at []time.Duration) {
	from := c.Now()
	for _, in := range c.Advance(within) {
		if done, ok := in.Event.(world.EffectDone); ok {
			list, at = append(list, done.Outcome), append(at, in.At.Sub(from))
		}
	}
	return list, at
}

func TestExtender_FiltersAndPrioritizes(t *testing.T) {
	c, call := extenderCalls(oddNodes())
	for i, verb := range []world.ExtenderVerb{world.ExtenderFilter, world.ExtenderPrioritize} {
		c.Do(world.Effect{ID: world.EffectID(i + 1), At: c.Now(), Action: call(verb)})
	}
	got, at := outcomes(c, time.Minute)
	want := []world.Outcome{
		{Answer: &world.ExtenderAnswer{Nodes: []string{"n2", "n3"}, Failed: []world.FailedNode{{Node: "n1", Reason: "odd"}}}},
		{Answer: &world.ExtenderAnswer{Scores: []world.HostScore{{Host: "n1"}, {Host: "n2", Score: 10}, {Host: "n3"}}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]time.Duration{time.Second, time.Second}, at); diff != "" {
		t.Errorf("both are asked at once (-want +got):\n%s", diff)
	}
}

func TestExtender_Troubles(t *testing.T) {
	slow, down, failing := oddNodes(), oddNodes(), oddNodes()
	slow.Takes, down.Down, failing.Error = memory.Delay{Base: time.Hour}, true, "no licence"
	for name, tt := range map[string]struct {
		extender memory.Extender
		after    time.Duration
		want     string
	}{
		"slower than its timeout": {slow, 3 * time.Second, `Post "http://odd/filter": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`},
		"gone":                    {down, time.Second, `Post "http://odd/filter": dial tcp: connect: connection refused`},
		"its own error":           {failing, time.Second, "no licence"},
	} {
		t.Run(name, func(t *testing.T) {
			c, call := extenderCalls(tt.extender)
			c.Do(world.Effect{ID: 1, At: c.Now(), Action: call(world.ExtenderFilter)})
			got, at := outcomes(c, time.Minute)
			if len(got) != 1 || at[0] != tt.after {
				t.Fatalf("outcomes %+v after %v", got, at)
			}
			text := got[0].Message
			if got[0].Answer != nil {
				text = got[0].Answer.Error
			}
			if text != tt.want {
				t.Errorf("%q, want %q", text, tt.want)
			}
		})
	}
}

// It dies during a call: what counts is what it is when it would answer. A fork's extender is its own.
func TestExtender_SetInTheMiddle(t *testing.T) {
	c, call := extenderCalls(oddNodes())
	c.Do(world.Effect{ID: 1, At: c.Now(), Action: call(world.ExtenderFilter)})
	fork := c.Fork()
	c.SetExtender(odd, memory.Extender{Down: true})
	if got, _ := outcomes(c, time.Minute); len(got) != 1 || got[0].OK() {
		t.Errorf("the extender that is gone answers %+v", got)
	}
	if got, _ := outcomes(fork, time.Minute); len(got) != 1 || got[0].Answer == nil {
		t.Errorf("the fork's extender answers %+v", got)
	}
}

// Cancelled calls end at once, those about other pods go on.
func TestExtender_Cancelled(t *testing.T) {
	c, call := extenderCalls(oddNodes())
	other := call(world.ExtenderFilter)
	other.Pod.Name = "other"
	c.Do(world.Effect{ID: 1, At: c.Now(), Action: call(world.ExtenderFilter)})
	c.Do(world.Effect{ID: 2, At: c.Now(), Action: other})
	c.Do(world.Effect{ID: 3, At: c.Now(), Action: world.CancelExtenderCalls{Pod: call(world.ExtenderFilter).Pod}})
	got, at := outcomes(c, time.Minute)
	if len(got) != 2 || at[0] != 0 || !strings.HasSuffix(got[0].Message, "context canceled") || got[1].Answer == nil {
		t.Errorf("outcomes %+v after %v", got, at)
	}
}

// An extender that is not simulated gives no answer. One that binds does so in the API server.
func TestExtender_UnknownAndBinding(t *testing.T) {
	c, call := extenderCalls(oddNodes())
	unknown := call(world.ExtenderFilter)
	unknown.URL = "http://other/filter"
	c.Do(world.Effect{ID: 1, At: c.Now(), Action: unknown})
	if got, _ := outcomes(c, time.Minute); len(got) != 1 || !got[0].OK() || got[0].Answer != nil {
		t.Errorf("an unknown extender answers %+v", got)
	}
	created, err := c.Create(mk.Pod("db").Obj())
	if err != nil {
		t.Fatal(err)
	}
	bind := call(world.ExtenderBind)
	bind.Pod, bind.Request = world.PodRefOf(created.(*v1.Pod)), world.ExtenderRequest{Node: "n1"}
	for i, want := range []string{"", `Operation cannot be fulfilled on pods/binding "db": pod db is already assigned to node "n1"`} {
		c.Do(world.Effect{ID: world.EffectID(i + 2), At: c.Now(), Action: bind})
		if got, _ := outcomes(c, 2*time.Second); len(got) != 1 || got[0].Answer == nil || got[0].Answer.Error != want {
			t.Errorf("binding %d is answered %+v, want %q", i, got, want)
		}
	}
}

// It lets no pod be preempted on a node that it refuses, or that is gone.
func TestExtender_Preempts(t *testing.T) {
	c, call := extenderCalls(oddNodes())
	var asked []world.ExtenderVictims
	for _, node := range []*v1.Node{mk.Node("n1").Label("odd", "yes").Obj(), mk.Node("n2").Obj()} {
		if _, err := c.Create(node); err != nil {
			t.Fatal(err)
		}
	}
	for _, node := range []string{"n1", "n2", "n3"} {
		asked = append(asked, world.ExtenderVictims{Node: node, Pods: []*v1.Pod{mk.Pod("on-" + node).Obj()}, PDBViolations: 1})
	}
	act := call(world.ExtenderPreempt)
	act.Request.Victims = asked
	c.Do(world.Effect{ID: 1, At: c.Now(), Action: act})
	got, _ := outcomes(c, time.Minute)
	want := []world.Outcome{{Answer: &world.ExtenderAnswer{Victims: []world.AnsweredVictims{
		{Node: "n2", Pods: []types.UID{"pod/default/on-n2"}, PDBViolations: 1},
	}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}
