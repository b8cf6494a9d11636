package contact

import (
	"net/http"
	"strings"
)

// Request is what a request asks of an API server, in the words of RBAC.
type Request struct{ Group, Resource, Namespace, Verb string }

// RequestOf reads a request by its method and path. It reports false for one that is about no resource.
func RequestOf(r *http.Request) (Request, bool) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	var q Request
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		q.Group, parts = parts[1], parts[3:]
	default:
		return q, false
	}
	if len(parts) > 2 && parts[0] == "namespaces" {
		q.Namespace, parts = parts[1], parts[2:]
	}
	q.Resource = parts[0]
	named := len(parts) > 1
	if len(parts) > 2 {
		q.Resource += "/" + parts[2]
	}
	switch watch := r.URL.Query().Get("watch"); {
	case r.Method == http.MethodGet && (watch == "true" || watch == "1"):
		q.Verb = "watch"
	case r.Method == http.MethodGet && !named:
		q.Verb = "list"
	default:
		q.Verb = map[string]string{
			http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete",
		}[r.Method]
	}
	return q, q.Verb != ""
}
