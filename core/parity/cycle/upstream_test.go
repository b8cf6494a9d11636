package cycle

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	uppreempt "k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/profile"

	"orrery/core/parity/assumed"
	"orrery/core/parity/informers"
	"orrery/core/scheduler/config"
	"orrery/core/world"
)

// decision is one scheduling attempt, with the data that both have.
type decision struct {
	Pod, Node string
	Message   string
	// Nominated is the pod's nominated node after the attempt, "" if cleared, or "unchanged".
	Nominated string
	// Rejections counts nodes by plugin and reason.
	Rejections map[string]int
	// Start is the index at which the search begins, Next that of the next search.
	Start, Examined, Feasible, Next int
}

const unchanged = "unchanged"

// unknownCount stands for a number that kube-scheduler does not return with an error.
const unknownCount = -1

// kubeScheduler is a kube-scheduler: upstreamScheduler of the release that this module has, in this process; oracleScheduler of another one.
type kubeScheduler interface {
	apply(world.Changed)
	// elapse lets virtual time pass.
	elapse(time.Duration)
	// step makes the next decision, if a pod can be popped.
	step() *decision
	stop()

	// queueOf returns the queue that a pending pod is in.
	queueOf(*v1.Pod) string
	// record returns what the queue knows about a pod, and whether it has the pod.
	record(*v1.Pod) (record, bool)
	// wouldGate reports whether a plugin gates a pod, if it is asked.
	wouldGate(plugin string, pod *v1.Pod) bool
	nominatedTo(node string) []string
	// assumed is what is assumed of volumes and claims.
	assumed() assumed.Objects
	// takenDevices are the devices that are allocated.
	takenDevices() []string
}

// upstreamScheduler is kube-scheduler with one worker and the test's informers, client and clock.
type upstreamScheduler struct {
	sched          *scheduler.Scheduler
	informers      *informers.Factory
	client         *recordingClient
	popFromBackoff bool // pods may be popped from backoffQ
	ctx            context.Context
	end            context.CancelFunc
	last           *decision
	over           chan struct{} // closed when the decision is
}

func (p *decisionCase) newUpstreamScheduler(failing *clusterCase) *upstreamScheduler {
	s := p.settings
	ctx, end := context.WithCancel(withPoolOrder(context.Background()))
	client := p.newClient(failing)
	client.claims = p.newClaimServer(failing.Refused)
	t := &upstreamScheduler{informers: newInformers(), client: client, ctx: ctx, end: end, popFromBackoff: s.popFromBackoff}
	c := s.upstreamConfig
	sched, err := scheduler.New(ctx, t.client, t.informers, nil,
		profile.RecorderFactory(func(string) events.EventRecorderLogger { return t.client }),
		scheduler.WithProfiles(c.Profiles...), scheduler.WithParallelism(oneWorker), scheduler.WithFrameworkOutOfTreeRegistry(p.ourPlugins()),
		scheduler.WithPercentageOfNodesToScore(c.PercentageOfNodesToScore),
		scheduler.WithPodInitialBackoffSeconds(c.PodInitialBackoffSeconds), scheduler.WithPodMaxBackoffSeconds(c.PodMaxBackoffSeconds),
		scheduler.WithExtenders(c.Extenders...))
	must(err)
	t.sched = sched
	p.serveExtenders(sched.Extenders, t.client)
	t.instrument()
	if s.features.Enabled(config.SchedulerAsyncPreemption) {
		for _, profile := range sched.Profiles {
			for _, plugin := range profile.PreEnqueuePlugins() {
				holdEvictions(plugin, func() { <-t.over })
			}
		}
	}
	sched.SchedulingQueue.Run(klog.Logger{})
	synctest.Wait()
	return t
}

func (t *upstreamScheduler) apply(c world.Changed) { t.informers.Apply(c.Op, c.Object) }

func (t *upstreamScheduler) elapse(d time.Duration) {
	// Virtual time passes only while all goroutines are blocked. The race detector does not know that; a lock makes it visible.
	t.sched.SchedulingQueue.PendingPods()
	time.Sleep(d)
	synctest.Wait()
}

func (t *upstreamScheduler) stop() {
	for _, profile := range t.sched.Profiles { // their goroutines wait beyond the end
		profile.IterateOverWaitingPods(func(pod fwk.WaitingPod) { pod.Reject("", "the case is over") })
	}
	synctest.Wait()
	t.end()
	t.sched.SchedulingQueue.Close()
	time.Sleep(2 * time.Second) // its metrics recorders sleep for a second at a time
}

// ready reports whether Pop would return without blocking.
func (t *upstreamScheduler) ready() bool {
	q := t.sched.SchedulingQueue
	if len(q.PodsInActiveQ()) > 0 {
		return true
	}
	if !t.popFromBackoff {
		return false
	}
	for _, pod := range q.PodsInBackoffQ() {
		// A pod without rejecting plugins is in the back-off queue for errors, which is never popped from.
		if info, ok := q.GetPod(pod.Name, pod.Namespace, nil); ok && info.UnschedulablePlugins.Len()+info.PendingPlugins.Len() > 0 {
			return true
		}
	}
	return false
}

// instrument wraps SchedulePod and FailureHandler to record the decision.
func (t *upstreamScheduler) instrument() {
	schedule, fail := t.sched.SchedulePod, t.sched.FailureHandler
	t.sched.SchedulePod = func(ctx context.Context, f upframework.Framework, state fwk.CycleState, info *upframework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
		t.last = &decision{Pod: info.Pod.Name, Start: t.index(), Nominated: unchanged, Rejections: map[string]int{}}
		result, err := schedule(ctx, f, state, info)
		t.last.Node, t.last.Examined, t.last.Feasible, t.last.Next = result.SuggestedHost, result.EvaluatedNodes, result.FeasibleNodes, t.index()
		if fit, ok := err.(*upframework.FitError); ok {
			t.last.Examined = fit.Diagnosis.NodeToStatus.Len()
			t.last.Rejections = t.rejections(f, fit)
		} else if err != nil {
			t.last.Examined = unknownCount
		}
		return result, err
	}
	t.sched.FailureHandler = func(ctx context.Context, f upframework.Framework, info *upframework.QueuedPodInfo, status *fwk.Status, n *fwk.NominatingInfo, start time.Time) {
		// Else the binding failed, maybe another pod's that was on permit, which the calls show.
		inCycle := func(d *decision) bool {
			return d.Node == "" || strings.HasPrefix(status.Message(), "running Permit plugin ")
		}
		if last := t.last; last != nil && last.Pod == info.Pod.Name && inCycle(last) {
			last.Node = ""
			if last.Message = plain(status.Message()); n.Mode() == fwk.ModeOverride {
				last.Nominated = n.NominatedNodeName
			}
		}
		fail(ctx, f, info, status, n, start)
	}
}

// holdEvictions has a plugin that pre-empts wait until the decision is over before it evicts a victim. By themselves, goroutines decide by their speed whether the preemption is over
// when the preemptor is requeued: in a cluster it is not, since evictions are calls to an API server.
func holdEvictions(plugin fwk.Plugin, wait func()) {
	if preempts, is := plugin.(*defaultpreemption.DefaultPreemption); is {
		evict := preempts.Executor.PreemptPod
		preempts.Executor.PreemptPod = func(ctx context.Context, c uppreempt.Candidate, by uppreempt.ExecutorPreemptor, victim *v1.Pod, name string) (bool, error) {
			wait()
			return evict(ctx, c, by, victim, name)
		}
	}
}

// index returns the next start index, which the scheduler does not export.
func (t *upstreamScheduler) index() int {
	return int(reflect.ValueOf(t.sched).Elem().FieldByName("nextStartNodeIndex").Int())
}

func (t *upstreamScheduler) rejections(f upframework.Framework, fit *upframework.FitError) map[string]int {
	counts := map[string]int{}
	nodes, err := f.SnapshotSharedLister().NodeInfos().List()
	must(err)
	for _, node := range nodes {
		status := fit.Diagnosis.NodeToStatus.Get(node.Node().Name)
		for _, reason := range status.Reasons() {
			counts[plain(fmt.Sprint(status.Plugin(), ": ", reason))]++
		}
	}
	return counts
}

// step makes the next decision, if a pod can be popped, and waits until the scheduler's goroutines have finished.
func (t *upstreamScheduler) step() *decision {
	t.last = nil
	if !t.ready() {
		return nil
	}
	t.over = make(chan struct{})
	t.sched.ScheduleOne(t.ctx)
	close(t.over)
	synctest.Wait()
	return t.last
}

func (t *upstreamScheduler) queueOf(pod *v1.Pod) string {
	has := func(pods []*v1.Pod) bool {
		for _, p := range pods {
			if p.UID == pod.UID {
				return true
			}
		}
		return false
	}
	q := t.sched.SchedulingQueue
	switch {
	case has(q.PodsInActiveQ()):
		return "active"
	case has(q.PodsInBackoffQ()):
		return "backoff"
	case has(q.UnschedulablePods()):
		if info, ok := q.GetPod(pod.Name, pod.Namespace, nil); ok && info.Gated() {
			return "gated"
		}
		return "unschedulable"
	}
	return "elsewhere"
}

func (t *upstreamScheduler) record(pod *v1.Pod) (record, bool) {
	info, known := t.sched.SchedulingQueue.GetPod(pod.Name, pod.Namespace, nil)
	if !known {
		return record{}, false
	}
	return recordOf(info), true
}

func (t *upstreamScheduler) wouldGate(name string, pod *v1.Pod) bool {
	return slices.ContainsFunc(t.sched.Profiles[pod.Spec.SchedulerName].PreEnqueuePlugins(), func(plugin fwk.PreEnqueuePlugin) bool {
		return plain(plugin.Name()) == name && !plugin.PreEnqueue(t.ctx, pod).IsSuccess()
	})
}

func (t *upstreamScheduler) nominatedTo(node string) []string {
	return nominatedTo(t.sched.SchedulingQueue, node)
}

func (t *upstreamScheduler) assumed() assumed.Objects { return assumed.InFrameworks(t.sched.Profiles) }

func (t *upstreamScheduler) takenDevices() []string {
	for _, profile := range t.sched.Profiles { // they share the manager, which is there unless devices are turned off
		if manager := profile.SharedDRAManager(); manager != nil {
			state, err := manager.ResourceClaims().GatherAllocatedState()
			must(err)
			return takenOf(state)
		}
	}
	return nil
}
