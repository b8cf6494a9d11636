package plugintest

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
)

// ExtensionPoints returns the points that a configuration names, all by reflection, so that a new one is tried too, but for those of groups of
// pods, at which nothing is called.
func ExtensionPoints() (all []framework.Point) {
	of := reflect.TypeFor[configv1.Plugins]()
	for i := range of.NumField() {
		if name := of.Field(i).Name; name != "MultiPoint" && !strings.HasPrefix(name, "Placement") && !strings.HasPrefix(name, "PodGroup") {
			all = append(all, framework.Point(name))
		}
	}
	return all
}

// Fragile is a plugin at every extension point but QueueSort. It panics at one of them when it is called for the pod "bad", or if At is
// empty at each for the pod that is named after it, such as "bad-filter", until it is healed.
type Fragile struct {
	At     framework.Point
	Healed atomic.Bool
}

// Name implements fwk.Plugin.
func (f *Fragile) Name() string { return "Fragile" }

// Configured returns a configuration in which the plugin is at all its points, before the default ones, and its registry.
func (f *Fragile) Configured() (*config.Configuration, framework.Registry, error) {
	plugin, plugins := fwk.Plugin(f), "multiPoint: {enabled: [{name: Fragile}]}, bind: {disabled: [{name: '*'}], enabled: [{name: Fragile}, {name: DefaultBinder}]}"
	if f.At == framework.QueueSort {
		plugin, plugins = fragileSort{f}, "queueSort: {disabled: [{name: '*'}], enabled: [{name: Fragile}]}"
	}
	c, err := config.Load([]byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{plugins: {"+plugins+"}}]\n"), config.DefaultFeatures())
	return c, framework.Registry{"Fragile": func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return plugin, nil }}, err
}

func (f *Fragile) meet(at framework.Point, pod *v1.Pod) {
	if f.breaks(at, pod) {
		panic(fmt.Sprintf("cannot %s", at))
	}
}

func (f *Fragile) breaks(at framework.Point, pod *v1.Pod) bool {
	bad := at == f.At && pod.Name == "bad" || f.At == "" && pod.Name == "bad-"+strings.ToLower(string(at))
	return bad && !f.Healed.Load()
}

// PreEnqueue implements fwk.PreEnqueuePlugin.
func (f *Fragile) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	f.meet(framework.PreEnqueue, pod)
	return nil
}

// PreFilter implements fwk.PreFilterPlugin.
func (f *Fragile) PreFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	f.meet(framework.PreFilter, pod)
	return nil, nil
}

// PreFilterExtensions implements fwk.PreFilterPlugin.
func (f *Fragile) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter implements fwk.FilterPlugin. The pod over which PostFilter panics fits nowhere.
func (f *Fragile) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ fwk.NodeInfo) *fwk.Status {
	f.meet(framework.Filter, pod)
	if f.breaks(framework.PostFilter, pod) {
		return fwk.NewStatus(fwk.Unschedulable, "not healed")
	}
	return nil
}

// PostFilter implements fwk.PostFilterPlugin.
func (f *Fragile) PostFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	f.meet(framework.PostFilter, pod)
	return nil, fwk.NewStatus(fwk.Unschedulable)
}

// PreScore implements fwk.PreScorePlugin.
func (f *Fragile) PreScore(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	f.meet(framework.PreScore, pod)
	return nil
}

// Score implements fwk.ScorePlugin.
func (f *Fragile) Score(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ fwk.NodeInfo) (int64, *fwk.Status) {
	f.meet(framework.Score, pod)
	return 0, nil
}

// ScoreExtensions implements fwk.ScorePlugin.
func (f *Fragile) ScoreExtensions() fwk.ScoreExtensions { return nil }

// Reserve implements fwk.ReservePlugin.
func (f *Fragile) Reserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	f.meet(framework.Reserve, pod)
	return nil
}

// Unreserve implements fwk.ReservePlugin.
func (f *Fragile) Unreserve(context.Context, fwk.CycleState, *v1.Pod, string) {}

// Permit implements fwk.PermitPlugin.
func (f *Fragile) Permit(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (*fwk.Status, time.Duration) {
	f.meet(framework.Permit, pod)
	return nil, 0
}

// PreBindPreFlight implements fwk.PreBindPlugin.
func (f *Fragile) PreBindPreFlight(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	return nil, nil
}

// PreBind implements fwk.PreBindPlugin.
func (f *Fragile) PreBind(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	f.meet(framework.PreBind, pod)
	return nil
}

// Bind implements fwk.BindPlugin.
func (f *Fragile) Bind(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	f.meet(framework.Bind, pod)
	return fwk.NewStatus(fwk.Skip)
}

// PostBind implements fwk.PostBindPlugin.
func (f *Fragile) PostBind(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) {
	f.meet(framework.PostBind, pod)
}

// fragileSort is a Fragile at QueueSort alone.
type fragileSort struct{ fragile *Fragile }

func (s fragileSort) Name() string { return s.fragile.Name() }

func (s fragileSort) Less(a, b fwk.QueuedEntityInfo) bool {
	s.fragile.meet(framework.QueueSort, framework.PodOf(a))
	s.fragile.meet(framework.QueueSort, framework.PodOf(b))
	return a.GetTimestamp().Before(b.GetTimestamp())
}
