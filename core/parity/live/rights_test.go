package live_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/parity/apiserver"
)

// onlooker is who looks at a cluster; all they ask for is written down.
const onlooker = "onlooker"

// limited is who has the rights that a test gives, and no others.
const limited = "limited"

// right is one permission.
type right struct{ verb, group, resource string }

func (r right) String() string { return strings.TrimSuffix(r.verb+" "+r.resource+"."+r.group, ".") }

func (r right) rule() rbacv1.PolicyRule {
	return rbacv1.PolicyRule{Verbs: []string{r.verb}, APIGroups: []string{r.group}, Resources: []string{r.resource}}
}

func reading(group string, resources ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{Verbs: []string{"list", "watch"}, APIGroups: []string{group}, Resources: resources}
}

// permit gives a user rights until the scene ends, everywhere or in one namespace, and waits until they have them.
func (s *scene) permit(user, namespace string, rules ...rbacv1.PolicyRule) {
	s.t.Helper()
	rbac, about := s.client.RbacV1(), metav1.ObjectMeta{GenerateName: s.name + "-", Namespace: namespace}
	subject := []rbacv1.Subject{{Kind: rbacv1.UserKind, Name: user, APIGroup: rbacv1.GroupName}}
	role, err := rbac.ClusterRoles().Create(s.ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{GenerateName: s.name + "-"}, Rules: rules}, metav1.CreateOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	given := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name}
	take := func() {}
	if namespace == "" {
		b, failed := rbac.ClusterRoleBindings().Create(s.ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: about, Subjects: subject, RoleRef: given}, metav1.CreateOptions{})
		err, take = failed, func() { _ = rbac.ClusterRoleBindings().Delete(context.Background(), b.Name, metav1.DeleteOptions{}) }
	} else {
		b, failed := rbac.RoleBindings(namespace).Create(s.ctx, &rbacv1.RoleBinding{ObjectMeta: about, Subjects: subject, RoleRef: given}, metav1.CreateOptions{})
		err, take = failed, func() { _ = rbac.RoleBindings(namespace).Delete(context.Background(), b.Name, metav1.DeleteOptions{}) }
	}
	if err != nil {
		s.t.Fatal(err)
	}
	var r right // one that does not depend on a name
	for _, rule := range rules {
		if len(rule.ResourceNames) == 0 {
			r = right{rule.Verbs[0], rule.APIGroups[0], rule.Resources[0]}
		}
	}
	s.eventually(func() error { return s.may(user, namespace, r) })
	s.t.Cleanup(func() {
		take()
		_ = rbac.ClusterRoles().Delete(context.Background(), role.Name, metav1.DeleteOptions{})
		s.ctx = context.Background() // the test's has ended
		s.eventually(func() error {
			if s.may(user, namespace, r) == nil {
				return fmt.Errorf("%s still may %s", user, r)
			}
			return nil
		})
	})
}

// may says what is wrong if a user has not a right.
func (s *scene) may(user, namespace string, r right) error {
	resource, sub, _ := strings.Cut(r.resource, "/")
	review, err := s.client.AuthorizationV1().SubjectAccessReviews().Create(s.ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: namespace, Verb: r.verb, Group: r.group, Resource: resource, Subresource: sub,
		}},
	}, metav1.CreateOptions{})
	if err == nil && !review.Status.Allowed {
		err = fmt.Errorf("%s may not %s", user, r)
	}
	return err
}

// kubeSchedulersRights are what the API server gives kube-scheduler, one by one, but for some.
func (s *scene) kubeSchedulersRights(but ...right) (rules []rbacv1.PolicyRule) {
	s.t.Helper()
	for _, name := range []string{"system:kube-scheduler", "system:volume-scheduler"} {
		role, err := s.client.RbacV1().ClusterRoles().Get(s.ctx, name, metav1.GetOptions{})
		if err != nil {
			s.t.Fatal(err)
		}
		for _, rule := range role.Rules {
			for _, verb := range rule.Verbs {
				for _, group := range rule.APIGroups {
					for _, resource := range rule.Resources {
						if r := (right{verb, group, resource}); !slices.Contains(but, r) {
							one := r.rule()
							one.ResourceNames = rule.ResourceNames
							rules = append(rules, one)
						}
					}
				}
			}
		}
	}
	return append(rules, rbacv1.PolicyRule{Verbs: []string{"*"}, APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}})
}

// scheduleWithout runs a scheduler that has all rights of kube-scheduler but some.
func (s *scene) scheduleWithout(what schedulerProgram, but ...right) *process {
	s.t.Helper()
	s.permit(limited, "", s.kubeSchedulersRights(but...)...)
	asks, err := server.Kubeconfig(apiserver.Admin)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.scheduleAs(limited, what, "--authentication-kubeconfig="+asks, "--authorization-kubeconfig="+asks)
}

func bothPrograms(t *testing.T, nodes []*v1.Node, story func(s *scene, what schedulerProgram) []string) {
	t.Helper()
	said := map[string][]string{}
	for _, what := range []schedulerProgram{kubeScheduler, orrery} {
		t.Run(what.name(), func(t *testing.T) { said[what.name()] = story(newSceneOf(t, nodes), what) })
	}
	theirs, ours := said["kube-scheduler"], said["Orrery"]
	if len(theirs) == 0 || !slices.Equal(theirs, ours) {
		t.Errorf("kube-scheduler says\n%s\nOrrery says\n%s", strings.Join(theirs, "\n"), strings.Join(ours, "\n"))
	}
}

func newSceneOf(t *testing.T, nodes []*v1.Node) *scene {
	var fresh []*v1.Node
	for _, node := range nodes {
		fresh = append(fresh, node.DeepCopy())
	}
	return newScene(t, fresh...)
}

// metric is one line of a process's metrics, without its number.
func (p *process) metric(line string) error {
	if _, body := p.get("/metrics", apiserver.Admin); !strings.Contains(body, line) {
		return errors.New("there is no metric " + line)
	}
	return nil
}
