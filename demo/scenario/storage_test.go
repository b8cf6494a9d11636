package scenario_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// storageObserver knows the storage objects that a scheduler was told of.
type storageObserver struct {
	objects map[string]string
	now     time.Time
}

func (l *storageObserver) Applied(in world.Input, _ error) {
	l.now = in.At
	switch e := in.Event.(type) {
	case world.Listed:
		for _, o := range e.Objects {
			l.learn(world.Added, o)
		}
	case world.Changed:
		l.learn(e.Op, e.Object)
	}
}

func (l *storageObserver) learn(op world.Op, o world.Object) {
	var text string
	switch o := o.(type) {
	case *v1.PersistentVolumeClaim:
		text = fmt.Sprintf("claim %s %s", o.Name, o.Status.Phase)
	case *v1.PersistentVolume:
		of := "nothing"
		if o.Spec.ClaimRef != nil {
			of = o.Spec.ClaimRef.Name
		}
		text = fmt.Sprintf("volume for %s %s", of, o.Status.Phase)
		if a := o.Spec.NodeAffinity; a != nil {
			text += " in " + a.Required.NodeSelectorTerms[0].MatchExpressions[0].Values[0]
		}
	case *storagev1.VolumeAttachment:
		text = fmt.Sprintf("attachment to %s %v", o.Spec.NodeName, o.Status.Attached)
		if o.DeletionTimestamp != nil {
			text += " deleting"
		}
	case *storagev1.CSIStorageCapacity:
		text = fmt.Sprintf("capacity of %s in %s %s", o.StorageClassName, o.NodeTopology.MatchLabels[v1.LabelTopologyZone], o.Capacity)
	case *storagev1.CSINode:
		text = fmt.Sprintf("node %s with %s %d", o.Name, o.Spec.Drivers[0].Name, *o.Spec.Drivers[0].Allocatable.Count)
	default:
		return
	}
	key := fmt.Sprintf("%s %s/%s", world.KindOf(o), o.GetNamespace(), o.GetName())
	if l.objects[key] = text; op == world.Deleted {
		delete(l.objects, key)
	}
}

func (l *storageObserver) Stepped(*engine.Decision) {}
func (l *storageObserver) Emitted(world.Effect)     {}

// storageAtEnd plays a scenario and lists the storage objects at its end.
func storageAtEnd(t *testing.T, text string) []string {
	t.Helper()
	l := &storageObserver{objects: map[string]string{}}
	_, err := parsed(t, text).Play(func(*engine.Engine, engine.Options) (drive.Observer, error) { return l, nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, text := range l.objects {
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

func wantStorage(t *testing.T, text string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, storageAtEnd(t, text)); diff != "" {
		t.Errorf("at the end (-want +got):\n%s", diff)
	}
}

// disksAtEast is a cluster with a driver of one zone, whose volumes are made at once.
const disksAtEast = `
cluster:
  latency: none
  nodes: [{name: n, count: 2, zone: east, cpu: 4, memory: 8Gi, drivers: {disks: 9}}]
  storage:
    drivers: {disks: {topology: zone, capacity: {east: 10Gi}}}
    classes: {fast: {provisioner: disks, default: true}}
    claims: [{name: one, size: 4Gi}, {name: two, size: 4Gi, class: fast}]
`

func TestStorage_ZoneRunsOut(t *testing.T) {
	wantStorage(t, disksAtEast+`
steps:
  - {at: 1s, storage: {capacity: {disks: {east: 1Gi}}}, create: db}
  - {at: 20s, storage: {deleteClaims: two}}
workloads:
  - {statefulset: db, volumes: {data: 2Gi}}
`, "attachment to n-1 true", "capacity of fast in east 3Gi", "claim data-db-0 Bound", "claim one Bound",
		"node n-1 with disks 9", "node n-2 with disks 9", "volume for data-db-0 Bound in east", "volume for one Bound in east")
}

func TestStorage_ProvisionerHangs(t *testing.T) {
	hang := func(d string) string {
		return disksAtEast + "steps: [{at: 0s, storage: {provisionerHangs: {disks: " + d + "}}}, {at: 1s, create: db}]\n" +
			"workloads: [{statefulset: db, volumes: {data: 1Gi}}]\n"
	}
	for d, want := range map[string]string{"30s": "claim data-db-0 Bound", "90s": "claim data-db-0 Pending"} {
		if got := storageAtEnd(t, hang(d)); !slices.Contains(got, want) {
			t.Errorf("after a hang of %s there are %v, want %s", d, got, want)
		}
	}
}

func TestStorage_WarmupTakesRoom(t *testing.T) {
	got := storageAtEnd(t, "warmup: 1m\n"+disksAtEast)
	if want := "capacity of fast in east 2Gi"; !slices.Contains(got, want) {
		t.Errorf("there are %v, want %s", got, want)
	}
}

// A node dies under a pod. The volume stays there until the node is out of service, and longer if its detachment fails.
func TestStorage_StuckOnDeadNode(t *testing.T) {
	story := disksAtEast + `
length: 20m
objects:
  - kind: Pod
    metadata: {name: p}
    spec: {nodeName: n-1, containers: [{name: a, image: a}], volumes: [{name: v, persistentVolumeClaim: {claimName: one}}]}
steps:
  - {at: 10s, disconnect: n-1}
`
	outOfService := `  - {at: 8m, taint: {nodes: n-1, taints: ["node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"]}}` + "\n"
	for _, row := range []struct{ name, more, want string }{
		{"nothing is done", "", "attachment to n-1 true"},
		{"the node is out of service", outOfService, ""},
		{"and its volume cannot be detached", outOfService + "  - {at: 5m, storage: {detachFails: {one: 30m}}}\n", "attachment to n-1 true deleting"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := slices.DeleteFunc(storageAtEnd(t, story+row.more), func(s string) bool { return !strings.HasPrefix(s, "attachment") })
			if strings.Join(got, ", ") != row.want {
				t.Errorf("the attachments are %q, want %q", got, row.want)
			}
		})
	}
}

func TestStorage_RuntimeErrorsNameField(t *testing.T) {
	for text, want := range map[string]string{
		"detachFails: {two: 1s}": `steps[1].storage: persistentvolumeclaims "two" not found, 2s after the beginning`,
		"deleteClaims: two":      `steps[1].storage: persistentvolumeclaims "two" not found, 2s after the beginning`,
	} {
		_, err := parsed(t, disksAtEast+"steps: [{at: 1s, storage: {deleteClaims: two}}, {at: 2s, storage: {"+text+"}}]\n").
			Play(func(*engine.Engine, engine.Options) (drive.Observer, error) {
				return &storageObserver{objects: map[string]string{}}, nil
			}, nil)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s ends with %v, want %s", text, err, want)
		}
	}
}
