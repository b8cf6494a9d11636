package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

const ticketKind world.Kind = "tickets.v1.example.com"

// ticketPlugin rejects a pod until a ticket for it exists, which it learns from its hints.
type ticketPlugin struct {
	registers []fwk.EventResource
	calls     *[]string
	seen      map[string]bool
}

func (u ticketPlugin) Name() string { return "Usher" }

func (u ticketPlugin) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ fwk.NodeInfo) *fwk.Status {
	if u.seen[pod.Name] {
		return nil
	}
	return fwk.NewStatus(fwk.Unschedulable, "no ticket")
}

func (u ticketPlugin) EventsToRegister(context.Context) (events []fwk.ClusterEventWithHint, err error) {
	for _, resource := range u.registers {
		events = append(events, fwk.ClusterEventWithHint{
			Event: fwk.ClusterEvent{Resource: resource, ActionType: fwk.Add | fwk.Update}, QueueingHintFn: u.hint,
		})
	}
	return events, nil
}

func (u ticketPlugin) hint(_ klog.Logger, pod *v1.Pod, was, is any) (fwk.QueueingHint, error) {
	ticket, ok := is.(*unstructured.Unstructured)
	if !ok {
		return fwk.QueueSkip, nil
	}
	holder, _, _ := unstructured.NestedString(ticket.Object, "spec", "holder")
	*u.calls = append(*u.calls, fmt.Sprintf("%s: %T to %T, of %s", pod.Name, was, is, holder))
	if holder != pod.Name {
		return fwk.QueueSkip, nil
	}
	u.seen[holder] = true
	return fwk.Queue, nil
}

func withTicketPlugin(t *testing.T, registers ...fwk.EventResource) (engine.Options, *[]string) {
	text := `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: default-scheduler, plugins: {filter: {enabled: [{name: Usher}]}}}]`
	c, err := config.Load([]byte(text), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	calls := &[]string{}
	return engine.Options{Config: c, Plugins: framework.Registry{
		"Usher": func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
			return ticketPlugin{registers, calls, map[string]bool{}}, nil
		},
	}}, calls
}

func ticket(name, holder, version string) *world.Custom {
	builtIn := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Ticket",
		"metadata": map[string]any{"name": name, "namespace": "default", "uid": "uid-" + name, "resourceVersion": version},
		"spec":     map[string]any{"holder": holder},
	}}
	return world.CustomOf(ticketKind, builtIn)
}

func TestWatches_CustomResourceRequeuesPod(t *testing.T) {
	o, calls := withTicketPlugin(t, fwk.EventResource(ticketKind))
	s := newFixture(t, o)
	s.added(mk.Node("n").CPU("4").Obj(), mk.Pod("ada").Obj())
	s.decide()
	want := func(what string, want, got any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	s.after(time.Minute)
	want("before any ticket", engine.StateUnschedulable, s.e.PodState("default", "ada"))
	s.apply(world.Listed{Kind: ticketKind, Objects: []world.Object{ticket("t1", "grace", "1")}})
	want("with another's ticket", engine.StateUnschedulable, s.e.PodState("default", "ada"))
	fork, err := s.e.Fork()
	if err != nil {
		t.Fatal(err)
	}
	s.apply(world.Changed{Op: world.Modified, Object: ticket("t1", "ada", "2")})
	want("with a ticket", engine.StateActive, s.e.PodState("default", "ada"))
	s.decide()
	want("after the attempt", engine.StateBinding, s.e.PodState("default", "ada"))
	want("the calls of the hint", []string{
		"ada: <nil> to *unstructured.Unstructured, of grace",
		"ada: *unstructured.Unstructured to *unstructured.Unstructured, of ada",
	}, *calls)
	want("the fork's ticket", "1", fork.Store().Object(ticketKind, "default", "t1").GetResourceVersion())
	s.apply(world.Changed{Op: world.Deleted, Object: ticket("t1", "ada", "3")})
	want("remaining tickets", 0, s.e.Store().Len(ticketKind))
	want("tickets of the fork", 1, fork.Store().Len(ticketKind))
}

func TestWatches_OnlyRegisteredKinds(t *testing.T) {
	for _, row := range []struct {
		name      string
		registers []fwk.EventResource
		beyond    []world.Kind // the kinds besides those of the built-in plugins
		problem   string
	}{
		{"no event", nil, nil, ""},
		{"known kinds", []fwk.EventResource{fwk.Pod, fwk.Node, fwk.ResourceSlice}, []world.Kind{world.ResourceSlice}, ""},
		{"a custom kind", []fwk.EventResource{fwk.EventResource(ticketKind)}, []world.Kind{ticketKind}, ""},
		{"a kind without a group", []fwk.EventResource{"configmaps.v1."}, []world.Kind{"configmaps.v1."}, ""},
		{"a kind behind a disabled feature gate", []fwk.EventResource{workloads.Resource}, nil, ""},
		{"everything", []fwk.EventResource{fwk.WildCard}, nil, ""},
		{"no resource", []fwk.EventResource{"foos.v1"}, nil, `registered for changes of "foos.v1", which is no resource`},
	} {
		t.Run(row.name, func(t *testing.T) {
			o, _ := withTicketPlugin(t, row.registers...)
			s, builtIn := newFixture(t, o), newFixture(t, engine.Options{})
			want := world.SortKinds(append(row.beyond, builtIn.e.Watches()...))
			if diff := cmp.Diff(want, s.e.Watches()); diff != "" {
				t.Errorf("registered (-want +got):\n%s", diff)
			}
			var problems []string
			for _, p := range s.e.Problems() {
				problems = append(problems, p.Err.Error())
			}
			if got := strings.Join(problems, "\n"); !strings.Contains(got, row.problem) || (row.problem == "") != (got == "") {
				t.Errorf("problems: %q, want one with %q", got, row.problem)
			}
		})
	}
}

func TestWatches_CustomResourceRecreated(t *testing.T) {
	o, _ := withTicketPlugin(t, fwk.EventResource(ticketKind))
	s := newFixture(t, o)
	s.added(ticket("t1", "ada", "1"))
	other := ticket("t1", "grace", "2")
	other.UID = "another"
	s.added(other)
	if got := s.e.Store().Object(ticketKind, "default", "t1"); got.GetUID() != "another" {
		t.Errorf("held: %v", got)
	}
	nameless := &world.Custom{Resource: ticketKind, ObjectMeta: metav1.ObjectMeta{Namespace: "default"}}
	if err := s.e.Apply(world.Input{At: s.now, Event: world.Changed{Op: world.Added, Object: nameless}}); err == nil {
		t.Error("a custom object without a name was accepted")
	}
}
