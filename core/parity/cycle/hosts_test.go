package cycle

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
	upplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	upruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	ours "orrery/core/cache"
	"orrery/core/config"
	"orrery/core/framework"
	"orrery/core/parity/feed"
	"orrery/core/plugins"
	"orrery/core/world"
)

// running is what both runtimes have in common.
type running interface {
	fwk.Handle
	RunPreFilterPlugins(context.Context, fwk.CycleState, *v1.Pod) (*fwk.PreFilterResult, *fwk.Status, sets.Set[string])
	RunPostFilterPlugins(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status)
	RunPreScorePlugins(context.Context, fwk.CycleState, *v1.Pod, []fwk.NodeInfo) *fwk.Status
	RunScorePlugins(context.Context, fwk.CycleState, *v1.Pod, []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status)
	HasPostFilterPlugins() bool
}

// host is a runtime with one set of plugins.
type host struct {
	name     string
	running  running
	plugins  map[string]fwk.Plugin
	newState func() fwk.CycleState
	statuses func() statusMap
	clerk    *clerk
}

type statusMap interface {
	fwk.NodeToStatusReader
	Set(node string, status *fwk.Status)
}

func (h *host) nodes() []fwk.NodeInfo {
	list, err := h.running.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		panic(err)
	}
	return list
}

// nominations is who waits with a claim to which node.
type nominations map[string][]fwk.PodInfo

func (n nominations) NominatedPodsForNode(node string) []fwk.PodInfo              { return n[node] }
func (nominations) AddNominatedPod(klog.Logger, fwk.PodInfo, *fwk.NominatingInfo) {}
func (nominations) DeleteNominatedPodIfExists(*v1.Pod)                            {}
func (nominations) UpdateNominatedPod(klog.Logger, *v1.Pod, fwk.PodInfo)          {}

// cluster is one cluster in both caches.
type cluster struct {
	feed                   *feed.Feed
	theirs                 upcache.Cache
	ours                   *ours.Cache
	theirSnap              *upcache.Snapshot
	ourSnap                *ours.Snapshot
	theirClaims, ourClaims nominations
	accounting             ours.Accounting
}

func accounting(s *settings) ours.Accounting {
	return ours.Accounting{
		IgnorePodLevel: !s.features.Enabled(config.PodLevelResources),
		PodLevelStatus: s.features.Enabled(config.InPlacePodLevelResourcesVerticalScaling),
	}
}

func (s *settings) newCluster() *cluster {
	ended, end := context.WithCancel(context.Background())
	end() // upstream's cache looks for expired pods in a goroutine; none expires here
	return &cluster{
		feed: feed.New(), theirs: upcache.New(ended, 0, nil), ours: ours.NewWith(accounting(s)), accounting: accounting(s),
		theirSnap: upcache.NewEmptySnapshot(), ourSnap: ours.NewSnapshot(),
		theirClaims: nominations{}, ourClaims: nominations{},
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (c *cluster) addNode(node *v1.Node) {
	c.theirs.AddNode(klog.Logger{}, node)
	c.ours.AddNode(node)
}

func (c *cluster) addPod(pod *v1.Pod) {
	must(c.theirs.AddPod(klog.Logger{}, pod))
	must(c.ours.AddPod(pod))
}

// claim has a pod wait with a claim to a node.
func (c *cluster) claim(pod *v1.Pod) {
	node := pod.Status.NominatedNodeName
	// Terms that do not parse attract and repel nothing.
	their, _ := upframework.NewPodInfo(pod)
	our, _ := c.accounting.NewPodInfo(pod)
	c.theirClaims[node] = append(c.theirClaims[node], their)
	c.ourClaims[node] = append(c.ourClaims[node], our)
}

func (c *cluster) unclaim(pod *v1.Pod) {
	for _, claims := range []nominations{c.theirClaims, c.ourClaims} {
		for node, list := range claims {
			var left []fwk.PodInfo
			for _, info := range list {
				if info.GetPod().UID != pod.UID {
					left = append(left, info)
				}
			}
			claims[node] = left
		}
	}
}

func (c *cluster) refresh() {
	must(c.theirs.UpdateSnapshot(klog.Logger{}, c.theirSnap))
	must(c.ours.UpdateSnapshot(c.ourSnap))
}

// factories are one set of plugins, each made from a case's own arguments, whoever asks. What is made is kept.
func (s *settings) factories(h *host, theirs bool) map[string]framework.PluginFactory {
	made := map[string]framework.PluginFactory{}
	keep := func(name string, factory framework.PluginFactory, args runtime.Object) {
		made[name] = func(ctx context.Context, _ runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
			plugin, err := factory(ctx, args, handle)
			if err == nil {
				h.plugins[name] = plugin
			}
			return plugin, err
		}
	}
	if theirs {
		args := map[string]runtime.Object{}
		for _, pc := range s.theirs.Profiles[0].PluginConfig {
			args[pc.Name] = pc.Args
		}
		for name, factory := range upplugins.NewInTreeRegistry() {
			keep(name, framework.PluginFactory(factory), args[name])
		}
		return made
	}
	for name, factory := range plugins.Registry(s.features) {
		keep(name, factory, s.ours.Profiles[0].Args[name])
	}
	return made
}

// hosts are the four, the reference first.
func (s *settings) hosts(c *cluster) []*host {
	return []*host{
		s.upstream("kube-scheduler's plugins in kube-scheduler's runtime", c, true),
		s.upstream("Orrery's plugins in kube-scheduler's runtime", c, false),
		s.orrery("kube-scheduler's plugins in Orrery's runtime", c, true),
		s.orrery("Orrery's plugins in Orrery's runtime", c, false),
	}
}

func (s *settings) upstream(name string, c *cluster, theirPlugins bool) *host {
	h := &host{
		name: name, plugins: map[string]fwk.Plugin{}, clerk: &clerk{},
		newState: func() fwk.CycleState { return upframework.NewCycleState() },
		statuses: func() statusMap { return upframework.NewDefaultNodeToStatus() },
	}
	registry := upruntime.Registry{}
	for name, factory := range s.factories(h, theirPlugins) {
		registry[name] = factory
	}
	ended, end := context.WithCancel(context.Background())
	end()
	dra, csi := c.managers(ended)
	made, err := upruntime.NewFramework(ended, registry, &s.theirs.Profiles[0],
		upruntime.WithSnapshotSharedLister(c.theirSnap), upruntime.WithPodNominator(c.theirClaims), upruntime.WithParallelism(1),
		upruntime.WithWaitingPods(upruntime.NewWaitingPodsMap()), upruntime.WithInformerFactory(c.feed), upruntime.WithClientSet(h.clerk),
		upruntime.WithEventRecorder(h.clerk), upruntime.WithMetricsRecorder(recorder),
		upruntime.WithSharedDRAManager(dra), upruntime.WithSharedCSIManager(csi))
	must(err)
	h.running = made
	return h
}

func (s *settings) orrery(name string, c *cluster, theirPlugins bool) *host {
	h := &host{
		name: name, plugins: map[string]fwk.Plugin{}, clerk: &clerk{},
		newState: func() fwk.CycleState { return framework.NewCycleState() },
		statuses: func() statusMap { return framework.NewNodeToStatus(0) },
	}
	dra, csi := c.managers(context.Background())
	made, err := framework.NewProfile(context.Background(), s.factories(h, theirPlugins), s.ours.Profiles[0], framework.Options{
		Snapshot: c.ourSnap, Nominator: c.ourClaims, Informers: c.feed, Client: h.clerk, Events: h.clerk, Features: s.features,
		Actor: deaf{}, DRA: dra, CSI: csi,
	})
	must(err)
	h.running = made
	return h
}

// deaf takes wishes and does nothing about them.
type deaf struct{}

func (deaf) Act(world.Act, string) world.EffectID { return 1 }
