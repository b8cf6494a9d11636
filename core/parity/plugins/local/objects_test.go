package local

import (
	"fmt"

	"orrery/core/mk"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"
)

var (
	counted = []v1.ResourceName{
		"cpu", "memory", "ephemeral-storage", "example.com/gpu", "other.org/licence", "hugepages-2Mi",
		"kubernetes.io/batch", "attachable-volumes-x",
	}
	resourceNames = append([]v1.ResourceName{"unheard-of", "requests.example.com/x"}, counted...)
	amounts       = map[bool][]string{ // by whether the resource is memory-like
		false: {"0", "100u", "1m", "1m", "100m", "100m", "250m", "500m", "1", "1", "1500m", "2", "4", "7", "8001m", "1M"},
		true:  {"0", "1", "100m", "1000", "100Mi", "100Mi", "200Mi", "209715200", "1Gi", "1.5Gi", "4Gi", "10Gi", "1Pi"},
	}
	labelKeys   = []string{"zone", "gen", "disk", "empty"}
	labelValues = []string{"a", "b", "", "4", "5", "-1"}
	taintKeys   = []string{"a", "b", v1.TaintNodeUnschedulable}
	taintValues = []string{"", "x", "5", "950", "high", "0900"}
	effects     = []v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute, v1.TaintEffectPreferNoSchedule}
	images      = []string{"redis", "redis:latest", "redis:7", "reg.io:5000/app", "reg.io:5000/app:latest", "app@sha256:abc", "ghcr.io/a/b"}
	// An image has one size on all nodes: the snapshots that tests can build of sizes that differ, differ themselves.
	imageSizes = []int64{0, 250 << 20, 23 << 20, 1000 << 20, 40 << 20, 5000 << 20, 300 << 20}
	hostIPs    = []string{"", "0.0.0.0", "10.0.0.1", "10.0.0.2"}
	nodeNames  = []string{"n0", "n1", "n2", "n3"}
)

func pick[T any](t *rapid.T, label string, from []T) T { return rapid.SampledFrom(from).Draw(t, label) }

// oneIn is true now and then.
func oneIn(t *rapid.T, n int, label string) bool { return rapid.IntRange(1, n).Draw(t, label) == n }

func amount(t *rapid.T, name v1.ResourceName) resource.Quantity {
	memory := name == v1.ResourceMemory || name == v1.ResourceEphemeralStorage || name == "hugepages-2Mi"
	return resource.MustParse(pick(t, string(name), amounts[memory]))
}

// resources is a list that nearly always has cpu and memory, and others now and then. It may be nil.
func resources(t *rapid.T, others int) v1.ResourceList {
	var list v1.ResourceList
	for _, name := range resourceNames {
		rare := others
		if name == v1.ResourceCPU || name == v1.ResourceMemory {
			rare = 2
		}
		if !oneIn(t, rare, "has "+string(name)) {
			continue
		}
		if list == nil {
			list = v1.ResourceList{}
		}
		list[name] = amount(t, name)
	}
	return list
}

func someNode(t *rapid.T, name string) *v1.Node {
	b := mk.Node(name).Pods(pick(t, "pods", []string{"110", "110", "110", "110", "2", "0"}))
	for resource, quantity := range resources(t, 3) {
		b.Resource(resource, quantity.String())
	}
	if !oneIn(t, 4, "node is small") {
		b.CPU("8").Memory("16Gi")
	}
	for _, key := range labelKeys {
		if rapid.Bool().Draw(t, "node has "+key) {
			b.Label(key, pick(t, key, labelValues))
		}
	}
	for range rapid.SampledFrom([]int{0, 0, 1, 2, 3}).Draw(t, "taints") {
		b.Taint(pick(t, "taint", taintKeys), pick(t, "taint value", taintValues), pick(t, "effect", effects))
	}
	if oneIn(t, 4, "cordoned") {
		b.Unschedulable()
	}
	for range rapid.IntRange(0, 3).Draw(t, "images") {
		i := rapid.IntRange(0, len(images)-1).Draw(t, "image")
		b.Image(imageSizes[i], images[i])
	}
	node := b.Obj()
	if oneIn(t, 6, "node says nothing of pods") {
		delete(node.Status.Allocatable, v1.ResourcePods)
	}
	if rapid.Bool().Draw(t, "declares") {
		node.Status.DeclaredFeatures = []string{"RestartAllContainersOnContainerExits"}
	}
	return node
}

func somePod(t *rapid.T, name string) *v1.Pod {
	b := mk.Pod(name)
	pod := b.Obj()
	pod.Spec.Containers = nil
	for i := range rapid.IntRange(1, 3).Draw(t, "containers") {
		b.Container(fmt.Sprintf("c%d", i), pick(t, "image", images), resources(t, 8))
	}
	for i := range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "init containers") {
		if rapid.Bool().Draw(t, "sidecar") {
			b.Sidecar(fmt.Sprintf("i%d", i), resources(t, 8))
		} else {
			b.Init(fmt.Sprintf("i%d", i), resources(t, 8))
		}
	}
	if oneIn(t, 4, "overhead") {
		pod.Spec.Overhead = resources(t, 10)
	}
	if oneIn(t, 4, "pod level") {
		pod.Spec.Resources = &v1.ResourceRequirements{Requests: withoutFractions(resources(t, 4)), Limits: resources(t, 4)}
	}
	if oneIn(t, 3, "has status") {
		addStatus(t, pod)
	}
	addDemands(t, b)
	addPorts(t, pod)
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "gates") {
		b.Gate(pick(t, "gate", []string{"example.com/foo", "example.com/bar"}))
	}
	if oneIn(t, 4, "restarts all") {
		pod.Spec.Containers[0].RestartPolicyRules = []v1.ContainerRestartRule{{Action: v1.ContainerRestartRuleActionRestartAllContainers}}
	}
	if rapid.Bool().Draw(t, "has priority") {
		b.Priority(rapid.Int32Range(-1, 2).Draw(t, "priority"))
	}
	if oneIn(t, 6, "names a node") {
		b.Node(pick(t, "node", nodeNames))
	}
	if oneIn(t, 6, "is nominated") {
		b.Nominated(pick(t, "node", nodeNames))
	}
	return pod
}

// addStatus says what the pod's containers hold, as it is while they are being resized.
func addStatus(t *rapid.T, pod *v1.Pod) {
	status := func(containers []v1.Container) (all []v1.ContainerStatus) {
		for _, c := range containers {
			s := v1.ContainerStatus{Name: c.Name}
			if rapid.Bool().Draw(t, "has resources") {
				s.Resources = &v1.ResourceRequirements{Requests: resources(t, 8)}
			}
			if rapid.Bool().Draw(t, "has allocated") {
				s.AllocatedResources = resources(t, 8)
			}
			all = append(all, s)
		}
		return all
	}
	pod.Status.ContainerStatuses = status(pod.Spec.Containers)
	pod.Status.InitContainerStatuses = status(pod.Spec.InitContainers)
	if oneIn(t, 3, "resize is pending") {
		pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{
			Type: v1.PodResizePending, Status: v1.ConditionTrue,
			Reason: pick(t, "reason", []string{v1.PodReasonInfeasible, v1.PodReasonDeferred}),
		})
	}
	if oneIn(t, 3, "pod is resized") {
		pod.Status.Resources = &v1.ResourceRequirements{Requests: resources(t, 4)}
		pod.Status.AllocatedResources = resources(t, 4)
	}
}

func addDemands(t *rapid.T, b *mk.PodBuilder) {
	for range rapid.SampledFrom([]int{0, 0, 1, 2, 3}).Draw(t, "tolerations") {
		b.Toleration(someToleration(t))
	}
	switch rapid.IntRange(0, 5).Draw(t, "selector") {
	case 0:
		b.NodeSelector(pick(t, "key", labelKeys), pick(t, "value", labelValues))
		b.NodeSelector(pick(t, "key", labelKeys), pick(t, "value", labelValues))
	case 1:
		b.Obj().Spec.NodeSelector = map[string]string{}
	}
	if rapid.Bool().Draw(t, "has affinity") {
		b.Affinity(&v1.Affinity{NodeAffinity: someAffinity(t, true)})
	}
}

func someToleration(t *rapid.T) v1.Toleration {
	return v1.Toleration{
		Key:      pick(t, "key", append([]string{""}, taintKeys...)),
		Operator: pick(t, "operator", []v1.TolerationOperator{"", v1.TolerationOpEqual, v1.TolerationOpExists, v1.TolerationOpGt, v1.TolerationOpLt, "Like"}),
		Value:    pick(t, "value", append([]string{"900", "1000"}, taintValues...)),
		Effect:   pick(t, "effect", append([]v1.TaintEffect{""}, effects...)),
	}
}

// someAffinity may have terms that cannot be parsed, if it is allowed to.
func someAffinity(t *rapid.T, broken bool) *v1.NodeAffinity {
	a := &v1.NodeAffinity{}
	if rapid.Bool().Draw(t, "requires") {
		a.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{}
		for range rapid.IntRange(0, 3).Draw(t, "terms") {
			selector := a.RequiredDuringSchedulingIgnoredDuringExecution
			selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, someTerm(t, broken))
		}
	}
	if rapid.Bool().Draw(t, "prefers") {
		a.PreferredDuringSchedulingIgnoredDuringExecution = []v1.PreferredSchedulingTerm{}
		for range rapid.IntRange(0, 3).Draw(t, "terms") {
			// The plugin fails on a preferred term that it cannot parse, so these are rarer.
			a.PreferredDuringSchedulingIgnoredDuringExecution = append(a.PreferredDuringSchedulingIgnoredDuringExecution,
				v1.PreferredSchedulingTerm{Weight: pick(t, "weight", []int32{0, 1, 50, 100}), Preference: someTerm(t, broken && oneIn(t, 4, "broken"))})
		}
	}
	return a
}

func someTerm(t *rapid.T, broken bool) v1.NodeSelectorTerm {
	var term v1.NodeSelectorTerm
	for range rapid.IntRange(0, 2).Draw(t, "expressions") {
		term.MatchExpressions = append(term.MatchExpressions, someExpression(t, broken))
	}
	for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "fields") {
		f := v1.NodeSelectorRequirement{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{pick(t, "name", nodeNames)}}
		if oneIn(t, 4, "not in") {
			f.Operator = v1.NodeSelectorOpNotIn
		}
		if broken && oneIn(t, 6, "two names") {
			f.Values = append(f.Values, pick(t, "name", nodeNames))
		}
		if broken && oneIn(t, 10, "odd field") {
			f.Key = "metadata.uid"
		}
		if broken && oneIn(t, 10, "odd operator") {
			f.Operator = v1.NodeSelectorOpExists
		}
		term.MatchFields = append(term.MatchFields, f)
	}
	return term
}

func someExpression(t *rapid.T, broken bool) v1.NodeSelectorRequirement {
	e := v1.NodeSelectorRequirement{Key: pick(t, "key", labelKeys)}
	switch rapid.IntRange(0, 6).Draw(t, "operator") {
	case 0, 1:
		e.Operator, e.Values = v1.NodeSelectorOpIn, []string{pick(t, "value", labelValues), pick(t, "value", labelValues)}
	case 2:
		e.Operator, e.Values = v1.NodeSelectorOpNotIn, []string{pick(t, "value", labelValues)}
	case 3:
		e.Operator = v1.NodeSelectorOpExists
	case 4:
		e.Operator = v1.NodeSelectorOpDoesNotExist
	case 5:
		e.Operator, e.Values = v1.NodeSelectorOpGt, []string{pick(t, "number", []string{"4", "0", "-2"})}
	case 6:
		e.Operator, e.Values = v1.NodeSelectorOpLt, []string{pick(t, "number", []string{"5", "0"})}
	}
	if broken && oneIn(t, 8, "broken") {
		switch rapid.IntRange(0, 3).Draw(t, "how") {
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

func addPorts(t *rapid.T, pod *v1.Pod) {
	for _, containers := range [][]v1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range containers {
			for range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "ports") {
				containers[i].Ports = append(containers[i].Ports, v1.ContainerPort{
					HostIP:   pick(t, "ip", hostIPs),
					Protocol: pick(t, "protocol", []v1.Protocol{"", v1.ProtocolTCP, v1.ProtocolUDP}),
					HostPort: pick(t, "port", []int32{0, 80, 80, 81}),
				})
			}
		}
	}
}
