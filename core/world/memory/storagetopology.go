package memory

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// A segment is the part of a cluster that a volume is accessible from: the values of the driver's topology keys, which
// are labels of nodes. An empty segment is the whole cluster.

// chooseSegment returns the segment of a new volume: that of the selected node, or of the first segment with room.
func (c *Cluster) chooseSegment(
	claim *v1.PersistentVolumeClaim, class *storagev1.StorageClass, selected string,
) (map[string]string, error) {
	driver := driverOf(class)
	if selected != "" {
		return c.segmentOfNode(class, driver, selected)
	}
	segments := c.segmentsOf(class, driver)
	if len(segments) == 0 {
		if slices.ContainsFunc(class.AllowedTopologies, hasExpressions) {
			return nil, fmt.Errorf("no node is in the allowed topologies")
		}
		return nil, nil // as provisioners do where all terms are empty
	}
	first, size := startAt(claim, len(segments)), claim.Spec.Resources.Requests.Storage().Value()
	for i := range segments {
		if segment := segments[(first+i)%len(segments)]; c.room(class, segment) >= size {
			return segment, nil
		}
	}
	return segments[first], nil
}

func (c *Cluster) segmentOfNode(class *storagev1.StorageClass, driver, name string) (map[string]string, error) {
	node := c.Node(name)
	if node == nil {
		return nil, fmt.Errorf("error getting selected node %q: node %q not found", name, name)
	}
	segment := map[string]string{}
	for _, key := range c.topologyKeysOn(driver, name) {
		value, ok := node.Labels[key]
		if !ok {
			return nil, fmt.Errorf("error generating accessibility requirements: topology labels from selected node %q lack %s", name, key)
		}
		segment[key] = value
	}
	if !isAllowed(class, node.Labels) {
		return nil, fmt.Errorf("selected node %q is not in the allowed topologies", name)
	}
	return segment, nil
}

// segmentsOf returns the allowed segments of a driver, in the order of their names.
func (c *Cluster) segmentsOf(class *storagev1.StorageClass, driver string) []map[string]string {
	byName := map[string]map[string]string{}
	for _, o := range c.List(world.Node) {
		node := o.(*v1.Node)
		segment := map[string]string{}
		keys := c.topologyKeysOn(driver, node.Name)
		for _, key := range keys {
			if value, ok := node.Labels[key]; ok {
				segment[key] = value
			}
		}
		if len(keys) > 0 && len(segment) == len(keys) && isAllowed(class, node.Labels) {
			byName[labels.Set(segment).String()] = segment
		}
	}
	all := make([]map[string]string, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, byName[name])
	}
	return all
}

// isAllowed reports whether a class allows volumes for a node with these labels. A term without expressions allows none, for
// provisioners as for the scheduler.
func isAllowed(class *storagev1.StorageClass, node map[string]string) bool {
	return len(class.AllowedTopologies) == 0 || slices.ContainsFunc(class.AllowedTopologies, func(term v1.TopologySelectorTerm) bool {
		return hasExpressions(term) && !slices.ContainsFunc(term.MatchLabelExpressions, func(e v1.TopologySelectorLabelRequirement) bool {
			value, ok := node[e.Key]
			return !ok || !slices.Contains(e.Values, value)
		})
	})
}

func hasExpressions(term v1.TopologySelectorTerm) bool { return len(term.MatchLabelExpressions) > 0 }

func (c *Cluster) csiDriver(name string) *storagev1.CSIDriver {
	driver, _ := c.objects[world.CSIDriver][types.NamespacedName{Name: name}].(*storagev1.CSIDriver)
	return driver
}

// driverOnNode returns a driver's entry in a node's CSINode, nil if the driver is not there.
func (c *Cluster) driverOnNode(driver, node string) *storagev1.CSINodeDriver {
	csiNode, _ := c.objects[world.CSINode][types.NamespacedName{Name: node}].(*storagev1.CSINode)
	if csiNode == nil {
		return nil
	}
	for i := range csiNode.Spec.Drivers {
		if csiNode.Spec.Drivers[i].Name == driver {
			return &csiNode.Spec.Drivers[i]
		}
	}
	return nil
}

func (c *Cluster) topologyKeysOn(driver, node string) []string {
	if entry := c.driverOnNode(driver, node); entry != nil {
		return entry.TopologyKeys
	}
	return nil
}

// isOnNodes reports whether a driver runs on any node.
func (c *Cluster) isOnNodes(driver string) bool {
	for key := range c.objects[world.CSINode] {
		if c.driverOnNode(driver, key.Name) != nil {
			return true
		}
	}
	return false
}

// matchesSegment reports whether a selector of CSIStorageCapacity selects a segment.
func matchesSegment(selector *metav1.LabelSelector, segment map[string]string) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(labels.Set(segment))
}
