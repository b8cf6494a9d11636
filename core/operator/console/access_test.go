package console_test

import (
	"context"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/operator/console"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/apistub"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// namespaced are resources for which a stub permits only one namespace.
var namespaced = []string{
	"pods", "services", "replicationcontrollers", "replicasets", "statefulsets", "poddisruptionbudgets", "leases", "persistentvolumeclaims",
	"resourceclaims", "csistoragecapacities",
}

// confine makes a stub permit only one namespace of these resources.
func confine(s *apistub.Server, but string, others ...string) {
	for _, resource := range namespaced {
		for _, verb := range []string{"list ", "watch "} {
			s.Forbid(verb+resource, true)
			for _, other := range others {
				s.Forbid(verb+resource+" in "+other, true)
			}
		}
	}
}

func openIn(t *testing.T, api *apistub.Server, namespace string) *console.Session {
	t.Helper()
	s, err := console.Open(context.Background(), console.Options{KubeConfig: api.KubeConfig(), Namespace: namespace, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	eventually(t, s, "the initial lists", func() bool { return s.State().Synced })
	return s
}

func in(namespace, name string) *v1.Pod {
	return mk.Pod(name).Namespace(namespace).UID(namespace + name).CPU("500m").Obj()
}

func names(s *console.Session) (list string) {
	s.Inspect(func(e *engine.Engine) {
		for pod := range e.Store().Objects(world.Pod) {
			list += " " + pod.GetNamespace() + "/" + pod.GetName()
		}
	})
	return strings.TrimSpace(list)
}

func TestAccess_OneNamespaceIsShown(t *testing.T) {
	api := apistub.New(t)
	api.Put(small, in("team-a", "mine"), in("team-b", "theirs"))
	confine(api, "team-a", "team-b")
	s := openIn(t, api, "team-a")
	if got := names(s); got != "team-a/mine" {
		t.Errorf("the pods are %q, want team-a/mine", got)
	}
	api.Put(in("team-b", "later-theirs"), in("team-a", "later-mine"))
	eventually(t, s, "a later pod", func() bool {
		return names(s) == "team-a/later-mine team-a/mine" || names(s) == "team-a/mine team-a/later-mine"
	})
	st := s.State()
	if alert := st.Alert(time.Time{}); !strings.HasPrefix(alert, "namespace team-a only; no decisions, no comparison; :access") {
		t.Errorf("the alert is %q", alert)
	}
	if s.Comparator() != nil || !strings.Contains(st.NotDeciding, "only the pods in namespace team-a are readable") {
		t.Errorf("comparator: %t, NotDeciding %q", s.Comparator() != nil, st.NotDeciding)
	}
	s.Inspect(func(e *engine.Engine) {
		if state := e.PodState("team-a", "mine"); state != engine.StateActive {
			t.Errorf("mine is %s, want no decision with part of the pods", state)
		}
	})
	text := st.Access()
	flat := strings.ReplaceAll(text, "\n# ", " ")
	for _, want := range []string{
		"Of pods, services,", "only those in namespace team-a are readable.", "resources: [\"pods\"]\n  verbs: [\"list\", \"watch\"]",
		"Orrery makes no decisions to compare with the cluster's scheduler: only the pods in namespace team-a are readable",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("Access lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "no right") {
		t.Errorf("Access names a kind that is not readable at all:\n%s", text)
	}
	if wrote := api.Written(); len(wrote) > 0 {
		t.Errorf("writes: %q", wrote)
	}
}

func TestAccess_UnreadableNamespaceShowsNothing(t *testing.T) {
	api := apistub.New(t)
	api.Put(small, in("team-a", "mine"))
	confine(api, "team-a", "team-b")
	s := openIn(t, api, "team-b")
	st := s.State()
	if got := names(s); got != "" || st.ShowsPodsIn("team-b") || st.Namespace != "" {
		t.Errorf("the pods are %q, of namespace %q", got, st.Namespace)
	}
	if alert := st.Alert(time.Time{}); !strings.HasPrefix(alert, "no right to read pods, services, ") || !strings.Contains(alert, "; no decisions, no comparison; :access") {
		t.Errorf("the alert is %q", alert)
	}
}

func TestAccess_NoNodesMeansNoDecisions(t *testing.T) {
	api := apistub.New(t)
	api.Put(small, in("team-a", "mine"))
	api.Forbid("list nodes", true)
	s := openIn(t, api, "default")
	st := s.State()
	if got := names(s); got != "team-a/mine" || st.NotDeciding != "nodes may not be read" || s.Comparator() != nil {
		t.Errorf("the pods are %q, NotDeciding is %q", got, st.NotDeciding)
	}
	s.Inspect(func(e *engine.Engine) {
		if n := e.Counters().Decisions; n[engine.Placed]+n[engine.Unschedulable]+n[engine.Failed] > 0 || e.PodState("team-a", "mine") != engine.StateActive {
			t.Errorf("decisions without nodes: %v, the pod is %s", n, e.PodState("team-a", "mine"))
		}
	})
}

func TestAccess_NothingReadable(t *testing.T) {
	api := apistub.New(t)
	for _, resource := range append([]string{"nodes", "namespaces"}, namespaced...) {
		api.Forbid("list "+resource, true)
		api.Forbid("list "+resource+" in default", true)
	}
	s := openIn(t, api, "default")
	if st := s.State(); !strings.HasPrefix(st.Alert(time.Time{}), "no right to read nodes, pods, ") || len(st.Unreadable) < 5 {
		t.Errorf("the alert is %q, unreadable are %v", st.Alert(time.Time{}), st.Unreadable)
	}
}

func TestOpen_ScheduleNeedsAllKinds(t *testing.T) {
	for _, what := range []string{"list pods", "watch nodes", "list poddisruptionbudgets"} {
		t.Run(what, func(t *testing.T) {
			api := apistub.New(t)
			api.Forbid(what, true)
			_, err := console.Open(context.Background(), console.Options{KubeConfig: api.KubeConfig(), Namespace: "team-a", Schedule: true, Identity: "me"})
			if err == nil || !strings.Contains(err.Error(), "--schedule needs permission to read ") || !strings.Contains(err.Error(), strings.Fields(what)[1]) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
