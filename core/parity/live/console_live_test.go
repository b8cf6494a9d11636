package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/operator/actions"
	"orrery/core/operator/console"
	"orrery/core/parity/apiserver"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// request is a logged request to the API server.
type request struct {
	Verb                     string
	User                     struct{ Username string }
	ObjectRef                struct{ Resource, Subresource, APIGroup, Namespace string }
	ResponseStatus           struct{ Code int }
	RequestReceivedTimestamp time.Time
}

func (r *request) String() string {
	return right{r.Verb, r.ObjectRef.APIGroup, strings.TrimSuffix(r.ObjectRef.Resource+"/"+r.ObjectRef.Subresource, "/")}.String()
}

// requests returns all requests of a user since the test began, each once.
func (s *fixture) requests(user string) (all []string) {
	s.t.Helper()
	for _, r := range s.requestsOf(user) {
		all = append(all, r.String())
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (s *fixture) requestsOf(user string) (all []request) {
	s.t.Helper()
	text, err := os.ReadFile(auditLog())
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var r request
		if json.Unmarshal([]byte(line), &r) == nil && r.User.Username == user && r.RequestReceivedTimestamp.After(s.began) && r.ObjectRef.Resource != "" {
			all = append(all, r)
		}
	}
	return all
}

// writes returns those that are not reads.
func (s *fixture) writes(user string) []string {
	return slices.DeleteFunc(s.requests(user), func(r string) bool {
		verb, _, _ := strings.Cut(r, " ")
		return slices.Contains([]string{"get", "list", "watch"}, verb)
	})
}

// openConsole opens a console as a user, and waits until it has listed what it may read.
func (s *fixture) openConsole(user string, change func(*console.Options)) *console.Session {
	s.t.Helper()
	o := console.Options{KubeConfig: server.Config(user), Config: s.configuration(), Seed: 1}
	if change != nil {
		change(&o)
	}
	session, err := console.Open(s.ctx, o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(session.Close)
	s.eventually(func() error {
		if st := session.State(); !st.Synced {
			return fmt.Errorf("not synced: %v", st.Unsynced)
		}
		return nil
	})
	return session
}

// namespace creates a namespace with a pod.
func (s *fixture) namespace(name string) string {
	s.t.Helper()
	made, err := s.client.CoreV1().Namespaces().Create(s.ctx, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-"}}, metav1.CreateOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = s.client.CoreV1().Pods(made.Name).DeleteCollection(context.Background(), *metav1.NewDeleteOptions(0), metav1.ListOptions{})
	})
	s.podIn(made.Name, "first")
	return made.Name
}

func (s *fixture) podIn(namespace, name string) *v1.Pod {
	s.t.Helper()
	pod := apiserver.Pod(name, "10m", "16Mi")
	pod.Namespace = namespace
	pod, err := s.create(pod)
	if err != nil {
		s.t.Fatal(err)
	}
	return pod
}

// podsIn returns the pods in a session's store.
func podsIn(session *console.Session) (pods []string) {
	session.Inspect(func(e *engine.Engine) {
		for pod := range e.Store().Objects(world.Pod) {
			pods = append(pods, pod.GetNamespace()+"/"+pod.GetName())
		}
	})
	slices.Sort(pods)
	return pods
}

// inNamespaces are the core resources that a developer may read in their namespace.
var inNamespaces = []string{"pods", "services", "replicationcontrollers"}

func TestConsole_OneNamespace(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	mine, theirs := s.namespace("mine"), s.namespace("theirs")
	s.permit(viewer, mine, reading("", inNamespaces...), reading("apps", "replicasets", "statefulsets"), reading("policy", "poddisruptionbudgets"))
	session := s.openConsole(viewer, func(o *console.Options) { o.Namespace = mine })
	if got, want := podsIn(session), []string{mine + "/first"}; !slices.Equal(got, want) {
		t.Errorf("the console has the pods %q, want %q", got, want)
	}
	s.podIn(theirs, "second")
	s.podIn(mine, "second")
	s.eventually(func() error {
		if got, want := podsIn(session), []string{mine + "/first", mine + "/second"}; !slices.Equal(got, want) {
			return fmt.Errorf("the console has the pods %q, want %q", got, want)
		}
		return nil
	})
	st := session.State()
	if alert := st.Alert(time.Now()); !strings.HasPrefix(alert, "namespace "+mine+" only; no right to read nodes, ") {
		t.Errorf("the alert is %q", alert)
	}
	if session.Comparator() != nil || st.NotDeciding == "" {
		t.Error("the console compares decisions, although it cannot decide")
	}
	other := s.openConsole(viewer, func(o *console.Options) { o.Namespace = theirs })
	if st := other.State(); st.ShowsPodsIn(theirs) || len(podsIn(other)) > 0 {
		t.Errorf("the console has pods of a namespace that it may not read: %q", podsIn(other))
	}
	if wrote := s.writes(viewer); len(wrote) > 0 {
		t.Errorf("it wrote: %q", wrote)
	}
}

func TestConsole_WithoutNodes(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.start(nil)
	s.permit(viewer, "", reading("", "pods", "namespaces"), reading("apps", "replicasets"))
	session := s.openConsole(viewer, nil)
	s.pods(3, "a", "10m")
	s.bound(3)
	s.eventually(func() error {
		if got := podsIn(session); len(got) != 3 {
			return fmt.Errorf("the console has the pods %q", got)
		}
		return nil
	})
	st := session.State()
	alert := st.Alert(time.Now())
	for _, want := range []string{"no right to read nodes, ", "services", "statefulsets.apps", "poddisruptionbudgets.policy", "leases.coordination.k8s.io", "no decisions, no comparison"} {
		if !strings.Contains(alert, want) {
			t.Errorf("the alert is %q, want it to contain %q", alert, want)
		}
	}
	session.Inspect(func(e *engine.Engine) {
		if n := e.Counters().Decisions; n[engine.Placed]+n[engine.Unschedulable]+n[engine.Failed] > 0 {
			t.Errorf("without nodes it decided: %v", n)
		}
	})
}

func TestConsole_ReadOnlyWritesNothing(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.permit(viewer, "",
		reading("", "pods", "nodes", "namespaces", "services", "replicationcontrollers"), reading("apps", "replicasets", "statefulsets"),
		reading("policy", "poddisruptionbudgets"), reading("coordination.k8s.io", "leases"),
		// The user has the rights for actions, so that only the console can reject them.
		right{"patch", "", "nodes"}.rule(), right{"create", "", "pods/eviction"}.rule(), right{"delete", "", "pods"}.rule(),
	)
	session := s.openConsole(viewer, nil)
	s.start(nil)
	for i := range 5 { // one by one, so that both schedulers see the same state
		s.pods(1, fmt.Sprintf("a%d", i), "10m")
		s.bound(i + 1)
	}
	s.eventually(func() (differs error) {
		session.Inspect(func(*engine.Engine) {
			if counters := session.Comparator().Counters(); counters.Compared() != 5 || counters.Differs > 0 {
				differs = fmt.Errorf("compared: %+v", counters)
			}
		})
		return differs
	})
	executor := session.Executor()
	for _, a := range []actions.Action{
		actions.Cordon{Node: "node-0"},
		actions.Drain{Node: "node-0"},
		actions.Delete{Pod: world.PodRefOf(&s.list()[0])},
		actions.Evict{Pod: world.PodRefOf(&s.list()[0])},
	} {
		if err := executor.Do(s.ctx, a); err == nil || !strings.Contains(err.Error(), "start the console with --allow-actions") {
			t.Errorf("%s: %v", a, err)
		}
	}
	if wrote := s.writes(viewer); len(wrote) > 0 {
		t.Errorf("it wrote: %q", wrote)
	}
	if n := len(s.list()); n != 5 {
		t.Errorf("%d pods are left", n)
	}
}

func TestConsole_ReportsLostConnection(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	session := s.openConsole(apiserver.Admin, nil)
	if st := session.State(); st.Alert(time.Now()) != "" {
		t.Errorf("with all rights the alert is %q", st.Alert(time.Now()))
	}
	server.Cut(true)
	s.eventually(func() error {
		if session.State().Lost == nil {
			return errors.New("the session does not report the lost connection")
		}
		return nil
	})
	server.Cut(false)
	s.eventually(func() error { return session.State().Lost })
}
