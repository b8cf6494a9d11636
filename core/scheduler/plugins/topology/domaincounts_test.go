package topology

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/reuse"
	"orrery/core/testing/mk"
)

// colourRules give pods with the colour a weight of 1 on axis 0. A pod's term, kept in a label here, has a weight of 10 on the
// axis of its first letter, which is added for the first such term.
type colourRules struct {
	colour string
	terms  map[string]int
}

func (f *colourRules) WeighLabels(t *DomainCounts, pod fwk.PodInfo) {
	if pod.GetPod().Labels["colour"] == f.colour {
		t.AddWeight(0, 1)
	}
}

func (f *colourRules) WeighTerms(t *DomainCounts, pod fwk.PodInfo) {
	term := pod.GetPod().Labels["term"][:1]
	if _, exists := f.terms[term]; !exists {
		f.terms[term] = t.Axis("zone", PerValue)
	}
	t.AddWeight(f.terms[term], 10)
}

func (f *colourRules) Includes(axis int, node *v1.Node) bool {
	return axis > 0 || node.Labels["closed"] == ""
}

var testClassifier = Classifier{
	Labels: func(pod fwk.PodInfo, to reuse.Signature) reuse.Signature { return to.Pairs(pod.GetPod().Labels) },
	Terms: func(pod fwk.PodInfo, to reuse.Signature) (reuse.Signature, bool) {
		term, has := pod.GetPod().Labels["term"]
		return to.Text(term), has
	},
	Keys: func(pod fwk.PodInfo) []string { return []string{"key-" + pod.GetPod().Labels["term"]} },
}

// count returns the sums of a DomainCounts, by axis name and zone.
func count(t *DomainCounts, f *colourRules, zones []string) map[string]int64 {
	t.Refresh()
	axes := map[string]int{"colour": 0}
	for term, axis := range f.terms {
		axes["term "+term] = axis
	}
	sums := map[string]int64{}
	for name, axis := range axes {
		counts := t.View(axis)
		for _, zone := range zones {
			if n := counts.Sum(counts.DomainOfValue(zone)); n != 0 {
				sums[name+" in "+zone] = n
			}
		}
	}
	return sums
}

// counted returns the sums counted from scratch.
func counted(nodes []*v1.Node, pods []*v1.Pod, colour string) map[string]int64 {
	sums := map[string]int64{}
	for _, node := range nodes {
		zone, has := node.Labels["zone"]
		for _, pod := range pods {
			if !has || pod.Spec.NodeName != node.Name {
				continue
			}
			if pod.Labels["colour"] == colour && node.Labels["closed"] == "" {
				sums["colour in "+zone]++
			}
			if term, hasTerm := pod.Labels["term"]; hasTerm {
				sums["term "+term+" in "+zone] += 10
			}
		}
	}
	return sums
}

var zones = []string{"a", "b", "c", "d", ""}

// Counts that are refreshed after every step, at random, and only at the end all equal a count from scratch.
func TestDomainCounts_AgreeWithModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		var changes fwk.NodeInfoLister
		if rapid.Bool().Draw(t, "the snapshot says what changed") {
			changes = w.snapshot
		}
		index := NewPodIndex(testClassifier, changes)
		var all []*DomainCounts
		var rules []*colourRules
		for i := range 3 {
			f := &colourRules{colour: "red", terms: map[string]int{}}
			rules = append(rules, f)
			var o Options
			if i > 0 {
				o.Labels = []Label{{"colour", "red"}}
			}
			counts := NewDomainCounts(index, f, o)
			counts.Axis("zone", PerValue)
			all = append(all, counts)
		}
		check := func(i int) {
			if diff := gocmp.Diff(counted(w.nodes, w.pods, "red"), count(all[i], rules[i], zones)); diff != "" {
				t.Fatalf("counts %d (-want +got):\n%s", i, diff)
			}
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			for range rapid.IntRange(0, 5).Draw(t, "changes") {
				w.change(t)
			}
			w.refresh(t)
			nodes, _ := w.snapshot.List()
			index.Sync(nodes)
			check(0)
			if rapid.IntRange(0, 4).Draw(t, "now") == 0 {
				check(1)
			}
		}
		check(2)
		check(1)
	})
}

type world struct {
	cache    *cache.Cache
	snapshot *cache.Snapshot
	nodes    []*v1.Node
	pods     []*v1.Pod
	made     int
}

func newWorld() *world { return &world{cache: cache.New(), snapshot: cache.NewSnapshot()} }

func (w *world) refresh(t *rapid.T) {
	if err := w.cache.UpdateSnapshot(w.snapshot); err != nil {
		t.Fatal(err)
	}
}

func (w *world) change(t *rapid.T) {
	w.made++
	which := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "which") }
	switch action := rapid.IntRange(0, 7).Draw(t, "change"); {
	case len(w.nodes) == 0 || action == 0:
		w.nodes = append(w.nodes, someNode(t, fmt.Sprint("n", w.made)))
		w.cache.AddNode(w.nodes[len(w.nodes)-1])
	case action == 1:
		i := which(len(w.nodes))
		w.nodes[i] = someNode(t, w.nodes[i].Name)
		w.cache.UpdateNode(w.nodes[i])
	case action == 2:
		i := which(len(w.nodes))
		if err := w.cache.RemoveNode(w.nodes[i]); err != nil {
			t.Fatal(err)
		}
		w.nodes = slices.Delete(w.nodes, i, i+1)
	case action == 3 && len(w.pods) > 0:
		i := which(len(w.pods))
		if err := w.cache.RemovePod(w.pods[i]); err != nil {
			t.Fatal(err)
		}
		w.pods = slices.Delete(w.pods, i, i+1)
	default:
		b := mk.Pod(fmt.Sprint("p", w.made)).Node(w.nodes[which(len(w.nodes))].Name).
			Label("colour", rapid.SampledFrom([]string{"red", "blue"}).Draw(t, "colour"))
		if rapid.IntRange(0, 2).Draw(t, "terms") == 0 {
			b.Label("term", rapid.SampledFrom([]string{"x", "y"}).Draw(t, "term"))
		}
		w.pods = append(w.pods, b.Obj())
		if err := w.cache.AddPod(b.Obj()); err != nil {
			t.Fatal(err)
		}
	}
}

func someNode(t *rapid.T, name string) *v1.Node {
	b := mk.Node(name)
	if rapid.IntRange(0, 4).Draw(t, "zoned") > 0 {
		b.Label("zone", rapid.SampledFrom(zones).Draw(t, "zone"))
	}
	if rapid.IntRange(0, 4).Draw(t, "closed") == 0 {
		b.Label("closed", "yes")
	}
	return b.Obj()
}

func someZoned(name, zone string) *v1.Node { return mk.Node(name).Label("zone", zone).Obj() }

func snapshotOf(pods []*v1.Pod, nodes ...*v1.Node) []fwk.NodeInfo {
	list, _ := cache.SnapshotOf(pods, nodes).List()
	return list
}

func redCounts(r *PodIndex) (*DomainCounts, *colourRules) {
	f := &colourRules{colour: "red", terms: map[string]int{}}
	t := NewDomainCounts(r, f, Options{})
	t.Axis("zone", PerValue)
	return t, f
}

func redPod(i int, node string) *v1.Pod {
	return mk.Pod(fmt.Sprint("p", i)).Label("colour", "red").Label("number", fmt.Sprint(i)).Node(node).Obj()
}

func TestAxisView_DoesNotChange(t *testing.T) {
	r := NewPodIndex(testClassifier, nil)
	node := mk.Node("n").Label("zone", "a").Obj()
	r.Sync(snapshotOf([]*v1.Pod{redPod(1, "n")}, node))
	counts, _ := redCounts(r)
	counts.Refresh()
	before := counts.View(0)
	r.Sync(snapshotOf([]*v1.Pod{redPod(1, "n"), redPod(2, "n")}, node))
	counts.Refresh()
	after := counts.View(0)
	if before.Sum(0) != 1 || after.Sum(0) != 2 {
		t.Errorf("before %d, after %d, want 1 and 2", before.Sum(0), after.Sum(0))
	}
}

// New snapshots start with the same generations; the addresses of their NodeInfos distinguish them.
func TestPodIndex_ReadsAnotherSnapshot(t *testing.T) {
	r := NewPodIndex(testClassifier, nil)
	node := mk.Node("n").Label("zone", "a").Obj()
	counts, f := redCounts(r)
	for _, n := range []int{3, 1, 2} {
		pods := []*v1.Pod{mk.Pod("filler").Node("n").Obj(), mk.Pod("filler2").Node("n").Obj(), mk.Pod("filler3").Node("n").Obj()}
		for i := range n {
			pods[i] = redPod(i, "n")
		}
		r.Sync(snapshotOf(pods, node))
		if got := count(counts, f, zones)["colour in a"]; got != int64(n) {
			t.Errorf("%d counted, want %d", got, n)
		}
	}
}

func TestPodIndex_RereadsDetachedNodeInfos(t *testing.T) {
	r := NewPodIndex(testClassifier, nil)
	info := cache.NewNodeInfo()
	info.SetNode(mk.Node("n").Label("zone", "a").Obj())
	counts, f := redCounts(r)
	for i := range 3 {
		pod, _ := cache.NewPodInfo(redPod(i, "n"))
		info.AddPodInfo(pod)
		r.Sync([]fwk.NodeInfo{info})
		if got := count(counts, f, zones)["colour in a"]; got != int64(i+1) {
			t.Errorf("%d counted, want %d", got, i+1)
		}
		if slot := r.SlotOf(info.Node()); slot == NoSlot || r.IsCurrent(slot, info) {
			t.Errorf("slot %d of a detached NodeInfo, which may change without a new generation, is reported current", slot)
		}
	}
}

func TestPodIndex_MemoryIsBounded(t *testing.T) {
	c, snapshot := cache.New(), cache.NewSnapshot()
	r := NewPodIndex(testClassifier, nil)
	counts, f := redCounts(r)
	node := func(i int) *v1.Node { return mk.Node("n").Label("zone", fmt.Sprint("z", i)).Obj() }
	c.AddNode(node(0))
	for i := range 5000 {
		pod := redPod(i, "n")
		pod.Labels["term"] = fmt.Sprint(i)
		if err := c.AddPod(pod); err != nil {
			t.Fatal(err)
		}
		c.UpdateNode(node(i))
		if err := c.UpdateSnapshot(snapshot); err != nil {
			t.Fatal(err)
		}
		nodes, _ := snapshot.List()
		r.Sync(nodes)
		if got := count(counts, f, []string{fmt.Sprint("z", i)})[fmt.Sprint("colour in z", i)]; got != 1 {
			t.Fatalf("step %d: %d counted, want 1", i, got)
		}
		if err := c.RemovePod(pod); err != nil {
			t.Fatal(err)
		}
	}
	for what, size := range map[string]int{
		"label classes": len(r.labelClasses.all), "term classes": len(r.termClasses.all), "keys in use": len(r.keyUses),
		"values": len(r.keys[0].values), "log": r.log.Len(),
	} {
		if size > 2100 {
			t.Errorf("%d %s are kept after 5,000 pods, of which at most one existed at a time", size, what)
		}
	}
	counts.Close()
}

func TestPodIndex_ReleasesKeysWithLastUser(t *testing.T) {
	r := NewPodIndex(testClassifier, nil)
	one, _ := redCounts(r)
	two, _ := redCounts(r)
	one.Close()
	if len(r.keys) != 1 {
		t.Errorf("%d keys, want the one still in use", len(r.keys))
	}
	two.Close()
	if len(r.keys) != 0 {
		t.Errorf("%d keys are left, want 0: all counts are closed", len(r.keys))
	}
}

func TestCoveringLabels(t *testing.T) {
	for written, want := range map[string]struct {
		list []Label
		ok   bool
	}{
		"app=web":              {[]Label{{"app", "web"}}, true},
		"tier,app in (a,b)":    {[]Label{{"app", "a"}, {"app", "b"}}, true},
		"app!=web":             {nil, false},
		"app notin (a),tier":   {nil, false},
		"":                     {nil, false},
		"app notin (a),tier=x": {[]Label{{"tier", "x"}}, true},
	} {
		selector, err := labels.Parse(written)
		if err != nil {
			t.Fatal(err)
		}
		list, ok := CoveringLabels(nil, selector)
		slices.SortFunc(list, func(a, b Label) int { return cmp.Compare(a.Value, b.Value) })
		if diff := gocmp.Diff(want.list, list); diff != "" || ok != want.ok {
			t.Errorf("%q: ok is %v; labels (-want +got):\n%s", written, ok, diff)
		}
	}
	if list, ok := CoveringLabels(nil, labels.Nothing()); len(list) > 0 || !ok {
		t.Errorf("a selector that matches no pod is covered by %v (ok: %v), want no labels", list, ok)
	}
}
