package operate_test

import (
	"context"
	"errors"
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

	"orrery/core/mk"
	"orrery/core/operate"
	"orrery/core/whatif"
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

func TestARefusalNamesTheMissingRule(t *testing.T) {
	for _, tt := range []struct {
		action         operate.Action
		verb, resource string
		want           string
	}{
		{
			operate.Action{Verb: operate.Cordon, Node: "node-1"},
			"patch", "nodes",
			`could not cordon node node-1: the API server refuses: user jane may not patch nodes; it takes the RBAC rule {apiGroups: [""], resources: ["nodes"], verbs: ["patch"]} in a ClusterRole`,
		},
		{
			operate.Action{Verb: operate.Evict, Pod: world.RefOf(web)},
			"create", "pods",
			`could not evict pod shop/web: the API server refuses: user jane may not create pods/eviction; it takes the RBAC rule {apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"]} in namespace shop`,
		},
		{
			operate.Action{Verb: operate.Delete, Pod: world.RefOf(web)},
			"delete", "pods",
			`could not delete pod shop/web: the API server refuses: user jane may not delete pods; it takes the RBAC rule {apiGroups: [""], resources: ["pods"], verbs: ["delete"]} in namespace shop`,
		},
		{
			operate.Action{Verb: operate.Ungate, Pod: world.RefOf(held), Gates: []string{"example.com/quota"}},
			"patch", "pods",
			`could not take the scheduling gate example.com/quota off pod shop/held: the API server refuses: user jane may not patch pods; it takes the RBAC rule {apiGroups: [""], resources: ["pods"], verbs: ["patch"]} in namespace shop`,
		},
		{
			operate.Action{Verb: operate.Drain, Node: "node-1"},
			"list", "pods",
			`could not drain node node-1: the API server refuses: user jane may not list pods; it takes the RBAC rule {apiGroups: [""], resources: ["pods"], verbs: ["list"]} in a ClusterRole`,
		},
	} {
		t.Run(tt.action.String(), func(t *testing.T) {
			c := fake.NewClientset(web, held, mk.Node("node-1").Obj())
			forbid(c, tt.verb, tt.resource, "")
			hand := operate.Hand{Client: c}
			err := hand.Do(context.Background(), tt.action)
			var refused *operate.RefusedError
			if !errors.As(err, &refused) || err.Error() != tt.want {
				t.Errorf("it says\n%v\nwant\n%s", err, tt.want)
			}
			if refused != nil && !slices.Contains(tt.action.Needs(), refused.Rule) {
				t.Errorf("the rule %+v is not among what the action says it needs: %+v", refused.Rule, tt.action.Needs())
			}
		})
	}
}

func TestNodesAreCordonedAndUncordoned(t *testing.T) {
	c := fake.NewClientset(mk.Node("node-1").Obj())
	hand := operate.Hand{Client: c}
	for _, verb := range []operate.Verb{operate.Cordon, operate.Uncordon} {
		if err := hand.Do(context.Background(), operate.Action{Verb: verb, Node: "node-1"}); err != nil {
			t.Fatal(err)
		}
		node, err := c.CoreV1().Nodes().Get(context.Background(), "node-1", metav1.GetOptions{})
		if err != nil || node.Spec.Unschedulable != (verb == operate.Cordon) {
			t.Errorf("after %s the node is unschedulable: %t (%v)", verb, node.Spec.Unschedulable, err)
		}
	}
}

// budgeted is an API server with a budget that turns so many evictions down; those it allows take a pod away at once.
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

func TestADrainGoesOnAskingForWhatBudgetsHold(t *testing.T) {
	daemon := mk.Pod("daemon").Node("node-1").Owner("apps/v1", "DaemonSet", "log").Obj()
	mirror := mk.Pod("mirror").Node("node-1").Obj()
	mirror.Annotations = map[string]string{v1.MirrorPodAnnotationKey: "x"}
	c, asked := budgeted(2, mk.Node("node-1").Obj(), web, daemon, mirror)
	said, waited := []string{}, 0
	hand := operate.Hand{
		Client: c, Said: func(s string) { said = append(said, s) }, Pause: func(context.Context) error { waited++; return nil },
	}
	if err := hand.Do(context.Background(), operate.Action{Verb: operate.Drain, Node: "node-1"}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"web", "web", "web"}; !slices.Equal(*asked, want) || waited != 3 {
		t.Errorf("asked for %q with %d pauses, want %q with 3: pods of daemon sets and the kubelet's own stay", *asked, waited, want)
	}
	for i, want := range []string{
		"draining node node-1: 0 of 1 pods are gone, 0 on their way, 1 held by disruption budgets",
		"draining node node-1: 0 of 1 pods are gone, 0 on their way, 1 held by disruption budgets",
		"draining node node-1: 0 of 1 pods are gone, 1 on their way, 0 held by disruption budgets",
	} {
		if said[i] != want {
			t.Errorf("said %q, want %q", said[i], want)
		}
	}
}

func TestADrainThatIsGivenUpSaysWhatIsLeft(t *testing.T) {
	c, _ := budgeted(99, mk.Node("node-1").Obj(), web)
	hand := operate.Hand{Client: c, Pause: func(context.Context) error { return context.DeadlineExceeded }}
	err := hand.Do(context.Background(), operate.Action{Verb: operate.Drain, Node: "node-1"})
	want := "could not drain node node-1: 1 of 1 pods are still there, 1 of them held by disruption budgets; shop/web first: context deadline exceeded"
	if err == nil || err.Error() != want {
		t.Errorf("it says\n%v\nwant\n%s", err, want)
	}
}

func TestAnEvictionThatABudgetHoldsIsAskedForAgain(t *testing.T) {
	evict := operate.Action{Verb: operate.Evict, Pod: world.RefOf(web)}
	c, asked := budgeted(2, web)
	said := []string{}
	hand := operate.Hand{Client: c, Said: func(s string) { said = append(said, s) }, Pause: func(context.Context) error { return nil }}
	if err := hand.Do(context.Background(), evict); err != nil || len(*asked) != 3 {
		t.Errorf("asked %d times: %v", len(*asked), err)
	}
	if len(said) != 2 || !strings.HasPrefix(said[0], "evicting pod shop/web: a disruption budget does not allow it now: ") {
		t.Errorf("said %q", said)
	}
	c, asked = budgeted(99, web)
	hand.Client, hand.Pause = c, func(context.Context) error { return context.DeadlineExceeded }
	err := hand.Do(context.Background(), evict)
	if err == nil || len(*asked) != 1 || !strings.Contains(err.Error(), "could not evict pod shop/web: a disruption budget does not allow it now") {
		t.Errorf("after %d tries an eviction that was given up says %v", len(*asked), err)
	}
}

func TestOnlyTheNamedGatesAreTakenOff(t *testing.T) {
	c := fake.NewClientset(held)
	hand := operate.Hand{Client: c}
	a := operate.Action{Verb: operate.Ungate, Pod: world.RefOf(held), Gates: []string{"example.com/quota"}}
	if err := hand.Do(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	pod, err := c.CoreV1().Pods("shop").Get(context.Background(), "held", metav1.GetOptions{})
	if want := []v1.PodSchedulingGate{{Name: "example.com/other"}}; err != nil || !slices.Equal(pod.Spec.SchedulingGates, want) {
		t.Errorf("left are %v, want %v (%v)", pod.Spec.SchedulingGates, want, err)
	}
}

func TestNobodyHurriesAnotherScheduler(t *testing.T) {
	a := operate.Action{Verb: operate.Activate, Pod: world.RefOf(web)}
	err := (&operate.Hand{}).Do(context.Background(), a)
	if err == nil || !strings.Contains(err.Error(), "--schedule") {
		t.Errorf("it says %v, want how to be the scheduler", err)
	}
	var asked types.NamespacedName
	hand := operate.Hand{Activate: func(_ context.Context, pods ...types.NamespacedName) error { asked = pods[0]; return nil }}
	if err := hand.Do(context.Background(), a); err != nil || asked.Name != "web" {
		t.Errorf("asked to try %v: %v", asked, err)
	}
}

func TestWhatAnActionDoesCanBeAskedFirst(t *testing.T) {
	for a, want := range map[*operate.Action]string{
		{Verb: operate.Cordon, Node: "n"}:                "cordon n",
		{Verb: operate.Uncordon, Node: "n"}:              "uncordon n",
		{Verb: operate.Drain, Node: "n"}:                 "drain n",
		{Verb: operate.Evict, Pod: world.RefOf(web)}:     "delete pod shop/web",
		{Verb: operate.Delete, Pod: world.RefOf(web)}:    "delete pod shop/web",
		{Verb: operate.Ungate, Pod: world.RefOf(held)}:   "ungate shop/held",
		{Verb: operate.Activate, Pod: world.RefOf(held)}: "",
	} {
		if got := whatif.Words(a.Changes()); got != want {
			t.Errorf("%s is asked as %q, want %q", a, got, want)
		}
	}
}

func TestRulesAsARoleHasThem(t *testing.T) {
	got := operate.YAML([]operate.Rule{{Resource: "nodes", Verb: "list"}, {Group: "policy", Resource: "poddisruptionbudgets", Verb: "list"}, {Resource: "nodes", Verb: "watch"}})
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
