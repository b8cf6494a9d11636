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

	"orrery/core/parity/apiserver"
)

// policy makes the API server log bindings, writes of leases, and schedulers' writes of volumes and claims, with user and
// response.
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
- level: RequestResponse
  users: ["` + scheduler + `", ` + rival + `, ` + apiserver.Admin + `]
  verbs: [update, patch]
  resources:
  - {group: "", resources: [persistentvolumes, persistentvolumeclaims]}
- level: Metadata
  users: [` + rival + `]
  resources:
  - {group: coordination.k8s.io, resources: [leases, leasecandidates]}
- level: Metadata
  users: [` + viewer + `, ` + attacher + `, "` + serviceAccount + `"]
- level: None
`

func auditPolicy() string { return filepath.Join(scratch, "audit-policy.yaml") }

func auditLog() string { return filepath.Join(scratch, "audit.log") }

// auditEntry is a logged request, such as a binding or a write of a lease.
type auditEntry struct {
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
	ResponseObject                           json.RawMessage
	RequestReceivedTimestamp, StageTimestamp time.Time
}

func (a *auditEntry) succeeded() bool { return a.ResponseStatus.Code < 300 }

// auditedWrites returns the writes of a resource since the test began, in the order of their responses.
func (s *fixture) auditedWrites(resource string) []auditEntry {
	s.t.Helper()
	return slices.DeleteFunc(s.auditEntries(), func(a auditEntry) bool {
		return a.Stage != "ResponseComplete" || a.ObjectRef.Resource != resource || (a.Verb != "create" && a.Verb != "update")
	})
}

// auditEntries returns all logged requests since the test began, including reads for which the policy has rules.
func (s *fixture) auditEntries() []auditEntry {
	s.t.Helper()
	text, err := os.ReadFile(auditLog())
	if err != nil {
		s.t.Fatal(err)
	}
	var all []auditEntry
	for line := range strings.Lines(string(text)) {
		var a auditEntry
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			continue // the server was stopped, or is writing this line
		}
		if a.RequestReceivedTimestamp.After(s.began) {
			all = append(all, a)
		}
	}
	slices.SortStableFunc(all, func(a, b auditEntry) int { return a.StageTimestamp.Compare(b.StageTimestamp) })
	return all
}

// boundTwice returns the pods that the API server bound more than once.
func (s *fixture) boundTwice() (pods []string) {
	bound := map[types.UID]string{}
	for _, a := range s.auditedWrites("pods") {
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

// tenure is the time in which a user held the lease.
type tenure struct {
	user        string
	identity    string
	first, last time.Time // last is when the next holder took it, or it was released
	lapses      []lapse
}

// lapse is a time in which the lease was expired, until it was renewed, if it was.
type lapse struct{ from, to time.Time }

// renewed records when the lease expires next.
func (r *tenure) renewed(a *auditEntry) {
	if n := len(r.lapses); n > 0 {
		r.lapses[n-1].to = a.RequestReceivedTimestamp
	}
	lasts := time.Duration(a.RequestObject.Spec.LeaseDurationSeconds) * time.Second
	r.lapses = append(r.lapses, lapse{from: a.StageTimestamp.Add(lasts)})
}

// expiry is when the lease expires, or expired, after its last renewal.
func (r *tenure) expiry() time.Time { return r.lapses[len(r.lapses)-1].from }

// covers reports whether the lease was held and valid at a time.
func (r *tenure) covers(t time.Time) bool {
	return t.After(r.first) && (r.last.IsZero() || t.Before(r.last)) && !slices.ContainsFunc(r.lapses, func(l lapse) bool {
		return t.After(l.from) && (l.to.IsZero() || t.Before(l.to))
	})
}

// controlPlane is the user that sets a lease's holder if the control plane chooses. A chosen holder counts once it renews the
// lease: the control plane may have chosen a candidate that no longer exists.
const controlPlane = "system:apiserver"

// tenures returns the tenures of the fixture's lease, in order.
func (s *fixture) tenures() (all []tenure) {
	for _, a := range s.auditedWrites("leases") {
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
			all = append(all, tenure{user: a.User.Username, identity: holder, first: a.RequestReceivedTimestamp})
			all[len(all)-1].renewed(&a)
		}
	}
	return slices.DeleteFunc(all, func(r tenure) bool { return r.user == controlPlane })
}

// invalidBinding is a binding by a user that did not hold the lease, or whose lease had expired.
type invalidBinding struct {
	pod, user string
	at        time.Time
}

func (u invalidBinding) String() string { return fmt.Sprintf("of %s by %s at %s", u.pod, u.user, u.at) }

func (s *fixture) bindingsWithoutLease() (bindings []invalidBinding) {
	tenures := s.tenures()
	for _, a := range s.auditedWrites("pods") {
		valid := slices.ContainsFunc(tenures, func(r tenure) bool { return r.user == a.User.Username && r.covers(a.RequestReceivedTimestamp) })
		if !valid {
			bindings = append(bindings, invalidBinding{a.ObjectRef.Name, a.User.Username, a.RequestReceivedTimestamp})
		}
	}
	return bindings
}
