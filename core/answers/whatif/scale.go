package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/printable"
	"orrery/core/world"
)

// findAll returns the objects of a kind that a name can mean: NAMESPACE/NAME, or NAME in the default namespace or, if
// absent there, in any. The objects are the cluster's, except deployments, which are the engine's: the cluster may hold
// only their replica sets.
func findAll(r *run, kind world.Kind, name string) []world.Object {
	find := func(namespace, name string) world.Object {
		if kind == world.Deployment {
			return r.base.Store().Object(kind, namespace, name)
		}
		o, err := r.cluster.Get(kind, namespace, name)
		if err != nil {
			return nil
		}
		return o
	}
	namespace, own, full := strings.Cut(name, "/")
	if !full {
		namespace, own = metav1.NamespaceDefault, name
	}
	if o := find(namespace, own); o != nil {
		return []world.Object{o}
	}
	if full {
		return nil
	}
	var all []world.Object
	for o := range r.engine.Store().Objects(kind) {
		if o.GetName() != name {
			continue
		}
		if held := find(o.GetNamespace(), name); held != nil {
			all = append(all, held)
		}
	}
	return all
}

// scale sets the number of pods of an owner: the deployment, stateful set, replica set or job of that name, else the
// owner of the pod of that name, or the pod itself if it has no owner.
func (r *run) scale(name string, n int) error {
	for _, kind := range []world.Kind{world.Deployment, world.StatefulSet, world.ReplicaSet, world.Job} {
		owners := findAll(r, kind, name)
		if len(owners) == 0 {
			continue
		}
		if err := checkUnique(string(kind), name, len(owners)); err != nil {
			return err
		}
		return r.scaleOwner(owners[0], n)
	}
	pods := findAll(r, world.Pod, name)
	if err := checkUnique("owner of pods and no pod", name, len(pods)); err != nil {
		return err
	}
	pod := pods[0].(*v1.Pod)
	if ref := controllerOf(pod); ref != nil {
		o, err := r.cluster.Get(world.Kind(ref.Kind), pod.Namespace, ref.Name)
		if err == nil && o.GetUID() == ref.UID && world.KindOf(o) != world.ReplicationController {
			return r.scaleOwner(o, n)
		}
	}
	return r.scaleCopies(pod, n)
}

func (r *run) scaleOwner(owner world.Object, n int) error {
	count := int32(n)
	r.slots.scaled[string(owner.GetUID())] = true
	switch o := owner.(type) {
	case *appsv1.Deployment:
		return r.scaleDeployment(o, count)
	case *appsv1.ReplicaSet:
		changed := *o
		changed.Spec.Replicas = &count
		return r.update(&changed)
	case *appsv1.StatefulSet:
		changed := *o
		changed.Spec.Replicas = &count
		return r.update(&changed)
	case *batchv1.Job:
		if n == 0 {
			return fmt.Errorf("a job of no pods is over: delete the pods of %q instead", printable.Line(o.Name, 80))
		}
		changed := *o
		changed.Spec.Parallelism, changed.Spec.Completions = &count, &count
		return r.update(&changed)
	}
	return fmt.Errorf("%q is a %s, whose number of pods cannot be set", printable.Line(owner.GetName(), 80), world.KindOf(owner))
}

func (r *run) update(o world.Object) error {
	_, err := r.cluster.Update(o)
	return err
}

// scaleDeployment adds the difference to the deployment's largest replica set; the youngest, if several are.
func (r *run) scaleDeployment(d *appsv1.Deployment, n int32) error {
	var sets []*appsv1.ReplicaSet
	for set := range objects[*appsv1.ReplicaSet](r.base.Store(), world.ReplicaSet) {
		if ref := controllerOf(set); ref != nil && ref.UID == d.UID {
			sets = append(sets, set)
		}
	}
	if len(sets) == 0 {
		changed := *d
		changed.Spec.Replicas, changed.ResourceVersion = &n, ""
		return r.update(&changed)
	}
	largest := slices.MaxFunc(sets, func(a, b *appsv1.ReplicaSet) int {
		return cmp.Or(cmp.Compare(replicas(a), replicas(b)), a.CreationTimestamp.Compare(b.CreationTimestamp.Time))
	})
	for _, set := range sets {
		if set != largest {
			n -= replicas(set)
		}
	}
	o, err := r.cluster.Get(world.ReplicaSet, largest.Namespace, largest.Name)
	if err != nil {
		return err
	}
	return r.scaleOwner(o, int(max(0, n)))
}

func replicas(set *appsv1.ReplicaSet) int32 {
	if set.Spec.Replicas == nil {
		return 1
	}
	return *set.Spec.Replicas
}

// scaleCopies scales pods without a controller: it copies the pod, or deletes the last pods by name for good.
func (r *run) scaleCopies(pod *v1.Pod, n int) error {
	alike := []*v1.Pod{pod}
	if ref := controllerOf(pod); ref != nil {
		alike = r.podsOf(ref.UID, pod.Namespace)
	}
	for i := len(alike); i < n; i++ {
		r.put(recreate(pod, r.recreations.name(r, pod)))
	}
	for i := n; i < len(alike); i++ {
		r.recreations.ended[alike[i].UID], r.slots.scaled[ownerOf(alike[i])] = true, true
		if err := r.cluster.Delete(world.Pod, alike[i].Namespace, alike[i].Name, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// podsOf returns an owner's pods that are not being deleted, by name.
func (r *run) podsOf(owner types.UID, namespace string) []*v1.Pod {
	var pods []*v1.Pod
	for o := range objects[*v1.Pod](r.engine.Store(), world.Pod) {
		p := r.cluster.Pod(o.Namespace, o.Name)
		if o.Namespace != namespace || p == nil || p.DeletionTimestamp != nil {
			continue
		}
		if ref := controllerOf(p); ref != nil && ref.UID == owner {
			pods = append(pods, p)
		}
	}
	return pods
}
