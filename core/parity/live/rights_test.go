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

// viewer is a user who reads a cluster, and whose requests are all in the audit log.
const viewer = "viewer"

// limited is a user with only the rights that a test grants.
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

// permit grants a user rights until the test ends, in all namespaces or in one, and waits until they are effective.
func (s *fixture) permit(user, namespace string, rules ...rbacv1.PolicyRule) {
	s.t.Helper()
	rbac, about := s.client.RbacV1(), metav1.ObjectMeta{GenerateName: s.name + "-", Namespace: namespace}
	subject := []rbacv1.Subject{{Kind: rbacv1.UserKind, Name: user, APIGroup: rbacv1.GroupName}}
	role, err := rbac.ClusterRoles().Create(s.ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{GenerateName: s.name + "-"}, Rules: rules}, metav1.CreateOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	roleRef := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name}
	take := func() {}
	if namespace == "" {
		b, failed := rbac.ClusterRoleBindings().Create(s.ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: about, Subjects: subject, RoleRef: roleRef}, metav1.CreateOptions{})
		err, take = failed, func() { _ = rbac.ClusterRoleBindings().Delete(context.Background(), b.Name, metav1.DeleteOptions{}) }
	} else {
		b, failed := rbac.RoleBindings(namespace).Create(s.ctx, &rbacv1.RoleBinding{ObjectMeta: about, Subjects: subject, RoleRef: roleRef}, metav1.CreateOptions{})
		err, take = failed, func() { _ = rbac.RoleBindings(namespace).Delete(context.Background(), b.Name, metav1.DeleteOptions{}) }
	}
	if err != nil {
		s.t.Fatal(err)
	}
	var r right // one without resource names
	for _, rule := range rules {
		if len(rule.ResourceNames) == 0 {
			r = right{rule.Verbs[0], rule.APIGroups[0], rule.Resources[0]}
		}
	}
	s.eventually(func() error { return s.may(user, namespace, r) })
	s.t.Cleanup(func() {
		take()
		_ = rbac.ClusterRoles().Delete(context.Background(), role.Name, metav1.DeleteOptions{})
		s.ctx = context.Background() // the test's context has ended
		s.eventually(func() error {
			if s.may(user, namespace, r) == nil {
				return fmt.Errorf("%s may still %s", user, r)
			}
			return nil
		})
	})
}

// may returns an error if a user does not have a right.
func (s *fixture) may(user, namespace string, r right) error {
	return s.mayBy(user, namespace, r.rule())
}

// mayBy returns an error if a user does not have the first right of a rule.
func (s *fixture) mayBy(user, namespace string, rule rbacv1.PolicyRule) error {
	spec := authorizationv1.SubjectAccessReviewSpec{User: user}
	if len(rule.NonResourceURLs) > 0 {
		spec.NonResourceAttributes = &authorizationv1.NonResourceAttributes{Path: rule.NonResourceURLs[0], Verb: rule.Verbs[0]}
	} else {
		resource, sub, _ := strings.Cut(rule.Resources[0], "/")
		spec.ResourceAttributes = &authorizationv1.ResourceAttributes{
			Namespace: namespace, Verb: rule.Verbs[0], Group: rule.APIGroups[0], Resource: resource, Subresource: sub,
			Name: strings.Join(rule.ResourceNames, ""), // of one at most
		}
	}
	review, err := s.client.AuthorizationV1().SubjectAccessReviews().Create(s.ctx, &authorizationv1.SubjectAccessReview{Spec: spec}, metav1.CreateOptions{})
	if err == nil && !review.Status.Allowed {
		err = fmt.Errorf("%s may not %+v", user, rule)
	}
	return err
}

// awaitRole waits until a user has the rights of a bound role, or of a bound cluster role if the namespace is empty. The API
// server learns of both by watches.
func (s *fixture) awaitRole(user, namespace, name string) {
	s.t.Helper()
	s.eventually(func() error {
		var rules []rbacv1.PolicyRule
		if namespace == "" {
			role, err := s.client.RbacV1().ClusterRoles().Get(s.ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			rules = role.Rules
		} else {
			role, err := s.client.RbacV1().Roles(namespace).Get(s.ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			rules = role.Rules
		}
		return s.mayBy(user, namespace, rules[0])
	})
}

// grant grants a user a cluster role until the test ends.
func (s *fixture) grant(user, role string) {
	s.t.Helper()
	if err := server.Grant(s.ctx, user, role); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = s.client.RbacV1().ClusterRoleBindings().Delete(context.Background(), user+"-"+role, metav1.DeleteOptions{})
	})
	s.awaitRole(user, "", role)
}

// kubeSchedulerRights returns the rights that the API server grants kube-scheduler, one by one, except some.
func (s *fixture) kubeSchedulerRights(except ...right) (rules []rbacv1.PolicyRule) {
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
						if r := (right{verb, group, resource}); !slices.Contains(except, r) {
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

// scheduleWithout runs a scheduler with all rights of kube-scheduler except some.
func (s *fixture) scheduleWithout(what schedulerProgram, except ...right) *process {
	s.t.Helper()
	s.permit(limited, "", s.kubeSchedulerRights(except...)...)
	kubeconfig, err := server.Kubeconfig(apiserver.Admin)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.scheduleAs(limited, what, "--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig)
}

func bothPrograms(t *testing.T, nodes []*v1.Node, run func(s *fixture, what schedulerProgram) []string) {
	t.Helper()
	described := map[string][]string{}
	for _, what := range []schedulerProgram{kubeScheduler, orrery} {
		t.Run(what.name(), func(t *testing.T) { described[what.name()] = run(newFixtureOf(t, nodes), what) })
	}
	theirs, ours := described["kube-scheduler"], described["Orrery"]
	if len(theirs) == 0 || !slices.Equal(theirs, ours) {
		t.Errorf("kube-scheduler:\n%s\nOrrery:\n%s", strings.Join(theirs, "\n"), strings.Join(ours, "\n"))
	}
}

func newFixtureOf(t *testing.T, nodes []*v1.Node) *fixture {
	var fresh []*v1.Node
	for _, node := range nodes {
		fresh = append(fresh, node.DeepCopy())
	}
	return newFixture(t, fresh...)
}

// metric checks that a process exposes a metric, given as a line without its value.
func (p *process) metric(line string) error {
	if _, body := p.get("/metrics", apiserver.Admin); !strings.Contains(body, line) {
		return errors.New("no metric " + line)
	}
	return nil
}
