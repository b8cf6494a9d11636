package collect_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

const driver = "csi.example.com"

// storageObjects are a claim in each state, named after it, with all that its state depends on.
func storageObjects() []world.Object {
	at := func(seconds int) metav1.Time { return metav1.NewTime(start.Add(time.Duration(seconds) * time.Second)) }
	lost := mk.Claim("lost").Size("1Gi").Bound("gone").Obj()
	lost.Status.Phase = v1.ClaimLost
	leaving, deleted := mk.Claim("leaving").Size("2Gi").Bound("pv-leaving").Obj(), at(3)
	leaving.DeletionTimestamp, leaving.Finalizers = &deleted, []string{"kubernetes.io/pvc-protection"}
	asked := mk.Claim("asked").Size("100Gi").Class("fast").Annotation("volume.kubernetes.io/selected-node", "n1").Obj()
	asked.CreationTimestamp = at(5)
	rejected := mk.Pod("rejected").PVC("homeless").Gate("hold").Obj()
	rejected.Status.Conditions = []v1.PodCondition{{
		Type: v1.PodScheduled, Status: v1.ConditionFalse,
		Message: "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) did not have enough free storage. preemption: none",
	}}
	volume := func(name, claim string) *mk.VolumeBuilder {
		return mk.Volume(name).Size("10Gi").Class("fast").On(v1.LabelTopologyZone, "b").CSI(driver, name).For(mk.Claim(claim).Obj())
	}
	attached := func(volume, node string) world.Object {
		a := mk.Attachment("attachment-"+volume, node, driver, volume)
		a.Status.Attached = true
		return a
	}
	down := mk.Node("down").CPU("4").Zone("b").Condition(v1.NodeReady, v1.ConditionUnknown).Obj()
	down.Status.Conditions[0].LastTransitionTime = at(7)
	return []world.Object{
		mk.Node("n1").CPU("4").Zone("b").Condition(v1.NodeReady, v1.ConditionTrue).Obj(), down,
		mk.CSINode("n1").Limit(driver, 2).Obj(), mk.CSINode("down").Limit(driver, 9).Obj(), mk.CSIDriver(driver),
		mk.Class("fast", driver).WaitForFirstConsumer().Obj(), mk.Class("manual", "kubernetes.io/no-provisioner").Obj(),
		mk.StorageCapacity("zone-a", "fast", "500Gi", v1.LabelTopologyZone, "a"), mk.StorageCapacity("zone-b", "fast", "30Gi", v1.LabelTopologyZone, "b"),
		lost, mk.Claim("volumeless").Bound("gone").Obj(), asked, leaving, mk.Claim("manual").Class("manual").Obj(), mk.Claim("homeless").Size("20Gi").Class("fast").Obj(),
		mk.Claim("stuck").Size("10Gi").Bound("pv-stuck").Obj(), mk.Claim("delayed").Class("fast").Obj(), mk.Claim("bound").Size("10Gi").Bound("pv-bound").Obj(),
		volume("pv-leaving", "leaving").Obj(), volume("pv-stuck", "stuck").Obj(), volume("pv-bound", "bound").Obj(), mk.Volume("pv-free").Size("5Gi").Class("manual").Obj(),
		attached("pv-stuck", "down"), attached("pv-bound", "n1"),
		mk.Pod("user").PVC("leaving").PVC("bound").Node("n1").Obj(), rejected, mk.Pod("early").PVC("absent").Obj(),
	}
}

func storageCluster(t testing.TB, objects ...world.Object) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		applyStorage(t, e, world.Added, o)
	}
	return e
}

func applyStorage(t interface{ Fatal(...any) }, e *engine.Engine, op world.Op, o world.Object) {
	if err := e.Apply(world.Input{At: e.Now(), Event: world.Changed{Op: op, Object: o}}); err != nil {
		t.Fatal(err)
	}
	for _, more := e.Step(); more; _, more = e.Step() {
	}
	e.Effects()
}

func storageOf(c *collect.Collector, e *engine.Engine, pane views.PaneID) *views.Storage {
	return c.Model(e, collect.Query{Open: pane, Rows: 1000}).Storage
}

func TestStorage_ClaimsByTrouble(t *testing.T) {
	v := storageOf(collect.New(collect.Options{}), storageCluster(t, storageObjects()...), views.StoragePane)
	var got []string
	for _, c := range v.ClaimList.Rows {
		got = append(got, fmt.Sprintf("%s %s by %s in %q: %s", c.Name, c.State.Word(), cmp.Or(c.Pod, "no pod"), c.Place, c.Note))
	}
	if diff := gocmp.Diff([]string{
		`default/lost lost by no pod in "": was bound to gone, which no longer exists; its data may be gone`,
		`default/absent missing by default/early in "": does not exist`,
		`default/volumeless no volume by no pod in "": is bound to gone, which does not exist`,
		`default/asked provisioning by no pod in "": waits for provisioner csi.example.com, for n1`,
		`default/leaving terminating by default/user in "in zone b": waits for the pods that use it to end: default/user on n1`,
		`default/manual unbound by no pod in "": is not bound: class manual has no provisioner; waits for a PersistentVolume of that class`,
		`default/homeless no node by default/rejected in "": 1 node(s) did not have enough free storage, 1 Insufficient cpu`,
		`default/stuck stuck by no pod in "in zone b": on down (NotReady)`,
		`default/delayed delayed by no pod in "": gets its volume when its pod has a node`,
		`default/bound bound by default/user in "in zone b": on n1`,
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, n := range v.Claims {
		if n != 1 {
			t.Errorf("%d claims are %s, want 1", n, views.ClaimState(i).Word())
		}
	}
	if since := v.ClaimList.Rows[7].Since; !since.Equal(start.Add(7 * time.Second)) {
		t.Errorf("the stuck claim is so since %v, want since its node was not ready", since)
	}
}

func TestStorage_CapacityAndLimits(t *testing.T) {
	v := storageOf(collect.New(collect.Options{}), storageCluster(t, storageObjects()...), views.StoragePane)
	segments := []views.StorageSegment{
		{Class: "fast", Place: "in zone b", Amount: views.Amount{Fraction: 0.5, Used: "30Gi", Most: "60Gi"}, Volumes: 3, Left: "30Gi", Asked: "100Gi"},
		{Class: "fast", Place: "in zone a", Amount: views.Amount{Used: "0", Most: "500Gi"}, Left: "500Gi"},
	}
	if diff := gocmp.Diff(segments, v.Segments); diff != "" {
		t.Errorf("segments (-want +got):\n%s", diff)
	}
	limits := []views.AttachLimit{{Node: "n1", Driver: driver, Attached: 2, Limit: 2}, {Node: "down", Driver: driver, Attached: 1, Limit: 9}}
	if diff := gocmp.Diff(limits, v.Limits); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
}

// A node that goes while another one comes takes its limits along.
func TestStorage_LimitsOfReplacedNode(t *testing.T) {
	n1 := mk.Node("n1").Obj()
	e, c := storageCluster(t, n1, mk.CSINode("n1").Limit(driver, 2).Obj()), collect.New(collect.Options{})
	if limits := storageOf(c, e, views.StoragePane).Limits; len(limits) != 1 {
		t.Fatalf("the limits are %+v, want those of n1", limits)
	}
	applyStorage(t, e, world.Added, mk.Node("n2").Obj())
	applyStorage(t, e, world.Deleted, n1)
	if limits := storageOf(c, e, views.StoragePane).Limits; len(limits) != 0 {
		t.Errorf("the limits are %+v, want none", limits)
	}
}

func TestStorage_VolumesByTrouble(t *testing.T) {
	v := storageOf(collect.New(collect.Options{}), storageCluster(t, storageObjects()...), views.VolumesPane)
	var got []string
	for _, r := range v.VolumeList.Rows {
		got = append(got, fmt.Sprintf("%s %s of %s on %q", r.Name, r.State.Word(), cmp.Or(r.Claim, "no claim"), r.Attached))
	}
	if diff := gocmp.Diff([]string{
		`pv-stuck stuck of default/stuck on "down (NotReady)"`, `pv-free available of no claim on ""`,
		`pv-bound bound of default/bound on "n1"`, `pv-leaving bound of default/leaving on ""`,
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if v.Size != "35Gi" {
		t.Errorf("the volumes have %s in all, want 35Gi", v.Size)
	}
}

// What is kept from frame to frame is what reading everything again gives, whatever changed.
func TestStorage_FollowsChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, err := engine.New(engine.Options{Start: start})
		if err != nil {
			t.Fatal(err)
		}
		kept := collect.New(collect.Options{})
		for range rapid.IntRange(1, 40).Draw(t, "changes") {
			for range rapid.SampledFrom([]int{1, 1, 3, 90}).Draw(t, "at once") {
				applyStorage(t, e, rapid.SampledFrom([]world.Op{world.Added, world.Modified, world.Modified, world.Deleted}).Draw(t, "op"), drawStorageObject(t))
			}
			for _, pane := range []views.PaneID{views.StoragePane, views.VolumesPane} {
				if diff := gocmp.Diff(storageOf(collect.New(collect.Options{}), e, pane), storageOf(kept, e, pane)); diff != "" {
					t.Fatalf("pane %s (-read again +kept):\n%s", pane, diff)
				}
			}
		}
	})
}

func drawStorageObject(t *rapid.T) world.Object {
	pick := func(label string, names ...string) string { return rapid.SampledFrom(names).Draw(t, label) }
	node, volume, claim, class := pick("node", "n1", "n2"), pick("volume", "pv1", "pv2", "pv3"), pick("claim", "a", "b", "c"), pick("class", "fast", "slow")
	switch pick("kind", "node", "csinode", "class", "capacity", "volume", "volume", "claim", "claim", "claim", "attachment", "pod", "pod") {
	case "node":
		return mk.Node(node).CPU("4").Condition(v1.NodeReady, v1.ConditionStatus(pick("ready", "True", "Unknown"))).Obj()
	case "csinode":
		return mk.CSINode(node).Limit(driver, int32(rapid.IntRange(0, 2).Draw(t, "limit"))).Obj()
	case "class":
		b := mk.Class(class, pick("provisioner", driver, "kubernetes.io/no-provisioner"))
		if rapid.Bool().Draw(t, "delayed") {
			b.WaitForFirstConsumer()
		}
		return b.Obj()
	case "capacity":
		return mk.StorageCapacity("in-"+node, class, pick("left", "1Gi", "20Gi"), v1.LabelTopologyZone, pick("zone", "a", "b"))
	case "volume":
		b := mk.Volume(volume).Size(pick("size", "5Gi", "50Gi")).Class(class).CSI(driver, volume).On(v1.LabelTopologyZone, pick("zone", "a", "b"))
		if rapid.Bool().Draw(t, "claimed") {
			b.For(mk.Claim(claim).Obj())
		}
		return b.Obj()
	case "claim":
		b := mk.Claim(claim).Size(pick("size", "2Gi", "10Gi")).Class(class)
		if rapid.Bool().Draw(t, "bound") {
			b.Bound(volume)
		}
		c := b.Obj()
		c.CreationTimestamp = metav1.NewTime(start.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "created")) * time.Second))
		return c
	case "attachment":
		a := mk.Attachment("of-"+claim, node, driver, volume)
		if a.Status.Attached = rapid.Bool().Draw(t, "attached"); !a.Status.Attached && rapid.Bool().Draw(t, "failed") {
			a.Status.AttachError = &storagev1.VolumeError{Message: "no answer"}
		}
		return a
	}
	if rapid.Bool().Draw(t, "placed") {
		return mk.Pod(claim + "-on-" + node).PVC(claim).Node(node).Obj()
	}
	return mk.Pod(claim + "-held").PVC(claim).Gate("hold").Obj()
}

// largeStorage has claims, one in a hundred of them in trouble.
func largeStorage(t testing.TB, claims int) *engine.Engine {
	objects := []world.Object{mk.Class("fast", driver).WaitForFirstConsumer().Obj(), mk.CSIDriver(driver)}
	for i := range 200 {
		node := fmt.Sprintf("node-%03d", i)
		objects = append(objects, mk.Node(node).CPU("64").Pods("100000").Zone("a").Condition(v1.NodeReady, v1.ConditionTrue).Obj(), mk.CSINode(node).Limit(driver, 1000).Obj())
	}
	for i := range claims {
		name, volume, node := fmt.Sprintf("data-%06d", i), fmt.Sprintf("pv-%06d", i), fmt.Sprintf("node-%03d", i%200)
		claim := mk.Claim(name).Size("10Gi").Class("fast")
		if i%100 > 0 {
			claim.Bound(volume)
			objects = append(objects, mk.Volume(volume).Size("10Gi").Class("fast").CSI(driver, volume).On(v1.LabelTopologyZone, "a").For(claim.Obj()).Obj(),
				mk.Attachment("at-"+volume, node, driver, volume), mk.Pod("pod-"+name).PVC(name).Node(node).Obj())
		}
		objects = append(objects, claim.Obj())
	}
	objects = append(objects, mk.Pod("last").CPU("1").Obj()) // to be scheduled, which takes a snapshot
	return storageCluster(t, objects...)
}

// A frame's allocations do not depend on the number of claims.
func TestStorage_AllocationsAreBounded(t *testing.T) {
	allocs := func(claims int) float64 {
		e, c := largeStorage(t, claims), collect.New(collect.Options{})
		canvas, state := draw.New(120, 40), &views.State{Open: views.StoragePane}
		for storageOf(c, e, views.StoragePane).Reading {
		}
		i := 0
		return testing.AllocsPerRun(20, func() {
			i++ // a claim of the middle changes for every frame
			name := fmt.Sprintf("data-%06d", claims/2+1)
			applyStorage(t, e, world.Modified, mk.Claim(name).Size("10Gi").Class("fast").Bound(fmt.Sprintf("pv-%06d", claims/2+1)).Annotation("frame", fmt.Sprint(i)).Obj())
			m := c.Model(e, collect.Query{Open: views.StoragePane, Columns: 120, Rows: 40})
			views.Screen(canvas, m, state, draw.Braille, start)
		})
	}
	few, many := allocs(500), allocs(5000)
	if few > 3000 || many > 1.3*few {
		t.Errorf("a frame allocates %v times with 500 claims and %v with 5,000, want at most 3,000 and 30%% more", few, many)
	}
}

// Everything is read in parts, and the parts together are the whole.
func TestStorage_ReadsInParts(t *testing.T) {
	e, c := largeStorage(t, 6000), collect.New(collect.Options{})
	v, parts := storageOf(c, e, views.StoragePane), 1
	for ; v.Reading; parts++ {
		v = storageOf(c, e, views.StoragePane)
	}
	if parts < 3 || v.Claims[views.ClaimBound] != 5940 || v.Claims[views.ClaimDelayed] != 60 || v.Volumes[views.VolumeBound] != 5940 || v.MoreLimits+len(v.Limits) != 200 {
		t.Errorf("after %d parts there are %v claims, %v volumes and %d limits", parts, v.Claims, v.Volumes, v.MoreLimits+len(v.Limits))
	}
	if first := v.ClaimList.Rows[0]; first.State != views.ClaimDelayed {
		t.Errorf("the first claim is %s, want one that waits", first.State.Word())
	}
}

// BenchmarkStorage is one frame of 100,000 claims: the slowest until all were read, one after a change, and one far down the
// list.
func BenchmarkStorage(b *testing.B) {
	e := largeStorage(b, 100_000)
	canvas, state := draw.New(140, 40), &views.State{Open: views.StoragePane}
	frame := func(c *collect.Collector, first int) (reading bool) {
		state.Cursor = views.Cursor{Selected: first, First: first}
		m := c.Model(e, collect.Query{Open: views.StoragePane, Columns: 140, Rows: 120, First: first})
		canvas.Reset(140, 40)
		views.Screen(canvas, m, state, draw.Braille, start)
		return m.Partial()
	}
	b.Run("first", func(b *testing.B) {
		var slowest time.Duration
		for b.Loop() {
			c := collect.New(collect.Options{})
			for reading := true; reading; {
				before := b.Elapsed()
				reading = frame(c, 0)
				slowest = max(slowest, b.Elapsed()-before)
			}
		}
		b.ReportMetric(float64(slowest.Microseconds())/1000, "ms-slowest")
	})
	for _, first := range []int{0, 90_000} {
		b.Run(fmt.Sprint("changed/first=", first), func(b *testing.B) {
			c, i := collect.New(collect.Options{}), 0
			for frame(c, 0) {
			}
			b.ReportAllocs()
			for b.Loop() {
				i++
				b.StopTimer()
				applyStorage(b, e, world.Modified, mk.Claim("data-050001").Size("10Gi").Class("fast").Bound("pv-050001").Annotation("frame", fmt.Sprint(i)).Obj())
				b.StartTimer()
				frame(c, first)
			}
		})
	}
}

// Orders of the list have the same claims, and a filter finds them by state, class, volume and pod.
func TestStorage_FilterAndSort(t *testing.T) {
	e, c := storageCluster(t, storageObjects()...), collect.New(collect.Options{})
	for text, want := range map[string][]string{
		"stuck": {"default/stuck"}, "unbound": {"default/manual"}, "pv-bound": {"default/bound"}, "manual": {"default/manual"}, "-n shop": nil, "rejected": {"default/homeless"},
	} {
		var got []string
		for _, r := range c.Model(e, collect.Query{Open: views.StoragePane, Rows: 100, Filter: mustFilter(t, text)}).Storage.ClaimList.Rows {
			got = append(got, r.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", text, got, want)
		}
	}
	for _, sort := range views.PaneOf(views.StoragePane).Sorts() {
		if rows := c.Model(e, collect.Query{Open: views.StoragePane, Rows: 100, Sort: sort}).Storage.ClaimList.Rows; len(rows) != 10 {
			t.Errorf("by %s there are %d claims", sort, len(rows))
		}
	}
}
