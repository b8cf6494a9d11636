package pressure

import (
	"cmp"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// FleetOptions say what all kubelets of a simulated cluster have in common.
type FleetOptions struct {
	Configuration Configuration
	Layout        Layout
	// ImageFs is how many bytes the filesystem for images has, where there is one. The node's own has the capacity of
	// ephemeral storage that the node's status says; without that, disks are not measured.
	ImageFs int64
	// PIDs is how many processes a node can have; 32768 if zero.
	PIDs int64
	// Board is where departures are written; nil is a board of its own.
	Board *evict.Board
}

// Fleet is the kubelets of a simulated cluster: the option Pressure of world/memory. A node has one from the moment on
// at which something on it is said to be used.
type Fleet struct {
	options FleetOptions
	board   *evict.Board
	posts   map[string]*post
	uses    []use // what pods use, the latest said last
	wakes   evict.Timers[string]
	kept    Value // what the hard threshold of memory keeps free
}

var _ memory.Pressure = (*Fleet)(nil)

// post is one node.
type post struct {
	node    *v1.Node // nil while there is none of that name
	pods    map[types.UID]*v1.Pod
	own     use // what the node uses for itself
	kubelet *Kubelet
}

// use is something said to be used, and when.
type use struct {
	memory.Use
	at time.Time
}

const defaultPIDs = 32768

// NewFleet makes the kubelets of a cluster. It fails for thresholds that make no sense.
func NewFleet(o FleetOptions) (*Fleet, error) {
	thresholds, err := o.Configuration.Thresholds()
	if err != nil {
		return nil, err
	}
	if o.Board == nil {
		o.Board = evict.NewBoard()
	}
	o.PIDs = cmp.Or(o.PIDs, defaultPIDs)
	f := &Fleet{options: o, board: o.Board, posts: map[string]*post{}, wakes: evict.NewTimers[string]()}
	for _, t := range thresholds {
		if t.Signal == MemoryAvailable && t.Hard() {
			f.kept = t.Value
		}
	}
	return f, nil
}

// Board is where the fleet writes.
func (f *Fleet) Board() *evict.Board { return f.board }

// WriteOn has the fleet write on another board from now on. A fork writes on a fork of its own until it is told which
// board goes with it.
func (f *Fleet) WriteOn(board *evict.Board) {
	f.board, f.options.Board = board, board
	for _, p := range f.posts {
		if p.kubelet != nil {
			p.kubelet.board = board
		}
	}
}

func (f *Fleet) post(node string) *post {
	p := f.posts[node]
	if p == nil {
		p = &post{pods: map[types.UID]*v1.Pod{}}
		f.posts[node] = p
	}
	return p
}

// Use tells what somebody uses from now on.
func (f *Fleet) Use(now time.Time, u memory.Use) {
	if u.Node != "" {
		f.post(u.Node).own = use{u, now}
		f.look(now, u.Node)
		return
	}
	f.uses = slices.DeleteFunc(slices.Clone(f.uses), func(had use) bool {
		return had.Namespace == u.Namespace && had.Pod == u.Pod && maps.Equal(had.Labels, u.Labels)
	})
	f.uses = append(f.uses, use{u, now})
	for _, node := range slices.Sorted(maps.Keys(f.posts)) {
		for _, pod := range f.posts[node].pods {
			if speaksOf(&u, pod) {
				f.look(now, node)
				break
			}
		}
	}
}

// Tell says how a node or a pod is now.
func (f *Fleet) Tell(now time.Time, op world.Op, o world.Object) {
	switch o := o.(type) {
	case *v1.Node:
		p := f.post(o.Name)
		if p.node = o; op == world.Deleted {
			p.node, p.kubelet, p.own = nil, nil, use{}
			f.wakes.Stop(o.Name)
			return
		}
		f.look(now, o.Name)
	case *v1.Pod:
		p := f.post(o.Spec.NodeName)
		if p.pods[o.UID] = o; op == world.Deleted {
			delete(p.pods, o.UID)
		}
		if p.kubelet != nil {
			p.kubelet.Apply(world.Input{At: now, Event: world.Changed{Op: op, Object: o}})
		}
		f.look(now, o.Spec.NodeName)
	}
}

// look has a kubelet know what is used by now. The first use on a node gives it one.
func (f *Fleet) look(now time.Time, node string) {
	p := f.posts[node]
	if p.kubelet == nil {
		if p.node == nil || p.own.at.IsZero() && !f.anyUse(p) {
			return
		}
		k, err := New(Options{
			Node: node, Configuration: f.options.Configuration, Layout: f.options.Layout, Start: now,
		}, f.board)
		if err != nil {
			return // NewFleet has made sure that there is none
		}
		p.kubelet = k
		for _, pod := range p.pods {
			k.Apply(world.Input{At: now, Event: world.Changed{Object: pod}})
		}
	}
	p.kubelet.Observe(now, f.measure(p, now))
	f.wakeFor(now, node, p.kubelet)
}

func (f *Fleet) anyUse(p *post) bool {
	for _, pod := range p.pods {
		if f.useOf(pod) != nil {
			return true
		}
	}
	return false
}

// wakeFor sets the timer of a node: now, if its kubelet has said something already.
func (f *Fleet) wakeFor(now time.Time, node string, k *Kubelet) {
	at, ok := k.NextWake()
	if len(k.said) > 0 {
		at, ok = now, true
	}
	if had, runs := f.wakes.At(node); runs && ok && had.Equal(at) {
		return
	}
	f.wakes.Stop(node)
	if ok {
		f.wakes.Set(node, at)
	}
}

// Admit is why a kubelet does not let a pod in, the reason empty if it does.
func (f *Fleet) Admit(pod *v1.Pod) (reason, message string) {
	p := f.posts[pod.Spec.NodeName]
	if p == nil || p.kubelet == nil {
		return "", ""
	}
	if ok, message := Admit(pod, p.kubelet.conditions); !ok {
		return Reason, message
	}
	return "", ""
}

// Stopped tells that nothing runs any more of a pod that was evicted; what it held is free again.
func (f *Fleet) Stopped(now time.Time, pod *v1.Pod) {
	if p := f.posts[pod.Spec.NodeName]; p != nil && p.kubelet != nil {
		p.kubelet.Gone(now, pod.UID)
		f.wakeFor(now, pod.Spec.NodeName, p.kubelet)
	}
}

// NextWake is when a kubelet has something to do.
func (f *Fleet) NextWake() (time.Time, bool) { return f.wakes.Next() }

// Due is what kubelets have done by now.
func (f *Fleet) Due(now time.Time) []memory.Relief {
	var done []memory.Relief
	for {
		node, _, ok := f.wakes.Pop(now)
		if !ok {
			return done
		}
		p := f.posts[node]
		k := p.kubelet
		k.Observe(now, f.measure(p, now))
		k.Apply(world.Input{At: now, Event: world.Passed{}})
		for said := k.Says(); len(said) > 0; said = k.Says() {
			for _, s := range said {
				done = f.carryOut(done, p, s)
			}
		}
		if f.grows(p) {
			k.stir(now) // the next look will see more
		}
		f.wakeFor(now, node, k)
	}
}

// carryOut is what becomes of something that a kubelet says.
func (f *Fleet) carryOut(done []memory.Relief, p *post, s Said) []memory.Relief {
	r := memory.Relief{Node: p.node.Name}
	switch act := s.Act.(type) {
	case Reported:
		r.Report = true
	case Starving:
		node := world.Ref{Name: p.node.Name, UID: types.UID(p.node.Name)}
		r.Announce = announcement(node, "EvictionThresholdMet", act.Note())
	case Reclaiming:
		p.throwAway(s.At, act.Reclaim)
		p.kubelet.Reclaimed(s.At, f.measure(p, s.At))
		return done
	case Evicting:
		r.Announce = announcement(act.Pod, Reason, act.Message)
		r.Evict = &memory.Removal{
			Pod: act.Pod, Grace: time.Duration(act.GraceSeconds) * time.Second, Reason: Reason, Message: act.Message,
		}
		if act.Threshold.Signal != "" {
			r.Evict.Mark = &v1.PodCondition{
				Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonTerminationByKubelet, Message: act.Message,
			}
		}
	default:
		return done
	}
	return append(done, r)
}

func announcement(of world.Ref, reason, note string) *world.Announce {
	return &world.Announce{Regarding: of, Type: v1.EventTypeWarning, Reason: reason, Note: note, Controller: "kubelet"}
}

// Conditions are a node's conditions as its kubelet reports them.
func (f *Fleet) Conditions(now time.Time, node *v1.Node) []v1.NodeCondition {
	p := f.posts[node.Name]
	if p == nil || p.kubelet == nil {
		return node.Status.Conditions
	}
	return Conditions(node.Status.Conditions, p.kubelet.conditions, now)
}

// Fork is a copy that goes its own way, and writes on a fork of the board.
func (f *Fleet) Fork() memory.Pressure {
	twin := *f
	twin.board = f.board.Fork()
	twin.options.Board, twin.uses, twin.wakes = twin.board, slices.Clone(f.uses), f.wakes.Clone()
	twin.posts = make(map[string]*post, len(f.posts))
	for name, p := range f.posts {
		other := *p
		other.pods = maps.Clone(p.pods)
		if p.kubelet != nil {
			other.kubelet = p.kubelet.Fork(twin.board)
		}
		twin.posts[name] = &other
	}
	return &twin
}
