package collect_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// quietCluster is a cluster in which pods come with their node and nothing is ever pending: after its first decision the scheduler
// takes no snapshot any more. It keeps what it told the engine.
type quietCluster struct {
	*testing.T
	rng     *rand.Rand
	e       *engine.Engine
	history *collect.History
	c       *collect.Collector
	nodes   map[string]*v1.Node
	pods    map[string]*v1.Pod
	count   int
	// before are the nodes of the snapshot, and touched those that changed, came or left since.
	before  map[string]bool
	touched map[string]bool
}

func newQuietCluster(t *testing.T, seed uint64) *quietCluster {
	t.Helper()
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	q := &quietCluster{
		T: t, rng: rand.New(rand.NewPCG(seed, 1)), e: e, history: collect.NewHistory(collect.HistoryOptions{}),
		nodes: map[string]*v1.Node{}, pods: map[string]*v1.Pod{}, touched: map[string]bool{},
	}
	q.c = collect.New(collect.Options{History: q.history})
	for range 12 {
		q.addNode()
	}
	for range 20 {
		q.addPod()
	}
	q.apply(world.Added, mk.Pod("first").Namespace("shop").CPU("100m").Obj())
	d, _ := q.e.Step()
	if d == nil || d.Verdict != engine.Placed {
		t.Fatalf("the first pod was not placed: %+v", d)
	}
	q.history.Stepped(d)
	for _, effect := range q.e.Effects() {
		if world.HasOutcome(effect.Action) {
			q.input(world.EffectDone{Effect: effect.ID})
		}
	}
	clear(q.touched)
	q.setPod(world.Modified, mk.Pod("first").Namespace("shop").CPU("100m").Node(d.Node).Obj())
	q.before = map[string]bool{}
	for name := range q.nodes {
		q.before[name] = true
	}
	return q
}

func (q *quietCluster) input(event world.Event) {
	in := world.Input{At: q.e.Now().Add(time.Second), Event: event}
	err := q.e.Apply(in)
	if q.history.Applied(in, err); err != nil {
		q.Fatal(err)
	}
}

func (q *quietCluster) apply(op world.Op, o world.Object) {
	q.input(world.Changed{Op: op, Object: o})
}

func (q *quietCluster) setPod(op world.Op, pod *v1.Pod) {
	q.pods[pod.Namespace+"/"+pod.Name] = pod
	q.apply(op, pod)
	q.touched[pod.Spec.NodeName] = true
}

func (q *quietCluster) addNode() string {
	q.count++
	node := mk.Node(fmt.Sprintf("n-%02d", q.count)).CPU("8").Memory("16Gi").Pods("40").Zone(fmt.Sprint("zone-", q.rng.IntN(3))).Obj()
	q.nodes[node.Name] = node
	q.apply(world.Added, node)
	q.touched[node.Name] = true
	return node.Name
}

func (q *quietCluster) addPod() string {
	q.count++
	node := "unknown" // on which a pod may be before the node is known, or after it is gone
	if q.rng.IntN(8) > 0 && len(q.nodes) > 0 {
		node = q.anyNode()
	}
	q.setPod(world.Added, mk.Pod(fmt.Sprintf("p-%03d", q.count)).Namespace("shop").CPU(fmt.Sprint(100*(1+q.rng.IntN(9)), "m")).Memory("64Mi").Node(node).Obj())
	return node
}

func (q *quietCluster) anyNode() string {
	return slices.Sorted(maps.Keys(q.nodes))[q.rng.IntN(len(q.nodes))]
}

// change changes the cluster at random, and returns the node that it was about.
func (q *quietCluster) change() string {
	switch q.rng.IntN(10) {
	case 0:
		return q.addNode()
	case 1, 2, 3:
		return q.addPod()
	case 4, 5, 6:
		if len(q.pods) == 0 {
			return q.addPod()
		}
		key := slices.Sorted(maps.Keys(q.pods))[q.rng.IntN(len(q.pods))]
		pod := q.pods[key]
		delete(q.pods, key)
		q.apply(world.Deleted, pod)
		q.touched[pod.Spec.NodeName] = true
		return pod.Spec.NodeName
	}
	if len(q.nodes) == 0 {
		return q.addNode()
	}
	name := q.anyNode()
	q.touched[name] = true
	node := q.nodes[name].DeepCopy()
	switch q.rng.IntN(6) {
	case 0:
		delete(q.nodes, name)
		q.apply(world.Deleted, node)
		return name
	case 1:
		node.Spec.Unschedulable = !node.Spec.Unschedulable
	case 2:
		node.Spec.Taints = append(node.Spec.Taints[:0:0], v1.Taint{Key: fmt.Sprint("t", q.rng.IntN(9)), Effect: v1.TaintEffectNoSchedule})
	case 3:
		node.Labels[v1.LabelTopologyZone] = fmt.Sprint("zone-", q.rng.IntN(3))
	default:
		kind := []v1.NodeConditionType{v1.NodeReady, v1.NodeMemoryPressure}[q.rng.IntN(2)]
		status := []v1.ConditionStatus{v1.ConditionTrue, v1.ConditionFalse}[q.rng.IntN(2)]
		node.Status.Conditions = append(slices.DeleteFunc(node.Status.Conditions, func(c v1.NodeCondition) bool { return c.Type == kind }),
			v1.NodeCondition{Type: kind, Status: status})
	}
	q.nodes[name] = node
	q.apply(world.Modified, node)
	return name
}

// nodeFacts are what a pane shows of a node.
type nodeFacts struct {
	Zone, Taints string
	Pods         int
	Share        int // of the cpu, in percent
	Flags        views.NodeFlags
}

const lasting = views.Cordoned | views.NotReady | views.Pressed

func factsOf(rows []views.NodeRow) map[string]nodeFacts {
	all := map[string]nodeFacts{}
	for _, r := range rows {
		all[r.Key] = nodeFacts{r.Zone, r.Taints, r.PodCount, percent(r.CPU.Fraction), r.Flags & lasting}
	}
	return all
}

func percent(share float64) int { return int(100*share + 0.5) }

// truth is the same of the cluster.
func (q *quietCluster) truth() map[string]nodeFacts {
	all := map[string]nodeFacts{}
	for name, node := range q.nodes {
		f := nodeFacts{Zone: node.Labels[v1.LabelTopologyZone]}
		for _, t := range node.Spec.Taints {
			f.Taints = t.ToString()
		}
		if node.Spec.Unschedulable {
			f.Flags |= views.Cordoned
		}
		for _, c := range node.Status.Conditions {
			switch {
			case c.Type == v1.NodeReady && c.Status != v1.ConditionTrue:
				f.Flags |= views.NotReady
			case c.Type == v1.NodeMemoryPressure && c.Status == v1.ConditionTrue:
				f.Flags |= views.Pressed
			}
		}
		all[name] = f
	}
	milli := map[string]int64{}
	for _, pod := range q.pods {
		on := pod.Spec.NodeName
		if f, ok := all[on]; ok {
			milli[on] += pod.Spec.Containers[0].Resources.Requests.Cpu().MilliValue()
			f.Pods, f.Share = f.Pods+1, percent(float64(milli[on])/8000)
			all[on] = f
		}
	}
	return all
}

func (q *quietCluster) same(what string, want, got any) {
	q.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		q.Errorf("%s (-cluster +screen):\n%s", what, diff)
	}
}

// check compares every pane that shows nodes or pods with the cluster. A node is the one that changed last.
func (q *quietCluster) check(changed string) {
	q.Helper()
	truth := q.truth()
	model := func(pane views.PaneID, node string) *views.Model {
		return q.c.Model(q.e, collect.Query{Open: pane, Rows: 500, Columns: 200, Node: node})
	}
	overview := model(views.Overview, "")
	h := overview.Header.Health
	notReady, pressed, troubled := 0, 0, map[string]nodeFacts{}
	for name, f := range truth {
		if f.Flags != 0 {
			troubled[name] = f
		}
		notReady += int(f.Flags & views.NotReady / views.NotReady)
		pressed += int(f.Flags & views.Pressed / views.Pressed)
	}
	q.same("the health", [3]int{len(truth), notReady, pressed}, [3]int{h.Nodes, h.NotReady, h.Pressed})
	if len(troubled) <= 16 {
		q.same("the nodes in trouble", troubled, factsOf(overview.Snapshot.Troubled))
	}
	for name, f := range factsOf(overview.Snapshot.Recent) {
		q.same("the overview's "+name, truth[name], f)
	}
	if _, is := truth[changed]; is {
		q.same("the node that changed last", changed, overview.Snapshot.Recent[0].Key)
	}
	nodes, _ := model(views.NodesPane, "").List.(*views.List[views.NodeRow])
	q.same(":nodes", truth, factsOf(nodes.Rows))
	q.checkOrrery(model(views.OrreryPane, "").Orrery, truth)
	pods, _ := model(views.PodsPane, "").List.(*views.List[views.ClusterPod])
	shown, known := map[string]string{}, map[string]string{}
	for _, p := range pods.Rows {
		shown[p.Key] = p.NodeKey
	}
	for key, pod := range q.pods {
		known[key] = pod.Spec.NodeName
	}
	q.same(":pods", known, shown)
	for _, name := range []string{changed, "n-01", "n-05"} {
		q.checkNode(name, truth, model(views.NodePane, name).Node, model(views.PressurePane, name).Pressure)
	}
}

func (q *quietCluster) checkOrrery(v *views.Orrery, truth map[string]nodeFacts) {
	q.Helper()
	q.same("the orrery's rows", truth, factsOf(v.Nodes.Rows))
	q.same("the orrery's bodies", len(truth), len(v.Bodies))
	for i, b := range v.Bodies {
		row := v.Nodes.Rows[i]
		q.same("the body of "+row.Key, truth[row.Key].Flags, b.Flags)
		q.same("the zone of "+row.Key, truth[row.Key].Zone, v.Zones[v.Order.Of[i]])
		if want := int(255 * min(max(row.CPU.Fraction, row.Memory.Fraction), 1)); int(b.Level) != want {
			q.Errorf("%s is allocated to %d in the picture, and to %d in its row", row.Key, b.Level, want)
		}
	}
	if len(truth) > 0 && v.Start >= len(v.Bodies) {
		q.Errorf("the next search starts at %d of %d", v.Start, len(v.Bodies))
	}
}

func (q *quietCluster) checkNode(name string, truth map[string]nodeFacts, node *views.NodeDetail, pressure *views.Pressure) {
	q.Helper()
	f, is := truth[name]
	if (node != nil) != is || (pressure != nil) != is {
		q.Errorf("%s: in the cluster %v, with a node page %v and a pressure page %v", name, is, node != nil, pressure != nil)
		return
	}
	if !is {
		return
	}
	q.same("the page of "+name, f, factsOf([]views.NodeRow{node.Row})[name])
	var shown, ranked, known []string
	for _, p := range node.Pods.Rows {
		shown = append(shown, p.Key)
	}
	for _, p := range pressure.Pods.Rows {
		ranked = append(ranked, p.Key)
	}
	for key, pod := range q.pods {
		if pod.Spec.NodeName == name {
			known = append(known, key)
		}
	}
	slices.Sort(shown)
	slices.Sort(ranked)
	slices.Sort(known)
	q.same("the pods on "+name, known, shown)
	q.same("the pods in eviction order on "+name, known, ranked)
	if under := len(pressure.Conditions) > 0; under != (f.Flags&views.Pressed != 0) {
		q.Errorf("%s is under pressure: %v in its pane, %v in the cluster", name, under, !under)
	}
}

// TestModel_ShowsTheClusterOfNow changes a quiet cluster at random: without a decision, too, every pane shows what is there.
func TestModel_ShowsTheClusterOfNow(t *testing.T) {
	for seed := range uint64(3) {
		q := newQuietCluster(t, seed)
		for i := range 200 {
			changed := q.change()
			q.check(changed)
			if t.Failed() {
				t.Fatalf("that was seed %d after %d changes, the last of %s", seed, i+1, changed)
			}
		}
	}
}

// TestSnapshot_SaysHowFarItIsBehind counts the nodes that changed since the snapshot, which stays as it was.
func TestSnapshot_SaysHowFarItIsBehind(t *testing.T) {
	q := newQuietCluster(t, 7)
	snapshot := func() *views.Model {
		return q.c.Model(q.e, collect.Query{Open: views.SnapshotPane, Rows: 500, Columns: 200})
	}
	believed := factsOf(snapshot().Snapshot.List.Rows)
	for i := range 200 {
		q.change()
		behind := 0
		for name := range q.touched {
			if _, is := q.nodes[name]; is || q.before[name] {
				behind++
			}
		}
		m := snapshot()
		q.same("the snapshot", believed, factsOf(m.Snapshot.List.Rows))
		q.same("the nodes that changed since", behind, m.Snapshot.Behind)
		if behind < 2 {
			continue
		}
		canvas := draw.New(120, 30)
		views.Screen(canvas, m, &views.State{Open: views.SnapshotPane}, draw.Braille, q.e.Now())
		age := q.e.Now().Sub(m.Snapshot.Taken)
		want := fmt.Sprintf("≥ %d nodes changed since this snapshot, %s ago: it is renewed with the next pod", behind, draw.AppendAge(nil, age))
		if screen := canvas.Plain(); !strings.Contains(screen, want) || strings.Contains(screen, "no drift") {
			t.Errorf("the screen does not say %q:\n%s", want, screen)
		}
		zones := q.c.Model(q.e, collect.Query{Open: views.ZonesPane, Rows: 500, Columns: 200})
		canvas = draw.New(120, 30)
		views.Screen(canvas, zones, &views.State{Open: views.ZonesPane}, draw.Braille, q.e.Now())
		if want, _, _ = strings.Cut(want, ":"); !strings.Contains(canvas.Plain(), want) {
			t.Errorf("the zones do not say %q:\n%s", want, canvas.Plain())
		}
		if t.Failed() {
			t.Fatalf("that was after %d changes", i+1)
		}
	}
}
