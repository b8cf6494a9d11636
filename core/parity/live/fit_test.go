package live_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// What "orrery fit" says of a file is what becomes of its pods once they are created, on the cluster with its own kube-scheduler.
func TestFit_HappensAsSaid(t *testing.T) {
	files, first := difftest.Number(t, fitsVariable, 12), difftest.Number(t, seedVariable, 1)
	s := newFixture(t)
	s.priorities()
	kube := s.scheduleAs(scheduler, kubeScheduler)
	s.eventually(kube.ready)
	kubeconfig, err := server.Kubeconfig(apiserver.Admin)
	if err != nil {
		t.Fatal(err)
	}
	config := s.configFile(kubeconfig)
	decided, preempting := 0, 0
	for i := range files {
		seed := uint64(first + i)
		draw := rand.New(rand.NewPCG(seed, 46))
		s.addNodes(fitNodes(draw)...)
		s.add(fitResidents(draw)...)
		pods := s.fitPods(draw)
		said, byTies := s.fit(pods, "--kubeconfig="+kubeconfig, "--config="+config)
		happened := s.createAtOnce(kube, pods, said)
		switch {
		case byTies: // it says that it does not know
		case said != happened:
			t.Errorf("seed %d: (-said +happened)\n%s", seed, cmp.Diff(said, happened))
		default:
			decided++
		}
		if happened.Preempts {
			preempting++
		}
		s.clear()
		s.eventually(s.nothingLeft)
	}
	t.Logf("%d files: %d decided alike, %d with pods that were preempted", files, decided, preempting)
	if 2*decided < files {
		t.Errorf("only %d of %d files were decided alike", decided, files)
	}
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
func (s *fixture) fitPods(draw *rand.Rand) (pods []*v1.Pod) {
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

// fit asks about a file with the pods.
func (s *fixture) fit(pods []*v1.Pod, args ...string) (said fate, byTies bool) {
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
	p := s.exec(append([]string{"fit", "--filename=" + file, "--output=json"}, args...)...)
	<-p.end
	var answer struct {
		Fits, ByTies   bool
		Wanted, Placed int
		Preempted      []any
	}
	if err := json.Unmarshal([]byte(p.output.String()), &answer); err != nil || p.ProcessState.ExitCode() > 1 {
		s.t.Fatalf("fit: exit code %d, %v\n%s", p.ProcessState.ExitCode(), err, p.output)
	}
	if answer.Fits != (p.ProcessState.ExitCode() == 0) || answer.Wanted != len(pods) {
		s.t.Errorf("fit exits with %d: %+v", p.ProcessState.ExitCode(), answer)
	}
	return fate{answer.Placed, answer.Wanted - answer.Placed, len(answer.Preempted) > 0}, answer.ByTies
}

// createAtOnce creates pods while the scheduler is stopped, as fit has all of them there before the first decision, and returns what
// becomes of them: what was said, or what there is once no pod has a nomination, which one keeps whose place went to another.
func (s *fixture) createAtOnce(kube *process, pods []*v1.Pod, said fate) (happened fate) {
	s.t.Helper()
	before := len(s.list())
	_ = kube.Process.Signal(syscall.SIGSTOP)
	s.add(pods...)
	_ = kube.Process.Signal(syscall.SIGCONT)
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
		return nil
	})
	return happened
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
