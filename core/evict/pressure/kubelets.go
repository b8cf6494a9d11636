package pressure

import (
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/objects/saturating"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// KubeletsOptions are common to all kubelets of a simulated cluster.
type KubeletsOptions struct {
	Configuration Configuration
	// Machine is that of nodes for which SetMachine was not called.
	Machine
	// Record is where evictions are written; nil is a record of its own.
	Record *evict.Record
}

// Machine is what a node has that its status does not tell.
type Machine struct {
	Layout Layout
	// ImageFs is the size of the filesystem for images, if there is one. The node's own has the capacity of ephemeral
	// storage in the node's status; without that, disks are not measured.
	ImageFs memory.Disk
	// NodeFsInodes is how many inodes the node's filesystem has. A filesystem has one for every 16Ki if that is zero.
	NodeFsInodes int64
	// PIDs is how many processes the node can have; 32768 if zero.
	PIDs int64
}

// Kubelets are the kubelets of a simulated cluster: the option Pressure of world/memory. A node gets one with its first
// reported usage.
type Kubelets struct {
	options    KubeletsOptions
	record     *evict.Record
	nodes      map[string]*nodeKubelet
	machines   map[string]Machine
	podUsages  []timedUsage // of pods, the latest report last
	wakeups    evict.Timers[string]
	hardMemory Value // the hard threshold of memory
}

var _ memory.Pressure = (*Kubelets)(nil)

// nodeKubelet is one node.
type nodeKubelet struct {
	node     *v1.Node // nil while no such node exists
	pods     map[types.UID]*v1.Pod
	ownUsage timedUsage // of the node itself
	kubelet  *Kubelet
	// killed are the pods whose first container the kernel killed, with how often it had started again until then.
	killed map[types.UID]int32
}

// timedUsage is a reported usage with its time.
type timedUsage struct {
	memory.UsageReport
	at time.Time
}

const defaultPIDs = 32768

// NewKubelets returns the kubelets of a cluster. It fails for invalid thresholds.
func NewKubelets(o KubeletsOptions) (*Kubelets, error) {
	thresholds, err := o.Configuration.Thresholds()
	if err != nil {
		return nil, err
	}
	if o.Record == nil {
		o.Record = evict.NewRecord()
	}
	f := &Kubelets{options: o, record: o.Record, nodes: map[string]*nodeKubelet{}, machines: map[string]Machine{}, wakeups: evict.NewTimers[string]()}
	for _, t := range thresholds {
		if t.Signal == MemoryAvailable && t.Hard() {
			f.hardMemory = t.Value
		}
	}
	return f, nil
}

// Record returns the record that the kubelets write to.
func (f *Kubelets) Record() *evict.Record { return f.record }

// SetRecord makes the kubelets write to another record. A fork writes to a fork of its own until SetRecord replaces it.
func (f *Kubelets) SetRecord(record *evict.Record) {
	f.record, f.options.Record = record, record
	for _, p := range f.nodes {
		if p.kubelet != nil {
			p.kubelet.record = record
		}
	}
}

// SetMachine sets what a node has, before its kubelet starts with its first reported usage.
func (f *Kubelets) SetMachine(node string, m Machine) { f.machines[node] = m }

func (f *Kubelets) machine(node string) Machine {
	if m, ok := f.machines[node]; ok {
		return m
	}
	return f.options.Machine
}

func (f *Kubelets) nodeKubelet(node string) *nodeKubelet {
	p := f.nodes[node]
	if p == nil {
		p = &nodeKubelet{pods: map[types.UID]*v1.Pod{}, killed: map[types.UID]int32{}}
		f.nodes[node] = p
	}
	return p
}

// ReportUsage sets the usage of pods or a node from now on.
func (f *Kubelets) ReportUsage(now time.Time, u memory.UsageReport) {
	if u.Node != "" {
		f.nodeKubelet(u.Node).ownUsage = timedUsage{u, now}
		f.update(now, u.Node)
		return
	}
	f.podUsages = slices.DeleteFunc(slices.Clone(f.podUsages), func(had timedUsage) bool {
		return had.Namespace == u.Namespace && had.Pod == u.Pod && maps.Equal(had.Labels, u.Labels)
	})
	f.podUsages = append(f.podUsages, timedUsage{u, now})
	for _, node := range slices.Sorted(maps.Keys(f.nodes)) {
		for _, pod := range f.nodes[node].pods {
			if usageSelects(&u, pod) {
				f.update(now, node)
				break
			}
		}
	}
}

// ObjectChanged takes in a node or a pod.
func (f *Kubelets) ObjectChanged(now time.Time, op world.Op, o world.Object) {
	switch o := o.(type) {
	case *v1.Node:
		p := f.nodeKubelet(o.Name)
		if p.node = o; op == world.Deleted {
			p.node, p.kubelet, p.ownUsage = nil, nil, timedUsage{}
			f.wakeups.Stop(o.Name)
			return
		}
		f.update(now, o.Name)
	case *v1.Pod:
		p := f.nodeKubelet(o.Spec.NodeName)
		if p.pods[o.UID] = o; op == world.Deleted {
			delete(p.pods, o.UID)
		}
		if at, killed := p.killed[o.UID]; killed && (op == world.Deleted || restartsOf(o) > at) {
			delete(p.killed, o.UID)
		}
		if p.kubelet != nil {
			p.kubelet.Apply(world.Input{At: now, Event: world.Changed{Op: op, Object: o}})
		}
		f.update(now, o.Spec.NodeName)
	}
}

// update passes the current usage to a node's kubelet. The first usage on a node creates the kubelet.
func (f *Kubelets) update(now time.Time, node string) {
	p := f.nodes[node]
	if p.kubelet == nil {
		if p.node == nil || p.ownUsage.at.IsZero() && !f.anyUsage(p) {
			return
		}
		k, err := New(Options{
			Node: node, Configuration: f.options.Configuration, Layout: f.machine(node).Layout, Start: now,
		}, f.record)
		if err != nil {
			return // NewKubelets has made sure that there is none
		}
		p.kubelet = k
		for _, pod := range p.pods {
			k.Apply(world.Input{At: now, Event: world.Changed{Object: pod}})
		}
	}
	p.kubelet.Observe(now, f.measure(p, now))
	f.setWakeup(now, node, p)
}

func (f *Kubelets) anyUsage(p *nodeKubelet) bool {
	for _, pod := range p.pods {
		if f.usageOf(pod) != nil {
			return true
		}
	}
	return false
}

// setWakeup sets the timer of a node: now, if its kubelet has pending actions, or the kernel has a container to kill.
func (f *Kubelets) setWakeup(now time.Time, node string, p *nodeKubelet) {
	at, ok := p.kubelet.NextWake()
	if kernel, due := f.nextMemoryEvent(p, now); due && (!ok || kernel.Before(at)) {
		at, ok = kernel, true
	}
	if _, kill := f.nextKill(p, now); kill || len(p.kubelet.actions) > 0 {
		at, ok = now, true
	}
	if had, runs := f.wakeups.At(node); runs && ok && had.Equal(at) {
		return
	}
	f.wakeups.Stop(node)
	if ok {
		f.wakeups.Set(node, at)
	}
}

// Admit returns why a kubelet rejects a pod; the reason is empty if it admits it.
func (f *Kubelets) Admit(pod *v1.Pod) (reason, message string) {
	p := f.nodes[pod.Spec.NodeName]
	if p == nil || p.kubelet == nil {
		return "", ""
	}
	if ok, message := Admit(pod, p.kubelet.conditions); !ok {
		return Reason, message
	}
	return "", ""
}

// PodStopped records that an evicted pod has stopped and its resources are free.
func (f *Kubelets) PodStopped(now time.Time, pod *v1.Pod) {
	if p := f.nodes[pod.Spec.NodeName]; p != nil && p.kubelet != nil {
		p.kubelet.Gone(now, pod.UID)
		f.setWakeup(now, pod.Spec.NodeName, p)
	}
}

// NextWake returns the time of the first kubelet's next timer.
func (f *Kubelets) NextWake() (time.Time, bool) { return f.wakeups.Next() }

// Actions returns what kubelets have done so far.
func (f *Kubelets) Actions(now time.Time) []memory.PressureAction {
	var done []memory.PressureAction
	for {
		node, _, ok := f.wakeups.Pop(now)
		if !ok {
			return done
		}
		p := f.nodes[node]
		k := p.kubelet
		done = f.killExcess(done, p, now)
		k.Observe(now, f.measure(p, now))
		k.Apply(world.Input{At: now, Event: world.Tick{}})
		for actions := k.Actions(); len(actions) > 0; actions = k.Actions() {
			for _, s := range actions {
				done = f.perform(done, p, s)
			}
		}
		if f.grows(p) {
			k.resume(now) // the next sync will see more
		}
		f.setWakeup(now, node, p)
	}
}

// perform carries out a kubelet's action.
func (f *Kubelets) perform(done []memory.PressureAction, p *nodeKubelet, s TimedAction) []memory.PressureAction {
	r := memory.PressureAction{Node: p.node.Name}
	switch act := s.Action.(type) {
	case StatusWritten:
		r.WriteStatus = true
	case ThresholdMet:
		node := world.PodRef{Name: p.node.Name, UID: types.UID(p.node.Name)}
		r.Event = warningEvent(node, "EvictionThresholdMet", act.Note())
	case ReclaimResources:
		p.reclaim(s.At, act.Reclaim)
		p.kubelet.Reclaimed(s.At, f.measure(p, s.At))
		return done
	case EvictPod:
		r.Event = warningEvent(act.Pod, Reason, act.Message)
		r.Evict = &memory.PodEviction{
			Pod: act.Pod, Grace: saturating.Seconds(act.GraceSeconds), Reason: Reason, Message: act.Message,
		}
		if act.Threshold.Signal != "" {
			r.Evict.Condition = &v1.PodCondition{
				Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonTerminationByKubelet, Message: act.Message,
			}
		}
	default:
		return done
	}
	return append(done, r)
}

func warningEvent(of world.PodRef, reason, note string) *world.EmitEvent {
	return &world.EmitEvent{Regarding: of, Type: v1.EventTypeWarning, Reason: reason, Note: note, Controller: "kubelet"}
}

// Conditions returns a node's conditions as its kubelet reports them.
func (f *Kubelets) Conditions(now time.Time, node *v1.Node) []v1.NodeCondition {
	p := f.nodes[node.Name]
	if p == nil || p.kubelet == nil {
		return node.Status.Conditions
	}
	return Conditions(node.Status.Conditions, p.kubelet.conditions, now)
}

// Summary returns what a node's kubelet would measure now; nil if the node has none, as nothing said what is used there.
func (f *Kubelets) Summary(now time.Time, node string) *Summary {
	if p := f.nodes[node]; p != nil && p.kubelet != nil {
		return f.measure(p, now)
	}
	return nil
}

// Fork returns an independent copy, and writes on a fork of the record.
func (f *Kubelets) Fork() memory.Pressure {
	twin := *f
	twin.record = f.record.Fork()
	twin.options.Record, twin.podUsages, twin.wakeups = twin.record, slices.Clone(f.podUsages), f.wakeups.Clone()
	twin.machines = maps.Clone(f.machines)
	twin.nodes = make(map[string]*nodeKubelet, len(f.nodes))
	for name, p := range f.nodes {
		other := *p
		other.pods, other.killed = maps.Clone(p.pods), maps.Clone(p.killed)
		if p.kubelet != nil {
			other.kubelet = p.kubelet.Fork(twin.record)
		}
		twin.nodes[name] = &other
	}
	return &twin
}
