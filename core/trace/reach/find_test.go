package reach_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"orrery/core/trace/reach"
)

var (
	now    = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	system = reach.Lease{Namespace: metav1.NamespaceSystem, Name: "kube-scheduler"}
)

func lease(holder string, renewed time.Duration) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: system.Name},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &holder, LeaseDurationSeconds: ptr.To[int32](15), RenewTime: ptr.To(metav1.NewMicroTime(now.Add(-renewed))),
		},
	}
}

func pod(name, node string, phase v1.PodPhase, hostNetwork bool) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: name, Labels: map[string]string{"app": "orrery"}},
		Spec:       v1.PodSpec{NodeName: node, HostNetwork: hostNetwork},
		Status:     v1.PodStatus{Phase: phase},
	}
}

// check compares an error with the text that it should have; empty for none.
func check(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("the error is %v, want %q", err, want)
	}
}

func TestLease_NamesTheLeader(t *testing.T) {
	for name, c := range map[string]struct {
		objects  []runtime.Object
		leader   string
		problem  string
		noLeader bool
	}{
		"held":     {objects: []runtime.Object{lease("orrery-7d_5b1f", time.Second)}, leader: "orrery-7d_5b1f"},
		"none":     {problem: "there is no lease kube-system/kube-scheduler", noLeader: true},
		"released": {objects: []runtime.Object{lease("", time.Second)}, problem: "has no holder", noLeader: true},
		"expired":  {objects: []runtime.Object{lease("orrery-7d_5b1f", 20*time.Second)}, problem: "of orrery-7d_5b1f expired 5s ago", noLeader: true},
	} {
		t.Run(name, func(t *testing.T) {
			leader, err := system.Leader(t.Context(), fake.NewClientset(c.objects...), now, elapsed)
			check(t, err, c.problem)
			if leader != c.leader || errors.Is(err, reach.ErrNoLeader) != c.noLeader {
				t.Errorf("leader %q, error %v", leader, err)
			}
		})
	}
}

// elapsed is a time.After that does not wait.
func elapsed(time.Duration) <-chan time.Time {
	done := make(chan time.Time)
	close(done)
	return done
}

// The clock of this machine is not the holder's: a lease is expired only if it is not renewed while it is watched.
func TestLease_WaitsForARenewalWhenClocksDiffer(t *testing.T) {
	ahead := now.Add(40 * time.Second)
	ended, end := context.WithCancel(t.Context())
	end()
	for name, c := range map[string]struct {
		ctx      context.Context
		next     *coordinationv1.Lease
		leader   string
		problem  string
		noLeader bool
	}{
		"renewed":     {next: lease("orrery-7d_5b1f", -time.Second), leader: "orrery-7d_5b1f"},
		"taken over":  {next: lease("orrery-8e_77aa", -time.Second), leader: "orrery-8e_77aa"},
		"released":    {next: lease("", -time.Second), problem: "has no holder", noLeader: true},
		"not renewed": {next: lease("orrery-7d_5b1f", time.Second), problem: "of orrery-7d_5b1f expired 26s ago", noLeader: true},
		"no time":     {ctx: ended, problem: "waiting for a renewal of the lease kube-system/kube-scheduler: context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset(lease("orrery-7d_5b1f", time.Second))
			after := func(wait time.Duration) <-chan time.Time {
				if wait != 3*time.Second {
					t.Errorf("waits for %v", wait)
				}
				if c.next == nil {
					return nil
				}
				if _, err := client.CoordinationV1().Leases(system.Namespace).Update(t.Context(), c.next, metav1.UpdateOptions{}); err != nil {
					t.Error(err)
				}
				return elapsed(wait)
			}
			if c.ctx == nil {
				c.ctx = t.Context()
			}
			leader, err := system.Leader(c.ctx, client, ahead, after)
			check(t, err, c.problem)
			if leader != c.leader || errors.Is(err, reach.ErrNoLeader) != c.noLeader {
				t.Errorf("leader %q, error %v", leader, err)
			}
		})
	}
}

func TestPods_AreFoundByTheLeader(t *testing.T) {
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: "orrery"},
		Spec:       appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "orrery"}}},
	}
	client := fake.NewClientset(deployment, pod("orrery-7d", "n1", v1.PodRunning, false), pod("orrery-8e", "host_9", v1.PodRunning, true), pod("orrery-9f", "", v1.PodPending, false))
	for name, c := range map[string]struct {
		identity, deployment string
		found, problem       string
	}{
		"a pod's hostname":              {identity: "orrery-7d_5b1f", found: "orrery-7d"},
		"no pod of that name":           {identity: "cp-1_5b1f", problem: "cp-1_5b1f leads, and namespace kube-system has no pod of that name"},
		"a pod that does not run":       {identity: "orrery-9f_5b1f", problem: "pod kube-system/orrery-9f is Pending, not Running"},
		"of a Deployment":               {identity: "orrery-7d_5b1f", deployment: "orrery", found: "orrery-7d"},
		"with the node's hostname":      {identity: "host_9_5b1f", deployment: "orrery", found: "orrery-8e"},
		"another leads":                 {identity: "kube-scheduler-cp_5b1f", deployment: "orrery", problem: "none of the 3 pods of Deployment kube-system/orrery"},
		"there is no such Deployment":   {identity: "orrery-7d_5b1f", deployment: "orerry", problem: "there is no Deployment orerry in namespace kube-system"},
		"an identity that is no UUID's": {identity: "orrery-7d", found: "orrery-7d"},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := reach.OfLeader(t.Context(), client, system.Namespace, c.identity)
			if c.deployment != "" {
				found, err = reach.OfDeployment(t.Context(), client, system.Namespace, c.deployment, func(context.Context) (string, error) { return c.identity, nil })
			}
			check(t, err, c.problem)
			if c.problem == "" && found != (reach.Pod{Namespace: system.Namespace, Name: c.found}) {
				t.Errorf("found %v", found)
			}
		})
	}
	_, err := reach.Named(t.Context(), client, system.Namespace, "orrery-0")
	check(t, err, "there is no pod orrery-0 in namespace kube-system")
}

// No pod of an observer leads: the one that is ready is attached to, and nobody is asked who leads.
func TestPods_OfAnObserverNeedNoLeader(t *testing.T) {
	labels := map[string]string{"app": "orrery", reach.ComponentLabel: reach.Observer}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: "orrery"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "orrery"}}, Template: v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}},
		},
	}
	ready := pod("orrery-8e", "n2", v1.PodRunning, false)
	ready.Status.Conditions = []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionTrue}}
	nobody := func(context.Context) (string, error) {
		t.Error("it asks who leads")
		return "", reach.ErrNoLeader
	}
	for _, c := range []struct {
		pods           []*v1.Pod
		found, problem string
	}{
		{[]*v1.Pod{pod("orrery-7d", "n1", v1.PodRunning, false), ready, pod("orrery-9f", "", v1.PodPending, false)}, "orrery-8e", ""},
		{[]*v1.Pod{pod("orrery-6c", "", v1.PodPending, false), pod("orrery-7d", "n1", v1.PodRunning, false)}, "orrery-7d", ""},
		{[]*v1.Pod{pod("orrery-9f", "", v1.PodPending, false)}, "", "pod kube-system/orrery-9f is Pending, not Running"},
		{nil, "", "there are no pods of Deployment kube-system/orrery"},
	} {
		objects := []runtime.Object{deployment}
		for _, p := range c.pods {
			objects = append(objects, p)
		}
		found, err := reach.OfDeployment(t.Context(), fake.NewClientset(objects...), system.Namespace, "orrery", nobody)
		check(t, err, c.problem)
		if c.problem == "" && found.Name != c.found {
			t.Errorf("found %v, want %s", found, c.found)
		}
	}
}

// Without a right, the error names the rule.
func TestPods_NameTheMissingRule(t *testing.T) {
	for _, c := range []struct {
		resource, want string
		ask            func(*fake.Clientset) error
	}{
		{"leases", `the rule "get leases" (coordination.k8s.io) in namespace kube-system is missing`, func(f *fake.Clientset) error {
			_, err := system.Leader(t.Context(), f, now, elapsed)
			return err
		}},
		{"pods", `the rule "get pods" in namespace kube-system is missing`, func(f *fake.Clientset) error {
			_, err := reach.Named(t.Context(), f, system.Namespace, "orrery-7d")
			return err
		}},
		{"deployments", `the rule "get deployments (apps)" in namespace kube-system is missing`, func(f *fake.Clientset) error {
			_, err := reach.OfDeployment(t.Context(), f, system.Namespace, "orrery", func(context.Context) (string, error) { return "orrery-7d_1", nil })
			return err
		}},
	} {
		client := fake.NewClientset()
		client.PrependReactor("get", c.resource, func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: c.resource}, "", errors.New("no"))
		})
		check(t, c.ask(client), c.want)
	}
}
