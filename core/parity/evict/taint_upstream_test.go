package evict

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
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/tainteviction"

	"orrery/core/parity/difftest"
	"orrery/core/parity/informers"
)

// server is the API server: it holds the pods, and writes down what is done to them.
type taintServer struct {
	mutex     sync.Mutex
	pods      map[string]*v1.Pod
	fails     map[string]int
	events    map[string]actionRecord // by name, as a repeated event is only counted
	did       []actionRecord
	unseen    func(*v1.Pod) // has a deletion be seen
	unseenNow int           // how many deletions have not been seen
}

func (s *taintServer) note(pod, did string) {
	s.did = append(s.did, actionAt(time.Now(), pod, did))
}

func (s *taintServer) react(action clienttesting.Action) (bool, runtime.Object, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch a := action.(type) {
	case clienttesting.CreateAction:
		event := a.GetObject().(*v1.Event).DeepCopy()
		event.Name += fmt.Sprint(" ", len(s.events)) // two of one moment would share a name
		name := event.InvolvedObject.Name
		did := strings.TrimSuffix(event.Message, " Pod default/"+name)
		s.events[event.Name] = actionRecord{What: name, Did: did}
		s.note(name, did)
		return true, event, nil
	case clienttesting.PatchAction:
		if a.GetResource().Resource == "events" {
			again := s.events[a.GetName()]
			s.note(again.What, again.Did)
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

func (s *taintServer) delete(name string) error {
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
	time.AfterFunc(watchDelay, func() { s.unseen(pod) })
	return nil
}

// newFeed has the index that kube-controller-manager's informer of pods has beside its own.
func newTaintFeed(t *testing.T) *informers.Factory {
	told := informers.New()
	byNode := func(object any) ([]string, error) {
		if pod, ok := object.(*v1.Pod); ok && pod.Spec.NodeName != "" {
			return []string{pod.Spec.NodeName}, nil
		}
		return nil, nil
	}
	if err := told.Core().V1().Pods().Informer().AddIndexers(cache.Indexers{"spec.nodeName": byNode}); err != nil {
		t.Fatal(err)
	}
	return told
}

// playUpstream plays a history to upstream's controller, in virtual time.
func playUpstreamTaints(t *testing.T, h taintHistory) (did []actionRecord) {
	synctest.Test(t, func(t *testing.T) {
		told := newTaintFeed(t)
		s := &taintServer{pods: map[string]*v1.Pod{}, fails: map[string]int{}, events: map[string]actionRecord{}}
		s.unseen = func(pod *v1.Pod) {
			s.mutex.Lock()
			s.unseenNow--
			s.mutex.Unlock()
			// The name may be another pod's by now.
			if had, err := told.Core().V1().Pods().Lister().Pods(pod.Namespace).Get(pod.Name); err == nil && had.UID == pod.UID {
				told.Delete(pod)
			}
		}
		client := &fake.Clientset{}
		client.AddReactor("*", "*", s.react)
		ctx, stop := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
		c, err := tainteviction.New(ctx, client, told.Core().V1().Pods(), told.Core().V1().Nodes(), "taint-eviction-controller")
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() { defer close(done); c.Run(ctx) }()
		synctest.Wait()
		for _, step := range h.steps {
			time.Sleep(time.Until(difftest.SynctestStart.Add(step.at)))
			synctest.Wait()
			s.step(step, told)
			synctest.Wait()
		}
		time.Sleep(time.Until(difftest.SynctestStart.Add(h.until)))
		synctest.Wait()
		stop()
		<-done
		did = s.did
	})
	return did
}

// step has something happen. While a deletion has not been seen, nothing does; it is the same for ours.
func (s *taintServer) step(step taintStep, told *informers.Factory) {
	s.mutex.Lock()
	unseen := s.unseenNow
	s.mutex.Unlock()
	if unseen > 0 {
		return
	}
	switch step.what {
	case "setNode":
		told.Set(step.nodeObject())
	case "dropNode":
		told.Delete(step.nodeObject())
	case "setPod":
		s.mutex.Lock()
		uid := step.newUID
		if had := s.pods[step.name]; had != nil {
			uid = had.UID
		}
		pod := step.podObject(uid)
		s.pods[step.name], s.fails[step.name] = pod, step.fails
		s.mutex.Unlock()
		told.Set(pod)
	case "dropPod":
		s.mutex.Lock()
		delete(s.pods, step.name)
		s.mutex.Unlock()
		told.Delete(step.podObject(""))
	}
}
