package local

import (
	"fmt"

	"orrery/core/testing/mk"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"orrery/core/parity/difftest"
)

var (
	counted = []v1.ResourceName{
		"cpu", "memory", "ephemeral-storage", "example.com/gpu", "other.org/licence", "hugepages-2Mi",
		"kubernetes.io/batch", "attachable-volumes-x",
	}
	resourceNames = append([]v1.ResourceName{"unheard-of", "requests.example.com/x"}, counted...)
	amounts       = map[bool][]string{ // by whether the resource is counted in bytes
		false: {"0", "100u", "1m", "1m", "100m", "100m", "250m", "500m", "1", "1", "1500m", "2", "4", "7", "8001m", "1M"},
		true:  {"0", "1", "100m", "1000", "100Mi", "100Mi", "200Mi", "209715200", "1Gi", "1.5Gi", "4Gi", "10Gi", "1Pi"},
	}
	labelKeys   = []string{"zone", "gen", "disk", "empty"}
	labelValues = []string{"a", "b", "", "4", "5", "-1"}
	taintKeys   = []string{"a", "b", v1.TaintNodeUnschedulable}
	taintValues = []string{"", "x", "5", "950", "high", "0900"}
	effects     = []v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute, v1.TaintEffectPreferNoSchedule}
	images      = []string{"redis", "redis:latest", "redis:7", "reg.io:5000/app", "reg.io:5000/app:latest", "app@sha256:abc", "ghcr.io/a/b"}
	// An image has one size on all nodes: with different sizes the two snapshots differ.
	imageSizes = []int64{0, 250 << 20, 23 << 20, 1000 << 20, 40 << 20, 5000 << 20, 300 << 20}
	hostIPs    = []string{"", "0.0.0.0", "10.0.0.1", "10.0.0.2"}
	nodeNames  = []string{"n0", "n1", "n2", "n3"}
)

func pick[T any](t *difftest.Source, from []T) T { return difftest.Pick(t, from...) }

func amount(t *difftest.Source, name v1.ResourceName) resource.Quantity {
	memory := name == v1.ResourceMemory || name == v1.ResourceEphemeralStorage || name == "hugepages-2Mi"
	return resource.MustParse(pick(t, amounts[memory]))
}

// resources draws a list, often with cpu and memory, and sometimes with others. It may be nil.
func resources(t *difftest.Source, others int) v1.ResourceList {
	var list v1.ResourceList
	for _, name := range resourceNames {
		rare := others
		if name == v1.ResourceCPU || name == v1.ResourceMemory {
			rare = 2
		}
		if !t.OneIn(rare) {
			continue
		}
		if list == nil {
			list = v1.ResourceList{}
		}
		list[name] = amount(t, name)
	}
	return list
}

func someNode(t *difftest.Source, name string) *v1.Node {
	b := mk.Node(name).Pods(pick(t, []string{"110", "110", "110", "110", "2", "0"}))
	for resource, quantity := range resources(t, 3) {
		b.Resource(resource, quantity.String())
	}
	if !t.OneIn(4) {
		b.CPU("8").Memory("16Gi")
	}
	for _, key := range labelKeys {
		if t.Bool() {
			b.Label(key, pick(t, labelValues))
		}
	}
	for range difftest.Pick(t, 0, 0, 1, 2, 3) {
		b.Taint(pick(t, taintKeys), pick(t, taintValues), pick(t, effects))
	}
	if t.OneIn(4) {
		b.Unschedulable()
	}
	for range t.Range(0, 3) {
		i := t.Range(0, len(images)-1)
		b.Image(imageSizes[i], images[i])
	}
	node := b.Obj()
	if t.OneIn(6) {
		delete(node.Status.Allocatable, v1.ResourcePods)
	}
	if t.Bool() {
		node.Status.DeclaredFeatures = []string{"RestartAllContainersOnContainerExits"}
	}
	return node
}

func somePod(t *difftest.Source, name string) *v1.Pod {
	b := mk.Pod(name)
	pod := b.Obj()
	pod.Spec.Containers = nil
	for i := range t.Range(1, 3) {
		b.Container(fmt.Sprintf("c%d", i), pick(t, images), resources(t, 8))
	}
	for i := range difftest.Pick(t, 0, 0, 1, 2) {
		if t.Bool() {
			b.Sidecar(fmt.Sprintf("i%d", i), resources(t, 8))
		} else {
			b.Init(fmt.Sprintf("i%d", i), resources(t, 8))
		}
	}
	if t.OneIn(4) {
		pod.Spec.Overhead = resources(t, 10)
	}
	if t.OneIn(4) {
		pod.Spec.Resources = &v1.ResourceRequirements{Requests: withoutFractions(resources(t, 4)), Limits: resources(t, 4)}
	}
	if t.OneIn(3) {
		addStatus(t, pod)
	}
	addDemands(t, b)
	addPorts(t, pod)
	for range difftest.Pick(t, 0, 0, 0, 1, 2) {
		b.Gate(pick(t, []string{"example.com/foo", "example.com/bar"}))
	}
	if t.OneIn(4) {
		pod.Spec.Containers[0].RestartPolicyRules = []v1.ContainerRestartRule{{Action: v1.ContainerRestartRuleActionRestartAllContainers}}
	}
	if t.Bool() {
		b.Priority(int32(t.Range(-1, 2)))
	}
	if t.OneIn(6) {
		b.Node(pick(t, nodeNames))
	}
	if t.OneIn(6) {
		b.Nominated(pick(t, nodeNames))
	}
	return pod
}

// addStatus adds a status with allocated resources, as of a pod that is being resized.
func addStatus(t *difftest.Source, pod *v1.Pod) {
	status := func(containers []v1.Container) (all []v1.ContainerStatus) {
		for _, c := range containers {
			s := v1.ContainerStatus{Name: c.Name}
			if t.Bool() {
				s.Resources = &v1.ResourceRequirements{Requests: resources(t, 8)}
			}
			if t.Bool() {
				s.AllocatedResources = resources(t, 8)
			}
			all = append(all, s)
		}
		return all
	}
	pod.Status.ContainerStatuses = status(pod.Spec.Containers)
	pod.Status.InitContainerStatuses = status(pod.Spec.InitContainers)
	if t.OneIn(3) {
		pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{
			Type: v1.PodResizePending, Status: v1.ConditionTrue,
			Reason: pick(t, []string{v1.PodReasonInfeasible, v1.PodReasonDeferred}),
		})
	}
	if t.OneIn(3) {
		pod.Status.Resources = &v1.ResourceRequirements{Requests: resources(t, 4)}
		pod.Status.AllocatedResources = resources(t, 4)
	}
}

func addDemands(t *difftest.Source, b *mk.PodBuilder) {
	for range difftest.Pick(t, 0, 0, 1, 2, 3) {
		b.Toleration(someToleration(t))
	}
	switch t.Range(0, 5) {
	case 0:
		b.NodeSelector(pick(t, labelKeys), pick(t, labelValues))
		b.NodeSelector(pick(t, labelKeys), pick(t, labelValues))
	case 1:
		b.Obj().Spec.NodeSelector = map[string]string{}
	}
	if t.Bool() {
		b.Affinity(&v1.Affinity{NodeAffinity: someAffinity(t, true)})
	}
}

func someToleration(t *difftest.Source) v1.Toleration {
	return v1.Toleration{
		Key:      pick(t, append([]string{""}, taintKeys...)),
		Operator: pick(t, []v1.TolerationOperator{"", v1.TolerationOpEqual, v1.TolerationOpExists, v1.TolerationOpGt, v1.TolerationOpLt, "Like"}),
		Value:    pick(t, append([]string{"900", "1000"}, taintValues...)),
		Effect:   pick(t, append([]v1.TaintEffect{""}, effects...)),
	}
}

// someAffinity draws an affinity. If broken is set, some terms cannot be parsed.
func someAffinity(t *difftest.Source, broken bool) *v1.NodeAffinity {
	a := &v1.NodeAffinity{}
	if t.Bool() {
		a.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{}
		for range t.Range(0, 3) {
			selector := a.RequiredDuringSchedulingIgnoredDuringExecution
			selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, someTerm(t, broken))
		}
	}
	if t.Bool() {
		a.PreferredDuringSchedulingIgnoredDuringExecution = []v1.PreferredSchedulingTerm{}
		for range t.Range(0, 3) {
			// The plugin fails on a preferred term that it cannot parse, so these are rarer.
			a.PreferredDuringSchedulingIgnoredDuringExecution = append(a.PreferredDuringSchedulingIgnoredDuringExecution,
				v1.PreferredSchedulingTerm{Weight: pick(t, []int32{0, 1, 50, 100}), Preference: someTerm(t, broken && t.OneIn(4))})
		}
	}
	return a
}

func someTerm(t *difftest.Source, broken bool) v1.NodeSelectorTerm {
	var term v1.NodeSelectorTerm
	for range t.Range(0, 2) {
		term.MatchExpressions = append(term.MatchExpressions, someExpression(t, broken))
	}
	for range difftest.Pick(t, 0, 0, 1, 2) {
		f := v1.NodeSelectorRequirement{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{pick(t, nodeNames)}}
		if t.OneIn(4) {
			f.Operator = v1.NodeSelectorOpNotIn
		}
		if broken && t.OneIn(6) {
			f.Values = append(f.Values, pick(t, nodeNames))
		}
		if broken && t.OneIn(10) {
			f.Key = "metadata.uid"
		}
		if broken && t.OneIn(10) {
			f.Operator = v1.NodeSelectorOpExists
		}
		term.MatchFields = append(term.MatchFields, f)
	}
	return term
}

func someExpression(t *difftest.Source, broken bool) v1.NodeSelectorRequirement {
	e := v1.NodeSelectorRequirement{Key: pick(t, labelKeys)}
	switch t.Range(0, 6) {
	case 0, 1:
		e.Operator, e.Values = v1.NodeSelectorOpIn, []string{pick(t, labelValues), pick(t, labelValues)}
	case 2:
		e.Operator, e.Values = v1.NodeSelectorOpNotIn, []string{pick(t, labelValues)}
	case 3:
		e.Operator = v1.NodeSelectorOpExists
	case 4:
		e.Operator = v1.NodeSelectorOpDoesNotExist
	case 5:
		e.Operator, e.Values = v1.NodeSelectorOpGt, []string{pick(t, []string{"4", "0", "-2"})}
	case 6:
		e.Operator, e.Values = v1.NodeSelectorOpLt, []string{pick(t, []string{"5", "0"})}
	}
	if broken && t.OneIn(8) {
		switch t.Range(0, 3) {
		case 0:
			e.Operator = "Near"
		case 1:
			e.Operator, e.Values = v1.NodeSelectorOpIn, nil
		case 2:
			e.Operator, e.Values = v1.NodeSelectorOpGt, []string{"four"}
		case 3:
			e.Key = "not a key!"
		}
	}
	return e
}

func addPorts(t *difftest.Source, pod *v1.Pod) {
	for _, containers := range [][]v1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range containers {
			for range difftest.Pick(t, 0, 0, 0, 1, 2) {
				containers[i].Ports = append(containers[i].Ports, v1.ContainerPort{
					HostIP:   pick(t, hostIPs),
					Protocol: pick(t, []v1.Protocol{"", v1.ProtocolTCP, v1.ProtocolUDP}),
					HostPort: pick(t, []int32{0, 80, 80, 81}),
				})
			}
		}
	}
}
