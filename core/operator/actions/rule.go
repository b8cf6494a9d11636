package actions

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"orrery/core/safe/printable"
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

// ForbiddenError: the API server's authorizer does not permit a request.
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

// ExplainForbidden makes a ForbiddenError of an authorizer's denial. Other errors are returned unchanged, also a 403 of
// an admission plugin or webhook: no RBAC rule would help, and its message is the reason.
func ExplainForbidden(err error, r Rule) error {
	var response apierrors.APIStatus
	if !apierrors.IsForbidden(err) || !errors.As(err, &response) {
		return err
	}
	status := response.Status()
	user, denied := deniedUser(status.Message)
	if !denied {
		return err
	}
	if d := status.Details; d != nil && d.Kind != "" && r.Resource == "" {
		r.Group, r.Resource = d.Group, d.Kind
	}
	return &ForbiddenError{Rule: r, User: user, err: err}
}

// deniedUser returns the user that an authorizer's denial names: `pods "web" is forbidden: User "jane" cannot delete resource ...`.
// The user comes first after "forbidden: ", so that a webhook's text does not pass for a denial.
func deniedUser(message string) (user string, denied bool) {
	subject, reason, _ := strings.Cut(message, "forbidden: ")
	quoted, named := strings.CutPrefix(reason, "User ")
	name, err := strconv.QuotedPrefix(quoted)
	if !named || err != nil || subject != "" && !strings.HasSuffix(subject, " is ") || !strings.HasPrefix(quoted[len(name):], " cannot ") {
		return "", false
	}
	user, err = strconv.Unquote(name)
	return user, err == nil
}
