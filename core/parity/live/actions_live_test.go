package live_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"orrery/core/operator/actions"
	"orrery/core/operator/console"
	"orrery/core/parity/apiserver"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// runPods runs pods on a node, each with its name as the label app.
func (s *fixture) runPods(node string, pods ...*v1.Pod) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			_ = apiserver.Kubelet(ctx, s.client)
		}
	}()
	s.t.Cleanup(func() { cancel(); <-ended })
	for _, pod := range pods {
		pod.Spec.NodeName, pod.Labels = node, map[string]string{"app": pod.Name}
		pod.Spec.TerminationGracePeriodSeconds = new(int64)
		if _, err := s.create(pod); err != nil {
			s.t.Fatal(err)
		}
	}
	s.eventually(func() error {
		for _, pod := range s.list() {
			if pod.Spec.NodeName != "" && pod.Status.Phase != v1.PodRunning {
				return fmt.Errorf("%s is %s", pod.Name, pod.Status.Phase)
			}
		}
		return nil
	})
}

// budget creates a PodDisruptionBudget for an app that allows no evictions until the test calls allow: no controller updates it.
func (s *fixture) budget(app string) (allow func(n int32)) {
	s.t.Helper()
	budgets := s.client.PolicyV1().PodDisruptionBudgets(metav1.NamespaceDefault)
	one := intstr.FromInt32(1)
	b, err := budgets.Create(s.ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: app},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: &one, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}},
	}, metav1.CreateOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = budgets.Delete(context.Background(), app, metav1.DeleteOptions{}) })
	allow = func(n int32) {
		s.t.Helper()
		b.Status = policyv1.PodDisruptionBudgetStatus{
			ObservedGeneration: b.Generation, DisruptionsAllowed: n, CurrentHealthy: 1 + n, DesiredHealthy: 1, ExpectedPods: 1 + n,
		}
		if b, err = budgets.UpdateStatus(s.ctx, b, metav1.UpdateOptions{}); err != nil {
			s.t.Fatal(err)
		}
	}
	allow(0)
	return allow
}

// executor returns an executor with a user's rights. It records the progress messages, and calls between after each try.
func (s *fixture) executor(user string, between func(try int)) (executor *actions.Executor, messages *[]string) {
	s.t.Helper()
	client, err := server.Client(user)
	if err != nil {
		s.t.Fatal(err)
	}
	messages = &[]string{}
	tries := 0
	return &actions.Executor{
		Client: client, Progress: func(text string) { *messages = append(*messages, text) },
		Pause: func(ctx context.Context) error {
			tries++
			between(tries)
			return ctx.Err()
		},
	}, messages
}

func (s *fixture) gone(name string) error {
	_, err := s.client.CoreV1().Pods(metav1.NamespaceDefault).Get(s.ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err == nil:
		return errors.New(name + " still exists")
	}
	return err
}

func (s *fixture) ref(name string) world.PodRef {
	s.t.Helper()
	pod, err := s.client.CoreV1().Pods(metav1.NamespaceDefault).Get(s.ctx, name, metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return world.PodRefOf(pod)
}

// Shows API-01 and API-04.
func TestActions_RetryRefusedEviction(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.runPods("node-0", apiserver.Pod("held", "10m", "16Mi"), apiserver.Pod("free", "10m", "16Mi"))
	allow := s.budget("held")
	executor, messages := s.executor(apiserver.Admin, func(try int) {
		if try == 2 {
			allow(1)
		}
	})
	if err := executor.Do(s.ctx, actions.Evict{Pod: s.ref("free")}); err != nil || len(*messages) > 0 {
		t.Errorf("an eviction without a budget: %v, messages %q", err, *messages)
	}
	if err := executor.Do(s.ctx, actions.Evict{Pod: s.ref("held")}); err != nil {
		t.Error(err)
	}
	if len(*messages) != 2 || !strings.Contains((*messages)[0], "evicting pod default/held: a PodDisruptionBudget blocks it") {
		t.Errorf("messages %q", *messages)
	}
	s.eventually(func() error { return errors.Join(s.gone("held"), s.gone("free")) })
}

func TestActions_DrainLikeKubectl(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	yes := true
	daemon := apiserver.Pod("daemon", "10m", "16Mi")
	daemon.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "log", UID: "1", Controller: &yes}}
	mirror := apiserver.Pod("mirror", "10m", "16Mi")
	mirror.Annotations = map[string]string{v1.MirrorPodAnnotationKey: "1"}
	s.runPods("node-0", daemon, mirror, apiserver.Pod("bare", "10m", "16Mi"), apiserver.Pod("held", "10m", "16Mi"))
	elsewhere := apiserver.Pod("elsewhere", "10m", "16Mi")
	elsewhere.Spec.NodeName = "node-1"
	if _, err := s.create(elsewhere); err != nil {
		t.Fatal(err)
	}
	allow := s.budget("held")
	executor, messages := s.executor(apiserver.Admin, func(try int) {
		if try == 1 {
			s.eventually(func() error { return s.gone("bare") })
			if err := s.gone("held"); err == nil {
				t.Error("the pod with the budget was deleted")
			}
			allow(1)
			return
		}
		s.eventually(func() error { return s.gone("held") })
	})
	if err := executor.Do(s.ctx, actions.Drain{Node: "node-0"}); err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, pod := range s.list() {
		left = append(left, pod.Name)
	}
	slices.Sort(left)
	if want := []string{"daemon", "elsewhere", "mirror"}; !slices.Equal(left, want) {
		t.Errorf("remaining pods %q, want %q", left, want)
	}
	want := []string{
		"draining node node-0: 0 of 2 pods deleted, 1 terminating, 1 blocked by PodDisruptionBudgets",
		"draining node node-0: 1 of 2 pods deleted, 1 terminating, 0 blocked by PodDisruptionBudgets",
	}
	if !slices.Equal(*messages, want) {
		t.Errorf("messages %q, want %q", *messages, want)
	}
	if node, err := s.client.CoreV1().Nodes().Get(s.ctx, "node-0", metav1.GetOptions{}); err != nil || !node.Spec.Unschedulable {
		t.Errorf("the node is cordoned: %t, %v", node.Spec.Unschedulable, err)
	}
}

func TestActions_NameMissingRule(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.runPods("node-0", apiserver.Pod("leaves", "10m", "16Mi"), apiserver.Pod("goes", "10m", "16Mi"))
	gated := apiserver.Pod("gated", "10m", "16Mi")
	gated.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/quota"}, {Name: "example.com/other"}}
	if _, err := s.create(gated); err != nil {
		t.Fatal(err)
	}
	executor, _ := s.executor(viewer, func(int) { t.Error("it waits") })
	for _, tt := range []struct {
		action actions.Action
		right  right
		rule   string
		done   func() error
	}{
		{
			actions.Cordon{Node: "node-0"},
			right{"patch", "", "nodes"},
			`may not patch nodes; this needs the RBAC rule {apiGroups: [""], resources: ["nodes"], verbs: ["patch"]} in a ClusterRole`,
			func() error {
				node, err := s.client.CoreV1().Nodes().Get(s.ctx, "node-0", metav1.GetOptions{})
				if err == nil && !node.Spec.Unschedulable {
					err = errors.New("the node is not cordoned")
				}
				return err
			},
		},
		{
			actions.Evict{Pod: s.ref("leaves")},
			right{"create", "", "pods/eviction"},
			`may not create pods/eviction; this needs the RBAC rule {apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"]} in namespace default`,
			func() error { return s.gone("leaves") },
		},
		{
			actions.Delete{Pod: s.ref("goes")},
			right{"delete", "", "pods"},
			`may not delete pods; this needs the RBAC rule {apiGroups: [""], resources: ["pods"], verbs: ["delete"]} in namespace default`,
			func() error { return s.gone("goes") },
		},
		{
			actions.Ungate{Pod: s.ref("gated"), Gates: []string{"example.com/quota"}},
			right{"patch", "", "pods"},
			`may not patch pods; this needs the RBAC rule {apiGroups: [""], resources: ["pods"], verbs: ["patch"]} in namespace default`,
			func() error {
				pod, err := s.client.CoreV1().Pods(metav1.NamespaceDefault).Get(s.ctx, "gated", metav1.GetOptions{})
				if want := []v1.PodSchedulingGate{{Name: "example.com/other"}}; err == nil && !slices.Equal(pod.Spec.SchedulingGates, want) {
					err = fmt.Errorf("the pod has the gates %v, want %v", pod.Spec.SchedulingGates, want)
				}
				return err
			},
		},
	} {
		t.Run(tt.action.Verb(), func(t *testing.T) {
			err := executor.Do(s.ctx, tt.action)
			var refused *actions.ForbiddenError
			if !errors.As(err, &refused) || refused.User != viewer || !strings.Contains(err.Error(), tt.rule) {
				t.Fatalf("it says\n%v\nwant\n%s", err, tt.rule)
			}
			s.permit(viewer, refused.Rule.Namespace, tt.right.rule())
			if err := executor.Do(s.ctx, tt.action); err != nil {
				t.Error(err)
			}
			s.eventually(tt.done)
		})
	}
}

func TestActions_ActivateRetriesAtOnce(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	session := s.openConsole(scheduler, func(o *console.Options) { o.Schedule, o.Identity = true, "console" })
	s.pods(3, "a", "10m")
	s.bound(3)
	s.pods(1, "big", "64")
	attempts := func() (n int) {
		session.Inspect(func(e *engine.Engine) {
			if p, waits := e.Queue().Get(metav1.NamespaceDefault, "big-0"); waits && e.PodState(metav1.NamespaceDefault, "big-0") == engine.StateUnschedulable {
				n = p.GetAttempts()
			}
		})
		return n
	}
	s.eventually(func() error {
		if n := attempts(); n != 1 {
			return fmt.Errorf("the pod had %d attempts", n)
		}
		return nil
	})
	executor := session.Executor()
	if err := executor.Do(s.ctx, actions.Activate{Pod: s.ref("big-0")}); err != nil {
		t.Fatal(err)
	}
	s.eventually(func() error {
		if n := attempts(); n != 2 {
			return fmt.Errorf("the pod had %d attempts", n)
		}
		return nil
	})
	// It was started to schedule, but without --allow-actions.
	if err := executor.Do(s.ctx, actions.Cordon{Node: "node-0"}); err == nil || !strings.Contains(err.Error(), "--allow-actions") {
		t.Errorf("without --allow-actions it cordons: %v", err)
	}
}
