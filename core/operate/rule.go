package operate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"orrery/core/printable"
)

// Rule is one permission of RBAC.
type Rule struct {
	// Group is the API group, empty for the core's.
	Group, Resource, Verb string
	// Namespace is where it is needed; empty for everywhere.
	Namespace string
}

// String is the rule as people say it: "list pods.metrics.k8s.io".
func (r Rule) String() string { return r.Verb + " " + r.Object() }

// Object is what the rule is about.
func (r Rule) Object() string {
	if r.Group == "" {
		return r.Resource
	}
	return r.Resource + "." + r.Group
}

// Where is where the rule is needed, as kinds of roles say it.
func (r Rule) Where() string {
	if r.Namespace == "" {
		return "in a ClusterRole"
	}
	return "in namespace " + r.Namespace
}

// YAML writes rules as a role has them, those about one resource together.
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

// RefusedError says that the API server does not permit something.
type RefusedError struct {
	Rule Rule
	// Who is whom it does not permit it, if the API server said so.
	Who string
	err error
}

func (e *RefusedError) Error() string {
	who := "you"
	if e.Who != "" {
		who = "user " + printable.Line(e.Who, 80)
	}
	return fmt.Sprintf("the API server refuses: %s may not %s; it takes the RBAC rule {apiGroups: [%q], resources: [%q], verbs: [%q]} %s",
		who, e.Rule, e.Rule.Group, e.Rule.Resource, e.Rule.Verb, e.Rule.Where())
}

func (e *RefusedError) Unwrap() error { return e.err }

// Refused turns an answer of the API server that forbids something into one that names the rule; others are left as they
// are.
func Refused(err error, r Rule) error {
	if err == nil || !apierrors.IsForbidden(err) {
		return err
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		if d := status.Status().Details; d != nil && d.Kind != "" && r.Resource == "" {
			r.Group, r.Resource = d.Group, d.Kind
		}
	}
	return &RefusedError{Rule: r, Who: userIn(err.Error()), err: err}
}

// userIn is who is forbidden something, in the words of the API server.
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
