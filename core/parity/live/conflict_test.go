package live_test

import (
	"fmt"
	"sync"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"orrery/core/parity/apiserver"
	"orrery/core/process/replica"
)

// Two schedulers fill the same nodes, each with its own pods. Neither knows the other's assumed pods, so sometimes both fill
// the last capacity of a node; the kubelet rejects one pod, and its owner creates another, which fits elsewhere. In the end
// every pod runs and the nodes are exactly full.
func TestConflict_TwoSchedulersFillNodesExactly(t *testing.T) {
	const each = 200
	s := newFixture(t, nodesFor(2*each)...)
	other := new(*s)
	other.name += "-other"
	w := &kubelet{client: s.client, cpu: map[string]int64{}, on: map[types.UID]bool{}, capacity: 8000}
	w.run(s)
	ours, theirs := s.start(withoutLease), other.start(withoutLease)
	s.pods(each, "ours", "80m")
	other.pods(each, "theirs", "80m")
	s.eventually(func() error {
		running, bound := 0, 0
		for _, pod := range s.list() {
			if pod.Spec.NodeName != "" {
				bound++
			}
			if pod.Status.Phase == v1.PodRunning {
				running++
			}
		}
		if running != 2*each {
			return fmt.Errorf("%d pods run, %d are bound, want %d", running, bound, 2*each)
		}
		return nil
	})
	s.checkBindings(nil)
	s.checkCache(ours)
	s.checkCache(theirs)
	t.Logf("%d pods run; kubelets rejected %d", 2*each, w.rejections())
}

// Two replicas without a lease schedule the same pods, which is a misconfiguration: still each pod is bound once, and the
// replica whose binding fails forgets the assumed pod.
func TestConflict_SamePodsBoundOnce(t *testing.T) {
	const pods = 200
	s := newFixture(t, threeNodes()...)
	watches := s.watchBindings()
	first, second := s.start(withoutLease), s.start(func(o *replica.Options) { withoutLease(o); o.Seed = 2 })
	s.eventually(first.Synced) // if one is late, the other binds all pods without a conflict
	s.eventually(second.Synced)
	s.pods(pods, "a", "10m")
	s.bound(pods)
	s.checkCache(first)
	s.checkCache(second)
	s.checkBindings(watches)
	conflicts := 0
	for _, a := range s.auditedWrites("pods") {
		if a.ResponseStatus.Code == 409 {
			conflicts++
		}
	}
	if conflicts == 0 {
		t.Error("no binding conflicted: the test compared nothing")
	}
	t.Logf("%d pods, %d conflicts", pods, conflicts)
}

// kubelet acts as all nodes' kubelet: it runs pods that fit, and replaces those that do not.
type kubelet struct {
	client   kubernetes.Interface
	capacity int64 // of every node, in millicpu

	mu       sync.Mutex
	cpu      map[string]int64
	on       map[types.UID]bool
	rejected int
}

func (k *kubelet) rejections() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.rejected
}

// run runs until the test ends. It uses an informer, since the server ends a watch that falls behind.
func (k *kubelet) run(s *fixture) {
	factory := informers.NewSharedInformerFactory(k.client, 0)
	see := func(o any) {
		pod := o.(*v1.Pod)
		if pod.Spec.NodeName != "" && pod.Status.Phase == v1.PodPending && !k.on[pod.UID] {
			k.on[pod.UID] = true
			k.admit(s, pod)
		}
	}
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: see, UpdateFunc: func(_, o any) { see(o) },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	factory.Start(s.ctx.Done())
	s.t.Cleanup(factory.Shutdown)
}

func (k *kubelet) admit(s *fixture, pod *v1.Pod) {
	pods := k.client.CoreV1().Pods(pod.Namespace)
	request := pod.Spec.Containers[0].Resources.Requests.Cpu().MilliValue()
	if k.cpu[pod.Spec.NodeName]+request <= k.capacity {
		k.cpu[pod.Spec.NodeName] += request
		if _, err := pods.Patch(s.ctx, pod.Name, types.StrategicMergePatchType, []byte(`{"status":{"phase":"Running"}}`), metav1.PatchOptions{}, "status"); err != nil && s.ctx.Err() == nil {
			s.t.Errorf("running %s: %v", pod.Name, err)
		}
		return
	}
	k.mu.Lock()
	k.rejected++
	n := k.rejected
	k.mu.Unlock()
	_, _ = pods.Patch(s.ctx, pod.Name, types.StrategicMergePatchType, []byte(`{"status":{"phase":"Failed","reason":"OutOfcpu"}}`), metav1.PatchOptions{}, "status")
	again := apiserver.Pod(fmt.Sprintf("%s-again-%d", pod.Name, n), "80m", "16Mi")
	again.Spec.SchedulerName = pod.Spec.SchedulerName
	_, _ = pods.Create(s.ctx, again, metav1.CreateOptions{})
}
