package engine

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	clientset "k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// outOfTree is the handle of a plugin that is not Orrery's own. The plugin may use it as it would kube-scheduler's, on goroutines
// of its own too: it reads what is safe to read at any time, and what it changes is posted.
type outOfTree struct {
	*framework.Profile
	engine *Engine
	runs   *sync.Mutex // held while the plugin runs plugins
	client clientset.Interface
	config *restclient.Config
}

var _ fwk.Handle = outOfTree{}

// handleOf returns the handle for a plugin of a profile.
func (e *Engine) handleOf(plugin string, p *framework.Profile) (fwk.Handle, error) {
	if _, third := e.options.Plugins[plugin]; !third {
		return p, nil
	}
	e.share()
	client, config, err := e.outOfTreeClient()
	return outOfTree{Profile: p, engine: e, runs: &sync.Mutex{}, client: client, config: config}, err
}

// share makes what plugins read safe to be read on any goroutine.
func (e *Engine) share() {
	e.store.ShareListers(e.posted.post)
	e.shared = true
}

// Activate moves pods to activeQ once the engine gets to it: before the present pod is requeued, if it is called in a cycle.
func (g outOfTree) Activate(logger klog.Logger, pods map[string]*v1.Pod) {
	pods = maps.Clone(pods)
	g.engine.posted.post(func() { g.Profile.Activate(logger, pods) })
}

func (g outOfTree) AddNominatedPod(logger klog.Logger, pod fwk.PodInfo, info *fwk.NominatingInfo) {
	g.engine.posted.post(func() { g.Profile.AddNominatedPod(logger, pod, info) })
}

func (g outOfTree) DeleteNominatedPodIfExists(pod *v1.Pod) {
	g.engine.posted.post(func() { g.Profile.DeleteNominatedPodIfExists(pod) })
}

func (g outOfTree) UpdateNominatedPod(logger klog.Logger, was *v1.Pod, is fwk.PodInfo) {
	g.engine.posted.post(func() { g.Profile.UpdateNominatedPod(logger, was, is) })
}

// NominatedPodsForNode returns the pods that were nominated to a node before the present cycle.
func (g outOfTree) NominatedPodsForNode(node string) []fwk.PodInfo {
	return g.engine.nominations.onNode(node)
}

// GetWaitingPod finds a waiting pod; nil if the pod is not waiting.
func (g outOfTree) GetWaitingPod(uid types.UID) fwk.WaitingPod {
	if pod := g.Profile.GetWaitingPod(uid); pod != nil {
		return outOfTreeWaitingPod{pod, g.engine}
	}
	return nil
}

func (g outOfTree) IterateOverWaitingPods(visit func(fwk.WaitingPod)) {
	g.Profile.IterateOverWaitingPods(func(pod fwk.WaitingPod) { visit(outOfTreeWaitingPod{pod, g.engine}) })
}

func (g outOfTree) RejectWaitingPod(uid types.UID) bool {
	defer g.engine.posted.post(nothing)
	return g.Profile.RejectWaitingPod(uid)
}

// outOfTreeWaitingPod wakes the engine, which may sleep, when the pod need not wait any more.
type outOfTreeWaitingPod struct {
	fwk.WaitingPod
	engine *Engine
}

func (w outOfTreeWaitingPod) Allow(plugin string) {
	w.WaitingPod.Allow(plugin)
	w.engine.posted.post(nothing)
}

func (w outOfTreeWaitingPod) Reject(plugin, msg string) bool {
	defer w.engine.posted.post(nothing)
	return w.WaitingPod.Reject(plugin, msg)
}

func (w outOfTreeWaitingPod) Preempt(plugin, msg string) bool {
	defer w.engine.posted.post(nothing)
	return w.WaitingPod.Preempt(plugin, msg)
}

func nothing() {}

// ClientSet talks to the cluster, as far as the engine's world allows: see outOfTreeClient.
func (g outOfTree) ClientSet() clientset.Interface { return g.client }

// KubeConfig is for clients of the plugin's own, with the same limits.
func (g outOfTree) KubeConfig() *restclient.Config { return g.config }

// While it is called a plugin may run plugins from several goroutines; one at a time is served. A plugin that is run so must not
// run plugins itself by the same handle.

func (g outOfTree) RunFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	g.runs.Lock()
	defer g.runs.Unlock()
	return g.Profile.RunFilterPlugins(ctx, state, pod, node)
}

func (g outOfTree) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	g.runs.Lock()
	defer g.runs.Unlock()
	return g.Profile.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
}

func (g outOfTree) RunPreFilterExtensionAddPod(ctx context.Context, state fwk.CycleState, pod *v1.Pod, added fwk.PodInfo, node fwk.NodeInfo) *fwk.Status {
	g.runs.Lock()
	defer g.runs.Unlock()
	return g.Profile.RunPreFilterExtensionAddPod(ctx, state, pod, added, node)
}

func (g outOfTree) RunPreFilterExtensionRemovePod(ctx context.Context, state fwk.CycleState, pod *v1.Pod, removed fwk.PodInfo, node fwk.NodeInfo) *fwk.Status {
	g.runs.Lock()
	defer g.runs.Unlock()
	return g.Profile.RunPreFilterExtensionRemovePod(ctx, state, pod, removed, node)
}

func (g outOfTree) RunPreScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) *fwk.Status {
	g.runs.Lock()
	defer g.runs.Unlock()
	return g.Profile.RunPreScorePlugins(ctx, state, pod, nodes)
}

func (g outOfTree) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status) {
	g.runs.Lock()
	defer g.runs.Unlock()
	return g.Profile.RunScorePlugins(ctx, state, pod, nodes)
}

func (g outOfTree) RunReservePluginsReserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	g.runs.Lock()
	defer g.runs.Unlock()
	return g.Profile.RunReservePluginsReserve(ctx, state, pod, node)
}

func (g outOfTree) RunReservePluginsUnreserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) {
	g.runs.Lock()
	defer g.runs.Unlock()
	g.Profile.RunReservePluginsUnreserve(ctx, state, pod, node)
}

func (g outOfTree) SignPod(ctx context.Context, pod *v1.Pod) fwk.PodSignature {
	g.runs.Lock()
	defer g.runs.Unlock()
	return g.Profile.SignPod(ctx, pod)
}

// nominations are the nominated pods by node, published for the goroutines of plugins.
type nominations struct {
	published atomic.Pointer[map[string][]fwk.PodInfo]
	version   uint64 // of the queue's nominations that is published
}

func (n *nominations) onNode(node string) []fwk.PodInfo {
	if all := n.published.Load(); all != nil {
		return (*all)[node]
	}
	return nil
}

// publishNominations publishes the queue's nominations if they have changed.
func (e *Engine) publishNominations() {
	if !e.shared || e.nominations.published.Load() != nil && e.queue.NominationVersion() == e.nominations.version {
		return
	}
	all := map[string][]fwk.PodInfo{}
	for _, node := range e.queue.NominatedNodes() {
		all[node] = e.queue.NominatedPodsForNode(node)
	}
	e.nominations.published.Store(&all)
	e.nominations.version = e.queue.NominationVersion()
}
