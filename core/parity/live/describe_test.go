package live_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/parity/apiserver"
	"orrery/core/scheduler/release"
)

// "kubectl describe pod" prints a pod's conditions, nominated node and events. The same pods are created in the same cluster
// twice, first with kube-scheduler and then with Orrery.
func TestDescribe_SameAsKubeScheduler(t *testing.T) {
	theirs, ours := describePods(t, kubeScheduler), describePods(t, orrery)
	for name := range theirs {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(theirs[name], ours[name]); diff != "" {
				t.Errorf("described differently (-kube-scheduler +Orrery):\n%s", diff)
			}
			t.Logf("same as with kube-scheduler: %s", strings.Join(ours[name], "\n"))
		})
	}
	if len(theirs) != len(ours) || len(theirs) < 12 {
		t.Errorf("%d pods under kube-scheduler and %d under Orrery", len(theirs), len(ours))
	}
}

// describePods returns the descriptions of the test's pods after a scheduler has handled them, by name.
func describePods(t *testing.T, what schedulerProgram) map[string][]string {
	all := map[string][]string{}
	t.Run(what.name(), func(t *testing.T) {
		s := newFixture(t, mixedNodes()...)
		s.priorities()
		s.scheduleAs(scheduler, what)
		for _, pod := range append(fittingPods(), unschedulablePods()...) {
			if _, err := s.create(pod); err != nil {
				t.Fatal(err)
			}
			s.eventually(func() error { return s.hasResult(pod.Name) }) // one by one, so that each is scheduled in the same state
		}
		s.eventually(func() error { return s.preempted("fits-port") })
		for _, pod := range s.list() {
			all[pod.Name] = s.described(&pod)
		}
	})
	return all
}

func (p schedulerProgram) name() string {
	if p.schedule != nil {
		return "Orrery"
	}
	return "kube-scheduler"
}

// mixedNodes returns four nodes, no two of which fit the same pods.
func mixedNodes() []*v1.Node {
	nodes := []*v1.Node{
		apiserver.Node(0, "4", "8Gi", "110"), apiserver.Node(1, "4", "8Gi", "110"),
		apiserver.Node(2, "4", "8Gi", "110"), apiserver.Node(3, "4", "8Gi", "110"),
	}
	nodes[1].Labels["disk"] = "ssd"
	nodes[2].Spec.Taints = []v1.Taint{{Key: "dedicated", Value: "gpu", Effect: v1.TaintEffectNoSchedule}}
	nodes[3].Spec.Unschedulable = true
	return nodes
}

// priorities creates two priority classes, one of which never preempts, and waits until pods may have them.
func (s *fixture) priorities() {
	never := v1.PreemptNever
	for _, class := range []*schedulingv1.PriorityClass{
		{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000},
		{ObjectMeta: metav1.ObjectMeta{Name: "never-preempts"}, Value: 1000, PreemptionPolicy: &never},
	} {
		_, err := s.client.SchedulingV1().PriorityClasses().Create(s.ctx, class, metav1.CreateOptions{})
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() {
			_ = s.client.SchedulingV1().PriorityClasses().Delete(context.Background(), class.Name, metav1.DeleteOptions{})
		})
		pod := podWith("tried", "1", func(p *v1.Pod) { p.Spec.PriorityClassName = class.Name })
		s.eventually(func() error {
			_, err := s.client.CoreV1().Pods(v1.NamespaceDefault).Create(s.ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			return err
		})
	}
}

func podWith(name, cpu string, change func(*v1.Pod)) *v1.Pod {
	pod := apiserver.Pod(name, cpu, "16Mi")
	pod.Labels = map[string]string{"app": name}
	change(pod)
	return pod
}

// fittingPods returns pods that each fit exactly one node.
func fittingPods() []*v1.Pod {
	return []*v1.Pod{
		podWith("fits-port", "2500m", func(p *v1.Pod) {
			p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
			p.Spec.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: 80, HostPort: 8080}}
		}),
		podWith("fits-rest", "2500m", func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{v1.LabelHostname: "node-0"} }),
	}
}

// unschedulablePods returns pods that fit no node, each for another reason, and at the end one that preempts.
func unschedulablePods() []*v1.Pod {
	zone := func(when v1.UnsatisfiableConstraintAction) []v1.TopologySpreadConstraint {
		return []v1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: "rack", WhenUnsatisfiable: when, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "spread"}},
		}}
	}
	near := func(app string) []v1.PodAffinityTerm {
		return []v1.PodAffinityTerm{{
			TopologyKey: v1.LabelTopologyZone, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
		}}
	}
	return []*v1.Pod{
		podWith("too-big", "64", func(*v1.Pod) {}),
		podWith("too-big-for-now", "3", func(*v1.Pod) {}),
		podWith("too-big-in-two-ways", "64", func(p *v1.Pod) {
			p.Spec.Containers[0].Resources.Requests[v1.ResourceMemory] = resource.MustParse("1Ti")
		}),
		podWith("requests-a-gpu", "10m", func(p *v1.Pod) {
			p.Spec.Containers[0].Resources.Requests["example.com/gpu"] = resource.MustParse("1")
			p.Spec.Containers[0].Resources.Limits = v1.ResourceList{"example.com/gpu": resource.MustParse("1")}
		}),
		podWith("no-such-label", "10m", func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "tape"} }),
		podWith("port-is-taken", "10m", func(p *v1.Pod) {
			p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
			p.Spec.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: 80, HostPort: 8080}}
		}),
		podWith("on-the-cordoned", "10m", func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{v1.LabelHostname: "node-3"} }),
		podWith("on-the-tainted", "10m", func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{v1.LabelHostname: "node-2"} }),
		podWith("on-none", "10m", func(p *v1.Pod) {
			p.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
				NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{
					{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{"node-77"}},
				}}},
			}}}
		}),
		podWith("affinity-to-missing", "10m", func(p *v1.Pod) {
			p.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: near("missing")}}
		}),
		podWith("far-from-all", "10m", func(p *v1.Pod) {
			p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: append(near("fits-port"), near("fits-rest")...),
			}}
		}),
		podWith("spread", "10m", func(p *v1.Pod) { p.Spec.TopologySpreadConstraints = zone(v1.DoNotSchedule) }),
		podWith("gated", "10m", func(p *v1.Pod) { p.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/wait"}} }),
		podWith("never-preempts", "3", func(p *v1.Pod) { p.Spec.PriorityClassName = "never-preempts" }),
		podWith("preempts", "3", func(p *v1.Pod) {
			p.Spec.PriorityClassName, p.Spec.NodeSelector = "high", map[string]string{"disk": "ssd"}
		}),
	}
}

// hasResult checks that a scheduler has reported a pod's attempt, in its conditions and in an event.
func (s *fixture) hasResult(name string) error {
	pod, err := s.client.CoreV1().Pods(metav1.NamespaceDefault).Get(s.ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if len(pod.Spec.SchedulingGates) > 0 {
		return nil
	}
	if len(pod.Status.Conditions) == 0 {
		return errors.New(name + " has no condition")
	}
	if len(s.eventsOf(pod)) == 0 {
		return errors.New(name + " has no event")
	}
	if pod.Spec.PriorityClassName == "high" && pod.Status.NominatedNodeName == "" {
		return errors.New(name + " has no nominated node")
	}
	return nil
}

// preempted checks that a victim is terminating and has its events.
func (s *fixture) preempted(name string) error {
	pod, err := s.client.CoreV1().Pods(metav1.NamespaceDefault).Get(s.ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if events := s.eventsOf(pod); len(events) != 2 || pod.DeletionTimestamp == nil {
		return fmt.Errorf("%s was not preempted: %q", name, events)
	}
	return nil
}

func (s *fixture) eventsOf(pod *v1.Pod) (lines []string) {
	list, err := s.client.CoreV1().Events(pod.Namespace).List(s.ctx, metav1.ListOptions{FieldSelector: "involvedObject.uid=" + string(pod.UID)})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range list.Items {
		from := e.InvolvedObject
		line := fmt.Sprintf("event: %s %s %s: %s (from %q %q, about %s %s %q)", e.Type, e.Reason, e.Action, e.Message,
			e.Source.Component, e.ReportingController, from.APIVersion, from.Kind, from.FieldPath)
		if e.Related != nil && served == release.V135 { // later ones leave it out
			line += fmt.Sprintf(", related to %s %s", e.Related.APIVersion, e.Related.Kind)
		}
		lines = append(lines, s.normalize(line))
	}
	slices.Sort(lines)
	return slices.Compact(lines) // the number of retries is random
}

var uid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)

// normalize replaces the parts of a text that differ between runs.
func (s *fixture) normalize(text string) string {
	return uid.ReplaceAllString(strings.ReplaceAll(text, s.name, "SCHEDULER"), "UID")
}

// described returns a pod's conditions, nominated node and events, one per line.
func (s *fixture) described(pod *v1.Pod) (lines []string) {
	lines = append(lines, fmt.Sprintf("node %q, nominated %q, terminating: %v", pod.Spec.NodeName, pod.Status.NominatedNodeName, pod.DeletionTimestamp != nil))
	for _, c := range pod.Status.Conditions {
		lines = append(lines, s.normalize(fmt.Sprintf("condition: %s %s %s: %s (generation %d)", c.Type, c.Status, c.Reason, c.Message, c.ObservedGeneration)))
	}
	return append(lines, s.eventsOf(pod)...)
}
