package volumes_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"
	"pgregory.net/rapid"

	"orrery/core/scheduler/store"
	"orrery/core/scheduler/volumes"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// fixture is a state with its store.
type fixture struct {
	store   *store.Store
	state   *volumes.State
	version int
}

func newFixture() *fixture {
	s := store.New()
	return &fixture{store: s, state: volumes.New(s)}
}

func (f *fixture) fork() *fixture {
	s := f.store.Fork()
	return &fixture{store: s, state: f.state.Fork(s), version: f.version}
}

// apply applies a change of an object, as the next version.
func (f *fixture) apply(t interface{ Fatal(...any) }, op world.Op, o world.Object) {
	f.version++
	o = o.DeepCopyObject().(world.Object)
	o.SetResourceVersion(strconv.Itoa(f.version))
	deltas, err := f.store.Apply(world.Changed{Op: op, Object: o})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range deltas {
		f.state.Changed(d)
	}
}

func TestAssumption_EndsWithItsVersion(t *testing.T) {
	f := newFixture()
	f.apply(t, world.Added, mk.Volume("pv").Size("1Gi").Obj())
	held := f.state.Volume("pv")
	assumed := held.DeepCopy()
	assumed.Spec.ClaimRef = mk.Volume("").For(mk.Claim("data").Obj()).Obj().Spec.ClaimRef
	if err := f.state.AssumeVolume(assumed); err != nil {
		t.Fatal(err)
	}
	fork := f.fork()
	if f.state.Volume("pv") != assumed || fork.state.Volume("pv") != assumed {
		t.Error("the assumed state is not the volume's, here and in a fork")
	}
	fork.state.RestoreVolume(assumed)
	if fork.state.Volume("pv") != held || f.state.Volume("pv") != assumed {
		t.Error("restoring in a fork must change the fork only")
	}
	f.apply(t, world.Modified, mk.Volume("pv").Size("2Gi").Obj())
	if got := f.state.Volume("pv"); got != f.state.StoredVolume("pv") {
		t.Errorf("after a new version the volume is %v, want the store's", got)
	}
	if n, _ := f.state.Assumed(); n != 0 {
		t.Errorf("%d assumptions remain", n)
	}
	err := f.state.AssumeVolume(assumed)
	if want := `"pv" is out of sync (stored: 2, assume: 1)`; err == nil || err.Error() != want {
		t.Errorf("assuming an older version: %v, want %s", err, want)
	}
}

func TestMatch_SmallestThenName(t *testing.T) {
	f := newFixture()
	for _, pv := range []*v1.PersistentVolume{
		mk.Volume("d").Size("4Gi").Class("c").Obj(),
		mk.Volume("b").Size("2Gi").Class("c").On("zone", "b").Obj(),
		mk.Volume("a").Size("2Gi").Class("c").On("zone", "b").Obj(),
		mk.Volume("tiny").Size("1").Class("c").Obj(),
		mk.Volume("other").Size("2Gi").Class("x").Obj(),
	} {
		f.apply(t, world.Added, pv)
	}
	m, err := f.state.Match(mk.Claim("data").Size("1Gi").Class("c").Obj(), true)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	taken := map[string]bool{}
	for _, zone := range []string{"a", "b", "b", "b"} {
		name := "none"
		if pv := m.On(map[string]string{"zone": zone}, func(pv *v1.PersistentVolume) bool { return taken[pv.Name] }); pv != nil {
			name, taken[pv.Name] = pv.Name, zone == "b"
		}
		got = append(got, name)
	}
	if diff := cmp.Diff([]string{"d", "a", "b", "d"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a claim gets on a node is what the library finds by looking at every volume as it is assumed to be, whatever happened
// before, in a state and in its forks.
func TestMatch_AgreesWithLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := []*fixture{newFixture()}
		for range rapid.IntRange(1, 60).Draw(t, "changes") {
			f := rapid.SampledFrom(all).Draw(t, "state")
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				if len(all) < 4 {
					all = append(all, f.fork())
				}
			case 1, 2:
				drawAssumption(t, f)
			case 3:
				f.apply(t, world.Modified, drawClaim(t))
			case 4:
				f.apply(t, world.Deleted, drawVolume(t))
			default:
				f.apply(t, world.Modified, drawVolume(t))
			}
		}
		for _, f := range all {
			if err := f.state.Check(); err != nil {
				t.Fatal(err)
			}
			compare(t, f, drawClaim(t))
		}
	})
}

func TestCheck_ReportsWhatIsOutOfDate(t *testing.T) {
	f := newFixture()
	f.apply(t, world.Added, mk.Volume("pv").Size("1Gi").Class("c").Obj())
	assumed := f.state.Volume("pv").DeepCopy()
	if err := f.state.AssumeVolume(assumed); err != nil {
		t.Fatal(err)
	}
	if err := f.state.Check(); err != nil {
		t.Errorf("nothing is wrong yet: %v", err)
	}
	// The state is not told of this.
	if _, err := f.store.Apply(world.Changed{Op: world.Modified, Object: mk.Volume("pv").Size("1Gi").Class("d").Obj()}); err != nil {
		t.Fatal(err)
	}
	want := `something is assumed of persistentvolumes "pv" in a version that the store does not have
volumes of class c: 1 are listed, and the store has none
volumes of class d: 0 are listed, not the 1 of the store`
	if err := f.state.Check(); err == nil || err.Error() != want {
		t.Errorf("got %v, want\n%s", err, want)
	}
}

func TestMisfits_NearestFirst(t *testing.T) {
	f := newFixture()
	deleted := mk.Volume("deleted").Size("9Gi").Class("c").Obj()
	deleted.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	released := mk.Volume("released").Size("9Gi").Class("c").For(mk.Claim("gone").Obj()).Obj()
	for _, pv := range []*v1.PersistentVolume{
		deleted, released, mk.Volume("small").Size("1Gi").Class("c").Obj(), mk.Volume("other").Size("1Gi").Class("x").Obj(),
		mk.Volume("fits").Size("9Gi").Class("c").Obj(),
	} {
		f.apply(t, world.Added, pv)
	}
	all, err := f.state.Misfits(mk.Claim("data").Size("5Gi").Class("c").Obj(), true, 4)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		got = append(got, fmt.Sprint(m.Volume.Name, m.Why))
	}
	want := []string{
		"fits[]", fmt.Sprint("small", []volumes.Misfit{volumes.TooSmall}), fmt.Sprint("released", []volumes.Misfit{volumes.OfOtherClaim}),
		fmt.Sprint("deleted", []volumes.Misfit{volumes.BeingDeleted}),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func drawVolume(t *rapid.T) *v1.PersistentVolume {
	b := mk.Volume("pv" + strconv.Itoa(rapid.IntRange(0, 7).Draw(t, "number"))).
		Size(fmt.Sprintf("%dGi", rapid.IntRange(1, 4).Draw(t, "size"))).
		Class(rapid.SampledFrom([]string{"c", "c", "x", ""}).Draw(t, "class"))
	if zone := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "zone"); zone != "" {
		b.On("zone", zone)
	}
	pv := b.Obj()
	if rapid.IntRange(0, 2).Draw(t, "claimed") == 0 {
		b.For(drawClaim(t))
		if rapid.Bool().Draw(t, "by name only") {
			pv.Spec.ClaimRef.UID = ""
		}
	}
	pv.Status.Phase = rapid.SampledFrom([]v1.PersistentVolumePhase{v1.VolumeAvailable, v1.VolumeAvailable, v1.VolumePending, v1.VolumeBound}).Draw(t, "phase")
	pv.Labels = map[string]string{"disk": rapid.SampledFrom([]string{"ssd", "hdd"}).Draw(t, "disk")}
	return pv
}

func drawClaim(t *rapid.T) *v1.PersistentVolumeClaim {
	b := mk.Claim(rapid.SampledFrom([]string{"data", "logs"}).Draw(t, "claim")).
		Size(fmt.Sprintf("%dGi", rapid.IntRange(1, 3).Draw(t, "asked"))).
		Class(rapid.SampledFrom([]string{"c", "x"}).Draw(t, "claim's class"))
	if rapid.IntRange(0, 3).Draw(t, "bound") == 0 {
		b.Bound("pv" + strconv.Itoa(rapid.IntRange(0, 7).Draw(t, "to")))
	}
	return b.Obj()
}

func drawAssumption(t *rapid.T, f *fixture) {
	name := "pv" + strconv.Itoa(rapid.IntRange(0, 7).Draw(t, "assumed"))
	pv := f.state.Volume(name)
	if pv == nil || f.state.StoredVolume(name).Spec.ClaimRef != nil {
		return // the scheduler takes no volume from another claim
	}
	assumed := pv.DeepCopy()
	if rapid.Bool().Draw(t, "restored") {
		f.state.RestoreVolume(assumed)
		return
	}
	assumed.Spec.ClaimRef = mk.Volume("").For(drawClaim(t)).Obj().Spec.ClaimRef
	if err := f.state.AssumeVolume(assumed); err != nil {
		t.Fatal(err)
	}
}

// compare compares what an unbound claim gets in each zone.
func compare(t *rapid.T, f *fixture, claim *v1.PersistentVolumeClaim) {
	claim.Spec.VolumeName = ""
	if held := f.state.StoredClaim(claim.Namespace, claim.Name); held != nil && held.Spec.VolumeName != "" {
		return // only unbound claims are matched
	}
	m, err := f.state.Match(claim, true)
	if err != nil {
		t.Fatal(err)
	}
	compareMisfits(t, f, m, claim)
	var list []*v1.PersistentVolume
	for o := range f.store.Objects(world.PersistentVolume) {
		if pv := f.state.Volume(o.GetName()); volume.GetPersistentVolumeClass(pv) == volume.GetPersistentVolumeClaimClass(claim) {
			list = append(list, pv)
		}
	}
	// Of several that name the claim, those that are assumed for it come last, the smallest first.
	slices.SortStableFunc(list, func(a, b *v1.PersistentVolume) int {
		assumed := func(pv *v1.PersistentVolume) bool { return f.state.StoredVolume(pv.Name).Spec.ClaimRef == nil }
		if assumed(a) && assumed(b) {
			mine, other := a.Spec.Capacity[v1.ResourceStorage], b.Spec.Capacity[v1.ResourceStorage]
			return mine.Cmp(other)
		}
		return boolRank(assumed(a)) - boolRank(assumed(b))
	})
	for _, zone := range []string{"a", "b"} {
		labels := map[string]string{"zone": zone}
		node := mk.Node("n").Obj()
		node.Labels = labels
		want, err := volume.FindMatchingVolume(claim, list, node, nil, true, true)
		if err != nil {
			t.Fatal(err)
		}
		got := m.On(labels, func(*v1.PersistentVolume) bool { return false })
		if want != got {
			t.Fatalf("claim %s of %v in zone %s gets %v, want %v of %d", claim.Name, claim.Spec.Resources.Requests, zone, nameOf(got), nameOf(want), len(list))
		}
	}
}

// compareMisfits: the volumes without a misfit are those that match.
func compareMisfits(t *rapid.T, f *fixture, m *volumes.Matching, claim *v1.PersistentVolumeClaim) {
	all, err := f.state.Misfits(claim, true, 100)
	if err != nil || len(all) != f.store.Len(world.PersistentVolume) {
		t.Fatalf("looked at %d of %d volumes: %v", len(all), f.store.Len(world.PersistentVolume), err)
	}
	fitting := 0
	for _, misfits := range all {
		if len(misfits.Why) == 0 {
			fitting++
		}
	}
	if fitting != m.Len() {
		t.Fatalf("%d volumes have no misfit, %d match: %v", fitting, m.Len(), all)
	}
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

func nameOf(pv *v1.PersistentVolume) string {
	if pv == nil {
		return "none"
	}
	return pv.Name
}
