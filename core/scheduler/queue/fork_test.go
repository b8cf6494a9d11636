package queue_test

import (
	"fmt"
	"slices"
	"testing"

	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/scheduler/queue"
)

// ForkNominated keeps the nominated pods and those in flight, and no others.
func TestForkNominated_KeepsNominations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opts := drawOptions(t)
		a := newModel(opts)
		for _, d := range drawActions(t) {
			a.apply(d)
		}
		opts.Observe = nil
		f := a.queue.ForkNominated(opts)
		if err := f.Check(); err != nil {
			t.Error(err)
		}
		describe := func(pods []fwk.PodInfo) []string {
			var text []string
			for _, p := range pods {
				text = append(text, fmt.Sprint(p.GetPod().Name, p.GetPod().Labels, p.GetPod().Spec.Priority != nil))
			}
			return text
		}
		nominated := map[string]bool{}
		for n := range 3 {
			node := fmt.Sprint("n", n)
			here, there := a.queue.NominatedPodsForNode(node), f.NominatedPodsForNode(node)
			if !slices.Equal(describe(here), describe(there)) {
				t.Errorf("%s: %v are nominated, and in the fork %v", node, describe(here), describe(there))
			}
			for _, p := range here {
				nominated[p.GetPod().Name] = true
			}
		}
		if !slices.Equal(named(a.queue.InFlight()), named(f.InFlight())) {
			t.Errorf("%v are in flight, and in the fork %v", named(a.queue.InFlight()), named(f.InFlight()))
		}
		for _, waits := range slices.Concat(sortedPods(f, queue.Active), sortedPods(f, queue.Backoff), sortedPods(f, queue.Unschedulable), sortedPods(f, queue.Gated)) {
			if !nominated[waits.Pod().Name] {
				t.Errorf("%s waits in the fork without being nominated", waits.Pod().Name)
			}
		}
	})
}
