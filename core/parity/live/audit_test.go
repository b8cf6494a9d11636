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
- level: Metadata
  users: [` + rival + `]
  resources:
  - {group: coordination.k8s.io, resources: [leases, leasecandidates]}
- level: Metadata
  users: [` + onlooker + `]
- level: None
`

func auditPolicy() string { return filepath.Join(scratch, "audit-policy.yaml") }

func auditLog() string { return filepath.Join(scratch, "audit.log") }

// act is a binding or a lease that was written, or was not.
type act struct {
	User           struct{ Username string }
	Stage, Verb    string
	ObjectRef      struct{ Resource, Name string }
	ResponseStatus struct{ Code int }
	RequestObject  struct {
		Metadata struct{ UID types.UID }
		Target   struct{ Name string }
		Spec     struct {
			HolderIdentity       string
			LeaseDurationSeconds int
		}
	}
	RequestReceivedTimestamp, StageTimestamp time.Time
}

func (a *act) succeeded() bool { return a.ResponseStatus.Code < 300 }

// acts are all bindings, or leases that were written, since the scene began, in the order of their answers.
func (s *scene) acts(resource string) []act {
	s.t.Helper()
	return slices.DeleteFunc(s.audited(), func(a act) bool {
		return a.Stage != "ResponseComplete" || a.ObjectRef.Resource != resource || (a.Verb != "create" && a.Verb != "update")
	})
}

// audited is all that the server wrote down since the scene began, reads included where there are rules for them.
func (s *scene) audited() []act {
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
		if a.RequestReceivedTimestamp.After(s.began) {
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
	lapses      []lapse
}

// lapse is a time in which the lease ran out and was renewed nevertheless, or not yet.
type lapse struct{ from, to time.Time }

// renewed notes when the lease would run out next.
func (r *reign) renewed(a *act) {
	if n := len(r.lapses); n > 0 {
		r.lapses[n-1].to = a.RequestReceivedTimestamp
	}
	lasts := time.Duration(a.RequestObject.Spec.LeaseDurationSeconds) * time.Second
	r.lapses = append(r.lapses, lapse{from: a.StageTimestamp.Add(lasts)})
}

// covers tells whether the lease was held and valid at a time.
func (r *reign) covers(t time.Time) bool {
	return t.After(r.first) && (r.last.IsZero() || t.Before(r.last)) && !slices.ContainsFunc(r.lapses, func(l lapse) bool {
		return t.After(l.from) && (l.to.IsZero() || t.Before(l.to))
	})
}

// controlPlane is who writes names into a lease if it is the control plane that chooses. Whoever it chose reigns if they
// renew the lease: it may have chosen somebody who is no more.
const controlPlane = "system:apiserver"

// reigns are who had the scene's lease, one after the other.
func (s *scene) reigns() (all []reign) {
	for _, a := range s.acts("leases") {
		if a.ObjectRef.Name != s.lease || !a.succeeded() {
			continue
		}
		holder := a.RequestObject.Spec.HolderIdentity
		if last := len(all) - 1; last >= 0 && all[last].last.IsZero() {
			if all[last].identity == holder {
				if a.User.Username != controlPlane {
					all[last].user = a.User.Username
				}
				all[last].renewed(&a)
				continue
			}
			all[last].last = a.StageTimestamp
		}
		if holder != "" {
			all = append(all, reign{user: a.User.Username, identity: holder, first: a.RequestReceivedTimestamp})
			all[len(all)-1].renewed(&a)
		}
	}
	return slices.DeleteFunc(all, func(r reign) bool { return r.user == controlPlane })
}

// usurpation is a binding that was asked for by somebody who did not have the lease, or whose lease had run out.
type usurpation struct {
	pod, user string
	at        time.Time
}

func (u usurpation) String() string { return fmt.Sprintf("of %s by %s at %s", u.pod, u.user, u.at) }

func (s *scene) usurped() (bindings []usurpation) {
	reigns := s.reigns()
	for _, a := range s.acts("pods") {
		his := slices.ContainsFunc(reigns, func(r reign) bool { return r.user == a.User.Username && r.covers(a.RequestReceivedTimestamp) })
		if !his {
			bindings = append(bindings, usurpation{a.ObjectRef.Name, a.User.Username, a.RequestReceivedTimestamp})
		}
	}
	return bindings
}
