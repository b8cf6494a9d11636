package live_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/live"
)

var ticketGroup = schema.GroupVersion{Group: "example.com", Version: "v1"}

const tickets world.Kind = "tickets.v1.example.com"

func ticket(holder string) *world.Custom {
	return world.CustomOf(tickets, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": ticketGroup.String(), "kind": "Ticket", "spec": map[string]any{"holder": holder},
		"metadata": map[string]any{"name": "for-" + holder, "namespace": "default", "uid": "uid-" + holder},
	}})
}

// ticketPlugin is a third-party plugin: a pod needs a ticket of its name, and a volume claim. It reads neither through an
// informer of the engine; it only registered for their events.
type ticketPlugin struct{ tickets, claims *atomic.Int64 }

func (ticketPlugin) Name() string { return "Usher" }

func (u ticketPlugin) Filter(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) *fwk.Status {
	if u.tickets.Load() > 0 && u.claims.Load() > 0 {
		return nil
	}
	return fwk.NewStatus(fwk.Unschedulable, "no ticket or no claim")
}

func (u ticketPlugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.EventResource(tickets), ActionType: fwk.Add | fwk.Update}, QueueingHintFn: u.ticket},
		{Event: fwk.ClusterEvent{Resource: fwk.PersistentVolumeClaim, ActionType: fwk.Add}, QueueingHintFn: u.claim},
	}, nil
}

func (u ticketPlugin) ticket(_ klog.Logger, pod *v1.Pod, _, is any) (fwk.QueueingHint, error) {
	holder, _, err := unstructured.NestedString(is.(*unstructured.Unstructured).Object, "spec", "holder")
	if holder != pod.Name {
		return fwk.QueueSkip, err
	}
	u.tickets.Add(1)
	return fwk.Queue, nil
}

func (u ticketPlugin) claim(_ klog.Logger, _ *v1.Pod, _, is any) (fwk.QueueingHint, error) {
	if is.(*v1.PersistentVolumeClaim).Name == "disk" {
		u.claims.Add(1)
	}
	return fwk.Queue, nil
}

func withTicketPlugin(t *testing.T) engine.Options {
	c, err := config.Load([]byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: default-scheduler, plugins: {filter: {enabled: [{name: Usher}]}}}]`), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	u := ticketPlugin{&atomic.Int64{}, &atomic.Int64{}}
	return engine.Options{Config: c, Seed: 1, Plugins: framework.Registry{
		"Usher": func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return u, nil },
	}}
}

func TestCustomKind_RequeuesPodsOfRegisteredPlugin(t *testing.T) {
	directWith(t, withTicketPlugin(t), func(s *driveHarness) {
		close(s.lead)
		s.start()
		pass(time.Minute)
		want(t, "pods by node, before anything came", map[string]int{"": 1}, s.nodes())
		s.put(ticket("somebody-else"))
		s.put(ticket("a"))
		pass(time.Minute)
		want(t, "pods by node, with a ticket and no claim", map[string]int{"": 1}, s.nodes())
		s.put(&v1.PersistentVolumeClaim{ObjectMeta: mk.Pod("disk").Obj().ObjectMeta})
		pass(time.Minute)
		want(t, "pods by node, with both", map[string]int{"x": 1}, s.nodes())
		check(s)

		kinds, err := s.engine.WatchedKinds()
		if err != nil {
			t.Fatal(err)
		}
		var watched []string
		for _, kind := range kinds {
			watched = append(watched, kind.Resource().Resource)
		}
		slices.Sort(watched)
		s.mu.Lock()
		defer s.mu.Unlock()
		var asked []string
		for resource := range s.resources {
			asked = append(asked, resource)
		}
		slices.Sort(asked)
		want(t, "what was listed", watched, asked)
		if !s.resources["tickets"] || !s.resources["persistentvolumeclaims"] || s.resources["leases"] || s.resources["deployments"] {
			t.Errorf("listed: %v", asked)
		}
	}, nodeX, podA)
}

func TestCustomKind_RelistReconciles(t *testing.T) {
	directWith(t, withTicketPlugin(t), func(s *driveHarness) {
		close(s.lead)
		s.start()
		pass(time.Minute)
		s.setDown(true)
		s.put(ticket("a"))
		s.put(&v1.PersistentVolumeClaim{ObjectMeta: mk.Pod("disk").Obj().ObjectMeta})
		s.forget()
		s.setDown(false)
		pass(time.Minute)
		want(t, "pods by node", map[string]int{"x": 1}, s.nodes())
		s.mu.Lock()
		defer s.mu.Unlock()
		if !slices.Contains(s.drifts, live.Drift{Kind: tickets, New: 1}) {
			t.Errorf("reported: %v", s.drifts)
		}
	}, nodeX, podA)
}

func TestNew_RefusesCustomKindWithoutDynamicClient(t *testing.T) {
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "http://nowhere"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = live.New(live.Options{Client: client, Kinds: []world.Kind{world.Pod, tickets}})
	if err == nil || !strings.Contains(err.Error(), string(tickets)) {
		t.Errorf("error: %v", err)
	}
}
