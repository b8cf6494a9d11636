package change

import (
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/storage/volume"
)

// storageWords returns the words of a change of storage: a new volume, or a capacity.
func (c Change) storageWords() []string {
	var words []string
	if c.Verb == SetCapacity {
		words = append(words, "capacity", c.Name, c.size())
	} else {
		words = append(words, "add", "pv", c.size())
		if c.Name != "" {
			words = append(words, "of", c.Name)
		}
	}
	if c.Value != "" {
		words = append(words, "in", c.Value)
	}
	if c.Node != "" {
		words = append(words, "on", c.Node)
	}
	return words
}

// Storage returns a size of storage as the requests of a change.
func Storage(size string) []Request { return []Request{{v1.ResourceStorage, size}} }

func (c Change) size() string {
	if len(c.Requests) == 0 {
		return ""
	}
	return c.Requests[0].Amount
}

// parseVolume reads "SIZE", and in this order "of CLASS" and "in ZONE" or "on NODE".
func (c *Change) parseVolume(words []string) error {
	if len(words) == 0 {
		return errors.New("a size should follow")
	}
	rest := words[1:]
	if len(rest) >= 2 && rest[0] == "of" {
		c.Name, rest = rest[1], rest[2:]
	}
	if len(rest) == 2 && rest[0] == "on" {
		c.Node, rest = rest[1], nil
	}
	return c.parseSizeIn(words[0], rest)
}

// parseCapacity reads "CLASS SIZE" and perhaps "in ZONE".
func (c *Change) parseCapacity(words []string) error {
	if len(words) < 2 {
		return errors.New("a class and a size should follow")
	}
	c.Name = words[0]
	return c.parseSizeIn(words[1], words[2:])
}

func (c *Change) parseSizeIn(size string, rest []string) error {
	request, err := parseAmount(string(v1.ResourceStorage), size)
	if err != nil {
		return err
	}
	c.Requests = []Request{request}
	switch {
	case len(rest) == 0:
		return nil
	case len(rest) != 2 || rest[0] != "in":
		return fmt.Errorf("%q should not follow", rest[0])
	}
	c.Value = rest[1]
	return nil
}

// NewVolume returns the new volume: available, and with every access mode.
func (c Change) NewVolume(name string) (*v1.PersistentVolume, error) {
	size, err := resource.ParseQuantity(c.size())
	if err != nil {
		return nil, fmt.Errorf("storage=%s: %w", c.size(), err)
	}
	pv := &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1.PersistentVolumeSpec{
			Capacity: v1.ResourceList{v1.ResourceStorage: size}, StorageClassName: c.Name,
			AccessModes:                   []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce, v1.ReadOnlyMany, v1.ReadWriteMany},
			PersistentVolumeReclaimPolicy: v1.PersistentVolumeReclaimRetain,
			PersistentVolumeSource:        v1.PersistentVolumeSource{HostPath: &v1.HostPathVolumeSource{Path: "/" + name}},
		},
		Status: v1.PersistentVolumeStatus{Phase: v1.VolumeAvailable},
	}
	switch {
	case c.Value != "":
		pv.Spec.NodeAffinity = onNodesWith(v1.LabelTopologyZone, c.Value)
	case c.Node != "":
		pv.Spec.NodeAffinity = onNodesWith(v1.LabelHostname, c.Node)
	}
	return pv, nil
}

func onNodesWith(label, value string) *v1.VolumeNodeAffinity {
	return &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
		MatchExpressions: []v1.NodeSelectorRequirement{{Key: label, Operator: v1.NodeSelectorOpIn, Values: []string{value}}},
	}}}}
}

// NewCapacity returns a capacity of the class where none is published: in the zone, or on all nodes.
func (c Change) NewCapacity(namespace, name string) (*storagev1.CSIStorageCapacity, error) {
	capacity := &storagev1.CSIStorageCapacity{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, StorageClassName: c.Name, NodeTopology: &metav1.LabelSelector{},
	}
	if c.Value != "" {
		capacity.NodeTopology.MatchLabels = map[string]string{v1.LabelTopologyZone: c.Value}
	}
	return capacity, c.AlterCapacity(capacity)
}

// AlterCapacity makes the change to a capacity of the class, which must be the caller's own copy.
func (c Change) AlterCapacity(capacity *storagev1.CSIStorageCapacity) error {
	size, err := resource.ParseQuantity(c.size())
	if err != nil {
		return fmt.Errorf("storage=%s: %w", c.size(), err)
	}
	capacity.Capacity, capacity.MaximumVolumeSize = &size, nil
	return nil
}

// Covers reports whether the change is of a capacity: of its class, and if the change names a zone, of one of the nodes there.
func (c Change) Covers(capacity *storagev1.CSIStorageCapacity, nodes []*v1.Node) bool {
	if capacity.StorageClassName != c.Name || capacity.NodeTopology == nil {
		return false
	}
	if c.Value == "" {
		return true
	}
	selector, err := metav1.LabelSelectorAsSelector(capacity.NodeTopology)
	if err != nil {
		return false
	}
	for _, node := range nodes {
		if node.Labels[v1.LabelTopologyZone] == c.Value && selector.Matches(labels.Set(node.Labels)) {
			return true
		}
	}
	return false
}

// AlterClaim gives a claim another class, as if it had been created with it. The claim must be the caller's own copy.
func (c Change) AlterClaim(claim *v1.PersistentVolumeClaim) error {
	if claim.Spec.VolumeName != "" {
		return fmt.Errorf("claim %q has a volume: its class no longer matters", claim.Namespace+"/"+claim.Name)
	}
	claim.Spec.StorageClassName = &c.Value
	for _, key := range []string{v1.BetaStorageClassAnnotation, volume.AnnSelectedNode, volume.AnnStorageProvisioner, volume.AnnBetaStorageProvisioner} {
		delete(claim.Annotations, key)
	}
	return nil
}
