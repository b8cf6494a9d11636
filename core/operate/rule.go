package operate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"orrery/core/printable"
)

// Rule is one RBAC permission.
type Rule struct {
	// Group is the API group; empty for core.
	Group, Resource, Verb string
	// Namespace is the namespace; empty for all.
	Namespace string
}

// String is the rule in words: "list pods.metrics.k8s.io".
func (r Rule) String() string { return r.Verb + " " + r.Object() }

// Object is the resource with its group.
func (r Rule) Object() string {
	if r.Group == "" {
		return r.Resource
	}
	return r.Resource + "." + r.Group
}

// Where is the kind of role that grants the rule.
func (r Rule) Where() string {
	if r.Namespace == "" {
		return "in a ClusterRole"
	}
	return "in namespace " + r.Namespace
}

// YAML writes rules as in a role, grouped by resource.
func YAML(rules []Rule) string {
	type object struct{ group, resource string }
	verbs := map[object][]string{}
	var order []object
	for _, r := range rules {
		o := object{r.Group, r.Resource}
		if verbs[o] == nil {
			order = append(order, o)
		}
		if !slices.Contains(verbs[o], r.Verb) {
			verbs[o] = append(verbs[o], r.Verb)
		}
	}
	var b strings.Builder
	for _, o := range order {
		fmt.Fprintf(&b, "- apiGroups: [%q]\n  resources: [%q]\n  verbs: [\"%s\"]\n", o.group, o.resource, strings.Join(verbs[o], `", "`))
	}
	return b.String()
}

// ForbiddenError: the API server does not permit a request.
type ForbiddenError struct {
	Rule Rule
	// User is the user who lacks the permission, if the API server named one.
	User string
	err  error
}

func (e *ForbiddenError) Error() string {
	who := "you"
	if e.User != "" {
		who = "user " + printable.Line(e.User, 80)
	}
	return fmt.Sprintf("forbidden: %s may not %s; this needs the RBAC rule {apiGroups: [%q], resources: [%q], verbs: [%q]} %s",
		who, e.Rule, e.Rule.Group, e.Rule.Resource, e.Rule.Verb, e.Rule.Where())
}

func (e *ForbiddenError) Unwrap() error { return e.err }

// ExplainForbidden makes a ForbiddenError of a 403 response; other errors are returned unchanged.
func ExplainForbidden(err error, r Rule) error {
	if err == nil || !apierrors.IsForbidden(err) {
		return err
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		if d := status.Status().Details; d != nil && d.Kind != "" && r.Resource == "" {
			r.Group, r.Resource = d.Group, d.Kind
		}
	}
	return &ForbiddenError{Rule: r, User: userIn(err.Error()), err: err}
}

// userIn finds the user in the API server's message.
func userIn(message string) string {
	_, rest, ok := strings.Cut(message, `User "`)
	if !ok {
		return ""
	}
	user, _, ok := strings.Cut(rest, `"`)
	if !ok {
		return ""
	}
	return user
}
