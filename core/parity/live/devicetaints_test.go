package live_test

import (
	"context"
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/ptr"

	"orrery/core/process/replica"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/release"
	"orrery/core/world"
)

// The leader evicts the pod whose device an administrator taints with a rule, and only that pod, and writes into the rule how far
// it is.
func TestDeviceTaintEviction_RunsOnLeader(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.withDevice("node-0", "gpu-0")
	s.withDevice("node-1", "gpu-1")
	s.grant(scheduler, "system:controller:device-taint-eviction-controller")
	features, err := config.ParseFeatureFlagOf(served, "DRADeviceTaints=true", "DRADeviceTaintRules=true")
	if err != nil {
		t.Fatal(err)
	}
	s.start(func(o *replica.Options) {
		o.Config.Features = features
		o.Controllers = []string{replica.DeviceTaintEviction}
	})
	rules := s.deviceTaintRules()
	rule := &unstructured.Unstructured{}
	rule.SetUnstructuredContent(map[string]any{
		"apiVersion": "resource.k8s.io/" + ruleVersion[served], "kind": "DeviceTaintRule", "metadata": map[string]any{"name": "broken"},
		"spec": map[string]any{
			"deviceSelector": map[string]any{"device": "gpu-0"}, "taint": map[string]any{"key": "broken", "effect": "NoExecute"},
		},
	})
	if _, err := rules.Create(s.ctx, rule, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rules.Delete(context.WithoutCancel(s.ctx), rule.GetName(), metav1.DeleteOptions{}) })
	s.eventually(func() error {
		pod, err := s.client.CoreV1().Pods(v1.NamespaceDefault).Get(s.ctx, "on-gpu-0", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err == nil && pod.DeletionTimestamp == nil {
			err = fmt.Errorf("the pod on the tainted device is not terminating")
		}
		return err
	})
	s.eventually(func() error {
		is, err := rules.Get(s.ctx, rule.GetName(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		conditions, _, err := unstructured.NestedSlice(is.Object, "status", "conditions")
		if err != nil || len(conditions) != 1 || conditions[0].(map[string]any)["message"] != "1 pod evicted since starting the controller." {
			return fmt.Errorf("the rule has the conditions %v: %v", conditions, err)
		}
		return nil
	})
	if pod, err := s.client.CoreV1().Pods(v1.NamespaceDefault).Get(s.ctx, "on-gpu-1", metav1.GetOptions{}); err != nil || pod.DeletionTimestamp != nil {
		t.Errorf("the pod on the other device is evicted: %v", err)
	}
}

// ruleVersion is the version of their API in which a release serves DeviceTaintRules.
var ruleVersion = map[release.Release]string{release.V135: "v1alpha3", release.V136: "v1beta2", release.V137: "v1"}

// deviceTaintRules is a client of them in that version.
func (s *fixture) deviceTaintRules() dynamic.ResourceInterface {
	s.t.Helper()
	return s.dynamicClient().Resource(world.DeviceTaintRule.Resource().GroupResource().WithVersion(ruleVersion[served]))
}

// withDevice has a driver publish a device of a node, and a pod run there with it.
func (s *fixture) withDevice(node, device string) {
	s.t.Helper()
	const driver = "gpu.example.com"
	must := func(err error) {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
	}
	slice := &resourcev1.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: node},
		Spec: resourcev1.ResourceSliceSpec{
			Driver: driver, NodeName: &node, Pool: resourcev1.ResourcePool{Name: node, ResourceSliceCount: 1}, Devices: []resourcev1.Device{{Name: device}},
		},
	}
	slices := s.client.ResourceV1().ResourceSlices()
	_, err := slices.Create(s.ctx, slice, metav1.CreateOptions{})
	must(err)
	s.t.Cleanup(func() { _ = slices.Delete(context.WithoutCancel(s.ctx), node, metav1.DeleteOptions{}) })
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "on-" + device},
		Spec: v1.PodSpec{
			NodeName: node, TerminationGracePeriodSeconds: ptr.To[int64](0), Containers: []v1.Container{{Name: "c", Image: "i"}},
			ResourceClaims: []v1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &device}},
		},
	}
	pod, err = s.client.CoreV1().Pods(v1.NamespaceDefault).Create(s.ctx, pod, metav1.CreateOptions{})
	must(err)
	claims := s.client.ResourceV1().ResourceClaims(v1.NamespaceDefault)
	claim, err := claims.Create(s.ctx, &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: device},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
			Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu"},
		}}}},
	}, metav1.CreateOptions{})
	must(err)
	s.t.Cleanup(func() { _ = claims.Delete(context.WithoutCancel(s.ctx), device, metav1.DeleteOptions{}) })
	claim.Status = resourcev1.ResourceClaimStatus{
		Allocation: &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
			Results: []resourcev1.DeviceRequestAllocationResult{{Request: "gpu", Driver: driver, Pool: node, Device: device}},
		}},
		ReservedFor: []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: pod.Name, UID: pod.UID}},
	}
	_, err = claims.UpdateStatus(s.ctx, claim, metav1.UpdateOptions{})
	must(err)
}
