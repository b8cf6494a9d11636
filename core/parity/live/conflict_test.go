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
	"orrery/core/replica"
)

// Two schedulers fill the same nodes, each for pods of its own. Neither can know what the other is about to bind, so now
// and then both take the last room; the kubelet turns one pod away, as kubelets do, and its owner makes another, which
// finds room elsewhere. In the end every pod runs and the nodes are exactly full.
func TestConflict_TwoSchedulersFillNodesExactly(t *testing.T) {
	const each = 200
	s := newScene(t, full(2*each)...)
	other := &scene{t: t, ctx: s.ctx, client: s.client, name: s.name + "-other", began: s.began}
	w := &kubelet{client: s.client, cpu: map[string]int64{}, on: map[types.UID]bool{}, room: 8000}
	w.work(s)
	ours, theirs := s.start(alone), other.start(alone)
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
	s.sound(nil)
	s.agrees(ours)
	s.agrees(theirs)
	t.Logf("%d pods run; %d were turned away on the way", 2*each, w.refusals())
}

// Two replicas without a lease schedule the same pods, which nobody should do: each pod is bound once all the same, and who
// came second forgets what it had supposed.
func TestConflict_SamePodsBoundOnce(t *testing.T) {
	const pods = 200
	s := newScene(t, threeNodes()...)
	watches := s.watchBindings()
	first, second := s.start(alone), s.start(func(o *replica.Options) { alone(o); o.Seed = 2 })
	s.pods(pods, "a", "10m")
	s.bound(pods)
	s.agrees(first)
	s.agrees(second)
	s.sound(watches)
	conflicts := 0
	for _, a := range s.acts("pods") {
		if a.ResponseStatus.Code == 409 {
			conflicts++
		}
	}
	if conflicts == 0 {
		t.Error("they never met")
	}
	t.Logf("%d pods, %d conflicts", pods, conflicts)
}

// kubelet is that of all nodes: it runs what fits, and makes another of what does not.
type kubelet struct {
	client kubernetes.Interface
	room   int64 // of every node, in thousandths of a CPU

	mu      sync.Mutex
	cpu     map[string]int64
	on      map[types.UID]bool
	refused int
}

func (k *kubelet) refusals() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.refused
}

// work goes on until the test ends. An informer follows the pods: the server ends the watch of one who falls behind.
func (k *kubelet) work(s *scene) {
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

func (k *kubelet) admit(s *scene, pod *v1.Pod) {
	pods := k.client.CoreV1().Pods(pod.Namespace)
	asks := pod.Spec.Containers[0].Resources.Requests.Cpu().MilliValue()
	if k.cpu[pod.Spec.NodeName]+asks <= k.room {
		k.cpu[pod.Spec.NodeName] += asks
		if _, err := pods.Patch(s.ctx, pod.Name, types.StrategicMergePatchType, []byte(`{"status":{"phase":"Running"}}`), metav1.PatchOptions{}, "status"); err != nil && s.ctx.Err() == nil {
			s.t.Errorf("running %s: %v", pod.Name, err)
		}
		return
	}
	k.mu.Lock()
	k.refused++
	n := k.refused
	k.mu.Unlock()
	_, _ = pods.Patch(s.ctx, pod.Name, types.StrategicMergePatchType, []byte(`{"status":{"phase":"Failed","reason":"OutOfcpu"}}`), metav1.PatchOptions{}, "status")
	again := apiserver.Pod(fmt.Sprintf("%s-again-%d", pod.Name, n), "80m", "16Mi")
	again.Spec.SchedulerName = pod.Spec.SchedulerName
	_, _ = pods.Create(s.ctx, again, metav1.CreateOptions{})
}
