package claims

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/resourceclaim"

	"orrery/core/parity/informers"
	"orrery/core/world"
)

// server is the API server of upstream's controller. A change is delivered watchDelay later.
type server struct {
	mutex   sync.Mutex
	objects map[string]world.Object
	version int
	told    *informers.Factory

	telling sync.Mutex
	pending []func() // watch events, in order
}

const watchDelay = time.Millisecond

func keyOf(o world.Object) string { return fmt.Sprintf("%T %s", o, o.GetName()) }

func (s *server) set(o world.Object) {
	s.version++
	o.SetResourceVersion(strconv.Itoa(s.version))
	s.objects[keyOf(o)] = o
	s.tell(func() { s.told.Set(o) })
}

// tell delivers a watch event after watchDelay, after the earlier ones.
func (s *server) tell(event func()) {
	s.pending = append(s.pending, event)
	time.AfterFunc(watchDelay, func() {
		s.telling.Lock()
		defer s.telling.Unlock()
		s.mutex.Lock()
		first := s.pending[0]
		s.pending = s.pending[1:]
		s.mutex.Unlock()
		first()
	})
}

func (s *server) drop(o world.Object) {
	delete(s.objects, keyOf(o))
	s.tell(func() { s.told.Delete(o) })
}

func (s *server) claim(name string) *resourcev1.ResourceClaim {
	claim, _ := s.objects[keyOf(&resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}})].(*resourcev1.ResourceClaim)
	return claim
}

func (s *server) react(action clienttesting.Action) (bool, runtime.Object, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch action.GetVerb() {
	case "create":
		return s.create(action.(clienttesting.CreateAction))
	case "update":
		return s.update(action.(clienttesting.UpdateAction))
	case "patch":
		return s.patch(action.(clienttesting.PatchAction))
	case "delete":
		return s.delete(action.(clienttesting.DeleteAction))
	case "get":
		name := action.(clienttesting.GetAction).GetName()
		if pod := s.objects[keyOf(&v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}})]; pod != nil {
			return true, pod, nil
		}
		return true, nil, apierrors.NewNotFound(v1.Resource("pods"), name)
	}
	return true, nil, errors.New("unexpected call")
}

func (s *server) create(a clienttesting.CreateAction) (bool, runtime.Object, error) {
	claim, is := a.GetObject().(*resourcev1.ResourceClaim)
	if !is {
		return true, a.GetObject(), nil // an event
	}
	claim = claim.DeepCopy()
	claim.Namespace, claim.Name = a.GetNamespace(), fmt.Sprint(claim.GenerateName, s.version)
	claim.UID = types.UID(claim.Name)
	s.set(claim)
	return true, claim, nil
}

func (s *server) delete(a clienttesting.DeleteAction) (bool, runtime.Object, error) {
	claim := s.claim(a.GetName())
	switch {
	case claim == nil:
		return true, nil, apierrors.NewNotFound(resourcev1.Resource("resourceclaims"), a.GetName())
	case len(claim.Finalizers) == 0:
		s.drop(claim)
	case claim.DeletionTimestamp == nil:
		claim = claim.DeepCopy()
		claim.DeletionTimestamp = &metav1.Time{Time: time.Now()}
		s.set(claim)
	}
	return true, nil, nil
}

func (s *server) update(a clienttesting.UpdateAction) (bool, runtime.Object, error) {
	given := a.GetObject().(*resourcev1.ResourceClaim)
	old := s.claim(given.Name)
	if old == nil || old.ResourceVersion != given.ResourceVersion {
		return true, nil, apierrors.NewConflict(resourcev1.Resource("resourceclaims"), given.Name, errors.New("changed"))
	}
	next := old.DeepCopy()
	if a.GetSubresource() == "status" {
		next.Status = *given.Status.DeepCopy()
	} else {
		next.Finalizers = given.Finalizers
	}
	if next.DeletionTimestamp != nil && len(next.Finalizers) == 0 {
		s.drop(next)
	} else {
		s.set(next)
	}
	return true, next, nil
}

// patch adds the claims of an applied status to those that the pod's has.
func (s *server) patch(a clienttesting.PatchAction) (bool, runtime.Object, error) {
	var patch v1.Pod
	if err := json.Unmarshal(a.GetPatch(), &patch); err != nil || a.GetResource().Resource == "events" {
		return true, &v1.Event{}, err
	}
	pod := s.objects[keyOf(&v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: a.GetName()}})].(*v1.Pod).DeepCopy()
	for _, status := range patch.Status.ResourceClaimStatuses {
		pod.Status.ResourceClaimStatuses = withStatus(pod.Status.ResourceClaimStatuses, status)
	}
	s.set(pod)
	return true, pod, nil
}

func withStatus(list []v1.PodResourceClaimStatus, status v1.PodResourceClaimStatus) []v1.PodResourceClaimStatus {
	for i := range list {
		if list[i].Name == status.Name {
			list[i] = status
			return list
		}
	}
	return append(list, status)
}

// runUpstream runs upstream's controller on objects until it rests, in virtual time, and returns what is left.
func runUpstream(t *testing.T, objects []world.Object) (left []world.Object) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{objects: map[string]world.Object{}, told: informers.New()}
		client := &fake.Clientset{}
		client.AddReactor("*", "*", s.react)
		ctx, stop := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
		resources := s.told.Resource().V1()
		c, err := resourceclaim.NewController(logr.Discard(), client,
			s.told.Core().V1().Pods(), s.told.Scheduling().V1beta1().PodGroups(), resources.ResourceClaims(), resources.ResourceClaimTemplates())
		if err != nil {
			t.Fatal(err)
		}
		s.mutex.Lock()
		for _, o := range objects {
			s.set(o.DeepCopyObject().(world.Object))
		}
		s.mutex.Unlock()
		time.Sleep(2 * watchDelay)
		synctest.Wait()
		done := make(chan struct{})
		go func() { defer close(done); c.Run(ctx, 1) }()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		s.mutex.Lock()
		for _, o := range s.objects {
			left = append(left, o)
		}
		s.mutex.Unlock()
		stop()
		<-done
	})
	return left
}
