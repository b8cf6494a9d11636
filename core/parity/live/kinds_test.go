package live_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/parity/apiserver"
)

// kinds is a workload with pods of every kind: the mixed ones, pods with a volume that is made for them or lies on a node, pods with a
// device, and pods that preempt where a budget allows it.
type kinds struct {
	*workload
	storage *storageFixture
}

// newKinds starts storage and drivers with nodes for so many pods.
func newKinds(t *testing.T, pods int) *kinds {
	t.Helper()
	nodes := max(10, pods/25)
	s := newStorage(t, storageOptions{}, workloadNodes(nodes)...)
	s.createGPUs(pods/nodes + 1)
	s.localVolumes(2)
	return &kinds{newWorkload(s.fixture, nodes), s}
}

// place creates so many pods, in waves, and waits until they have nodes. A fifth of them have volumes or devices.
func (k *kinds) place(pods int) {
	k.t.Helper()
	k.preemptUnguarded()
	for k.made < pods {
		k.wave(min(20, pods-k.made))
		k.withVolume(delayed)
		k.withVolume(local)
		k.withDevice()
		k.withVolume(delayed)
		k.withDevice()
		k.waitBound()
	}
	k.addNode()
}

// withVolume creates a pod with a claim for a volume of a class. Those that lie on nodes are fewer than pods may be: then it is one that is made.
func (k *kinds) withVolume(class string) {
	if class == local && k.of[local] >= k.nodes {
		class = delayed
	}
	pod := k.newPod(class, "20m", "16Mi")
	k.storage.claim(pod.Name, class, nil)
	k.add(withClaims(pod, pod.Name))
	k.of[class]++
}

// withDevice creates a pod with a claim for a device.
func (k *kinds) withDevice() {
	k.t.Helper()
	if err := k.podWithDevice(fmt.Sprintf("device-%d", k.made)); err != nil {
		k.t.Fatal(err)
	}
	k.made++
	k.of["device"]++
}

// guarded is the label of pods that a budget protects.
const guarded = "guarded"

// preemptUnguarded fills the small nodes, two of them with pods that a budget protects. A pod of higher priority preempts on the third.
func (k *kinds) preemptUnguarded() {
	t := k.t
	t.Helper()
	k.budget()
	for n := range 6 {
		pod := k.onSmallNode("small", "")
		pod.Spec.NodeSelector[v1.LabelHostname] = fmt.Sprintf("node-%d", k.nodes+n/2)
		if n < 4 {
			pod.Labels = map[string]string{guarded: "yes"}
		}
		k.add(pod)
	}
	k.waitBound()
	high := k.onSmallNode("smallhigh", "high")
	k.add(high)
	k.waitBound()
	for _, pod := range k.list() {
		if pod.Name == high.Name && pod.Spec.NodeName != fmt.Sprintf("node-%d", k.nodes+2) {
			t.Errorf("%s preempted on %s, whose pods a budget protects", pod.Name, pod.Spec.NodeName)
		}
	}
}

// budget creates a budget that allows no disruption.
func (k *kinds) budget() {
	t, budgets := k.t, k.client.PolicyV1().PodDisruptionBudgets(v1.NamespaceDefault)
	t.Helper()
	is, err := budgets.Create(k.ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: guarded},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{guarded: "yes"}}},
	}, metav1.CreateOptions{})
	if err == nil {
		is.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: is.Generation, ExpectedPods: 4, DesiredHealthy: 4, CurrentHealthy: 4}
		_, err = budgets.UpdateStatus(k.ctx, is, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = budgets.Delete(context.Background(), guarded, metav1.DeleteOptions{}) })
}

// kube-scheduler places pods of every kind. A shadow finds no difference, and a recording of it replays to the same decisions.
func TestShadow_PodsOfEveryKind(t *testing.T) {
	pods := count(t, 300)
	k := newKinds(t, pods)
	kubeconfig, err := server.Kubeconfig(apiserver.Admin)
	if err != nil {
		t.Fatal(err)
	}
	s, file := k.fixture, filepath.Join(t.TempDir(), "kinds.orrery")
	record := s.exec("record", "--output=json", "--kubeconfig="+kubeconfig, "--config="+s.configFile(kubeconfig), "--out="+file)
	results := s.shadow()
	s.eventually(func() error { // it exists once the recording has the first lists
		_, err := os.Stat(file)
		return err
	})
	s.eventually(s.startKubeScheduler().ready)
	k.place(pods)
	counters := k.waitCompared(results, k.made)
	if counters.NotCompared > 0 {
		t.Errorf("%d decisions were not compared", counters.NotCompared)
	}
	_ = record.Process.Signal(syscall.SIGINT)
	if code := record.exit(); code != 0 {
		t.Fatalf("recording: exit code %d: %s", code, record.output)
	}
	replay := s.exec("replay", "--verify", file)
	if code := replay.exit(); code != 0 {
		t.Errorf("replaying the recording: exit code %d: %s", code, replay.output)
	}
	t.Logf("%d pods: %+v; %v\n%s%s", k.made, counters, k.of, record.output, replay.output)
}

// Orrery alone, with the rights that "orrery manifests" prints and no others, places pods of every kind: each once, with its claims written,
// and no request refused.
func TestRun_PodsOfEveryKind(t *testing.T) {
	pods := count(t, 300)
	k := newKinds(t, pods)
	s := k.fixture
	s.name, s.lease = v1.DefaultSchedulerName, "kube-scheduler"
	i := s.install("--replace-default")
	watches := s.watchBindings()
	s.forgetLease()
	s.eventually(i.replica().ready)
	k.place(pods)
	s.checkBindings(append(watches, s.watchBindings()...))
	claims, err := s.client.ResourceV1().ResourceClaims(v1.NamespaceDefault).List(s.ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	allocated := map[string]bool{} // those of deleted pods are free again
	for _, claim := range claims.Items {
		allocated[claim.Name] = claim.Status.Allocation != nil && len(claim.Status.ReservedFor) == 1
	}
	for _, pod := range s.list() {
		for _, claim := range pod.Spec.ResourceClaims {
			if !allocated[*claim.ResourceClaimName] {
				t.Errorf("%s is on %q, and its claim for a device is not allocated", pod.Name, pod.Spec.NodeName)
			}
		}
	}
	if len(allocated) != k.of["device"] {
		t.Errorf("there are %d claims for devices, want %d", len(allocated), k.of["device"])
	}
	if refused := i.refused(); len(refused) > 0 {
		t.Errorf("the API server refused %q", refused)
	}
	t.Logf("%d pods: %v", k.made, k.of)
}
