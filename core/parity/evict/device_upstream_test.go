package evict

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
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"

	"orrery/core/parity/difftest"
	"orrery/core/parity/informers"
	"orrery/core/world"
)

// deviceServer is the API server: it records writes, and delivers the watch events after watchDelay.
type deviceServer struct {
	mutex sync.Mutex
	*deviceCluster
	events map[string]actionRecord // by name, since a repeated event is only counted
	told   *informers.Factory

	seeing  sync.Mutex
	pending []objectChange
}

func (s *deviceServer) react(action clienttesting.Action) (bool, runtime.Object, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	now := time.Now()
	switch a := action.(type) {
	case clienttesting.CreateAction:
		event := a.GetObject().(*v1.Event).DeepCopy()
		event.Name += string(rune('A' + len(s.events))) // two events at one time would share a name
		told := actionRecord{What: event.InvolvedObject.Namespace + "/" + event.InvolvedObject.Name, Did: event.Message}
		s.events[event.Name] = told
		s.record(now, told.What, told.Did)
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
	return true, nil, errors.New("unexpected call")
}

func (s *deviceServer) patch(now time.Time, a clienttesting.PatchAction) (bool, runtime.Object, error) {
	switch a.GetResource().Resource {
	case "events":
		again := s.events[a.GetName()]
		s.record(now, again.What, again.Did)
		return true, &v1.Event{}, nil
	case "devicetaintrules":
		var patch resourcev1.DeviceTaintRule
		if err := json.Unmarshal(a.GetPatch(), &patch); err != nil {
			return true, nil, err
		}
		s.scheduleEvents(s.report(now, a.GetName(), patch.Status.Conditions[0]))
		return true, &patch, nil
	}
	var patch v1.Pod
	if err := json.Unmarshal(a.GetPatch(), &patch); err != nil {
		return true, nil, err
	}
	name := a.GetNamespace() + "/" + a.GetName()
	s.scheduleEvents(s.mark(now, name, patch.Status.Conditions[0]))
	return true, s.pod(name), nil
}

func (s *deviceServer) remove(now time.Time, a clienttesting.DeleteAction) error {
	name := a.GetNamespace() + "/" + a.GetName()
	pod := s.pod(name)
	if pod == nil || pod.UID != *a.GetDeleteOptions().Preconditions.UID {
		return apierrors.NewNotFound(v1.Resource("pods"), a.GetName())
	}
	changes, done := s.delete(now, name)
	if !done {
		return errors.New("the API server is unavailable")
	}
	s.scheduleEvents(changes)
	return nil
}

// scheduleEvents delivers the watch events of changes after watchDelay, in order.
func (s *deviceServer) scheduleEvents(changes []objectChange) {
	s.pending = append(s.pending, changes...)
	for range changes {
		time.AfterFunc(watchDelay, func() {
			s.seeing.Lock()
			defer s.seeing.Unlock()
			s.mutex.Lock()
			first := s.pending[0]
			s.pending = s.pending[1:]
			s.mutex.Unlock()
			s.see(first)
		})
	}
}

func (s *deviceServer) see(c objectChange) {
	object := servedObject(c.object)
	if c.dropped {
		s.told.Delete(object)
	} else {
		s.told.Set(object)
	}
}

// servedObject returns an object in the version that upstream reads: of rules that is v1, and the histories have v1alpha3.
func servedObject(o world.Object) world.Object {
	rule, is := o.(*resourcev1alpha3.DeviceTaintRule)
	if !is {
		return o
	}
	var served resourcev1.DeviceTaintRule
	if encoded, err := json.Marshal(rule); err != nil {
		panic(err)
	} else if err := json.Unmarshal(encoded, &served); err != nil {
		panic(err)
	}
	served.Spec.Taint.TimeAdded = rule.Spec.Taint.TimeAdded // which is encoded in whole seconds
	return &served
}

// playUpstreamDevices runs a history with upstream's controller in virtual time.
func playUpstreamDevices(t *testing.T, h deviceHistory) (actions []actionRecord) {
	synctest.Test(t, func(*testing.T) {
		s := &deviceServer{deviceCluster: newDeviceCluster(), events: map[string]actionRecord{}, told: informers.New()}
		client := &fake.Clientset{}
		client.AddReactor("*", "*", s.react)
		ctx, stop := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
		pods, devices := s.told.Core().V1(), s.told.Resource().V1()
		c := devicetainteviction.New(client, pods.Pods(), devices.ResourceClaims(), devices.ResourceSlices(),
			devices.DeviceTaintRules(), devices.DeviceClasses(), "device-taint-eviction-controller")
		done := make(chan struct{})
		go func() { defer close(done); _ = c.Run(ctx, 1) }()
		synctest.Wait()
		for _, step := range h.steps {
			time.Sleep(time.Until(difftest.SynctestStart.Add(step.at)))
			synctest.Wait()
			s.mutex.Lock()
			changes := s.step(step)
			s.mutex.Unlock()
			for _, c := range changes {
				s.see(c)
				synctest.Wait()
			}
		}
		time.Sleep(time.Until(difftest.SynctestStart.Add(h.until)))
		synctest.Wait()
		stop()
		<-done
		actions = s.actions
	})
	return actions
}
