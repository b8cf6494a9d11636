package live_test

import (
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/faultproxy"
	"orrery/core/process/replica"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/core/world/live"
)

// startBehindProxy starts a replica that reaches the server through a proxy with faults.
func (s *fixture) startBehindProxy(f faultproxy.Faults, change func(*replica.Options)) (*faultproxy.Proxy, *running) {
	s.t.Helper()
	proxy, err := faultproxy.New(server.Config(""), 1)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(proxy.Close)
	proxy.Set(f)
	return proxy, s.start(func(o *replica.Options) {
		withoutLease(o)
		o.KubeConfig = proxy.Config(scheduler)
		if change != nil {
			change(o)
		}
	})
}

// checkAccounting waits until the replica and the server agree on every pod and on the requested resources of every node.
func (s *fixture) checkAccounting(r *running) {
	s.t.Helper()
	s.checkCache(r)
	type taken struct{ pods, cpu int64 }
	s.eventually(func() error { // preempted pods may still be terminating
		listed, held := map[string]taken{}, map[string]taken{}
		for _, pod := range s.list() {
			if pod.Spec.NodeName == "" || pod.Status.Phase == v1.PodFailed {
				continue
			}
			t := listed[pod.Spec.NodeName]
			listed[pod.Spec.NodeName] = taken{t.pods + 1, t.cpu + pod.Spec.Containers[0].Resources.Requests.Cpu().MilliValue()}
		}
		err := r.Inspect(s.ctx, func(e *engine.Engine) {
			for node := range e.Cache().RecentlyChanged() {
				if n := len(node.GetPods()); n > 0 {
					held[node.Node().Name] = taken{int64(n), node.GetRequested().GetMilliCPU()}
				}
			}
		})
		if err == nil && !maps.Equal(held, listed) {
			err = fmt.Errorf("pods and millicpu by node: the engine counts %+v, a list %+v", held, listed)
		}
		return err
	})
}

// The nodes fit exactly these pods: if one is lost or counted twice, the last one does not fit.
func TestFaults_LoseNoPodAndBindOnce(t *testing.T) {
	for _, row := range []struct {
		name   string
		faults faultproxy.Faults
		enough func(faultproxy.Counts, live.Counters) bool // whether enough faults were injected
	}{
		{
			"too many requests",
			faultproxy.Faults{Busy: 0.3},
			func(s faultproxy.Counts, _ live.Counters) bool { return s.Busy >= 50 },
		},
		{
			"slow responses",
			faultproxy.Faults{Slow: 3 * time.Second},
			func(s faultproxy.Counts, _ live.Counters) bool { return s.Slow >= 100 },
		},
		{
			"lost responses",
			faultproxy.Faults{Lost: 0.4},
			func(s faultproxy.Counts, t live.Counters) bool { return s.Lost >= 100 && t.Retries >= 50 },
		},
		{
			"watches that end",
			faultproxy.Faults{WatchMost: 2 * time.Second, Slow: time.Second},
			func(s faultproxy.Counts, t live.Counters) bool { return s.Cut >= 5 && t.Watches >= 10 },
		},
		{
			"watches that expire",
			faultproxy.Faults{WatchMost: time.Second, Expired: 0.5, Slow: 500 * time.Millisecond},
			func(s faultproxy.Counts, t live.Counters) bool { return s.Expired+int(t.Relists) >= 3 },
		},
		{
			"all faults together",
			faultproxy.Faults{Busy: 0.2, Slow: time.Second, Lost: 0.3, WatchMost: 3 * time.Second, Expired: 0.3},
			func(s faultproxy.Counts, t live.Counters) bool {
				return min(s.Busy, s.Slow, s.Lost, s.Cut) > 5 && t.Retries > 5
			},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			pods := count(t, 200)
			s := newFixture(t, nodesFor(pods)...)
			watches := s.watchBindings()
			proxy, r := s.startBehindProxy(row.faults, nil)
			s.pods(pods, "a", "80m")
			s.allBound(pods)
			s.eventually(func() error { // all pods may be bound earlier
				if !row.enough(proxy.Injected(), r.Counters()) {
					return fmt.Errorf("too few faults were injected: %+v, %+v", proxy.Injected(), r.Counters())
				}
				return nil
			})
			proxy.Set(faultproxy.Faults{})
			s.checkAccounting(r)
			s.checkBindings(watches)
			t.Logf("%d pods; %+v; %+v", pods, proxy.Injected(), r.Counters())
		})
	}
}

// allBound waits, for longer than bound does, until n pods have a node.
func (s *fixture) allBound(n int) {
	s.t.Helper()
	s.eventually(func() error {
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

func TestFaults_PreemptionSucceeds(t *testing.T) {
	const low, high = 40, 20
	s := newFixture(t, nodesFor(200)...)
	go func() {
		for s.ctx.Err() == nil { // the server ends a watch that falls behind
			_ = apiserver.Kubelet(s.ctx, s.client)
		}
	}()
	watches := s.watchBindings()
	proxy, r := s.startBehindProxy(faultproxy.Faults{}, nil)
	s.pods(low, "low", "400m") // which fills both nodes
	s.allBound(low)
	proxy.Set(faultproxy.Faults{Busy: 0.2, Slow: 300 * time.Millisecond, Lost: 0.3, WatchMost: 3 * time.Second, Expired: 0.3})
	for i := range high {
		pod := apiserver.Pod(fmt.Sprintf("high-%d", i), "400m", "16Mi")
		pod.Spec.PriorityClassName = "system-cluster-critical"
		if _, err := s.create(pod); err != nil {
			t.Fatal(err)
		}
	}
	s.eventually(func() error {
		if is := proxy.Injected(); min(is.Busy, is.Lost, is.Cut) < 15 {
			return fmt.Errorf("too few faults are injected: %+v", is)
		}
		return nil
	})
	proxy.Set(faultproxy.Faults{})
	s.eventually(func() error {
		bound, terminating := 0, 0
		for _, pod := range s.list() {
			switch {
			case pod.DeletionTimestamp != nil:
				terminating++
			case pod.Spec.PriorityClassName != "" && pod.Spec.NodeName != "":
				bound++
			}
		}
		if bound != high {
			return fmt.Errorf("%d preemptors are bound, want %d; %d pods are terminating; the others: %s; %+v",
				bound, high, terminating, s.waiting(r), r.Counters())
		}
		return nil
	})
	s.checkAccounting(r)
	s.checkBindings(watches)
	t.Logf("%d victims for %d preemptors; %+v; %+v", low+high-len(s.list()), high, proxy.Injected(), r.Counters())
}

// waiting returns the states of the pods that the replica has not bound.
func (s *fixture) waiting(r *running) (states string) {
	err := r.Inspect(s.ctx, func(e *engine.Engine) {
		for o := range e.Store().Objects(world.Pod) {
			if place := e.PodState(o.GetNamespace(), o.GetName()); place != engine.StateBound {
				states += fmt.Sprintf("%s is %s; ", o.GetName(), place)
			}
		}
		states += fmt.Sprintf("%d effects are pending", len(e.PendingEffects()))
	})
	if err != nil {
		return err.Error()
	}
	return states
}

// While reads fail, pods are deleted and created, and a node is added. Afterwards the watches expire. The changes that only
// the next list shows are counted by kind and applied.
func TestFaults_MissedEventsAreReported(t *testing.T) {
	const before, gone, after = 60, 20, 30
	s := newFixture(t, nodesFor(100)...)
	watches := s.watchBindings()
	logged := make(recordingLogger, 1000)
	proxy, r := s.startBehindProxy(faultproxy.Faults{}, func(o *replica.Options) { o.Logger = logged.logger() })
	s.pods(before, "before", "80m")
	s.allBound(before)
	s.checkAccounting(r)

	proxy.Set(faultproxy.Faults{Blind: true})
	for _, pod := range s.list()[:gone] {
		if err := s.client.CoreV1().Pods(pod.Namespace).Delete(s.ctx, pod.Name, *metav1.NewDeleteOptions(0)); err != nil {
			t.Fatal(err)
		}
	}
	newFixture(t, apiserver.Node(77, "8", "64Gi", "110"))
	s.pods(after, "after", "80m")
	s.eventually(func() error {
		if proxy.Injected().Blind < 5 {
			return errors.New("too few reads failed")
		}
		return nil
	})
	proxy.Set(faultproxy.Faults{Expired: 1})
	s.eventually(func() error {
		if n := r.Counters().Drifted; n < gone+after+1 {
			return fmt.Errorf("%d differences were reported, want %d deleted pods, %d new pods, and a node", n, gone, after)
		}
		return nil
	})
	proxy.Set(faultproxy.Faults{})
	s.allBound(before - gone + after)
	s.checkAccounting(r)
	s.checkBindings(watches)
	drifts := logged.drifts()
	if drifts[world.Pod] != (live.Drift{Gone: gone, New: after}) || drifts[world.Node] != (live.Drift{New: 1}) {
		t.Errorf("reported: %+v, want %d deleted pods, %d new pods, and a node", drifts, gone, after)
	}
}
