package live_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/difftest"
	"orrery/core/scheduler/release"
)

const (
	gpuDriver = "gpu.example.com"
	gpuClass  = "gpu"
	// gpuResource is the extended resource that the class serves, where that is on by default.
	gpuResource = "example.com/gpu"
)

// claimsVariable has the number of pods with claims.
const claimsVariable = "ORRERY_CLAIMS"

// Every pod gets a device of its own on its node, by Orrery as by kube-scheduler.
func TestDevices_OneForEachPod(t *testing.T) {
	pods := difftest.Number(t, claimsVariable, 100)
	for name, program := range map[string]schedulerProgram{"Orrery": orrery, "kube-scheduler": kubeScheduler} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t, deviceNodes(pods)...)
			s.createGPUs(devicesPerNode)
			p := s.scheduleAs(scheduler, program)
			s.eventually(p.ready)
			began := time.Now()
			s.podsWithDevice(pods)
			s.bound(pods)
			t.Logf("%d pods are bound in %s", pods, time.Since(began).Round(time.Millisecond))
			s.checkDevices(pods)
		})
	}
}

// So does it though the leader is killed in the middle and another replica goes on.
// Shows DRA-16.
func TestDevices_OneForEachPodAcrossFailover(t *testing.T) {
	pods := difftest.Number(t, claimsVariable, 100)
	s := newFixture(t, deviceNodes(pods)...)
	s.leaseDuration = s.shortLease()
	s.createGPUs(devicesPerNode)
	first := s.scheduleAs(scheduler, orrery)
	s.eventually(first.ready)
	s.eventually(func() error { return s.tenureOf(scheduler, 1) })
	second := s.scheduleAs(rival, orrery)
	s.eventually(second.follows)
	s.keepRunning(second)
	s.podsWithDevice(pods)
	s.eventually(func() error { return s.atLeastBound(pods / 4) })
	_ = first.Process.Kill()
	s.eventually(func() error { return s.leads(rival) })
	s.bound(pods)
	s.checkDevices(pods)
	for _, b := range s.bindingsWithoutLease() {
		t.Errorf("a binding without the lease: %s", b)
	}
}

const devicesPerNode = 40

// deviceNodes are nodes that have a few devices more than pods.
func deviceNodes(pods int) []*v1.Node {
	nodes := make([]*v1.Node, pods/devicesPerNode+1)
	for i := range nodes {
		nodes[i] = apiserver.Node(i, "8", "16Gi", "110")
	}
	return nodes
}

// checkDevices checks that each pod has a device of its node for itself.
func (s *fixture) checkDevices(pods int) {
	s.t.Helper()
	claims, err := s.client.ResourceV1().ResourceClaims(v1.NamespaceDefault).List(s.ctx, metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	byName, taken := map[string]*v1.Pod{}, map[string]string{}
	for _, pod := range s.list() {
		byName[pod.Name] = &pod
	}
	for _, claim := range claims.Items {
		pod := byName[claim.Name]
		if claim.Status.Allocation == nil || len(claim.Status.Allocation.Devices.Results) != 1 || len(claim.Status.ReservedFor) != 1 {
			s.t.Errorf("claim %s has the status %+v", claim.Name, claim.Status)
			continue
		}
		device := claim.Status.Allocation.Devices.Results[0]
		if device.Pool != pod.Spec.NodeName || claim.Status.ReservedFor[0].UID != pod.UID {
			s.t.Errorf("pod %s is on %s, its device %s on %s for %v", pod.Name, pod.Spec.NodeName, device.Device, device.Pool, claim.Status.ReservedFor)
		}
		id := device.Pool + "/" + device.Device
		if other := taken[id]; other != "" {
			s.t.Errorf("%s was allocated to %s and to %s", id, other, claim.Name)
		}
		taken[id] = claim.Name
	}
	if len(taken) != pods {
		s.t.Errorf("%d devices are allocated, want %d", len(taken), pods)
	}
}

// createGPUs has a driver publish devices of every node, and creates their class.
func (s *fixture) createGPUs(perNode int) {
	s.t.Helper()
	resources := s.client.ResourceV1()
	class := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: gpuClass}}
	class.Spec.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %q", gpuDriver)}}}
	if served >= release.V136 {
		class.Spec.ExtendedResourceName = ptr.To(gpuResource)
	}
	if _, err := resources.DeviceClasses().Create(s.ctx, class, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	nodes, err := s.client.CoreV1().Nodes().List(s.ctx, metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, node := range nodes.Items {
		slice := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node.Name + "-gpus"}}
		slice.Spec = resourcev1.ResourceSliceSpec{Driver: gpuDriver, NodeName: &node.Name, Pool: resourcev1.ResourcePool{Name: node.Name, ResourceSliceCount: 1}}
		for i := range perNode {
			slice.Spec.Devices = append(slice.Spec.Devices, resourcev1.Device{Name: fmt.Sprintf("gpu-%d", i)})
		}
		if _, err := resources.ResourceSlices().Create(s.ctx, slice, metav1.CreateOptions{}); err != nil {
			s.t.Fatal(err)
		}
	}
	s.t.Cleanup(func() {
		ctx := context.WithoutCancel(s.ctx)
		_ = resources.DeviceClasses().Delete(ctx, gpuClass, metav1.DeleteOptions{})
		_ = resources.ResourceSlices().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
		s.deleteClaims(ctx)
	})
}

// deleteClaims deletes all claims with their finalizers, which a claim controller would remove.
func (s *fixture) deleteClaims(ctx context.Context) {
	claims := s.client.ResourceV1().ResourceClaims(v1.NamespaceDefault)
	all, err := claims.List(ctx, metav1.ListOptions{})
	if err != nil {
		s.t.Error(err)
		return
	}
	several := errgroup.Group{}
	several.SetLimit(8)
	for _, claim := range all.Items {
		several.Go(func() error {
			if _, err := claims.Patch(ctx, claim.Name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
				return err
			}
			return claims.Delete(ctx, claim.Name, metav1.DeleteOptions{})
		})
	}
	if err := several.Wait(); err != nil {
		s.t.Error(err)
	}
}

// podsWithDevice creates pods, each with a claim of its name for one device.
func (s *fixture) podsWithDevice(n int) {
	s.t.Helper()
	several := errgroup.Group{}
	several.SetLimit(8)
	for i := range n {
		several.Go(func() error { return s.podWithDevice(fmt.Sprintf("train-%d", i)) })
	}
	if err := several.Wait(); err != nil {
		s.t.Fatal(err)
	}
}

// podWithDevice creates a pod, and a claim of the same name for one device.
func (s *fixture) podWithDevice(name string) error {
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}}
	claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: gpuClass}}}
	if _, err := s.client.ResourceV1().ResourceClaims(v1.NamespaceDefault).Create(s.ctx, claim, metav1.CreateOptions{}); err != nil {
		return err
	}
	pod := apiserver.Pod(name, "10m", "16Mi")
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &name}}
	_, err := s.create(pod)
	return err
}
