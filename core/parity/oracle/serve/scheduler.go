package serve

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"orrery/core/parity/oracle"
	"orrery/core/parity/oracle/extenderserver"
	"orrery/core/parity/oracle/informers"
)

// scheduler is kube-scheduler with one worker, and informers, client and clock of the oracle.
type scheduler struct {
	sched     *upstream.Scheduler
	informers *informers.Factory
	client    *client
	objects   *objects
	release   Release
	version   int
	ctx       context.Context
	end       context.CancelFunc
	decided   *oracle.Decision
	over      chan struct{} // closed when the decision is
}

// setGates sets feature gates, and returns what sets them to their defaults again.
func setGates(gates map[string]bool) (forget func(), err error) {
	all := utilfeature.DefaultMutableFeatureGate
	forget = func() {
		for name := range gates {
			_ = all.(featuregate.MutableVersionedFeatureGate).ResetFeatureValueToDefault(featuregate.Feature(name))
		}
	}
	if err := all.SetFromMap(gates); err != nil {
		return forget, fmt.Errorf("setting feature gates: %w", err)
	}
	return forget, nil
}

func readConfig(text string) (*config.KubeSchedulerConfiguration, error) {
	object, _, err := scheme.Codecs.UniversalDecoder().Decode([]byte(text), nil, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	c, is := object.(*config.KubeSchedulerConfiguration)
	if !is {
		return nil, fmt.Errorf("reading the configuration: it is a %T", object)
	}
	c.APIVersion = "kubescheduler.config.k8s.io/v1" // validation asks for it, and decoding drops it
	if err := validation.ValidateKubeSchedulerConfiguration(c); err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return c, nil
}

// start starts a scheduler. Its informers have no objects.
func start(c *oracle.Case, release Release) (*scheduler, error) {
	settings, err := readConfig(c.Config)
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	// The first violated budget counts, and the first slice of a pool: client-go lists both in random order.
	lists := informers.New(&policyv1.PodDisruptionBudget{}, &resourcev1.ResourceSlice{})
	s := &scheduler{informers: lists, objects: newObjects(), release: release, ctx: ctx, end: end}
	s.client = newClient(c, s)
	s.sched, err = upstream.New(ctx, s.client, s.informers, nil,
		release.Recorders(s.client),
		upstream.WithProfiles(settings.Profiles...), upstream.WithParallelism(1),
		upstream.WithPercentageOfNodesToScore(settings.PercentageOfNodesToScore),
		upstream.WithPodInitialBackoffSeconds(settings.PodInitialBackoffSeconds), upstream.WithPodMaxBackoffSeconds(settings.PodMaxBackoffSeconds),
		upstream.WithExtenders(settings.Extenders...))
	if err != nil {
		end()
		time.Sleep(recorderSleeps)
		return nil, fmt.Errorf("starting a scheduler: %w", err)
	}
	s.connectExtenders(settings.Extenders, c.Extenders)
	s.instrument()
	s.holdEvictions()
	s.sched.SchedulingQueue.Run(logr.Discard())
	synctest.Wait()
	return s, nil
}

// holdEvictions has victims evicted once the decision is over. By themselves, goroutines decide by their speed whether the preemption is over
// when the preemptor is requeued: in a cluster it is not, since evictions are calls to an API server.
func (s *scheduler) holdEvictions() {
	if !utilfeature.DefaultFeatureGate.Enabled("SchedulerAsyncPreemption") {
		return
	}
	for _, profile := range s.sched.Profiles {
		for _, plugin := range profile.PreEnqueuePlugins() {
			s.release.Hold(plugin, func() { <-s.over })
		}
	}
}

// recorderSleeps is longer than the recorders of metrics sleep at a time.
const recorderSleeps = 2 * time.Second

func (s *scheduler) stop() {
	for _, profile := range s.sched.Profiles { // their goroutines wait beyond the end
		profile.IterateOverWaitingPods(func(pod fwk.WaitingPod) { pod.Reject("", "the case is over") })
	}
	synctest.Wait()
	s.end()
	s.sched.SchedulingQueue.Close()
	time.Sleep(recorderSleeps)
}

// connectExtenders has the extenders of a configuration answer by the case's rules.
func (s *scheduler) connectExtenders(settings []config.Extender, rules []extenderserver.Rules) {
	bind := func(b extenderserver.Binding) {
		s.client.call(oracle.Call{Namespace: b.Namespace, Name: b.Name, Bind: b.Node})
	}
	for _, x := range s.sched.Extenders {
		number := slices.IndexFunc(settings, func(c config.Extender) bool { return c.URLPrefix == x.Name() })
		answers := extenderserver.Rules{} // a reduced case may have fewer rules than extenders
		if number < len(rules) {
			answers = rules[number]
		}
		extenderserver.Connect(x, extenderserver.Handler(answers, number, bind))
	}
}

// instrument wraps SchedulePod and FailureHandler to record the decision.
func (s *scheduler) instrument() {
	s.release.Around(s.sched, func(f framework.Framework, pod *v1.Pod, search func() (upstream.ScheduleResult, error)) (upstream.ScheduleResult, error) {
		d := &oracle.Decision{Pod: pod.Name, Start: s.index()}
		s.decided = d
		result, err := search()
		d.Node, d.Examined, d.Feasible, d.Next = result.SuggestedHost, result.EvaluatedNodes, result.FeasibleNodes, s.index()
		if fit, ok := err.(*framework.FitError); ok {
			d.Examined, d.Rejections = fit.Diagnosis.NodeToStatus.Len(), rejections(f, fit)
		} else if err != nil {
			d.Examined = -1
		}
		return result, err
	})
	fail := s.sched.FailureHandler
	s.sched.FailureHandler = func(ctx context.Context, f framework.Framework, info *framework.QueuedPodInfo, status *fwk.Status, n *fwk.NominatingInfo, begun time.Time) {
		// Else the binding failed, which the calls show.
		inCycle := func(d *oracle.Decision) bool {
			return d.Node == "" || strings.HasPrefix(status.Message(), "running Permit plugin ")
		}
		if d := s.decided; d != nil && d.Pod == info.Pod.Name && inCycle(d) {
			d.Node, d.Message = "", status.Message()
			if n.Mode() == fwk.ModeOverride {
				d.Nominated = &n.NominatedNodeName
			}
		}
		fail(ctx, f, info, status, n, begun)
	}
}

// index returns the next start index, which the scheduler does not export.
func (s *scheduler) index() int {
	return int(reflect.ValueOf(s.sched).Elem().FieldByName("nextStartNodeIndex").Int())
}

// rejections counts the nodes by plugin and reason.
func rejections(f framework.Framework, fit *framework.FitError) []oracle.Rejection {
	nodes, err := f.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		panic(fmt.Sprintf("listing the nodes of a snapshot: %v", err))
	}
	counts := map[oracle.Rejection]int{}
	for _, node := range nodes {
		status := fit.Diagnosis.NodeToStatus.Get(node.Node().Name)
		for _, reason := range status.Reasons() {
			counts[oracle.Rejection{Plugin: status.Plugin(), Reason: reason}]++
		}
	}
	all := slices.SortedFunc(maps.Keys(counts), func(a, b oracle.Rejection) int {
		return strings.Compare(a.Plugin+"\x00"+a.Reason, b.Plugin+"\x00"+b.Reason)
	})
	for i := range all {
		all[i].Nodes = counts[all[i]]
	}
	return all
}

// decide makes the next decision, if a pod can be popped, and waits until the scheduler's goroutines have finished.
func (s *scheduler) decide() {
	if s.ready() {
		s.over = make(chan struct{})
		s.sched.ScheduleOne(s.ctx)
		close(s.over)
		synctest.Wait()
	}
}

// ready reports whether Pop would return without blocking.
func (s *scheduler) ready() bool {
	q := s.sched.SchedulingQueue
	if len(q.PodsInActiveQ()) > 0 {
		return true
	}
	if !utilfeature.DefaultFeatureGate.Enabled("SchedulerPopFromBackoffQ") {
		return false
	}
	// A pod without rejecting plugins is in the back-off queue for errors, which is never popped from.
	return slices.ContainsFunc(q.PodsInBackoffQ(), func(pod *v1.Pod) bool {
		info, ok := s.release.Queued(q, pod)
		return ok && info.UnschedulablePlugins.Len()+info.PendingPlugins.Len() > 0
	})
}
