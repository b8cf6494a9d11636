package gangscheduling

import (
	"context"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/workloadmanager"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	upstream "k8s.io/kubernetes/pkg/scheduler/framework/plugins/gangscheduling"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/gangs"
	"orrery/core/scheduler/plugins/gangscheduling"
	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// plugin is a gang plugin of either side.
type plugin interface {
	fwk.PreEnqueuePlugin
	fwk.ReservePlugin
	fwk.PermitPlugin
	fwk.EnqueueExtensions
}

// handle is what a plugin gets, and notes what it does with it.
type handle struct {
	fwk.Handle
	script    *script
	objects   informers.SharedInformerFactory
	workloads fwk.WorkloadManager
	state     *gangs.State     // Orrery's
	allowed   sets.Set[string] // pods that have been allowed, and do not wait any more
	did       permitted
}

func (h *handle) SharedInformerFactory() informers.SharedInformerFactory { return h.objects }

func (h *handle) WorkloadManager() fwk.WorkloadManager { return h.workloads }

func (h *handle) Gangs() *gangs.State { return h.state }

func (h *handle) Now() time.Time { return time.Now() }

func (h *handle) Activate(_ klog.Logger, pods map[string]*v1.Pod) {
	for _, pod := range pods {
		h.did.Activated = append(h.did.Activated, pod.Name)
	}
	slices.Sort(h.did.Activated)
}

func (h *handle) GetWaitingPod(uid types.UID) fwk.WaitingPod {
	for name := range h.script.waiting {
		if pod := h.script.pods[name]; pod != nil && pod.UID == uid && !h.allowed.Has(name) {
			return waitingPod{nil, h, pod}
		}
	}
	return nil
}

type waitingPod struct {
	fwk.WaitingPod
	handle *handle
	pod    *v1.Pod
}

func (w waitingPod) Allow(string) {
	w.handle.allowed.Insert(w.pod.Name)
	w.handle.did.Allowed = append(w.handle.did.Allowed, w.pod.Name)
	slices.Sort(w.handle.did.Allowed)
}

// asked asks a plugin.
type asked struct {
	plugin
	*handle
}

func (a asked) preEnqueue(pod *v1.Pod) string {
	return text(a.plugin.PreEnqueue(context.Background(), pod))
}

func (a asked) reserve(pod *v1.Pod) {
	a.allowed.Delete(pod.Name)
	a.plugin.Reserve(context.Background(), nil, pod, "n")
}

func (a asked) unreserve(pod *v1.Pod) { a.plugin.Unreserve(context.Background(), nil, pod, "n") }

func (a asked) permit(pod *v1.Pod) permitted {
	a.did = permitted{}
	status, timeout := a.plugin.Permit(context.Background(), nil, pod, "n")
	a.did.Status, a.did.Timeout = text(status), timeout
	return a.did
}

func (a asked) hint(resource fwk.EventResource, pod *v1.Pod, added any) string {
	events, err := a.plugin.EventsToRegister(context.Background())
	if err != nil {
		return err.Error()
	}
	for _, e := range events {
		if e.Event.Resource == resource && e.Event.ActionType&fwk.Add != 0 {
			hint, err := e.QueueingHintFn(klog.Background(), pod, nil, added)
			return fmt.Sprint(hint, map[bool]string{true: " with an error"}[err != nil])
		}
	}
	return "not registered"
}

func (a asked) groups(references []*v1.WorkloadReference) []string {
	var all []string
	for _, ref := range references {
		info, err := a.workloads.PodGroupInfo("default", ref)
		if err != nil {
			all = append(all, err.Error())
			continue
		}
		unscheduled := sets.New[types.UID]()
		for _, pod := range info.UnscheduledPods() {
			unscheduled.Insert(pod.UID)
		}
		all = append(all, fmt.Sprint(*ref, " all ", sets.List(info.AllPods()), " unscheduled ", sets.List(unscheduled),
			" assumed ", sets.List(info.AssumedPods()), " assigned ", sets.List(info.AssignedPods())))
	}
	return all
}

func text(status *fwk.Status) string {
	if status.IsSuccess() {
		return ""
	}
	return status.Code().String() + ": " + status.Message()
}

// kubeScheduler is kube-scheduler's side.
type kubeScheduler struct {
	asked
	manager workloadmanager.WorkloadManager
}

func newUpstream(s *script) side {
	manager := workloadmanager.New()
	h := &handle{script: s, objects: informers.NewSharedInformerFactory(nil, 0), workloads: manager, allowed: sets.New[string]()}
	made, err := upstream.New(context.Background(), nil, h, feature.Features{EnableGangScheduling: true})
	if err != nil {
		s.Fatalf("kube-scheduler's plugin: %v", err)
	}
	return &kubeScheduler{asked{made.(plugin), h}, manager}
}

func (k *kubeScheduler) workload(op world.Op, w *schedulingv1alpha1.Workload) {
	held := k.objects.Scheduling().V1alpha1().Workloads().Informer().GetIndexer()
	change := held.Add
	if op == world.Deleted {
		change = held.Delete
	}
	if err := change(w); err != nil {
		k.script.Fatalf("%v", err)
	}
}

func (k *kubeScheduler) pod(op world.Op, before, after *v1.Pod) {
	switch op {
	case world.Added:
		k.manager.AddPod(after)
	case world.Modified:
		k.manager.UpdatePod(before, after)
	default:
		k.manager.DeletePod(after)
	}
}

// orrery is Orrery's side.
type orrery struct {
	asked
	store *store.Store
}

func newOrrery(s *script) side {
	features, err := config.ParseFeatures(map[string]bool{"GenericWorkload": true, "GangScheduling": true})
	if err != nil {
		s.Fatalf("%v", err)
	}
	held := store.New()
	h := &handle{script: s, objects: held.Informers(), state: gangs.New(held), allowed: sets.New[string]()}
	h.workloads = gangs.NewManager(h.state, h)
	made, err := gangscheduling.New(context.Background(), nil, h, features)
	if err != nil {
		s.Fatalf("Orrery's plugin: %v", err)
	}
	return &orrery{asked{made.(plugin), h}, held}
}

func (o *orrery) workload(op world.Op, w *schedulingv1alpha1.Workload) { o.apply(op, w) }

func (o *orrery) pod(op world.Op, _, after *v1.Pod) { o.apply(op, after) }

func (o *orrery) apply(op world.Op, object world.Object) {
	deltas, err := o.store.Apply(world.Changed{Op: op, Object: object})
	if err != nil {
		o.script.Fatalf("%v", err)
	}
	for _, d := range deltas {
		o.state.Changed(d)
	}
	if err := o.state.Check(); err != nil {
		o.script.Fatalf("%v", err)
	}
}
