package live_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/parity/apiserver"
	"orrery/core/process/replica"
	"orrery/core/world"
)

func TestAPIServer_ChecksRights(t *testing.T) {
	client, err := server.Client(noRights)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a user without rights lists pods: %v", err)
	}
	client, err = server.Client(scheduler)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("the scheduler lists secrets: %v", err)
	}
}

func TestAccess_NoRightsNamesMissing(t *testing.T) {
	s := newFixture(t, apiserver.Node(0, "8", "16Gi", "110"))
	r := s.start(func(o *replica.Options) {
		o.KubeConfig = server.Config(noRights)
		*o.Config.LeaderElection.LeaderElect = false
	})
	s.pods(1, "a", "10m")
	ctx, cancel := context.WithTimeout(s.ctx, 3*time.Second)
	defer cancel()
	<-ctx.Done()
	if s.list()[0].Spec.NodeName != "" {
		t.Error("the pod was bound")
	}
	if err := r.Synced(); err == nil {
		t.Error("it reports that it is synced")
	}
	if missing := r.Unsynced(); !slices.Contains(missing, world.Pod) || !slices.Contains(missing, world.Node) {
		t.Errorf("missing: %v", missing)
	}
}

// Without a right a scheduler continues with its other work, reports the missing right as kube-scheduler does, and needs no
// restart when the right is granted.

func TestAccess_NoBindRight(t *testing.T) {
	bind := right{"create", "", "pods/binding"}
	bothPrograms(t, threeNodes(), func(s *fixture, what schedulerProgram) []string {
		p := s.scheduleWithout(what, bind, right{"create", "", "bindings"})
		s.pods(1, "a", "10m")
		s.eventually(func() error { return s.hasResult("a-0") })
		s.eventually(func() error {
			return p.metric(`scheduler_schedule_attempts_total{profile="` + s.name + `",result="error"}`)
		})
		pod := s.list()[0]
		lines := s.described(&pod)
		if pod.Spec.NodeName != "" || !strings.Contains(strings.Join(lines, ""), `cannot create resource "pods/binding"`) {
			s.t.Errorf("without the right the pod is on %q and is described as %q", pod.Spec.NodeName, lines)
		}
		s.permit(limited, "", bind.rule())
		s.bound(1)
		return withoutNodes(lines)
	})
}

// withoutNodes removes the names of nodes from texts: which of equal nodes is chosen is random.
func withoutNodes(lines []string) []string {
	for i := range lines {
		lines[i] = nodeName.ReplaceAllString(lines[i], "NODE")
	}
	return lines
}

var nodeName = regexp.MustCompile(`node-[0-9]+`)

func TestAccess_NoBudgetRight(t *testing.T) {
	list, watch := right{"list", "policy", "poddisruptionbudgets"}, right{"watch", "policy", "poddisruptionbudgets"}
	bothPrograms(t, threeNodes(), func(s *fixture, what schedulerProgram) []string {
		p := s.scheduleWithout(what, list, watch)
		s.pods(1, "a", "10m")
		s.eventually(func() error { return p.logged("poddisruptionbudgets.*forbidden") })
		code, body := p.get("/readyz?verbose", apiserver.Admin)
		s.t.Logf("/readyz: %d\n%s", code, body)
		if code == 200 || s.list()[0].Spec.NodeName != "" {
			s.t.Errorf("/readyz returned %d; the pod is on %q", code, s.list()[0].Spec.NodeName)
		}
		_, body = p.get("/readyz/sched-handler-sync", apiserver.Admin) // which has details for authorized users
		if what.name() == "Orrery" && !strings.Contains(body, "PodDisruptionBudget") {
			s.t.Errorf("/readyz does not name the missing lists: %s", body)
		}
		s.permit(limited, "", list.rule(), watch.rule())
		s.bound(1)
		s.eventually(p.ready)
		return []string{"not ready, and then ready"}
	})
}

func TestAccess_NoStatusRight(t *testing.T) {
	bothPrograms(t, threeNodes(), func(s *fixture, what schedulerProgram) []string {
		s.scheduleWithout(what, right{"patch", "", "pods/status"}, right{"update", "", "pods/status"})
		s.pods(1, "big", "64")
		s.eventually(func() error {
			if pod := s.list()[0]; len(s.eventsOf(&pod)) == 0 {
				return errors.New("the pod has no event")
			}
			return nil
		})
		s.pods(3, "a", "10m")
		s.bound(3)
		var lines []string
		for _, pod := range s.list() {
			if pod.Name == "big-0" {
				lines = s.described(&pod)
			}
		}
		newFixture(s.t, apiserver.Node(9, "128", "16Gi", "110"))
		s.bound(4)
		return lines
	})
}

func TestAccess_NoEventRight(t *testing.T) {
	bothPrograms(t, threeNodes(), func(s *fixture, what schedulerProgram) []string {
		s.scheduleWithout(what, right{"create", "", "events"}, right{"create", "events.k8s.io", "events"})
		s.pods(3, "a", "10m")
		s.pods(1, "big", "64")
		s.bound(3)
		s.eventually(func() error {
			for _, pod := range s.list() {
				if pod.Name == "big-0" && len(pod.Status.Conditions) == 0 {
					return errors.New("big-0 has no condition")
				}
			}
			return nil
		})
		var lines []string
		for _, pod := range s.list() {
			if pod.Name == "big-0" {
				lines = s.described(&pod)
			}
		}
		return lines
	})
}
