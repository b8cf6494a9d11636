package engine_test

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// BenchmarkLeanPath is a pod of a known template: it arrives, is placed and bound, its binding is confirmed, and it leaves. One
// operation is one pod.
func BenchmarkLeanPath(b *testing.B) {
	for _, nodes := range []int{500, 5000} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			l := newLeanPath(b, nodes)
			b.ReportAllocs()
			for b.Loop() {
				if len(l.pods) == 0 {
					b.StopTimer()
					l.refill()
					b.StartTimer()
				}
				l.pod(b)
			}
		})
	}
}

// leanPath drives pods of one template through an engine, one after the other.
type leanPath struct {
	engine *engine.Engine
	made   int
	pods   []*v1.Pod // to come
	bound  []*v1.Pod // how they are updated
}

const (
	// leanPods is how many pods are made at once.
	leanPods = 2000
	// historyPods fill the journal and the log of decisions, which grow until then.
	historyPods = 20_000
)

func newLeanPath(tb testing.TB, nodes int) *leanPath {
	l := &leanPath{engine: newFilledEngine(tb, nodes, 2*nodes)}
	l.refill()
	return l
}

// refill makes pods of the template.
func (l *leanPath) refill() {
	template := mk.Pod("").CPU("100m").Memory("100Mi").Label("app", "web").Obj()
	for range leanPods {
		pod := *template
		pod.Name = fmt.Sprintf("web-6d4cf56db6-%07d", l.made)
		pod.UID = types.UID("7c9e6679-7425-40de-944b-" + pod.Name)
		bound := pod
		l.pods, l.bound = append(l.pods, &pod), append(l.bound, &bound)
		l.made++
	}
}

// pod drives the next pod.
func (l *leanPath) pod(tb testing.TB) {
	pod, bound := l.pods[0], l.bound[0]
	l.pods, l.bound = l.pods[1:], l.bound[1:]
	l.leave(tb, l.arrive(tb, pod), bound)
}

// arrive takes a pod up to its bind effect.
func (l *leanPath) arrive(tb testing.TB, pod *v1.Pod) world.Effect {
	apply(tb, l.engine, world.Changed{Op: world.Added, Object: pod})
	if d, ok := l.engine.Step(); !ok || d.Verdict != engine.Placed {
		tb.Fatalf("pod %s was not placed: %+v", pod.Name, d)
	}
	return l.engine.Effects()[0]
}

// leave binds a pod and deletes it.
func (l *leanPath) leave(tb testing.TB, bind world.Effect, bound *v1.Pod) {
	bound.Spec.NodeName = bind.Action.(world.Bind).Node
	apply(tb, l.engine, world.EffectDone{Effect: bind.ID})
	l.engine.Effects()
	apply(tb, l.engine, world.Changed{Op: world.Modified, Object: bound})
	apply(tb, l.engine, world.Changed{Op: world.Deleted, Object: bound})
}
