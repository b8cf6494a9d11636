package framework

import (
	"context"
	"flag"
	"os"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	upconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	upcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
	upruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"orrery/core/parity/difftest"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/release"
)

var ctx = context.Background()

var recorder *metrics.MetricAsyncRecorder

func TestMain(m *testing.M) {
	flag.Parse()
	difftest.PrepareSynctest()
	metrics.Register()
	recorder = metrics.NewMetricsAsyncRecorder(1000, 24*time.Hour, nil)
	os.Exit(m.Run())
}

// running is the interface that is compared. Where the runtimes' methods differ, upstream and orrery adapt them.
type running interface {
	RunPreFilterPlugins(context.Context, fwk.CycleState, *v1.Pod) (*fwk.PreFilterResult, *fwk.Status, sets.Set[string])
	RunFilterPluginsWithNominatedPods(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) *fwk.Status
	RunPreFilterExtensionRemovePod(context.Context, fwk.CycleState, *v1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status
	RunPostFilterPlugins(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status)
	RunPreScorePlugins(context.Context, fwk.CycleState, *v1.Pod, []fwk.NodeInfo) *fwk.Status
	RunScorePlugins(context.Context, fwk.CycleState, *v1.Pod, []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status)
	RunPreBindPreFlights(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status
	RunPreBindPlugins(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status
	RunBindPlugins(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status
	RunPostBindPlugins(context.Context, fwk.CycleState, *v1.Pod, string)
	GetWaitingPod(types.UID) fwk.WaitingPod

	newState() fwk.CycleState
	reserve(fwk.CycleState, *v1.Pod) *fwk.Status
	permit(fwk.CycleState, *v1.Pod) *fwk.Status
	unreserve(fwk.CycleState, *v1.Pod)
	enabled() (filters, scores []string)
}

type upstream struct{ upframework.Framework }

func (upstream) newState() fwk.CycleState { return upframework.NewCycleState() }

func (u upstream) reserve(s fwk.CycleState, pod *v1.Pod) *fwk.Status {
	return u.RunReservePluginsReserve(ctx, s, pod, "n1")
}

func (u upstream) permit(s fwk.CycleState, pod *v1.Pod) *fwk.Status {
	waits, status := u.RunPermitPlugins(ctx, s, pod, "n1")
	if status.IsWait() {
		u.AddWaitingPod(pod, waits)
	}
	return status
}

func (u upstream) unreserve(s fwk.CycleState, pod *v1.Pod) {
	u.RunReservePluginsUnreserve(ctx, s, pod, "n1")
}

func (u upstream) enabled() (filters, scores []string) {
	names := func(set upconfig.PluginSet) []string {
		list := []string{}
		for _, e := range set.Enabled {
			list = append(list, e.Name)
		}
		return list
	}
	return names(u.ListPlugins().Filter), names(u.ListPlugins().Score)
}

type orrery struct{ *framework.Profile }

func (orrery) newState() fwk.CycleState { return framework.NewCycleState() }

func (o orrery) reserve(s fwk.CycleState, pod *v1.Pod) *fwk.Status {
	return o.RunReservePluginsReserve(ctx, s, pod, "n1")
}

func (o orrery) permit(s fwk.CycleState, pod *v1.Pod) *fwk.Status {
	return o.RunPermitPlugins(ctx, s, pod, "n1", time.Time{})
}

func (o orrery) unreserve(s fwk.CycleState, pod *v1.Pod) {
	o.RunReservePluginsUnreserve(ctx, s, pod, "n1")
}

func (o orrery) enabled() (filters, scores []string) {
	return o.Enabled(framework.Filter), o.Enabled(framework.Score)
}

// environment is what plugins depend on: snapshot, nominator and so on.
type environment struct {
	lister    fwk.SharedLister
	nodes     []fwk.NodeInfo
	nominated nominator
}

// build creates both runtimes from one configuration.
func (s environment) build(plugins []fwk.Plugin, c *configv1.Plugins) (theirs upstream, ours orrery, theirErr, ourErr error) {
	theirRegistry, ourRegistry := upruntime.Registry{}, framework.Registry{}
	for _, p := range plugins {
		factory := func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return p, nil }
		theirRegistry[p.Name()], ourRegistry[p.Name()] = factory, factory
	}
	ended, end := context.WithCancel(ctx)
	end() // the framework's metrics recorder runs in a goroutine until its context ends
	their, theirErr := upruntime.NewFramework(ended, theirRegistry, &upconfig.KubeSchedulerProfile{SchedulerName: "test", Plugins: internal(c)},
		upruntime.WithSnapshotSharedLister(s.lister), upruntime.WithPodNominator(s.nominated),
		upruntime.WithWaitingPods(upruntime.NewWaitingPodsMap()), upruntime.WithParallelism(1), upruntime.WithMetricsRecorder(recorder))
	our, ourErr := framework.NewProfile(ctx, ourRegistry, config.Profile{SchedulerName: "test", Plugins: c},
		framework.Options{Snapshot: s.lister, Nominator: s.nominated, Features: config.FeaturesOf(release.Newest)})
	return upstream{their}, orrery{our}, theirErr, ourErr
}

// internal converts a configuration to upstream's internal form.
func internal(c *configv1.Plugins) *upconfig.Plugins {
	convert := func(set configv1.PluginSet) (out upconfig.PluginSet) {
		for _, e := range set.Enabled {
			p := upconfig.Plugin{Name: e.Name}
			if e.Weight != nil {
				p.Weight = *e.Weight
			}
			out.Enabled = append(out.Enabled, p)
		}
		for _, e := range set.Disabled {
			out.Disabled = append(out.Disabled, upconfig.Plugin{Name: e.Name})
		}
		return out
	}
	return &upconfig.Plugins{
		MultiPoint: convert(c.MultiPoint), Filter: convert(c.Filter), Score: convert(c.Score), QueueSort: convert(c.QueueSort),
		Bind: convert(c.Bind), PreFilter: convert(c.PreFilter), Reserve: convert(c.Reserve),
	}
}

func newPod(name string, priority int32) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "d", UID: types.UID(name)},
		Spec:       v1.PodSpec{Priority: &priority, SchedulerName: "test"},
	}
}

func newNodes(names ...string) *upcache.Snapshot {
	var nodes []*v1.Node
	for _, name := range names {
		nodes = append(nodes, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	return upcache.NewSnapshot(nil, nodes)
}
