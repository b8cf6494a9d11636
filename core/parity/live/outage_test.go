package live_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

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

func TestAServerThatRestartsAmidBindingsLosesNoPodAndBindsNoneTwice(t *testing.T) {
	const pods = 600
	s := newScene(t, apiserver.Node(0, "8", "16Gi", "210"), apiserver.Node(1, "8", "16Gi", "210"), apiserver.Node(2, "8", "16Gi", "210"))
	s.pods(pods, "a", "10m")
	nodes := s.watchBindings()
	r := s.start(alone)
	s.eventually(func() error {
		if tally := r.Tally(); tally.Tries < 50 {
			return fmt.Errorf("only %d calls were made", tally.Tries)
		}
		return nil
	})
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	nodes = append(nodes, s.watchBindings()...)
	for node, n := range s.bound(pods) {
		if n > 210 {
			t.Errorf("%s has room for 210 pods and was given %d", node, n)
		}
	}
	s.agrees(r)
	for pod, moved := range twice(nodes) {
		t.Errorf("%s was seen on %v", pod, moved)
	}
	if r.Tally().Again == 0 {
		t.Error("nothing was tried again, so nothing was in the middle")
	}
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
	if err := r.Look(s.ctx, func(e *engine.Engine) { broken = e.Check() }); err != nil || broken != nil {
		s.t.Errorf("the engine checked itself: %v, %v", err, broken)
	}
}

func TestALineThatIsCutForAWhileCostsNothingButTime(t *testing.T) {
	s := newScene(t, threeNodes()...)
	r := s.start(alone)
	s.pods(10, "before", "10m")
	s.bound(10)
	server.Cut(true)
	time.Sleep(4 * time.Second)
	server.Cut(false)
	s.pods(10, "after", "10m")
	s.bound(20)
	s.agrees(r)
}

func TestTaintEvictionWorksUnderTheLease(t *testing.T) {
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
