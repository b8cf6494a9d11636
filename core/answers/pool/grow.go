package pool

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"

	"orrery/core/answers/capacity"
	"orrery/core/answers/change"
	"orrery/core/answers/price"
	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Growth is the nodes that pools would make for the pods of an engine that wait.
type Growth struct {
	Added []Addition
	// Refusals say of pods that no pool makes a node for, by what they are refused for.
	Refusals []Refusal
}

// Addition is some nodes of a pool that are alike.
type Addition struct {
	Pool   *Pool
	Shape  string
	Change change.Change
	// Price is that of all of them; Priced says that it is known.
	Price  float64
	Priced bool
}

// Refusal is why no pool takes some pods.
type Refusal struct {
	// All are the pods that are refused for the same.
	All []world.PodRef
	// ByPool is what contradicts, of each pool in its order.
	ByPool []PoolVerdict
}

const (
	// maxGrown bounds the nodes that are added.
	//
	//orrery:limit answers; nodes that pools add in an answer; the pods beyond that keep waiting
	maxGrown = 1000
	// maxTried bounds the machines of a pool that are tried for one pod.
	//
	//orrery:limit answers; sizes and zones of a node pool that are tried for a pod; the pool is said not to take it
	maxTried = 16
)

// Grow finds the nodes that pools would make for the pods that wait. The engine is only read.
func Grow(e *engine.Engine, pools []*Pool, prices *price.Prices) (*Growth, error) {
	trial, err := e.Trial()
	if err != nil {
		return nil, err
	}
	g := &growing{prices: prices, pools: pools, trial: trial, used: map[*Pool]*usage{}, refused: map[string]int{}}
	for _, p := range pools {
		g.used[p] = usageOf(e, p)
	}
	g.waiting = Waiting(e)
	for len(g.waiting) > 0 {
		pod := g.waiting[0]
		if to := trialPlace(g.trial, pod, g.last); to == "" {
			if err := g.makeNodeFor(pod); err != nil {
				return nil, err
			}
		}
		g.waiting = g.waiting[1:]
	}
	return &g.growth, nil
}

// Waiting are the pods that have no node and that a node could help, by cpu and memory, the largest first, and of these the oldest.
func Waiting(e *engine.Engine) []*v1.Pod {
	waits := []engine.PodState{engine.StateUnschedulable}
	if e.Cache().NodeCount() == 0 { // a pod is not found unschedulable then, but tried again and again
		waits = append(waits, engine.StateBackoff, engine.StateActive)
	}
	var all []*v1.Pod
	for o := range e.Store().Objects(world.Pod) {
		pod := o.(*v1.Pod)
		if pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil && len(pod.Spec.SchedulingGates) == 0 &&
			slices.Contains(waits, e.PodState(pod.Namespace, pod.Name)) {
			all = append(all, pod)
		}
	}
	type size struct{ cpu, memory int64 }
	sizes := map[*v1.Pod]size{}
	for _, pod := range all {
		needs := requests.Of(pod, resource.PodResourcesOptions{})
		sizes[pod] = size{requests.AmountOf(needs, v1.ResourceCPU), requests.AmountOf(needs, v1.ResourceMemory)}
	}
	slices.SortFunc(all, func(a, b *v1.Pod) int {
		return cmp.Or(cmp.Compare(sizes[b].cpu, sizes[a].cpu), cmp.Compare(sizes[b].memory, sizes[a].memory),
			a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.UID, b.UID))
	})
	return all
}

// growing is a growth in the making.
type growing struct {
	prices  *price.Prices
	pools   []*Pool
	used    map[*Pool]*usage
	trial   *engine.Trial
	waiting []*v1.Pod // the pod that is at its turn, and those after it
	last    string    // the node that was made last
	made    int
	growth  Growth
	refused map[string]int // the index of a refusal by what it says
}

// makeNodeFor makes a node of the first pool that takes a pod, or tells why none does.
func (g *growing) makeNodeFor(pod *v1.Pod) error {
	var verdicts []PoolVerdict
	for _, p := range inTurn(g.pools, pod) {
		m, why, err := g.machineOf(p, pod)
		switch {
		case err != nil:
			return err
		case m != nil:
			return g.add(m)
		}
		verdicts = append(verdicts, PoolVerdict{p, why})
	}
	g.refuse(pod, verdicts)
	return nil
}

// inTurn are the pools as they are tried for a pod: those whose taints rather keep it away come after the others, as with Karpenter.
func inTurn(pools []*Pool, pod *v1.Pod) []*Pool {
	var last []*Pool
	return append(slices.DeleteFunc(slices.Clone(pools), func(p *Pool) bool {
		_, rather := corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), p.Taints, pod.Spec.Tolerations, ratherKeepsAway, true)
		if rather {
			last = append(last, p)
		}
		return rather
	}), last...)
}

func ratherKeepsAway(t *v1.Taint) bool { return t.Effect == v1.TaintEffectPreferNoSchedule }

// machineOf finds the node of a pool that a pod gets, and keeps the trial with it; without one, it says why.
func (g *growing) machineOf(p *Pool, pod *v1.Pod) (*machine, string, error) {
	if why := p.Contradiction(pod); why != "" {
		return nil, why, nil
	}
	if len(p.Shapes) == 0 {
		return nil, "nothing contradicts, but how large its nodes are is not known", nil
	}
	all := p.machinesFor(pod)
	if len(all) == 0 {
		return nil, "no size of machine that is known meets all that the pod requires together", nil
	}
	if g.made >= maxGrown {
		return nil, fmt.Sprintf("%d nodes were added, and no more are tried", maxGrown), nil
	}
	rank(all, g.waiting, g.prices)
	why := ""
	for i, m := range all {
		if i == maxTried {
			break
		}
		if beyond := g.used[p].beyond(m.node); beyond != "" {
			why = cmp.Or(why, beyond)
			continue
		}
		m.node.Name = g.freeName()
		m.node.Labels[v1.LabelHostname] = m.node.Name
		grown, rejection, err := g.tryOn(m.node, pod)
		if err != nil {
			return nil, "", err
		}
		if grown != nil {
			g.trial = grown
			return m, "", nil
		}
		why = cmp.Or(why, rejection)
	}
	return nil, why, nil
}

// freeName is the name of a new node in the trial.
func (g *growing) freeName() string {
	for i := g.made + 1; ; i++ {
		if name := fmt.Sprintf("pool-node-%d", i); g.trial.Engine().Store().Node(name) == nil {
			return name
		}
	}
}

// tryOn has a pod placed on a new node beside the pods of its daemon sets; without a trial, it says what rejects the pod there.
func (g *growing) tryOn(node *v1.Node, pod *v1.Pod) (*engine.Trial, string, error) {
	trial, err := g.trial.Engine().Trial(world.Changed{Op: world.Added, Object: node})
	if err != nil {
		return nil, "", err
	}
	for o := range trial.Engine().Store().Objects(world.DaemonSet) {
		if daemon := daemonOn(trial.Engine(), o.(*appsv1.DaemonSet), node); daemon != nil {
			trial.Place(daemon, node.Name)
		}
	}
	if to := trialPlace(trial, pod, node.Name); to == node.Name {
		return trial, "", nil
	}
	return nil, "a new node does not take the pod beside the pods of its daemon sets, or by affinity, spread or volumes", nil
}

// trialPlace places a pod as if it had just come.
func trialPlace(trial *engine.Trial, pod *v1.Pod, likely string) string {
	free := *pod
	free.Spec.NodeName = ""
	return trial.Place(&free, likely)
}

func (g *growing) add(m *machine) error {
	g.made++
	g.last = m.node.Name
	g.used[m.pool].take(m.node)
	c, err := change.ShapeOf(m.node, 1)
	if err != nil {
		return fmt.Errorf("adding a node of pool %s: %w", m.pool.Title(), err)
	}
	added := Addition{Pool: m.pool, Shape: m.title(), Change: c, Price: m.price, Priced: m.priced}
	for i := range g.growth.Added {
		had := &g.growth.Added[i]
		if had.Pool == m.pool && sameShape(had.Change, c) {
			had.Change.Count++
			had.Price += m.price
			return nil
		}
	}
	g.growth.Added = append(g.growth.Added, added)
	return nil
}

// sameShape reports whether two changes add nodes that are alike.
func sameShape(a, b change.Change) bool {
	return a.Traits == b.Traits && slices.Equal(a.Requests, b.Requests)
}

// refuse notes that no pool takes a pod.
func (g *growing) refuse(pod *v1.Pod, verdicts []PoolVerdict) {
	key := ""
	for _, v := range verdicts {
		key += v.Why + "\n"
	}
	if i, same := g.refused[key]; same {
		g.growth.Refusals[i].All = append(g.growth.Refusals[i].All, world.PodRefOf(pod))
		return
	}
	g.refused[key] = len(g.growth.Refusals)
	g.growth.Refusals = append(g.growth.Refusals, Refusal{All: []world.PodRef{world.PodRefOf(pod)}, ByPool: verdicts})
}

// usage is what the nodes of a pool have together.
type usage struct {
	pool  *Pool
	nodes int
	has   map[v1.ResourceName]int64
}

func usageOf(e *engine.Engine, p *Pool) *usage {
	u := &usage{pool: p, has: map[v1.ResourceName]int64{}}
	for info := range capacity.Nodes(e) {
		if p.Of(info.Node()) {
			u.take(info.Node())
		}
	}
	return u
}

func (u *usage) take(node *v1.Node) {
	u.nodes++
	for name := range u.pool.Limits {
		u.has[name] = saturating.Add(u.has[name], sizeOf(node, name))
	}
}

// sizeOf is how much of a resource a node has, as limits count it: of its capacity.
func sizeOf(node *v1.Node, name v1.ResourceName) int64 {
	if name == "nodes" {
		return 1
	}
	return max(requests.AmountOf(node.Status.Capacity, name), requests.AmountOf(node.Status.Allocatable, name))
}

// beyond says which limit one more node would pass; empty if none.
func (u *usage) beyond(node *v1.Node) string {
	if u.pool.Max > 0 && u.nodes >= u.pool.Max {
		return fmt.Sprintf("it has %d nodes of at most %d", u.nodes, u.pool.Max)
	}
	for _, name := range slices.Sorted(maps.Keys(u.pool.Limits)) {
		most := requests.AmountOf(u.pool.Limits, name)
		if size := sizeOf(node, name); saturating.Add(u.has[name], size) > most {
			return fmt.Sprintf("its limit of %s %s would be passed: it has %s, and a node has %s", requests.Format(name, most), name,
				requests.Format(name, u.has[name]), requests.Format(name, size))
		}
	}
	return ""
}
