package trace

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/objects/requests"
	"orrery/core/world"
)

// The resource and the labels that openb's columns become.
const (
	// OpenBGPU is the extended resource of GPUs, in thousandths of a GPU: 2 GPUs are 2000, half of one 500.
	OpenBGPU v1.ResourceName = "openb.example/gpu-milli"
	// OpenBModel is the label with a node's GPU model.
	OpenBModel = "openb.example/gpu-model"
	// OpenBQoS is the label with a pod's QoS class.
	OpenBQoS = "openb.example/qos"
)

// openbPodsPerNode exceeds the pods of any node in the data: the data has no such limit, so the limit must not decide.
const openbPodsPerNode = 1000

// OpenBOptions are how the openb trace is imported.
type OpenBOptions struct {
	// Start is the time that the files count from.
	Start time.Time
	// Claims writes GPUs as devices, and demands for them as claims, instead of as an extended resource.
	Claims bool
	// Progress, if not nil, is called after every 1000 lines with their count.
	Progress func(lines int)
}

// ImportOpenB reads the two files of the openb trace: nodes (sn, cpu_milli, memory_mib, gpu, model) and pods (name,
// cpu_milli, memory_mib, num_gpu, gpu_milli, gpu_spec, qos, pod_phase, creation_time, deletion_time, scheduled_time, in
// seconds). It finds columns by name.
//
// All nodes exist from the start; pods are created and deleted at their times, deletions first within a second. A pod
// requests num_gpu × gpu_milli of [OpenBGPU] and requires one of the models it names. An extended resource cannot
// express that a share has to be on a single GPU: a node with two free halves accepts a pod that requests three
// quarters. Claims can, see [OpenBDriver]. The nodes and times of the original bindings are ignored.
func ImportOpenB(nodesFile string, nodes io.Reader, podsFile string, pods io.Reader, o OpenBOptions) (*ImportedTrace, error) {
	im := &ImportedTrace{Start: o.Start}
	gpus := openbGPUs(openbResource{})
	if o.Claims {
		gpus, im.FeatureGates = newOpenBDevices(), map[string]bool{sharingGate: true}
	}
	lines := 0
	count := func() {
		if lines++; o.Progress != nil && lines%1000 == 0 {
			o.Progress(lines)
		}
	}
	list := world.Listed{Kind: world.Node}
	err := readTable(nodesFile, nodes, openbNodeColumns, func(r *tableRow) {
		node := openbNode(r, o.Start)
		gpus.addTo(r, node)
		list.Objects = append(list.Objects, node)
		count()
	})
	if err != nil {
		return nil, err
	}
	for _, list := range append(gpus.lists(), list) {
		im.Inputs = append(im.Inputs, world.Input{At: o.Start, Event: list})
	}
	begun := len(im.Inputs)
	err = readTable(podsFile, pods, openbPodColumns, func(r *tableRow) {
		im.Inputs = append(im.Inputs, openbPod(r, o.Start, gpus)...)
		count()
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(im.Inputs[begun:], func(a, b world.Input) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(deletionRank(b), deletionRank(a)))
	})
	return im, nil
}

// openbGPUs is the form of GPUs and of demands for them.
type openbGPUs interface {
	// addTo adds a row's GPUs to its node.
	addTo(*tableRow, *v1.Node)
	// requestIn adds a row's demand to its pod, and returns the claim for it, if it is one.
	requestIn(*tableRow, *v1.Pod) world.Object
	// lists are what is there beside the nodes.
	lists() []world.Listed
}

// deletionRank is 1 for what ends a pod.
func deletionRank(in world.Input) int {
	if c, ok := in.Event.(world.Changed); ok && c.Op != world.Added {
		return 1
	}
	return 0
}

var (
	openbNodeColumns = []string{"sn", "cpu_milli", "memory_mib", "gpu", "model"}
	openbPodColumns  = []string{"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos", "creation_time", "deletion_time"}
)

func openbNode(r *tableRow, start time.Time) *v1.Node {
	name := r.name("sn")
	has := v1.ResourceList{
		v1.ResourceCPU:    *resource.NewMilliQuantity(r.number("cpu_milli"), resource.DecimalSI),
		v1.ResourceMemory: *resource.NewQuantity(r.number("memory_mib")<<20, resource.BinarySI),
		v1.ResourcePods:   *resource.NewQuantity(openbPodsPerNode, resource.DecimalSI),
	}
	labels := map[string]string{v1.LabelHostname: name}
	if r.number("gpu") > 0 {
		labels[OpenBModel] = r.text("model")
	}
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("node-" + name), CreationTimestamp: metav1.Time{Time: start}, Labels: labels},
		Status: v1.NodeStatus{
			Capacity: has, Allocatable: has,
			Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}},
		},
	}
}

// openbPod returns the creation of a pod and, if it has an end, its deletion, each with that of its claim.
func openbPod(r *tableRow, start time.Time, gpus openbGPUs) []world.Input {
	name := r.name("name")
	comes, goes := r.number("creation_time"), r.number("deletion_time")
	if goes < comes {
		r.fail("deletion_time", fmt.Errorf("%d is before creation_time, %d", goes, comes))
	}
	created, deleted := r.time("creation_time", start), r.time("deletion_time", start)
	asks := v1.ResourceList{
		v1.ResourceCPU:    *resource.NewMilliQuantity(r.number("cpu_milli"), resource.DecimalSI),
		v1.ResourceMemory: *resource.NewQuantity(r.number("memory_mib")<<20, resource.BinarySI),
	}
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "openb", Name: name, UID: types.UID("pod-" + name), CreationTimestamp: metav1.Time{Time: created},
			Labels: map[string]string{OpenBQoS: r.text("qos")},
		},
		Spec: v1.PodSpec{
			SchedulerName: v1.DefaultSchedulerName, RestartPolicy: v1.RestartPolicyNever,
			Containers: []v1.Container{{Name: "main", Resources: v1.ResourceRequirements{Requests: asks}}},
		},
		Status: v1.PodStatus{Phase: v1.PodPending},
	}
	claim := gpus.requestIn(r, pod)
	var inputs []world.Input
	add := func(at time.Time, op world.Op, o world.Object) {
		inputs = append(inputs, world.Input{At: at, Event: world.Changed{Op: op, Object: o}})
	}
	if claim != nil {
		add(created, world.Added, claim)
	}
	add(created, world.Added, pod)
	if goes > comes {
		add(deleted, world.Deleted, pod)
	}
	if goes > comes && claim != nil {
		add(deleted, world.Modified, claim) // it loses its devices first, as in a cluster: that is what other pods wait for
		add(deleted, world.Deleted, claim)
	}
	return inputs
}

// openbResource writes GPUs as an extended resource.
type openbResource struct{}

func (openbResource) lists() []world.Listed { return nil }

func (openbResource) addTo(r *tableRow, node *v1.Node) {
	if cards := r.number("gpu"); cards > 0 {
		node.Status.Allocatable[OpenBGPU] = *resource.NewQuantity(cards*1000, resource.DecimalSI) // its capacity is the same map
	}
}

func (openbResource) requestIn(r *tableRow, pod *v1.Pod) world.Object {
	if share := r.product("num_gpu", "gpu_milli", requests.Most(OpenBGPU)); share > 0 {
		pod.Spec.Containers[0].Resources.Requests[OpenBGPU] = *resource.NewQuantity(share, resource.DecimalSI)
	}
	if models := r.text("gpu_spec"); models != "" {
		pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
				MatchExpressions: []v1.NodeSelectorRequirement{{
					Key: OpenBModel, Operator: v1.NodeSelectorOpIn, Values: strings.Split(models, "|"),
				}},
			}}},
		}}
	}
	return nil
}
