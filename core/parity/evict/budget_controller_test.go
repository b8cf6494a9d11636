package evict

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	discoveryfake "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/scale"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller/disruption"
	clocktesting "k8s.io/utils/clock/testing"

	"orrery/core/evict/budget"
	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
)

// disruptionController is upstream's controller, with the objects of a case in its informers.
type disruptionController struct {
	controller *disruption.DisruptionController
	factory    informers.SharedInformerFactory
	ledger     *budgetCase
	written    *policyv1.PodDisruptionBudget
}

func newDisruptionController(t *testing.T) *disruptionController {
	o := &disruptionController{}
	client := fake.NewClientset()
	client.PrependReactor("update", "poddisruptionbudgets", func(action clienttesting.Action) (bool, runtime.Object, error) {
		o.written = action.(clienttesting.UpdateAction).GetObject().(*policyv1.PodDisruptionBudget)
		return true, o.written, nil
	})
	o.factory = informers.NewSharedInformerFactory(client, 0)
	f := o.factory
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, gvk := range []schema.GroupVersionKind{
		{Group: "apps", Version: "v1", Kind: "ReplicaSet"},
		{Group: "apps", Version: "v1", Kind: "StatefulSet"},
		{Group: "apps", Version: "v1", Kind: "DaemonSet"},
		{Group: "apps", Version: "v1", Kind: "Job"},
		{Group: "batch", Version: "v1", Kind: "Job"},
		{Group: "batch", Version: "v1", Kind: "DaemonSet"},
		{Group: "", Version: "v1", Kind: "ReplicationController"},
		{Group: "extensions", Version: "v1beta1", Kind: "ReplicaSet"},
		{Group: "other", Version: "v1", Kind: "ReplicaSet"},
		{Group: "example.com", Version: "v1", Kind: "Fleet"},
	} {
		mapper.Add(gvk, meta.RESTScopeNamespace)
	}
	discovery := client.Discovery().(*discoveryfake.FakeDiscovery)
	scales := func(group, version string, resources ...string) *metav1.APIResourceList {
		list := &metav1.APIResourceList{GroupVersion: schema.GroupVersion{Group: group, Version: version}.String()}
		for _, name := range resources {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: name + "/scale", Group: "autoscaling", Version: "v1", Kind: "Scale"})
		}
		return list
	}
	discovery.Resources = []*metav1.APIResourceList{
		scales("apps", "v1", "replicasets", "statefulsets", "jobs"), scales("", "v1", "replicationcontrollers"), scales("batch", "v1", "daemonsets"),
		scales("extensions", "v1beta1", "replicasets"), scales("other", "v1", "replicasets"), scales("example.com", "v1", "fleets"),
	}
	o.controller = disruption.NewDisruptionControllerInternal(t.Context(),
		f.Core().V1().Pods(), f.Policy().V1().PodDisruptionBudgets(), f.Core().V1().ReplicationControllers(), f.Apps().V1().ReplicaSets(),
		f.Apps().V1().Deployments(), f.Apps().V1().StatefulSets(), client, mapper, o, discovery, clocktesting.NewFakeClock(budgetTime), 2*time.Minute)
	return o
}

func (o *disruptionController) Scales(string) scale.ScaleInterface { return scaleClient{o: o} }

type scaleClient struct {
	scale.ScaleInterface
	o *disruptionController
}

// Get returns the scale of an owner of any kind that has one.
func (s scaleClient) Get(_ context.Context, resource schema.GroupResource, name string, _ metav1.GetOptions) (*autoscalingv1.Scale, error) {
	found := func(uid types.UID, replicas int32) (*autoscalingv1.Scale, error) {
		return &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid}, Spec: autoscalingv1.ScaleSpec{Replicas: replicas}}, nil
	}
	for uid, replicas := range s.o.ledger.Fleets {
		if resource.Group == "example.com" {
			return found(uid, replicas)
		}
	}
	for _, set := range s.o.ledger.Sets {
		if resource.Resource == "replicasets" && set.Name == name && resource.Group != "other" {
			return found(set.UID, *set.Spec.Replicas)
		}
	}
	return nil, apierrors.NewNotFound(resource, name)
}

func replaceAll[T any](informer cache.SharedIndexInformer, objects ...T) {
	all := make([]any, len(objects))
	for i := range objects {
		all[i] = objects[i]
	}
	if err := informer.GetStore().Replace(all, ""); err != nil {
		panic(err)
	}
}

// theirs returns the status that upstream's controller writes, nil for none.
func (o *disruptionController) theirs(l *budgetCase) (*policyv1.PodDisruptionBudgetStatus, error) {
	o.ledger, o.written = l, nil
	f := o.factory
	replaceAll(f.Core().V1().Pods().Informer(), l.Pods...)
	replaceAll(f.Policy().V1().PodDisruptionBudgets().Informer(), l.Budget)
	replaceAll(f.Core().V1().ReplicationControllers().Informer(), l.RCs...)
	replaceAll(f.Apps().V1().ReplicaSets().Informer(), l.Sets...)
	replaceAll(f.Apps().V1().Deployments().Informer(), l.Deps...)
	replaceAll(f.Apps().V1().StatefulSets().Informer(), l.States...)
	if err := syncBudget(o.controller, context.Background(), "x/"+l.Budget.Name); err != nil {
		return nil, err
	}
	if o.written == nil {
		return nil, nil
	}
	return &o.written.Status, nil
}

func (l *budgetCase) ours() *policyv1.PodDisruptionBudgetStatus {
	s := budget.Sync(l.Budget, l.Pods, budget.Scales{Lookup: l.find, Custom: l.Fleets}, budgetTime)
	if s.UpdatedBudget == nil {
		return nil
	}
	return &s.UpdatedBudget.Status
}

// statusText formats a status. It leaves out the pod whose owner is missing, since any may be found first, and the times of
// transitions, which are from upstream's clock.
func statusText(s *policyv1.PodDisruptionBudgetStatus) string {
	if s == nil {
		return "nothing written"
	}
	text := fmt.Sprintf("%d expected, %d desired, %d healthy, %d allowed, observed %d, disrupted %v", s.ExpectedPods, s.DesiredHealthy, s.CurrentHealthy,
		s.DisruptionsAllowed, s.ObservedGeneration, slices.Sorted(maps.Keys(s.DisruptedPods)))
	for _, c := range s.Conditions {
		message := c.Message
		if c.Reason == policyv1.SyncFailedReason && (strings.HasPrefix(message, "found no controllers for pod") || strings.HasSuffix(message, "does not implement the scale subresource")) {
			message = "an owner"
		}
		text += fmt.Sprintf("; %s=%s %s %q %d", c.Type, c.Status, c.Reason, message, c.ObservedGeneration)
	}
	return text
}

func (o *disruptionController) difference(l *budgetCase) string {
	theirs, err := o.theirs(l)
	if err != nil {
		return "theirs failed: " + err.Error()
	}
	ours := l.ours()
	if ours == nil && theirs != nil { // upstream writes an unchanged failure again
		ours = &l.Budget.Status
	}
	if a, b := statusText(theirs), statusText(ours); a != b {
		return fmt.Sprintf("theirs %s\nours   %s", a, b)
	}
	return ""
}

func TestBudget_SameStatus(t *testing.T) {
	o := newDisruptionController(t)
	written := difftest.Coverage{}
	count := difftest.Cases[*budgetCase]{
		Draw: func(seed uint64, number int) *budgetCase { return drawBudgetCase(seed + uint64(number)) },
		Differ: func(l *budgetCase) string {
			reason := "nothing"
			if s := l.ours(); s != nil {
				reason = s.Conditions[0].Reason
			}
			written[reason]++
			return o.difference(l)
		},
		Reduce: func(l *budgetCase, differ func(*budgetCase) string) *budgetCase {
			with := func(pods []*v1.Pod) *budgetCase { s := *l; s.Pods = pods; return &s }
			return with(difftest.Pieces(l.Pods, func(pods []*v1.Pod) string { return differ(with(pods)) }))
		},
		Print: difftest.JSON[*budgetCase],
	}.Check(t, comparisons.Budgets.Cases)
	written.Require(t, count, policyv1.InsufficientPodsReason, policyv1.SufficientPodsReason, policyv1.SyncFailedReason)
}
