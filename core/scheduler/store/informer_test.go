package store_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func filled(t *testing.T, objects ...world.Object) *store.Store {
	t.Helper()
	s := store.New()
	for _, o := range objects {
		apply(t, s, world.Added, o)
	}
	return s
}

func apply(t *testing.T, s *store.Store, op world.Op, o world.Object) {
	t.Helper()
	if _, err := s.Apply(world.Changed{Op: op, Object: o}); err != nil {
		t.Fatal(err)
	}
}

func service(namespace, name string) *v1.Service {
	return &v1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"tier": name[:1]}}}
}

func names[T world.Object](objects []T) []string {
	var all []string
	for _, o := range objects {
		all = append(all, o.GetName())
	}
	return all
}

func TestInformers_ClientGoListers(t *testing.T) {
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "budget"}}
	s := filled(
		t, service("b", "web"), service("a", "web"), service("b", "api"), service("ba", "web"), budget,
		&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "a"}},
		&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "b", Labels: map[string]string{"team": "x"}}},
		mk.Node("n2").Obj(), mk.Node("n1").Obj(),
	)
	core := s.Informers().Core().V1()

	t.Run("a namespace, in order", func(t *testing.T) {
		got, err := core.Services().Lister().Services("b").List(labels.Everything())
		if diff := cmp.Diff([]string{"api", "web"}, names(got)); diff != "" || err != nil {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
	})
	t.Run("all namespaces, by label", func(t *testing.T) {
		got, err := core.Services().Lister().List(labels.SelectorFromSet(labels.Set{"tier": "w"}))
		if diff := cmp.Diff([]string{"web", "web", "web"}, names(got)); diff != "" || err != nil {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
	})
	t.Run("by name", func(t *testing.T) {
		if got, err := core.Services().Lister().Services("ba").Get("web"); err != nil || got.Namespace != "ba" {
			t.Errorf("got %v, %v", got, err)
		}
		if _, err := core.Services().Lister().Services("a").Get("api"); !apierrors.IsNotFound(err) {
			t.Errorf("a service of another namespace: got %v, want not found", err)
		}
		if got, err := core.Nodes().Lister().Get("n1"); err != nil || got != s.Node("n1") {
			t.Errorf("a node: got %v, %v", got, err)
		}
	})
	t.Run("namespaces by label", func(t *testing.T) {
		got, err := core.Namespaces().Lister().List(labels.SelectorFromSet(labels.Set{"team": "x"}))
		if diff := cmp.Diff([]string{"b"}, names(got)); diff != "" || err != nil {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
	})
	t.Run("budgets of a pod's namespace", func(t *testing.T) {
		got, err := s.Informers().Policy().V1().PodDisruptionBudgets().Lister().PodDisruptionBudgets("b").List(labels.Everything())
		if err != nil || len(got) != 1 || got[0] != budget {
			t.Errorf("got %v, %v", got, err)
		}
	})
	t.Run("nothing of an empty kind", func(t *testing.T) {
		got, err := s.Informers().Storage().V1().StorageClasses().Lister().List(labels.Everything())
		if err != nil || got != nil {
			t.Errorf("got %v, %v", got, err)
		}
	})
	t.Run("a resource by its name", func(t *testing.T) {
		in, err := s.Informers().ForResource(schema.GroupVersionResource{Version: "v1", Resource: "services"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := in.Lister().ByNamespace("b").List(labels.Everything()); err != nil || len(got) != 2 {
			t.Errorf("got %v, %v", got, err)
		}
		if in.Informer().GetIndexer() != core.Services().Informer().GetIndexer() { // client-go wraps the informer anew each time
			t.Error("the same kind has two informers")
		}
		if _, err := s.Informers().ForResource(schema.GroupVersionResource{Group: "sky", Version: "v1", Resource: "comets"}); err == nil {
			t.Error("comets have an informer")
		}
	})
}

// thirdParty is a plugin that keeps its own books, as many do.
type thirdParty struct{ log []string }

func (p *thirdParty) OnAdd(o any, first bool) {
	p.log = append(p.log, fmt.Sprintf("add %s first=%t", show(o.(world.Object)), first))
}

func (p *thirdParty) OnUpdate(old, o any) {
	p.log = append(p.log, fmt.Sprintf("update %s to %s", show(old.(world.Object)), show(o.(world.Object))))
}

func (p *thirdParty) OnDelete(o any) {
	p.log = append(p.log, "delete "+show(o.(world.Object)))
}

func TestInformer_HandlerGetsExistingObjects(t *testing.T) {
	s := filled(t, state("b/2@2"), state("a/1@1"))
	pods := s.Informers().Core().V1().Pods().Informer()
	plugin := &thirdParty{}
	ticket, err := pods.AddEventHandler(plugin)
	if err != nil || !ticket.HasSynced() || !pods.HasSynced() {
		t.Fatalf("registering: %v, synced %t", err, ticket.HasSynced())
	}
	for _, e := range []string{"modified a/1@3", "modified a/1@3", "modified a/9@5", "modified b/2@6 ended", "deleted a/9@7"} {
		c := event(e)
		apply(t, s, c.Op, c.Object)
	}
	s.Replace(world.Listed{Kind: world.Pod, Objects: []world.Object{state("c/3@8")}})
	want := []string{
		"add a/1@1 first=true", "add b/2@2 first=true",
		"update a/1@1 to a/1@3",
		"delete a/1@3", "add a/9@5 first=false",
		"delete b/2@2",
		"delete a/9@5",
		"add c/3@8 first=false",
	}
	if diff := cmp.Diff(want, plugin.log); diff != "" {
		t.Errorf("heard (-want +got):\n%s", diff)
	}

	plugin.log = nil
	if err := pods.RemoveEventHandler(ticket); err != nil {
		t.Fatal(err)
	}
	apply(t, s, world.Modified, state("c/3@9"))
	if plugin.log != nil {
		t.Errorf("heard %v after it was removed", plugin.log)
	}
}

func TestInformer_HandlerOrder(t *testing.T) {
	s := store.New()
	var order []string
	handler := func(name string) cache.ResourceEventHandlerFuncs {
		return cache.ResourceEventHandlerFuncs{AddFunc: func(any) { order = append(order, name) }}
	}
	nodes := s.Informers().Core().V1().Nodes().Informer()
	var tickets []cache.ResourceEventHandlerRegistration
	for _, name := range []string{"first", "second", "third"} {
		ticket, err := nodes.AddEventHandlerWithResyncPeriod(handler(name), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		tickets = append(tickets, ticket)
	}
	apply(t, s, world.Added, mk.Node("n").Obj())
	if err := nodes.RemoveEventHandler(tickets[1]); err != nil {
		t.Fatal(err)
	}
	apply(t, s, world.Added, mk.Node("m").Obj())
	if diff := cmp.Diff([]string{"first", "second", "third", "first", "third"}, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestInformer_HandlerSeesStore(t *testing.T) {
	s := store.New()
	var seen []int
	_, err := s.Informers().Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { seen = append(seen, s.Len(world.Pod)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Replace(world.Listed{Kind: world.Pod, Objects: []world.Object{state("a/1@1"), state("b/2@2")}})
	if diff := cmp.Diff([]int{1, 2}, seen); diff != "" {
		t.Errorf("pods in the store at each call (-want +got):\n%s", diff)
	}
}

func TestIndexer_FollowsObjects(t *testing.T) {
	s := filled(t, mk.Pod("b").Node("n1").Obj(), mk.Pod("a").Node("n1").Obj(), mk.Pod("c").Node("n2").Obj())
	pods := s.Informers().Core().V1().Pods().Informer()
	byNode := func(o any) ([]string, error) {
		if p := o.(*v1.Pod); p.Spec.NodeName != "" {
			return []string{p.Spec.NodeName, "any"}, nil
		}
		return nil, errors.New("not on a node")
	}
	if err := pods.AddIndexers(cache.Indexers{"node": byNode}); err != nil {
		t.Fatal(err)
	}
	if err := pods.AddIndexers(cache.Indexers{"node": byNode}); err == nil {
		t.Error("two indexes share a name")
	}
	on := func(node string) []string {
		t.Helper()
		keys, err := pods.GetIndexer().IndexKeys("node", node)
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	if diff := cmp.Diff([]string{"default/a", "default/b"}, on("n1")); diff != "" {
		t.Errorf("on n1 (-want +got):\n%s", diff)
	}
	apply(t, s, world.Modified, mk.Pod("a").Node("n2").Obj())
	apply(t, s, world.Deleted, mk.Pod("c").Obj())
	apply(t, s, world.Added, mk.Pod("d").Obj())
	if diff := cmp.Diff([]string{"default/a"}, on("n2")); diff != "" {
		t.Errorf("on n2 after one moved and one went (-want +got):\n%s", diff)
	}
	apply(t, s, world.Deleted, mk.Pod("b").Obj())
	if diff := cmp.Diff([]string{"any", "n2"}, pods.GetIndexer().ListIndexFuncValues("node")); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	alike, err := pods.GetIndexer().Index("node", mk.Pod("x").Node("n2").Obj())
	if err != nil || len(alike) != 1 {
		t.Errorf("pods like one on n2: %v, %v; want the one, though it matches by two values", alike, err)
	}
	if _, err := pods.GetIndexer().Index("node", mk.Pod("x").Obj()); err == nil {
		t.Error("an object that cannot be indexed was looked up")
	}
	if _, err := pods.GetIndexer().ByIndex("colour", "red"); err == nil {
		t.Error("an index that was not added was looked up")
	}
}

func TestIndexer_ReadsLikeClientGo(t *testing.T) {
	s := filled(t, service("b", "web"), service("a", "web"), mk.Node("n").Obj())
	services := s.Informers().Core().V1().Services().Informer()
	x := services.GetIndexer()
	if diff := cmp.Diff([]string{"a/web", "b/web"}, x.ListKeys()); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if got, exists, err := x.GetByKey("b/web"); err != nil || !exists || got != s.Object(world.Service, "b", "web") {
		t.Errorf("by key: %v, %t, %v", got, exists, err)
	}
	if got, exists, err := x.Get(service("a", "web")); err != nil || !exists || got != s.Object(world.Service, "a", "web") {
		t.Errorf("by another object: %v, %t, %v", got, exists, err)
	}
	if got, exists, err := x.GetByKey("web"); err != nil || exists || got != nil {
		t.Errorf("by a name without its namespace: %v, %t, %v", got, exists, err)
	}
	if got, err := x.ByIndex(cache.NamespaceIndex, "b"); err != nil || len(got) != 1 {
		t.Errorf("by namespace: %v, %v", got, err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, x.ListIndexFuncValues(cache.NamespaceIndex)); diff != "" {
		t.Errorf("namespaces (-want +got):\n%s", diff)
	}
	if x.GetIndexers()[cache.NamespaceIndex] == nil {
		t.Error("the namespace index is not among the indexers")
	}
	if keys := s.Informers().Core().V1().Nodes().Informer().GetStore().ListKeys(); len(keys) != 1 || keys[0] != "n" {
		t.Errorf("the key of a node: %v", keys)
	}
	o := service("c", "web")
	for name, err := range map[string]error{"Add": x.Add(o), "Update": x.Update(o), "Delete": x.Delete(o), "Replace": x.Replace(nil, "")} {
		if !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("%s: got %v, want %v", name, err, store.ErrReadOnly)
		}
	}
	if err := services.SetTransform(func(o any) (any, error) { return o, nil }); err == nil {
		t.Error("a transform was accepted, and would never be called")
	}
}

func TestInformers_UnservedTypes(t *testing.T) {
	s := store.New(world.Node, world.Pod)
	f := s.Informers()
	f.Core().V1().Nodes().Lister()
	maps := f.Core().V1().ConfigMaps()
	f.Core().V1().Services().Informer()
	if _, err := maps.Informer().AddEventHandler(&thirdParty{}); err == nil {
		t.Error("a handler was accepted that would never be called")
	}
	if got, err := maps.Lister().List(labels.Everything()); err != nil || got != nil {
		t.Errorf("its lister says %v, %v", got, err)
	}
	want := map[reflect.Type]bool{
		reflect.TypeFor[*v1.Node](): true, reflect.TypeFor[*v1.ConfigMap](): false, reflect.TypeFor[*v1.Service](): false,
	}
	f.Start(nil)
	if diff := cmp.Diff(want, f.WaitForCacheSync(nil), cmp.Comparer(func(a, b reflect.Type) bool { return a == b })); diff != "" {
		t.Errorf("synced (-want +got):\n%s", diff)
	}
	f.Shutdown()
	if diff := cmp.Diff([]world.Kind{world.Node}, s.RequestedKinds()); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"*v1.ConfigMap", "*v1.Service"}, s.UnservedTypes()); diff != "" {
		t.Errorf("asked for in vain (-want +got):\n%s", diff)
	}
}

func TestInformer_RunReturnsOnStop(t *testing.T) {
	in := store.New().Informers().Core().V1().Nodes().Informer()
	stop := make(chan struct{})
	close(stop)
	in.Run(stop)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in.GetController().RunWithContext(ctx)
	if in.IsStopped() {
		t.Error("an informer without a watch cannot have stopped")
	}
}

func TestFork_HasOwnInformers(t *testing.T) {
	s := filled(t, state("a/1@1"))
	plugin, forked := &thirdParty{}, &thirdParty{}
	if _, err := s.Informers().Core().V1().Pods().Informer().AddEventHandler(plugin); err != nil {
		t.Fatal(err)
	}
	fork := s.Fork()
	if _, err := fork.Informers().Core().V1().Pods().Informer().AddEventHandler(forked); err != nil {
		t.Fatal(err)
	}
	apply(t, fork, world.Added, state("b/2@2"))
	apply(t, s, world.Added, state("c/3@3"))
	if diff := cmp.Diff([]string{"add a/1@1 first=true", "add c/3@3 first=false"}, plugin.log); diff != "" {
		t.Errorf("heard of the original (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"add a/1@1 first=true", "add b/2@2 first=false"}, forked.log); diff != "" {
		t.Errorf("heard of the fork (-want +got):\n%s", diff)
	}
	pods, err := fork.Informers().Core().V1().Pods().Lister().List(labels.Everything())
	if diff := cmp.Diff([]string{"a", "b"}, names(pods)); diff != "" || err != nil {
		t.Errorf("the fork's lister: %v (-want +got):\n%s", err, diff)
	}
}
