package console_test

import (
	"context"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"orrery/core/operator/console"
	"orrery/core/safe/panics"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/apistub"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// Suppress client-go's log about an unreachable API server.
func TestMain(m *testing.M) {
	klog.SetLogger(klog.Logger{})
	os.Exit(m.Run())
}

func open(t *testing.T, s *apistub.Server) *console.Session {
	t.Helper()
	session, err := console.Open(context.Background(), console.Options{KubeConfig: s.KubeConfig(), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	return session
}

// eventually waits for a condition, checking after every wake of the session.
func eventually(t *testing.T, s *console.Session, event string, condition func() bool) {
	t.Helper()
	timeout := time.NewTimer(2 * time.Minute)
	defer timeout.Stop()
	for !condition() {
		again := time.NewTimer(50 * time.Millisecond)
		select {
		case <-s.Wake():
		case <-again.C:
		case <-timeout.C:
			t.Fatalf("timed out waiting for %s; the state is %+v", event, s.State())
		}
		again.Stop()
	}
}

var (
	small = mk.Node("small").CPU("2").Memory("4Gi").Pods("110").Obj()
	large = mk.Node("large").CPU("16").Memory("64Gi").Pods("110").Obj()
)

// bound returns a pod bound to a node by the cluster's scheduler.
func bound(pod *v1.Pod, node string) *v1.Pod {
	b := pod.DeepCopy()
	b.Spec.NodeName = node
	return b
}

func TestSession_ShadowComparesAndWritesNothing(t *testing.T) {
	api := apistub.New(t)
	api.Put(small, large)
	s := open(t, api)
	eventually(t, s, "the initial lists", func() bool { return s.State().Synced })
	good, bad := mk.Pod("good").UID("good").CPU("500m").Obj(), mk.Pod("bad").UID("bad").CPU("4").Obj()
	podState := func(name string) (p engine.PodState) {
		s.Inspect(func(e *engine.Engine) { p = e.PodState("default", name) })
		return p
	}
	api.Put(good)
	eventually(t, s, "a prediction for good", func() bool { return podState("good") == engine.StateBinding })
	api.Put(bound(good, "large"))
	eventually(t, s, "the confirmation", func() bool { return podState("good") == engine.StateBound })
	api.Put(bad)
	eventually(t, s, "a prediction for bad", func() bool { return podState("bad") == engine.StateBinding })
	api.Put(bound(bad, "small")) // it does not fit there
	eventually(t, s, "two comparisons", func() (done bool) {
		s.Inspect(func(*engine.Engine) { done = s.Comparator().Counters().Compared() == 2 })
		return done
	})
	s.Inspect(func(e *engine.Engine) {
		counters := s.Comparator().Counters()
		if counters.Agreed != 1 || counters.Differs != 1 {
			t.Errorf("counted %+v, want one of each", counters)
		}
		for f := range s.Comparator().Findings() {
			if f.Real != "small" || len(f.BestNodes) != 1 || f.BestNodes[0] != "large" || len(f.Objections) == 0 || f.Objections[0].Plugin != "NodeResourcesFit" {
				t.Errorf("found %+v, want that NodeResourcesFit rejects small, and large is the best node", f)
			}
		}
		if node := e.Store().Pod("default", "bad").Spec.NodeName; node != "small" {
			t.Errorf("bad is on %q, want where the cluster put it", node)
		}
	})
	if wrote := api.Written(); len(wrote) > 0 {
		t.Errorf("a shadow wrote: %q", wrote)
	}
}

func TestSession_NamesMissingRules(t *testing.T) {
	api := apistub.New(t)
	api.Put(small, large)
	for _, event := range []string{"list leases", "list poddisruptionbudgets", "watch namespaces"} {
		api.Forbid(event, true)
	}
	s := open(t, api)
	eventually(t, s, "the other initial lists", func() bool { return s.State().Synced })
	s.Inspect(func(e *engine.Engine) {
		if n := e.Cache().NodeCount(); n != 2 {
			t.Errorf("%d nodes, want 2", n)
		}
	})
	st := s.State()
	alert := st.Alert(time.Time{})
	for _, want := range []string{"no right to read ", "namespaces (watch)", " leases.coordination.k8s.io", " poddisruptionbudgets.policy"} {
		if !strings.Contains(alert, want) {
			t.Errorf("the alert is %q, want it to name %q", alert, want)
		}
	}
	if strings.Contains(alert, "workloads") {
		t.Errorf("the alert is %q: it must not name a kind that the API server does not serve", alert)
	}
	if rules := st.Access(); !strings.Contains(rules, "- apiGroups: [\"policy\"]\n  resources: [\"poddisruptionbudgets\"]\n  verbs: [\"list\", \"watch\"]\n") {
		t.Errorf("the rules are\n%s", rules)
	}
}

func TestSession_ReportsLostConnection(t *testing.T) {
	api := apistub.New(t)
	api.Put(small)
	s := open(t, api)
	eventually(t, s, "the initial lists", func() bool { return s.State().Synced })
	up := api.Down()
	var st console.State
	eventually(t, s, "the loss", func() bool { st = s.State(); return st.Lost != nil })
	if alert := st.Alert(st.LostSince.Add(12 * time.Second)); !strings.HasPrefix(alert, "the connection is lost, for 12s; showing the last known state: ") {
		t.Errorf("the alert is %q", alert)
	}
	s.Inspect(func(e *engine.Engine) {
		if e.Store().Node("small") == nil {
			t.Error("the last known state was dropped")
		}
	})
	up()
	api.Put(large)
	eventually(t, s, "the reconnection", func() (seen bool) {
		s.Inspect(func(e *engine.Engine) { seen = e.Store().Node("large") != nil })
		return seen && s.State().Lost == nil
	})
}

// Expired credentials, and a load balancer without an API server, answer every request.
func TestSession_ReportsFailingAnswers(t *testing.T) {
	for code, want := range map[int]string{
		http.StatusUnauthorized:       "the API server rejects the credentials: log in again",
		http.StatusBadGateway:         "the API server answers 502 Bad Gateway",
		http.StatusServiceUnavailable: "the API server answers 503 Service Unavailable",
	} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			api := apistub.New(t)
			api.Put(small)
			s := open(t, api)
			eventually(t, s, "the initial lists", func() bool { return s.State().Synced })
			list := func() error {
				_, err := s.Executor().Client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
				return err
			}
			api.Answer(code)
			want := "the connection is lost, for 12s; showing the last known state: " + want
			eventually(t, s, "the alert "+strconv.Quote(want), func() bool { // an earlier answer that is late ends it until the next list
				if err := list(); err == nil {
					t.Error("the list has succeeded")
				}
				st := s.State()
				return st.Alert(st.LostSince.Add(12*time.Second)) == want
			})
			api.Answer(0)
			if err := list(); err != nil {
				t.Error(err)
			}
			eventually(t, s, "the end of the alert", func() bool { return s.State().Lost == nil })
		})
	}
}

// Watches that end and are rejected tell the same.
func TestSession_ReportsRejectedWatches(t *testing.T) {
	api := apistub.New(t)
	api.Put(small)
	s := open(t, api)
	eventually(t, s, "the initial lists", func() bool { return s.State().Synced })
	api.Answer(http.StatusUnauthorized)
	api.Break()
	eventually(t, s, "the alert", func() bool { st := s.State(); return strings.HasSuffix(st.Alert(time.Now()), ": log in again") })
	api.Answer(0)
	eventually(t, s, "the end of the alert", func() bool { st := s.State(); return st.Alert(time.Now()) == "" })
}

// A panic of what reads the engine is the caller's, who can restore the terminal, and the session goes on.
func TestSession_PanicOfReaderIsCallers(t *testing.T) {
	session := open(t, apistub.New(t))
	err := panics.Call("the caller", func() { session.Inspect(func(*engine.Engine) { panic("planted") }) })
	if err == nil || err.Error() != "reading the scheduler's state panicked: planted" {
		t.Errorf("the caller gets %v", err)
	}
	read := false
	session.Inspect(func(*engine.Engine) { read = true })
	if st := session.State(); !read || st.Ended != nil {
		t.Errorf("afterwards it is %+v", st)
	}
}

// A panic of the loop ends the session, which says why.
func TestSession_PanicOfLoopIsShown(t *testing.T) {
	s := apistub.New(t)
	session, err := console.Open(t.Context(), console.Options{KubeConfig: s.KubeConfig(), Observer: func(*engine.Engine) drive.Observer {
		return drive.OnInput(func(world.Input, error) { panic("planted") })
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	eventually(t, session, "the end", func() bool { st := session.State(); return st.Ended != nil })
	if st := session.State(); st.Alert(time.Now()) != "stopped: the scheduling loop panicked: planted" {
		t.Errorf("the alert is %q", st.Alert(time.Now()))
	}
}

func TestSession_InspectAfterClose(t *testing.T) {
	api := apistub.New(t)
	api.Put(small)
	s, err := console.Open(context.Background(), console.Options{KubeConfig: api.KubeConfig()})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, s, "the initial lists", func() bool { return s.State().Synced })
	s.Close()
	inspected := false
	s.Inspect(func(e *engine.Engine) { inspected = e.Store().Node("small") != nil })
	if st := s.State(); !inspected || st.Alert(time.Time{}) != "stopped: the session was closed" {
		t.Errorf("inspected: %t, alert %q", inspected, st.Alert(time.Time{}))
	}
}

func TestOpen_FailsWithoutAPIServer(t *testing.T) {
	_, err := console.Open(context.Background(), console.Options{KubeConfig: &rest.Config{Host: "http://127.0.0.1:1"}})
	if err == nil || !strings.HasPrefix(err.Error(), "connecting to the API server: ") || strings.Count(err.Error(), "\n") > 0 {
		t.Errorf("the error is %v, want one line about the connection", err)
	}
}
