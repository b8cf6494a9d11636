package queue

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
)

func init() {
	metrics.Register()
	utilruntime.ErrorHandlers = nil // upstream's rate-limit errors, and hints fail often here
}

func TestQueue_SameAfterEveryStep(t *testing.T) {
	for _, early := range []bool{true, false} {
		t.Run(fmt.Sprintf("PopFromBackoffQ=%t", early), func(t *testing.T) {
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SchedulerPopFromBackoffQ, early)
			moved := difftest.Coverage{}
			n := difftest.Cases[script]{
				Draw: newScript,
				Differ: func(s script) string {
					if err := run(t, s, early, moved); err != nil {
						return err.Error()
					}
					return ""
				},
				Reduce: func(s script, differ func(script) string) script {
					with := func(steps []step) script { s.steps = steps; return s }
					return with(difftest.Pieces(s.steps, func(steps []step) string { return differ(with(steps)) }))
				},
			}.Check(t, comparisons.Queue.Cases)
			moved.Require(t, n, storageMoves...)
		})
	}
}

// run runs a script in its own virtual time, and counts the events that moved pods.
func run(t *testing.T, s script, early bool, moved difftest.Coverage) (err error) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayer(s, early)
		defer p.them.Close()
		metrics.SchedulerQueueIncomingPods.Reset()
		if err = p.play(); err == nil {
			if diff := cmp.Diff(counted(), p.entered); diff != "" {
				err = fmt.Errorf("incoming pods (-counted by upstream +recorded by us):\n%s", diff)
			}
		}
		for key, n := range p.entered {
			moved[key[1]] += n
		}
	})
	return err
}

// counted reads scheduler_queue_incoming_pods_total, which starts at zero for every script.
func counted() map[[2]string]int {
	collected := make(chan prometheus.Metric, 1000)
	metrics.SchedulerQueueIncomingPods.Collect(collected)
	close(collected)
	counts := map[[2]string]int{}
	for m := range collected {
		var data dto.Metric
		if err := m.Write(&data); err != nil {
			panic(err)
		}
		labels := map[string]string{}
		for _, l := range data.Label {
			labels[l.GetName()] = l.GetValue()
		}
		counts[[2]string{labels["queue"], labels["event"]}] = int(data.Counter.GetValue())
	}
	return counts
}
