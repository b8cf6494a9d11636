package actions_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"orrery/core/operator/actions"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

var (
	web  = mk.Pod("web").Namespace("shop").Node("node-1").Obj()
	held = mk.Pod("held").Namespace("shop").Gate("example.com/quota").Gate("example.com/other").Obj()
)

// forbid has a fake API server refuse calls in the API server's words.
func forbid(c *fake.Clientset, verb, resource, name string) {
	c.PrependReactor(verb, resource, func(a clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: resource}, name,
			errors.New(`User "jane" cannot `+verb+` resource "`+resource+`" in API group ""`))
	})
}

func TestDo_ForbiddenNamesRule(t *testing.T) {
	for _, tt := range []struct {
		action         actions.Action
		verb, resource string
		want           string
	}{
		{
			actions.Cordon{Node: "node-1"},
			"patch", "nodes",
			`trying to cordon node node-1: forbidden: user jane may not patch nodes; this needs the RBAC rule {apiGroups: [""], resources: ["nodes"], verbs: ["patch"]} in a ClusterRole`,
		},
		{
			actions.Evict{Pod: world.PodRefOf(web)},
			"create", "pods",
			`trying to evict pod shop/web: forbidden: user jane may not create pods/eviction; this needs the RBAC rule {apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"]} in namespace shop`,
		},
		{
			actions.Delete{Pod: world.PodRefOf(web)},
			"delete", "pods",
			`trying to delete pod shop/web: forbidden: user jane may not delete pods; this needs the RBAC rule {apiGroups: [""], resources: ["pods"], verbs: ["delete"]} in namespace shop`,
		},
		{
			actions.Ungate{Pod: world.PodRefOf(held), Gates: []string{"example.com/quota"}},
			"patch", "pods",
			`trying to remove scheduling gate example.com/quota from pod shop/held: forbidden: user jane may not patch pods; this needs the RBAC rule {apiGroups: [""], resources: ["pods"], verbs: ["patch"]} in namespace shop`,
		},
		{
			actions.Drain{Node: "node-1"},
			"list", "pods",
			`trying to drain node node-1: forbidden: user jane may not list pods; this needs the RBAC rule {apiGroups: [""], resources: ["pods"], verbs: ["list"]} in a ClusterRole`,
		},
	} {
		t.Run(tt.action.String(), func(t *testing.T) {
			c := fake.NewClientset(web, held, mk.Node("node-1").Obj())
			forbid(c, tt.verb, tt.resource, "")
			hand := actions.Executor{Client: c}
			err := hand.Do(context.Background(), tt.action)
			var refused *actions.ForbiddenError
			if !errors.As(err, &refused) || err.Error() != tt.want {
				t.Errorf("the error is\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
}

// Admission plugins and webhooks answer 403 too, and no RBAC rule changes that.
func TestDo_AdmissionDenialIsToldAsIs(t *testing.T) {
	for name, denial := range map[string]error{
		"webhook": &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusForbidden,
			Message: `admission webhook "validate.example.com" denied the request: forbidden: User "jane" cannot delete pods on Fridays`,
		}},
		"admission plugin": apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "web", errors.New(`violates PodSecurity "restricted:latest"`)),
		"quoting plugin":   apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "web", errors.New(`User "jane" may do so later`)),
	} {
		t.Run(name, func(t *testing.T) {
			c := fake.NewClientset(web)
			c.PrependReactor("delete", "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, denial })
			hand := actions.Executor{Client: c}
			err := hand.Do(context.Background(), actions.Delete{Pod: world.PodRefOf(web)})
			var refused *actions.ForbiddenError
			if want := "trying to delete pod shop/web: " + denial.Error(); err == nil || err.Error() != want || errors.As(err, &refused) {
				t.Errorf("the error is\n%v\nwant\n%s", err, want)
			}
		})
	}
}

func TestExplainForbidden_UserIsUnquoted(t *testing.T) {
	for _, user := range []string{`CN="jane"`, `CORP\jane`} {
		denial := apierrors.NewForbidden(schema.GroupResource{}, "", fmt.Errorf("User %q cannot get path %q", user, "/metrics"))
		var refused *actions.ForbiddenError
		if !errors.As(actions.ExplainForbidden(denial, actions.Rule{Verb: "get"}), &refused) || refused.User != user {
			t.Errorf("it is %+v, want one about the user %s", refused, user)
		}
	}
}

func TestDo_CordonAndUncordon(t *testing.T) {
	c := fake.NewClientset(mk.Node("node-1").Obj())
	hand := actions.Executor{Client: c}
	for _, a := range []actions.Action{actions.Cordon{Node: "node-1"}, actions.Uncordon{Node: "node-1"}} {
		if err := hand.Do(context.Background(), a); err != nil {
			t.Fatal(err)
		}
		node, err := c.CoreV1().Nodes().Get(context.Background(), "node-1", metav1.GetOptions{})
		if err != nil || node.Spec.Unschedulable != (a.Verb() == "cordon") {
			t.Errorf("after %s the node is unschedulable: %t (%v)", a, node.Spec.Unschedulable, err)
		}
	}
}

// budgeted is an API server with a budget that refuses the first turnsDown evictions; those it allows take a pod away at once.
func budgeted(turnsDown int, objects ...runtime.Object) (c *fake.Clientset, asked *[]string) {
	c, asked = fake.NewClientset(objects...), &[]string{}
	c.PrependReactor("create", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		create := a.(clienttesting.CreateAction)
		if create.GetSubresource() != "eviction" {
			return false, nil, nil
		}
		pod := create.GetObject().(metav1.Object).GetName()
		if *asked = append(*asked, pod); len(*asked) <= turnsDown {
			return true, nil, apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0)
		}
		return true, nil, c.Tracker().Delete(schema.GroupVersionResource{Version: "v1", Resource: "pods"}, create.GetNamespace(), pod)
	})
	return c, asked
}

func TestDrain_RetriesBlockedEvictions(t *testing.T) {
	daemon := mk.Pod("daemon").Node("node-1").Owner("apps/v1", "DaemonSet", "log").Obj()
	mirror := mk.Pod("mirror").Node("node-1").Obj()
	mirror.Annotations = map[string]string{v1.MirrorPodAnnotationKey: "x"}
	c, asked := budgeted(2, mk.Node("node-1").Obj(), web, daemon, mirror)
	reports, waited := []string{}, 0
	hand := actions.Executor{
		Client: c, Progress: func(s string) { reports = append(reports, s) }, Pause: func(context.Context) error { waited++; return nil },
	}
	if err := hand.Do(context.Background(), actions.Drain{Node: "node-1"}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"web", "web", "web"}; !slices.Equal(*asked, want) || waited != 3 {
		t.Errorf("asked for %q with %d pauses, want %q with 3: pods of daemon sets and the kubelet's own stay", *asked, waited, want)
	}
	for i, want := range []string{
		"draining node node-1: 0 of 1 pods deleted, 0 terminating, 1 blocked by PodDisruptionBudgets",
		"draining node node-1: 0 of 1 pods deleted, 0 terminating, 1 blocked by PodDisruptionBudgets",
		"draining node node-1: 0 of 1 pods deleted, 1 terminating, 0 blocked by PodDisruptionBudgets",
	} {
		if reports[i] != want {
			t.Errorf("reported %q, want %q", reports[i], want)
		}
	}
}

func TestDrain_CancelledSaysWhatIsLeft(t *testing.T) {
	c, _ := budgeted(99, mk.Node("node-1").Obj(), web)
	hand := actions.Executor{Client: c, Pause: func(context.Context) error { return context.DeadlineExceeded }}
	err := hand.Do(context.Background(), actions.Drain{Node: "node-1"})
	want := "trying to drain node node-1: 1 of 1 pods are still there, 1 of them blocked by PodDisruptionBudgets, shop/web first: context deadline exceeded"
	if err == nil || err.Error() != want {
		t.Errorf("the error is\n%v\nwant\n%s", err, want)
	}
}

func TestEvict_RetriesWhileBudgetBlocks(t *testing.T) {
	evict := actions.Evict{Pod: world.PodRefOf(web)}
	c, asked := budgeted(2, web)
	reports := []string{}
	hand := actions.Executor{Client: c, Progress: func(s string) { reports = append(reports, s) }, Pause: func(context.Context) error { return nil }}
	if err := hand.Do(context.Background(), evict); err != nil || len(*asked) != 3 {
		t.Errorf("asked %d times: %v", len(*asked), err)
	}
	if len(reports) != 2 || !strings.HasPrefix(reports[0], "evicting pod shop/web: a PodDisruptionBudget blocks it: ") {
		t.Errorf("reported %q", reports)
	}
	c, asked = budgeted(99, web)
	hand.Client, hand.Pause = c, func(context.Context) error { return context.DeadlineExceeded }
	err := hand.Do(context.Background(), evict)
	if err == nil || len(*asked) != 1 || !strings.Contains(err.Error(), "trying to evict pod shop/web: a PodDisruptionBudget blocks it") {
		t.Errorf("after %d tries an eviction that was given up reports %v", len(*asked), err)
	}
}

// terminating is an API server that rejects evictions in the pod's namespace, as NamespaceLifecycle does.
func terminating(objects ...runtime.Object) (c *fake.Clientset, asked *int) {
	c, asked = fake.NewClientset(objects...), new(int)
	c.PrependReactor("create", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		create := a.(clienttesting.CreateAction)
		name := create.GetObject().(metav1.Object).GetName()
		if create.GetSubresource() != "eviction" {
			return false, nil, nil
		}
		*asked++
		pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
		if _, err := c.Tracker().Get(pods, create.GetNamespace(), name); err != nil {
			return true, nil, err
		}
		err := apierrors.NewForbidden(pods.GroupResource(), name, errors.New("unable to create new content in namespace shop because it is being terminated"))
		err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: v1.NamespaceTerminatingCause, Message: "namespace shop is being terminated"}}
		return true, nil, err
	})
	return c, asked
}

func TestDrain_WaitsForTerminatingNamespace(t *testing.T) {
	c, asked := terminating(mk.Node("node-1").Obj(), web)
	reports, pauses := []string{}, 0
	hand := actions.Executor{Client: c, Progress: func(s string) { reports = append(reports, s) }, Pause: func(context.Context) error {
		if pauses++; pauses < 2 {
			return nil
		}
		return c.Tracker().Delete(schema.GroupVersionResource{Version: "v1", Resource: "pods"}, web.Namespace, web.Name)
	}}
	if err := hand.Do(context.Background(), actions.Drain{Node: "node-1"}); err != nil || *asked != 2 {
		t.Errorf("asked %d times, want 2: %v", *asked, err)
	}
	if want := "draining node node-1: 0 of 1 pods deleted, 1 terminating, 0 blocked by PodDisruptionBudgets"; len(reports) != 2 || reports[0] != want {
		t.Errorf("reported %q, want %q twice", reports, want)
	}
}

func TestEvict_RetriesInTerminatingNamespace(t *testing.T) {
	evict := actions.Evict{Pod: world.PodRefOf(web)}
	c, asked := terminating(web)
	reports := []string{}
	hand := actions.Executor{Client: c, Progress: func(s string) { reports = append(reports, s) }, Pause: func(context.Context) error {
		return c.Tracker().Delete(schema.GroupVersionResource{Version: "v1", Resource: "pods"}, web.Namespace, web.Name)
	}}
	if err := hand.Do(context.Background(), evict); err != nil || *asked != 2 {
		t.Errorf("asked %d times, want 2: %v", *asked, err)
	}
	if len(reports) != 1 || !strings.HasPrefix(reports[0], "evicting pod shop/web: its namespace is terminating: ") {
		t.Errorf("reported %q", reports)
	}
	if err := hand.Do(context.Background(), evict); !apierrors.IsNotFound(err) {
		t.Errorf("the eviction of a pod that is gone reports %v", err)
	}
}

func TestUngate_RemovesNamedGatesOnly(t *testing.T) {
	c := fake.NewClientset(held)
	hand := actions.Executor{Client: c}
	a := actions.Ungate{Pod: world.PodRefOf(held), Gates: []string{"example.com/quota"}}
	if err := hand.Do(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	pod, err := c.CoreV1().Pods("shop").Get(context.Background(), "held", metav1.GetOptions{})
	if want := []v1.PodSchedulingGate{{Name: "example.com/other"}}; err != nil || !slices.Equal(pod.Spec.SchedulingGates, want) {
		t.Errorf("left are %v, want %v (%v)", pod.Spec.SchedulingGates, want, err)
	}
}

func TestActivate_NeedsOwnScheduler(t *testing.T) {
	a := actions.Activate{Pod: world.PodRefOf(web)}
	err := (&actions.Executor{}).Do(context.Background(), a)
	if err == nil || !strings.Contains(err.Error(), "--schedule") {
		t.Errorf("the error is %v, want how to be the scheduler", err)
	}
	var asked types.NamespacedName
	hand := actions.Executor{Activate: func(_ context.Context, pods ...types.NamespacedName) error { asked = pods[0]; return nil }}
	if err := hand.Do(context.Background(), a); err != nil || asked.Name != "web" {
		t.Errorf("asked to try %v: %v", asked, err)
	}
}

func TestYAML_GroupsVerbs(t *testing.T) {
	got := actions.YAML([]actions.Rule{{Resource: "nodes", Verb: "list"}, {Group: "policy", Resource: "poddisruptionbudgets", Verb: "list"}, {Resource: "nodes", Verb: "watch"}})
	want := `- apiGroups: [""]
  resources: ["nodes"]
  verbs: ["list", "watch"]
- apiGroups: ["policy"]
  resources: ["poddisruptionbudgets"]
  verbs: ["list"]
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
