package live_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// policy has the API server write down who asked for bindings and leases, and how it was answered.
const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- level: Request
  verbs: [create, update]
  resources:
  - {group: "", resources: [pods/binding]}
  - {group: coordination.k8s.io, resources: [leases]}
- level: None
`

func auditPolicy() string { return filepath.Join(scratch, "audit-policy.yaml") }

func auditLog() string { return filepath.Join(scratch, "audit.log") }

// act is a binding or a lease that was written, or was not.
type act struct {
	User           struct{ Username string }
	Stage          string
	ObjectRef      struct{ Resource, Name string }
	ResponseStatus struct{ Code int }
	RequestObject  struct {
		Metadata struct{ UID types.UID }
		Target   struct{ Name string }
		Spec     struct{ HolderIdentity string }
	}
	RequestReceivedTimestamp, StageTimestamp time.Time
}

func (a *act) succeeded() bool { return a.ResponseStatus.Code < 300 }

// acts are all that happened since the scene began, in the order of their answers.
func (s *scene) acts(resource string) []act {
	s.t.Helper()
	text, err := os.ReadFile(auditLog())
	if err != nil {
		s.t.Fatal(err)
	}
	var all []act
	for line := range strings.Lines(string(text)) {
		var a act
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			continue // the server was stopped, or is at it
		}
		if a.Stage == "ResponseComplete" && a.ObjectRef.Resource == resource && a.RequestReceivedTimestamp.After(s.began) {
			all = append(all, a)
		}
	}
	slices.SortStableFunc(all, func(a, b act) int { return a.StageTimestamp.Compare(b.StageTimestamp) })
	return all
}

// boundTwice are pods for which the API server said more than once that it had bound them.
func (s *scene) boundTwice() (pods []string) {
	bound := map[types.UID]string{}
	for _, a := range s.acts("pods") {
		if !a.succeeded() {
			continue
		}
		if node := bound[a.RequestObject.Metadata.UID]; node != "" {
			pods = append(pods, fmt.Sprintf("%s to %s and to %s", a.ObjectRef.Name, node, a.RequestObject.Target.Name))
		}
		bound[a.RequestObject.Metadata.UID] = a.RequestObject.Target.Name
	}
	return pods
}

// reign is the time in which the lease was a user's.
type reign struct {
	user        string
	identity    string
	first, last time.Time // last is when the next one took it, or it was released
}

// reigns are who had the scene's lease, one after the other.
func (s *scene) reigns() (all []reign) {
	for _, a := range s.acts("leases") {
		if a.ObjectRef.Name != s.name || !a.succeeded() {
			continue
		}
		holder := a.RequestObject.Spec.HolderIdentity
		if last := len(all) - 1; last >= 0 && all[last].last.IsZero() {
			if all[last].identity == holder {
				continue
			}
			all[last].last = a.StageTimestamp
		}
		if holder != "" {
			all = append(all, reign{user: a.User.Username, identity: holder, first: a.RequestReceivedTimestamp})
		}
	}
	return all
}

// usurped are bindings that were asked for by somebody who did not have the lease.
func (s *scene) usurped() (bindings []string) {
	reigns := s.reigns()
	for _, a := range s.acts("pods") {
		his := slices.ContainsFunc(reigns, func(r reign) bool {
			return r.user == a.User.Username && a.RequestReceivedTimestamp.After(r.first) &&
				(r.last.IsZero() || a.RequestReceivedTimestamp.Before(r.last))
		})
		if !his {
			bindings = append(bindings, fmt.Sprintf("of %s by %s at %s", a.ObjectRef.Name, a.User.Username, a.RequestReceivedTimestamp))
		}
	}
	return bindings
}
