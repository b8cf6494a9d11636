package dynamicresources

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// A search takes longer than a nanosecond, by the clock and by its steps.
func TestFilter_SameReasonAfterTimeout(t *testing.T) {
	never := &metav1.Duration{}
	for name, tt := range map[string]struct {
		gate    bool
		timeout *metav1.Duration
		want    string
	}{
		"too short":   {true, &metav1.Duration{Duration: time.Nanosecond}, "Error: node n: " + dynamicresources.ReasonTimeout},
		"long enough": {true, nil, "Success"},
		"no timeout":  {true, never, "Success"},
		"gate is off": {false, nil, "Success"},
	} {
		t.Run(name, func(t *testing.T) {
			set := defaultGates()
			set["DRASchedulerFilterTimeout"] = tt.gate
			c := clusterWith(set, tt.timeout)
			defer c.stop()
			c.apply(world.Added, mk.DeviceClass("gpu"))
			c.apply(world.Added, mk.ResourceSlice("s", drivers[0], "p").Node("n").Devices("1", "2", "3").Obj())
			c.apply(world.Added, mk.ResourceClaim("c").Request("gpu", "gpu", 3).Obj())
			pod, info := mk.Pod("p").ResourceClaim("c").Obj(), cache.NewNodeInfo()
			info.SetNode(mk.Node("n").Obj())
			theirs, ours := upframework.NewCycleState(), framework.NewCycleState()
			c.theirs.PreFilter(t.Context(), theirs, pod, nil)
			c.orrery.PreFilter(t.Context(), ours, pod, nil)
			their, our := statusText(c.theirs.Filter(t.Context(), theirs, pod, info)), statusText(c.orrery.Filter(t.Context(), ours, pod, info))
			if their != tt.want || our != tt.want {
				t.Errorf("kube-scheduler %q, Orrery %q, want %q", their, our, tt.want)
			}
		})
	}
}
