package cache

import (
	"fmt"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"orrery/core/testing/mk"
)

// model is a slow, simple cache: pods in a map, nodes in a list, everything else computed on demand.
type model struct {
	pods    map[types.UID]*v1.Pod
	assumed map[types.UID]bool
	nodes   []*v1.Node // in order of arrival in their zone
	zones   []string   // in order of first arrival
}

func newModel() *model {
	return &model{pods: map[types.UID]*v1.Pod{}, assumed: map[types.UID]bool{}}
}

func (m *model) clone() *model {
	copied := newModel()
	for uid, pod := range m.pods {
		copied.pods[uid] = pod
	}
	for uid := range m.assumed {
		copied.assumed[uid] = true
	}
	copied.nodes, copied.zones = slices.Clone(m.nodes), slices.Clone(m.zones)
	return copied
}

func (m *model) putNode(node *v1.Node) {
	at := m.find(node.Name)
	switch {
	case at >= 0 && zoneKey(m.nodes[at]) == zoneKey(node):
		m.nodes[at] = node
		return
	case at >= 0:
		m.dropNode(at)
	}
	m.nodes = append(m.nodes, node)
	if !slices.Contains(m.zones, zoneKey(node)) {
		m.zones = append(m.zones, zoneKey(node))
	}
}

func (m *model) find(name string) int {
	return slices.IndexFunc(m.nodes, func(n *v1.Node) bool { return n.Name == name })
}

func (m *model) dropNode(at int) {
	key := zoneKey(m.nodes[at])
	m.nodes = slices.Delete(m.nodes, at, at+1)
	if !slices.ContainsFunc(m.nodes, func(n *v1.Node) bool { return zoneKey(n) == key }) {
		m.zones = slices.DeleteFunc(m.zones, func(z string) bool { return z == key })
	}
}

func (m *model) order() []string {
	names := []string{}
	for i := 0; len(names) < len(m.nodes); i++ {
		for _, zone := range m.zones {
			inZone := slices.DeleteFunc(slices.Clone(m.nodes), func(n *v1.Node) bool { return zoneKey(n) != zone })
			if i < len(inZone) {
				names = append(names, inZone[i].Name)
			}
		}
	}
	return names
}

// podsOn are the UIDs on a node, sorted.
func (m *model) podsOn(node string) []string {
	uids := []string{}
	for uid, pod := range m.pods {
		if pod.Spec.NodeName == node {
			uids = append(uids, string(uid))
		}
	}
	slices.Sort(uids)
	return uids
}

var (
	someNodes = []string{"n1", "n2", "n3", "n4", "n5"}
	someZones = []string{"", "a", "b", "c"}
)

func anyNode(t *rapid.T) *v1.Node {
	b := mk.Node(rapid.SampledFrom(someNodes).Draw(t, "node")).CPU(rapid.SampledFrom([]string{"1", "2"}).Draw(t, "cpu"))
	if zone := rapid.SampledFrom(someZones).Draw(t, "zone"); zone != "" {
		b.Zone(zone)
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "images") {
		b.Image(int64(rapid.IntRange(1, 2).Draw(t, "size")), rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "image"), fmt.Sprint("tag", i))
	}
	return b.Obj()
}

func anyPod(t *rapid.T) *v1.Pod {
	b := mk.Pod(fmt.Sprint("p", rapid.IntRange(0, 9).Draw(t, "pod"))).Node(rapid.SampledFrom(someNodes).Draw(t, "on"))
	if rapid.Bool().Draw(t, "asks") {
		b.CPU("100m").Request("example.com/gpu", "1")
	}
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		b.PVC(rapid.SampledFrom([]string{"v", "w"}).Draw(t, "claim"))
	case 1:
		b.HostPort(int32(rapid.IntRange(80, 82).Draw(t, "port")))
	case 2:
		b.Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{}})
	case 3:
		b.Affinity(&v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{TopologyKey: "zone"}},
		}})
	}
	return b.Obj()
}

// applyRandom does one random thing to the cache and, if the cache should take it, to the model.
func applyRandom(t *rapid.T, c *Cache, m *model) {
	pod := anyPod(t)
	cached, known := m.pods[pod.UID]
	assumed := m.assumed[pod.UID]
	var err error
	ok := true
	switch op := rapid.IntRange(0, 9).Draw(t, "op"); op {
	case 0:
		var copied *v1.Pod
		copied, err = c.AssumePod(pod, pod.Spec.NodeName)
		if ok = !known; ok {
			m.pods[pod.UID], m.assumed[pod.UID] = copied, true
		}
	case 1, 2:
		err, ok = c.AddPod(pod), !known || assumed
		if ok {
			m.pods[pod.UID] = pod
			delete(m.assumed, pod.UID)
		}
	case 3:
		err, ok = c.ForgetPod(pod), !known || (assumed && cached.Spec.NodeName == pod.Spec.NodeName)
		if ok {
			delete(m.pods, pod.UID)
			delete(m.assumed, pod.UID)
		}
	case 4:
		err, ok = c.UpdatePod(pod, pod), known && !assumed && cached.Spec.NodeName == pod.Spec.NodeName
		if ok {
			m.pods[pod.UID] = pod
		}
	case 5, 6:
		err, ok = c.RemovePod(pod), known && cached.Spec.NodeName == pod.Spec.NodeName
		if ok {
			delete(m.pods, pod.UID)
			delete(m.assumed, pod.UID)
		}
	case 7, 8:
		node := anyNode(t)
		if op == 7 {
			c.AddNode(node)
		} else {
			c.UpdateNode(node)
		}
		m.putNode(node)
	case 9:
		node := anyNode(t)
		at := m.find(node.Name)
		if err, ok = c.RemoveNode(node), at >= 0; ok {
			m.dropNode(at)
		}
	}
	if (err == nil) != ok {
		t.Fatalf("the cache said %v, the model thinks it should be fine: %v", err, ok)
	}
}

// checkAgainstModel compares the cache and a snapshot of it with the model.
func checkAgainstModel(t *rapid.T, c *Cache, s *Snapshot, m *model) {
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	same(t, "order of the cache's nodes", m.order(), slices.AppendSeq([]string{}, c.NodeOrder()))
	if err := c.UpdateSnapshot(s); err != nil {
		t.Fatal(err)
	}
	same(t, "order of nodes", m.order(), nodeNames(s.List()))
	same(t, "version of the order", c.OrderVersion(), s.OrderVersion())
	for _, name := range someNodes {
		info, err := s.Get(name)
		if now := c.Node(name); (now == nil) != (err != nil) || now != nil && (now.Node() != info.Node() || now.GetGeneration() != info.GetGeneration()) {
			t.Fatalf("%s is %v in the cache and %v in a snapshot of it", name, now, info)
		}
	}
	same(t, "number of pods", len(m.pods), c.PodCount())
	same(t, "number of assumed pods", len(m.assumed), c.AssumedCount())
	claims := map[string]bool{}
	affine, requiredAnti := []string{}, []string{}
	for _, name := range m.order() {
		info, err := s.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		uids := []string{}
		isAffine, isRequiredAnti := false, false
		for _, p := range info.GetPods() {
			pod := p.GetPod()
			uids = append(uids, string(pod.UID))
			if m.pods[pod.UID] != pod {
				t.Fatalf("pod %s on %s is not the latest version", pod.Name, name)
			}
			isAffine = isAffine || pod.Spec.Affinity != nil
			isRequiredAnti = isRequiredAnti || (pod.Spec.Affinity != nil && pod.Spec.Affinity.PodAntiAffinity != nil)
			for _, v := range pod.Spec.Volumes {
				claims["default/"+v.Name] = true
			}
		}
		slices.Sort(uids)
		same(t, "pods on "+name, m.podsOn(name), uids)
		if isAffine {
			affine = append(affine, name)
		}
		if isRequiredAnti {
			requiredAnti = append(requiredAnti, name)
		}
	}
	same(t, "nodes with affinity pods", affine, nodeNames(s.HavePodsWithAffinityList()))
	same(t, "nodes with required anti-affinity pods", requiredAnti, nodeNames(s.HavePodsWithRequiredAntiAffinityList()))
	for _, claim := range []string{"default/v", "default/w"} {
		same(t, "use of claim "+claim, claims[claim], s.IsPVCUsedByPods(claim))
	}
	checkAgainstFresh(t, c, s)
}

// checkAgainstFresh compares the snapshot with a first snapshot of the same cache. How many nodes have an image
// is left out: it is as old as the node's last change.
func checkAgainstFresh(t *rapid.T, c *Cache, s *Snapshot) {
	fresh := NewSnapshot()
	if err := c.UpdateSnapshot(fresh); err != nil {
		t.Fatal(err)
	}
	same(t, "order", nodeNames(fresh.List()), nodeNames(s.List()))
	same(t, "affinity list", nodeNames(fresh.HavePodsWithAffinityList()), nodeNames(s.HavePodsWithAffinityList()))
	same(t, "anti-affinity list", nodeNames(fresh.HavePodsWithRequiredAntiAffinityList()), nodeNames(s.HavePodsWithRequiredAntiAffinityList()))
	same(t, "claims", fresh.pvcNodeCounts, s.pvcNodeCounts)
	same(t, "generation", fresh.Generation(), s.Generation())
	for i := range fresh.list {
		want, got := stateOf(fresh.list[i]), stateOf(s.list[i])
		want.Images, got.Images = nil, nil
		same(t, "node", want, got)
		same(t, "generation of a node", fresh.list[i].GetGeneration(), s.list[i].GetGeneration())
	}
}

// Shows CACHE-16, CACHE-19, CACHE-24, CACHE-25, CACHE-47, CACHE-54 and CACHE-60.
func TestCache_MatchesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, m, s := New(), newModel(), NewSnapshot()
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			applyRandom(t, c, m)
			if rapid.IntRange(0, 3).Draw(t, "refresh") == 0 {
				checkAgainstModel(t, c, s, m)
			}
		}
		checkAgainstModel(t, c, s, m)
	})
}

func TestFork_Independent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type side struct {
			c *Cache
			s *Snapshot
			m *model
		}
		sides := []side{{New(), NewSnapshot(), newModel()}}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			at := sides[rapid.IntRange(0, len(sides)-1).Draw(t, "side")]
			switch rapid.IntRange(0, 9).Draw(t, "act") {
			case 0:
				if len(sides) < 4 {
					sides = append(sides, side{at.c.Fork(), at.s.Fork(), at.m.clone()})
				}
			case 1, 2:
				checkAgainstModel(t, at.c, at.s, at.m)
			default:
				applyRandom(t, at.c, at.m)
			}
		}
		for _, at := range sides {
			checkAgainstModel(t, at.c, at.s, at.m)
		}
	})
}

func TestSnapshot_ChangedNamesChangedNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, m, s := New(), newModel(), NewSnapshot()
		for range rapid.IntRange(1, 12).Draw(t, "refreshes") {
			before := map[string]state{}
			for _, info := range s.list {
				before[info.Node().Name] = stateOf(info)
			}
			for range rapid.IntRange(0, 6).Draw(t, "steps") {
				applyRandom(t, c, m)
			}
			if err := c.UpdateSnapshot(s); err != nil {
				t.Fatal(err)
			}
			changed := map[string]ChangeKind{}
			for _, change := range s.Changed() {
				if _, twice := changed[change.Node]; twice {
					t.Fatalf("%s is named twice in %v", change.Node, s.Changed())
				}
				changed[change.Node] = change.Kind
			}
			for _, name := range someNodes {
				old, was := before[name]
				at, is := s.slots[name]
				kind, named := changed[name]
				switch {
				case was && !is && (!named || kind != Removed), !was && is && (!named || kind != Added),
					was && is && named && kind != Updated, !was && !is && named:
					t.Fatalf("%s: there before %v, there now %v, but changes are %v", name, was, is, s.Changed())
				case was && is && !named:
					same(t, name+" was not named as changed", old, stateOf(&at.info))
				}
			}
		}
	})
}
