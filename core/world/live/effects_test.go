package live_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/live"
)

func TestBind_ReportsSuccess(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		s.do(bind(podA, "x"))
		want(t, "outcome", []string{"1 ok"}, s.outcomes(1))
		want(t, "node", "x", s.pod("a").Spec.NodeName)
	}, podA)
}

func TestEffects_RefusalIsOutcome(t *testing.T) {
	other := mk.Pod("a").UID("another").Obj()
	for name, c := range map[string]struct {
		there *v1.Pod
		act   world.Action
		want  string
	}{
		"a pod that is gone":               {podB, bind(podA, "x"), `1 NotFound pods "a" not found`},
		"a pod that somebody else bound":   {mk.Pod("a").Node("y").Obj(), bind(podA, "x"), `1 Conflict pod a is already assigned to node "y"`},
		"binding a namesake":               {other, bind(podA, "x"), "1 Conflict the UID in the precondition is another"},
		"deleting a namesake":              {other, deleting(podA), "1 Conflict the UID in the precondition is another"},
		"patching a namesake":              {other, nominating(podA, "x"), "1 Conflict the UID in the precondition is another"},
		"deleting a pod that is gone":      {podB, deleting(podA), `1 NotFound pods "a" not found`},
		"patching a pod that is not there": {podB, failing(podA, "no"), `1 NotFound pods "a" not found`},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(s *harness) {
				s.listed()
				s.do(c.act)
				want(t, "outcome", []string{c.want}, s.outcomes(1))
			}, c.there)
		})
	}
}

func TestEffects_KeepOrderPerPod(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		s.setFault(func(r *http.Request) fault { // the first of them is slow
			if r.Method == "PATCH" {
				pass(3 * time.Second)
			}
			return fault{}
		})
		s.do(failing(podA, "no room"))
		synctest.Wait()
		s.do(bind(podA, "x"))
		s.do(deleting(podA))
		s.do(bind(podB, "x"))
		want(t, "outcomes", []string{"4 ok", "1 ok", "2 ok", "3 ok"}, s.outcomes(4))
		want(t, "requests", []string{"POST b binding", "PATCH a status", "POST a binding", "DELETE a"}, s.written())
	}, podA, podB)
}

func TestEffects_ConcurrentUpToLimit(t *testing.T) {
	var pods []world.Object
	for i := range 40 {
		pods = append(pods, mk.Pod(fmt.Sprintf("p%d", i)).Obj())
	}
	playWith(t, live.Options{Calls: 8}, func(s *harness) {
		s.listed()
		var mu sync.Mutex
		now, most := 0, 0
		s.setFault(func(r *http.Request) fault {
			if r.Method != "POST" {
				return fault{}
			}
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			pass(time.Second)
			mu.Lock()
			now--
			mu.Unlock()
			return fault{}
		})
		for _, pod := range pods {
			s.do(bind(pod.(*v1.Pod), "x"))
		}
		want(t, "time for 40 calls of a second, 8 at once", 5*time.Second, elapses(func() { s.outcomes(40) }))
		want(t, "at once", 8, most)
	}, pods...)
}

// TestEffects_NewerSupersedesPending holds the first call up, so that the others wait for their turn.
func TestEffects_NewerSupersedesPending(t *testing.T) {
	disrupted := world.PatchStatus{Pod: world.PodRefOf(podA), Condition: &v1.PodCondition{Type: v1.DisruptionTarget, Status: v1.ConditionTrue}}
	overtaken := " superseded by a newer effect on the same pod"
	for name, c := range map[string]struct {
		acts     []world.Action
		requests []string
		outcomes []string
	}{
		"two messages become the newer one": {
			[]world.Action{failing(podA, "one"), failing(podA, "two"), failing(podA, "three")},
			[]string{"PATCH a status", "PATCH a status"},
			[]string{"1 ok", "2 ok", "3 ok"},
		},
		"a message and a nomination become one patch": {
			[]world.Action{failing(podA, "one"), failing(podA, "two"), nominating(podA, "x")},
			[]string{"PATCH a status", "PATCH a status"},
			[]string{"1 ok", "2 ok", "3 ok"},
		},
		"patches of different conditions stay two": {
			[]world.Action{failing(podA, "one"), failing(podA, "two"), disrupted},
			[]string{"PATCH a status", "PATCH a status", "PATCH a status"},
			[]string{"1 ok", "2 ok", "3 ok"},
		},
		"a binding makes the message needless that says there is no room": {
			[]world.Action{failing(podA, "one"), failing(podA, "two"), bind(podA, "x")},
			[]string{"PATCH a status", "POST a binding"},
			[]string{"2 " + overtaken, "1 ok", "3 ok"},
		},
		"a binding to another node takes the place of one that waits": {
			[]world.Action{failing(podA, "one"), bind(podA, "x"), bind(podA, "y")},
			[]string{"PATCH a status", "POST a binding"},
			[]string{"2 " + overtaken, "1 ok", "3 ok"},
		},
		"a binding makes no difference to the mark on a victim": {
			[]world.Action{failing(podA, "one"), disrupted, bind(podA, "x")},
			[]string{"PATCH a status", "PATCH a status", "POST a binding"},
			[]string{"1 ok", "2 ok", "3 ok"},
		},
		"a pod is deleted once": {
			[]world.Action{failing(podA, "one"), deleting(podA), deleting(podA)},
			[]string{"PATCH a status", "DELETE a"},
			[]string{"1 ok", "2 ok", "3 ok"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(s *harness) {
				s.listed()
				held := make(chan struct{})
				s.setFault(times(1, "PATCH", "/status", fault{wait: held}))
				s.do(c.acts[0])
				synctest.Wait()
				for _, act := range c.acts[1:] {
					s.do(act)
				}
				close(held)
				want(t, "outcomes", c.outcomes, s.outcomes(3))
				want(t, "requests", c.requests, s.written())
			}, podA)
		})
	}
}

func TestEffects_RetryTransientFailures(t *testing.T) {
	for name, c := range map[string]struct {
		fault       fault
		atLeast     time.Duration
		atMost      time.Duration
		whileDownBy time.Duration
	}{
		"too many requests":                      {fault: fault{code: 429}, atLeast: 300 * time.Millisecond, atMost: time.Second},
		"too many requests, with a time to wait": {fault: fault{code: 429, header: http.Header{"Retry-After": {"7"}}}, atLeast: 21 * time.Second, atMost: 40 * time.Second},
		"unavailable":                            {fault: fault{code: 503}, atLeast: 300 * time.Millisecond, atMost: time.Second},
		"a time-out of the API server":           {fault: fault{code: 504}, atLeast: 300 * time.Millisecond, atMost: time.Second},
		"an internal error":                      {fault: fault{code: 500}, atLeast: 300 * time.Millisecond, atMost: time.Second},
		"a connection that breaks":               {fault: fault{cut: true}, atLeast: 300 * time.Millisecond, atMost: time.Second},
	} {
		for verb, act := range map[string]world.Action{"POST": bind(podA, "x"), "PATCH": failing(podA, "no"), "DELETE": deleting(podA)} {
			t.Run(name+", "+verb, func(t *testing.T) {
				play(t, func(s *harness) {
					s.listed()
					s.setFault(times(3, verb, "", c.fault))
					s.do(act)
					took := elapses(func() { want(t, "outcome", []string{"1 ok"}, s.outcomes(1)) })
					if took < c.atLeast || took > c.atMost {
						t.Errorf("it took %s, want %s to %s", took, c.atLeast, c.atMost)
					}
				}, podA)
			})
		}
	}
}

func TestBind_FindsBindingWithLostResponse(t *testing.T) {
	for name, c := range map[string]struct {
		f    func(s *harness) fault
		want string
	}{
		"it was made":                        {func(*harness) fault { return fault{lost: true} }, "1 ok"},
		"it was made, for all a proxy knows": {func(*harness) fault { return fault{lost: true, code: 503} }, "1 ok"},
		"it was not made":                    {func(*harness) fault { return fault{cut: true} }, "1 ok"},
		"somebody else was quicker":          {func(s *harness) fault { s.put(mk.Pod("a").Node("y").Obj()); return fault{cut: true} }, `1 Conflict pod a is already assigned to node "y"`},
		"somebody deleted it":                {func(s *harness) fault { s.remove(podA); return fault{cut: true} }, `1 NotFound pods "a" not found`},
		"a namesake has taken its place":     {func(s *harness) fault { s.remove(podA); s.put(mk.Pod("a").UID("b").Obj()); return fault{cut: true} }, `1 NotFound pods "a" not found`},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(s *harness) {
				s.listed()
				first := true
				s.setFault(func(r *http.Request) fault {
					if r.Method != "POST" || !first {
						return fault{}
					}
					first = false
					return c.f(s)
				})
				s.do(bind(podA, "x"))
				want(t, "outcome", []string{c.want}, s.outcomes(1))
			}, podA)
		})
	}
}

func TestBind_UncertainBindingSurvivesOutage(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		s.setFault(times(1, "POST", "/binding", fault{lost: true}))
		s.do(bind(podA, "x"))
		synctest.Wait()
		s.setDown(true)
		pass(30 * time.Minute)
		s.setDown(false)
		want(t, "outcome", []string{"1 ok"}, s.outcomes(1))
		want(t, "bindings that reached the pod", 2, len(s.written())) // the second is refused, and tells
	}, podA)
}

// A server that has just started has no RBAC rules yet, and forbids every request.
func TestBind_UncertainBindingSurvivesForbiddenGet(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		lost := times(1, "POST", "/binding", fault{lost: true})
		refusals := 0
		s.setFault(func(r *http.Request) fault {
			if f := lost(r); f.lost || refusals == 6 {
				return f
			}
			refusals++
			return fault{code: http.StatusForbidden}
		})
		s.do(bind(podA, "x"))
		want(t, "outcome", []string{"1 ok"}, s.outcomes(1))
	}, podA)
}

func TestEffects_GiveUpAfterMaxRetryTime(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		s.setDown(true)
		s.do(bind(podA, "x"))
		s.do(failing(podB, "no"))
		took := elapses(func() {
			for _, outcome := range s.outcomes(2) {
				if !strings.Contains(outcome, "connection refused") {
					t.Errorf("outcome: %s", outcome)
				}
			}
		})
		if took < live.MaxRetryTime || took > live.MaxRetryTime+10*time.Second {
			t.Errorf("given up after %s", took)
		}
		want(t, "given up", 2, int(s.cluster.Counters().GaveUp))
		s.setDown(false)
	}, podA, podB)
}

func TestEffects_SupersedingEndsRetryDelay(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		s.setFault(times(100, "PATCH", "/status", fault{code: 503}))
		s.do(failing(podA, "no"))
		pass(20 * time.Second)
		s.do(bind(podA, "x"))
		took := elapses(func() { s.outcomes(2) })
		want(t, "waited", time.Duration(0), took.Truncate(time.Second))
	}, podA)
}

func TestRunPlugin_CancelledByPodDeletion(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		s.do(world.RunPlugin{Pod: world.PodRefOf(podA), Call: func(ctx context.Context) *fwk.Status {
			<-ctx.Done()
			return fwk.AsStatus(ctx.Err())
		}})
		synctest.Wait()
		want(t, "plugins at work", 1, s.cluster.Counters().Plugins)
		s.do(bind(podB, "x"))
		want(t, "another pod's", []string{"2 ok"}, s.outcomes(1))
		s.do(deleting(podA))
		want(t, "outcomes", []string{"1  context canceled", "3 ok"}, s.outcomes(2))
		want(t, "plugins at work", 0, s.cluster.Counters().Plugins)
	}, podA, podB)
}

func TestEffects_NotMadeWhenNotAllowed(t *testing.T) {
	allowed := true
	playWith(t, live.Options{Gate: live.NewWriteGate(func() bool { return allowed })}, func(s *harness) {
		s.listed()
		s.do(bind(podA, "x"))
		s.outcomes(1)
		allowed = false
		s.do(bind(podB, "x"))
		s.do(world.EmitEvent{Regarding: world.PodRefOf(podA), Type: "Normal", Reason: "R", Action: "A", Note: "n", Controller: "c"})
		want(t, "outcome", []string{"2 Forbidden not sent: this scheduler does not lead any more"}, s.outcomes(1))
		want(t, "node of b", "", s.pod("b").Spec.NodeName)
		want(t, "events", 0, len(s.announced()))
	}, podA, podB)
}

// heldPods holds pods by name, and nothing else.
type heldPods map[string]*v1.Pod

func (h heldPods) Pod(_, name string) *v1.Pod                     { return h[name] }
func (h heldPods) Object(world.Kind, string, string) world.Object { return nil }
func (h heldPods) Len(world.Kind) int                             { return 0 }

func TestPatchStatus_KeepsTransitionTime(t *testing.T) {
	known := heldPods{}
	playWith(t, live.Options{Held: known}, func(s *harness) {
		s.listed()
		known["a"] = s.pod("a")
		s.do(failing(podA, "one"))
		s.outcomes(1)
		first := s.pod("a").Status.Conditions[0]
		if first.LastTransitionTime.IsZero() {
			t.Error("the first condition has no time")
		}
		known["a"] = s.pod("a")
		pass(time.Hour)
		s.do(failing(podA, "two"))
		s.do(nominating(podA, "x"))
		s.outcomes(2)
		second := s.pod("a").Status.Conditions[0]
		want(t, "message", "two", second.Message)
		want(t, "time", first.LastTransitionTime.Time, second.LastTransitionTime.Time)
		want(t, "nominated", "x", s.pod("a").Status.NominatedNodeName)
		known["a"] = s.pod("a")
		before := len(s.written())
		s.do(failing(podA, "two"))
		want(t, "what says nothing new", []string{"4 ok"}, s.outcomes(1))
		want(t, "is not written", before, len(s.written()))
	}, podA)
}

func TestPatchStatus_AppendsNewCondition(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		s.do(failing(podA, "no room"))
		s.do(world.PatchStatus{Pod: world.PodRefOf(podA), Condition: &v1.PodCondition{Type: v1.DisruptionTarget, Status: v1.ConditionTrue}})
		s.outcomes(2)
		var order []v1.PodConditionType
		for _, c := range s.pod("a").Status.Conditions {
			order = append(order, c.Type)
		}
		want(t, "conditions", []v1.PodConditionType{v1.PodScheduled, v1.DisruptionTarget}, order)
	}, podA)
}

func TestEvents_MatchKubeScheduler(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		note := "Successfully assigned default/a to 100%s"
		for range 3 {
			s.do(world.EmitEvent{
				Regarding: world.PodRefOf(podA), Type: "Normal", Reason: "Scheduled", Action: "Binding", Note: note, Controller: "default-scheduler",
			})
			pass(time.Second)
		}
		want(t, "events written", 1, len(s.announced()))
		want(t, "the second makes a series of it, the third is only counted", 1, s.count(&s.series))
		e := s.announced()[0]
		want(t, "note", note, e.Note)
		want(t, "controller", "default-scheduler", e.ReportingController)
		want(t, "kind", "Pod", e.Regarding.Kind)
		want(t, "uid", podA.UID, e.Regarding.UID)
		if !strings.HasPrefix(e.Name, "a.") || !strings.HasPrefix(e.ReportingInstance, "default-scheduler-") {
			t.Errorf("name %q, instance %q", e.Name, e.ReportingInstance)
		}
	}, podA)
}

// Whatever is wanted and whatever goes wrong: every effect is answered once, no pod is bound twice, and an outcome that
// says a pod was bound is right.
func TestEffects_OneOutcomeEach(t *testing.T) {
	pods := []*v1.Pod{mk.Pod("a").Obj(), mk.Pod("b").Obj(), mk.Pod("c").Obj()}
	faults := []fault{{}, {}, {code: 429}, {code: 500}, {code: 503}, {code: 409}, {lost: true}, {cut: true}, {lost: true, code: 503}, {lost: true, code: 500}}
	rapid.Check(t, func(r *rapid.T) {
		plan := rapid.SliceOfN(rapid.IntRange(0, len(faults)-1), 0, 30).Draw(r, "faults")
		acts := rapid.SliceOfN(rapid.IntRange(0, 17), 1, 25).Draw(r, "acts")
		play(t, func(s *harness) {
			s.listed()
			var mu sync.Mutex
			s.setFault(func(req *http.Request) fault {
				mu.Lock()
				defer mu.Unlock()
				if req.Method == "GET" || len(plan) == 0 {
					return fault{}
				}
				f := faults[plan[0]]
				plan = plan[1:]
				return f
			})
			bound := map[world.EffectID]world.Bind{}
			for i, n := range acts {
				pod := pods[n%3]
				switch n / 3 {
				case 0, 1:
					act := bind(pod, fmt.Sprint("node", i%2))
					bound[s.do(act)] = act
				case 2:
					s.do(failing(pod, fmt.Sprint("message ", i)))
				case 3:
					s.do(nominating(pod, "x"))
				case 4:
					s.do(deleting(pod))
				case 5:
					pass(200 * time.Millisecond)
				}
			}
			seen := map[world.EffectID]bool{}
			for {
				in, ok := s.cluster.Next(s.cluster.Now().Add(5 * time.Minute))
				if !ok {
					break
				}
				ended, ok := in.Event.(world.EffectDone)
				if !ok {
					continue
				}
				if seen[ended.Effect] {
					t.Errorf("effect %d was answered twice", ended.Effect)
				}
				seen[ended.Effect] = true
				act, binds := bound[ended.Effect]
				if pod := s.pod(act.Pod.Name); binds && pod != nil && ended.Outcome.OK() && pod.Spec.NodeName != act.Node {
					t.Errorf("effect %d bound %s to %s, says its outcome; it is on %q", ended.Effect, act.Pod.Name, act.Node, pod.Spec.NodeName)
				}
			}
			want(t, "answered", int(s.ids), len(seen))
			want(t, "still under way", 0, s.cluster.Counters().Running)
		}, pods[0], pods[1], pods[2])
	})
}

func TestStop_CancelsRunningCalls(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		never := make(chan struct{})
		defer close(never)
		s.setFault(func(r *http.Request) fault {
			if r.Method == "GET" {
				return fault{}
			}
			return fault{wait: never}
		})
		s.do(bind(podA, "x"))
		s.do(failing(podA, "no"))
		s.do(deleting(podB))
		synctest.Wait()
		want(t, "stopping takes", time.Duration(0), elapses(s.cluster.Stop))
		for range 3 {
			want(t, "no effect waits any more", time.Duration(0), elapses(func() { s.next() }))
		}
	}, podA, podB)
}
