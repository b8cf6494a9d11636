package live_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/parity/apiserver"
	"orrery/core/process/replica"
	"orrery/core/scheduler/framework"
)

var tickets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "tickets"}

// ticketPlugin is a custom plugin that rejects pods without a Ticket object in their name. It learns of tickets by the event
// that it registers for.
type ticketPlugin struct{ placement map[string]bool }

func (ticketPlugin) Name() string { return "Tickets" }

func (u ticketPlugin) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ fwk.NodeInfo) *fwk.Status {
	if u.placement[pod.Name] {
		return nil
	}
	return fwk.NewStatus(fwk.Unschedulable, "no ticket")
}

func (u ticketPlugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{{
		Event:          fwk.ClusterEvent{Resource: "tickets.v1.example.com", ActionType: fwk.Add | fwk.Update},
		QueueingHintFn: u.ticket,
	}}, nil
}

func (u ticketPlugin) ticket(_ klog.Logger, pod *v1.Pod, _, is any) (fwk.QueueingHint, error) {
	holder, _, err := unstructured.NestedString(is.(*unstructured.Unstructured).Object, "spec", "holder")
	if err != nil || holder != pod.Name {
		return fwk.QueueSkip, err
	}
	u.placement[holder] = true
	return fwk.Queue, nil
}

func withTicketPlugin(o *replica.Options) {
	withoutLease(o)
	o.Config.Profiles[0].Plugins.Filter.Enabled = append(o.Config.Profiles[0].Plugins.Filter.Enabled, configv1.Plugin{Name: "Tickets"})
	o.Plugins = framework.Registry{"Tickets": func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
		return ticketPlugin{map[string]bool{}}, nil
	}}
}

func TestPlugin_RequeuesOnCustomResource(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	client, err := dynamic.NewForConfig(server.Config(apiserver.Admin))
	if err != nil {
		t.Fatal(err)
	}
	s.serveTickets(client)
	s.start(withTicketPlugin)
	s.pods(2, "guest", "10m")
	s.eventually(func() error {
		for _, pod := range s.list() {
			if len(pod.Status.Conditions) == 0 || pod.Status.Conditions[0].Reason != v1.PodReasonUnschedulable {
				return errors.New("a pod has not been rejected")
			}
		}
		return nil
	})
	ticket := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Ticket", "metadata": map[string]any{"name": "t1"}, "spec": map[string]any{"holder": "guest-0"},
	}}
	made, err := client.Resource(tickets).Namespace(metav1.NamespaceDefault).Create(s.ctx, ticket, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.bound(1)
	if err := unstructured.SetNestedField(made.Object, "guest-1", "spec", "holder"); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Resource(tickets).Namespace(metav1.NamespaceDefault).Update(s.ctx, made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.bound(2)
}

// serveTickets adds a custom kind to the server, with the scheduler's right to read it, until the test ends.
func (s *fixture) serveTickets(client dynamic.Interface) {
	s.t.Helper()
	definitions := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	_, err := definitions.Create(s.ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "tickets.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced",
			"names": map[string]any{"plural": "tickets", "singular": "ticket", "kind": "Ticket", "listKind": "TicketList"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{
					"spec": map[string]any{"type": "object", "properties": map[string]any{"holder": map[string]any{"type": "string"}}},
				}}},
			}},
		},
	}}, metav1.CreateOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = definitions.Delete(context.Background(), "tickets.example.com", metav1.DeleteOptions{}) })
	_, err = s.client.RbacV1().ClusterRoles().Create(s.ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "read-tickets"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{tickets.Group}, Resources: []string{tickets.Resource}, Verbs: []string{"list", "watch"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = s.client.RbacV1().ClusterRoles().Delete(context.Background(), "read-tickets", metav1.DeleteOptions{})
	})
	s.grant(scheduler, "read-tickets")
	s.eventually(func() error {
		if _, err := client.Resource(tickets).List(s.ctx, metav1.ListOptions{}); err != nil {
			return fmt.Errorf("the custom kind is not served yet: %w", err)
		}
		return nil
	})
}
