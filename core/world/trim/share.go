package trim

import (
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
)

// Pool makes equal parts of pods, volumes, attachments, devices and claims one part. Most of what they take in memory are maps and lists
// that thousands of others have as well: a pod's containers, a volume's size, its annotations and its zone, a device's model.
//
//	claim a ── requests ──► {storage: 10Gi}        claim a ──┐
//	claim b ── requests ──► {storage: 10Gi}   =►   claim b ──┴─ requests ──► {storage: 10Gi}
//
// The zero value is ready for use, by one goroutine at a time.
type Pool struct {
	parts map[string]any    // by kind and encoding
	texts map[string]string // themselves

	templates templates
}

// Bounds of a pool. A part that is larger is rarely anyone else's, too.
const (
	//orrery:limit API server; parts that equal objects share, of each kind; all are forgotten; objects that have them keep them
	maxPooled = 1 << 15
	//orrery:limit API server; a part that equal objects share, in bytes; it is not shared
	maxPooledSize = 1 << 10
)

// Share replaces the parts of an object by equal ones of earlier objects. It changes the object, and none of the parts.
func (p *Pool) Share(o world.Object) {
	switch o := o.(type) {
	case *v1.Pod:
		p.sharePod(o)
	case *v1.PersistentVolume:
		p.shareMeta(&o.ObjectMeta)
		p.shareVolume(&o.Spec)
	case *v1.PersistentVolumeClaim:
		p.shareMeta(&o.ObjectMeta)
		p.shareClaim(o)
	case *resourcev1.ResourceSlice:
		p.shareMeta(&o.ObjectMeta)
		p.shareSlice(&o.Spec)
	case *resourcev1.ResourceClaim:
		p.shareMeta(&o.ObjectMeta)
		p.shareDeviceClaim(o)
	case *storagev1.VolumeAttachment:
		p.shareMeta(&o.ObjectMeta)
		o.Spec.Attacher, o.Spec.NodeName = p.text(o.Spec.Attacher), p.text(o.Spec.NodeName)
	}
}

func (p *Pool) shareMeta(m *metav1.ObjectMeta) {
	m.Namespace = p.text(m.Namespace)
	m.Labels = p.labels(m.Labels)
	m.Annotations = p.labels(m.Annotations)
	m.Finalizers = sharedList(p, m.Finalizers)
}

func (p *Pool) shareVolume(s *v1.PersistentVolumeSpec) {
	s.Capacity = p.resources(s.Capacity)
	s.AccessModes = sharedList(p, s.AccessModes)
	s.StorageClassName = p.text(s.StorageClassName)
	s.VolumeMode = sharedText(p, s.VolumeMode)
	s.VolumeAttributesClassName = sharedText(p, s.VolumeAttributesClassName)
	s.PersistentVolumeReclaimPolicy = v1.PersistentVolumeReclaimPolicy(p.text(string(s.PersistentVolumeReclaimPolicy)))
	s.NodeAffinity = shared(p, 'n', s.NodeAffinity, s.NodeAffinity)
	if s.CSI != nil {
		csi := *s.CSI
		csi.Driver, csi.FSType = p.text(csi.Driver), p.text(csi.FSType)
		s.CSI = &csi
	}
	if s.ClaimRef != nil {
		ref := *s.ClaimRef
		ref.Kind, ref.APIVersion, ref.Namespace = p.text(ref.Kind), p.text(ref.APIVersion), p.text(ref.Namespace)
		s.ClaimRef = &ref
	}
}

func (p *Pool) shareClaim(c *v1.PersistentVolumeClaim) {
	c.Spec.AccessModes = sharedList(p, c.Spec.AccessModes)
	c.Spec.Resources.Requests, c.Spec.Resources.Limits = p.resources(c.Spec.Resources.Requests), p.resources(c.Spec.Resources.Limits)
	c.Spec.StorageClassName = sharedText(p, c.Spec.StorageClassName)
	c.Spec.VolumeMode = sharedText(p, c.Spec.VolumeMode)
	c.Spec.VolumeAttributesClassName = sharedText(p, c.Spec.VolumeAttributesClassName)
	c.Status.Phase = v1.PersistentVolumeClaimPhase(p.text(string(c.Status.Phase)))
	c.Status.AccessModes = sharedList(p, c.Status.AccessModes)
	c.Status.Capacity = p.resources(c.Status.Capacity)
	c.Status.CurrentVolumeAttributesClassName = sharedText(p, c.Status.CurrentVolumeAttributesClassName)
}

// text returns an equal text of an earlier object.
func (p *Pool) text(s string) string {
	if s == "" || len(s) > maxPooledSize {
		return s
	}
	if had, ok := p.texts[s]; ok {
		return had
	}
	if p.texts == nil || len(p.texts) >= maxPooled {
		p.texts = map[string]string{}
	}
	p.texts[s] = s
	return s
}

func (p *Pool) labels(m map[string]string) map[string]string {
	if len(m) == 0 {
		return m
	}
	return shared(p, 'l', m, &metav1.LabelSelector{MatchLabels: m})
}

func (p *Pool) resources(list v1.ResourceList) v1.ResourceList {
	if len(list) == 0 {
		return list
	}
	return shared(p, 'r', list, &v1.VolumeResourceRequirements{Requests: list})
}

// sharedText shares a text and the variable that holds it.
func sharedText[T ~string](p *Pool, s *T) *T {
	if s == nil {
		return nil
	}
	return keep(p, "t"+string(*s), s)
}

func sharedList[T ~string](p *Pool, list []T) []T {
	if len(list) == 0 {
		return list
	}
	var key strings.Builder
	key.WriteByte('s')
	for _, s := range list {
		key.WriteString(strconv.Itoa(len(s)))
		key.WriteByte(':')
		key.WriteString(string(s))
	}
	return keep(p, key.String(), list)
}

// encoded has an encoding that is the same for equal values.
type encoded interface {
	comparable
	Marshal() ([]byte, error)
}

// shared returns the part with the same kind and encoding that came first.
func shared[T any, E encoded](p *Pool, kind byte, part T, as E) T {
	var none E
	if as == none {
		return part
	}
	text, err := as.Marshal()
	if err != nil {
		return part
	}
	return keep(p, string(kind)+string(text), part)
}

// keep returns the part that has the key already, or keeps this one. Parts of different types may have the same key.
func keep[T any](p *Pool, key string, part T) T {
	if len(key) > maxPooledSize {
		return part
	}
	if had, ok := p.parts[key].(T); ok {
		return had
	}
	if p.parts == nil || len(p.parts) >= maxPooled {
		p.parts = map[string]any{}
	}
	p.parts[key] = part
	return part
}
