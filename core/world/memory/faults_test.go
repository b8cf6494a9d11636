package memory_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// quiet is a scene whose first lists are past, with one pod and one node.
func quiet(t *testing.T, o memory.Options) *scene {
	t.Helper()
	o.Kinds = podsAndNodes
	s := newScene(t, o)
	create(s, node("n1"))
	create(s, mk.Pod("web").Obj())
	s.pass(time.Second)
	return s
}

func TestFaults_Watch(t *testing.T) {
	label := func(s *scene, pod, value string) {
		changed := s.Pod("default", pod).DeepCopy()
		changed.Labels = map[string]string{"a": value}
		must[*v1.Pod](s.t)(s.Update(changed))
	}
	t.Run("a broken watch misses changes, and a list makes up for it", func(t *testing.T) {
		s := quiet(t, memory.Options{})
		s.BreakWatch(world.Pod, 5*time.Second)
		create(s, mk.Pod("unseen").Obj())
		s.mustDelete(world.Pod, "web")
		create(s, node("n2"))
		s.wants(5*time.Second, `
			1s added node n2 Ready=True
			6s listed Pod: unseen`)
		create(s, mk.Pod("seen").Obj())
		s.wants(time.Second, `6s added pod seen Pending`)
	})
	t.Run("a stalled watch is late and in order", func(t *testing.T) {
		s := quiet(t, memory.Options{})
		s.StallWatch(world.Pod, 3*time.Second)
		create(s, mk.Pod("a").Obj())
		s.mustDelete(world.Pod, "a")
		create(s, node("n2"))
		s.wants(10*time.Second, `
			1s added node n2 Ready=True
			4s added pod a Pending
			4s deleted pod a Pending`)
	})
	t.Run("events come twice", func(t *testing.T) {
		s := quiet(t, memory.Options{})
		s.DuplicateNext(world.Pod, 1)
		label(s, "web", "1")
		create(s, mk.Pod("a").Obj())
		s.wants(time.Second, `
			1s modified pod web Pending
			1s modified pod web Pending
			1s added pod a Pending`)
	})
	t.Run("a restart of the API server", func(t *testing.T) {
		s := quiet(t, memory.Options{})
		s.bind("web", "n1")
		s.After(time.Second, func(c *memory.Cluster) { c.RestartServer(10 * time.Second) })
		s.wants(time.Second, `
			1s modified pod web Pending on n1 PodScheduled=True
			1s effect 1 ended well
			1s modified pod web Running on n1 PodScheduled=True Ready=True`)
		s.bind("web", "n1")
		if _, err := s.Create(mk.Pod("a").Obj()); !apierrors.IsServiceUnavailable(err) {
			t.Errorf("creating a pod meanwhile gave %v, want service unavailable", err)
		}
		s.wants(time.Minute, `
			2s effect 2 failed: ServiceUnavailable: the API server is restarting
			12s listed Node: n1
			12s listed Pod: web`)
	})
	t.Run("what a kubelet would do while the API server is away, it does later", func(t *testing.T) {
		s := quiet(t, memory.Options{PodBehavior: func(*v1.Pod) memory.PodBehavior {
			return memory.PodBehavior{Start: 3 * time.Second, Run: 4 * time.Second}
		}})
		s.bind("web", "n1")
		s.pass(time.Second)
		s.RestartServer(30 * time.Second)
		s.wants(time.Hour, `
			32s listed Node: n1
			32s listed Pod: web
			32s modified pod web Running on n1 PodScheduled=True Ready=True
			36s modified pod web Succeeded on n1 PodScheduled=True Ready=False/PodCompleted`)
	})
	t.Run("a slow API", func(t *testing.T) {
		s := quiet(t, memory.Options{})
		s.SlowDown(time.Minute, memory.Delay{Base: 2 * time.Second})
		s.bind("web", "n1")
		s.wants(time.Minute, `
			3s effect 1 ended well
			5s modified pod web Pending on n1 PodScheduled=True
			5s modified pod web Running on n1 PodScheduled=True Ready=True`)
	})
}

func TestInjectFault(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fault memory.Fault
		want  string
	}{
		{"a refused binding was not made", memory.RequestRefused, `
			1s effect 1 failed: InternalError: Internal error occurred: the API server failed on request`},
		{"a throttled binding was not made", memory.RequestThrottled, `
			1s effect 1 failed: TooManyRequests: the server has received too many requests`},
		{"a lost binding was not made and times out", memory.RequestLost, `
			11s effect 1 failed: Timeout: Timeout: the call timed out`},
		{"a binding whose reply is lost was made and times out", memory.ReplyLost, `
			1s modified pod web Pending on n1 PodScheduled=True
			1s modified pod web Running on n1 PodScheduled=True Ready=True
			11s effect 1 failed: Timeout: Timeout: the call timed out`},
		{"another scheduler was faster", memory.BoundByOther, `
			1s modified pod web Pending on n1 PodScheduled=True
			1s effect 1 failed: Conflict: Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "n1"
			1s modified pod web Running on n1 PodScheduled=True Ready=True`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := quiet(t, memory.Options{})
			s.InjectFault(memory.CallBind, tc.fault)
			s.bind("web", "n1")
			s.wants(time.Minute, tc.want)
			if got := s.BoundTwice(); len(got) > 0 {
				t.Errorf("BoundTwice() = %q, want nothing", got)
			}
		})
	}
	t.Run("other calls go wrong too, one at a time", func(t *testing.T) {
		s := quiet(t, memory.Options{})
		s.InjectFault(memory.CallPatchStatus, memory.RequestRefused)
		s.InjectFault(memory.CallDelete, memory.RequestLost)
		s.InjectFault(memory.CallPlugin, memory.RequestRefused)
		ref := world.PodRefOf(s.Pod("default", "web"))
		s.do(world.PatchStatus{Pod: ref, NominatedNode: ptr("n1")})
		s.do(world.PatchStatus{Pod: ref, NominatedNode: ptr("n1")})
		s.do(world.RunPlugin{Pod: ref, Call: func(context.Context) *fwk.Status { return nil }})
		s.do(world.Delete{Pod: ref})
		s.wants(time.Minute, `
			1s modified pod web Pending nominated n1
			1s effect 2 ended well
			1s effect 3 failed: : the plugin failed on request
			1.01s effect 1 failed: InternalError: Internal error occurred: the API server failed on request
			11s effect 4 failed: Timeout: Timeout: the call timed out`)
	})
}

func TestCluster_BoundTwice(t *testing.T) {
	s := quiet(t, memory.Options{})
	s.bind("web", "n1")
	s.pass(time.Second)
	s.bind("web", "n2")
	s.pass(time.Second)
	want := []string{`default/web: effect 2 binds it to "n2", effect 1 had bound it to "n1"`}
	if diff := cmp.Diff(want, s.BoundTwice()); diff != "" {
		t.Errorf("BoundTwice() (-want +got):\n%s", diff)
	}
	all := s.Bindings(s.Pod("default", "web").UID)
	if len(all) != 2 || all[0].Refusal != "" || all[1].Refusal == "" {
		t.Errorf("Bindings() = %+v, want one made and one refused", all)
	}
}

func TestDo_RunPlugin(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.Pod}, Latency: memory.Latency{Plugin: memory.Delay{Base: 250 * time.Millisecond}}})
	s.pass(0)
	calls := 0
	s.do(world.RunPlugin{Call: func(context.Context) *fwk.Status {
		calls++
		return fwk.NewStatus(fwk.Unschedulable, "no volume")
	}})
	s.wants(time.Second, `250ms effect 1 failed: : no volume`)
	if calls != 1 {
		t.Errorf("the plugin was called %d times, want once", calls)
	}
	if e := s.told[len(s.told)-1].Event.(world.EffectDone); e.Outcome.Code != fwk.Unschedulable {
		t.Errorf("the outcome has the code %v, want Unschedulable", e.Outcome.Code)
	}
}

func TestCluster_Events(t *testing.T) {
	s := quiet(t, memory.Options{})
	a, b := world.PodRef{Name: "a", UID: "a"}, world.PodRef{Name: "b", UID: "b"}
	failed := func(pod world.PodRef, note string) world.EmitEvent {
		return world.EmitEvent{Regarding: pod, Reason: "FailedScheduling", Note: note, Related: &world.PodRef{Name: "r"}}
	}
	for _, announce := range []world.EmitEvent{failed(a, "x"), failed(b, "x"), failed(a, "x"), failed(a, "y"), failed(a, "x")} {
		s.do(announce)
	}
	s.wants(time.Second, ``)
	var got []string
	for _, one := range s.Events() {
		got = append(got, strings.Repeat(one.Regarding.Name+one.Note+" ", one.Count))
	}
	if want := []string{"ax ax ", "bx ", "ay ", "ax "}; !slices.Equal(got, want) {
		t.Errorf("the announcements are %q, want %q", got, want)
	}
	for i := range 20_000 {
		s.do(world.EmitEvent{Regarding: a, Note: string(rune('a' + i%20))})
	}
	s.pass(time.Second)
	if got := len(s.Events()); got < 8192 || got > 16384 {
		t.Errorf("%d announcements are kept, want them bounded", got)
	}
}

func TestDo_OrderPerPod(t *testing.T) {
	for seed := range uint64(50) {
		s := newScene(t, memory.Options{Seed: seed, Kinds: []world.Kind{}, Latency: memory.Latency{
			Request: memory.Delay{Jitter: time.Second},
		}})
		create(s, node("n1"))
		pod := world.PodRefOf(create(s, mk.Pod("web").Obj()))
		s.do(world.PatchStatus{Pod: pod, NominatedNode: ptr("n1")})
		s.do(world.PatchStatus{Pod: pod, NominatedNode: ptr("n2")})
		s.do(world.PatchStatus{Pod: pod, NominatedNode: ptr("n3")})
		s.pass(10 * time.Second)
		if got := s.Pod("default", "web").Status.NominatedNodeName; got != "n3" {
			t.Fatalf("with seed %d the last word is %q, want n3", seed, got)
		}
	}
}

// The plugin belongs to the scheduler of the original: whatever it would do, it would do twice.
func TestFork_DoesNotCallPlugin(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: []world.Kind{}, Latency: memory.Latency{Plugin: memory.Delay{Base: time.Second}}})
	s.pass(0)
	calls := 0
	s.do(world.RunPlugin{Plugin: "Volumes", Call: func(context.Context) *fwk.Status {
		calls++
		return nil
	}})
	s.do(world.RunPlugin{Pod: world.PodRef{UID: "other"}, Plugin: "Supposed"})
	fork := s.Fork().Fork()
	want := `
		1s effect 1 failed: : plugin Volumes was not called: its call was under way when the cluster was forked, and is the original's
		1s effect 2 ended well`
	if diff := cmp.Diff(lines(want), lines(tape(fork.Advance(time.Minute)))); diff != "" || calls != 0 {
		t.Errorf("the plugin was called %d times by a fork; its scheduler was told (-want +got):\n%s", calls, diff)
	}
	s.wants(time.Minute, `
		1s effect 1 ended well
		1s effect 2 ended well`)
	if calls != 1 {
		t.Errorf("the plugin was called %d times by the original, want once", calls)
	}
}
