package volumebinding_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

const (
	driver = "csi.example.com"
	zone   = v1.LabelTopologyZone
	never  = "UnschedulableAndUnresolvable: "

	elsewhere = never + "node(s) didn't match PersistentVolume's node affinity"
	nothing   = never + "node(s) didn't find available persistent volumes to bind"
	noSpace   = never + "node(s) did not have enough free storage"
	gone      = never + "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
)

func waiting(name, provisioner string) *storagev1.StorageClass {
	return mk.Class(name, provisioner).WaitForFirstConsumer().Obj()
}

func TestPreFilter(t *testing.T) {
	deleting := mk.Claim("data").Class("local").Obj()
	deleting.DeletionTimestamp, deleting.Finalizers = &metav1.Time{}, []string{"kubernetes.io/pvc-protection"}
	lost := mk.Claim("data").Bound("pv").Obj()
	lost.Status.Phase = v1.ClaimLost
	modeless := mk.Class("odd", driver).Obj()
	modeless.VolumeBindingMode = nil
	ephemeral := mk.Pod("db").Volume("data", v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}).Obj()
	claiming := mk.Pod("db").PVC("data").Obj()
	for name, tc := range map[string]struct {
		pod     *v1.Pod
		objects []world.Object
		want    string
	}{
		"a pod without claims":                      {mk.Pod("db").Obj(), nil, "Skip: "},
		"a claim that does not exist":               {claiming, nil, never + `persistentvolumeclaim "data" not found`},
		"an ephemeral claim that does not exist":    {ephemeral, nil, never + `waiting for ephemeral volume controller to create the persistentvolumeclaim "db-data"`},
		"an ephemeral claim of another pod":         {ephemeral, []world.Object{mk.Claim("db-data").Class("local").Obj(), waiting("local", driver)}, never + "PVC default/db-data was not created for pod default/db (pod is not owner)"},
		"an ephemeral claim":                        {ephemeral, []world.Object{mk.Claim("db-data").Class("local").Owner("db").Obj(), waiting("local", driver)}, ""},
		"a claim whose volume is lost":              {claiming, []world.Object{lost}, never + `persistentvolumeclaim "data" bound to non-existent persistentvolume "pv"`},
		"a claim that is being deleted":             {claiming, []world.Object{deleting}, never + `persistentvolumeclaim "data" is being deleted`},
		"a bound claim":                             {claiming, []world.Object{mk.Claim("data").Bound("pv").Obj()}, ""},
		"an unbound claim without a class":          {claiming, []world.Object{mk.Claim("data").Obj()}, never + "pod has unbound immediate PersistentVolumeClaims"},
		"an unbound claim of a class that is gone":  {claiming, []world.Object{mk.Claim("data").Class("local").Obj()}, never + "pod has unbound immediate PersistentVolumeClaims"},
		"an unbound claim of an immediate class":    {claiming, []world.Object{mk.Claim("data").Class("now").Obj(), mk.Class("now", driver).Obj()}, never + "pod has unbound immediate PersistentVolumeClaims"},
		"an unbound claim of a waiting class":       {claiming, []world.Object{mk.Claim("data").Class("local").Obj(), waiting("local", driver)}, ""},
		"a claim of a class without a mode":         {claiming, []world.Object{mk.Claim("data").Class("odd").Obj(), modeless}, `Error: VolumeBindingMode not set for StorageClass "odd"`},
		"a claim of a waiting class with a volume ": {claiming, []world.Object{named("data", "pv"), waiting("local", driver)}, never + "pod has unbound immediate PersistentVolumeClaims"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, got := newFixture(t, nil, tc.objects...).preFilter(tc.pod); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// named is an unbound claim that wants one volume.
func named(claim, pv string) *v1.PersistentVolumeClaim {
	c := mk.Claim(claim).Class("local").Obj()
	c.Spec.VolumeName = pv
	return c
}

func TestFilter(t *testing.T) {
	data := mk.Claim("data").Size("2Gi").Class("local").Obj()
	selected := func(node string) *v1.PersistentVolumeClaim {
		return mk.Claim("data").Size("2Gi").Class("local").Annotation(volume.AnnSelectedNode, node).Obj()
	}
	inZones := waiting("local", driver)
	inZones.AllowedTopologies = []v1.TopologySelectorTerm{{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{{Key: zone, Values: []string{"a"}}}}}
	ebs := mk.Volume("pv").Size("2Gi").Label(zone, "b").Source(v1.PersistentVolumeSource{
		AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: "aws://b/vol-12345678"},
	}).Obj()
	broken := ebs.DeepCopy()
	broken.Spec.AWSElasticBlockStore.VolumeID = "aws://b/data"
	const plugin = "kubernetes.io/aws-ebs"
	for name, tc := range map[string]struct {
		objects []world.Object
		want    string
	}{
		"a bound volume that reaches the node": {[]world.Object{mk.Claim("data").Bound("pv").Obj(), mk.Volume("pv").On(zone, "a", "c").Obj()}, ""},
		"a bound volume that does not":         {[]world.Object{mk.Claim("data").Bound("pv").Obj(), mk.Volume("pv").On(zone, "b").Obj()}, elsewhere},
		"a bound volume that does not exist":   {[]world.Object{mk.Claim("data").Bound("pv").Obj()}, gone},
		"a volume by another node's name":      {[]world.Object{mk.Claim("data").Bound("pv").Obj(), byName("pv", "n2")}, ""},
		"an in-tree volume without migration":  {[]world.Object{mk.Claim("data").Bound("pv").Obj(), ebs, mk.CSINode("n1").Obj()}, ""},
		"an in-tree volume that was migrated":  {[]world.Object{mk.Claim("data").Bound("pv").Obj(), ebs, mk.CSINode("n1").Migrated(plugin).Obj()}, elsewhere},
		"an in-tree volume without a meaning":  {[]world.Object{mk.Claim("data").Bound("pv").Obj(), broken, mk.CSINode("n1").Migrated(plugin).Obj()}, "Error: could not translate pv: failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://b/data)"},

		"a volume to bind":                     {[]world.Object{data, waiting("local", volume.NotSupportedProvisioner), mk.Volume("pv").Size("2Gi").Class("local").On(zone, "a").Obj()}, ""},
		"a volume that is too small":           {[]world.Object{data, waiting("local", volume.NotSupportedProvisioner), mk.Volume("pv").Size("1Gi").Class("local").Obj()}, nothing},
		"a volume elsewhere":                   {[]world.Object{data, waiting("local", volume.NotSupportedProvisioner), mk.Volume("pv").Size("2Gi").Class("local").On(zone, "b").Obj()}, nothing},
		"a volume of another claim":            {[]world.Object{data, waiting("local", volume.NotSupportedProvisioner), mk.Volume("pv").Size("2Gi").Class("local").For(mk.Claim("other").Obj()).Obj()}, nothing},
		"a volume that names the claim":        {[]world.Object{data, waiting("local", volume.NotSupportedProvisioner), mk.Volume("pv").Size("2Gi").Class("local").For(data).Obj()}, ""},
		"one that names it decides, elsewhere": {[]world.Object{data, waiting("local", volume.NotSupportedProvisioner), mk.Volume("pv").Size("2Gi").Class("local").For(data).On(zone, "b").Obj(), mk.Volume("free").Size("2Gi").Class("local").Obj()}, nothing},

		"a provisioner":                               {[]world.Object{data, waiting("local", driver)}, ""},
		"a class without a provisioner":               {[]world.Object{data, waiting("local", "")}, nothing},
		"a provisioner in the node's zone":            {[]world.Object{data, inZones}, ""},
		"a node that was selected before":             {[]world.Object{selected("n1"), waiting("local", driver)}, ""},
		"another node that was selected before":       {[]world.Object{selected("n2"), waiting("local", driver)}, nothing},
		"no capacity is published":                    {[]world.Object{data, waiting("local", driver), mk.CSIDriver(driver)}, noSpace},
		"a capacity that suffices":                    {[]world.Object{data, waiting("local", driver), mk.CSIDriver(driver), mk.StorageCapacity("c", "local", "2Gi", zone, "a")}, ""},
		"a capacity that does not":                    {[]world.Object{data, waiting("local", driver), mk.CSIDriver(driver), mk.StorageCapacity("c", "local", "1Gi", zone, "a")}, noSpace},
		"a capacity of other nodes":                   {[]world.Object{data, waiting("local", driver), mk.CSIDriver(driver), mk.StorageCapacity("c", "local", "2Gi", zone, "b")}, noSpace},
		"a capacity of another class":                 {[]world.Object{data, waiting("local", driver), mk.CSIDriver(driver), mk.StorageCapacity("c", "fast", "2Gi", zone, "a")}, noSpace},
		"a driver that publishes none":                {[]world.Object{data, waiting("local", driver), &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: driver}}}, ""},
		"a claim that lost a volume, and one to bind": {[]world.Object{mk.Claim("more").Bound("lost").Obj(), data, waiting("local", "")}, "UnschedulableAndUnresolvable: node(s) didn't find available persistent volumes to bind, node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, nil, tc.objects...)
			pod := mk.Pod("db").PVC("data").Obj()
			if f.state.StoredClaim("default", "more") != nil {
				pod = mk.Pod("db").PVC("more").PVC("data").Obj()
			}
			state, rejected := f.preFilter(pod)
			if rejected != "" {
				t.Fatalf("rejected before: %s", rejected)
			}
			if got := f.filter(state, pod, mk.Node("n1").Zone("a").Obj()); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// byName is a volume that only one node may use, by its name instead of a label. No scheduler looks at that.
func byName(name, node string) *v1.PersistentVolume {
	pv := mk.Volume(name).Obj()
	pv.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
		MatchFields: []v1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{node}}},
	}}}}
	return pv
}

// The claims of a pod share what there is: each volume once, the smallest claim first.
func TestReserve_AssumesWhatFilterChose(t *testing.T) {
	f := newFixture(
		t, nil, waiting("local", driver),
		mk.Claim("large").Size("3Gi").Class("local").Obj(), mk.Claim("small").Size("1Gi").Class("local").Obj(), mk.Claim("huge").Size("9Gi").Class("local").Obj(),
		mk.Volume("a").Size("4Gi").Class("local").Obj(), mk.Volume("b").Size("3Gi").Class("local").Obj(),
	)
	pod := mk.Pod("db").PVC("large").PVC("small").PVC("huge").Obj()
	state, _ := f.preFilter(pod)
	if got := f.filter(state, pod, mk.Node("n1").Obj()); got != "" {
		t.Fatal(got)
	}
	if status := f.plugin.Reserve(t.Context(), state, pod, "n1"); !status.IsSuccess() {
		t.Fatal(status)
	}
	got := []string{
		f.state.Volume("b").Spec.ClaimRef.Name, f.state.Volume("a").Spec.ClaimRef.Name,
		f.state.Volume("a").Annotations[volume.AnnBoundByController], f.state.Claim("default", "huge").Annotations[volume.AnnSelectedNode],
	}
	if diff := cmp.Diff([]string{"small", "large", "yes", "n1"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if f.state.StoredVolume("a").Spec.ClaimRef != nil {
		t.Error("the store's volume was changed")
	}
	f.plugin.Unreserve(t.Context(), state, pod, "n1")
	if volumes, claims := f.state.Assumed(); volumes+claims != 0 {
		t.Errorf("%d volumes and %d claims stay assumed", volumes, claims)
	}
}

// The first pod's write may fail, so that the second pod cannot rely on it.
func TestPreBindStep_PodsThatShareAClaimBothWrite(t *testing.T) {
	pv := mk.Volume("a").Size("4Gi").Class("local").Obj()
	pv.Annotations = map[string]string{volume.AnnBoundByController: "no"}
	f := newFixture(t, nil, waiting("local", driver), mk.Claim("data").Size("1Gi").Class("local").Obj(), pv)
	for _, name := range []string{"db-0", "db-1"} {
		pod := mk.Pod(name).PVC("data").Obj()
		state, _ := f.preFilter(pod)
		if got := f.filter(state, pod, mk.Node("n1").Obj()); got != "" {
			t.Fatal(got)
		}
		if status := f.plugin.Reserve(t.Context(), state, pod, "n1"); !status.IsSuccess() {
			t.Fatal(status)
		}
		step := f.plugin.PreBindStep(state, pod, "n1", time.Unix(0, 0), nil)
		write, ok := step.Action.(world.ClaimVolume)
		if !ok || write.Volume.Name != "a" || write.Volume.ResourceVersion != "3" || write.Claim.Name != "data" || write.ByController {
			t.Errorf("%s: step %+v, want one that claims version 3 of a for data, and leaves its annotation", name, step)
		}
	}
	if got := f.state.Volume("a").Annotations[volume.AnnBoundByController]; got != "no" {
		t.Errorf("the assumed volume's annotation is %q, want it unchanged", got)
	}
}

// An old list shows a state from before the write once more: the last one, or one before that.
func TestPreBindStep_WaitsWhileOldStateIsRead(t *testing.T) {
	claim := mk.Claim("data").Size("1Gi").Class("local").Obj()
	for name, tc := range map[string]struct {
		objects []world.Object
		written func(f *fixture) (old, now world.Object)
	}{
		"of a volume": {
			[]world.Object{mk.Volume("a").Size("4Gi").Class("local").Obj()},
			func(f *fixture) (_, _ world.Object) { return f.state.StoredVolume("a"), f.state.Volume("a") },
		},
		"of a claim": {
			nil,
			func(f *fixture) (_, _ world.Object) {
				return f.state.StoredClaim("default", "data"), f.state.Claim("default", "data")
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			node, pod := mk.Node("n1").Obj(), mk.Pod("db").PVC("data").Obj()
			f := newFixture(t, nil, append([]world.Object{waiting("local", driver), node, pod, claim}, tc.objects...)...)
			state, _ := f.preFilter(pod)
			if got := f.filter(state, pod, node); got != "" {
				t.Fatal(got)
			}
			if status := f.plugin.Reserve(t.Context(), state, pod, "n1"); !status.IsSuccess() {
				t.Fatal(status)
			}
			waits := func(when string, outcome *world.Outcome) {
				t.Helper()
				if step := f.plugin.PreBindStep(state, pod, "n1", time.Unix(0, 0), outcome); step.Wait == nil {
					t.Errorf("%s: step %+v, want a wait", when, step)
				}
			}
			f.plugin.PreBindStep(state, pod, "n1", time.Unix(0, 0), nil)
			waits("after the write", &world.Outcome{})
			old, now := tc.written(f)
			kind := world.KindOf(now)
			f.apply(world.Modified, now)
			waits("once the write is read back, as the claim is not bound", nil)
			for _, version := range []string{old.GetResourceVersion(), "1"} {
				listed := old.DeepCopyObject().(world.Object)
				listed.SetResourceVersion(version)
				if _, errs := f.store.Replace(world.Listed{Kind: kind, Objects: []world.Object{listed}}); len(errs) > 0 {
					t.Fatal(errs)
				}
				if held := f.store.Object(kind, old.GetNamespace(), old.GetName()); held == old || held.GetResourceVersion() != version {
					t.Fatalf("the store has version %s, want another object of version %s", held.GetResourceVersion(), version)
				}
				waits("after a list with version "+version, nil)
			}
		})
	}
}

func TestReserve_VolumeThatHasGone(t *testing.T) {
	pv := mk.Volume("a").Size("4Gi").Class("local").Obj()
	f := newFixture(t, nil, waiting("local", driver), mk.Claim("data").Size("1Gi").Class("local").Obj(), pv)
	pod := mk.Pod("db").PVC("data").Obj()
	state, _ := f.preFilter(pod)
	f.filter(state, pod, mk.Node("n1").Obj())
	f.apply(world.Deleted, pv)
	if got, want := text(f.plugin.Reserve(t.Context(), state, pod, "n1")), `Error: persistentvolumes "a" not found`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Shows FRAME-18.
func TestScore_ByUtilization(t *testing.T) {
	gates := map[string]bool{"StorageCapacityScoring": true}
	asks := mk.Claim("data").Size("2Gi").Class("local").Obj()
	more := mk.Claim("more").Size("1Gi").Class("local").Obj()
	fast := mk.Claim("fast").Size("1Gi").Class("fast").Obj()
	for name, tc := range map[string]struct {
		objects []world.Object
		claims  []string
		want    int64
	}{
		"a volume of twice the size":             {[]world.Object{asks, mk.Volume("pv").Size("4Gi").Class("local").Obj()}, []string{"data"}, 50},
		"two volumes of a class":                 {[]world.Object{asks, more, mk.Volume("a").Size("4Gi").Class("local").Obj(), mk.Volume("b").Size("2Gi").Class("local").Obj()}, []string{"data", "more"}, 50},
		"the mean of two classes":                {[]world.Object{asks, fast, waiting("fast", driver), mk.Volume("a").Size("4Gi").Class("local").Obj(), mk.Volume("b").Size("1Gi").Class("fast").Obj()}, []string{"data", "fast"}, 75},
		"what can be provisioned":                {[]world.Object{asks, mk.CSIDriver(driver), mk.StorageCapacity("c", "local", "8Gi", zone, "a")}, []string{"data"}, 25},
		"two claims share a capacity":            {[]world.Object{asks, more, mk.CSIDriver(driver), mk.StorageCapacity("c", "local", "6Gi", zone, "a")}, []string{"data", "more"}, 50},
		"nothing is known about what there is":   {[]world.Object{asks}, []string{"data"}, 0},
		"volumes hide what would be provisioned": {[]world.Object{asks, fast, waiting("fast", driver), mk.Volume("a").Size("4Gi").Class("local").Obj(), mk.CSIDriver(driver), mk.StorageCapacity("c", "fast", "1Gi", zone, "a")}, []string{"data", "fast"}, 50},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, gates, append(slices.Clone(tc.objects), waiting("local", driver))...)
			b := mk.Pod("db")
			for _, claim := range tc.claims {
				b.PVC(claim)
			}
			pod, node := b.Obj(), mk.Node("n1").Zone("a").Obj()
			state, _ := f.preFilter(pod)
			if rejected := f.filter(state, pod, node); rejected != "" {
				t.Fatal(rejected)
			}
			if status := f.plugin.PreScore(t.Context(), state, pod, nil); !status.IsSuccess() {
				t.Fatal(status)
			}
			if got, _ := f.plugin.Score(t.Context(), state, pod, nodeInfo(node)); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

func TestPreScore_WithoutPreFilter(t *testing.T) {
	f := newFixture(t, map[string]bool{"StorageCapacityScoring": true})
	if got, want := text(f.plugin.PreScore(t.Context(), framework.NewCycleState(), mk.Pod("db").Obj(), nil)), "Error: not found"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHints(t *testing.T) {
	claiming := mk.Pod("db").PVC("data").Obj()
	plain := mk.Pod("web").Obj()
	topologies := waiting("local", driver)
	topologies.AllowedTopologies = []v1.TopologySelectorTerm{{}}
	silent := &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: driver}}
	capacity := func(size string) *storagev1.CSIStorageCapacity {
		return mk.StorageCapacity("c", "local", size, zone, "a")
	}
	bounded := capacity("9Gi")
	bounded.MaximumVolumeSize = capacity("1Gi").Capacity
	for name, tc := range map[string]struct {
		resource      fwk.EventResource
		pod           *v1.Pod
		before, after any
		want          fwk.QueueingHint
	}{
		"a new class":                         {fwk.StorageClass, claiming, nil, waiting("local", driver), fwk.Queue},
		"other topologies":                    {fwk.StorageClass, claiming, waiting("local", driver), topologies, fwk.Queue},
		"a class that changes otherwise":      {fwk.StorageClass, claiming, waiting("local", driver), waiting("local", ""), fwk.QueueSkip},
		"the pod's claim":                     {fwk.PersistentVolumeClaim, claiming, nil, mk.Claim("data").Obj(), fwk.Queue},
		"another claim":                       {fwk.PersistentVolumeClaim, claiming, nil, mk.Claim("other").Obj(), fwk.QueueSkip},
		"a claim of its name elsewhere":       {fwk.PersistentVolumeClaim, claiming, nil, mk.Claim("data").Namespace("shop").Obj(), fwk.QueueSkip},
		"a new CSINode":                       {fwk.CSINode, claiming, nil, mk.CSINode("n1").Obj(), fwk.Queue},
		"a CSINode with another driver":       {fwk.CSINode, claiming, mk.CSINode("n1").Obj(), mk.CSINode("n1").Driver(driver).Obj(), fwk.QueueSkip},
		"a CSINode with a migrated plugin":    {fwk.CSINode, claiming, mk.CSINode("n1").Obj(), mk.CSINode("n1").Migrated("x").Obj(), fwk.Queue},
		"a driver that falls silent":          {fwk.CSIDriver, claiming, mk.CSIDriver(driver), silent, fwk.Queue},
		"the same for a pod without claims":   {fwk.CSIDriver, plain, mk.CSIDriver(driver), silent, fwk.QueueSkip},
		"a driver that publishes from now on": {fwk.CSIDriver, claiming, silent, mk.CSIDriver(driver), fwk.QueueSkip},
		"a new capacity":                      {fwk.CSIStorageCapacity, claiming, nil, capacity("1Gi"), fwk.Queue},
		"more capacity":                       {fwk.CSIStorageCapacity, claiming, capacity("1Gi"), capacity("2Gi"), fwk.Queue},
		"less capacity":                       {fwk.CSIStorageCapacity, claiming, capacity("2Gi"), capacity("1Gi"), fwk.QueueSkip},
		"more capacity, but no larger volume": {fwk.CSIStorageCapacity, claiming, capacity("1Gi"), bounded, fwk.QueueSkip},
		"an object of another kind":           {fwk.StorageClass, claiming, nil, plain, fwk.Queue},
	} {
		t.Run(name, func(t *testing.T) {
			events, err := (&volumebinding.VolumeBinding{}).EventsToRegister(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(events, func(e fwk.ClusterEventWithHint) bool { return e.Event.Resource == tc.resource })
			if got, _ := events[i].QueueingHintFn(klog.Logger{}, tc.pod, tc.before, tc.after); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestNew_Errors(t *testing.T) {
	_, err := volumebinding.New(t.Context(), nil, nil, config.DefaultFeatures())
	if want := "want args to be of type VolumeBindingArgs, got <nil>"; err == nil || err.Error() != want {
		t.Errorf("without args: error %v, want %s", err, want)
	}
	_, err = volumebinding.New(t.Context(), &configv1.VolumeBindingArgs{}, nil, config.DefaultFeatures())
	if want := "its handle, a <nil>, has no state of volumes"; err == nil || err.Error() != want {
		t.Errorf("in another host: error %v, want %s", err, want)
	}
}
