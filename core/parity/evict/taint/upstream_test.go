package taint

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
)

// informer is one that somebody else fills, at once and in order.
type informer struct {
	cache.SharedIndexInformer // whatever upstream does not call
	indexer                   cache.Indexer
	handlers                  []cache.ResourceEventHandler
}

func newInformer() *informer {
	return &informer{indexer: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
		"spec.nodeName": func(object any) ([]string, error) {
			if pod, ok := object.(*v1.Pod); ok && pod.Spec.NodeName != "" {
				return []string{pod.Spec.NodeName}, nil
			}
			return nil, nil
		},
	})}
}

func (i *informer) GetIndexer() cache.Indexer { return i.indexer }
func (i *informer) HasSynced() bool           { return true }

func (i *informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	i.handlers = append(i.handlers, h)
	return nil, nil
}

func (i *informer) set(object any) {
	old, had, _ := i.indexer.Get(object)
	_ = i.indexer.Update(object)
	for _, h := range i.handlers {
		if had {
			h.OnUpdate(old, object)
		} else {
			h.OnAdd(object, false)
		}
	}
}

func (i *informer) drop(object any) {
	old, had, _ := i.indexer.Get(object)
	if !had {
		return
	}
	_ = i.indexer.Delete(object)
	for _, h := range i.handlers {
		h.OnDelete(old)
	}
}

type podInformer struct{ *informer }

func (i podInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i podInformer) Lister() corelisters.PodLister       { return corelisters.NewPodLister(i.indexer) }

type nodeInformer struct{ *informer }

func (i nodeInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i nodeInformer) Lister() corelisters.NodeLister      { return corelisters.NewNodeLister(i.indexer) }

// server is the API server: it holds the pods, and writes down what is done to them.
type server struct {
	mutex     sync.Mutex
	pods      map[string]*v1.Pod
	fails     map[string]int
	events    map[string]deed // by name, as a repeated event is only counted
	deeds     []deed
	unseen    func(*v1.Pod) // has a deletion be seen
	unseenNow int           // how many deletions have not been seen
}

func (s *server) note(pod, did string) {
	s.deeds = append(s.deeds, deed{time.Since(began), pod, did})
}

func (s *server) react(action clienttesting.Action) (bool, runtime.Object, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch a := action.(type) {
	case clienttesting.CreateAction:
		event := a.GetObject().(*v1.Event).DeepCopy()
		event.Name += fmt.Sprint(" ", len(s.events)) // two of one moment would share a name
		name := event.InvolvedObject.Name
		did := strings.TrimSuffix(event.Message, " Pod default/"+name)
		s.events[event.Name] = deed{pod: name, did: did}
		s.note(name, did)
		return true, event, nil
	case clienttesting.PatchAction:
		if a.GetResource().Resource == "events" {
			again := s.events[a.GetName()]
			s.note(again.pod, again.did)
			return true, &v1.Event{}, nil
		}
		pod := s.pods[a.GetName()].DeepCopy()
		pod.Status.Conditions = []v1.PodCondition{{
			Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: "DeletionByTaintManager",
			Message: "Taint manager: deleting due to NoExecute taint",
		}}
		s.pods[pod.Name] = pod
		s.note(pod.Name, "patched")
		return true, pod, nil
	case clienttesting.DeleteAction:
		return true, nil, s.delete(a.GetName())
	case clienttesting.GetAction:
		if pod := s.pods[a.GetName()]; pod != nil {
			return true, pod, nil
		}
		return true, nil, apierrors.NewNotFound(v1.Resource("pods"), a.GetName())
	}
	return true, nil, errors.New("upstream asked for something else")
}

func (s *server) delete(name string) error {
	pod := s.pods[name]
	switch {
	case pod == nil:
		return apierrors.NewNotFound(v1.Resource("pods"), name)
	case s.fails[name] > 0:
		s.fails[name]--
		s.note(name, "deletion fails")
		return errors.New("the API server is away")
	}
	s.note(name, "deleted")
	delete(s.pods, name)
	s.unseenNow++
	time.AfterFunc(seenAfter, func() { s.unseen(pod) })
	return nil
}

// playUpstream plays a history to upstream's controller, in virtual time.
func playUpstream(t *testing.T, h history) (deeds []deed) {
	synctest.Test(t, func(t *testing.T) {
		pods, nodes := newInformer(), newInformer()
		s := &server{pods: map[string]*v1.Pod{}, fails: map[string]int{}, events: map[string]deed{}}
		s.unseen = func(pod *v1.Pod) {
			s.mutex.Lock()
			s.unseenNow--
			s.mutex.Unlock()
			// The name may be another pod's by now.
			if had, ok, _ := pods.indexer.Get(pod); ok && had.(*v1.Pod).UID == pod.UID {
				pods.drop(pod)
			}
		}
		client := &fake.Clientset{}
		client.AddReactor("*", "*", s.react)
		ctx, stop := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
		c, err := tainteviction.New(ctx, client, podInformer{pods}, nodeInformer{nodes}, "taint-eviction-controller")
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() { defer close(done); c.Run(ctx) }()
		synctest.Wait()
		for _, step := range h.steps {
			time.Sleep(time.Until(began.Add(step.at)))
			synctest.Wait()
			s.step(step, pods, nodes)
			synctest.Wait()
		}
		time.Sleep(time.Until(began.Add(h.until)))
		synctest.Wait()
		stop()
		<-done
		deeds = s.deeds
	})
	return deeds
}

// step has something happen. While a deletion has not been seen, nothing does; it is the same for ours.
func (s *server) step(step step, pods, nodes *informer) {
	s.mutex.Lock()
	unseen := s.unseenNow
	s.mutex.Unlock()
	if unseen > 0 {
		return
	}
	switch step.what {
	case "setNode":
		nodes.set(step.nodeObject())
	case "dropNode":
		nodes.drop(step.nodeObject())
	case "setPod":
		s.mutex.Lock()
		uid := step.newUID
		if had := s.pods[step.name]; had != nil {
			uid = had.UID
		}
		pod := step.podObject(uid)
		s.pods[step.name], s.fails[step.name] = pod, step.fails
		s.mutex.Unlock()
		pods.set(pod)
	case "dropPod":
		s.mutex.Lock()
		delete(s.pods, step.name)
		s.mutex.Unlock()
		pods.drop(step.podObject(""))
	}
}
