package podtopologyspread

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// owners finds the Services and the controller of a pod. The zero value finds none.
type owners struct {
	services     cache.Indexer
	controllers  corelisters.ReplicationControllerLister
	replicaSets  appslisters.ReplicaSetLister
	statefulSets appslisters.StatefulSetLister
}

func newOwners(factory informers.SharedInformerFactory) owners {
	return owners{
		services:     factory.Core().V1().Services().Informer().GetIndexer(),
		controllers:  factory.Core().V1().ReplicationControllers().Lister(),
		replicaSets:  factory.Apps().V1().ReplicaSets().Lister(),
		statefulSets: factory.Apps().V1().StatefulSets().Lister(),
	}
}

// selection is a selector before it is compiled: all labels and the selector must match.
type selection struct {
	labels   map[string]string
	selector *metav1.LabelSelector // nil adds nothing
}

// selectionFor gathers the selectors of the Services that select the pod and of the controller that owns it. Objects that cannot be
// found add nothing.
func (o owners) selectionFor(pod *v1.Pod) selection {
	var s selection
	s.add(o.serviceSelectors(pod)...)
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil {
		return s
	}
	version, err := schema.ParseGroupVersion(owner.APIVersion)
	if err != nil {
		return s
	}
	switch version.WithKind(owner.Kind) {
	case v1.SchemeGroupVersion.WithKind("ReplicationController"):
		if rc, err := o.controllers.ReplicationControllers(pod.Namespace).Get(owner.Name); err == nil {
			s.add(rc.Spec.Selector)
		}
	case appsv1.SchemeGroupVersion.WithKind("ReplicaSet"):
		if rs, err := o.replicaSets.ReplicaSets(pod.Namespace).Get(owner.Name); err == nil {
			s.selector = rs.Spec.Selector
		}
	case appsv1.SchemeGroupVersion.WithKind("StatefulSet"):
		if set, err := o.statefulSets.StatefulSets(pod.Namespace).Get(owner.Name); err == nil {
			s.selector = set.Spec.Selector
		}
	}
	return s
}

func (o owners) serviceSelectors(pod *v1.Pod) []map[string]string {
	// A lister would allocate even where there are no Services.
	services, err := o.services.ByIndex(cache.NamespaceIndex, pod.Namespace)
	if err != nil {
		return nil
	}
	var found []map[string]string
	for _, each := range services {
		service := each.(*v1.Service)
		// A Service without a selector selects no pods.
		if service.Spec.Selector != nil && includes(pod.Labels, service.Spec.Selector) {
			found = append(found, service.Spec.Selector)
		}
	}
	return found
}

// add merges labels. All of them match one pod, so they cannot contradict each other.
func (s *selection) add(sets ...map[string]string) {
	for _, set := range sets {
		if s.labels == nil && len(set) > 0 {
			s.labels = map[string]string{}
		}
		maps.Copy(s.labels, set)
	}
}

func (s *selection) empty() bool { return len(s.labels) == 0 && s.selector == nil }

// compile never fails: a selector that does not parse adds nothing, as does an absent one.
func (s selection) compile() labels.Selector {
	all := labels.SelectorFromSet(s.labels)
	if s.selector == nil {
		return all
	}
	if more, err := metav1.LabelSelectorAsSelector(s.selector); err == nil {
		if requirements, selectable := more.Requirements(); selectable {
			all = all.Add(requirements...)
		}
	}
	return all
}

func includes(all, some map[string]string) bool {
	for key, value := range some {
		if got, has := all[key]; !has || got != value {
			return false
		}
	}
	return true
}
