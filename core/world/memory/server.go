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

// Get returns the current object of a kind and name; the namespace is empty for cluster-scoped kinds. The object is
// shared: copy it before changing it.
func (c *Cluster) Get(kind world.Kind, namespace, name string) (world.Object, error) {
	if _, ok := kindInfos[kind]; !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("there is no kind %q", kind))
	}
	o, ok := c.objects[kind][types.NamespacedName{Namespace: namespace, Name: name}]
	if !ok {
		return nil, apierrors.NewNotFound(groupResource(kind), name)
	}
	return o, nil
}

// Pod returns the pod of a name, or nil.
func (c *Cluster) Pod(namespace, name string) *v1.Pod {
	return c.podAt(types.NamespacedName{Namespace: namespace, Name: name})
}

// Node returns the node of a name, or nil.
func (c *Cluster) Node(name string) *v1.Node {
	node, _ := c.objects[world.Node][types.NamespacedName{Name: name}].(*v1.Node)
	return node
}

func (c *Cluster) podAt(key types.NamespacedName) *v1.Pod {
	pod, _ := c.objects[world.Pod][key].(*v1.Pod)
	return pod
}

// List returns every object of a kind, by namespace and name.
func (c *Cluster) List(kind world.Kind) []world.Object {
	all := make([]world.Object, 0, len(c.objects[kind]))
	for _, o := range c.objects[kind] {
		all = append(all, o)
	}
	slices.SortFunc(all, byKey[world.Object])
	return all
}

// Create creates an object as the API server does: with a new UID, version and creation time, defaults and admission.
// The argument is not changed.
func (c *Cluster) Create(o world.Object) (world.Object, error) {
	return c.create(KindOf(o), o.DeepCopyObject().(world.Object))
}

// create is Create for an object that is not shared.
func (c *Cluster) create(kind world.Kind, o world.Object) (world.Object, error) {
	shape, ok := kindInfos[kind]
	if !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("an object of type %T is of no known kind", o))
	}
	if err := c.reachable(); err != nil {
		return nil, err
	}
	if o.GetName() == "" && o.GetGenerateName() != "" {
		o.SetName(c.generateName(kind, o.GetNamespace(), o.GetGenerateName()))
	}
	if err := c.checkPlace(kind, o); err != nil {
		return nil, err
	}
	if err := c.admit(kind, o); err != nil {
		return nil, err
	}
	o.SetUID(c.names.uid())
	o.SetCreationTimestamp(c.timestamp())
	o.SetDeletionTimestamp(nil)
	o.SetDeletionGracePeriodSeconds(nil)
	o.SetGeneration(0)
	if shape.spec != nil {
		o.SetGeneration(1)
	}
	c.write(kind, nil, o)
	return o, nil
}

// generateName completes a prefix to a name that no object of the kind has.
func (c *Cluster) generateName(kind world.Kind, namespace, prefix string) string {
	for {
		name := prefix + c.names.suffix()
		if _, taken := c.objects[kind][types.NamespacedName{Namespace: namespace, Name: name}]; !taken {
			return name
		}
	}
}

// checkPlace rejects an object with a wrong or unknown namespace.
func (c *Cluster) checkPlace(kind world.Kind, o world.Object) error {
	meta := field.NewPath("metadata")
	switch {
	case IsNamespaced(kind) && o.GetNamespace() == "":
		return apierrors.NewInvalid(groupKind(kind), o.GetName(), field.ErrorList{
			field.Required(meta.Child("namespace"), ""),
		})
	case !IsNamespaced(kind) && o.GetNamespace() != "":
		return apierrors.NewInvalid(groupKind(kind), o.GetName(), field.ErrorList{
			field.Forbidden(meta.Child("namespace"), "not allowed on this type"),
		})
	}
	if IsNamespaced(kind) && c.objects[world.Namespace][types.NamespacedName{Name: o.GetNamespace()}] == nil {
		return apierrors.NewNotFound(groupResource(world.Namespace), o.GetNamespace())
	}
	return nil
}

// Update changes an object except its status. A resource version in the object must be the current one; without one the
// update is unconditional. An update without a change emits no event.
func (c *Cluster) Update(o world.Object) (world.Object, error) {
	kind := KindOf(o)
	return c.replace(kind, o, func(shape kindInfo, old, given world.Object) (world.Object, error) {
		if shape.status != nil {
			shape.status(given, old)
		}
		return given, c.admitUpdate(kind, old, given)
	})
}

// UpdateStatus changes only the status of an object.
func (c *Cluster) UpdateStatus(o world.Object) (world.Object, error) {
	kind := KindOf(o)
	if shape, ok := kindInfos[kind]; ok && shape.status == nil {
		return nil, apierrors.NewNotFound(groupResource(kind), o.GetName()+"/status")
	}
	return c.replace(kind, o, func(shape kindInfo, old, given world.Object) (world.Object, error) {
		changed := old.DeepCopyObject().(world.Object)
		shape.status(changed, given)
		return changed, c.admitStatus(kind, old, changed)
	})
}

// Resize changes the cpu and memory of a pod's containers, as the resize subresource does.
func (c *Cluster) Resize(pod *v1.Pod) (*v1.Pod, error) {
	resized, err := c.replace(world.Pod, pod, func(shape kindInfo, old, given world.Object) (world.Object, error) {
		shape.status(given, old)
		return given, c.admitResize(given.(*v1.Pod), old.(*v1.Pod))
	})
	if err != nil {
		return nil, err
	}
	return resized.(*v1.Pod), nil
}

// replace replaces an object by the result of prepare, or returns prepare's error.
func (c *Cluster) replace(
	kind world.Kind, o world.Object, prepare func(shape kindInfo, old, given world.Object) (world.Object, error),
) (world.Object, error) {
	if err := c.reachable(); err != nil {
		return nil, err
	}
	old, err := c.Get(kind, o.GetNamespace(), o.GetName())
	if err != nil {
		return nil, err
	}
	shape := kindInfos[kind]
	if err := checkMeta(kind, old, o); err != nil {
		return nil, err
	}
	given := o.DeepCopyObject().(world.Object)
	keepMeta(given, old)
	changed, err := prepare(shape, old, given)
	if err != nil {
		return nil, err
	}
	setGeneration(kind, changed, old)
	if equality.Semantic.DeepEqual(changed, old) {
		return old, nil
	}
	c.write(kind, old, changed)
	if isGone(changed) {
		c.remove(kind, changed)
	}
	return changed, nil
}

// setGeneration counts the changes of an object's spec.
func setGeneration(kind world.Kind, changed, old world.Object) {
	spec := kindInfos[kind].spec
	if spec != nil && !equality.Semantic.DeepEqual(spec(changed), spec(old)) {
		changed.SetGeneration(old.GetGeneration() + 1)
	}
}

// checkMeta is optimistic concurrency: it requires the current UID and resource version.
func checkMeta(kind world.Kind, old, o world.Object) error {
	return checkVersion(kind, old, o.GetUID(), o.GetResourceVersion())
}

// checkVersion is checkMeta for a UID and a version; an empty one matches any.
func checkVersion(kind world.Kind, old world.Object, uid types.UID, version string) error {
	if uid != "" && uid != old.GetUID() {
		return apierrors.NewConflict(groupResource(kind), old.GetName(), uidMismatch(uid, old.GetUID()))
	}
	if version != "" && version != old.GetResourceVersion() {
		return apierrors.NewConflict(groupResource(kind), old.GetName(), errModified)
	}
	return nil
}

var errModified = errors.New(
	"the object has been modified; please apply your changes to the latest version and try again")

func uidMismatch(wanted, there types.UID) error {
	//lint:ignore ST1005 these are the API server's own words
	return fmt.Errorf("Precondition failed: UID in precondition: %v, UID in object meta: %v", wanted, there)
}

// keepMeta restores the metadata that a writer cannot change.
func keepMeta(changed, old world.Object) {
	changed.SetUID(old.GetUID())
	changed.SetResourceVersion(old.GetResourceVersion())
	changed.SetCreationTimestamp(old.GetCreationTimestamp())
	changed.SetGeneration(old.GetGeneration())
	changed.SetDeletionTimestamp(old.GetDeletionTimestamp())
	changed.SetDeletionGracePeriodSeconds(old.GetDeletionGracePeriodSeconds())
	changed.SetGenerateName(old.GetGenerateName())
}

// isGone reports whether the deletion of an object waited only for its finalizers, which are removed.
func isGone(o world.Object) bool {
	grace := o.GetDeletionGracePeriodSeconds()
	return o.GetDeletionTimestamp() != nil && len(o.GetFinalizers()) == 0 && (grace == nil || *grace == 0)
}

// reachable returns the error of a call while the API server is down.
func (c *Cluster) reachable() error {
	if c.now.Before(c.downUntil) {
		return apierrors.NewServiceUnavailable("the API server is restarting")
	}
	return nil
}

// Delete deletes an object. An assigned pod gets its grace period; any other object without finalizers is deleted at
// once, and its dependents follow.
func (c *Cluster) Delete(kind world.Kind, namespace, name string, o metav1.DeleteOptions) error {
	if err := c.reachable(); err != nil {
		return err
	}
	old, err := c.Get(kind, namespace, name)
	if err != nil {
		return err
	}
	if err := checkDelete(kind, old, o.Preconditions); err != nil {
		return err
	}
	if err := c.checkEmpty(kind, name); err != nil {
		return err
	}
	if kind == world.Pod {
		c.deletePod(old.(*v1.Pod), o.GracePeriodSeconds)
		return nil
	}
	c.beginDeletion(kind, old)
	return nil
}

// beginDeletion deletes an object that is no pod: at once, or when its finalizers are removed.
func (c *Cluster) beginDeletion(kind world.Kind, old world.Object) {
	if len(old.GetFinalizers()) == 0 {
		c.remove(kind, old)
		return
	}
	if old.GetDeletionTimestamp() == nil {
		ending := old.DeepCopyObject().(world.Object)
		now, none := c.timestamp(), int64(0)
		ending.SetDeletionTimestamp(&now)
		ending.SetDeletionGracePeriodSeconds(&none)
		c.write(kind, old, ending)
	}
}

func checkDelete(kind world.Kind, old world.Object, only *metav1.Preconditions) error {
	if only == nil {
		return nil
	}
	if only.UID != nil && *only.UID != old.GetUID() {
		return apierrors.NewConflict(groupResource(kind), old.GetName(), fmt.Errorf(
			"the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated",
			*only.UID, old.GetUID()))
	}
	if only.ResourceVersion != nil && *only.ResourceVersion != old.GetResourceVersion() {
		return apierrors.NewConflict(groupResource(kind), old.GetName(), fmt.Errorf(
			"the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified",
			*only.ResourceVersion, old.GetResourceVersion()))
	}
	return nil
}

// checkEmpty rejects the deletion of a namespace with objects: a script should delete them first.
func (c *Cluster) checkEmpty(kind world.Kind, name string) error {
	if kind != world.Namespace {
		return nil
	}
	for _, k := range Kinds() {
		for key := range c.objects[k] {
			if key.Namespace == name {
				return apierrors.NewConflict(groupResource(kind), name,
					fmt.Errorf("it still holds objects of kind %s: delete them first", k))
			}
		}
	}
	return nil
}
