package whatif

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict/budget"
	"orrery/core/store"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// stopping is how long a pod takes to stop when it is made to leave, if it is given that long.
const stopping = time.Second

// clusterOf is a simulated cluster that holds what a store holds, at a moment. Its pods run for ever. The seed has to be
// one that no other cluster was made with, or its new objects would get the UIDs of old ones.
func clusterOf(s *store.Store, now time.Time, seed uint64) (*memory.Cluster, *stewards, error) {
	l := &loader{
		from:     s,
		stewards: &stewards{kinds: map[types.UID]string{}},
		names:    map[types.UID]string{},
		pods:     map[types.UID]int32{},
		into: memory.New(memory.Options{
			Start: now, Seed: seed, Budgets: budget.Rules{},
			PodLife: func(*v1.Pod) memory.Life { return memory.Life{Stop: stopping} },
		}),
	}
	for _, step := range []func() error{l.loadSurroundings, l.loadOwners, l.loadNodes, l.loadPods, l.loadBudgets} {
		if err := step(); err != nil {
			return nil, nil, fmt.Errorf("building a cluster of what the engine knows: %w", err)
		}
	}
	return l.into, l.stewards, nil
}

// stewards stand in for owners of pods that nobody in the simulated cluster acts for. Their pods come back one by one,
// each as it was; see comeback.
type stewards struct {
	// kinds are the kinds of the owners they stand in for, by the owner's UID.
	kinds map[types.UID]string
}

type loader struct {
	from     *store.Store
	into     *memory.Cluster
	stewards *stewards
	names    map[types.UID]string // of stewards
	pods     map[types.UID]int32  // how many each owner has that are not being deleted
}

// objects goes through the objects of one kind.
func objects[T world.Object](s *store.Store, kind world.Kind) iter.Seq[T] {
	return func(yield func(T) bool) {
		for o := range s.Objects(kind) {
			if typed, ok := o.(T); ok && !yield(typed) {
				return
			}
		}
	}
}

// plain are the kinds that are taken over as they are. Leases are nobody's business here.
var plain = []world.Kind{
	world.Namespace, world.PriorityClass, world.RuntimeClass, world.LimitRange, world.Service, world.ReplicationController,
	world.StorageClass, world.CSIDriver, world.CSINode, world.CSIStorageCapacity, world.VolumeAttachment,
	world.PersistentVolume, world.PersistentVolumeClaim, world.DeviceClass, world.ResourceSlice, world.ResourceClaim,
	world.DeviceTaintRule, world.Workload, world.StatefulSet, world.DaemonSet,
}

// loadSurroundings loads what pods refer to and makes up what they refer to and the engine was never told of: without it
// no pod could be made like them. It counts the pods of each owner on the way.
func (l *loader) loadSurroundings() error {
	for _, kind := range plain {
		for o := range l.from.Objects(kind) {
			if err := l.into.Load(o); err != nil {
				return err
			}
		}
	}
	for pod := range objects[*v1.Pod](l.from, world.Pod) {
		if err := l.makeUp(pod); err != nil {
			return err
		}
		if owner := metav1.GetControllerOfNoCopy(pod); owner != nil && pod.DeletionTimestamp == nil {
			l.pods[owner.UID]++
		}
	}
	for _, kind := range []world.Kind{world.ReplicaSet, world.StatefulSet, world.Job, world.DaemonSet, world.Deployment} {
		for o := range l.from.Objects(kind) {
			if err := l.makeUpNamespace(o.GetNamespace()); err != nil {
				return err
			}
		}
	}
	return nil
}

// makeUp makes the namespace, priority class and runtime class of a pod, where they are not there.
func (l *loader) makeUp(pod *v1.Pod) error {
	if err := l.makeUpNamespace(pod.Namespace); err != nil {
		return err
	}
	if name := pod.Spec.PriorityClassName; name != "" && !l.has(world.PriorityClass, "", name) {
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, PreemptionPolicy: pod.Spec.PreemptionPolicy}
		if pod.Spec.Priority != nil {
			class.Value = *pod.Spec.Priority
		}
		if err := l.into.Load(class); err != nil {
			return err
		}
	}
	name := pod.Spec.RuntimeClassName
	if name == nil || l.has(world.RuntimeClass, "", *name) {
		return nil
	}
	class := &nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: *name}}
	if len(pod.Spec.Overhead) > 0 {
		class.Overhead = &nodev1.Overhead{PodFixed: pod.Spec.Overhead}
	}
	return l.into.Load(class)
}

func (l *loader) makeUpNamespace(name string) error {
	if l.has(world.Namespace, "", name) {
		return nil
	}
	return l.into.Load(&v1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelMetadataName: name}},
		Status:     v1.NamespaceStatus{Phase: v1.NamespaceActive},
	})
}

func (l *loader) has(kind world.Kind, namespace, name string) bool {
	_, err := l.into.Get(kind, namespace, name)
	return err == nil
}

// loadOwners loads what keeps pods at their number. A replica set stands alone: its deployment would know it by a name
// made of the whole template, of which recordings hold a part. So only a deployment that has no replica set yet acts.
func (l *loader) loadOwners() error {
	deployed := map[types.UID]bool{}
	for set := range objects[*appsv1.ReplicaSet](l.from, world.ReplicaSet) {
		if owner := metav1.GetControllerOfNoCopy(set); owner != nil {
			deployed[owner.UID] = true
		}
		alone := *set
		alone.OwnerReferences = nil
		if err := l.into.Load(&alone); err != nil {
			return err
		}
	}
	for d := range objects[*appsv1.Deployment](l.from, world.Deployment) {
		if !deployed[d.UID] {
			if err := l.into.Load(d); err != nil {
				return err
			}
		}
	}
	for job := range objects[*batchv1.Job](l.from, world.Job) {
		if err := l.into.Load(content(job, l.pods[job.UID])); err != nil {
			return err
		}
	}
	return nil
}

// content is a job that wants no more than the pods it has: those that have ended are not known, so how many are still
// to come is not either. One that has just been created wants what it says.
func content(job *batchv1.Job, pods int32) *batchv1.Job {
	suspended := job.Spec.Suspend != nil && *job.Spec.Suspend
	s := &job.Status
	if pods == 0 && s.Active+s.Succeeded+s.Failed == 0 && s.StartTime == nil && !suspended {
		return job
	}
	c := *job
	c.Spec.Completions, c.Spec.Parallelism = &pods, &pods
	c.Status.Succeeded, c.Status.Failed = 0, 0
	return &c
}

func (l *loader) loadNodes() error {
	for node := range objects[*v1.Node](l.from, world.Node) {
		ready := conditionOf(node, v1.NodeReady)
		if ready == "" {
			sound := *node
			sound.Status.Conditions = append(slices.Clone(node.Status.Conditions),
				v1.NodeCondition{Type: v1.NodeReady, Status: v1.ConditionTrue})
			node = &sound
		}
		if err := l.into.Load(node); err != nil {
			return err
		}
		if ready == v1.ConditionUnknown {
			if err := l.into.LoseNode(node.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

func conditionOf(node *v1.Node, kind v1.NodeConditionType) v1.ConditionStatus {
	for i := range node.Status.Conditions {
		if node.Status.Conditions[i].Type == kind {
			return node.Status.Conditions[i].Status
		}
	}
	return ""
}

func (l *loader) loadPods() error {
	for pod := range objects[*v1.Pod](l.from, world.Pod) {
		p, err := l.underSteward(complete(running(pod), l.into.Now()))
		if err != nil {
			return err
		}
		if err := l.into.Load(p); err != nil {
			return err
		}
	}
	return nil
}

// running is a pod on a node as one that runs and is ready. How far it has come is not known of every pod, and makes no
// difference to where it is.
func running(pod *v1.Pod) *v1.Pod {
	if pod.Spec.NodeName == "" || pod.DeletionTimestamp != nil || (pod.Status.Phase == v1.PodRunning && isReady(pod)) {
		return pod
	}
	p := *pod
	p.Status.Phase = v1.PodRunning
	p.Status.Conditions = slices.DeleteFunc(slices.Clone(pod.Status.Conditions), func(c v1.PodCondition) bool {
		return c.Type == v1.PodReady
	})
	p.Status.Conditions = append(p.Status.Conditions, v1.PodCondition{Type: v1.PodReady, Status: v1.ConditionTrue})
	return &p
}

// complete is a pod with a version and a time of creation, of which an import has none. The cluster would fill them in, too,
// in a whole copy of the pod; pods are many.
func complete(pod *v1.Pod, now time.Time) *v1.Pod {
	if pod.ResourceVersion != "" && !pod.CreationTimestamp.IsZero() {
		return pod
	}
	p := *pod
	p.ResourceVersion = cmp.Or(pod.ResourceVersion, "1")
	if pod.CreationTimestamp.IsZero() {
		p.CreationTimestamp = metav1.Time{Time: now.Truncate(time.Second)}
	}
	return &p
}

func isReady(pod *v1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c v1.PodCondition) bool {
		return c.Type == v1.PodReady && c.Status == v1.ConditionTrue
	})
}

// loadBudgets comes last, as budgets are counted anew at every pod.
func (l *loader) loadBudgets() error {
	for o := range l.from.Objects(world.PodDisruptionBudget) {
		if err := l.into.Load(o); err != nil {
			return err
		}
	}
	return nil
}

// actsFor tells whether the simulated cluster keeps the pods of such an owner at their number.
func (l *loader) actsFor(ref *metav1.OwnerReference, namespace string) bool {
	switch kind := world.Kind(ref.Kind); kind {
	case world.ReplicaSet, world.StatefulSet, world.Job, world.DaemonSet:
		owner := l.from.Object(kind, namespace, ref.Name)
		return owner != nil && owner.GetUID() == ref.UID
	}
	return false
}

// underSteward is a pod whose owner acts, or is stood in for by a replication controller, which nobody acts for: an owner
// that is not there at all would have its pods deleted.
func (l *loader) underSteward(pod *v1.Pod) (*v1.Pod, error) {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil || l.actsFor(ref, pod.Namespace) {
		return pod, nil
	}
	name, err := l.steward(ref, pod.Namespace)
	if err != nil {
		return nil, err
	}
	p, yes := *pod, true
	p.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "v1", Kind: string(world.ReplicationController), Name: name, UID: ref.UID, Controller: &yes,
	}}
	return &p, nil
}

// steward is the name of an owner's stand-in, which has the owner's UID.
func (l *loader) steward(ref *metav1.OwnerReference, namespace string) (string, error) {
	if name, ok := l.names[ref.UID]; ok {
		return name, nil
	}
	l.names[ref.UID], l.stewards.kinds[ref.UID] = ref.Name, ref.Kind
	if own := l.from.Object(world.ReplicationController, namespace, ref.Name); own != nil && own.GetUID() == ref.UID {
		return ref.Name, nil
	}
	name := strings.ToLower(ref.Kind) + "." + ref.Name
	for l.has(world.ReplicationController, namespace, name) {
		name += "x"
	}
	l.names[ref.UID] = name
	pods := l.pods[ref.UID]
	return name, l.into.Load(&v1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: ref.UID},
		Spec:       v1.ReplicationControllerSpec{Replicas: &pods},
	})
}
