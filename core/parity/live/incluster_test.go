package live_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/parity/faultproxy"
	"orrery/core/scheduler/release"
)

// As "orrery manifests --replace-default" prints it, and with nothing else, Orrery schedules a cluster: two replicas bind a thousand pods
// and some with volumes and devices, preempt, and go on when the leader is killed. A user who has the printed rights to attach follows that. No request of theirs
// is refused, and they use every right that is printed.
func TestInCluster_PrintedRightsAreUsedAndEnough(t *testing.T) {
	pods := count(t, 1000)
	s := newStorage(t, storageOptions{}, zonedNodes(12+pods/100)...)
	s.name, s.lease = v1.DefaultSchedulerName, "kube-scheduler"
	s.createGPUs(2)
	s.localVolumes(1)
	s.priorities()
	i := s.install("--replace-default")
	watches := s.watchBindings()
	k := s.startKubelet("node-0")
	s.forgetLease()
	first := k.runAs("orrery-first", i.labels, i.replica)
	s.eventually(func() error { return i.leads(first) })
	second := k.runAs("orrery-second", i.labels, i.replica)
	s.eventually(second.ready)
	reader := i.attach()
	s.eventually(func() error { return reader.printedState("attached", "orrery-first") })
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
	s.eventually(func() error { return reader.printedState("lost", "orrery-first") })
	s.eventually(func() error { return reader.printedState("attached", "orrery-second") })

	i.proxy.Set(faultproxy.Faults{FirstLost: true}) // what is unknown then has to be read
	const devices, volumes = 20, 20
	s.podsWithDevice(devices)
	for n := range volumes {
		class, name := []string{delayed, local}[n%2], fmt.Sprintf("disk-%d", n)
		s.claim(name, class, nil)
		s.add(withClaims(small("with-"+name), name))
	}
	s.allBound(pods + devices + volumes)
	s.eventually(func() error { return s.printedBindings(reader, "with-", volumes) })
	reader.checkSame()
	i.proxy.Set(faultproxy.Faults{}) // with a lost TokenReview, a reader is not authenticated
	ofDeployment := i.attachAs(attacher, "deploy/orrery")
	s.eventually(func() error { return ofDeployment.printedState("attached", "orrery-second") })
	i.proxy.Set(faultproxy.Faults{Slow: 3 * time.Second})
	i.repeatUntilUsed("patch resourceclaims/status.resource.k8s.io", i.deleteAmidBinding)
	if served >= release.V136 {
		i.repeatUntilUsed("delete resourceclaims.resource.k8s.io", i.deleteAmidBindingOfExtended)
	}
	i.proxy.Set(faultproxy.Faults{})
	i.preempt()
	s.add(impossible("impossible"))
	i.repeatUntilUsed("patch events.events.k8s.io", i.labelAgain)

	i.scrape(second)
	s.checkBindings(append(watches, s.watchBindings()...))
	if refused := i.refused(); len(refused) > 0 {
		t.Errorf("the API server refused %q", refused)
	}
	s.eventually(func() error { return i.usesAll(serviceAccount, i.printedRights()) })
	s.eventually(func() error { return i.usesAll(attacher, i.rightsToAttach()) })
}

// forgetLease deletes the lease that an earlier test may have left, so that a replica has to create it.
func (s *fixture) forgetLease() {
	s.t.Helper()
	err := s.client.CoordinationV1().Leases(metav1.NamespaceSystem).Delete(s.ctx, s.lease, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		s.t.Fatal(err)
	}
}

// usesAll returns nil once a user has used every printed right. A list is read as a watch that begins with it, but by readers who attach; other
// API servers, which do not serve that, are asked to list.
func (i *installation) usesAll(user string, printed []string) error {
	used := i.requests(user)
	for _, r := range printed {
		if resource, lists := strings.CutPrefix(r, "list "); lists && user == serviceAccount {
			r = "watch " + resource
		}
		if !slices.Contains(used, r) {
			return fmt.Errorf("%s is printed and not used by %s; used are %q", r, user, used)
		}
	}
	return nil
}

// repeatUntilUsed plays a scene again until the replicas have used a right.
func (i *installation) repeatUntilUsed(right string, scene func(round int)) {
	i.t.Helper()
	round := 0
	i.eventually(func() error {
		if slices.Contains(i.requests(serviceAccount), right) {
			return nil
		}
		scene(round)
		round++
		return fmt.Errorf("%s is not used after %d rounds", right, round)
	})
}

// deleteAmidBinding deletes a pod as soon as its claim for a device is reserved. Unless its binding is quicker it fails then, and the
// claim is released.
func (i *installation) deleteAmidBinding(round int) {
	i.t.Helper()
	name := fmt.Sprintf("gone-%d", round)
	watch, err := i.client.ResourceV1().ResourceClaims(v1.NamespaceDefault).Watch(i.ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		i.t.Fatal(err)
	}
	defer watch.Stop()
	if err := i.podWithDevice(name); err != nil {
		i.t.Fatal(err)
	}
	for event := range watch.ResultChan() {
		if claim, ok := event.Object.(*resourcev1.ResourceClaim); ok && len(claim.Status.ReservedFor) > 0 {
			break
		}
	}
	if err := i.client.CoreV1().Pods(v1.NamespaceDefault).Delete(i.ctx, name, *metav1.NewDeleteOptions(0)); err != nil {
		i.t.Fatal(err)
	}
}

// deleteAmidBindingOfExtended deletes a pod as soon as its extended resource has a claim, which its scheduler then deletes. Since Kubernetes
// 1.36 a class of devices can serve such a resource.
func (i *installation) deleteAmidBindingOfExtended(round int) {
	i.t.Helper()
	watch, err := i.client.ResourceV1().ResourceClaims(v1.NamespaceDefault).Watch(i.ctx, metav1.ListOptions{})
	if err != nil {
		i.t.Fatal(err)
	}
	defer watch.Stop()
	one := resource.MustParse("1")
	pod := podWith(fmt.Sprintf("extended-%d", round), "10m", func(p *v1.Pod) {
		resources := &p.Spec.Containers[0].Resources
		resources.Requests[gpuResource], resources.Limits = one, v1.ResourceList{gpuResource: one}
	})
	if _, err := i.create(pod); err != nil {
		i.t.Fatal(err)
	}
	for event := range watch.ResultChan() {
		if claim, ok := event.Object.(*resourcev1.ResourceClaim); ok && strings.HasPrefix(claim.Name, pod.Name) {
			break
		}
	}
	if err := i.client.CoreV1().Pods(v1.NamespaceDefault).Delete(i.ctx, pod.Name, *metav1.NewDeleteOptions(0)); err != nil {
		i.t.Fatal(err)
	}
}

const testedLabel = "example.com/tested"

// impossible returns a pod that is too large for every node, and is tried again whenever a node gets the label that it selects.
func impossible(name string) *v1.Pod {
	return podWith(name, "1000", func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{testedLabel: "yes"} })
}

// labelAgain gives a node the label that an impossible pod selects, anew, so that its attempts fail for the same reason.
func (i *installation) labelAgain(int) {
	i.t.Helper()
	for _, value := range []string{"null", `"yes"`} {
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%s}}}`, testedLabel, value)
		if _, err := i.client.CoreV1().Nodes().Patch(i.ctx, "node-0", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			i.t.Fatal(err)
		}
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

// attach runs "orrery attach" as a user who has nothing but the printed rights to do so.
func (i *installation) attach() *process {
	i.t.Helper()
	user := []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: attacher}}
	everywhere := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: attacher}, Subjects: user,
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "orrery-attach"},
	}
	if _, err := i.client.RbacV1().ClusterRoleBindings().Create(i.ctx, everywhere, metav1.CreateOptions{}); err != nil {
		i.t.Fatal(err)
	}
	i.awaitRole(attacher, "", everywhere.RoleRef.Name)
	i.t.Cleanup(func() {
		_ = i.client.RbacV1().ClusterRoleBindings().Delete(context.Background(), attacher, metav1.DeleteOptions{})
	})
	roles, err := i.client.RbacV1().Roles(metav1.NamespaceSystem).List(i.ctx, metav1.ListOptions{})
	if err != nil {
		i.t.Fatal(err)
	}
	for _, role := range roles.Items {
		if !strings.HasPrefix(role.Name, "orrery-attach") {
			continue
		}
		binding := &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: role.Name + "-" + attacher}, Subjects: user,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		}
		if _, err := i.client.RbacV1().RoleBindings(role.Namespace).Create(i.ctx, binding, metav1.CreateOptions{}); err != nil {
			i.t.Fatal(err)
		}
		i.awaitRole(attacher, role.Namespace, role.Name)
		i.t.Cleanup(func() {
			_ = i.client.RbacV1().RoleBindings(role.Namespace).Delete(context.Background(), binding.Name, metav1.DeleteOptions{})
		})
	}
	return i.attachAs(attacher)
}

// attachAs runs "orrery attach" as a user.
func (i *installation) attachAs(user string, target ...string) *process {
	i.t.Helper()
	kubeconfig, err := server.Kubeconfig(user)
	if err != nil {
		i.t.Fatal(err)
	}
	return i.exec(append([]string{"attach", "--output=json", "--since=0s", "--kubeconfig=" + kubeconfig}, target...)...)
}

// rightsToAttach returns the rights of the roles to attach. A port-forward by websocket is a get; that it is a create as well, which the API
// server asks since 1.35, is not in its audit log.
func (i *installation) rightsToAttach() (all []string) {
	i.t.Helper()
	roles, err := i.client.RbacV1().Roles(metav1.NamespaceSystem).List(i.ctx, metav1.ListOptions{})
	if err != nil {
		i.t.Fatal(err)
	}
	for _, role := range roles.Items {
		if strings.HasPrefix(role.Name, "orrery-attach") {
			all = append(all, rightsIn(role.Rules)...)
		}
	}
	return slices.DeleteFunc(all, func(r string) bool { return r == "create pods/portforward" })
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
