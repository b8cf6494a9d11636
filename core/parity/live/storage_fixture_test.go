package live_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/storage"
	"orrery/core/world"
)

// Storage classes of the tests: volumes of the driver, made once a pod of the claim has a node, or at once in zone-1; and
// volumes that exist beforehand, each on one node.
const (
	delayed   = "delayed"
	immediate = "immediate"
	local     = "local"
)

// storageFixture is a fixture with storage: controllers, a provisioner and kubelets that run until the test ends.
type storageFixture struct {
	*fixture
	*storage.Cluster

	nodes     []*v1.Node
	scheduler *running // of the scenarios
}

// storageOptions are how slow the provisioner is, and how many volumes of the driver a node can have, if limited.
type storageOptions struct {
	latency time.Duration
	limit   int32
}

func newStorage(t *testing.T, o storageOptions, nodes ...*v1.Node) *storageFixture {
	t.Helper()
	for _, node := range nodes {
		storage.Managed(node)
	}
	s := &storageFixture{fixture: newFixture(t, nodes...), nodes: nodes}
	t.Cleanup(s.clearStorage)
	if err := storage.Install(s.ctx, s.client, nodes, o.limit); err != nil {
		t.Fatal(err)
	}
	s.class(storage.Class(delayed, storage.Driver, storagev1.VolumeBindingWaitForFirstConsumer))
	atOnce := storage.Class(immediate, storage.Driver, storagev1.VolumeBindingImmediate)
	atOnce.AllowedTopologies = []v1.TopologySelectorTerm{{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{
		{Key: v1.LabelTopologyZone, Values: []string{"zone-1"}},
	}}}
	s.class(atOnce)
	s.class(storage.Class(local, storagevolume.NotSupportedProvisioner, storagev1.VolumeBindingWaitForFirstConsumer))
	manager, err := controllerManager(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if s.Cluster, err = storage.Start(context.Background(), storage.Options{Client: s.client, Latency: o.latency, Manager: manager}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// zonedNodes returns so many nodes with 8 CPUs each, in three zones.
func zonedNodes(n int) (nodes []*v1.Node) {
	for i := range n {
		nodes = append(nodes, apiserver.Node(i, "8", "64Gi", "110"))
	}
	return nodes
}

func (s *storageFixture) class(class *storagev1.StorageClass) {
	s.t.Helper()
	if _, err := s.client.StorageV1().StorageClasses().Create(s.ctx, class, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

// clearStorage deletes the test's objects whose controllers have stopped.
func (s *storageFixture) clearStorage() {
	ctx, zero := context.Background(), *metav1.NewDeleteOptions(0)
	core, storageV1, all := s.client.CoreV1(), s.client.StorageV1(), metav1.ListOptions{}
	_ = s.client.AppsV1().StatefulSets(metav1.NamespaceDefault).DeleteCollection(ctx, zero, all)
	_ = s.client.AppsV1().ControllerRevisions(metav1.NamespaceDefault).DeleteCollection(ctx, zero, all)
	_ = core.Pods(metav1.NamespaceDefault).DeleteCollection(ctx, zero, all)
	_ = core.PersistentVolumeClaims(metav1.NamespaceDefault).DeleteCollection(ctx, zero, all)
	_ = core.PersistentVolumes().DeleteCollection(ctx, zero, all)
	s.release(ctx)
	_ = storageV1.VolumeAttachments().DeleteCollection(ctx, zero, all)
	_ = storageV1.StorageClasses().DeleteCollection(ctx, zero, all)
	_ = storageV1.CSINodes().DeleteCollection(ctx, zero, all)
	_ = storageV1.CSIDrivers().DeleteCollection(ctx, zero, all)
	_ = storageV1.CSIStorageCapacities(metav1.NamespaceDefault).DeleteCollection(ctx, zero, all)
}

// release removes the finalizers of claims and volumes, whose controllers have stopped.
func (s *storageFixture) release(ctx context.Context) {
	none := []byte(`{"metadata":{"finalizers":null}}`)
	several := errgroup.Group{}
	several.SetLimit(16)
	for _, claim := range s.claims() {
		several.Go(func() error {
			_, err := s.client.CoreV1().PersistentVolumeClaims(claim.Namespace).Patch(ctx, claim.Name, types.MergePatchType, none, metav1.PatchOptions{})
			return err
		})
	}
	for _, volume := range s.volumes() {
		several.Go(func() error {
			_, err := s.client.CoreV1().PersistentVolumes().Patch(ctx, volume.Name, types.MergePatchType, none, metav1.PatchOptions{})
			return err
		})
	}
	if err := several.Wait(); err != nil && !apierrors.IsNotFound(err) {
		s.t.Error(err)
	}
}

func (s *storageFixture) claims() []v1.PersistentVolumeClaim {
	s.t.Helper()
	list, err := s.client.CoreV1().PersistentVolumeClaims(metav1.NamespaceDefault).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return list.Items
}

func (s *storageFixture) volumes() []v1.PersistentVolume {
	s.t.Helper()
	list, err := s.client.CoreV1().PersistentVolumes().List(context.Background(), metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return list.Items
}

// claim creates a claim of 1 GiB.
func (s *storageFixture) claim(name, class string, change func(*v1.PersistentVolumeClaim)) {
	s.t.Helper()
	claim := newClaim(name, class)
	if change != nil {
		change(claim)
	}
	if _, err := s.client.CoreV1().PersistentVolumeClaims(metav1.NamespaceDefault).Create(s.ctx, claim, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

func newClaim(name, class string) *v1.PersistentVolumeClaim {
	return &v1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault},
		Spec: v1.PersistentVolumeClaimSpec{
			AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}, StorageClassName: &class,
			Resources: v1.VolumeResourceRequirements{Requests: v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}
}

// localVolumes creates volumes on each node, and waits until they are available.
func (s *storageFixture) localVolumes(each int) {
	s.t.Helper()
	several := errgroup.Group{}
	several.SetLimit(16)
	for _, node := range s.nodes {
		for i := range each {
			several.Go(func() error {
				_, err := s.client.CoreV1().PersistentVolumes().Create(s.ctx, localVolume(fmt.Sprintf("disk-%s-%d", node.Name, i), node.Name), metav1.CreateOptions{})
				return err
			})
		}
	}
	if err := several.Wait(); err != nil {
		s.t.Fatal(err)
	}
	s.eventually(func() error {
		for _, volume := range s.volumes() {
			if volume.Status.Phase != v1.VolumeAvailable {
				return fmt.Errorf("volume %s is %s", volume.Name, volume.Status.Phase)
			}
		}
		return nil
	})
}

func localVolume(name, node string) *v1.PersistentVolume {
	return &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1.PersistentVolumeSpec{
			Capacity: v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}, AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
			StorageClassName: local, PersistentVolumeReclaimPolicy: v1.PersistentVolumeReclaimRetain,
			NodeAffinity:           storage.In(v1.LabelHostname, node),
			PersistentVolumeSource: v1.PersistentVolumeSource{Local: &v1.LocalVolumeSource{Path: "/mnt/" + name}},
		},
	}
}

// withClaims makes a pod mount claims.
func withClaims(pod *v1.Pod, claims ...string) *v1.Pod {
	for i, claim := range claims {
		pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: fmt.Sprintf("v%d", i), VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
		}})
	}
	return pod
}

// statefulSet creates a StatefulSet for the fixture's scheduler, whose pods have a claim of each of some classes.
func (s *storageFixture) statefulSet(name string, replicas int, classes []string, change func(*appsv1.StatefulSet)) {
	s.t.Helper()
	pod, n, labels := apiserver.Pod("", "80m", "16Mi"), int32(replicas), map[string]string{"app": name}
	pod.Spec.SchedulerName = s.name
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault},
		Spec: appsv1.StatefulSetSpec{
			Replicas: &n, ServiceName: name, PodManagementPolicy: appsv1.ParallelPodManagement, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod.Spec},
		},
	}
	for _, class := range classes {
		set.Spec.VolumeClaimTemplates = append(set.Spec.VolumeClaimTemplates, *newClaim(class, class))
	}
	if change != nil {
		change(set)
	}
	if _, err := s.client.AppsV1().StatefulSets(metav1.NamespaceDefault).Create(s.ctx, set, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

// waitRunning waits until exactly n pods run.
func (s *storageFixture) waitRunning(n int) {
	s.t.Helper()
	s.eventually(func() error {
		running, pending := 0, (*v1.Pod)(nil)
		pods := s.list()
		for i := range pods {
			if pods[i].Status.Phase == v1.PodRunning {
				running++
			} else {
				pending = &pods[i]
			}
		}
		if pending != nil {
			return fmt.Errorf("%d pods run, want %d; one that does not:\n%s", running, n, strings.Join(append(s.described(pending), s.describedClaims(pending)...), "\n"))
		}
		if running != n {
			return fmt.Errorf("%d pods run, want %d", running, n)
		}
		return nil
	})
}

// describedClaims returns the state of a pod's claims, one per line.
func (s *storageFixture) describedClaims(pod *v1.Pod) (lines []string) {
	for i := range pod.Spec.Volumes {
		name, _ := world.ClaimOf(pod, &pod.Spec.Volumes[i])
		claim, err := s.client.CoreV1().PersistentVolumeClaims(pod.Namespace).Get(s.ctx, name, metav1.GetOptions{})
		if err != nil {
			lines = append(lines, err.Error())
			continue
		}
		lines = append(lines, fmt.Sprintf("claim %s: %s, volume %q, %v", name, claim.Status.Phase, claim.Spec.VolumeName, claim.Annotations))
	}
	return lines
}
