package memory

import (
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world"
)

func keyOf(o world.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

// Get is the object of that kind and name as it is now; the namespace is empty for kinds without. The object is
// shared: copy it before changing it.
func (c *Cluster) Get(kind world.Kind, namespace, name string) (world.Object, error) {
	shape, ok := shapes[kind]
	if !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("there is no kind %q", kind))
	}
	o, ok := c.objects[kind][types.NamespacedName{Namespace: namespace, Name: name}]
	if !ok {
		return nil, apierrors.NewNotFound(shape.groupResource(), name)
	}
	return o, nil
}

// Pod is the pod of that name, nil if there is none.
func (c *Cluster) Pod(namespace, name string) *v1.Pod {
	return c.podAt(types.NamespacedName{Namespace: namespace, Name: name})
}

// Node is the node of that name, nil if there is none.
func (c *Cluster) Node(name string) *v1.Node {
	node, _ := c.objects[world.Node][types.NamespacedName{Name: name}].(*v1.Node)
	return node
}

func (c *Cluster) podAt(key types.NamespacedName) *v1.Pod {
	pod, _ := c.objects[world.Pod][key].(*v1.Pod)
	return pod
}

// List is every object of a kind, by namespace and name.
func (c *Cluster) List(kind world.Kind) []world.Object {
	all := make([]world.Object, 0, len(c.objects[kind]))
	for _, o := range c.objects[kind] {
		all = append(all, o)
	}
	slices.SortFunc(all, byKey[world.Object])
	return all
}

// Create makes an object as the API server does: with a UID, a version and a creation time of its own, defaults filled
// in, admission done. The object handed in is left as it is.
func (c *Cluster) Create(o world.Object) (world.Object, error) {
	return c.create(world.KindOf(o), o.DeepCopyObject().(world.Object))
}

// create is Create of an object that nobody else holds.
func (c *Cluster) create(kind world.Kind, o world.Object) (world.Object, error) {
	shape, ok := shapes[kind]
	if !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("an object of type %T is of no known kind", o))
	}
	if err := c.reachable(); err != nil {
		return nil, err
	}
	if o.GetName() == "" && o.GetGenerateName() != "" {
		o.SetName(c.generateName(kind, o.GetNamespace(), o.GetGenerateName()))
	}
	if err := c.checkPlace(kind, shape, o); err != nil {
		return nil, err
	}
	if err := c.admit(kind, shape, o); err != nil {
		return nil, err
	}
	o.SetUID(c.names.uid())
	o.SetCreationTimestamp(c.stamp())
	o.SetDeletionTimestamp(nil)
	o.SetDeletionGracePeriodSeconds(nil)
	o.SetGeneration(0)
	if shape.spec != nil {
		o.SetGeneration(1)
	}
	c.write(kind, nil, o)
	return o, nil
}

// generateName completes a name, so that no object of the kind bears it.
func (c *Cluster) generateName(kind world.Kind, namespace, prefix string) string {
	for {
		name := prefix + c.names.suffix()
		if _, taken := c.objects[kind][types.NamespacedName{Namespace: namespace, Name: name}]; !taken {
			return name
		}
	}
}

// checkPlace refuses an object that has no name, lives in no namespace of the cluster, or is there already.
func (c *Cluster) checkPlace(kind world.Kind, shape shape, o world.Object) error {
	meta := field.NewPath("metadata")
	switch {
	case o.GetName() == "":
		return apierrors.NewInvalid(shape.groupKind(kind), "", field.ErrorList{
			field.Required(meta.Child("name"), "name or generateName is required"),
		})
	case shape.namespaced && o.GetNamespace() == "":
		return apierrors.NewInvalid(shape.groupKind(kind), o.GetName(), field.ErrorList{
			field.Required(meta.Child("namespace"), ""),
		})
	case !shape.namespaced && o.GetNamespace() != "":
		return apierrors.NewInvalid(shape.groupKind(kind), o.GetName(), field.ErrorList{
			field.Forbidden(meta.Child("namespace"), "not allowed on this type"),
		})
	}
	if shape.namespaced && c.objects[world.Namespace][types.NamespacedName{Name: o.GetNamespace()}] == nil {
		return apierrors.NewNotFound(shapes[world.Namespace].groupResource(), o.GetNamespace())
	}
	if c.objects[kind][keyOf(o)] != nil {
		return apierrors.NewAlreadyExists(shape.groupResource(), o.GetName())
	}
	return nil
}

// Update changes an object, all but its status, which stays as it is. A resource version in the object must be the
// current one; without one the change is unconditional. A change of nothing is no change: nobody is told.
func (c *Cluster) Update(o world.Object) (world.Object, error) {
	kind := world.KindOf(o)
	return c.replace(kind, o, func(shape shape, old, given world.Object) (world.Object, error) {
		if shape.status != nil {
			shape.status(given, old)
		}
		return given, c.admitUpdate(kind, shape, old, given)
	})
}

// UpdateStatus changes the status of an object and nothing else of it.
func (c *Cluster) UpdateStatus(o world.Object) (world.Object, error) {
	kind := world.KindOf(o)
	if shape, ok := shapes[kind]; ok && shape.status == nil {
		return nil, apierrors.NewNotFound(shape.groupResource(), o.GetName()+"/status")
	}
	return c.replace(kind, o, func(shape shape, old, given world.Object) (world.Object, error) {
		changed := old.DeepCopyObject().(world.Object)
		shape.status(changed, given)
		return changed, nil
	})
}

// Resize changes the cpu and memory of a pod's containers, as the resize subresource does.
func (c *Cluster) Resize(pod *v1.Pod) (*v1.Pod, error) {
	resized, err := c.replace(world.Pod, pod, func(shape shape, old, given world.Object) (world.Object, error) {
		shape.status(given, old)
		return given, checkPodResize(given.(*v1.Pod), old.(*v1.Pod))
	})
	if err != nil {
		return nil, err
	}
	return resized.(*v1.Pod), nil
}

// replace puts a new state of an object in place of the old one: what prepare makes of the given one, or its refusal.
func (c *Cluster) replace(
	kind world.Kind, o world.Object, prepare func(shape shape, old, given world.Object) (world.Object, error),
) (world.Object, error) {
	if err := c.reachable(); err != nil {
		return nil, err
	}
	old, err := c.Get(kind, o.GetNamespace(), o.GetName())
	if err != nil {
		return nil, err
	}
	shape := shapes[kind]
	if err := checkMeta(shape, old, o); err != nil {
		return nil, err
	}
	given := o.DeepCopyObject().(world.Object)
	keepMeta(given, old)
	changed, err := prepare(shape, old, given)
	if err != nil {
		return nil, err
	}
	if shape.spec != nil && !equality.Semantic.DeepEqual(shape.spec(changed), shape.spec(old)) {
		changed.SetGeneration(old.GetGeneration() + 1)
	}
	if equality.Semantic.DeepEqual(changed, old) {
		return old, nil
	}
	c.write(kind, old, changed)
	if isGone(changed) {
		c.remove(kind, changed)
	}
	return changed, nil
}

// checkMeta is optimistic concurrency: the change was made to the object and the version that is there now.
func checkMeta(shape shape, old, o world.Object) error {
	if uid := o.GetUID(); uid != "" && uid != old.GetUID() {
		return apierrors.NewConflict(shape.groupResource(), o.GetName(), uidMismatch(uid, old.GetUID()))
	}
	if v := o.GetResourceVersion(); v != "" && v != old.GetResourceVersion() {
		return apierrors.NewConflict(shape.groupResource(), o.GetName(), errModified)
	}
	return nil
}

var errModified = errors.New(
	"the object has been modified; please apply your changes to the latest version and try again")

func uidMismatch(wanted, there types.UID) error {
	//lint:ignore ST1005 these are the API server's own words
	return fmt.Errorf("Precondition failed: UID in precondition: %v, UID in object meta: %v", wanted, there)
}

// keepMeta takes over what a writer cannot change.
func keepMeta(changed, old world.Object) {
	changed.SetUID(old.GetUID())
	changed.SetResourceVersion(old.GetResourceVersion())
	changed.SetCreationTimestamp(old.GetCreationTimestamp())
	changed.SetGeneration(old.GetGeneration())
	changed.SetDeletionTimestamp(old.GetDeletionTimestamp())
	changed.SetDeletionGracePeriodSeconds(old.GetDeletionGracePeriodSeconds())
	changed.SetGenerateName(old.GetGenerateName())
}

// isGone tells of an object whose deletion waited only for its finalizers.
func isGone(o world.Object) bool {
	grace := o.GetDeletionGracePeriodSeconds()
	return o.GetDeletionTimestamp() != nil && len(o.GetFinalizers()) == 0 && (grace == nil || *grace == 0)
}

// reachable is the error of calling an API server that is down.
func (c *Cluster) reachable() error {
	if c.now.Before(c.downTill) {
		return apierrors.NewServiceUnavailable("the API server is restarting")
	}
	return nil
}

// Delete deletes an object. A pod that runs somewhere is given its grace period; everything else, unless a finalizer
// holds it, goes at once, and what it owns follows.
func (c *Cluster) Delete(kind world.Kind, namespace, name string, o metav1.DeleteOptions) error {
	if err := c.reachable(); err != nil {
		return err
	}
	old, err := c.Get(kind, namespace, name)
	if err != nil {
		return err
	}
	shape := shapes[kind]
	if err := checkDelete(shape, old, o.Preconditions); err != nil {
		return err
	}
	if err := c.checkEmpty(kind, name); err != nil {
		return err
	}
	if kind == world.Pod {
		c.deletePod(old.(*v1.Pod), o.GracePeriodSeconds)
		return nil
	}
	if len(old.GetFinalizers()) == 0 {
		c.remove(kind, old)
		return nil
	}
	if old.GetDeletionTimestamp() == nil {
		ending := old.DeepCopyObject().(world.Object)
		now, none := c.stamp(), int64(0)
		ending.SetDeletionTimestamp(&now)
		ending.SetDeletionGracePeriodSeconds(&none)
		c.write(kind, old, ending)
	}
	return nil
}

func checkDelete(shape shape, old world.Object, only *metav1.Preconditions) error {
	if only == nil {
		return nil
	}
	if only.UID != nil && *only.UID != old.GetUID() {
		return apierrors.NewConflict(shape.groupResource(), old.GetName(), fmt.Errorf(
			"the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated",
			*only.UID, old.GetUID()))
	}
	if only.ResourceVersion != nil && *only.ResourceVersion != old.GetResourceVersion() {
		return apierrors.NewConflict(shape.groupResource(), old.GetName(), fmt.Errorf(
			"the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified",
			*only.ResourceVersion, old.GetResourceVersion()))
	}
	return nil
}

// checkEmpty refuses to delete a namespace with anything in it: a script should say what becomes of that.
func (c *Cluster) checkEmpty(kind world.Kind, name string) error {
	if kind != world.Namespace {
		return nil
	}
	for _, k := range world.Kinds() {
		for key := range c.objects[k] {
			if key.Namespace == name {
				return apierrors.NewConflict(shapes[kind].groupResource(), name,
					fmt.Errorf("it still holds objects of kind %s: delete them first", k))
			}
		}
	}
	return nil
}
