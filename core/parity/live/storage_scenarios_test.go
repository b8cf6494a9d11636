package live_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/parity/apiserver"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// scenario is a short story of pods with volumes. Three nodes are in a zone each, one scheduler runs, and whatever the
// scenario creates is deleted after it.
type scenario struct {
	name string
	play func(s *storageFixture)
}

// Upstream tests in a whole cluster what these scenarios tell: test/e2e/storage/persistent_volumes-local.go, persistent_volumes.go,
// pvc_protection.go, csimock/csi_storage_capacity.go, csimock/csi_volume_limit.go, testsuites/topology.go, testsuites/volumelimits.go,
// testsuites/readwriteoncepod.go and test/e2e/apps/statefulset.go. Those binaries cannot run here: they read and write files
// through containers, which needs a kubelet, a container runtime and a CSI driver. What only those can show is left out: that
// data outlives a pod, modes and owners of files, mounts that fail, snapshots and clones, resizing, readiness probes, a pod
// that its kubelet rejects, and what the garbage collector removes.
func TestStorage_Scenarios(t *testing.T) {
	s := newStorage(t, storageOptions{}, zonedNodes(3)...)
	s.priorities()
	s.scheduler = s.start(withoutLease)
	for _, story := range append(claimScenarios, statefulScenarios...) {
		t.Run(story.name, func(t *testing.T) {
			sub := *s
			sub.fixture = new(*s.fixture)
			sub.t = t
			defer sub.clean()
			story.play(&sub)
		})
	}
}

// clean deletes the scenario's objects and waits until the controllers have released them.
func (s *storageFixture) clean() {
	s.t.Helper()
	all, zero := metav1.ListOptions{}, *metav1.NewDeleteOptions(0)
	core, sets := s.client.CoreV1(), s.client.AppsV1().StatefulSets(metav1.NamespaceDefault)
	s.eventually(func() error { // else a controller could replace a pod after the last look at pods
		list, err := sets.List(s.ctx, all)
		if err != nil {
			return err
		}
		for _, set := range list.Items {
			if *set.Spec.Replicas > 0 || set.Status.ObservedGeneration < set.Generation {
				s.scale(set.Name, 0)
				return fmt.Errorf("the controller has not seen that %s is scaled to zero", set.Name)
			}
		}
		return nil
	})
	_ = sets.DeleteCollection(s.ctx, zero, all)
	s.eventually(func() error {
		_ = core.Pods(metav1.NamespaceDefault).DeleteCollection(s.ctx, zero, all)
		_ = core.PersistentVolumeClaims(metav1.NamespaceDefault).DeleteCollection(s.ctx, zero, all)
		_ = core.PersistentVolumes().DeleteCollection(s.ctx, zero, all)
		if pods, claims, volumes := len(s.list()), len(s.claims()), len(s.volumes()); pods+claims+volumes > 0 {
			return fmt.Errorf("%d pods, %d claims and %d volumes are left", pods, claims, volumes)
		}
		return nil
	})
}

// on is a pod that only the nodes with this label fit.
func on(pod *v1.Pod, key, value string) *v1.Pod {
	pod.Spec.NodeSelector = map[string]string{key: value}
	return pod
}

func small(name string) *v1.Pod { return apiserver.Pod(name, "10m", "16Mi") }

func (s *storageFixture) pod(name string) *v1.Pod {
	s.t.Helper()
	pod, err := s.client.CoreV1().Pods(metav1.NamespaceDefault).Get(s.ctx, name, metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return pod
}

// runs waits until pods run, and returns their nodes.
func (s *storageFixture) runs(names ...string) (nodes []string) {
	s.t.Helper()
	for _, name := range names {
		s.eventually(func() error {
			pod, err := s.client.CoreV1().Pods(metav1.NamespaceDefault).Get(s.ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if pod.Status.Phase != v1.PodRunning {
				return fmt.Errorf("it does not run:\n%s", strings.Join(append(s.described(pod), s.describedClaims(pod)...), "\n"))
			}
			return nil
		})
		nodes = append(nodes, s.pod(name).Spec.NodeName)
	}
	return nodes
}

// runsOn waits until a pod runs, and checks its node.
func (s *storageFixture) runsOn(node, name string) {
	s.t.Helper()
	if got := s.runs(name); got[0] != node {
		s.t.Errorf("%s runs on %s, want %s", name, got[0], node)
	}
}

// waits waits until a pod is unschedulable for these reasons, and has an event. A later attempt's reasons are counted in the
// event of the first, whose text stays.
func (s *storageFixture) waits(name string, reasons ...string) {
	s.t.Helper()
	s.eventually(func() error {
		pod, err := s.client.CoreV1().Pods(metav1.NamespaceDefault).Get(s.ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		i := slices.IndexFunc(pod.Status.Conditions, func(c v1.PodCondition) bool { return c.Reason == v1.PodReasonUnschedulable })
		if i < 0 || len(s.eventsOf(pod)) == 0 {
			return fmt.Errorf("%s is not reported unschedulable yet", name)
		}
		for _, reason := range reasons {
			if !strings.Contains(pod.Status.Conditions[i].Message, reason) {
				return fmt.Errorf("%s: want %q in the condition:\n%s", name, reason, strings.Join(s.described(pod), "\n"))
			}
		}
		return nil
	})
}

func (s *storageFixture) deletePod(name string) {
	s.t.Helper()
	if err := s.client.CoreV1().Pods(metav1.NamespaceDefault).Delete(s.ctx, name, *metav1.NewDeleteOptions(0)); err != nil {
		s.t.Fatal(err)
	}
}

// knows waits until the scheduler knows an object in the wanted state. Kinds are watched one by one: a pod that is created
// after another object was changed may be seen before that change.
func knows[T world.Object](s *storageFixture, kind world.Kind, namespace, name string, as func(T) bool) {
	s.t.Helper()
	s.knowsIf(kind, namespace, name, func(o world.Object) bool {
		typed, ok := o.(T)
		return ok && as(typed)
	})
}

// knowsIf waits until as holds of what the scheduler knows of an object, nil if it knows none.
func (s *storageFixture) knowsIf(kind world.Kind, namespace, name string, as func(world.Object) bool) {
	s.t.Helper()
	s.eventually(func() error {
		known := false
		err := s.scheduler.Inspect(s.ctx, func(e *engine.Engine) { known = as(e.Store().Object(kind, namespace, name)) })
		if !known {
			err = errors.Join(err, fmt.Errorf("the scheduler does not know the change of %s %s", kind, name))
		}
		return err
	})
}

// deleteClaim deletes a claim, which stays as long as a pod uses it, and waits until the scheduler knows.
func (s *storageFixture) deleteClaim(name string) {
	s.t.Helper()
	claims := s.client.CoreV1().PersistentVolumeClaims(metav1.NamespaceDefault)
	claim, err := claims.Get(s.ctx, name, metav1.GetOptions{})
	if err == nil {
		err = claims.Delete(s.ctx, name, metav1.DeleteOptions{})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.knowsIf(world.PersistentVolumeClaim, metav1.NamespaceDefault, name, func(o world.Object) bool {
		return o == nil || o.GetUID() != claim.UID || o.GetDeletionTimestamp() != nil
	})
}

// volume creates a volume and waits until the controller has taken it in.
func (s *storageFixture) volume(volume *v1.PersistentVolume) {
	s.t.Helper()
	if _, err := s.client.CoreV1().PersistentVolumes().Create(s.ctx, volume, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	s.eventually(func() error {
		got, err := s.client.CoreV1().PersistentVolumes().Get(s.ctx, volume.Name, metav1.GetOptions{})
		if err == nil && (got.Status.Phase == "" || got.Status.Phase == v1.VolumePending) {
			err = errors.New(volume.Name + " is not available")
		}
		return err
	})
}

// cordon cordons or uncordons a node.
func (s *storageFixture) cordon(node string, yes bool) {
	s.t.Helper()
	patch := fmt.Appendf(nil, `{"spec":{"unschedulable":%v}}`, yes)
	if _, err := s.client.CoreV1().Nodes().Patch(s.ctx, node, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		s.t.Fatal(err)
	}
	knows(s, world.Node, "", node, func(o *v1.Node) bool { return o.Spec.Unschedulable == yes })
}
