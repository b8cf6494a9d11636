package live_test

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/parity/apiserver"
	"orrery/core/process/replica"
	"orrery/core/scheduler/engine"
)

// withoutLease runs a replica without leader election, since an outage would end it, and without client-side rate limits.
func withoutLease(o *replica.Options) {
	*o.Config.LeaderElection.LeaderElect = false
}

// count returns ORRERY_CASES, or a default number of pods.
func count(t *testing.T, otherwise int) int {
	text := os.Getenv("ORRERY_CASES")
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("ORRERY_CASES=%q is not a number: %v", text, err)
	}
	return n
}

// nodesFor returns nodes that fit exactly so many pods of 80m, a hundred each and the last one the rest.
func nodesFor(pods int) []*v1.Node {
	var nodes []*v1.Node
	for i := range (pods + 99) / 100 {
		nodes = append(nodes, apiserver.Node(i, "8", "64Gi", "110"))
	}
	return nodes
}

func TestOutage_RestartAmidBindings(t *testing.T) {
	pods := count(t, 800)
	s := newFixture(t, nodesFor(pods)...)
	s.pods(pods*3/4, "a", "80m")
	watches := s.watchBindings()
	r := s.start(withoutLease)
	made := s.createSlowly(pods - pods*3/4) // the others may all be bound when the first one is seen
	s.eventually(func() error {
		if len(watches[0]) == 0 {
			return errors.New("no pod is bound")
		}
		return nil
	})
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	middle := len(s.auditedWrites("pods"))
	if middle == 0 || middle >= pods {
		t.Errorf("the server stopped after %d of %d bindings, want it in between", middle, pods)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	watches = append(watches, s.watchBindings()...)
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	s.bound(pods)
	s.checkCache(r)
	s.checkBindings(watches)
	counters := r.Counters()
	if counters.Retries == 0 {
		t.Error("no call was retried, so none was in flight when the server stopped")
	}
	t.Logf("%d pods, %d of them bound before the server stopped; %+v", pods, middle, counters)
}

// checkBindings checks that no pod was seen on two nodes, none was bound twice, and no node is overcommitted.
func (s *fixture) checkBindings(watches []chan placement) {
	s.t.Helper()
	for pod, nodes := range moved(watches) {
		s.t.Errorf("%s was seen on %v", pod, nodes)
	}
	if again := s.boundTwice(); len(again) > 0 {
		s.t.Errorf("bound twice: %v", again)
	}
	if over := s.overcommitted(); len(over) > 0 {
		s.t.Errorf("overcommitted: %v", over)
	}
}

// overcommitted returns the nodes whose pods exceed their allocatable resources.
func (s *fixture) overcommitted() (all []string) {
	list, err := s.client.CoreV1().Nodes().List(s.ctx, metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	pods, cpu := map[string]int64{}, map[string]int64{}
	for _, pod := range s.list() {
		if pod.Status.Phase == v1.PodFailed {
			continue
		}
		pods[pod.Spec.NodeName]++
		cpu[pod.Spec.NodeName] += pod.Spec.Containers[0].Resources.Requests.Cpu().MilliValue()
	}
	for _, node := range list.Items {
		room := node.Status.Allocatable
		if pods[node.Name] > room.Pods().Value() || cpu[node.Name] > room.Cpu().MilliValue() {
			all = append(all, fmt.Sprintf("%s has %d pods of %s and %dm of %s", node.Name, pods[node.Name], room.Pods(), cpu[node.Name], room.Cpu()))
		}
	}
	return all
}

// placement is a pod on a node.
type placement struct {
	pod  types.UID
	node string
}

// watchBindings watches which pods are on which nodes, until the watch ends.
func (s *fixture) watchBindings() []chan placement {
	s.t.Helper()
	w, err := s.client.CoreV1().Pods(metav1.NamespaceDefault).Watch(s.ctx, metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	out := make(chan placement, 100_000)
	go func() {
		defer close(out)
		for e := range w.ResultChan() {
			if pod, ok := e.Object.(*v1.Pod); ok && pod.Spec.NodeName != "" {
				out <- placement{pod.UID, pod.Spec.NodeName}
			}
		}
	}()
	s.t.Cleanup(w.Stop)
	return []chan placement{out}
}

// moved returns the pods that were seen on more than one node so far.
func moved(watches []chan placement) map[types.UID][]string {
	last, all := map[types.UID]string{}, map[types.UID][]string{}
	for _, w := range watches {
		for {
			select {
			case at, ok := <-w:
				if ok {
					if before := last[at.pod]; before != "" && before != at.node {
						all[at.pod] = append(all[at.pod], before, at.node)
					}
					last[at.pod] = at.node
					continue
				}
			default:
			}
			break
		}
	}
	return all
}

// checkCache waits until the replica's cache and the API server agree, and checks the engine's consistency.
func (s *fixture) checkCache(r *running) {
	s.t.Helper()
	s.eventually(func() error {
		different, err := r.Compare(s.ctx)
		if err == nil && len(different) > 0 {
			err = fmt.Errorf("the cache and the API server differ: %q", different)
		}
		return err
	})
	var broken error
	if err := r.Inspect(s.ctx, func(e *engine.Engine) { broken = e.Check() }); err != nil || broken != nil {
		s.t.Errorf("checking the engine: %v, %v", err, broken)
	}
}

func TestOutage_CutConnectionRecovers(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	r := s.start(withoutLease)
	s.pods(10, "before", "10m")
	s.bound(10)
	server.Cut(true)
	defer server.Cut(false)
	had := r.Counters().Watches
	s.eventually(func() error { // it has noticed, and retries its watches
		if tried := r.Counters().Watches - had; tried < 10 {
			return fmt.Errorf("%d watches were started since the connection broke", tried)
		}
		return nil
	})
	server.Cut(false)
	s.pods(10, "after", "10m")
	s.bound(20)
	s.checkCache(r)
}

func TestTaintEviction_RunsOnLeader(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.start(func(o *replica.Options) {
		o.Controllers = []string{replica.TaintEviction}
	})
	s.pods(9, "a", "10m")
	target, want := "", 0
	for node, n := range s.bound(9) {
		if n > want {
			target, want = node, n
		}
	}
	patch := []byte(`{"spec":{"taints":[{"key":"down","effect":"NoExecute"}]}}`)
	if _, err := s.client.CoreV1().Nodes().Patch(s.ctx, target, types.StrategicMergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	s.eventually(func() error {
		marked := 0
		for _, pod := range s.list() {
			if pod.Spec.NodeName == target && pod.DeletionTimestamp == nil {
				return errors.New("a pod on the tainted node is not terminating")
			}
			for _, c := range pod.Status.Conditions {
				if c.Type == v1.DisruptionTarget && c.Reason == "DeletionByTaintManager" {
					marked++
				}
			}
		}
		if marked != want {
			return fmt.Errorf("%d pods have the condition DisruptionTarget, want %d", marked, want)
		}
		return nil
	})
}
