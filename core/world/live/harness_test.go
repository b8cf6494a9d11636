package live_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/live"
)

// harness is a cluster behind a stub, in virtual time. When its test ends, a goroutine that is left makes it fail.
type harness struct {
	*stub
	t       *testing.T
	cluster *live.Cluster
	ids     world.EffectID
}

// play runs a test in virtual time, with the objects there from the start.
func play(t *testing.T, act func(s *harness), objects ...world.Object) {
	playWith(t, live.Options{}, act, objects...)
}

func playWith(t *testing.T, o live.Options, act func(s *harness), objects ...world.Object) {
	playPrepared(t, o, func(*harness) {}, act, objects...)
}

// playPrepared is playWith with something to do before the cluster is started.
func playPrepared(t *testing.T, o live.Options, prepare, act func(s *harness), objects ...world.Object) {
	synctest.Test(t, func(t *testing.T) {
		s := &harness{t: t, stub: newStub(t)}
		prepare(s)
		for _, object := range objects {
			s.put(object)
		}
		o.Client = s.client()
		o.Kinds = []world.Kind{world.Pod, world.Node}
		o.Logger = klog.Logger{}.V(0)
		c, err := live.New(o)
		if err != nil {
			t.Fatal(err)
		}
		s.cluster = c
		c.Start()
		t.Cleanup(c.Stop)
		act(s)
	})
}

// next is the next input within some minutes, as text.
func (s *harness) next() string {
	s.t.Helper()
	in, ok := s.cluster.Next(s.cluster.Now().Add(3 * time.Minute))
	if !ok {
		return "nothing"
	}
	return describe(in)
}

func describe(in world.Input) string {
	switch e := in.Event.(type) {
	case world.Changed:
		return fmt.Sprintf("%s %s", e.Op, e.Object.GetName())
	case world.Listed:
		var names []string
		for _, o := range e.Objects {
			names = append(names, o.GetName())
		}
		slices.Sort(names)
		return fmt.Sprintf("%ss: %s", e.Kind, strings.Join(names, " "))
	case world.EffectDone:
		if e.Outcome.OK() {
			return fmt.Sprintf("%d ok", e.Effect)
		}
		return fmt.Sprintf("%d %s %s", e.Effect, e.Outcome.Reason, e.Outcome.Message)
	}
	return fmt.Sprintf("%T", in.Event)
}

// listed takes in the first lists, and lets the watches last for a while: client-go lists again when one ends within a
// second.
func (s *harness) listed() {
	s.t.Helper()
	s.next()
	s.next()
	s.quiet(time.Minute)
}

// quiet lets time pass in which nothing is to come.
func (s *harness) quiet(d time.Duration) {
	s.t.Helper()
	if in, ok := s.cluster.Next(s.cluster.Now().Add(d)); ok {
		s.t.Errorf("came: %s, want nothing", describe(in))
	}
}

// do has an act done; its number is the number of acts so far.
func (s *harness) do(act world.Action) world.EffectID {
	s.ids++
	s.cluster.Do(world.Effect{ID: s.ids, Action: act})
	return s.ids
}

// outcomes takes so many outcomes, leaving out what changed, in the order in which they come.
func (s *harness) outcomes(n int) []string {
	s.t.Helper()
	var got []string
	for len(got) < n {
		in, ok := s.cluster.Next(s.cluster.Now().Add(10 * time.Minute))
		if !ok {
			s.t.Fatalf("only %d of %d effects were answered in ten minutes: %q", len(got), n, got)
		}
		if _, ended := in.Event.(world.EffectDone); ended {
			got = append(got, describe(in))
		}
	}
	return got
}

// pass lets virtual time pass.
func pass(d time.Duration) { <-time.After(d) }

// elapses says how long something takes in virtual time.
func elapses(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

func bind(pod *v1.Pod, node string) world.Bind {
	return world.Bind{Pod: world.PodRefOf(pod), Node: node}
}

func failing(pod *v1.Pod, message string) world.PatchStatus {
	return world.PatchStatus{Pod: world.PodRefOf(pod), Condition: &v1.PodCondition{
		Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: v1.PodReasonUnschedulable, Message: message,
	}}
}

func nominating(pod *v1.Pod, node string) world.PatchStatus {
	return world.PatchStatus{Pod: world.PodRefOf(pod), NominatedNode: &node}
}

func deleting(pod *v1.Pod) world.Delete { return world.Delete{Pod: world.PodRefOf(pod)} }

// times makes a fault happen to the first requests that end like this.
func times(n int, method, suffix string, f fault) func(*http.Request) fault {
	left := n
	return func(r *http.Request) fault {
		if r.Method != method || !strings.HasSuffix(r.URL.Path, suffix) || left == 0 {
			return fault{}
		}
		left--
		return f
	}
}

var (
	podA  = mk.Pod("a").Obj()
	podB  = mk.Pod("b").Obj()
	nodeX = mk.Node("x").CPU("4").Memory("8Gi").Pods("110").Obj()
)
