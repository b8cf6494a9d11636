package live_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"orrery/core/parity/apiserver"
)

// printed are the rules of the roles that "orrery manifests" prints, in the whole cluster and in its own namespace.
func (s *scene) printed(args ...string) (everywhere, inNamespace []rbacv1.PolicyRule) {
	s.t.Helper()
	p := s.exec(append([]string{"manifests"}, args...)...)
	if code := p.exit(); code != 0 {
		s.t.Fatalf("exit code %d: %s", code, p.said)
	}
	for _, document := range strings.Split(p.said.String(), "\n---\n") {
		var role rbacv1.ClusterRole
		if err := yaml.Unmarshal([]byte(document), &role); err != nil {
			s.t.Fatalf("%v in\n%s", err, document)
		}
		switch {
		case role.Kind == "ClusterRole" && !strings.HasSuffix(role.Name, "-metrics"):
			everywhere = append(everywhere, role.Rules...)
		case role.Kind == "Role":
			inNamespace = append(inNamespace, role.Rules...)
		}
	}
	if len(everywhere) == 0 {
		s.t.Fatalf("no role is printed: %s", p.said)
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

// Who has the role for looking, and no other, is refused nothing by any command that only looks; and all of them together
// use every right that is in it.
func TestManifests_ReadRoleIsExact(t *testing.T) {
	s := newScene(t, threeNodes()...)
	role, _ := s.printed("--shadow")
	s.permit(onlooker, "", role...)
	s.start(nil)
	s.pods(3, "a", "10m")
	s.pods(1, "big", "64")
	s.bound(3)
	kubeconfig, err := server.Kubeconfig(onlooker)
	if err != nil {
		t.Fatal(err)
	}
	as := []string{"--kubeconfig=" + kubeconfig, "--config=" + s.configFile(kubeconfig)}
	session := s.look(onlooker, nil)
	if alert := func() string { st := session.State(); return st.Access() }(); !strings.HasPrefix(alert, "Everything") {
		t.Errorf("the console lacks something:\n%s", alert)
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
			t.Errorf("%q: exit code %d, want %d: %s", tt.args, code, tt.code, p.said)
		}
		if err := p.says(tt.says); err != nil {
			t.Errorf("%q: %v; it said %s", tt.args, err, p.said)
		}
	}
	session.Close()
	asked := slices.DeleteFunc(s.requests(onlooker), func(r string) bool { // what nodes use is asked for, and done without
		return r == "get nodes/proxy" || strings.HasSuffix(r, ".metrics.k8s.io")
	})
	if may := rightsIn(role); !slices.Equal(asked, may) {
		t.Errorf("asked for were\n%q\nand permitted are\n%q", asked, may)
	}
}

// Who has the role of a scheduler, and no other, places pods, makes room for them, and has them leave tainted nodes.
func TestManifests_SchedulerRoleIsEnough(t *testing.T) {
	s := newScene(t, threeNodes()...)
	s.priorities()
	role, lease := s.printed()
	s.permit(onlooker, "", role...)
	s.permit(onlooker, "kube-system", lease...)
	s.lease = "orrery" // the one that the role is for
	kubeconfig, err := server.Kubeconfig(onlooker)
	if err != nil {
		t.Fatal(err)
	}
	asks, err := server.Kubeconfig(apiserver.Admin) // who may read metrics is asked with the rights of Kubernetes' own roles
	if err != nil {
		t.Fatal(err)
	}
	p := s.scheduleBy(kubeconfig, orrery, "--controllers=taint-eviction", "--authentication-kubeconfig="+asks, "--authorization-kubeconfig="+asks,
		"--leader-elect-resource-name=orrery", "--leader-elect-resource-namespace=kube-system")
	s.eventually(p.ready)
	s.pods(3, "low", "5")
	s.bound(3)
	high := podWith("high", "6", func(p *v1.Pod) { p.Spec.PriorityClassName = "high" })
	if _, err := s.create(high); err != nil {
		t.Fatal(err)
	}
	s.eventually(func() error {
		leaving := 0
		for _, pod := range s.list() {
			if pod.DeletionTimestamp != nil {
				leaving++
				_ = s.client.CoreV1().Pods(pod.Namespace).Delete(s.ctx, pod.Name, *metav1.NewDeleteOptions(0))
			}
		}
		for _, pod := range s.list() {
			if pod.Name == "high" && pod.Spec.NodeName != "" {
				return nil
			}
		}
		return fmt.Errorf("high has no node; %d leave", leaving)
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
		t.Error("there was nobody to leave the tainted node")
	}
	if p.says("(?i)forbidden") == nil {
		t.Errorf("something was forbidden: %s", p.said)
	}
}
