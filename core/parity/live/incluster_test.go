package live_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// As "orrery manifests --replace-default" prints it, and with nothing else, Orrery schedules a cluster: two replicas bind a thousand pods
// and some with volumes and devices, preempt, and go on when the leader is killed. No request of theirs is refused, and they use every
// right that is printed.
func TestInCluster_PrintedRightsAreUsedAndEnough(t *testing.T) {
	pods := count(t, 1000)
	s := newStorage(t, storageOptions{}, zonedNodes(12+pods/100)...)
	s.name, s.lease = v1.DefaultSchedulerName, "kube-scheduler"
	s.createGPUs(2)
	s.localVolumes(1)
	s.priorities()
	i := s.install("--replace-default")
	watches := s.watchBindings()
	first := i.replica()
	s.eventually(func() error { return i.leads(first) })
	second := i.replica()
	s.eventually(second.ready)
	made := s.createSlowly(pods)
	s.eventually(func() error { return s.atLeastBound(pods / 6) })
	if err := first.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	s.eventually(func() error { return i.leads(second) })
	s.allBound(pods)

	i.proxy.set(faults{lost: 0.3}) // what is unknown then has to be read
	const devices, volumes = 20, 20
	s.podsWithDevice(devices)
	for n := range volumes {
		class, name := []string{delayed, local}[n%2], fmt.Sprintf("disk-%d", n)
		s.claim(name, class, nil)
		s.add(withClaims(small("with-"+name), name))
	}
	s.allBound(pods + devices + volumes)
	i.proxy.set(faults{slow: 3 * time.Second})
	i.deleteAmidBinding(5)
	i.proxy.set(faults{})
	i.preempt()

	i.scrape(second)
	s.checkBindings(append(watches, s.watchBindings()...))
	if refused := i.refused(); len(refused) > 0 {
		t.Errorf("the API server refused %q", refused)
	}
	s.eventually(i.usesAllRights)
}

// usesAllRights returns nil once the replicas have used every printed right. A list is read as a watch that begins with it; other API
// servers, which do not serve that, are asked to list.
func (i *installation) usesAllRights() error {
	used := i.requests(serviceAccount)
	for _, r := range i.printedRights() {
		if resource, lists := strings.CutPrefix(r, "list "); lists {
			r = "watch " + resource
		}
		if !slices.Contains(used, r) {
			return fmt.Errorf("%s is printed and not used; used are %q", r, used)
		}
	}
	return nil
}

// deleteAmidBinding deletes pods as soon as their claims for devices are reserved. Most of their bindings fail then, and the claims are
// released.
func (i *installation) deleteAmidBinding(pods int) {
	i.t.Helper()
	several := errgroup.Group{}
	for n := range pods {
		name := fmt.Sprintf("gone-%d", n)
		if err := i.podWithDevice(name); err != nil {
			i.t.Fatal(err)
		}
		several.Go(func() error {
			watch, err := i.client.ResourceV1().ResourceClaims(v1.NamespaceDefault).Watch(i.ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
			if err != nil {
				return err
			}
			defer watch.Stop()
			for event := range watch.ResultChan() {
				if claim, ok := event.Object.(*resourcev1.ResourceClaim); ok && len(claim.Status.ReservedFor) > 0 {
					break
				}
			}
			return i.client.CoreV1().Pods(v1.NamespaceDefault).Delete(i.ctx, name, *metav1.NewDeleteOptions(0))
		})
	}
	if err := several.Wait(); err != nil {
		i.t.Fatal(err)
	}
}

// leads returns nil once a replica holds the lease and schedules.
func (i *installation) leads(p *process) error {
	if err := p.ready(); err != nil {
		return err
	}
	return p.logged("Scheduling")
}

// preempt creates a pod of high priority that needs most of a node, and waits until others have left one for it.
func (i *installation) preempt() {
	i.t.Helper()
	high := podWith("high", "7", func(p *v1.Pod) { p.Spec.PriorityClassName = "high" })
	if _, err := i.create(high); err != nil {
		i.t.Fatal(err)
	}
	i.eventually(func() error {
		for _, pod := range i.list() {
			if pod.DeletionTimestamp != nil {
				_ = i.client.CoreV1().Pods(pod.Namespace).Delete(i.ctx, pod.Name, *metav1.NewDeleteOptions(0))
			}
			if pod.Name == high.Name && pod.Spec.NodeName != "" {
				return nil
			}
		}
		return fmt.Errorf("high has no node")
	})
}

// scrape reads a replica's metrics with the printed role for them.
func (i *installation) scrape(p *process) {
	i.t.Helper()
	role, err := i.client.RbacV1().ClusterRoles().Get(i.ctx, "orrery-metrics", metav1.GetOptions{})
	if err != nil {
		i.t.Fatal(err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "prometheus-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: "prometheus"}},
	}
	if binding, err = i.client.RbacV1().ClusterRoleBindings().Create(i.ctx, binding, metav1.CreateOptions{}); err != nil {
		i.t.Fatal(err)
	}
	i.t.Cleanup(func() {
		_ = i.client.RbacV1().ClusterRoleBindings().Delete(i.t.Context(), binding.Name, metav1.DeleteOptions{})
	})
	i.eventually(func() error {
		if code, body := p.get("/metrics", "prometheus"); code != http.StatusOK {
			return fmt.Errorf("/metrics: %d %s", code, body)
		}
		return nil
	})
}
