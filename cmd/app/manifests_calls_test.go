package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/live"
)

// callsTimeout bounds each wait for a call, which a loaded machine may delay by many seconds.
const callsTimeout = 2 * time.Minute

// callsOfAScheduler is everything that a scheduler of a configuration asks an API server for: it follows the cluster, does
// every act, some of them with trouble, and is elected and resigns. If leaders are chosen it is a candidate, and answers.
func callsOfAScheduler(t *testing.T, configuration string, chosen bool) map[call]bool {
	c, err := config.LoadNamed("config.yaml", []byte(configuration), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Config: c})
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := e.WatchedKinds()
	if err != nil {
		t.Fatal(err)
	}
	server := &troubled{announced: make(chan struct{}, 1)}
	board := newSwitchboard(t, server.answer)
	cluster, err := live.New(live.Options{Client: board.client(t), Kinds: kinds})
	if err != nil {
		t.Fatal(err)
	}
	cluster.Start()
	names := []string{"Bind", "PatchStatus", "Delete", "EmitEvent", "EmitEvent"} // an event emitted twice becomes a series
	volumes := slices.Contains(kinds, world.PersistentVolumeClaim)
	if volumes {
		names = append(names, "ClaimVolume", "SelectNode")
	}
	claims := slices.Contains(kinds, world.ResourceClaim)
	if claims {
		names = append(names, "ReserveResourceClaim", "UnreserveResourceClaim", "DeallocateResourceClaim")
	}
	for n, name := range names {
		cluster.Do(world.Effect{ID: world.EffectID(n + 1), Action: actions[name]})
	}
	elect(t, board, cluster, c)
	if chosen {
		announce(t, board, server, c)
	}
	used := map[call]bool{}
	until := time.Now().Add(callsTimeout)
	for time.Now().Before(until) && !(sawAll(used, len(kinds)) && (!chosen || sawCandidate(used)) && (!volumes || sawVolumes(used)) && (!claims || sawResourceClaims(used))) {
		cluster.Next(cluster.Now().Add(50 * time.Millisecond))
		maps.Copy(used, board.heard())
	}
	board.server.CloseClientConnections()
	cluster.Stop()
	maps.Copy(used, board.heard())
	return used
}

// sawAll reports whether the last calls that the test waits for have arrived, with so many kinds listed and watched.
func sawAll(used map[call]bool, kinds int) bool {
	followed := map[string]int{}
	for c := range used {
		if c.resource != "leasecandidates" {
			followed[c.verb]++
		}
	}
	return followed["list"] >= kinds && followed["watch"] >= kinds &&
		anyCall(used, func(c call) bool { return c.verb == "create" && c.resource == "events" && c.group == "" }) &&
		anyCall(used, func(c call) bool { return c.verb == "patch" && c.resource == "events" && c.group != "" }) &&
		anyCall(used, func(c call) bool { return c.verb == "delete" }) && anyCall(used, func(c call) bool { return c.verb == "update" }) &&
		anyCall(used, func(c call) bool { return c.verb == "get" && c.resource == "pods" }) &&
		anyCall(used, func(c call) bool { return c.resource == "pods/status" })
}

// sawVolumes reports whether a volume and a claim were read, after their writes had ended with an unknown result.
func sawVolumes(used map[call]bool) bool {
	return anyCall(used, func(c call) bool { return c.verb == "get" && c.resource == "persistentvolumes" }) &&
		anyCall(used, func(c call) bool { return c.verb == "get" && c.resource == "persistentvolumeclaims" })
}

// sawResourceClaims reports whether a claim for devices was read, and written in every way.
func sawResourceClaims(used map[call]bool) bool {
	return anyCall(used, func(c call) bool { return c.verb == "update" && c.resource == "resourceclaims" }) &&
		anyCall(used, func(c call) bool { return c.verb == "update" && c.resource == "resourceclaims/status" }) &&
		anyCall(used, func(c call) bool { return c.verb == "patch" && c.resource == "resourceclaims/status" })
}

// sawCandidate reports whether a candidate announced itself, and did so again.
func sawCandidate(used map[call]bool) bool {
	return anyCall(used, func(c call) bool { return c.verb == "update" && c.resource == "leasecandidates" }) &&
		anyCall(used, func(c call) bool { return c.verb == "watch" && c.resource == "leasecandidates" })
}

// elect competes for the lease of the configuration as a replica does, and resigns when elected.
func elect(t *testing.T, board *switchboard, cluster *live.Cluster, c *config.Configuration) {
	t.Helper()
	client, recorder := board.client(t), cluster.LeaseRecorder(c.Profiles[0].SchedulerName)
	election := c.LeaderElection
	lock, err := resourcelock.New(election.ResourceLock, election.ResourceNamespace, election.ResourceName, client.CoreV1(), client.CoordinationV1(),
		resourcelock.ResourceLockConfig{Identity: "me", EventRecorder: recorder})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), callsTimeout)
	defer cancel()
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { cancel() }, OnStoppedLeading: func() {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	elector.Run(ctx)
}

// announce has a replica be a candidate, and then be asked whether it still is one.
func announce(t *testing.T, board *switchboard, server *troubled, c *config.Configuration) {
	t.Helper()
	client, lease := board.client(t), c.LeaderElection
	candidate, _, err := leaderelection.NewCandidate(client, lease.ResourceNamespace, "me", lease.ResourceName, "1.35.4", "1.35.0", "OldestEmulationVersion")
	if err != nil {
		t.Fatal(err)
	}
	go candidate.Run(t.Context())
	select {
	case <-server.announced:
	case <-time.After(callsTimeout):
		t.Error("no replica became a candidate")
	}
	// What would be asked by a watch is asked here by starting anew: either makes it look, and write what it finds anew.
	again, _, err := leaderelection.NewCandidate(client, lease.ResourceNamespace, "me", lease.ResourceName, "1.35.4", "1.35.0", "OldestEmulationVersion")
	if err != nil {
		t.Fatal(err)
	}
	go again.Run(t.Context())
}

// troubled is an API server on which the first binding ends with an unknown result, and the first write of a volume and of
// a claim.
type troubled struct {
	bindings atomic.Int32
	patched  sync.Map // by resource
	written  sync.Map // by resource
	// announced signals the creation of candidates.
	announced chan struct{}
}

// writing is a written object.
type writing struct {
	format string
	body   []byte
}

func (s *troubled) tell(c call) {
	if c.resource != "leasecandidates" {
		return
	}
	select {
	case s.announced <- struct{}{}:
	default:
	}
}

func (s *troubled) answer(c call, w http.ResponseWriter, r *http.Request) bool {
	status := func(code int, reason metav1.StatusReason) bool {
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: int32(code), Reason: reason,
		})
		return true
	}
	switch {
	case c.verb == "list" && c.resource == "leasecandidates":
		list := coordinationv1beta1.LeaseCandidateList{
			TypeMeta: metav1.TypeMeta{Kind: "LeaseCandidateList", APIVersion: versionOf(c)}, ListMeta: metav1.ListMeta{ResourceVersion: "1"},
		}
		if found, ok := s.written.Load(c.resource); ok {
			if made, _, err := scheme.Codecs.UniversalDeserializer().Decode(found.(writing).body, nil, nil); err == nil {
				list.Items = append(list.Items, *made.(*coordinationv1beta1.LeaseCandidate))
			}
		}
		_ = json.NewEncoder(w).Encode(list)
		return true
	case c.verb == "list":
		_, _ = fmt.Fprintf(w, `{"kind":"%sList","apiVersion":"%s","metadata":{"resourceVersion":"1"},"items":[]}`, kindOf(c), versionOf(c))
		return true
	case c.verb == "watch":
		return status(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)
	case c.resource == "pods/binding":
		if s.bindings.Add(1) == 1 {
			return status(http.StatusInternalServerError, metav1.StatusReasonInternalError)
		}
		return status(http.StatusConflict, metav1.StatusReasonConflict)
	case c.verb == "patch" && (c.resource == "persistentvolumes" || c.resource == "persistentvolumeclaims"):
		if _, again := s.patched.LoadOrStore(c.resource, true); !again {
			return status(http.StatusInternalServerError, metav1.StatusReasonInternalError)
		}
		return status(http.StatusConflict, metav1.StatusReasonConflict)
	case c.verb == "get" && c.resource == "persistentvolumes", c.verb == "get" && c.resource == "persistentvolumeclaims":
		_, _ = fmt.Fprintf(w, `{"kind":%q,"apiVersion":"v1"}`, kindOf(c))
		return true
	case c.verb == "get" && c.resource == "resourceclaims":
		claim := mk.ResourceClaim(c.name).Obj()
		claim.TypeMeta = metav1.TypeMeta{Kind: "ResourceClaim", APIVersion: versionOf(c)}
		_ = json.NewEncoder(w).Encode(claim)
		return true
	case c.verb == "get" && c.resource == "pods", c.verb == "patch" && c.resource == "pods/status":
		pod := mk.Pod(c.name).UID(c.name).Node("n").Obj()
		pod.TypeMeta = metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}
		_ = json.NewEncoder(w).Encode(pod)
		return true
	case c.resource == "leases", c.resource == "leasecandidates":
		if c.verb != "get" {
			body, _ := io.ReadAll(r.Body)
			s.written.Store(c.resource, writing{r.Header.Get("Content-Type"), body})
			s.tell(c)
		}
		found, ok := s.written.Load(c.resource)
		if !ok {
			return status(http.StatusNotFound, metav1.StatusReasonNotFound)
		}
		held := found.(writing)
		w.Header().Set("Content-Type", held.format)
		_, _ = w.Write(held.body)
		return true
	case c.verb == "delete":
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
		return true
	}
	return false // what was sent comes back
}

func kindOf(c call) world.Kind {
	for _, kind := range world.Kinds() {
		if r := kind.Resource(); r.Resource == c.resource && r.Group == c.group {
			return kind
		}
	}
	return ""
}

func versionOf(c call) string { return kindOf(c).Resource().GroupVersion().String() }
