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

	"orrery/core/engine"
	"orrery/core/parity/apiserver"
	"orrery/core/replica"
)

// alone runs a replica without a lease, which would be lost in an outage, and without limits.
func alone(o *replica.Options) {
	*o.Config.LeaderElection.LeaderElect = false
}

// count is a number of pods, or what ORRERY_CASES says.
func count(t *testing.T, otherwise int) int {
	text := os.Getenv("ORRERY_CASES")
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("ORRERY_CASES=%q is no number: %v", text, err)
	}
	return n
}

// full are nodes with room for exactly so many pods of 80m, a hundred each, and for the rest of them.
func full(pods int) []*v1.Node {
	var nodes []*v1.Node
	for i := range (pods + 99) / 100 {
		nodes = append(nodes, apiserver.Node(i, "8", "64Gi", "110"))
	}
	return nodes
}

func TestOutage_RestartAmidBindings(t *testing.T) {
	pods := count(t, 800)
	s := newScene(t, full(pods)...)
	s.pods(pods, "a", "80m")
	watches := s.watchBindings()
	r := s.start(alone)
	s.eventually(func() error {
		if n := r.Counters().Attempts; n < uint64(pods)/4 {
			return fmt.Errorf("only %d calls were made", n)
		}
		return nil
	})
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	middle := len(s.acts("pods"))
	if middle == 0 || middle >= pods {
		t.Errorf("the server stopped after %d of %d bindings: that is not the middle", middle, pods)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	watches = append(watches, s.watchBindings()...)
	s.bound(pods)
	s.agrees(r)
	s.sound(watches)
	tally := r.Counters()
	if tally.Retries == 0 {
		t.Error("nothing was tried again, so nothing was in the middle")
	}
	t.Logf("%d pods, %d of them bound before the server stopped; %+v", pods, middle, tally)
}

// sound has no pod seen on two nodes, none bound twice, and no node with more on it than it has room for.
func (s *scene) sound(watches []chan seen) {
	s.t.Helper()
	for pod, moved := range twice(watches) {
		s.t.Errorf("%s was seen on %v", pod, moved)
	}
	if again := s.boundTwice(); len(again) > 0 {
		s.t.Errorf("bound twice: %v", again)
	}
	if over := s.overcommitted(); len(over) > 0 {
		s.t.Errorf("overcommitted: %v", over)
	}
}

// overcommitted are nodes with more on them than they have room for.
func (s *scene) overcommitted() (all []string) {
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

// seen is a pod on a node.
type seen struct {
	pod  types.UID
	node string
}

// watchBindings writes down which pods are seen on which nodes, until the connection ends.
func (s *scene) watchBindings() []chan seen {
	s.t.Helper()
	w, err := s.client.CoreV1().Pods(metav1.NamespaceDefault).Watch(s.ctx, metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	out := make(chan seen, 100_000)
	go func() {
		defer close(out)
		for e := range w.ResultChan() {
			if pod, ok := e.Object.(*v1.Pod); ok && pod.Spec.NodeName != "" {
				out <- seen{pod.UID, pod.Spec.NodeName}
			}
		}
	}()
	s.t.Cleanup(w.Stop)
	return []chan seen{out}
}

// twice are the pods that were seen on more than one node so far.
func twice(watches []chan seen) map[types.UID][]string {
	where, moved := map[types.UID]string{}, map[types.UID][]string{}
	for _, w := range watches {
		for {
			select {
			case at, ok := <-w:
				if ok {
					if before := where[at.pod]; before != "" && before != at.node {
						moved[at.pod] = append(moved[at.pod], before, at.node)
					}
					where[at.pod] = at.node
					continue
				}
			default:
			}
			break
		}
	}
	return moved
}

// agrees waits until the replica and the API server hold the same, and has the engine check itself.
func (s *scene) agrees(r *running) {
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
		s.t.Errorf("the engine checked itself: %v, %v", err, broken)
	}
}

func TestOutage_CutConnectionRecovers(t *testing.T) {
	s := newScene(t, threeNodes()...)
	r := s.start(alone)
	s.pods(10, "before", "10m")
	s.bound(10)
	server.Cut(true)
	had := r.Counters().Watches
	s.eventually(func() error { // it has noticed, and has tried in vain to see again
		if tried := r.Counters().Watches - had; tried < 10 {
			return fmt.Errorf("a watch was begun %d times since the line was cut", tried)
		}
		return nil
	})
	server.Cut(false)
	s.pods(10, "after", "10m")
	s.bound(20)
	s.agrees(r)
}

func TestTaintEviction_RunsOnLeader(t *testing.T) {
	s := newScene(t, threeNodes()...)
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
		leaving := 0
		for _, pod := range s.list() {
			if pod.Spec.NodeName == target && pod.DeletionTimestamp == nil {
				return errors.New("a pod stays on a tainted node")
			}
			for _, c := range pod.Status.Conditions {
				if c.Type == v1.DisruptionTarget && c.Reason == "DeletionByTaintManager" {
					leaving++
				}
			}
		}
		if leaving != want {
			return fmt.Errorf("%d pods are marked, want %d", leaving, want)
		}
		return nil
	})
}
