package clusterapi

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	apinode "k8s.io/kubernetes/pkg/apis/node"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	"k8s.io/kubernetes/pkg/apis/policy"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	"k8s.io/kubernetes/pkg/apis/storage"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/core/limitrange"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/parity/draw"
	"orrery/core/world"
	"orrery/core/world/clusterapi"
	"orrery/core/world/controllerapi"
	"orrery/core/world/podapi"
	"orrery/core/world/quota"
	"orrery/core/world/storageapi"
)

// strategy is what upstream does with a kind.
type strategy interface {
	Validate(context.Context, runtime.Object) field.ErrorList
	ValidateUpdate(ctx context.Context, changed, old runtime.Object) field.ErrorList
}

// kinds are the kinds that are compared.
var kinds = map[world.Kind]struct {
	internal func() runtime.Object
	upstream strategy
}{
	world.Node:                  {func() runtime.Object { return &core.Node{} }, node.Strategy},
	nodeStatusKind:              {func() runtime.Object { return &core.Node{} }, nodeStatus{node.Strategy}},
	world.Namespace:             {func() runtime.Object { return &core.Namespace{} }, namespace.Strategy},
	world.LimitRange:            {func() runtime.Object { return &core.LimitRange{} }, limitrange.Strategy},
	quota.Kind:                  {func() runtime.Object { return &core.ResourceQuota{} }, resourcequota.Strategy},
	world.PriorityClass:         {func() runtime.Object { return &scheduling.PriorityClass{} }, priorityclass.Strategy},
	world.RuntimeClass:          {func() runtime.Object { return &apinode.RuntimeClass{} }, runtimeclass.Strategy},
	world.PodDisruptionBudget:   {func() runtime.Object { return &policy.PodDisruptionBudget{} }, poddisruptionbudget.Strategy},
	world.PersistentVolumeClaim: {func() runtime.Object { return &core.PersistentVolumeClaim{} }, persistentvolumeclaim.Strategy},
	world.PersistentVolume:      {func() runtime.Object { return &core.PersistentVolume{} }, persistentvolume.Strategy},
	world.StorageClass:          {func() runtime.Object { return &storage.StorageClass{} }, storageclass.Strategy},
	world.Deployment:            {func() runtime.Object { return &apps.Deployment{} }, deployment.Strategy},
	world.ReplicaSet:            {func() runtime.Object { return &apps.ReplicaSet{} }, replicaset.Strategy},
	world.StatefulSet:           {func() runtime.Object { return &apps.StatefulSet{} }, statefulset.Strategy},
	world.DaemonSet:             {func() runtime.Object { return &apps.DaemonSet{} }, daemonSets{daemonset.Strategy}},
}

// nodeStatus is the strategy of a node's status, which upstream does not export by itself.
type nodeStatus struct{ strategy }

func (nodeStatus) ValidateUpdate(_ context.Context, changed, old runtime.Object) field.ErrorList {
	return validation.ValidateNodeUpdate(changed.(*core.Node), old.(*core.Node))
}

// daemonSets is the strategy of daemon sets, whose updates count the generations of the template.
type daemonSets struct{ rest.RESTUpdateStrategy }

func (s daemonSets) ValidateUpdate(ctx context.Context, changed, old runtime.Object) field.ErrorList {
	s.PrepareForUpdate(ctx, changed, old)
	return s.RESTUpdateStrategy.ValidateUpdate(ctx, changed, old)
}

func (daemonSets) Validate(ctx context.Context, o runtime.Object) field.ErrorList {
	return daemonset.Strategy.Validate(ctx, o)
}

const nodeStatusKind world.Kind = "Node status"

// drawn is an object of a kind, with a name or any, as it is and with its defaults as far as Orrery sets them.
func drawn(f draw.Filler, kind world.Kind, name string) (given, made world.Object) {
	if kind == nodeStatusKind {
		kind = world.Node
	}
	given = draw.All[kind](f)
	if name != "" {
		given.SetName(name)
	}
	made = given.DeepCopyObject().(world.Object)
	clusterapi.Default(made)
	storageapi.Default(made)
	return given, made
}

func create(o any) field.ErrorList {
	return slices.Concat(clusterapi.Create(o), storageapi.Create(o), controllerapi.Create(o, podapi.Options{}))
}

func update(changed, old any) field.ErrorList {
	return slices.Concat(clusterapi.Update(changed, old), storageapi.Update(changed, old), controllerapi.Update(changed, old, podapi.Options{}))
}

// hasDefaults reports whether all defaults of a kind are those that Orrery sets.
func hasDefaults(o world.Object) bool {
	switch o.(type) {
	case *appsv1.Deployment, *appsv1.ReplicaSet, *appsv1.StatefulSet, *appsv1.DaemonSet:
		return false
	}
	return true
}

// TestObjects_SameErrors compares the defaults of new objects, and every error of new and changed ones.
func TestObjects_SameErrors(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, "GenericWorkload", true)
	for name, kind := range kinds {
		t.Run(string(name), func(t *testing.T) {
			valid, texts := 0, map[string]bool{}
			difftest.Check(t, comparisons.ClusterAPI.Cases, func(r *difftest.Source) {
				f := draw.New(r)
				o, made := drawn(f, name, "")
				inside := kind.internal()
				convert(r, o, inside)
				same(r, o, kind.upstream.Validate(context.Background(), inside), create(made))
				back := o.DeepCopyObject().(world.Object)
				legacyscheme.Scheme.Default(back)
				if ns, is := back.(*v1.Namespace); is {
					ns.Status.Phase = v1.NamespaceActive
				}
				if hasDefaults(made) && !equality.Semantic.DeepEqual(back, made) {
					r.Fatalf("the defaults differ (-upstream +orrery):\n%s", cmp.Diff(back, made))
				}
				if len(create(made)) > 0 {
					return // the rules for a change of what was wrong before are looser
				}
				given, changed := drawn(f, name, o.GetName())
				after := kind.internal()
				convert(r, given, after)
				want := kind.upstream.ValidateUpdate(context.Background(), after, inside)
				if name == nodeStatusKind {
					same(r, []any{made, changed}, want, clusterapi.UpdateStatus(changed, made))
				} else {
					same(r, []any{made, changed}, want, update(changed, made))
				}
				if len(want) == 0 {
					valid++
				}
				for _, err := range want {
					texts[err.Detail] = true
				}
			})
			t.Logf("%d valid changes, %d different texts", valid, len(texts))
			if valid == 0 || len(texts) == 0 {
				t.Error("the objects are too uniform")
			}
		})
	}
}

func convert(r *difftest.Source, o world.Object, into runtime.Object) {
	o = o.DeepCopyObject().(world.Object)
	legacyscheme.Scheme.Default(o)
	if err := legacyscheme.Scheme.Convert(o, into, nil); err != nil {
		r.Fatalf("converting %T: %v", o, err)
	}
}

func same(r *difftest.Source, about any, theirs, ours field.ErrorList) {
	if diff := cmp.Diff(difftest.FieldErrors(theirs), difftest.FieldErrors(ours)); diff != "" {
		r.Fatalf("the errors differ (-upstream +orrery):\n%s\nobject: %s", diff, difftest.JSON(about))
	}
}
