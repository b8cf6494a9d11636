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
)

// What "kubectl describe pod" prints of a pod's scheduling is its conditions, its nominated node and its events. The same
// pods come to the same nodes twice, first under kube-scheduler and then under Orrery.
func TestDescribe_SameAsKubeScheduler(t *testing.T) {
	theirs, ours := describedUnder(t, kubeScheduler), describedUnder(t, orrery)
	for name := range theirs {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(theirs[name], ours[name]); diff != "" {
				t.Errorf("described otherwise (-kube-scheduler +Orrery):\n%s", diff)
			}
			t.Logf("as with kube-scheduler: %s", strings.Join(ours[name], "\n"))
		})
	}
	if len(theirs) != len(ours) || len(theirs) < 12 {
		t.Errorf("%d pods under kube-scheduler and %d under Orrery", len(theirs), len(ours))
	}
}

// describedUnder are the pods of the story after a scheduler has dealt with them, as they are described, by name.
func describedUnder(t *testing.T, what schedulerProgram) map[string][]string {
	all := map[string][]string{}
	t.Run(what.name(), func(t *testing.T) {
		s := newScene(t, mixedNodes()...)
		s.priorities()
		s.scheduleAs(scheduler, what)
		for _, pod := range append(whoFits(), whoDoesNot()...) {
			if _, err := s.create(pod); err != nil {
				t.Fatal(err)
			}
			s.eventually(func() error { return s.told(pod.Name) }) // one after the other: each finds the same
		}
		s.eventually(func() error { return s.preempted("fits-port") })
		for _, pod := range s.list() {
			all[pod.Name] = s.described(&pod)
		}
	})
	return all
}

func (p schedulerProgram) name() string {
	if len(p.schedule) > 0 {
		return "Orrery"
	}
	return "kube-scheduler"
}

// mixedNodes are four, of which no two take the same pods.
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

// priorities has two classes made, of which one never preempts.
func (s *scene) priorities() {
	never := v1.PreemptNever
	for _, class := range []*schedulingv1.PriorityClass{
		{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000},
		{ObjectMeta: metav1.ObjectMeta{Name: "patient"}, Value: 1000, PreemptionPolicy: &never},
	} {
		_, err := s.client.SchedulingV1().PriorityClasses().Create(s.ctx, class, metav1.CreateOptions{})
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() {
			_ = s.client.SchedulingV1().PriorityClasses().Delete(context.Background(), class.Name, metav1.DeleteOptions{})
		})
	}
}

func podWith(name, cpu string, change func(*v1.Pod)) *v1.Pod {
	pod := apiserver.Pod(name, cpu, "16Mi")
	pod.Labels = map[string]string{"app": name}
	change(pod)
	return pod
}

// whoFits are pods that get the one node that there is for them.
func whoFits() []*v1.Pod {
	return []*v1.Pod{
		podWith("fits-port", "2500m", func(p *v1.Pod) {
			p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
			p.Spec.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: 80, HostPort: 8080}}
		}),
		podWith("fits-rest", "2500m", func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{v1.LabelHostname: "node-0"} }),
	}
}

// whoDoesNot are pods that no node takes, each for other reasons, and in the end one that makes room for itself.
func whoDoesNot() []*v1.Pod {
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
		podWith("wants-a-gpu", "10m", func(p *v1.Pod) {
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
		podWith("beside-nobody", "10m", func(p *v1.Pod) {
			p.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: near("nobody")}}
		}),
		podWith("far-from-all", "10m", func(p *v1.Pod) {
			p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: append(near("fits-port"), near("fits-rest")...),
			}}
		}),
		podWith("spread", "10m", func(p *v1.Pod) { p.Spec.TopologySpreadConstraints = zone(v1.DoNotSchedule) }),
		podWith("gated", "10m", func(p *v1.Pod) { p.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/wait"}} }),
		podWith("patient", "3", func(p *v1.Pod) { p.Spec.PriorityClassName = "patient" }),
		podWith("preempts", "3", func(p *v1.Pod) {
			p.Spec.PriorityClassName, p.Spec.NodeSelector = "high", map[string]string{"disk": "ssd"}
		}),
	}
}

// told says whether a scheduler has said what it thinks of a pod, in the pod and in an event.
func (s *scene) told(name string) error {
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

// preempted says whether a victim has been told.
func (s *scene) preempted(name string) error {
	pod, err := s.client.CoreV1().Pods(metav1.NamespaceDefault).Get(s.ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if events := s.eventsOf(pod); len(events) != 2 || pod.DeletionTimestamp == nil {
		return fmt.Errorf("%s was not preempted: %q", name, events)
	}
	return nil
}

func (s *scene) eventsOf(pod *v1.Pod) (lines []string) {
	list, err := s.client.CoreV1().Events(pod.Namespace).List(s.ctx, metav1.ListOptions{FieldSelector: "involvedObject.uid=" + string(pod.UID)})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range list.Items {
		from := e.InvolvedObject
		line := fmt.Sprintf("event: %s %s %s: %s (from %q %q, about %s %s %q)", e.Type, e.Reason, e.Action, e.Message,
			e.Source.Component, e.ReportingController, from.APIVersion, from.Kind, from.FieldPath)
		if e.Related != nil {
			line += fmt.Sprintf(", related to %s %s", e.Related.APIVersion, e.Related.Kind)
		}
		lines = append(lines, s.plain(line))
	}
	slices.Sort(lines)
	return slices.Compact(lines) // how often a pod was tried again is chance
}

var uid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)

// plain is a text without what no two runs have in common.
func (s *scene) plain(text string) string {
	return uid.ReplaceAllString(strings.ReplaceAll(text, s.name, "SCHEDULER"), "UID")
}

// described are a pod's conditions, its nominated node and its events, a line each.
func (s *scene) described(pod *v1.Pod) (lines []string) {
	lines = append(lines, fmt.Sprintf("node %q, nominated %q, leaving: %v", pod.Spec.NodeName, pod.Status.NominatedNodeName, pod.DeletionTimestamp != nil))
	for _, c := range pod.Status.Conditions {
		lines = append(lines, s.plain(fmt.Sprintf("condition: %s %s %s: %s (generation %d)", c.Type, c.Status, c.Reason, c.Message, c.ObservedGeneration)))
	}
	return append(lines, s.eventsOf(pod)...)
}
