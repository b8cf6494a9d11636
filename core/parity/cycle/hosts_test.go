package cycle

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
	upplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	upruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"orrery/core/parity/informers"
	"orrery/core/parity/oracle/claimserver"
	ours "orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins"
	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/scheduler/plugins/noderesources"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/scheduler/store"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// running has the methods that both runtimes have.
type profileRuntime interface {
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
	runtime  profileRuntime
	plugins  map[string]fwk.Plugin
	newState func() fwk.CycleState
	statuses func() statusMap
	client   *recordingClient
}

type statusMap interface {
	fwk.NodeToStatusReader
	Set(node string, status *fwk.Status)
}

func (h *host) nodes() []fwk.NodeInfo {
	list, err := h.runtime.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		panic(err)
	}
	return list
}

// nominations has the nominated pods of each node.
type nominations map[string][]fwk.PodInfo

func (n nominations) NominatedPodsForNode(node string) []fwk.PodInfo              { return n[node] }
func (nominations) AddNominatedPod(klog.Logger, fwk.PodInfo, *fwk.NominatingInfo) {}
func (nominations) DeleteNominatedPodIfExists(*v1.Pod)                            {}
func (nominations) UpdateNominatedPod(klog.Logger, *v1.Pod, fwk.PodInfo)          {}

// cluster is one cluster in both caches.
type cluster struct {
	informers                              *informers.Factory
	upstreamCache                          upcache.Cache
	orreryCache                            *ours.Cache
	upstreamSnapshot                       *upcache.Snapshot
	orrerySnapshot                         *ours.Snapshot
	upstreamNominations, orreryNominations nominations
	accounting                             ours.Accounting
	store                                  *store.Store
	volumes                                *volumes.State
	devices                                *devices.State
}

func accounting(s *settings) ours.Accounting {
	return ours.Accounting{
		IgnorePodLevel: !s.features.Enabled(config.PodLevelResources),
		PodLevelStatus: s.features.Enabled(config.InPlacePodLevelResourcesVerticalScaling),
		Sum:            noderesources.SumOf(s.features),
	}
}

func (s *settings) newCluster() *cluster {
	ended, end := context.WithCancel(context.Background())
	end() // upstream's cache expires assumed pods in a goroutine; none expire here
	objects := store.New()
	return &cluster{
		store: objects, volumes: volumes.New(objects), devices: devices.New(objects, deviceGates(s.features)),
		informers: newInformers(), upstreamCache: upcache.New(ended, nil, false, false), orreryCache: ours.NewWithAccounting(accounting(s)), accounting: accounting(s),
		upstreamSnapshot: upcache.NewEmptySnapshot(), orrerySnapshot: ours.NewSnapshot(),
		upstreamNominations: nominations{}, orreryNominations: nominations{},
	}
}

// client records the calls of one host. Claims for devices stay as they are.
func (c *cluster) client() *recordingClient {
	claims := &claimserver.Server{
		Stored: func(name string) *resourcev1.ResourceClaim {
			claim, _ := c.store.Object(world.ResourceClaim, namespaces[0], name).(*resourcev1.ResourceClaim)
			return claim
		},
		NextVersion: func() string { return "1" },
		Fails:       func(string, string) bool { return false },
	}
	claims.Begin(nil)
	return &recordingClient{claims: claims}
}

func deviceGates(f config.Features) devices.Gates {
	return devices.Gates{ConsumableCapacity: f.Enabled(config.DRAConsumableCapacity)}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (c *cluster) addNode(node *v1.Node) {
	c.upstreamCache.AddNode(klog.Logger{}, node)
	c.orreryCache.AddNode(node)
}

func (c *cluster) addPod(pod *v1.Pod) {
	must(c.upstreamCache.AddPod(klog.Logger{}, pod))
	must(c.orreryCache.AddPod(pod))
}

// nominate adds a nominated pod.
func (c *cluster) nominate(pod *v1.Pod) {
	node := pod.Status.NominatedNodeName
	// Terms that cannot be parsed match no pod.
	their, _ := upframework.NewPodInfo(pod)
	our, _ := c.accounting.NewPodInfo(pod)
	c.upstreamNominations[node] = append(c.upstreamNominations[node], their)
	c.orreryNominations[node] = append(c.orreryNominations[node], our)
}

func (c *cluster) removeNomination(pod *v1.Pod) {
	for _, claims := range []nominations{c.upstreamNominations, c.orreryNominations} {
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
	must(c.upstreamCache.UpdateSnapshot(klog.Logger{}, c.upstreamSnapshot))
	must(c.orreryCache.UpdateSnapshot(c.orrerySnapshot))
}

// volumeHandle gives Orrery's VolumeBinding the state that it needs, in either runtime.
type volumeHandle struct {
	fwk.Handle
	volumes *volumes.State
}

func (h volumeHandle) Volumes() *volumes.State { return h.volumes }

// deviceHandle gives Orrery's DynamicResources the state that it needs, in either runtime.
type deviceHandle struct {
	fwk.Handle
	devices *devices.State
}

func (h deviceHandle) Devices() *devices.State                  { return h.devices }
func (h deviceHandle) Emit(world.Action, string) world.EffectID { return 0 }
func (h deviceHandle) IntN(int) int                             { return 0 }
func (h deviceHandle) Now() time.Time                           { return time.Now() }

// factories returns the factories of one set of plugins. Each uses the case's own arguments in the form of its side, and
// stores the plugin in the host.
func (s *settings) factories(h *host, c *cluster, theirs bool) map[string]framework.PluginFactory {
	made := map[string]framework.PluginFactory{}
	keep := func(name string, factory framework.PluginFactory, args runtime.Object) {
		made[name] = func(ctx context.Context, _ runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
			if !theirs && name == volumebinding.Name {
				handle = volumeHandle{handle, c.volumes}
			}
			if !theirs && name == dynamicresources.Name {
				handle = deviceHandle{handle, c.devices}
			}
			plugin, err := factory(ctx, args, handle)
			if err == nil {
				h.plugins[name] = plugin
			}
			return plugin, err
		}
	}
	if theirs {
		args := map[string]runtime.Object{}
		for _, pc := range s.upstreamConfig.Profiles[0].PluginConfig {
			args[pc.Name] = pc.Args
		}
		for name, factory := range upplugins.NewInTreeRegistry() {
			keep(name, framework.PluginFactory(factory), args[name])
		}
		return made
	}
	for name, factory := range plugins.Registry(s.features) {
		keep(name, factory, s.orreryConfig.Profiles[0].Args[name])
	}
	return made
}

// hosts returns the four hosts, the reference first.
func (s *settings) hosts(c *cluster) []*host {
	return []*host{
		s.upstreamHost("kube-scheduler's plugins in kube-scheduler's runtime", c, true),
		s.upstreamHost("Orrery's plugins in kube-scheduler's runtime", c, false),
		s.orreryHost("kube-scheduler's plugins in Orrery's runtime", c, true),
		s.orreryHost("Orrery's plugins in Orrery's runtime", c, false),
	}
}

func (s *settings) upstreamHost(name string, c *cluster, theirPlugins bool) *host {
	h := &host{
		name: name, plugins: map[string]fwk.Plugin{}, client: c.client(),
		newState: func() fwk.CycleState { return upframework.NewCycleState() },
		statuses: func() statusMap { return upframework.NewDefaultNodeToStatus() },
	}
	registry := upruntime.Registry{}
	for name, factory := range s.factories(h, c, theirPlugins) {
		registry[name] = factory
	}
	ended, end := context.WithCancel(context.Background())
	end()
	dra, csi := c.managers(ended, s.features)
	made, err := upruntime.NewFramework(ended, registry, &s.upstreamConfig.Profiles[0],
		upruntime.WithSnapshotSharedLister(c.upstreamSnapshot), upruntime.WithMutableSnapshotLister(c.upstreamSnapshot),
		upruntime.WithPodsInPreBind(upruntime.NewPodsInPreBindMap()), upruntime.WithPodNominator(c.upstreamNominations), upruntime.WithParallelism(1),
		upruntime.WithWaitingPods(upruntime.NewWaitingPodsMap()), upruntime.WithInformerFactory(c.informers), upruntime.WithClientSet(h.client),
		upruntime.WithEventRecorder(h.client), upruntime.WithMetricsRecorder(recorder),
		upruntime.WithSharedDRAManager(dra), upruntime.WithSharedCSIManager(csi))
	must(err)
	h.runtime = made
	return h
}

func (s *settings) orreryHost(name string, c *cluster, theirPlugins bool) *host {
	h := &host{
		name: name, plugins: map[string]fwk.Plugin{}, client: c.client(),
		newState: func() fwk.CycleState { return framework.NewCycleState() },
		statuses: func() statusMap { return framework.NewNodeToStatus(0) },
	}
	dra, csi := c.managers(context.Background(), s.features)
	made, err := framework.NewProfile(context.Background(), s.factories(h, c, theirPlugins), s.orreryConfig.Profiles[0], framework.Options{
		Snapshot: c.orrerySnapshot, Nominator: c.orreryNominations, Informers: c.informers, Client: h.client, Events: h.client, Features: s.features,
		Emitter: discardEffects{}, DRA: dra, CSI: csi, Volumes: c.volumes,
	})
	must(err)
	h.runtime = made
	return h
}

// discardEffects ignores effects.
type discardEffects struct{}

func (discardEffects) Emit(world.Action, string) world.EffectID { return 1 }
