package outcome_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"orrery/core/scheduler/store"
	"orrery/core/scheduler/volumes/outcome"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func holding(t *testing.T, objects ...world.Object) *store.Store {
	t.Helper()
	s := store.New()
	for _, o := range objects {
		if _, err := s.Apply(world.Changed{Object: o}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// versioned gives an object a resource version, as an API server does.
func versioned[T world.Object](o T) T {
	o.SetResourceVersion("7")
	return o
}

// take applies events to the store, and returns the volume and the claim that it holds then.
func take(t *testing.T, s *store.Store, events []world.Event, volume, claim string) (*v1.PersistentVolume, *v1.PersistentVolumeClaim) {
	t.Helper()
	for _, event := range events {
		if deltas, err := s.Apply(event.(world.Changed)); err != nil || len(deltas) != 1 {
			t.Fatalf("the store takes %d changes of %+v: %v", len(deltas), event, err)
		}
	}
	pv, _ := s.Object(world.PersistentVolume, "", volume).(*v1.PersistentVolume)
	c, _ := s.Object(world.PersistentVolumeClaim, "default", claim).(*v1.PersistentVolumeClaim)
	return pv, c
}

func boundClaim(claim *mk.ClaimBuilder, volume, size string) *v1.PersistentVolumeClaim {
	c := claim.Size("1Gi").Class("fast").Bound(volume).Obj()
	c.Status.Capacity, c.Status.AccessModes = mk.Resources("storage", size), c.Spec.AccessModes
	return c
}

func TestOf_ClaimVolumeBindsBoth(t *testing.T) {
	claim, pv := versioned(mk.Claim("c").Size("1Gi").Class("fast").Obj()), versioned(mk.Volume("v").Size("2Gi").Class("fast").Obj())
	s := holding(t, claim, pv)
	before := pv.DeepCopy()
	act := world.ClaimVolume{Volume: world.ObjectRefOf(pv), Claim: world.ObjectRefOf(claim), ByController: true}
	gotPV, gotClaim := take(t, s, outcome.Of(act, s), "v", "c")
	wantPV := mk.Volume("v").Size("2Gi").Class("fast").For(claim).Obj()
	wantPV.Annotations = map[string]string{"pv.kubernetes.io/bound-by-controller": "yes"}
	wantPV.Spec.ClaimRef.ResourceVersion = "7"
	if diff := cmp.Diff(wantPV, gotPV); diff != "" {
		t.Errorf("volume (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(boundClaim(mk.Claim("c").Annotation("pv.kubernetes.io/bound-by-controller", "yes"), "v", "2Gi"), gotClaim); diff != "" {
		t.Errorf("claim (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, pv); diff != "" {
		t.Errorf("the store's object was changed:\n%s", diff)
	}
}

func TestOf_SelectNodeProvisionsInZone(t *testing.T) {
	class := mk.Class("fast", "d").WaitForFirstConsumer().Obj()
	retain := v1.PersistentVolumeReclaimRetain
	class.ReclaimPolicy = &retain
	claim := versioned(mk.Claim("c").Size("1Gi").Class("fast").Obj())
	for name, tt := range map[string]struct {
		node *v1.Node
		zone *v1.VolumeNodeAffinity
	}{
		"a node in a zone":           {mk.Node("n").Zone("a").Obj(), mk.Volume("").On(v1.LabelTopologyZone, "a").Obj().Spec.NodeAffinity},
		"a node without a zone":      {mk.Node("n").Obj(), nil},
		"a node that left meanwhile": {mk.Node("other").Zone("a").Obj(), nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := holding(t, class, claim, tt.node)
			const name = "pvc-claim-default-c"
			pv, c := take(t, s, outcome.Of(world.SelectNode{Node: "n", Claim: world.ObjectRefOf(claim)}, s), name, "c")
			want := boundClaim(mk.Claim("c").Annotation("pv.kubernetes.io/bound-by-controller", "yes").
				Annotation("volume.kubernetes.io/selected-node", "n"), name, "1Gi")
			if diff := cmp.Diff(want, c); diff != "" {
				t.Errorf("claim (-want +got):\n%s", diff)
			}
			wantPV := mk.Volume(name).Size("1Gi").Class("fast").For(claim).CSI("d", name).Obj()
			wantPV.UID, wantPV.Spec.PersistentVolumeReclaimPolicy, wantPV.Spec.NodeAffinity = claim.UID, retain, tt.zone
			wantPV.Annotations = map[string]string{"pv.kubernetes.io/provisioned-by": "d"}
			if diff := cmp.Diff(wantPV, pv); diff != "" {
				t.Errorf("volume (-want +got):\n%s", diff)
			}
		})
	}
}

// A claim without a provisioner gets its node, and waits.
func TestOf_SelectNodeWithoutProvisioner(t *testing.T) {
	claim := mk.Claim("c").Size("1Gi").Class("local").Obj()
	for name, class := range map[string]*storagev1.StorageClass{
		"no provisioner":      mk.Class("local", "kubernetes.io/no-provisioner").Obj(),
		"no such class":       mk.Class("other", "d").Obj(),
		"a class without one": mk.Class("local", "").Obj(),
	} {
		t.Run(name, func(t *testing.T) {
			s := holding(t, claim, class)
			_, c := take(t, s, outcome.Of(world.SelectNode{Node: "n", Claim: world.ObjectRefOf(claim)}, s), "", "c")
			if c.Status.Phase != v1.ClaimPending || c.Annotations["volume.kubernetes.io/selected-node"] != "n" || s.Len(world.PersistentVolume) != 0 {
				t.Errorf("the claim is %+v, and there are %d volumes", c, s.Len(world.PersistentVolume))
			}
		})
	}
}

func TestOf_IgnoresWhatIsGone(t *testing.T) {
	claim, pv, class := mk.Claim("c").Class("fast").Obj(), mk.Volume("v").Obj(), mk.Class("fast", "d").Obj()
	namesake, other := *claim, *pv
	namesake.UID, other.UID = "another", "another"
	write := world.ClaimVolume{Volume: world.ObjectRefOf(pv), Claim: world.ObjectRefOf(claim)}
	selection := world.SelectNode{Node: "n", Claim: world.ObjectRefOf(claim)}
	for name, s := range map[string]*store.Store{
		"no claim":                holding(t, pv, class),
		"a namesake of the claim": holding(t, &namesake, pv, class),
	} {
		if events := append(outcome.Of(write, s), outcome.Of(selection, s)...); len(events) > 0 {
			t.Errorf("%s: %+v", name, events)
		}
	}
	for name, s := range map[string]*store.Store{
		"no volume":                holding(t, claim, class),
		"a namesake of the volume": holding(t, claim, &other, class),
	} {
		if events := outcome.Of(write, s); len(events) > 0 {
			t.Errorf("%s: %+v", name, events)
		}
	}
	if events := outcome.Of(world.Bind{}, holding(t, claim, pv)); events != nil {
		t.Errorf("a binding: %+v", events)
	}
}
