package live_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/difftest"
)

// fitsVariable has the number of files that are asked about, and seedVariable from which one on.
const (
	fitsVariable = "ORRERY_FITS"
	seedVariable = "ORRERY_SEED"
)

// fate is what becomes of the pods of a file, and of others.
type fate struct {
	Placed, Waiting int
	Preempts        bool
}

// fitFixture has kube-scheduler, and asks "orrery fit" about what is to be created for it.
type fitFixture struct {
	*fixture
	kube *process
	args []string
}

func newFit(t *testing.T) *fitFixture {
	s := newFixture(t)
	s.priorities()
	kube := s.scheduleAs(scheduler, kubeScheduler)
	s.eventually(kube.ready)
	kubeconfig, err := server.Kubeconfig(apiserver.Admin)
	if err != nil {
		t.Fatal(err)
	}
	return &fitFixture{s, kube, []string{"--output=json", "--kubeconfig=" + kubeconfig, "--config=" + s.configFile(kubeconfig)}}
}

// eachFile draws clusters and pods. The pods are those of a file.
func (s *fitFixture) eachFile(do func(seed uint64, pods []*v1.Pod)) (files int) {
	files = difftest.Number(s.t, fitsVariable, 12)
	first := difftest.Number(s.t, seedVariable, 1)
	for i := range files {
		seed := uint64(first + i)
		draw := rand.New(rand.NewPCG(seed, 46))
		s.addNodes(fitNodes(draw)...)
		s.add(fitResidents(draw)...)
		do(seed, s.fitPods(draw))
		s.clear()
		s.eventually(s.nothingLeft)
	}
	return files
}

// What "orrery fit" says of a file is what becomes of its pods once they are created, on the cluster with its own kube-scheduler.
func TestFit_HappensAsSaid(t *testing.T) {
	s := newFit(t)
	decided, preempting := 0, 0
	files := s.eachFile(func(seed uint64, pods []*v1.Pod) {
		a := s.ask(pods)
		said := fate{a.Placed, a.Wanted - a.Placed, len(a.Preempted) > 0}
		happened := s.createAtOnce(pods, said)
		switch {
		case a.ByTies: // it says that it does not know
		case said != happened:
			t.Errorf("seed %d: (-said +happened)\n%s", seed, cmp.Diff(said, happened))
		default:
			decided++
		}
		if happened.Preempts {
			preempting++
		}
	})
	t.Logf("%d files: %d decided alike, %d with pods that were preempted", files, decided, preempting)
	if 2*decided < files {
		t.Errorf("only %d of %d files were decided alike", decided, files)
	}
}

// As many pods as "fit --count" says get a node, and one more does not.
func TestFit_OneMoreThanCountedWaits(t *testing.T) {
	s := newFit(t)
	s.eachFile(func(seed uint64, pods []*v1.Pod) {
		pod := pods[0]
		pod.Spec.PriorityClassName = "" // nothing is preempted for one more
		a := s.ask([]*v1.Pod{pod}, "--count")
		if a.ByTies || a.Count.Pods > 60 {
			return
		}
		want := fate{Placed: a.Count.Pods, Waiting: 1}
		if got := s.createAtOnce(copiesOf(pod, a.Count.Pods+1), want); got != want {
			t.Errorf("seed %d: %d are said to fit, and of one more %+v", seed, a.Count.Pods, got)
		}
	})
}

// All pods get a node beside as many new ones as "fit --nodes" says, and beside one fewer some wait.
func TestFit_OneNodeFewerIsNotEnough(t *testing.T) {
	s := newFit(t)
	s.eachFile(func(seed uint64, pods []*v1.Pod) {
		for _, pod := range pods {
			pod.Spec.PriorityClassName = ""
		}
		a := s.ask(pods, "--nodes=cpu=4,memory=64Gi,pods=20,zone=zone-1")
		if a.ByTies || !a.Nodes.Enough || a.Nodes.Nodes == 0 {
			return
		}
		for _, n := range []int{a.Nodes.Nodes, a.Nodes.Nodes - 1} {
			for i := range n {
				s.addNodes(apiserver.Node(10+3*i, "4", "64Gi", "20"))
			}
			all := fate{Placed: len(pods)}
			if got := s.createAtOnce(pods, all); (got == all) != (n == a.Nodes.Nodes) {
				t.Errorf("seed %d: %d nodes are said to be needed, and with %d: %+v", seed, a.Nodes.Nodes, n, got)
			}
			for _, pod := range pods {
				_ = s.client.CoreV1().Pods(pod.Namespace).Delete(s.ctx, pod.Name, *metav1.NewDeleteOptions(0))
			}
			for i := range n {
				_ = s.client.CoreV1().Nodes().Delete(s.ctx, apiserver.Node(10+3*i, "4", "64Gi", "20").Name, metav1.DeleteOptions{})
			}
			s.eventually(func() error { return s.noneOf("new") })
		}
	})
}

func copiesOf(pod *v1.Pod, n int) (all []*v1.Pod) {
	for i := range n {
		own := pod.DeepCopy()
		own.Name = fmt.Sprintf("new-%d", i)
		all = append(all, own)
	}
	return all
}

func (s *fixture) noneOf(app string) error {
	for _, pod := range s.list() {
		if pod.Labels["app"] == app {
			return fmt.Errorf("%s is there still", pod.Name)
		}
	}
	return nil
}

func fitNodes(draw *rand.Rand) (nodes []*v1.Node) {
	for i := range 2 + draw.IntN(3) {
		nodes = append(nodes, apiserver.Node(i, fmt.Sprint(2+2*draw.IntN(3)), "64Gi", "20"))
	}
	return nodes
}

// fitResidents are pods with a node, which leave it at once when they are preempted.
func fitResidents(draw *rand.Rand) (pods []*v1.Pod) {
	for i := range draw.IntN(10) {
		pod := apiserver.Pod(fmt.Sprintf("resident-%d", i), fmt.Sprintf("%dm", 250*(1+draw.IntN(6))), "16Mi")
		pod.Spec.NodeName = fmt.Sprintf("node-%d", draw.IntN(2))
		pod.Spec.TerminationGracePeriodSeconds = ptr.To[int64](0)
		pods = append(pods, pod)
	}
	return pods
}

// fitPods are alike, as those of one owner, so that it does not matter which of them is first.
func (s *fitFixture) fitPods(draw *rand.Rand) (pods []*v1.Pod) {
	cpu := fmt.Sprintf("%dm", 250*(1+draw.IntN(10)))
	zone, high, apartBy := draw.IntN(3) == 0, draw.IntN(2) == 0, draw.IntN(4) == 0
	for i := range 1 + draw.IntN(7) {
		pod := apiserver.Pod(fmt.Sprintf("new-%d", i), cpu, "16Mi")
		pod.Labels = map[string]string{"app": "new"}
		pod.Spec.SchedulerName = s.name
		pod.Spec.TerminationGracePeriodSeconds = ptr.To[int64](0)
		if zone {
			pod.Spec.NodeSelector = map[string]string{v1.LabelTopologyZone: "zone-1"}
		}
		if high {
			pod.Spec.PriorityClassName = "high"
		}
		if apartBy {
			pod.Spec.Affinity = apart(v1.PodAffinityTerm{TopologyKey: v1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels}})
		}
		pods = append(pods, pod)
	}
	return pods
}

// fitAnswer is what the document says.
type fitAnswer struct {
	Fits, ByTies   bool
	Wanted, Placed int
	Preempted      []any
	Count          struct{ Pods int }
	Nodes          struct {
		Nodes  int
		Enough bool
	}
}

// ask asks about a file with the pods.
func (s *fitFixture) ask(pods []*v1.Pod, args ...string) (a fitAnswer) {
	s.t.Helper()
	list := &v1.List{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "List"}}
	for _, pod := range pods {
		own := pod.DeepCopy()
		own.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
		list.Items = append(list.Items, runtime.RawExtension{Object: own})
	}
	text, err := json.Marshal(list)
	file := filepath.Join(s.t.TempDir(), "pods.json")
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	p := s.exec(slices.Concat([]string{"fit", "--filename=" + file}, s.args, args)...)
	<-p.end
	if err := json.Unmarshal([]byte(p.output.String()), &a); err != nil || p.ProcessState.ExitCode() > 1 {
		s.t.Fatalf("fit: exit code %d, %v\n%s", p.ProcessState.ExitCode(), err, p.output)
	}
	if len(args) == 0 && (a.Fits != (p.ProcessState.ExitCode() == 0) || a.Wanted != len(pods)) {
		s.t.Errorf("fit exits with %d: %+v", p.ProcessState.ExitCode(), a)
	}
	return a
}

// createAtOnce creates pods while the scheduler is stopped, as fit has all of them there before the first decision, and returns what
// becomes of them: what was said, or what there is once no pod has a nomination, which one keeps whose place went to another.
func (s *fitFixture) createAtOnce(pods []*v1.Pod, said fate) (happened fate) {
	s.t.Helper()
	before := len(s.list())
	_ = s.kube.Process.Signal(syscall.SIGSTOP)
	s.add(pods...)
	_ = s.kube.Process.Signal(syscall.SIGCONT)
	s.eventually(func() error {
		happened = fate{}
		all, nominated := s.list(), ""
		for i := range all {
			pod := &all[i]
			switch {
			case pod.Labels["app"] != "new":
			case pod.Spec.NodeName != "":
				happened.Placed++
			case !isUnschedulable(pod):
				return fmt.Errorf("%s was not tried", pod.Name)
			default:
				happened.Waiting++
				if pod.Status.NominatedNodeName != "" {
					nominated = pod.Name
				}
			}
		}
		if happened.Preempts = len(all) < before+len(pods); happened != said && nominated != "" {
			return fmt.Errorf("%s waits for those that it preempts, and %+v, not %+v", nominated, happened, said)
		}
		if happened != said {
			return s.settled()
		}
		return nil
	})
	return happened
}

// settled checks that no pod waits for another attempt: one that was tried before the scheduler had heard of a new node is tried again.
func (s *fitFixture) settled() error {
	_, text := s.kube.get("/metrics", apiserver.Admin)
	for _, queue := range []string{"active", "backoff"} {
		if line := fmt.Sprintf("scheduler_pending_pods{queue=%q} 0\n", queue); !strings.Contains(text, line) {
			return fmt.Errorf("a pod is in the queue %s", queue)
		}
	}
	return nil
}

func isUnschedulable(pod *v1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == v1.PodScheduled {
			return c.Reason == v1.PodReasonUnschedulable
		}
	}
	return false
}

func (s *fixture) nothingLeft() error {
	nodes, err := s.client.CoreV1().Nodes().List(s.ctx, metav1.ListOptions{})
	if left := len(nodes.Items) + len(s.list()); err == nil && left > 0 {
		err = fmt.Errorf("%d nodes and pods are left", left)
	}
	return err
}
