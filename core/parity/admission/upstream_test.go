package admission

import (
	"context"
	"testing"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	upstream "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	"k8s.io/kubernetes/pkg/kubeapiserver/options"

	"orrery/core/parity/difftest"
	"orrery/core/world"
	"orrery/core/world/admission"
)

// server has upstream's plugins, which read what is in its informers.
type server struct {
	plugins map[string]upstream.Interface
	stores  map[world.Kind]cache.Indexer
}

// newServer initializes the plugins.
func newServer(t *testing.T) *server {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, "NodeDeclaredFeatures", true)
	client := fake.NewClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	all := upstream.NewPlugins()
	options.RegisterAllAdmissionPlugins(all)
	s := &server{plugins: map[string]upstream.Interface{}, stores: map[world.Kind]cache.Indexer{
		world.Namespace:     factory.Core().V1().Namespaces().Informer().GetIndexer(),
		world.Node:          factory.Core().V1().Nodes().Informer().GetIndexer(),
		world.LimitRange:    factory.Core().V1().LimitRanges().Informer().GetIndexer(),
		world.PriorityClass: factory.Scheduling().V1().PriorityClasses().Informer().GetIndexer(),
		world.RuntimeClass:  factory.Node().V1().RuntimeClasses().Informer().GetIndexer(),
	}}
	wire := initializer.New(client, nil, factory, authorizerfactory.NewAlwaysAllowAuthorizer(), utilfeature.DefaultFeatureGate, nil, t.Context().Done(), nil)
	for _, name := range admission.Names() {
		if name == "ResourceQuota" {
			continue
		}
		p, err := all.InitPlugin(name, nil, wire)
		if err != nil {
			t.Fatal(err)
		}
		s.plugins[name] = p
	}
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	return s
}

// hold replaces the objects that the plugins read.
func (s *server) hold(r *difftest.Source, objects []world.Object) {
	by := map[world.Kind][]any{}
	for _, o := range objects {
		by[world.KindOf(o)] = append(by[world.KindOf(o)], o)
	}
	for kind, store := range s.stores {
		if err := store.Replace(by[kind], ""); err != nil {
			r.Fatalf("%v", err)
		}
	}
}

// admit runs a plugin of upstream, and returns the object as it leaves it.
func (s *server) admit(r *difftest.Source, name string, q *admission.Request) (world.Object, error) {
	object, old := internal(r, q.Object), runtime.Object(nil)
	operation := upstream.Create
	if q.Old != nil {
		old, operation = internal(r, q.Old), upstream.Update
	}
	kind := schema.FromAPIVersionAndKind(world.KindOf(q.Object).Resource().GroupVersion().String(), string(world.KindOf(q.Object)))
	a := upstream.NewAttributesRecord(object, old, kind, q.Object.GetNamespace(), q.Object.GetName(), world.KindOf(q.Object).Resource(),
		q.Subresource, operation, nil, false, nil)
	p := s.plugins[name]
	if !p.Handles(operation) {
		return q.Object, nil
	}
	if m, is := p.(upstream.MutationInterface); is {
		if err := m.Admit(context.Background(), a, nil); err != nil {
			return nil, err
		}
	}
	if v, is := p.(upstream.ValidationInterface); is {
		if err := v.Validate(context.Background(), a, nil); err != nil {
			return nil, err
		}
	}
	return external(r, object), nil
}

func internal(r *difftest.Source, o world.Object) runtime.Object {
	var into runtime.Object
	switch o.(type) {
	case *v1.Pod:
		into = &core.Pod{}
	case *v1.Node:
		into = &core.Node{}
	case *v1.PersistentVolumeClaim:
		into = &core.PersistentVolumeClaim{}
	case *schedulingv1.PriorityClass:
		into = &scheduling.PriorityClass{}
	}
	if err := legacyscheme.Scheme.Convert(o.DeepCopyObject(), into, nil); err != nil {
		r.Fatalf("converting %T: %v", o, err)
	}
	return into
}

func external(r *difftest.Source, o runtime.Object) world.Object {
	var into world.Object
	switch o.(type) {
	case *core.Pod:
		into = &v1.Pod{}
	case *core.Node:
		into = &v1.Node{}
	case *core.PersistentVolumeClaim:
		into = &v1.PersistentVolumeClaim{}
	case *scheduling.PriorityClass:
		into = &schedulingv1.PriorityClass{}
	}
	if err := legacyscheme.Scheme.Convert(o, into, nil); err != nil {
		r.Fatalf("converting %T: %v", o, err)
	}
	return into
}
