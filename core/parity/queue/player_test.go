package queue

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins/noderesources"
	ours "orrery/core/scheduler/queue"
	"orrery/core/scheduler/release"
)

// Shared by all upstream queues. The recorder starts a goroutine that sleeps, which must not start in virtual time.
var (
	factory  = informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	recorder = metrics.NewMetricsAsyncRecorder(100, 24*time.Hour, nil)
)

const (
	podSlots  = 7
	nodeSlots = 3
)

// flight is a pod that both queues have popped.
type flight struct {
	them *framework.QueuedPodInfo
	us   *ours.Pod
	uid  types.UID
}

// player runs one script on both queues.
type player struct {
	script   script
	early    bool // pods may be popped from backoffQ
	scheme   scheme
	storage  *storagePlugins
	about    string // the object of the last event of storage
	them     *upstream.PriorityQueue
	us       *ours.Queue
	cluster  map[string]*v1.Pod // the pods that listers return
	inFlight []flight
	done     []flight // done, but their binding may still fail
	version  int
	entered  map[[2]string]int // queue_incoming_pods_total according to our records
	trouble  []string
}

var _ listersv1.PodLister = (*player)(nil)

func (p *player) List(labels.Selector) ([]*v1.Pod, error)  { return nil, nil }
func (p *player) Pods(string) listersv1.PodNamespaceLister { return namespaced{p} }

type namespaced struct{ *player }

func (n namespaced) Get(name string) (*v1.Pod, error) {
	if pod := n.cluster[name]; pod != nil {
		return pod, nil
	}
	return nil, apierrors.NewNotFound(v1.Resource("pods"), name)
}

// newestOptions are the options of the release that this module has.
func newestOptions() ours.Options {
	features := config.FeaturesOf(release.Newest)
	opts := ours.DefaultOptions()
	opts.NominateOnAdd = features.Has(release.GatedPodsNominated)
	opts.FlushGated = features.Has(release.GatedPodsFlushed)
	opts.NoteFlushed = features.Has(release.FlushedPodsCounted)
	opts.ReplaceByUID = features.Has(release.RecreatedPodsAnew)
	opts.FeatureGates = ours.FeatureGates{
		InPlacePodVerticalScaling:               features.Enabled(config.InPlacePodVerticalScaling),
		InPlacePodLevelResourcesVerticalScaling: features.Enabled(config.InPlacePodLevelResourcesVerticalScaling),
		DynamicResourceAllocation:               features.Enabled(config.DynamicResourceAllocation),
		NodeDeclaredFeatures:                    features.Enabled(config.NodeDeclaredFeatures),
		SplitPods:                               features.Has(release.PodEventsSplit),
		Sum:                                     noderesources.SumOf(features),
	}
	return opts
}

func newPlayer(s script, early bool) *player {
	p := &player{script: s, early: early, storage: newStoragePlugins(), cluster: map[string]*v1.Pod{}, entered: map[[2]string]int{}}
	p.scheme = newScheme(p.storage)
	pass(s.start)
	gates, hints := p.scheme.upstreamMaps()
	p.them = upstream.NewPriorityQueue((&queuesort.PrioritySort{}).Less, factory,
		upstream.WithPodLister(p), upstream.WithPreEnqueuePluginMap(gates), upstream.WithQueueingHintMapPerProfile(hints),
		upstream.WithMetricsRecorder(recorder))
	opts := newestOptions()
	opts.PopFromBackoff = early
	opts.Profiles = p.scheme.profiles()
	opts.LookupPod = func(_, name string) *v1.Pod { return p.cluster[name] }
	opts.Observe = p.observe
	opts.Start = time.Now()
	p.us = ours.New(opts)
	p.them.Run(klog.Logger{})
	synctest.Wait()
	return p
}

func (p *player) observe(t ours.Transition) {
	if t.Kind == ours.Moved && t.Entered && t.To.QueueLabel() != "" {
		p.entered[[2]string{t.To.QueueLabel(), t.Event}]++
	}
}

// pass advances virtual time, and waits until all that is due has happened.
func pass(d time.Duration) {
	if d > 0 {
		<-time.After(d)
	}
	synctest.Wait()
}

// play runs the script and returns the first difference.
func (p *player) play() error {
	for i, s := range p.script.steps {
		pass(time.Millisecond)
		p.do(s)
		p.compare()
		if err := p.us.Check(); err != nil {
			p.differ("our queue is inconsistent: %v", err)
		}
		if len(p.trouble) > 0 {
			return fmt.Errorf("after step %d (%s) at %s: %v\nthe last change of storage: %s", i, s, time.Now().Format("05.000"), p.trouble, p.about)
		}
	}
	for range 2 * podSlots {
		pass(time.Millisecond)
		p.pop()
	}
	if len(p.trouble) > 0 {
		return fmt.Errorf("when popping the remaining pods: %v", p.trouble)
	}
	return nil
}

// canBeAnother reports whether a pod may become another one of its name: upstream then queues some twice, and keeps their nominations.
func (p *player) canBeAnother(pod *v1.Pod) bool {
	queued, is := p.us.Get(pod.Namespace, pod.Name)
	if is && queued.State() != ours.Active && queued.State() != ours.Unschedulable || p.scheme.closed[pod.Name] || pod.Labels["gate"] != "" {
		return false
	}
	for i := range nodeSlots {
		for _, info := range p.us.NominatedPodsForNode(fmt.Sprint("n", i)) {
			if info.GetPod().UID == pod.UID {
				return false
			}
		}
	}
	return pod.Status.NominatedNodeName == ""
}

func (p *player) differ(format string, args ...any) {
	p.trouble = append(p.trouble, fmt.Sprintf(format, args...))
}

func (p *player) do(s step) {
	now := time.Now()
	name := fmt.Sprint("p", s.a%podSlots)
	pod := p.cluster[name]
	switch s.verb {
	case add:
		if pod == nil {
			p.add(name, s)
		}
	case change:
		if pod != nil {
			p.update(pod, p.changed(pod, s))
		}
	case replacement:
		if pod != nil && p.canBeAnother(pod) {
			twin := pod.DeepCopy()
			p.version++
			twin.UID, twin.ResourceVersion = types.UID(fmt.Sprint(name, ".", p.version)), fmt.Sprint(p.version)
			p.update(pod, twin)
		}
	case remove:
		if pod != nil {
			delete(p.cluster, name)
			p.them.Delete(klog.Logger{}, pod)
			p.us.Delete(pod, now)
		}
	case pop:
		p.pop()
	case fail:
		if n := len(p.inFlight); n > 0 {
			f := p.inFlight[s.a%n]
			p.inFlight = slices.Delete(p.inFlight, s.a%n, s.a%n+1)
			p.fail(f, s)
		}
	case failLate:
		if n := len(p.done); n > 0 {
			f := p.done[s.a%n]
			p.done = slices.Delete(p.done, s.a%n, s.a%n+1)
			p.fail(f, s)
		}
	case done:
		if n := len(p.inFlight); n > 0 {
			f := p.inFlight[s.a%n]
			p.inFlight = slices.Delete(p.inFlight, s.a%n, s.a%n+1)
			p.them.Done(f.uid)
			p.us.Done(f.uid)
			p.done = append(p.done, f)
		}
	case nodeEvent:
		p.nodeEvent(s)
	case podEvent:
		p.podEvent(s)
	case otherEvent:
		p.otherEvent(s)
	case storageEvent:
		p.storageEvent(s)
	case wildcard:
		p.move(fwk.ClusterEvent{Resource: fwk.WildCard, ActionType: fwk.All}, nil, nil, nil)
	case activate:
		p.activate(s)
	case wait:
		pass(s.wait)
		p.us.Flush(time.Now())
	case nominate:
		if pod != nil {
			info := &fwk.NominatingInfo{NominatingMode: fwk.NominatingMode(s.b % 2), NominatedNodeName: []string{"", "n0", "n1", "n2"}[s.c%4]}
			theirs, _ := framework.NewPodInfo(pod)
			p.them.AddNominatedPod(klog.Logger{}, theirs, info)
			p.us.AddNominatedPod(klog.Logger{}, theirs, info)
		}
	case withdraw:
		if pod != nil {
			p.them.DeleteNominatedPodIfExists(pod)
			p.us.DeleteNominatedPodIfExists(pod)
		}
	case toggle:
		if p.scheme.closed[name] {
			delete(p.scheme.closed, name)
		} else if pod == nil || pod.Labels["gate"] == "" {
			p.scheme.closed[name] = true
		}
	}
}

func (p *player) add(name string, s step) {
	p.version++
	priority := int32(s.b % 3)
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "ns", UID: types.UID(fmt.Sprint(name, ".", p.version)), ResourceVersion: fmt.Sprint(p.version),
		},
		Spec: v1.PodSpec{
			Priority: &priority, SchedulerName: []string{"first", "first", "first", "second", "third", "unknown"}[s.c%6],
			Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{
				Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("4")},
			}}},
			Volumes: newStorageDraw(s).podVolumes(),
		},
	}
	if s.b%5 == 0 && !p.scheme.closed[name] {
		pod.Labels = map[string]string{"gate": []string{"Label", "Nodes", "Wild"}[s.a%3]}
	}
	if s.c%7 == 0 {
		pod.Status.NominatedNodeName = fmt.Sprint("n", s.a%nodeSlots)
	}
	p.cluster[name] = pod
	p.them.Add(context.Background(), pod)
	p.us.Add(pod, time.Now())
}

func (p *player) update(old, updated *v1.Pod) {
	p.cluster[updated.Name] = updated
	if slices.ContainsFunc(p.done, func(f flight) bool { return f.uid == old.UID }) {
		return // it is being bound; the event handlers do not pass such updates to the queue
	}
	p.them.Update(context.Background(), old, updated)
	p.us.Update(old, updated, time.Now())
}

// changed returns the pod with one or, where the gate allows it, up to three changes.
func (p *player) changed(pod *v1.Pod, s step) *v1.Pod {
	pod = pod.DeepCopy()
	p.version++
	pod.ResourceVersion = fmt.Sprint(p.version)
	times := 1
	if p.early {
		times += s.c % 3
	}
	for i := range times {
		switch (s.b + i) % 8 {
		case 0:
			pod.Labels = map[string]string{"gate": pod.Labels["gate"], "v": pod.ResourceVersion}
		case 1:
			if p.scheme.closed[pod.Name] || pod.Labels["gate"] != "" {
				pod.Labels = nil
			} else {
				pod.Labels = map[string]string{"gate": []string{"Label", "Nodes", "Wild"}[s.c%3]}
			}
		case 2:
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{Key: pod.ResourceVersion})
		case 3:
			cpu := pod.Spec.Containers[0].Resources.Requests[v1.ResourceCPU]
			cpu.Sub(resource.MustParse("100m"))
			pod.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: cpu}
		case 4:
			pod.Status.NominatedNodeName = []string{"", "n0", "n1"}[s.a%3]
		case 5:
			claim := pod.ResourceVersion
			pod.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "c", ResourceClaimName: &claim}}
		case 6:
			priority := *pod.Spec.Priority ^ 1
			pod.Spec.Priority = &priority
		case 7:
			pod.Status.Message = pod.ResourceVersion
		}
	}
	return pod
}

func (p *player) pop() {
	if !p.upstreamCanPop() {
		if us, ok := p.us.Pop(time.Now()); ok {
			p.differ("ours pops %s, upstream has no pod to pop", us.Pod().Name)
		}
		return
	}
	entity, err := p.them.Pop(klog.Logger{})
	them, _ := entity.(*framework.QueuedPodInfo)
	us, ok := p.us.Pop(time.Now())
	switch {
	case err != nil || !ok:
		p.differ("upstream pops %v, %v; ours pops %v", them, err, ok)
	case them.Pod.UID != us.Pod().UID:
		p.differ("upstream pops %s, ours pops %s", them.Pod.Name, us.Pod().Name)
	default:
		them.ClearRejectorPlugins() // from 1.36 on they are kept until the attempt fails, and nothing reads them meanwhile
		p.compareInfo(them, us)
		p.inFlight = append(p.inFlight, flight{them, us, them.Pod.UID})
	}
}

// upstreamCanPop reports whether upstream's Pop would return without blocking.
func (p *player) upstreamCanPop() bool {
	if len(p.them.PodsInActiveQ()) > 0 {
		return true
	}
	return p.early && slices.ContainsFunc(p.them.PodsInBackoffQ(), func(pod *v1.Pod) bool {
		info, _ := p.them.GetPod(pod.Name, pod.Namespace, nil)
		return info.UnschedulablePlugins.Len()+info.PendingPlugins.Len() > 0
	})
}

func (p *player) fail(f flight, s step) {
	name := f.them.Pod.Name
	unschedulable, pending := sets.New[string](), sets.New[string]()
	for i, plugin := range slices.Concat(rejectors, storagePluginNames) {
		if s.b>>i&3 == 0 {
			unschedulable.Insert(plugin)
		}
	}
	if s.c%4 == 0 {
		pending.Insert("Claims")
		unschedulable.Delete("Claims")
	}
	if s.c%9 == 0 {
		unschedulable, pending = sets.New[string](), sets.New[string]()
	}
	if s.c%5 == 0 { // so that the hints of one plugin decide
		unschedulable, pending = sets.New(storagePluginNames[s.b%len(storagePluginNames)]), sets.New[string]()
	}
	f.them.UnschedulablePlugins, f.them.PendingPlugins = unschedulable.Clone(), pending.Clone()
	f.us.Reject(unschedulable, pending)
	current := p.cluster[name]
	if current == nil || current.UID != f.uid {
		p.them.Done(f.uid)
		p.us.Done(f.uid)
		return
	}
	f.them.PodInfo, _ = framework.NewPodInfo(current)
	f.us.Update(current)
	theirs := p.them.AddUnschedulablePodIfNotPresent(klog.Logger{}, f.them, p.them.SchedulingCycle())
	err := p.us.AddUnschedulableIfNotPresent(f.us, p.us.SchedulingCycle(), time.Now())
	if (theirs == nil) != (err == nil) {
		p.differ("requeueing %s: upstream returned %v, ours %v", name, theirs, err)
	}
}

func (p *player) move(event fwk.ClusterEvent, old, updated any, precheck func(*v1.Pod) bool) {
	p.them.MoveAllToActiveOrBackoffQueue(klog.Logger{}, event, old, updated, precheck)
	p.us.Move(event, old, updated, time.Now(), precheck)
}

func (p *player) nodeEvent(s step) {
	p.version++
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", s.a%nodeSlots), ResourceVersion: fmt.Sprint(p.version)}}
	switch s.b % 4 {
	case 0:
		p.move(ours.EventNodeAdd, nil, node, nil)
		return
	case 1:
		p.move(ours.EventNodeDelete, node, nil, nil)
		return
	}
	updated := node.DeepCopy()
	updated.ResourceVersion += "+"
	for bit, change := range []func(){
		func() { node.Spec.Unschedulable = true },
		func() { updated.Status.Allocatable = v1.ResourceList{v1.ResourceCPU: resource.MustParse("1")} },
		func() { updated.Labels = map[string]string{"a": "b"} },
		func() { updated.Spec.Taints = []v1.Taint{{Key: "k"}} },
		func() { updated.Status.Conditions = []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}} },
		func() { updated.Annotations = map[string]string{"a": "b"} },
		func() { updated.Status.DeclaredFeatures = []string{"F"} },
	} {
		if s.c>>bit&1 == 1 {
			change()
		}
	}
	theirs := framework.NodeSchedulingPropertiesChange(updated, node)
	events := ours.NodeUpdateEvents(node, updated, newestOptions().FeatureGates)
	if !slices.Equal(theirs, events) {
		p.differ("events of a node's update: upstream %v, ours %v", theirs, events)
	}
	for _, event := range events {
		p.move(event, node, updated, nil)
	}
}

func (p *player) podEvent(s step) {
	p.version++
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("other", s.a%4), Namespace: "ns", UID: types.UID(fmt.Sprint("other.", p.version))},
		Spec:       v1.PodSpec{NodeName: "n0", Containers: []v1.Container{{Name: "c"}}, Volumes: newStorageDraw(s).podVolumes()},
	}
	switch s.b % 4 {
	case 0:
		p.move(ours.EventAssignedPodAdd, nil, pod, nil)
	case 1:
		p.move(ours.EventAssignedPodDelete, pod, nil, nil)
	case 2:
		p.move(ours.EventAssignedPodDelete, pod, nil, func(waiting *v1.Pod) bool { return *waiting.Spec.Priority <= int32(s.c%3) })
	case 3:
		updated := p.changed(withRequests(pod), s)
		theirs := framework.PodSchedulingPropertiesChange(updated, pod, false)
		events := ours.PodUpdateEvents(pod, updated, newestOptions().FeatureGates)
		if !slices.Equal(theirs, events) {
			p.differ("events of a pod's update: upstream %v, ours %v", theirs, events)
		}
		for _, event := range events {
			p.move(event, pod, updated, nil)
		}
	}
}

func withRequests(pod *v1.Pod) *v1.Pod {
	zero := int32(0)
	pod.Spec.Priority = &zero
	pod.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: resource.MustParse("4")}
	return pod
}

func (p *player) otherEvent(s step) {
	p.version++
	meta := metav1.ObjectMeta{Name: fmt.Sprint("x", s.a%4), ResourceVersion: fmt.Sprint(p.version)}
	var kind fwk.EventResource
	var object any
	switch s.b % 5 {
	case 0:
		kind, object = fwk.PersistentVolumeClaim, &v1.PersistentVolumeClaim{ObjectMeta: meta}
	case 1:
		kind, object = fwk.StorageClass, &storagev1.StorageClass{ObjectMeta: meta}
	case 2:
		kind, object = fwk.ResourceClaim, &resourcev1.ResourceClaim{ObjectMeta: meta}
	case 3:
		kind, object = fwk.VolumeAttachment, &storagev1.VolumeAttachment{ObjectMeta: meta}
	case 4:
		kind, object = fwk.UnscheduledPod, &v1.Pod{ObjectMeta: meta} // as gang scheduling does
		p.move(fwk.ClusterEvent{Resource: kind, ActionType: fwk.Add}, nil, object, nil)
		return
	}
	switch s.c % 3 {
	case 0:
		p.move(fwk.ClusterEvent{Resource: kind, ActionType: fwk.Add}, nil, object, nil)
	case 1:
		p.move(fwk.ClusterEvent{Resource: kind, ActionType: fwk.Update}, object, object, nil)
	case 2:
		p.move(fwk.ClusterEvent{Resource: kind, ActionType: fwk.Delete}, object, nil, nil)
	}
}

func (p *player) activate(s step) {
	pods := map[string]*v1.Pod{}
	for i := range podSlots {
		name := fmt.Sprint("p", i)
		if pod := p.cluster[name]; pod != nil && s.a>>i&3 == 0 {
			pods["ns/"+name] = pod
		}
	}
	p.them.Activate(klog.Logger{}, pods)
	var list []*v1.Pod
	for _, key := range slices.Sorted(maps.Keys(pods)) {
		list = append(list, pods[key])
	}
	p.us.Activate(list, time.Now())
}
