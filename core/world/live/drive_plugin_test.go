package live_test

import (
	"context"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
)

// sleeper holds every pod at Permit, and allows it from a goroutine of its own.
type sleeper struct {
	handle  fwk.Handle
	allows  time.Duration
	allowed time.Time
}

func (*sleeper) Name() string { return "Sleeper" }

func (p *sleeper) Permit(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (*fwk.Status, time.Duration) {
	go func() {
		pass(p.allows)
		p.allowed = time.Now()
		p.handle.GetWaitingPod(pod.UID).Allow("Sleeper")
	}()
	return fwk.NewStatus(fwk.Wait), time.Minute
}

// The loop sleeps for up to ten seconds; what a plugin does on its goroutine wakes it at once.
func TestDrive_PluginWakesLoop(t *testing.T) {
	c, err := config.Load([]byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"+
		"profiles: [{plugins: {multiPoint: {enabled: [{name: Sleeper}]}}}]\n"), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	plugin := &sleeper{allows: 3 * time.Second}
	registry := framework.Registry{"Sleeper": func(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
		plugin.handle = h
		return plugin, nil
	}}
	directWith(t, engine.Options{Config: c, Plugins: registry}, func(s *driveHarness) {
		close(s.lead)
		s.start()
		for s.pod("a").Spec.NodeName == "" {
			pass(10 * time.Millisecond)
		}
		if late := time.Since(plugin.allowed); plugin.allowed.IsZero() || late > 100*time.Millisecond {
			t.Errorf("the pod is bound %v after the plugin allowed it", late)
		}
	}, nodeX, podA)
}
