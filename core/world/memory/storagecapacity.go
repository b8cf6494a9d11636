package memory

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/objects/saturating"
	"orrery/core/world"
)

// poolKey names the room of a driver in a segment, written as labels.
type poolKey struct{ driver, segment string }

// pool is the room that is left in a segment.
type pool struct {
	segment map[string]string
	free    int64
}

func keyOfPool(driver string, segment map[string]string) poolKey {
	return poolKey{driver, labels.Set(segment).String()}
}

// SetCapacity sets the bytes that a driver has left in a segment, such as {"topology.kubernetes.io/zone": "east"}. Without
// a capacity, there is room for everything, or for what the cluster's CSIStorageCapacity objects say.
func (c *Cluster) SetCapacity(driver string, segment map[string]string, free int64) {
	c.storage.pools[keyOfPool(driver, segment)] = pool{maps.Clone(segment), free}
	c.roomChanged(driver)
}

// roomChanged publishes a driver's capacity and retries the claims of its classes.
func (c *Cluster) roomChanged(driver string) {
	c.enqueueCapacity(driver)
	for _, class := range c.classesOf(driver) {
		c.enqueueClass(class.Name)
	}
}

func (c *Cluster) classesOf(driver string) []*storagev1.StorageClass {
	var all []*storagev1.StorageClass
	for _, o := range c.List(world.StorageClass) {
		if class := o.(*storagev1.StorageClass); driverOf(class) == driver {
			all = append(all, class)
		}
	}
	return all
}

// room is the size of the largest volume that a class can have in a segment.
func (c *Cluster) room(class *storagev1.StorageClass, segment map[string]string) int64 {
	if p, ok := c.storage.pools[keyOfPool(driverOf(class), segment)]; ok {
		return p.free
	}
	if o := c.givenCapacity(class, segment); o != nil {
		if o.MaximumVolumeSize != nil {
			return o.MaximumVolumeSize.Value()
		}
		return o.Capacity.Value()
	}
	return math.MaxInt64
}

// givenCapacity is the object with a class's capacity in a segment, in a cluster whose capacity was not set; nil if
// there is none.
func (c *Cluster) givenCapacity(class *storagev1.StorageClass, segment map[string]string) *storagev1.CSIStorageCapacity {
	for _, o := range c.List(world.CSIStorageCapacity) {
		if given := o.(*storagev1.CSIStorageCapacity); given.StorageClassName == class.Name && given.Capacity != nil &&
			matchesSegment(given.NodeTopology, segment) {
			return given
		}
	}
	return nil
}

// takeRoom takes the room of a new volume, or says that there is too little.
func (c *Cluster) takeRoom(class *storagev1.StorageClass, segment map[string]string, size int64) error {
	if c.room(class, segment) < size {
		return fmt.Errorf("rpc error: code = ResourceExhausted desc = not enough free storage in %q",
			cmp.Or(labels.Set(segment).String(), "the cluster"))
	}
	c.addRoom(class, segment, -size)
	return nil
}

// returnRoom returns the room of a volume that is deleted.
func (c *Cluster) returnRoom(volume *v1.PersistentVolume) {
	class := c.storageClass(volume.Spec.StorageClassName)
	if class == nil {
		return
	}
	segment := map[string]string{}
	if a := volume.Spec.NodeAffinity; a != nil && a.Required != nil && len(a.Required.NodeSelectorTerms) > 0 {
		for _, e := range a.Required.NodeSelectorTerms[0].MatchExpressions {
			if len(e.Values) > 0 {
				segment[e.Key] = e.Values[0]
			}
		}
	}
	c.addRoom(class, segment, volume.Spec.Capacity.Storage().Value())
}

func (c *Cluster) addRoom(class *storagev1.StorageClass, segment map[string]string, size int64) {
	key := keyOfPool(driverOf(class), segment)
	if had, ok := c.storage.pools[key]; ok {
		c.storage.pools[key] = pool{had.segment, saturating.Add(had.free, size)}
		c.enqueueCapacity(key.driver)
	} else if given := c.givenCapacity(class, segment); given != nil {
		next := *given
		left := given.Capacity.DeepCopy()
		left.Add(*resource.NewQuantity(size, resource.BinarySI))
		if left.Sign() < 0 {
			left = resource.MustParse("0")
		}
		next.Capacity = &left
		c.write(world.CSIStorageCapacity, given, &next)
	}
	if size > 0 {
		for _, class := range c.classesOf(key.driver) {
			c.enqueueClass(class.Name)
		}
	}
}

// enqueueCapacity enqueues the publication of a driver's capacity, if the driver's CSIDriver asks for it.
func (c *Cluster) enqueueCapacity(driver string) {
	if o := c.csiDriver(driver); o != nil && o.Spec.StorageCapacity != nil && *o.Spec.StorageCapacity {
		c.enqueue(workItem{kind: world.CSIStorageCapacity, key: keyOf(o)}, 0)
	}
}

// capacityNamespace is where provisioners publish capacities, and driverLabel names the driver of one.
const (
	capacityNamespace = "kube-system"
	driverLabel       = "csi.storage.k8s.io/drivername"
)

// publishCapacity writes one CSIStorageCapacity for each class of a driver and each segment whose capacity was set.
func (c *Cluster) publishCapacity(driver string) {
	published := map[string]*storagev1.CSIStorageCapacity{}
	for _, o := range c.List(world.CSIStorageCapacity) {
		had := o.(*storagev1.CSIStorageCapacity)
		switch {
		case had.Labels[driverLabel] != driver || had.NodeTopology == nil:
		case c.storageClass(had.StorageClassName) == nil:
			c.remove(world.CSIStorageCapacity, had)
		default:
			published[had.StorageClassName+"/"+labels.Set(had.NodeTopology.MatchLabels).String()] = had
		}
	}
	for _, class := range c.classesOf(driver) {
		for _, key := range c.poolsOf(driver) {
			c.publishRoom(published[class.Name+"/"+key.segment], driver, class.Name, c.storage.pools[key])
		}
	}
}

// poolsOf returns a driver's pools, in the order of their segments.
func (c *Cluster) poolsOf(driver string) []poolKey {
	all := slices.DeleteFunc(slices.Collect(maps.Keys(c.storage.pools)), func(key poolKey) bool { return key.driver != driver })
	slices.SortFunc(all, func(a, b poolKey) int { return cmp.Compare(a.segment, b.segment) })
	return all
}

func (c *Cluster) publishRoom(had *storagev1.CSIStorageCapacity, driver, class string, p pool) {
	free := resource.NewQuantity(p.free, resource.BinarySI)
	if had != nil {
		next := *had
		next.Capacity = free
		rewrite(c, world.CSIStorageCapacity, had, &next)
		return
	}
	_, err := c.create(world.CSIStorageCapacity, &storagev1.CSIStorageCapacity{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: "csisc-", Namespace: capacityNamespace, Labels: map[string]string{driverLabel: driver},
		},
		StorageClassName: class, NodeTopology: &metav1.LabelSelector{MatchLabels: maps.Clone(p.segment)}, Capacity: free,
	})
	if err != nil {
		c.enqueue(workItem{kind: world.CSIStorageCapacity, key: types.NamespacedName{Name: driver}}, retryDelay)
	}
}
