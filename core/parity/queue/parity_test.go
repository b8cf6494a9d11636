package queue

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

func init() {
	metrics.Register()
	utilruntime.ErrorHandlers = nil // upstream's slow down when errors are frequent, and hints here fail often
}

func TestTheTwoQueuesAgree(t *testing.T) {
	for _, d := range Differences {
		t.Log("by design: " + d)
	}
	scripts, seed, steps := setting("QUEUE_SCRIPTS", 1500), setting("QUEUE_SEED", 1), setting("QUEUE_STEPS", 80)
	for _, early := range []bool{true, false} {
		t.Run(fmt.Sprintf("PopFromBackoffQ=%t", early), func(t *testing.T) {
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SchedulerPopFromBackoffQ, early)
			n := scripts * 3 / 4
			if !early {
				n = scripts - n
			}
			start := time.Now()
			for i := range n {
				s := newScript(uint64(seed+i), steps)
				if err := run(t, s, early); err != nil {
					small := shrink(s, func(s script) bool { return run(t, s, early) != nil })
					t.Fatalf("%v\n\ncut down: %v\n%s", err, run(t, small, early), small)
				}
			}
			t.Logf("%d scripts of %d steps agree, seeds %d to %d, in %s", n, steps, seed, seed+n-1, time.Since(start).Round(time.Millisecond))
		})
	}
}

func setting(name string, value int) int {
	if s, ok := os.LookupEnv(name); ok {
		if n, err := strconv.Atoi(s); err == nil {
			return n
		}
	}
	return value
}

// run plays a script in virtual time of its own.
func run(t *testing.T, s script, early bool) (err error) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayer(s, early)
		defer p.them.Close()
		metrics.SchedulerQueueIncomingPods.Reset()
		if err = p.play(); err == nil {
			if diff := cmp.Diff(counted(), p.entered); diff != "" {
				err = fmt.Errorf("pods that came into queues (-they counted +we recorded):\n%s", diff)
			}
		}
	})
	return err
}

// counted reads what upstream added to scheduler_queue_incoming_pods_total since its last reset.
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
