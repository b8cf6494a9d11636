package workloads

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
)

// The protocol buffer is that of Kubernetes 1.35, by the numbers in the tags of the types: recordings hold it. As the API server's own
// encoding does, a field that is a text or a number is written even when it is empty.

// templatesField is the number of the templates of 1.37. Upstream's is that of the groups in 1.35.
const templatesField protowire.Number = 101

// Marshal encodes a workload.
func (w *Workload) Marshal() ([]byte, error) {
	meta, err := w.ObjectMeta.Marshal()
	if err != nil {
		return nil, err
	}
	spec := w.Spec.encoded()
	for i := range w.Spec.PodGroupTemplates {
		template, err := w.Spec.PodGroupTemplates[i].Marshal()
		if err != nil {
			return nil, err
		}
		spec = appendMessage(spec, templatesField, template)
	}
	return appendMessage(appendMessage(nil, 1, meta), 2, spec), nil
}

// Size is the encoded length in bytes.
func (w *Workload) Size() int {
	meta, spec := w.ObjectMeta.Size(), len(w.Spec.encoded())
	for i := range w.Spec.PodGroupTemplates {
		spec += protowire.SizeTag(templatesField) + protowire.SizeBytes(w.Spec.PodGroupTemplates[i].Size())
	}
	return protowire.SizeTag(1) + protowire.SizeBytes(meta) + protowire.SizeTag(2) + protowire.SizeBytes(spec)
}

// MarshalToSizedBuffer writes a workload to the end of a buffer that has at least its size.
func (w *Workload) MarshalToSizedBuffer(to []byte) (int, error) {
	encoded, err := w.Marshal()
	if err != nil {
		return 0, err
	}
	return copy(to[len(to)-len(encoded):], encoded), nil
}

func appendMessage(to []byte, number protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, number, protowire.BytesType), message)
}

func appendText(to []byte, number protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(to, number, protowire.BytesType), text)
}

func (s *Spec) encoded() (to []byte) {
	if c := s.ControllerRef; c != nil {
		to = appendMessage(to, 1, appendText(appendText(appendText(nil, 1, c.APIGroup), 2, c.Kind), 3, c.Name))
	}
	for i := range s.PodGroups {
		g := &s.PodGroups[i]
		to = appendMessage(to, 2, appendMessage(appendText(nil, 1, g.Name), 3, g.Policy.encoded()))
	}
	return to
}

func (p *Policy) encoded() (to []byte) {
	if p.Basic != nil {
		to = appendMessage(to, 2, nil)
	}
	if p.Gang != nil {
		count := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(p.Gang.MinCount))
		to = appendMessage(to, 3, count)
	}
	return to
}

// Unmarshal decodes a workload. Fields that it does not know are passed over.
func (w *Workload) Unmarshal(from []byte) error {
	return eachField(from, func(f field) error {
		switch f.number {
		case 1:
			return w.ObjectMeta.Unmarshal(f.bytes)
		case 2:
			return w.Spec.decode(f.bytes)
		}
		return nil
	})
}

func (s *Spec) decode(from []byte) error {
	return eachField(from, func(f field) error {
		switch f.number {
		case 1:
			s.ControllerRef = &ControllerRef{}
			return texts(f.bytes, &s.ControllerRef.APIGroup, &s.ControllerRef.Kind, &s.ControllerRef.Name)
		case 2:
			s.PodGroups = append(s.PodGroups, PodGroup{})
			return s.PodGroups[len(s.PodGroups)-1].decode(f.bytes)
		case templatesField:
			s.PodGroupTemplates = append(s.PodGroupTemplates, schedulingv1beta1.PodGroupTemplate{})
			return s.PodGroupTemplates[len(s.PodGroupTemplates)-1].Unmarshal(f.bytes)
		}
		return nil
	})
}

func (g *PodGroup) decode(from []byte) error {
	return eachField(from, func(f field) error {
		switch f.number {
		case 1:
			g.Name = string(f.bytes)
		case 3:
			return g.Policy.decode(f.bytes)
		}
		return nil
	})
}

func (p *Policy) decode(from []byte) error {
	return eachField(from, func(f field) error {
		switch f.number {
		case 2:
			p.Basic = &BasicPolicy{}
		case 3:
			p.Gang = &GangPolicy{}
			return eachField(f.bytes, func(f field) error {
				if f.number == 1 {
					p.Gang.MinCount = int32(f.varint)
				}
				return nil
			})
		}
		return nil
	})
}

// texts decodes a message whose fields are texts, numbered from one.
func texts(from []byte, to ...*string) error {
	return eachField(from, func(f field) error {
		if f.number >= 1 && int(f.number) <= len(to) {
			*to[f.number-1] = string(f.bytes)
		}
		return nil
	})
}

// field is one of a message: bytes for a text or a message, else a number.
type field struct {
	number protowire.Number
	bytes  []byte
	varint uint64
}

func eachField(from []byte, do func(field) error) error {
	for len(from) > 0 {
		number, kind, n := protowire.ConsumeTag(from)
		if n < 0 {
			return fmt.Errorf("decoding a field's number: %w", protowire.ParseError(n))
		}
		from = from[n:]
		f := field{number: number}
		switch kind {
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(from)
		case protowire.VarintType:
			f.varint, n = protowire.ConsumeVarint(from)
		default:
			f.number, n = 0, protowire.ConsumeFieldValue(number, kind, from)
		}
		if n < 0 {
			return fmt.Errorf("decoding field %d: %w", number, protowire.ParseError(n))
		}
		if err := do(f); err != nil {
			return err
		}
		from = from[n:]
	}
	return nil
}
