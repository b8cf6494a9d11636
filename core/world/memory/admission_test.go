package memory_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

func class(name string, value int32) *schedulingv1.PriorityClass {
	return &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
}

func runtimeClass(name string) *nodev1.RuntimeClass {
	return &nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Handler: name}
}

func podWith(change func(*v1.Pod)) *v1.Pod {
	pod := mk.Pod("web").Obj()
	change(pod)
	return pod
}

// createReferenced fills a cluster with what pods refer to in these tests.
func createReferenced(s *scene) {
	create(s, class("high", 1_000_000))
	polite := class("polite", 900)
	polite.PreemptionPolicy = ptr(v1.PreemptNever)
	create(s, polite)
	kata := runtimeClass("kata-fc")
	kata.Overhead = &nodev1.Overhead{PodFixed: mk.Resources("memory", "120Mi", "cpu", "250m")}
	kata.Scheduling = &nodev1.Scheduling{
		NodeSelector: map[string]string{"kata": "yes"},
		Tolerations:  []v1.Toleration{{Key: "kata", Operator: v1.TolerationOpExists}},
	}
	create(s, kata)
	create(s, runtimeClass("plain"))
}

// Shows PRE-02, PRE-05, PRE-09, PRE-10, PRE-31, TAINT-27 and SPREAD-13.
func TestAdmission_Pod(t *testing.T) {
	for _, tc := range []struct {
		name string
		pod  *v1.Pod
		see  func(*v1.Pod) any
		want any
	}{
		{
			"the priority class gives the priority",
			podWith(func(p *v1.Pod) { p.Spec.PriorityClassName = "high" }),
			func(p *v1.Pod) any { return []any{*p.Spec.Priority, *p.Spec.PreemptionPolicy} },
			[]any{int32(1_000_000), v1.PreemptLowerPriority},
		},
		{
			"and the preemption policy",
			podWith(func(p *v1.Pod) { p.Spec.PriorityClassName = "polite" }),
			func(p *v1.Pod) any { return *p.Spec.PreemptionPolicy },
			v1.PreemptNever,
		},
		{
			"the system's classes are known",
			podWith(func(p *v1.Pod) { p.Spec.PriorityClassName = "system-node-critical" }),
			func(p *v1.Pod) any { return *p.Spec.Priority },
			int32(2_000_001_000),
		},
		{
			"both of them",
			podWith(func(p *v1.Pod) { p.Spec.PriorityClassName = "system-cluster-critical" }),
			func(p *v1.Pod) any { return *p.Spec.Priority },
			int32(2_000_000_000),
		},
		{
			"no class and no default is priority 0",
			mk.Pod("web").Obj(),
			func(p *v1.Pod) any { return *p.Spec.Priority },
			int32(0),
		},
		{
			"the runtime class gives the overhead, a node selector and tolerations",
			podWith(func(p *v1.Pod) { p.Spec.RuntimeClassName = ptr("kata-fc") }),
			func(p *v1.Pod) any {
				return []any{p.Spec.Overhead.Cpu().String(), p.Spec.Overhead.Memory().String(), p.Spec.NodeSelector["kata"], tolerated(p)}
			},
			[]any{"250m", "120Mi", "yes", "node.kubernetes.io/not-ready:NoExecute for 300s, node.kubernetes.io/unreachable:NoExecute for 300s, kata:"},
		},
		{
			"a runtime class without overhead gives none",
			podWith(func(p *v1.Pod) { p.Spec.RuntimeClassName = ptr("plain") }),
			func(p *v1.Pod) any { return len(p.Spec.Overhead) },
			0,
		},
		{
			"a toleration of its own spares the default one of the same taint",
			mk.Pod("web").Toleration(v1.Toleration{
				Key: v1.TaintNodeUnreachable, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: ptr(int64(6000)),
			}).Obj(),
			func(p *v1.Pod) any { return tolerated(p) },
			"node.kubernetes.io/unreachable:NoExecute for 6000s, node.kubernetes.io/not-ready:NoExecute for 300s",
		},
		{
			"a pod that requests something tolerates memory pressure",
			mk.Pod("web").CPU("1").Obj(),
			func(p *v1.Pod) any {
				return strings.HasSuffix(tolerated(p), "node.kubernetes.io/memory-pressure:NoSchedule")
			},
			true,
		},
		{
			"limits are requests where nothing is requested",
			podWith(func(p *v1.Pod) {
				p.Spec.Containers[0].Resources = v1.ResourceRequirements{
					Limits: mk.Resources("cpu", "2", "memory", "200Mi"), Requests: mk.Resources("cpu", "1"),
				}
			}),
			func(p *v1.Pod) any {
				r := p.Spec.Containers[0].Resources.Requests
				return []string{r.Cpu().String(), r.Memory().String(), string(p.Status.QOSClass)}
			},
			[]string{"1", "200Mi", "Burstable"},
		},
		{
			"requests that equal the limits are guaranteed",
			podWith(func(p *v1.Pod) {
				p.Spec.Containers[0].Resources = v1.ResourceRequirements{Limits: mk.Resources("cpu", "2", "memory", "200Mi")}
			}),
			func(p *v1.Pod) any { return p.Status.QOSClass },
			v1.PodQOSGuaranteed,
		},
		{
			"the requests of a pod as a whole come from its containers, then from its limits",
			podWith(func(p *v1.Pod) {
				p.Spec.Containers[0].Resources.Requests = mk.Resources("cpu", "1")
				p.Spec.Resources = &v1.ResourceRequirements{Limits: mk.Resources("cpu", "3", "memory", "1Gi")}
			}),
			func(p *v1.Pod) any {
				return []string{p.Spec.Resources.Requests.Cpu().String(), p.Spec.Resources.Requests.Memory().String()}
			},
			[]string{"1", "1Gi"},
		},
		{
			"ports in the host's network are the host's ports",
			podWith(func(p *v1.Pod) {
				p.Spec.HostNetwork = true
				p.Spec.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: 8080}}
			}),
			func(p *v1.Pod) any { return p.Spec.Containers[0].Ports[0].HostPort },
			int32(8080),
		},
		{
			"a gated pod says so in its status",
			mk.Pod("web").Gate("example.com/quota").Obj(),
			func(p *v1.Pod) any { return podPortrait(p) },
			"pod web Pending PodScheduled=False/SchedulingGated",
		},
		{
			"label keys are merged into the selectors, and a label the pod lacks is not",
			podWith(func(p *v1.Pod) {
				p.Labels = map[string]string{"tenant": "blue", "hash": "x1"}
				p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
					RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
						TopologyKey: "zone", LabelSelector: &metav1.LabelSelector{}, MismatchLabelKeys: []string{"tenant", "colour"},
					}},
				}}
				p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
					MaxSkew: 1, WhenUnsatisfiable: v1.DoNotSchedule,
					TopologyKey: "zone", LabelSelector: &metav1.LabelSelector{}, MatchLabelKeys: []string{"hash"},
				}}
			}),
			func(p *v1.Pod) any {
				return []string{
					metav1.FormatLabelSelector(p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].LabelSelector),
					metav1.FormatLabelSelector(p.Spec.TopologySpreadConstraints[0].LabelSelector),
				}
			},
			[]string{"tenant notin (blue)", "hash in (x1)"},
		},
		{
			"omitted settings have the API server's defaults",
			podWith(func(p *v1.Pod) { p.Spec.SchedulerName = "" }),
			func(p *v1.Pod) any {
				return []any{p.Spec.SchedulerName, p.Spec.RestartPolicy, *p.Spec.TerminationGracePeriodSeconds, p.Status.QOSClass, p.Generation}
			},
			[]any{"default-scheduler", v1.RestartPolicyAlways, int64(30), v1.PodQOSBestEffort, int64(1)},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScene(t, memory.Options{})
			createReferenced(s)
			if diff := cmp.Diff(tc.want, tc.see(create(s, tc.pod))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func tolerated(p *v1.Pod) string {
	var all []string
	for _, t := range p.Spec.Tolerations {
		word := t.Key + ":" + string(t.Effect)
		if t.TolerationSeconds != nil {
			word += " for " + resource.NewQuantity(*t.TolerationSeconds, resource.DecimalSI).String() + "s"
		}
		all = append(all, word)
	}
	return strings.ReplaceAll(strings.Join(all, ", "), "6k", "6000")
}

// Shows PRE-09.
func TestAdmission_Refusals(t *testing.T) {
	for _, tc := range []struct {
		name string
		o    world.Object
		want string
	}{
		{
			"an unknown priority class",
			podWith(func(p *v1.Pod) { p.Spec.PriorityClassName = "unheard" }),
			`pods "web" is forbidden: no PriorityClass with name unheard was found`,
		},
		{
			"a priority that is not the class's",
			mk.Pod("web").Priority(7).Obj(),
			`pods "web" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name`,
		},
		{
			"an unknown runtime class",
			podWith(func(p *v1.Pod) { p.Spec.RuntimeClassName = ptr("unheard") }),
			`pods "web" is forbidden: pod rejected: RuntimeClass "unheard" not found`,
		},
		{
			"overhead of its own",
			mk.Pod("web").Overhead("cpu", "1").Obj(),
			`pods "web" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead`,
		},
		{
			"overhead other than the runtime class's",
			podWith(func(p *v1.Pod) {
				p.Spec.RuntimeClassName = ptr("kata-fc")
				p.Spec.Overhead = mk.Resources("cpu", "1")
			}),
			`pods "web" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead`,
		},
		{
			"a node selector against the runtime class's",
			podWith(func(p *v1.Pod) {
				p.Spec.RuntimeClassName = ptr("kata-fc")
				p.Spec.NodeSelector = map[string]string{"kata": "no"}
			}),
			`pods "web" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[kata] = yes; pod.spec.nodeSelector[kata] = no`,
		},
		{
			"a gated pod that has a node",
			mk.Pod("web").Gate("g").Node("n1").Obj(),
			`Pod "web" is invalid: spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared`,
		},
		{
			"a pod in a namespace that is not there",
			mk.Pod("web").Namespace("nowhere").Obj(),
			`namespaces "nowhere" not found`,
		},
		{
			"a pod without containers",
			podWith(func(p *v1.Pod) { p.Spec.Containers = nil }),
			`Pod "web" is invalid: spec.containers: Required value`,
		},
		{
			"a preference that outweighs all others",
			podWith(func(p *v1.Pod) {
				p.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 101}}}}
			}),
			`Pod "web" is invalid: spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100`,
		},
		{
			"a class without a name", class("", 3),
			`PriorityClass.scheduling.k8s.io "" is invalid: metadata.name: Required value: name or generateName is required`,
		},
		{"a second object of the same name", class("high", 3), `priorityclasses.scheduling.k8s.io "high" already exists`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScene(t, memory.Options{})
			createReferenced(s)
			_, err := s.Create(tc.o)
			if err == nil || err.Error() != tc.want {
				t.Errorf("creating it gave\n%v\nwant\n%s", err, tc.want)
			}
			var status apierrors.APIStatus
			if !asStatus(err, &status) {
				t.Errorf("the error is a %T, want an API status", err)
			}
		})
	}
}

func TestAdmission_PriorityRange(t *testing.T) { // Shows PRE-04.
	s := newScene(t, memory.Options{})
	for name, value := range map[string]int32{"highest": 1_000_000_000, "lowest": math.MinInt32} {
		create(s, class(name, value))
		pod := create(s, podWith(func(p *v1.Pod) { p.Name, p.Spec.PriorityClassName = name, name }))
		if *pod.Spec.Priority != value {
			t.Errorf("a pod of the class %s has priority %d, want %d", name, *pod.Spec.Priority, value)
		}
	}
}

// Shows PRE-06, PRE-07 and B-13.
func TestAdmission_DefaultPriorityClass(t *testing.T) {
	s := newScene(t, memory.Options{})
	before := create(s, mk.Pod("before").Obj())
	common := class("common", 500)
	common.GlobalDefault = true
	create(s, common)
	if after := create(s, mk.Pod("after").Obj()); *after.Spec.Priority != 500 || after.Spec.PriorityClassName != "common" {
		t.Errorf("a new pod has priority %d of class %q, want 500 of common", *after.Spec.Priority, after.Spec.PriorityClassName)
	}
	if *before.Spec.Priority != 0 {
		t.Errorf("a pod from before has priority %d, want the 0 it had", *before.Spec.Priority)
	}
	second := class("second", 600)
	second.GlobalDefault = true
	if _, err := s.Create(second); !apierrors.IsForbidden(err) {
		t.Errorf("a second default gave %v, want forbidden", err)
	}
	s.mustDeleteCluster(world.PriorityClass, "common")
	if kept := s.Pod("default", "after"); *kept.Spec.Priority != 500 {
		t.Errorf("with its class deleted a pod has priority %d, want the 500 it had", *kept.Spec.Priority)
	}
	if _, err := s.Create(podWith(func(p *v1.Pod) { p.Spec.PriorityClassName = "common" })); !apierrors.IsForbidden(err) {
		t.Errorf("a pod of the deleted class gave %v, want forbidden", err)
	}
	if last := create(s, mk.Pod("last").Obj()); *last.Spec.Priority != 0 {
		t.Errorf("with the default class deleted a new pod has priority %d, want 0", *last.Spec.Priority)
	}
}

func TestAdmission_LimitRange(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, &v1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "limits"},
		Spec: v1.LimitRangeSpec{Limits: []v1.LimitRangeItem{{
			Type: v1.LimitTypeContainer, Default: mk.Resources("cpu", "1"), DefaultRequest: mk.Resources("cpu", "500m"),
		}}},
	})
	got := create(s, mk.Pod("web").Obj()).Spec.Containers[0].Resources
	if got.Limits.Cpu().String() != "1" || got.Requests.Cpu().String() != "500m" {
		t.Errorf("the container has %v, want a request of 500m and a limit of 1", got)
	}
}
