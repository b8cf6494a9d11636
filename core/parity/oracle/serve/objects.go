package serve

import (
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"orrery/core/parity/oracle"
	"orrery/core/parity/oracle/informers"
)

// objects are those of which the oracle needs the last state itself.
type objects struct {
	pods    map[string]*v1.Pod
	volumes map[string]informers.Object // and their claims
	claims  map[string]*resourcev1.ResourceClaim
	nodes   map[string]bool
}

func newObjects() *objects {
	return &objects{
		pods: map[string]*v1.Pod{}, volumes: map[string]informers.Object{}, claims: map[string]*resourcev1.ResourceClaim{}, nodes: map[string]bool{},
	}
}

func keyOf(object informers.Object) string {
	return fmt.Sprintf("%T %s/%s", object, object.GetNamespace(), object.GetName())
}

// decode reads an object by the types of this release.
func decode(o oracle.Object) (informers.Object, error) {
	group, err := schema.ParseGroupVersion(o.APIVersion)
	if err != nil {
		return nil, fmt.Errorf("reading an object: %w", err)
	}
	made, err := scheme.Scheme.New(group.WithKind(o.Kind))
	if err != nil {
		return nil, fmt.Errorf("reading an object: %w", err)
	}
	if err := json.Unmarshal(o.JSON, made); err != nil {
		return nil, fmt.Errorf("reading a %s: %w", o.Kind, err)
	}
	return made.(informers.Object), nil
}

// encode is the reverse of decode.
func encode(object informers.Object) oracle.Object {
	kinds, _, err := scheme.Scheme.ObjectKinds(object)
	if err != nil {
		panic(fmt.Sprintf("writing an object of type %T: %v", object, err))
	}
	return oracle.Object{APIVersion: kinds[0].GroupVersion().String(), Kind: kinds[0].Kind, JSON: encoded(object)}
}

func encoded(object any) json.RawMessage {
	text, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("writing a %T: %v", object, err))
	}
	return text
}

// apply has the informers deliver a change.
func (s *scheduler) apply(c *oracle.Change) error {
	object, err := decode(c.Object)
	if err != nil {
		return err
	}
	s.objects.remember(c.Op, object)
	switch c.Op {
	case oracle.Added:
		s.informers.Add(object)
	case oracle.Modified:
		s.informers.Update(object)
	case oracle.Deleted:
		s.informers.Remove(object)
	default:
		return fmt.Errorf("changing %s %s: %q is no change", c.Kind, object.GetName(), c.Op)
	}
	if claim, is := object.(*resourcev1.ResourceClaim); is { // the write, if it was one, is read
		delete(s.client.claims.Written, claim.Name)
	}
	return nil
}

func (o *objects) remember(op oracle.Op, object informers.Object) {
	switch object := object.(type) {
	case *v1.Node:
		keep(o.nodes, op, object.Name, true)
	case *v1.Pod:
		keep(o.pods, op, object.Namespace+"/"+object.Name, object)
	case *v1.PersistentVolume:
		keep(o.volumes, op, keyOf(object), informers.Object(object))
	case *v1.PersistentVolumeClaim:
		keep(o.volumes, op, keyOf(object), informers.Object(object))
	case *resourcev1.ResourceClaim:
		keep(o.claims, op, object.Name, object)
	}
}

func keep[V any](all map[string]V, op oracle.Op, name string, value V) {
	if op == oracle.Deleted {
		delete(all, name)
	} else {
		all[name] = value
	}
}
