package device

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	resourcelisters "k8s.io/client-go/listers/resource/v1"
	alphalisters "k8s.io/client-go/listers/resource/v1alpha3"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"

	"orrery/core/world"
)

// informer is one that somebody else fills, at once and in order.
type informer struct {
	cache.SharedIndexInformer // whatever upstream does not call
	indexer                   cache.Indexer
	handlers                  []cache.ResourceEventHandler
}

func newInformer() *informer {
	return &informer{indexer: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})}
}

func (i *informer) GetIndexer() cache.Indexer { return i.indexer }
func (i *informer) HasSynced() bool           { return true }

func (i *informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	i.handlers = append(i.handlers, h)
	return i, nil
}

func (i *informer) RemoveEventHandler(cache.ResourceEventHandlerRegistration) error { return nil }

func (i *informer) see(c change) {
	old, had, _ := i.indexer.Get(c.object)
	switch {
	case !c.dropped:
		_ = i.indexer.Update(c.object)
	case had:
		_ = i.indexer.Delete(c.object)
	}
	for _, h := range i.handlers {
		switch {
		case c.dropped && had:
			h.OnDelete(old)
		case c.dropped:
		case had:
			h.OnUpdate(old, c.object)
		default:
			h.OnAdd(c.object, false)
		}
	}
}

// The informers that upstream's controller is made with.
type (
	podInformer   struct{ *informer }
	claimInformer struct{ *informer }
	sliceInformer struct{ *informer }
	ruleInformer  struct{ *informer }
	classInformer struct{ *informer }
)

func (i podInformer) Informer() cache.SharedIndexInformer   { return i.informer }
func (i podInformer) Lister() corelisters.PodLister         { return corelisters.NewPodLister(i.indexer) }
func (i claimInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i claimInformer) Lister() resourcelisters.ResourceClaimLister {
	return resourcelisters.NewResourceClaimLister(i.indexer)
}
func (i sliceInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i sliceInformer) Lister() resourcelisters.ResourceSliceLister {
	return resourcelisters.NewResourceSliceLister(i.indexer)
}
func (i ruleInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i ruleInformer) Lister() alphalisters.DeviceTaintRuleLister {
	return alphalisters.NewDeviceTaintRuleLister(i.indexer)
}
func (i classInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i classInformer) Lister() resourcelisters.DeviceClassLister {
	return resourcelisters.NewDeviceClassLister(i.indexer)
}

// server is the API server: it writes down what is done to it, and has it seen a moment later.
type server struct {
	mutex sync.Mutex
	*cluster
	events    map[string]deed // by name, as a repeated event is only counted
	informers map[world.Kind]*informer

	seeing sync.Mutex
	soon   []change
}

func (s *server) react(action clienttesting.Action) (bool, runtime.Object, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	now := time.Now()
	switch a := action.(type) {
	case clienttesting.CreateAction:
		event := a.GetObject().(*v1.Event).DeepCopy()
		event.Name += string(rune('A' + len(s.events))) // two of one moment would share a name
		told := deed{what: event.InvolvedObject.Namespace + "/" + event.InvolvedObject.Name, did: event.Message}
		s.events[event.Name] = told
		s.note(now, told.what, told.did)
		return true, event, nil
	case clienttesting.PatchAction:
		return s.patch(now, a)
	case clienttesting.DeleteAction:
		return true, nil, s.remove(now, a)
	case clienttesting.GetAction:
		if pod := s.pod(a.GetNamespace() + "/" + a.GetName()); pod != nil {
			return true, pod, nil
		}
		return true, nil, apierrors.NewNotFound(v1.Resource("pods"), a.GetName())
	}
	return true, nil, errors.New("upstream asked for something else")
}

func (s *server) patch(now time.Time, a clienttesting.PatchAction) (bool, runtime.Object, error) {
	switch a.GetResource().Resource {
	case "events":
		again := s.events[a.GetName()]
		s.note(now, again.what, again.did)
		return true, &v1.Event{}, nil
	case "devicetaintrules":
		var patch resourcev1alpha3.DeviceTaintRule
		if err := json.Unmarshal(a.GetPatch(), &patch); err != nil {
			return true, nil, err
		}
		s.seeSoon(s.report(now, a.GetName(), patch.Status.Conditions[0]))
		return true, &patch, nil
	}
	var patch v1.Pod
	if err := json.Unmarshal(a.GetPatch(), &patch); err != nil {
		return true, nil, err
	}
	name := a.GetNamespace() + "/" + a.GetName()
	s.seeSoon(s.mark(now, name, patch.Status.Conditions[0]))
	return true, s.pod(name), nil
}

func (s *server) remove(now time.Time, a clienttesting.DeleteAction) error {
	name := a.GetNamespace() + "/" + a.GetName()
	pod := s.pod(name)
	if pod == nil || pod.UID != *a.GetDeleteOptions().Preconditions.UID {
		return apierrors.NewNotFound(v1.Resource("pods"), a.GetName())
	}
	changes, done := s.delete(now, name)
	if !done {
		return errors.New("the API server is away")
	}
	s.seeSoon(changes)
	return nil
}

// seeSoon has changes be seen a moment later, and in order.
func (s *server) seeSoon(changes []change) {
	s.soon = append(s.soon, changes...)
	for range changes {
		time.AfterFunc(seenAfter, func() {
			s.seeing.Lock()
			defer s.seeing.Unlock()
			s.mutex.Lock()
			first := s.soon[0]
			s.soon = s.soon[1:]
			s.mutex.Unlock()
			s.see(first)
		})
	}
}

func (s *server) see(c change) { s.informers[world.KindOf(c.object)].see(c) }

// playUpstream plays a history to upstream's controller, in virtual time.
func playUpstream(t *testing.T, h history) (deeds []deed) {
	synctest.Test(t, func(*testing.T) {
		s := &server{cluster: newCluster(), events: map[string]deed{}, informers: map[world.Kind]*informer{}}
		for _, kind := range []world.Kind{world.Pod, world.ResourceClaim, world.ResourceSlice, world.DeviceTaintRule} {
			s.informers[kind] = newInformer()
		}
		client := &fake.Clientset{}
		client.AddReactor("*", "*", s.react)
		ctx, stop := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
		c := devicetainteviction.New(client, podInformer{s.informers[world.Pod]}, claimInformer{s.informers[world.ResourceClaim]},
			sliceInformer{s.informers[world.ResourceSlice]}, ruleInformer{s.informers[world.DeviceTaintRule]},
			classInformer{newInformer()}, "device-taint-eviction-controller")
		done := make(chan struct{})
		go func() { defer close(done); _ = c.Run(ctx, 1) }()
		synctest.Wait()
		for _, step := range h.steps {
			time.Sleep(time.Until(began.Add(step.at)))
			synctest.Wait()
			s.mutex.Lock()
			changes := s.step(step)
			s.mutex.Unlock()
			for _, c := range changes {
				s.see(c)
				synctest.Wait()
			}
		}
		time.Sleep(time.Until(began.Add(h.until)))
		synctest.Wait()
		stop()
		<-done
		deeds = s.deeds
	})
	return deeds
}
