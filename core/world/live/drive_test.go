package live_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/evict/taint"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/live"
)

// driveHarness is a scene with an engine in it.
type driveHarness struct {
	*harness
	drive       *drive.RealTime
	engine      *engine.Engine
	lead, drain chan struct{}
	end         context.CancelFunc
	ended       chan error
	drifts      []live.Drift
}

func direct(t *testing.T, act func(s *driveHarness), objects ...world.Object) {
	directWith(t, engine.Options{Seed: 1}, act, objects...)
}

func directWith(t *testing.T, o engine.Options, act func(s *driveHarness), objects ...world.Object) {
	synctest.Test(t, func(t *testing.T) {
		stub := newStub(t)
		for _, object := range objects {
			stub.put(object)
		}
		e, err := engine.New(o)
		if err != nil {
			t.Fatal(err)
		}
		kinds := []world.Kind{world.Node, world.Pod}
		if o.Plugins != nil {
			if kinds, err = e.WatchedKinds(); err != nil {
				t.Fatal(err)
			}
		}
		s := &driveHarness{engine: e, lead: make(chan struct{}), drain: make(chan struct{}), ended: make(chan error, 1)}
		c, err := live.New(live.Options{
			Client: stub.client(), Kinds: kinds, Held: e.Store(), OnDrift: func(d live.Drift) { s.drifts = append(s.drifts, d) },
		})
		if err != nil {
			t.Fatal(err)
		}
		s.harness, s.drive = &harness{t: t, stub: stub, cluster: c}, drive.NewRealTime(e, c)
		s.drive.Lead, s.drive.Drain = s.lead, s.drain
		t.Cleanup(c.Stop)
		act(s)
	})
}

// start runs the drive until the test ends.
func (s *driveHarness) start() {
	ctx, cancel := context.WithCancel(s.t.Context())
	s.end = cancel
	s.t.Cleanup(cancel)
	s.cluster.Start()
	go func() { s.ended <- s.drive.Run(ctx) }()
}

// nodes says how many pods each node has by the stub.
func (s *driveHarness) nodes() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := map[string]int{}
	for _, o := range s.objects["pods"] {
		count[o.(*v1.Pod).Spec.NodeName]++
	}
	return count
}

func createPods(n int) []world.Object {
	var objects []world.Object
	for i := range n {
		objects = append(objects, mk.Pod(fmt.Sprintf("pod%d", i)).CPU("10m").Obj())
	}
	return objects
}

func threeNodes() []world.Object {
	var objects []world.Object
	for _, name := range []string{"x", "y", "z"} {
		objects = append(objects, mk.Node(name).CPU("4").Memory("8Gi").Pods("110").Obj())
	}
	return objects
}

func TestDrive_SchedulesPods(t *testing.T) {
	direct(t, func(s *driveHarness) {
		close(s.lead)
		s.start()
		pass(time.Second)
		want(t, "pods by node", map[string]int{"x": 10, "y": 10, "z": 10}, s.nodes())
		want(t, "events", 30, len(s.announced()))
		for _, o := range createPods(36)[30:] {
			s.put(o)
		}
		pass(time.Second)
		want(t, "pods by node", map[string]int{"x": 12, "y": 12, "z": 12}, s.nodes())
		check(s)
	}, append(createPods(30), threeNodes()...)...)
}

// check has the engine check itself, and compare itself with the API server.
func check(s *driveHarness) {
	s.t.Helper()
	if err := s.drive.Inspect(s.t.Context(), func(e *engine.Engine) {
		if err := e.Check(); err != nil {
			s.t.Error(err)
		}
	}); err != nil {
		s.t.Error(err)
	}
	different, err := s.drive.Compare(s.t.Context())
	if err != nil || len(different) > 0 {
		s.t.Errorf("compared with the API server: %v, %v", different, err)
	}
}

func TestDrive_FollowerDecidesNothing(t *testing.T) {
	direct(t, func(s *driveHarness) {
		s.start()
		pass(time.Hour)
		want(t, "pods by node", map[string]int{"": 6}, s.nodes())
		close(s.lead)
		pass(time.Second)
		want(t, "pods by node", map[string]int{"x": 2, "y": 2, "z": 2}, s.nodes())
	}, append(createPods(6), threeNodes()...)...)
}

func TestDrive_UnschedulablePodGetsCondition(t *testing.T) {
	direct(t, func(s *driveHarness) {
		close(s.lead)
		s.start()
		pass(time.Second)
		pod := s.pod("big")
		want(t, "conditions", 1, len(pod.Status.Conditions))
		c := pod.Status.Conditions[0]
		if !strings.HasPrefix(c.Message, "0/1 nodes are available: 1 Insufficient cpu.") {
			t.Errorf("message: %s", c.Message)
		}
		want(t, "reason", "Unschedulable", c.Reason)
		want(t, "event", c.Message, s.announced()[0].Note)
		s.put(mk.Node("huge").CPU("200").Pods("10").Obj())
		pass(20 * time.Second)
		want(t, "node", "huge", s.pod("big").Spec.NodeName)
	}, mk.Pod("big").CPU("100").Obj(), nodeX)
}

func TestDrive_OutageDuringBindings(t *testing.T) {
	direct(t, func(s *driveHarness) {
		var mu sync.Mutex
		n := 0
		s.setFault(func(r *http.Request) fault {
			mu.Lock()
			defer mu.Unlock()
			if r.Method == "POST" && strings.HasSuffix(r.URL.Path, "/binding") {
				n++
			}
			switch {
			case n == 100:
				n++
				go s.setDown(true)
				return fault{lost: true}
			case r.Method == "POST" && n%3 == 0:
				return fault{lost: true}
			case r.Method == "POST" && n%5 == 0:
				return fault{cut: true}
			}
			return fault{}
		})
		failed := &failures{}
		s.drive.Observers = []drive.Observer{failed}
		close(s.lead)
		s.start()
		pass(5 * time.Second)
		s.remove(mk.Pod("pod7").Obj())
		s.put(mk.Pod("late").Obj())
		s.forget()
		pass(25 * time.Second)
		s.setFault(nil)
		s.setDown(false)
		pass(3 * time.Minute)
		want(t, "pods without a node", 0, s.nodes()[""])
		sum := 0
		for _, n := range s.nodes() {
			sum += n
		}
		want(t, "pods", 300, sum)
		check(s)
		s.end()
		<-s.ended
		for _, message := range failed.messages {
			want(t, "failed", `pods "pod7" not found`, message)
		}
		if s.cluster.Counters().Drifted == 0 {
			t.Error("what the watch had missed was not counted")
		}
	}, append(createPods(300), threeNodes()...)...)
}

func TestDrive_DrainFinishesBindings(t *testing.T) {
	direct(t, func(s *driveHarness) {
		held := make(chan struct{})
		s.setFault(func(r *http.Request) fault {
			if r.Method != "POST" {
				return fault{}
			}
			return fault{wait: held}
		})
		close(s.lead)
		s.start()
		pass(time.Second)
		close(s.drain)
		for _, o := range createPods(9)[6:] {
			s.put(o)
		}
		pass(time.Minute)
		select {
		case <-s.ended:
			t.Error("it ended with bindings under way")
		default:
		}
		close(held)
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
		want(t, "bound", 3, s.nodes()[""])
	}, append(createPods(6), threeNodes()...)...)
}

func TestDrive_ContextEndStopsAtOnce(t *testing.T) {
	direct(t, func(s *driveHarness) {
		close(s.lead)
		s.start()
		pass(time.Second)
		s.end()
		want(t, "stopping takes", time.Duration(0), elapses(func() { <-s.ended }))
		s.put(podA)
		pass(time.Minute)
		want(t, "node", "", s.pod("a").Spec.NodeName)
	}, threeNodes()...)
}

func TestDrive_ControllersStartWithLeading(t *testing.T) {
	direct(t, func(s *driveHarness) {
		s.drive.Controllers = func() []drive.Controller {
			return []drive.Controller{taint.New(taint.Options{Act: true, FirstEffect: 1})}
		}
		s.start()
		s.put(mk.Node("x").CPU("4").Pods("110").Taint("down", "", v1.TaintEffectNoExecute).Obj())
		pass(time.Minute)
		if s.pod("a") == nil {
			t.Fatal("a follower deleted a pod")
		}
		close(s.lead)
		pass(time.Minute)
		if s.pod("a") != nil {
			t.Error("the pod was not deleted")
		}
		want(t, "requests", []string{"PATCH a status", "DELETE a"}, s.written())
	}, mk.Pod("a").Node("x").Obj(), nodeX)
}

func TestDrive_InspectAndForkWhileRunning(t *testing.T) {
	direct(t, func(s *driveHarness) {
		close(s.lead)
		s.start()
		pass(time.Second)
		fork, err := s.drive.Fork(s.t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.put(mk.Node("later").Obj())
		pass(time.Second)
		want(t, "nodes of the fork", 3, fork.Store().Len(world.Node))
		if err := s.drive.Inspect(s.t.Context(), func(e *engine.Engine) {
			want(t, "nodes of the engine", 4, e.Store().Len(world.Node))
		}); err != nil {
			t.Error(err)
		}
	}, threeNodes()...)
}

func TestDrive_CompareReportsDifferences(t *testing.T) {
	direct(t, func(s *driveHarness) {
		s.start()
		pass(time.Second)
		s.setFault(func(r *http.Request) fault { // what reflectors ask is not answered
			if r.URL.Query().Has("resourceVersion") {
				return fault{code: 503}
			}
			return fault{}
		})
		s.breakWatches()
		s.put(mk.Pod("moved").Node("x").Obj())
		different, err := s.drive.Compare(s.t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want(t, "differences", []string{`Pod "default/moved" is on node "x", and on "" in the cache`}, different)
	}, mk.Pod("moved").Obj(), nodeX)
}

func TestWatched_ListsKindsOfPlugins(t *testing.T) {
	e, err := engine.New(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := e.WatchedKinds()
	if err != nil {
		t.Fatal(err)
	}
	want(t, "kinds", []world.Kind{
		world.Namespace, world.Service, world.ReplicationController, world.ReplicaSet, world.StatefulSet, world.PodDisruptionBudget,
		world.StorageClass, world.CSIDriver, world.CSINode, world.CSIStorageCapacity, world.VolumeAttachment, world.PersistentVolume, world.PersistentVolumeClaim,
		world.DeviceClass, world.ResourceSlice, world.ResourceClaim, world.Node, world.Pod,
	}, kinds)
	e.Store().(*store.Store).Informers().Core().V1().ConfigMaps().Informer()
	if _, err := e.WatchedKinds(); err == nil || !strings.Contains(err.Error(), "v1.ConfigMap") {
		t.Errorf("a plugin that reads ConfigMaps: %v", err)
	}
}

// failures is an observer that keeps the failed outcomes.
type failures struct{ messages []string }

func (f *failures) Applied(in world.Input, _ error) {
	if e, ok := in.Event.(world.EffectDone); ok && !e.Outcome.OK() {
		f.messages = append(f.messages, e.Outcome.Message)
	}
}
func (*failures) Stepped(*engine.Decision) {}
func (*failures) Emitted(world.Effect)     {}

// cycleStateWriter is a plugin that takes its time before a binding, and writes to the pod's state all the while.
type cycleStateWriter struct{ found chan string }

type note string

func (n note) Clone() fwk.StateData { return n }

func (*cycleStateWriter) Name() string { return "Scribbler" }

func (*cycleStateWriter) PreBindPreFlight(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	return nil, nil
}

func (*cycleStateWriter) PreBind(_ context.Context, state fwk.CycleState, _ *v1.Pod, _ string) *fwk.Status {
	for i := range 100 {
		state.Write(fwk.StateKey(fmt.Sprint("note ", i)), note("written"))
		pass(time.Millisecond)
	}
	return nil
}

func (p *cycleStateWriter) PostBind(_ context.Context, state fwk.CycleState, _ *v1.Pod, _ string) {
	data, _ := state.Read("note 99")
	p.found <- fmt.Sprint(data)
}

func TestDrive_ForkWhilePluginRuns(t *testing.T) {
	c, err := config.Load([]byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"+
		"profiles: [{plugins: {multiPoint: {enabled: [{name: Scribbler}]}}}]\n"), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	plugin := &cycleStateWriter{}
	registry := framework.Registry{}
	if err := registry.Register("Scribbler", func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return plugin, nil }); err != nil {
		t.Fatal(err)
	}
	directWith(t, engine.Options{Config: c, Plugins: registry}, func(s *driveHarness) {
		plugin.found = make(chan string, 1)
		close(s.lead)
		s.start()
		for range 9 {
			pass(10*time.Millisecond + time.Microsecond)
			if _, err := s.drive.Fork(s.t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		want(t, "plugins at work", 1, s.cluster.Counters().Plugins)
		pass(time.Second)
		want(t, "what it wrote before, read after the binding", "written", <-plugin.found)
		want(t, "node", "x", s.pod("a").Spec.NodeName)
	}, nodeX, podA)
}
