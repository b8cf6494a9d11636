package live_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/engine"
	"orrery/core/parity/apiserver"
	"orrery/core/replica"
	"orrery/core/world"
	"orrery/core/world/live"
)

// storm is for how long bad weather may hold things up on a machine that is busy with other things as well.
const storm = 4 * time.Minute

// outdoors has a replica reach the server through weather.
func (s *scene) outdoors(sky apiserver.Sky, change func(*replica.Options)) (*apiserver.Weather, *running) {
	s.t.Helper()
	w, err := server.Weather(1)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = w.Close() })
	w.Turn(sky)
	return w, s.start(func(o *replica.Options) {
		alone(o)
		o.KubeConfig = w.Config(scheduler)
		if change != nil {
			change(o)
		}
	})
}

// balanced has the replica and the server agree, on every pod and on what is taken of every node.
func (s *scene) balanced(r *running) {
	s.t.Helper()
	s.agrees(r)
	type taken struct{ pods, cpu int64 }
	listed, held := map[string]taken{}, map[string]taken{}
	for _, pod := range s.list() {
		if pod.Spec.NodeName == "" || pod.Status.Phase == v1.PodFailed {
			continue
		}
		t := listed[pod.Spec.NodeName]
		listed[pod.Spec.NodeName] = taken{t.pods + 1, t.cpu + pod.Spec.Containers[0].Resources.Requests.Cpu().MilliValue()}
	}
	err := r.Look(s.ctx, func(e *engine.Engine) {
		for node := range e.Cache().Recent() {
			if n := len(node.GetPods()); n > 0 {
				held[node.Node().Name] = taken{int64(n), node.GetRequested().GetMilliCPU()}
			}
		}
	})
	if err != nil {
		s.t.Fatal(err)
	}
	for name, want := range listed {
		if held[name] != want {
			s.t.Errorf("%s: the engine counts %+v, a list %+v", name, held[name], want)
		}
		delete(held, name)
	}
	if len(held) > 0 {
		s.t.Errorf("the engine counts on nodes where there is nothing: %v", held)
	}
}

// The nodes have room for exactly these pods: one that is lost, or counted twice, has the last one find no room.
func TestNoWeatherLosesAPodOrBindsOneTwice(t *testing.T) {
	for _, row := range []struct {
		name string
		sky  apiserver.Sky
		bad  func(apiserver.Spoilt, live.Tally) bool // whether it was as bad as it was meant to be
	}{
		{
			"too many requests",
			apiserver.Sky{Busy: 0.3},
			func(s apiserver.Spoilt, _ live.Tally) bool { return s.Busy >= 50 },
		},
		{
			"slow answers",
			apiserver.Sky{Slow: 3 * time.Second},
			func(s apiserver.Spoilt, _ live.Tally) bool { return s.Slow >= 100 },
		},
		{
			"answers that are lost",
			apiserver.Sky{Lost: 0.4},
			func(s apiserver.Spoilt, t live.Tally) bool { return s.Lost >= 100 && t.Again >= 50 },
		},
		{
			"watches that are cut",
			apiserver.Sky{WatchMost: 2 * time.Second, Slow: time.Second},
			func(s apiserver.Spoilt, t live.Tally) bool { return s.Cut >= 5 && t.Watches >= 10 },
		},
		{
			"watches that cannot go on",
			apiserver.Sky{WatchMost: time.Second, Expired: 0.5, Slow: 500 * time.Millisecond},
			func(s apiserver.Spoilt, t live.Tally) bool { return s.Expired+int(t.Relists) >= 3 },
		},
		{
			"everything at once",
			apiserver.Sky{Busy: 0.2, Slow: time.Second, Lost: 0.3, WatchMost: 3 * time.Second, Expired: 0.3},
			func(s apiserver.Spoilt, t live.Tally) bool {
				return min(s.Busy, s.Slow, s.Lost, s.Cut) > 5 && t.Again > 5
			},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			pods := count(t, 300)
			s := newScene(t, full(pods)...)
			watches := s.watchBindings()
			w, r := s.outdoors(row.sky, nil)
			s.pods(pods, "a", "80m")
			s.allBound(pods)
			s.within(storm, func() error { // the last pod may be bound before it was bad enough
				if !row.bad(w.Spoilt(), r.Tally()) {
					return fmt.Errorf("the weather was not as bad as it was meant to be: %+v, %+v", w.Spoilt(), r.Tally())
				}
				return nil
			})
			w.Turn(apiserver.Sky{})
			s.balanced(r)
			s.sound(watches)
			t.Logf("%d pods; %+v; %+v", pods, w.Spoilt(), r.Tally())
		})
	}
}

// allBound waits, in bad weather, until so many pods have a node.
func (s *scene) allBound(n int) {
	s.t.Helper()
	s.within(storm, func() error {
		bound := 0
		for _, pod := range s.list() {
			if pod.Spec.NodeName != "" {
				bound++
			}
		}
		if bound != n {
			return fmt.Errorf("%d pods are bound, want %d", bound, n)
		}
		return nil
	})
}

func TestPreemptionGetsThroughBadWeather(t *testing.T) {
	const low, high = 40, 20
	s := newScene(t, full(200)...)
	go func() {
		for s.ctx.Err() == nil { // the server ends the watch of one who falls behind
			_ = apiserver.Kubelet(s.ctx, s.client)
		}
	}()
	watches := s.watchBindings()
	w, r := s.outdoors(apiserver.Sky{}, nil)
	s.pods(low, "low", "400m") // which fills both nodes
	s.allBound(low)
	w.Turn(apiserver.Sky{Busy: 0.2, Slow: 300 * time.Millisecond, Lost: 0.3, WatchMost: 3 * time.Second, Expired: 0.3})
	for i := range high {
		pod := apiserver.Pod(fmt.Sprintf("high-%d", i), "400m", "16Mi")
		pod.Spec.PriorityClassName = "system-cluster-critical"
		if _, err := s.create(pod); err != nil {
			t.Fatal(err)
		}
	}
	s.within(storm, func() error {
		if is := w.Spoilt(); min(is.Busy, is.Lost, is.Cut) < 15 {
			return fmt.Errorf("the weather is not as bad as it is meant to be: %+v", is)
		}
		return nil
	})
	w.Turn(apiserver.Sky{})
	s.within(storm, func() error {
		bound, leaving := 0, 0
		for _, pod := range s.list() {
			switch {
			case pod.DeletionTimestamp != nil:
				leaving++
			case pod.Spec.PriorityClassName != "" && pod.Spec.NodeName != "":
				bound++
			}
		}
		if bound != high {
			return fmt.Errorf("%d preemptors are bound, want %d; %d pods are leaving; the others: %s; %+v",
				bound, high, leaving, s.waiting(r), r.Tally())
		}
		return nil
	})
	s.balanced(r)
	s.sound(watches)
	t.Logf("%d victims for %d preemptors; %+v; %+v", low+high-len(s.list()), high, w.Spoilt(), r.Tally())
}

// waiting says where the pods are that the replica has not bound.
func (s *scene) waiting(r *running) (where string) {
	err := r.Look(s.ctx, func(e *engine.Engine) {
		for o := range e.Store().Objects(world.Pod) {
			if place := e.Where(o.GetNamespace(), o.GetName()); place != engine.PlaceBound {
				where += fmt.Sprintf("%s is %s; ", o.GetName(), place)
			}
		}
		where += fmt.Sprintf("%d effects are awaited", len(e.Awaited()))
	})
	if err != nil {
		return err.Error()
	}
	return where
}

// While nothing can be seen, pods go, pods come, and a node comes. The watches cannot go on afterwards. What a list then
// shows that no watch had is counted, by kind, and made up for.
func TestWhatWasMissedIsReportedAndMadeUpFor(t *testing.T) {
	const before, gone, after = 60, 20, 30
	s := newScene(t, full(100)...)
	watches := s.watchBindings()
	heard := make(listeningLogger, 1000)
	w, r := s.outdoors(apiserver.Sky{}, func(o *replica.Options) { o.Logger = heard.logger() })
	s.pods(before, "before", "80m")
	s.allBound(before)
	s.balanced(r)

	w.Turn(apiserver.Sky{Blind: true})
	for _, pod := range s.list()[:gone] {
		if err := s.client.CoreV1().Pods(pod.Namespace).Delete(s.ctx, pod.Name, *metav1.NewDeleteOptions(0)); err != nil {
			t.Fatal(err)
		}
	}
	newScene(t, apiserver.Node(77, "8", "64Gi", "110"))
	s.pods(after, "after", "80m")
	s.within(storm, func() error {
		if w.Spoilt().Blind < 5 {
			return errors.New("nobody looks")
		}
		return nil
	})
	w.Turn(apiserver.Sky{Expired: 1})
	s.within(storm, func() error {
		if n := r.Tally().Drifted; n < gone+after+1 {
			return fmt.Errorf("%d differences were reported, want %d pods that went, %d that came, and a node", n, gone, after)
		}
		return nil
	})
	w.Turn(apiserver.Sky{})
	s.allBound(before - gone + after)
	s.balanced(r)
	s.sound(watches)
	wantPods, wantNodes := fmt.Sprintf("Pod gone=%d new=%d", gone, after), "Node gone=0 new=1"
	drifts := heard.drifts()
	if !drifts[wantPods] || !drifts[wantNodes] {
		t.Errorf("reported: %v, want %q and %q", drifts, wantPods, wantNodes)
	}
}
