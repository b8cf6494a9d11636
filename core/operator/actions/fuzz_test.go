package actions_test

import (
	"errors"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/operator/actions"
	"orrery/core/testing/fuzz"
)

// FuzzExplainForbidden reads what the API server says of a request that it does not permit.
//
//orrery:reads core/operator/actions
func FuzzExplainForbidden(f *testing.F) {
	f.Add(`pods "web" is forbidden: User "jane" cannot delete resource "pods" in API group "" in the namespace "shop"`)
	f.Add("forbidden: User \"CN=\\\"j\\x1b[2J\\\\\" cannot get path \"/metrics\"")
	f.Add("forbidden: User `\u202e` cannot ")
	f.Add(`admission webhook "w" denied the request: forbidden: User "x" cannot`)
	f.Fuzz(func(t *testing.T, message string) {
		answer := &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: message,
		}}
		fuzz.Cost(t, len(message), func() {
			err := actions.ExplainForbidden(answer, actions.Rule{Resource: "pods", Verb: "delete", Namespace: "shop"})
			if denied := (*actions.ForbiddenError)(nil); errors.As(err, &denied) {
				fuzz.Error(t, denied)
			} else if !errors.Is(err, answer) {
				t.Errorf("%q became %v", message, err)
			}
		})
	})
}
