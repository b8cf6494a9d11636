package live_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"orrery/core/parity/apiserver"
	"orrery/core/scheduler/release"
	"orrery/core/world"
)

// printedRules returns the rules of the roles of a scheduler that "orrery manifests" prints, for the whole cluster and for its namespace.
func (s *fixture) printedRules(args ...string) (everywhere, inNamespace []rbacv1.PolicyRule) {
	s.t.Helper()
	p := s.exec(manifestArgs(args...)...)
	if code := p.exit(); code != 0 {
		s.t.Fatalf("exit code %d: %s", code, p.output)
	}
	for _, document := range strings.Split(p.output.String(), "\n---\n") {
		var role rbacv1.ClusterRole
		if err := yaml.Unmarshal([]byte(document), &role); err != nil {
			s.t.Fatalf("%v in\n%s", err, document)
		}
		switch {
		case strings.Contains(role.Name, "-attach"): // for users
		case role.Kind == "ClusterRole" && !strings.HasSuffix(role.Name, "-metrics"):
			everywhere = append(everywhere, role.Rules...)
		case role.Kind == "Role":
			inNamespace = append(inNamespace, role.Rules...)
		}
	}
	if len(everywhere) == 0 {
		s.t.Fatalf("no role is printed: %s", p.output)
	}
	return everywhere, inNamespace
}

func rightsIn(rules []rbacv1.PolicyRule) (all []string) {
	for _, rule := range rules {
		for _, verb := range rule.Verbs {
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					all = append(all, right{verb, group, resource}.String())
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// The read-only role is sufficient for every command that only reads, and together these commands use every right in it.
func TestManifests_ReadRoleIsExact(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	role, _ := s.printedRules("--shadow")
	s.permit(viewer, "", role...)
	s.start(nil)
	s.pods(3, "a", "10m")
	s.pods(1, "big", "64")
	s.bound(3)
	kubeconfig, err := server.Kubeconfig(viewer)
	if err != nil {
		t.Fatal(err)
	}
	as := []string{"--kubeconfig=" + kubeconfig, "--config=" + s.configFile(kubeconfig)}
	session := s.openConsole(viewer, nil)
	if alert := func() string { st := session.State(); return st.Access() }(); !strings.HasPrefix(alert, "Everything") {
		t.Errorf("the console reports missing rights:\n%s", alert)
	}
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"record", "--for=2s", "--output=json", "--out=" + filepath.Join(t.TempDir(), "x.orrery")}, 0, `"unread": \[\]`},
		{[]string{"explain", "a-0", "--output=json"}, 0, `"unread": \[\]`},
		{[]string{"explain", "big-0"}, 1, "requests 64"},
		{[]string{"whatif", "cordon", "node-0", "--output=json"}, 0, `"unread": \[\]`},
		{[]string{"whatif", "add", "3", "nodes", "like", "node-0"}, 0, ""},
	} {
		p := s.exec(append(slices.Clone(tt.args), as...)...)
		if code := p.exit(); code != tt.code {
			t.Errorf("%q: exit code %d, want %d: %s", tt.args, code, tt.code, p.output)
		}
		if err := p.logged(tt.says); err != nil {
			t.Errorf("%q: %v; output %s", tt.args, err, p.output)
		}
	}
	session.Close()
	requested := slices.DeleteFunc(s.requests(viewer), func(r string) bool { // usage is optional
		return r == "get nodes/proxy" || strings.HasSuffix(r, ".metrics.k8s.io")
	})
	permitted := servedRights(role)
	if served < release.V137 { // which does not read them by default
		permitted = slices.DeleteFunc(permitted, func(r string) bool { return strings.HasSuffix(r, " devicetaintrules.resource.k8s.io") })
	}
	if !slices.Equal(requested, permitted) {
		t.Errorf("requests\n%q\ndiffer from the rights\n%q", requested, permitted)
	}
}

// The observer's role is sufficient beside a scheduler that binds pods; it makes no other request, and uses every right.
func TestManifests_ObserverRoleIsExact(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	role, _ := s.printedRules("--observe")
	s.permit(viewer, "", role...)
	s.start(nil)
	kubeconfig, err := server.Kubeconfig(viewer)
	if err != nil {
		t.Fatal(err)
	}
	authKubeconfig, err := server.Kubeconfig(apiserver.Admin) // the endpoints' authorization needs more rights
	if err != nil {
		t.Fatal(err)
	}
	p := s.serve(orrery, "observe", "--kubeconfig="+kubeconfig, "--config="+s.configFile(kubeconfig), "--record-dir="+t.TempDir(),
		"--authentication-kubeconfig="+authKubeconfig, "--authorization-kubeconfig="+authKubeconfig)
	s.eventually(p.ready)
	s.pods(3, "a", "10m")
	s.bound(3)
	s.eventually(p.ready)
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := p.exit(); code != 0 {
		t.Errorf("exit code %d: %s", code, p.output)
	}
	if requested := s.requests(viewer); !slices.Equal(requested, servedRights(role)) {
		t.Errorf("requests\n%q\ndiffer from the rights\n%q", requested, servedRights(role))
	}
}

// servedRights are the rights of a role without watches of groups, which this API server does not serve: a list says so.
func servedRights(role []rbacv1.PolicyRule) []string {
	return slices.DeleteFunc(rightsIn(role), func(r string) bool {
		return slices.ContainsFunc(world.GroupKinds(), func(kind world.Kind) bool { return r == "watch "+kind.Resource().GroupResource().String() })
	})
}

// The scheduler's role is sufficient to bind pods, to preempt, and to evict from tainted nodes.
func TestManifests_SchedulerRoleIsEnough(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.priorities()
	role, lease := s.printedRules()
	s.permit(viewer, "", role...)
	s.permit(viewer, "kube-system", lease...)
	s.lease = "orrery" // the one that the role is for
	s.forgetLease()
	kubeconfig, err := server.Kubeconfig(viewer)
	if err != nil {
		t.Fatal(err)
	}
	authKubeconfig, err := server.Kubeconfig(apiserver.Admin) // the endpoints' authorization needs more rights
	if err != nil {
		t.Fatal(err)
	}
	p := s.scheduleBy(kubeconfig, orrery, "--controllers=taint-eviction", "--authentication-kubeconfig="+authKubeconfig, "--authorization-kubeconfig="+authKubeconfig,
		"--leader-elect-resource-name=orrery", "--leader-elect-resource-namespace=kube-system")
	s.eventually(p.ready)
	s.pods(3, "low", "5")
	s.bound(3)
	high := podWith("high", "6", func(p *v1.Pod) { p.Spec.PriorityClassName = "high" })
	if _, err := s.create(high); err != nil {
		t.Fatal(err)
	}
	s.eventually(func() error {
		terminating := 0
		for _, pod := range s.list() {
			if pod.DeletionTimestamp != nil {
				terminating++
				_ = s.client.CoreV1().Pods(pod.Namespace).Delete(s.ctx, pod.Name, *metav1.NewDeleteOptions(0))
			}
		}
		for _, pod := range s.list() {
			if pod.Name == "high" && pod.Spec.NodeName != "" {
				return nil
			}
		}
		return fmt.Errorf("high has no node; %d pods are terminating", terminating)
	})
	node, err := s.client.CoreV1().Nodes().Get(s.ctx, "node-0", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	there := 0
	for _, pod := range s.list() {
		if pod.Spec.NodeName == node.Name {
			there++
		}
	}
	node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: "broken", Effect: v1.TaintEffectNoExecute})
	if _, err := s.client.CoreV1().Nodes().Update(s.ctx, node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.eventually(func() error {
		for _, pod := range s.list() {
			if pod.Spec.NodeName == node.Name && pod.DeletionTimestamp == nil {
				return fmt.Errorf("%s is still on the tainted node", pod.Name)
			}
		}
		return nil
	})
	if there == 0 {
		t.Error("no pod was on the tainted node")
	}
	if p.logged("(?i)forbidden") == nil {
		t.Errorf("a request was forbidden: %s", p.output)
	}
}
