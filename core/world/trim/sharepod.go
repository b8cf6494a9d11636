package trim

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Bounds of what pods share. Clusters have fewer templates of pods at a time than that; of pods that are all different nothing is shared but
// by their own changes, and what is remembered of them should not take much.
const (
	//orrery:limit API server; metadata of controllers and specs that equal pods share; all are forgotten; pods that have them keep them
	maxTemplates = 1 << 12
	//orrery:limit API server; metadata or a spec that equal pods share, in bytes; it is not shared
	maxTemplateSize = 4 << 10
)

// templates are the parts of pods that come from their controllers, by their encodings.
type templates struct {
	metas map[string]*metav1.ObjectMeta
	specs map[string]*v1.PodSpec

	// Used again for each pod.
	meta metav1.ObjectMeta
	spec v1.PodSpec
	buf  []byte
}

// sharePod gives a pod the parts of an earlier one of the same controller: nearly all that it takes in memory.
func (p *Pool) sharePod(pod *v1.Pod) {
	p.templates.shareMeta(&pod.ObjectMeta)
	p.templates.shareSpec(&pod.Spec)
	pod.Spec.NodeName = p.text(pod.Spec.NodeName)
}

func (t *templates) shareMeta(m *metav1.ObjectMeta) {
	t.meta = metav1.ObjectMeta{
		GenerateName: m.GenerateName, Namespace: m.Namespace, Labels: m.Labels, Annotations: m.Annotations,
		OwnerReferences: m.OwnerReferences, Finalizers: m.Finalizers,
	}
	had := earlier(t, &t.metas, &t.meta)
	m.GenerateName, m.Namespace, m.Labels, m.Annotations = had.GenerateName, had.Namespace, had.Labels, had.Annotations
	m.OwnerReferences, m.Finalizers = had.OwnerReferences, had.Finalizers
}

func (t *templates) shareSpec(s *v1.PodSpec) {
	node, volumes := s.NodeName, s.Volumes // a StatefulSet's pods have a claim each
	t.spec = *s
	t.spec.NodeName, t.spec.Volumes = "", nil
	*s = *earlier(t, &t.specs, &t.spec)
	s.NodeName, s.Volumes = node, volumes
}

// sized is encoded without memory of its own.
type sized interface {
	Size() int
	MarshalToSizedBuffer([]byte) (int, error)
}

// earlier returns the part with the same encoding that came first, or else this one, of which it keeps a copy.
func earlier[T any, E interface {
	*T
	sized
}](t *templates, parts *map[string]E, part E) E {
	size := part.Size()
	if size > maxTemplateSize {
		return part
	}
	if cap(t.buf) < size {
		t.buf = make([]byte, maxTemplateSize)
	}
	key := t.buf[:size]
	if n, err := part.MarshalToSizedBuffer(key); err != nil || n != size {
		return part
	}
	if had, ok := (*parts)[string(key)]; ok {
		return had
	}
	if *parts == nil || len(*parts) >= maxTemplates {
		*parts = map[string]E{}
	}
	kept := new(T)
	*kept = *part
	(*parts)[string(key)] = kept
	return part
}
