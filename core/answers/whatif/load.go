package whatif

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
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
	"orrery/core/evict/lifecycle"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/store"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// stopTime is how long a pod takes to stop, if its grace period permits it.
const stopTime = time.Second

// buildCluster makes a simulated cluster of a store's objects at a time. Its pods run forever. The seed must differ
// from that of every other cluster, or new objects would reuse UIDs.
func buildCluster(e *engine.Engine, seed uint64, beside []world.Object) (*memory.Cluster, *ownerStubs, error) {
	s, now, comparisons := e.Store(), e.Now(), comparisons(e)
	l := &loader{
		source: s,
		stubs:  &ownerStubs{kinds: map[types.UID]string{}},
		names:  map[types.UID]string{},
		pods:   map[types.UID]int32{},

		unknown: map[types.NamespacedName]bool{},
		target: memory.New(memory.Options{
			Start: now, Seed: seed, Budgets: budget.Rules{},
			NodeLifecycle:       lifecycle.InCluster(lifecycle.Options{Start: now, Immediate: true, ComparisonOperators: comparisons}),
			ComparisonOperators: comparisons,
			Provisions:          provisioners(e),
			PodBehavior:         func(*v1.Pod) memory.PodBehavior { return memory.PodBehavior{Stop: stopTime} },
		}),
	}
	for _, step := range []func() error{l.loadReferenced, l.loadOwners, l.loadNodes, l.loadPods, l.loadBudgets} {
		if err := step(); err != nil {
			return nil, nil, fmt.Errorf("building a cluster of what the engine knows: %w", err)
		}
	}
	if err := l.target.Load(beside...); err != nil {
		return nil, nil, err
	}
	l.target.SkipLists()
	l.stubs.unknown = slices.SortedFunc(maps.Keys(l.unknown), compareNames)
	return l.target, l.stubs, nil
}

// ownerStubs replace the owners that no controller of the simulated cluster acts for. Their pods are recreated one by
// one, see recreations.
type ownerStubs struct {
	// kinds are the kinds of the replaced owners, by UID.
	kinds map[types.UID]string
	// unknown are the templates of claims for devices that could not be told from a claim.
	unknown []types.NamespacedName
}

type loader struct {
	source store.View
	target *memory.Cluster
	stubs  *ownerStubs
	names  map[types.UID]string // names of stubs, by owner
	pods   map[types.UID]int32  // pods of each owner that are not being deleted
	// unknown are the templates of claims for devices that no claim shows, by namespace and name.
	unknown map[types.NamespacedName]bool
}

// objects iterates over the objects of one kind.
func objects[T world.Object](s store.View, kind world.Kind) iter.Seq[T] {
	return func(yield func(T) bool) {
		for o := range s.Objects(kind) {
			if typed, ok := o.(T); ok && !yield(typed) {
				return
			}
		}
	}
}

// copiedKinds are the kinds that are loaded unchanged. Leases play no part here.
var copiedKinds = []world.Kind{
	world.Namespace, world.PriorityClass, world.RuntimeClass, world.LimitRange, world.Service, world.ReplicationController,
	world.StorageClass, world.CSIDriver, world.CSINode, world.CSIStorageCapacity, world.VolumeAttachment,
	world.PersistentVolume, world.PersistentVolumeClaim, world.DeviceClass, world.ResourceSlice, world.ResourceClaim,
	world.DeviceTaintRule, world.Workload, world.CompositePodGroup, world.PodGroup, world.StatefulSet, world.DaemonSet,
}

// loadReferenced loads the objects that pods refer to, and makes those that the engine does not know: without them no
// such pod could be created. It also counts the pods of each owner.
func (l *loader) loadReferenced() error {
	for _, kind := range copiedKinds {
		for o := range l.source.Objects(kind) {
			if err := l.target.Load(o); err != nil {
				return err
			}
		}
	}
	for pod := range objects[*v1.Pod](l.source, world.Pod) {
		if err := l.ensureReferenced(pod); err != nil {
			return err
		}
		if err := l.ensureClaimTemplates(pod); err != nil {
			return err
		}
		if owner := controllerOf(pod); owner != nil && pod.DeletionTimestamp == nil {
			l.pods[owner.UID]++
		}
	}
	for _, kind := range []world.Kind{world.ReplicaSet, world.StatefulSet, world.Job, world.DaemonSet, world.Deployment} {
		for o := range l.source.Objects(kind) {
			if err := l.ensureNamespace(o.GetNamespace()); err != nil {
				return err
			}
		}
	}
	return nil
}

// ensureReferenced creates a pod's namespace, priority class and runtime class if they are missing.
func (l *loader) ensureReferenced(pod *v1.Pod) error {
	if err := l.ensureNamespace(pod.Namespace); err != nil {
		return err
	}
	if name := pod.Spec.PriorityClassName; name != "" && !l.has(world.PriorityClass, "", name) {
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, PreemptionPolicy: pod.Spec.PreemptionPolicy}
		if pod.Spec.Priority != nil {
			class.Value = *pod.Spec.Priority
		}
		if err := l.target.Load(class); err != nil {
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
	return l.target.Load(class)
}

func (l *loader) ensureNamespace(name string) error {
	if l.has(world.Namespace, "", name) {
		return nil
	}
	return l.target.Load(&v1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelMetadataName: name}},
		Status:     v1.NamespaceStatus{Phase: v1.NamespaceActive},
	})
}

func (l *loader) has(kind world.Kind, namespace, name string) bool {
	_, err := l.target.Get(kind, namespace, name)
	return err == nil
}

// loadOwners loads the owners that keep a number of pods. A replica set is loaded without its deployment, which would
// derive the set's name from the whole template, and recordings hold only a part of it. So only a deployment without a
// replica set is loaded.
func (l *loader) loadOwners() error {
	deployed := map[types.UID]bool{}
	for set := range objects[*appsv1.ReplicaSet](l.source, world.ReplicaSet) {
		if owner := controllerOf(set); owner != nil {
			deployed[owner.UID] = true
		}
		alone := *set
		alone.OwnerReferences = nil
		if err := l.target.Load(&alone); err != nil {
			return err
		}
	}
	for d := range objects[*appsv1.Deployment](l.source, world.Deployment) {
		if !deployed[d.UID] {
			if err := l.target.Load(d); err != nil {
				return err
			}
		}
	}
	for job := range objects[*batchv1.Job](l.source, world.Job) {
		if err := l.target.Load(keepPodCount(job, l.pods[job.UID])); err != nil {
			return err
		}
	}
	return nil
}

// keepPodCount returns a job that wants only its present pods: the number of ended pods is unknown, and so is the
// number to come. A job that was just created keeps its spec.
func keepPodCount(job *batchv1.Job, pods int32) *batchv1.Job {
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
	for node := range objects[*v1.Node](l.source, world.Node) {
		ready := conditionOf(node, v1.NodeReady)
		if ready == "" {
			sound := *node
			sound.Status.Conditions = append(slices.Clone(node.Status.Conditions),
				v1.NodeCondition{Type: v1.NodeReady, Status: v1.ConditionTrue})
			node = &sound
		}
		if err := l.target.Load(node); err != nil {
			return err
		}
		if ready == v1.ConditionUnknown {
			if err := l.target.LoseNode(node.Name); err != nil {
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
	for pod := range objects[*v1.Pod](l.source, world.Pod) {
		p, err := l.withOwnerStub(withDefaults(asRunning(pod), l.target.Now()))
		if err != nil {
			return err
		}
		if err := l.target.Load(p); err != nil {
			return err
		}
	}
	return nil
}

// asRunning returns a pod on a node as running and ready. The real progress is not known of every pod and does not
// affect its node.
func asRunning(pod *v1.Pod) *v1.Pod {
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

// withDefaults returns a pod with a resource version and a creation time, which an import lacks. The cluster would set
// them too, but in a deep copy, which is slow for many pods.
func withDefaults(pod *v1.Pod, now time.Time) *v1.Pod {
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

// loadBudgets comes last, as every loaded pod recounts the budgets.
func (l *loader) loadBudgets() error {
	for o := range l.source.Objects(world.PodDisruptionBudget) {
		if err := l.target.Load(o); err != nil {
			return err
		}
	}
	return nil
}

// isControlled reports whether a controller of the simulated cluster acts for this owner.
func (l *loader) isControlled(ref *metav1.OwnerReference, namespace string) bool {
	switch kind := world.Kind(ref.Kind); kind {
	case world.ReplicaSet, world.StatefulSet, world.Job, world.DaemonSet:
		owner := l.source.Object(kind, namespace, ref.Name)
		return owner != nil && owner.GetUID() == ref.UID
	}
	return false
}

// withOwnerStub returns a pod whose owner exists: a replication controller, which no controller acts for, replaces an
// owner that is not controlled here. Without an owner the garbage collector would delete the pod.
func (l *loader) withOwnerStub(pod *v1.Pod) (*v1.Pod, error) {
	ref := controllerOf(pod)
	switch {
	case ref == nil && metav1.GetControllerOfNoCopy(pod) != nil: // the cluster, too, is to take it for a pod without an owner
		p := *pod
		p.OwnerReferences = slices.DeleteFunc(slices.Clone(pod.OwnerReferences), func(r metav1.OwnerReference) bool { return r.UID == "" })
		return &p, nil
	case ref == nil || l.isControlled(ref, pod.Namespace):
		return pod, nil
	}
	name, err := l.stubName(ref, pod.Namespace)
	if err != nil {
		return nil, err
	}
	p, yes := *pod, true
	p.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "v1", Kind: string(world.ReplicationController), Name: name, UID: ref.UID, Controller: &yes,
	}}
	return &p, nil
}

// stubName returns the name of an owner's stub, which has the owner's UID.
func (l *loader) stubName(ref *metav1.OwnerReference, namespace string) (string, error) {
	if name, ok := l.names[ref.UID]; ok {
		return name, nil
	}
	l.names[ref.UID], l.stubs.kinds[ref.UID] = ref.Name, ref.Kind
	if own := l.source.Object(world.ReplicationController, namespace, ref.Name); own != nil && own.GetUID() == ref.UID {
		return ref.Name, nil
	}
	name := strings.ToLower(ref.Kind) + "." + ref.Name
	for l.has(world.ReplicationController, namespace, name) {
		name += "x"
	}
	l.names[ref.UID] = name
	pods := l.pods[ref.UID]
	return name, l.target.Load(&v1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: ref.UID},
		Spec:       v1.ReplicationControllerSpec{Replicas: &pods},
	})
}
