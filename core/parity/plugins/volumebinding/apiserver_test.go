package volumebinding

import (
	"context"
	"strconv"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientset "k8s.io/client-go/kubernetes"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// apiServer receives kube-scheduler's updates of volumes and claims. Both see them when they are read back.
type apiServer struct {
	clientset.Interface
	corev1.CoreV1Interface
	cluster *cluster
	updates []update

	assumed         map[string]*v1.PersistentVolume // the volumes that need a change
	refusedUnneeded bool                            // an update of another volume was refused
}

// update is one object as it was sent, with its state before, and as it is stored until it is read back.
type update struct{ before, sent, stored world.Object }

func (s *apiServer) CoreV1() corev1.CoreV1Interface { return s }

func (s *apiServer) PersistentVolumes() corev1.PersistentVolumeInterface {
	return volumeClient{server: s}
}

func (s *apiServer) PersistentVolumeClaims(string) corev1.PersistentVolumeClaimInterface {
	return claimClient{server: s}
}

type volumeClient struct {
	corev1.PersistentVolumeInterface
	server *apiServer
}

func (c volumeClient) Update(_ context.Context, pv *v1.PersistentVolume, _ metav1.UpdateOptions) (*v1.PersistentVolume, error) {
	stored, err := c.server.update(world.ClaimVolume{}, pv)
	if err != nil {
		c.server.refusedUnneeded = c.server.assumed[pv.Name] == nil
		return nil, err
	}
	return stored.(*v1.PersistentVolume), nil
}

type claimClient struct {
	corev1.PersistentVolumeClaimInterface
	server *apiServer
}

func (c claimClient) Update(_ context.Context, claim *v1.PersistentVolumeClaim, _ metav1.UpdateOptions) (*v1.PersistentVolumeClaim, error) {
	stored, err := c.server.update(world.SelectNode{}, claim)
	if err != nil {
		return nil, err
	}
	return stored.(*v1.PersistentVolumeClaim), nil
}

// update stores an object unless its version is another than the stored one's.
func (s *apiServer) update(action world.Action, object world.Object) (world.Object, error) {
	before := s.cluster.held(object)
	if err := refusal(action, before, object.GetName(), object.GetResourceVersion()); err != nil {
		return nil, err
	}
	if cmp.Equal(before, object) { // no new version
		s.updates = append(s.updates, update{before: before, sent: object})
		return before, nil
	}
	stored := object.DeepCopyObject().(world.Object)
	s.cluster.version++
	stored.SetResourceVersion(strconv.Itoa(s.cluster.version))
	s.updates = append(s.updates, update{before, object, stored})
	return stored, nil
}

// refusal is the API server's error for a write of another version than it has.
func refusal(action world.Action, held world.Object, name, version string) error {
	resource := v1.Resource("persistentvolumes")
	if _, ok := action.(world.SelectNode); ok {
		resource = v1.Resource("persistentvolumeclaims")
	}
	switch {
	case held == nil:
		return apierrors.NewNotFound(resource, name)
	case held.GetResourceVersion() != version:
		return apierrors.NewConflict(resource, name, errModified)
	}
	return nil
}

type modified struct{}

func (modified) Error() string { return "the object has been modified" }

var errModified = modified{}

// needed are the objects that were sent, without volumes that needed no change.
func (s *apiServer) needed() (list []world.Object) {
	for _, u := range s.updates {
		if _, isVolume := u.sent.(*v1.PersistentVolume); !isVolume || !cmp.Equal(u.before, u.sent) {
			list = append(list, u.sent)
		}
	}
	return list
}

// progress is the next thing that happens: an update is read back, a claim is bound, or something goes wrong.
func (s *apiServer) progress(r *comparison) {
	for i := range s.updates {
		if u := s.updates[i]; u.stored != nil {
			s.updates[i].stored = nil
			if s.cluster.held(u.stored) != nil {
				s.cluster.apply(world.Modified, u.stored)
			}
			return
		}
	}
	u := pick(r.Source, s.updates)
	if r.OneIn(4) {
		s.disturb(r, u.sent)
		return
	}
	switch o := s.cluster.held(u.sent).(type) {
	case *v1.PersistentVolume:
		if ref := o.Spec.ClaimRef; ref != nil {
			s.bind(ref.Namespace, ref.Name, o.Name)
		}
	case *v1.PersistentVolumeClaim:
		if o.Spec.VolumeName == "" {
			pv := mk.Volume("for-" + o.Name).For(o).Obj()
			if r.OneIn(5) {
				pv.Spec.NodeAffinity = someReach(r.Source)
			}
			if r.OneIn(3) {
				someSource(r.Source, pv)
			}
			s.cluster.set(pv)
			return
		}
		s.bind(o.Namespace, o.Name, o.Spec.VolumeName)
	}
}

func (s *apiServer) bind(namespace, name, volumeName string) {
	held := s.cluster.state.StoredClaim(namespace, name)
	if held == nil {
		return
	}
	claim := held.DeepCopy()
	claim.Spec.VolumeName = volumeName
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, volume.AnnBindCompleted, "yes")
	s.cluster.set(claim)
}

// disturb makes a change that may end a binding.
func (s *apiServer) disturb(r *comparison, written world.Object) {
	held := s.cluster.held(written)
	if held == nil {
		return
	}
	switch o := held.DeepCopyObject().(type) {
	case *v1.PersistentVolume:
		switch r.Range(0, 5) {
		case 0:
			s.cluster.remove(o)
		case 1:
			o.Spec.ClaimRef = nil
			s.cluster.set(o)
		case 2:
			o.Spec.NodeAffinity = someReach(r.Source)
			s.cluster.set(o)
		case 3:
			someSource(r.Source, o)
			s.cluster.set(o)
		default:
			s.otherMishap(r)
		}
	case *v1.PersistentVolumeClaim:
		switch r.Range(0, 5) {
		case 0:
			s.cluster.remove(o)
		case 1:
			delete(o.Annotations, volume.AnnSelectedNode)
			s.cluster.set(o)
		case 2:
			o.Annotations = nil
			s.cluster.set(o)
		case 3:
			o.Spec.VolumeName = "for-" + o.Name
			s.cluster.set(o)
		default:
			s.otherMishap(r)
		}
	}
}

func (s *apiServer) otherMishap(r *comparison) {
	switch r.Range(0, 2) {
	case 0:
		s.cluster.remove(mk.Node(pick(r.Source, nodeNames)).Obj())
	case 1:
		for pod := range s.cluster.store.Objects(world.Pod) {
			s.cluster.remove(pod)
			return
		}
	default:
		for _, name := range nodeNames {
			s.cluster.set(mk.CSINode(name).Migrated(pick(r.Source, migrated)).Obj())
		}
	}
}
