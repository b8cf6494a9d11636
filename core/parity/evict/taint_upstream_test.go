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

// taintServer is the API server: it stores the pods and records writes.
type taintServer struct {
	mutex       sync.Mutex
	pods        map[string]*v1.Pod
	fails       map[string]int
	events      map[string]actionRecord // by name, since a repeated event is only counted
	actions     []actionRecord
	deliver     func(*v1.Pod) // delivers the watch event of a deletion
	undelivered int           // how many deletions have not been delivered
}

func (s *taintServer) record(pod, actions string) {
	s.actions = append(s.actions, actionAt(time.Now(), pod, actions))
}

func (s *taintServer) react(action clienttesting.Action) (bool, runtime.Object, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch a := action.(type) {
	case clienttesting.CreateAction:
		event := a.GetObject().(*v1.Event).DeepCopy()
		event.Name += fmt.Sprint(" ", len(s.events)) // two events at one time would share a name
		name := event.InvolvedObject.Name
		actions := strings.TrimSuffix(event.Message, " Pod default/"+name)
		s.events[event.Name] = actionRecord{What: name, Did: actions}
		s.record(name, actions)
		return true, event, nil
	case clienttesting.PatchAction:
		if a.GetResource().Resource == "events" {
			again := s.events[a.GetName()]
			s.record(again.What, again.Did)
			return true, &v1.Event{}, nil
		}
		pod := s.pods[a.GetName()].DeepCopy()
		pod.Status.Conditions = []v1.PodCondition{{
			Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: "DeletionByTaintManager",
			Message: "Taint manager: deleting due to NoExecute taint",
		}}
		s.pods[pod.Name] = pod
		s.record(pod.Name, "patched")
		return true, pod, nil
	case clienttesting.DeleteAction:
		return true, nil, s.delete(a.GetName())
	case clienttesting.GetAction:
		if pod := s.pods[a.GetName()]; pod != nil {
			return true, pod, nil
		}
		return true, nil, apierrors.NewNotFound(v1.Resource("pods"), a.GetName())
	}
	return true, nil, errors.New("unexpected call")
}

func (s *taintServer) delete(name string) error {
	pod := s.pods[name]
	switch {
	case pod == nil:
		return apierrors.NewNotFound(v1.Resource("pods"), name)
	case s.fails[name] > 0:
		s.fails[name]--
		s.record(name, "deletion fails")
		return errors.New("the API server is unavailable")
	}
	s.record(name, "deleted")
	delete(s.pods, name)
	s.undelivered++
	time.AfterFunc(watchDelay, func() { s.deliver(pod) })
	return nil
}

// newTaintInformers returns informers with the index that kube-controller-manager adds to its informer of pods.
func newTaintInformers(t *testing.T) *informers.Factory {
	objects := informers.New()
	byNode := func(object any) ([]string, error) {
		if pod, ok := object.(*v1.Pod); ok && pod.Spec.NodeName != "" {
			return []string{pod.Spec.NodeName}, nil
		}
		return nil, nil
	}
	if err := objects.Core().V1().Pods().Informer().AddIndexers(cache.Indexers{"spec.nodeName": byNode}); err != nil {
		t.Fatal(err)
	}
	return objects
}

// playUpstreamTaints runs a history with upstream's controller in virtual time.
func playUpstreamTaints(t *testing.T, h taintHistory) (actions []actionRecord) {
	synctest.Test(t, func(t *testing.T) {
		objects := newTaintInformers(t)
		s := &taintServer{pods: map[string]*v1.Pod{}, fails: map[string]int{}, events: map[string]actionRecord{}}
		s.deliver = func(pod *v1.Pod) {
			s.mutex.Lock()
			s.undelivered--
			s.mutex.Unlock()
			// Another pod may have the name by now.
			if had, err := objects.Core().V1().Pods().Lister().Pods(pod.Namespace).Get(pod.Name); err == nil && had.UID == pod.UID {
				objects.Delete(pod)
			}
		}
		client := &fake.Clientset{}
		client.AddReactor("*", "*", s.react)
		ctx, stop := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
		c, err := tainteviction.New(ctx, client, objects.Core().V1().Pods(), objects.Core().V1().Nodes(), "taint-eviction-controller")
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() { defer close(done); c.Run(ctx) }()
		synctest.Wait()
		for _, step := range h.steps {
			time.Sleep(time.Until(difftest.SynctestStart.Add(step.at)))
			synctest.Wait()
			s.step(step, objects)
			synctest.Wait()
		}
		time.Sleep(time.Until(difftest.SynctestStart.Add(h.until)))
		synctest.Wait()
		stop()
		<-done
		actions = s.actions
	})
	return actions
}

// step applies a step, as for ours, only if every deletion has been delivered.
func (s *taintServer) step(step taintStep, objects *informers.Factory) {
	s.mutex.Lock()
	unseen := s.undelivered
	s.mutex.Unlock()
	if unseen > 0 {
		return
	}
	switch step.what {
	case "setNode":
		objects.Set(step.nodeObject())
	case "dropNode":
		objects.Delete(step.nodeObject())
	case "setPod":
		s.mutex.Lock()
		uid := step.newUID
		if had := s.pods[step.name]; had != nil {
			uid = had.UID
		}
		pod := step.podObject(uid)
		s.pods[step.name], s.fails[step.name] = pod, step.fails
		s.mutex.Unlock()
		objects.Set(pod)
	case "dropPod":
		s.mutex.Lock()
		delete(s.pods, step.name)
		s.mutex.Unlock()
		objects.Delete(step.podObject(""))
	}
}
