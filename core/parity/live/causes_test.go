package live_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/answers/diagnose"
	"orrery/core/parity/apiserver"
	"orrery/core/parity/storage"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// cause is a pod that stays pending, and the facts that an explanation has to name.
type cause struct {
	pod   *v1.Pod
	facts []string
}

// critical is the priority class of pods that cannot be preempted here.
const critical = "system-cluster-critical"

// verdict is an explanation's content: what it says first, and each reason with its facts.
type verdict struct {
	Verdict, Waiting, Summary string
	Reasons                   []string
}

// Twelve usual causes, on the same cluster under kube-scheduler and under Orrery: "kubectl describe pod" reads the same. Then
// Orrery is asked why in its three ways: once about the cluster, in a console, and of a recording. The three agree with
// each other and with the condition that kube-scheduler wrote, and name the facts.
func TestCauses_ExplainedAsDescribed(t *testing.T) {
	theirs, ours := map[string][]string{}, map[string][]string{}
	t.Run(kubeScheduler.name(), func(t *testing.T) {
		s := newCauses(t, kubeScheduler)
		theirs = s.describedCauses()
	})
	t.Run(orrery.name(), func(t *testing.T) {
		s := newCauses(t, orrery)
		ours = s.describedCauses()
		s.explainCauses(theirs)
	})
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("described differently (-kube-scheduler +Orrery):\n%s", diff)
	}
	if len(theirs) < 12 {
		t.Errorf("only %d pods were described", len(theirs))
	}
}

// newCauses starts a scheduler on a cluster in which pods hold a port, avoid others and fill a node, and creates the causes
// one by one, so that each is scheduled in the same state.
func newCauses(t *testing.T, what schedulerProgram) *storageFixture {
	s := newStorage(t, storageOptions{}, mixedNodes()...)
	s.priorities()
	s.class(storage.Class("by-hand", storagevolume.NotSupportedProvisioner, storagev1.VolumeBindingImmediate))
	s.volume(localVolume("disk", "node-0"))
	s.claim("on-node-0", local, func(c *v1.PersistentVolumeClaim) { c.Spec.VolumeName = "disk" })
	s.claim("unbound", "by-hand", nil)
	s.eventually(s.claimBound("on-node-0"))
	s.scheduleAs(scheduler, what)
	for _, pod := range append(residents(), pending()...) {
		s.add(pod)
		s.eventually(func() error {
			if pod.Spec.SchedulerName != s.name {
				return nil
			}
			return s.hasResult(pod.Name)
		})
	}
	return s
}

func (s *storageFixture) claimBound(name string) func() error {
	return func() error {
		claim, err := s.client.CoreV1().PersistentVolumeClaims(metav1.NamespaceDefault).Get(s.ctx, name, metav1.GetOptions{})
		if err == nil && claim.Status.Phase != v1.ClaimBound {
			err = fmt.Errorf("%s is %s", name, claim.Status.Phase)
		}
		return err
	}
}

// residents are pods with a node that keep others away.
func residents() []*v1.Pod {
	return []*v1.Pod{
		podWith("holder", "2500m", func(p *v1.Pod) {
			p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
			p.Spec.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: 80, HostPort: 8080}}
			p.Spec.PriorityClassName = critical
		}),
		podWith("loner", "2500m", func(p *v1.Pod) {
			p.Spec.NodeSelector = map[string]string{v1.LabelHostname: "node-0"}
			p.Spec.PriorityClassName = critical
			p.Spec.Affinity = apart(v1.PodAffinityTerm{
				TopologyKey: v1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "avoided"}},
			})
		}),
		podWith("spread", "10m", func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{v1.LabelHostname: "node-0"} }),
	}
}

func pending() (pods []*v1.Pod) {
	for _, c := range causes() {
		pods = append(pods, c.pod)
	}
	return pods
}

// causes are the pods that stay pending, in the order of their creation.
func causes() []cause {
	host := func(node string) func(*v1.Pod) {
		return func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{v1.LabelHostname: node} }
	}
	return []cause{
		{podWith("resources", "3", func(*v1.Pod) {}), []string{"1500m", "holder"}},
		{podWith("selector", "10m", func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "tape"} }), []string{"disk=tape", "ssd"}},
		{podWith("taint", "10m", host("node-2")), []string{"dedicated=gpu:NoSchedule"}},
		{podWith("port", "10m", func(p *v1.Pod) {
			p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
			p.Spec.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: 80, HostPort: 8080}}
		}), []string{"8080", "holder"}},
		{podWith("affinity", "10m", func(p *v1.Pod) {
			p.Spec.Affinity = together(v1.PodAffinityTerm{
				TopologyKey: v1.LabelTopologyZone, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "missing"}},
			})
		}), []string{"app=missing"}},
		{podWith("avoided", "10m", host("node-0")), []string{"loner"}},
		{podWith("spread-2", "10m", func(p *v1.Pod) {
			p.Labels["app"] = "spread"
			spread(p, 1, v1.LabelHostname, v1.DoNotSchedule)
			p.Spec.NodeSelector = map[string]string{v1.LabelHostname: "node-0"}
			ignore := v1.NodeInclusionPolicyIgnore
			p.Spec.TopologySpreadConstraints[0].NodeAffinityPolicy = &ignore
		}), []string{"kubernetes.io/hostname", "node-0"}},
		{podWith("preemptor", "3", func(p *v1.Pod) {
			p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
			p.Spec.PriorityClassName = critical
		}), []string{"holder"}},
		{podWith("gated", "10m", func(p *v1.Pod) {
			p.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/wait"}}
			p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
		}), []string{"example.com/wait", "would be placed on node-1"}},
		{withClaims(podWith("unbound", "10m", func(*v1.Pod) {}), "unbound"), []string{"by-hand"}},
		{withClaims(podWith("zone", "10m", host("node-1")), "on-node-0"), []string{"disk", "node-0"}},
		{podWith("missing", "10m", func(p *v1.Pod) { p.Spec.SchedulerName = "mine" }), []string{`"mine"`}},
	}
}

// describedCauses returns what "kubectl describe pod" prints of the causes, by name.
func (s *storageFixture) describedCauses() map[string][]string {
	all := map[string][]string{}
	for _, c := range causes() {
		all[c.pod.Name] = s.described(s.pod(c.pod.Name))
	}
	return all
}

// explainCauses compares the explanations of each cause in three ways with each other, with what kube-scheduler said of it, and
// with the facts.
func (s *storageFixture) explainCauses(described map[string][]string) {
	s.t.Helper()
	once, recorded, session := s.explainOnce(), s.explainRecorded(), s.openConsole(apiserver.Admin, nil)
	for _, c := range causes() {
		name := c.pod.Name
		var console verdict
		session.Inspect(func(e *engine.Engine) { console = diagnosed(s, e, name) })
		if diff := cmp.Diff(once[name], console); diff != "" {
			s.t.Errorf("%s: asked once and in a console (-once +console):\n%s", name, diff)
		}
		if diff := cmp.Diff(once[name], recorded[name]); diff != "" {
			s.t.Errorf("%s: asked once and of a recording (-once +recording):\n%s", name, diff)
		}
		text := strings.Join(append([]string{console.Waiting, console.Summary}, console.Reasons...), "\n")
		for _, fact := range c.facts {
			if !strings.Contains(text, fact) {
				s.t.Errorf("%s: the explanation does not name %q:\n%s", name, fact, text)
			}
		}
		for _, reason := range console.Reasons {
			sentence, _, _ := strings.Cut(reason, "\n")
			_, whole, _ := strings.Cut(sentence, " ") // a reason of all nodes has no number in the condition
			if said := strings.Join(described[name], "\n"); !strings.Contains(said, sentence) && !strings.Contains(said, "available: "+whole+". ") {
				s.t.Errorf("%s: explained by %q, but kube-scheduler says\n%s", name, sentence, said)
			}
		}
		s.t.Logf("%s: %s", name, text)
	}
}

// diagnosed is the diagnosis of a pod in a console.
func diagnosed(s *storageFixture, e *engine.Engine, name string) verdict {
	d, err := diagnose.Pod(e, world.PodRefOf(e.Store().Pod(metav1.NamespaceDefault, name)))
	if err != nil {
		s.t.Fatal(err)
	}
	v := verdict{Verdict: d.Decision.Verdict.String(), Waiting: d.Waiting, Summary: d.Summary}
	for i := range d.Reasons {
		r := &d.Reasons[i]
		var facts []string
		if r.Evidence != nil {
			facts = r.Evidence.Facts()
		}
		v.Reasons = append(v.Reasons, reasonText(r.Nodes, r.Message, facts))
	}
	return v
}

// reasonText is a reason as a condition's message has it, with its facts in the lines below.
func reasonText(nodes int, message string, facts []string) string {
	if nodes > 0 {
		message = fmt.Sprintf("%d %s", nodes, message)
	}
	return strings.Join(append([]string{message}, facts...), "\n")
}

// explainOnce asks "orrery explain" about the cluster.
func (s *storageFixture) explainOnce() map[string]verdict {
	s.t.Helper()
	kubeconfig, err := server.Kubeconfig(apiserver.Admin)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.explain("--kubeconfig="+kubeconfig, "--config="+s.configFile(kubeconfig))
}

// explainRecorded records the cluster for a moment and asks "orrery explain" about the recording.
func (s *storageFixture) explainRecorded() map[string]verdict {
	s.t.Helper()
	kubeconfig, err := server.Kubeconfig(apiserver.Admin)
	if err != nil {
		s.t.Fatal(err)
	}
	file := filepath.Join(s.t.TempDir(), "causes.orrery")
	record := s.exec("record", "--kubeconfig="+kubeconfig, "--config="+s.configFile(kubeconfig), "--for=1s", "--out="+file)
	if code := record.exit(); code != 0 {
		s.t.Fatalf("recording: exit code %d: %s", code, record.output)
	}
	return s.explain("--trace=" + file)
}

// explain runs "orrery explain" for each cause.
func (s *storageFixture) explain(args ...string) map[string]verdict {
	s.t.Helper()
	all := causes()
	verdicts := make([]verdict, len(all))
	several := errgroup.Group{}
	several.SetLimit(3)
	for i := range all {
		p := s.exec(slices.Concat([]string{"explain", all[i].pod.Name, "-o", "json"}, args)...)
		several.Go(func() (err error) {
			<-p.end
			if verdicts[i], err = parseVerdict(p.output.String()); err != nil || p.ProcessState.ExitCode() != 1 {
				err = fmt.Errorf("explaining %s: exit code %d, %w\n%s", all[i].pod.Name, p.ProcessState.ExitCode(), err, p.output)
			}
			return err
		})
	}
	if err := several.Wait(); err != nil {
		s.t.Fatal(err)
	}
	byName := map[string]verdict{}
	for i := range all {
		byName[all[i].pod.Name] = verdicts[i]
	}
	return byName
}

func parseVerdict(text string) (verdict, error) {
	var doc struct {
		Verdict, Waiting, Summary string
		Reasons                   []struct {
			Reason string
			Nodes  int
			Facts  []string
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return verdict{}, err
	}
	v := verdict{Verdict: doc.Verdict, Waiting: doc.Waiting, Summary: doc.Summary}
	for _, r := range doc.Reasons {
		v.Reasons = append(v.Reasons, reasonText(r.Nodes, r.Reason, r.Facts))
	}
	return v, nil
}
