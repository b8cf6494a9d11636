package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	clientset "k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// hosted is a plugin of another's making that does nothing by itself. It has its handle, and may hold pods at Permit.
type hosted struct {
	handle fwk.Handle
	holds  time.Duration
	during func(state fwk.CycleState, pod *v1.Pod) // in PreFilter
}

func (*hosted) Name() string { return "Hosted" }

func (h *hosted) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if h.during != nil {
		h.during(state, pod)
	}
	return nil, nil
}
func (*hosted) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

func (h *hosted) Permit(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.Status, time.Duration) {
	if h.holds == 0 {
		return nil, 0
	}
	return fwk.NewStatus(fwk.Wait), h.holds
}

func (*hosted) Bind(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return fwk.NewStatus(fwk.Skip)
}

// hosting makes an engine with the plugin, and returns the plugin of each engine that is made: forks have their own.
func hosting(t *testing.T, change func(*engine.Options), plugin hosted) (s *fixture, made *[]*hosted) {
	t.Helper()
	made = &[]*hosted{}
	o := withFactory(t, "Hosted", func(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
		one := plugin
		one.handle = h
		*made = append(*made, &one)
		return &one, nil
	})
	if change != nil {
		change(&o)
	}
	return newFixture(t, o), made
}

// What a handle returns is never nil, whatever the world is, but for what the feature gates decide.
func TestOutOfTree_HandleIsComplete(t *testing.T) {
	s, made := hosting(t, nil, hosted{})
	s.added(mk.Node("n1").CPU("4").Pods("10").Obj(), mk.Pod("web").CPU("1").Obj())
	s.settle()
	fork, err := s.e.Fork()
	if err != nil {
		t.Fatal(err)
	}
	for i, plugin := range *made {
		h := plugin.handle
		for what, got := range map[string]any{
			"snapshot": h.SnapshotSharedLister(), "client": h.ClientSet(), "configuration": h.KubeConfig(), "recorder": h.EventRecorder(),
			"informers": h.SharedInformerFactory(), "DRA": h.SharedDRAManager(), "CSI": h.SharedCSIManager(), "parallelizer": h.Parallelizer(),
		} {
			if got == nil {
				t.Errorf("engine %d: the handle has no %s", i, what)
			}
		}
		if h.ProfileName() != v1.DefaultSchedulerName || h.PodGroupManager() != nil {
			t.Errorf("engine %d: profile %q, groups %v with their gate off", i, h.ProfileName(), h.PodGroupManager())
		}
	}
	if len(*made) != 2 || fork == nil {
		t.Fatalf("%d plugins were made", len(*made))
	}
}

// apiServer counts reads and writes.
type apiServer struct {
	mu     sync.Mutex
	counts map[string]int
}

func (a *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.counts[r.Method]++
	a.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"}}`)
}

// A plugin reaches the cluster in a live run, only reads it in a shadow, and reaches none from a fork, or where there is none.
func TestOutOfTree_ClientOfEachWorld(t *testing.T) {
	server := &apiServer{counts: map[string]int{}}
	listening := httptest.NewServer(server)
	defer listening.Close()
	connection := &restclient.Config{Host: listening.URL}
	client, err := clientset.NewForConfig(connection)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name          string
		change        func(*engine.Options)
		fork          bool
		reads, writes error
	}{
		{"a live run", func(o *engine.Options) { o.Client, o.KubeConfig = client, connection }, false, nil, nil},
		{"a shadow", func(o *engine.Options) { o.Shadow, o.KubeConfig = true, connection }, false, nil, engine.ErrShadow},
		{"a simulation or a replay", nil, false, engine.ErrOffline, engine.ErrOffline},
		{"a fork of a live run", func(o *engine.Options) { o.Client, o.KubeConfig = client, connection }, true, engine.ErrOffline, engine.ErrOffline},
		{"a fork of a shadow", func(o *engine.Options) { o.Shadow, o.KubeConfig = true, connection }, true, engine.ErrOffline, engine.ErrOffline},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, made := hosting(t, tt.change, hosted{})
			if tt.fork {
				if _, err := s.e.Fork(); err != nil {
					t.Fatal(err)
				}
			}
			handle := (*made)[len(*made)-1].handle
			own, err := clientset.NewForConfig(handle.KubeConfig())
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []clientset.Interface{handle.ClientSet(), own} {
				_, reading := c.CoreV1().Nodes().Get(t.Context(), "n1", metav1.GetOptions{})
				writing := c.CoreV1().Nodes().Delete(t.Context(), "n1", metav1.DeleteOptions{})
				if !errors.Is(reading, tt.reads) || !errors.Is(writing, tt.writes) {
					t.Errorf("reading: %v, writing: %v", reading, writing)
				}
			}
		})
	}
	if server.counts[http.MethodGet] != 4 || server.counts[http.MethodDelete] != 2 {
		t.Errorf("the API server got %v", server.counts)
	}
}

// A pod that a plugin's goroutine allows is bound with the next input, for which the engine asks.
func TestOutOfTree_AllowsOnGoroutine(t *testing.T) {
	s, made := hosting(t, nil, hosted{holds: time.Minute})
	s.added(mk.Node("n1").CPU("4").Pods("10").Obj(), mk.Pod("web").CPU("1").Obj(), mk.Pod("db").CPU("1").Obj())
	s.settle()
	h := (*made)[0].handle
	onGoroutine(func() {
		h.IterateOverWaitingPods(func(pod fwk.WaitingPod) {
			if pod.GetPod().Name == "web" {
				pod.Allow("Hosted")
			}
		})
		h.RejectWaitingPod(mk.Pod("db").Obj().UID)
	})
	s.expectPosted(true)
	s.apply(world.Tick{})
	s.settle()
	if s.node("web") != "n1" || s.node("db") != "" || s.e.PodState("default", "db") != engine.StateUnschedulable {
		t.Errorf("web is on %q, db is %s", s.node("web"), s.e.PodState("default", "db"))
	}
	s.expectPosted(false)
}

// A pod that is allowed before the engine knows that it waits is bound once.
func TestOutOfTree_AllowsBeforeBindingBegins(t *testing.T) {
	s, made := hosting(t, nil, hosted{holds: time.Minute})
	uid := mk.Pod("web").Obj().UID
	s.added(mk.Node("n1").CPU("4").Pods("10").Obj())
	(*made)[0].during = func(_ fwk.CycleState, pod *v1.Pod) {
		(*made)[0].handle.EventRecorder().Eventf(pod, nil, v1.EventTypeNormal, "Seen", "Looking", "in a cycle")
	}
	s.added(mk.Pod("web").CPU("1").Obj())
	s.decide()
	(*made)[0].handle.GetWaitingPod(uid).Allow("Hosted")
	s.settle()
	s.apply(world.Tick{})
	s.settle()
	if s.node("web") != "n1" || s.e.Counters().Bound != 1 {
		t.Errorf("web is on %q, bound %d times", s.node("web"), s.e.Counters().Bound)
	}
}

// What a plugin activates in a cycle is activated before the cycle's own pod is requeued, and on a goroutine with the next input.
func TestOutOfTree_Activates(t *testing.T) {
	s, made := hosting(t, nil, hosted{})
	big := mk.Pod("big").CPU("64").Obj()
	s.added(mk.Node("n1").CPU("4").Pods("10").Obj(), big)
	s.settle()
	if at := s.e.PodState("default", "big"); at != engine.StateUnschedulable {
		t.Fatalf("big is %s", at)
	}
	h := (*made)[0].handle
	onGoroutine(func() { h.Activate(klog.Logger{}, map[string]*v1.Pod{"default/big": big}) })
	s.expectPosted(true)
	s.apply(world.Tick{})
	if at := s.e.PodState("default", "big"); at != engine.StateActive {
		t.Errorf("big is %s after a goroutine has activated it", at)
	}
	s.settle()
	(*made)[0].during = func(_ fwk.CycleState, pod *v1.Pod) {
		if pod.Name == "web" {
			h.Activate(klog.Logger{}, map[string]*v1.Pod{"default/big": big})
		}
	}
	s.added(mk.Pod("web").CPU("1").Obj())
	if decisions := s.decide(); len(decisions) != 2 || decisions[1].Pod.Name != "big" {
		t.Errorf("decisions: %+v, want one on web and one on big", decisions)
	}
}

// A nomination by a plugin's goroutine holds for the next pod.
func TestOutOfTree_Nominates(t *testing.T) {
	s, made := hosting(t, nil, hosted{})
	vip := mk.Pod("vip").CPU("4").Priority(10).Gate("example.com/later").Obj()
	s.added(mk.Node("n1").CPU("4").Pods("10").Obj(), vip)
	h := (*made)[0].handle
	onGoroutine(func() {
		h.AddNominatedPod(klog.Logger{}, podInfo{pod: vip}, &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: "n1"})
	})
	if n := len(h.NominatedPodsForNode("n1")); n != 0 {
		t.Errorf("%d pods are nominated before the engine has an input", n)
	}
	s.apply(world.Tick{})
	if n := h.NominatedPodsForNode("n1"); len(n) != 1 || n[0].GetPod().Name != "vip" {
		t.Errorf("nominated: %v", n)
	}
	s.added(mk.Pod("web").CPU("1").Obj())
	s.settle()
	if s.node("web") != "" {
		t.Error("web has taken the room of vip")
	}
	onGoroutine(func() { h.DeleteNominatedPodIfExists(vip) })
	s.apply(world.Tick{})
	if n := len(h.NominatedPodsForNode("n1")); n != 0 {
		t.Errorf("%d pods are nominated after the nomination was deleted", n)
	}
}

type podInfo struct {
	fwk.PodInfo
	pod *v1.Pod
}

func (p podInfo) GetPod() *v1.Pod { return p.pod }

// Plugins use everything that a handle has on goroutines of their own while the engine works. The race detector looks on.
func TestOutOfTree_RaceFree(t *testing.T) {
	s, made := hosting(t, nil, hosted{holds: time.Second})
	plugin := (*made)[0]
	h := plugin.handle
	plugin.during = func(state fwk.CycleState, pod *v1.Pod) { // in a cycle, goroutines that it waits for may run plugins and read the snapshot
		nodes, err := h.SnapshotSharedLister().NodeInfos().List()
		if err != nil {
			t.Error(err)
		}
		var several sync.WaitGroup
		for range 3 {
			several.Go(func() {
				for _, node := range nodes {
					_ = h.RunFilterPlugins(t.Context(), state.Clone(), pod, node)
					_ = len(node.GetPods()) + len(node.GetUsedPorts())
				}
				_ = h.SignPod(t.Context(), pod)
			})
		}
		several.Wait()
	}
	stop := make(chan struct{})
	var atWork sync.WaitGroup
	work := func(do func(i int)) {
		atWork.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					do(i)
				}
			}
		})
	}
	pods := h.SharedInformerFactory().Core().V1().Pods()
	work(func(int) {
		h.IterateOverWaitingPods(func(pod fwk.WaitingPod) {
			if len(pod.GetPendingPlugins()) > 0 {
				pod.Allow("Hosted")
			}
		})
	})
	work(func(i int) {
		uid := mk.Pod(fmt.Sprint("pod-", i%20)).Obj().UID
		if pod := h.GetWaitingPod(uid); pod != nil && i%3 == 0 {
			pod.Reject("Hosted", "not now")
		}
		h.RejectWaitingPod(uid)
	})
	work(func(int) {
		list, err := pods.Lister().List(labels.Everything())
		if err != nil {
			t.Error(err)
		}
		for _, pod := range list[:min(len(list), 2)] {
			h.Activate(klog.Logger{}, map[string]*v1.Pod{pod.Name: pod})
			h.EventRecorder().Eventf(pod, nil, v1.EventTypeNormal, "Seen", "Looking", "on a goroutine")
			h.AddNominatedPod(klog.Logger{}, podInfo{pod: pod}, &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: "n1"})
			h.UpdateNominatedPod(klog.Logger{}, pod, podInfo{pod: pod})
			h.DeleteNominatedPodIfExists(pod)
		}
		for _, info := range h.NominatedPodsForNode("n1") {
			_ = info.GetPod().Name
		}
	})
	work(func(i int) {
		if i%50 != 0 || i > 1000 { // a handler is called for every object, and an index is computed
			return
		}
		handler, err := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(o any) { _ = o.(*v1.Pod).Name }})
		if err != nil {
			t.Error(err)
		}
		handler.HasSynced()
		if err := pods.Informer().RemoveEventHandler(handler); err != nil {
			t.Error(err)
		}
		_ = pods.Informer().AddIndexers(cache.Indexers{fmt.Sprint("index", i): cache.MetaNamespaceIndexFunc})
		h.SharedInformerFactory().Core().V1().Services().Lister()
		h.SharedInformerFactory().WaitForCacheSync(nil)
	})
	work(func(int) {
		_, _ = h.ClientSet().CoreV1().Nodes().Get(t.Context(), "n1", metav1.GetOptions{})
		_, _ = h.SharedCSIManager().CSINodes().Get("n1")
		_, _ = h.SharedDRAManager().ResourceClaims().Get("default", "none")
		h.Parallelizer().Until(t.Context(), 3, func(int) {}, "test")
		_ = h.KubeConfig().Host + h.ProfileName()
		_ = len(h.Extenders())
	})
	s.added(mk.Node("n1").CPU("64").Pods("200").Obj(), mk.Node("n2").CPU("64").Pods("200").Obj())
	for i := range 20 {
		s.added(mk.Pod(fmt.Sprint("pod-", i)).CPU("1").Obj())
		s.settle()
		s.after(100 * time.Millisecond)
	}
	close(stop)
	atWork.Wait()
	for range 20 {
		s.after(time.Minute)
		s.settle()
		plugin.handle.IterateOverWaitingPods(func(pod fwk.WaitingPod) { pod.Allow("Hosted") })
	}
	s.after(time.Minute)
	s.settle()
	if n := s.e.Counters().Bound; n != 20 {
		t.Errorf("%d of 20 pods are bound", n)
	}
	for _, text := range problemTexts(s) {
		if !strings.Contains(text, "nominat") {
			t.Errorf("problem: %s", text)
		}
	}
}

func onGoroutine(do func()) {
	var one sync.WaitGroup
	one.Go(do)
	one.Wait()
}

// expectPosted checks whether the engine asks for an input.
func (s *fixture) expectPosted(want bool) {
	s.t.Helper()
	select {
	case <-s.e.Posted():
		if !want {
			s.t.Error("the engine asks for an input")
		}
	default:
		if want {
			s.t.Error("the engine asks for no input")
		}
	}
}

// A handler that a plugin added to an informer may panic, too.
func TestPanic_InEventHandler(t *testing.T) {
	var seen []string
	s := newFixture(t, withFactory(t, "Watching", func(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
		_, err := h.SharedInformerFactory().Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(o any) {
			seen = append(seen, o.(*v1.Node).Name)
			panic("what node")
		}})
		return watching{}, err
	}))
	s.added(mk.Node("n1").CPU("4").Pods("10").Obj(), mk.Node("n2").CPU("4").Pods("10").Obj(), mk.Pod("web").CPU("1").Obj())
	s.settle()
	if s.node("web") == "" || len(seen) != 2 {
		t.Errorf("web is on %q after the nodes %q", s.node("web"), seen)
	}
	expectEffects(t, problemTexts(s), "plugin handler of Node panicked at OnEvent: what node", "plugin handler of Node panicked at OnEvent: what node")
}

// watching only watches.
type watching struct{}

func (watching) Name() string { return "Watching" }
func (watching) Bind(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return fwk.NewStatus(fwk.Skip)
}
