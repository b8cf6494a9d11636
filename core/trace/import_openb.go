package trace

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// What openb's columns become.
const (
	// OpenbGPU is the extended resource of graphics cards, in thousandths of a card: 2 cards are 2000, half of one 500.
	OpenbGPU v1.ResourceName = "openb.example/gpu-milli"
	// OpenbModel is the label that says which cards a node has.
	OpenbModel = "openb.example/gpu-model"
	// OpenbQoS is the label with a pod's class of service.
	OpenbQoS = "openb.example/qos"
)

// openbPodsPerNode is more than any node of the data ever held: the data knows no such limit, so none should decide.
const openbPodsPerNode = 1000

// ImportOpenb reads the pair of files of the openb trace: nodes (sn, cpu_milli, memory_mib, gpu, model) and pods (name,
// cpu_milli, memory_mib, num_gpu, gpu_milli, gpu_spec, qos, pod_phase, creation_time, deletion_time, scheduled_time, in
// seconds since start). Columns are found by their names. Progress, if not nil, is called with how many lines were read.
//
// All nodes are there from the start; pods come and go at their times, and where one leaves in the second in which another
// comes, it leaves first. A pod asks for num_gpu × gpu_milli of [OpenbGPU] and for one of the models it names. That a
// share has to be on a single card is more than an extended resource can say: a node with two halves free takes a pod
// that asks for three quarters. Where and when a pod really ran is not taken over.
func ImportOpenb(nodesFile string, nodes io.Reader, podsFile string, pods io.Reader, start time.Time, progress func(lines int)) (*Import, error) {
	im := &Import{Start: start}
	lines := 0
	count := func() {
		if lines++; progress != nil && lines%1000 == 0 {
			progress(lines)
		}
	}
	list := world.Listed{Kind: world.Node}
	err := readTable(nodesFile, nodes, openbNodeColumns, func(r *row) {
		list.Objects = append(list.Objects, openbNode(r, start))
		count()
	})
	if err != nil {
		return nil, err
	}
	im.Inputs = append(im.Inputs, world.Input{At: start, Event: list})
	err = readTable(podsFile, pods, openbPodColumns, func(r *row) {
		im.Inputs = append(im.Inputs, openbPod(r, start)...)
		count()
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(im.Inputs[1:], func(a, b world.Input) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(departs(b), departs(a)))
	})
	return im, nil
}

func departs(in world.Input) int {
	if c, ok := in.Event.(world.Changed); ok && c.Op == world.Deleted {
		return 1
	}
	return 0
}

var (
	openbNodeColumns = []string{"sn", "cpu_milli", "memory_mib", "gpu", "model"}
	openbPodColumns  = []string{"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos", "creation_time", "deletion_time"}
)

func openbNode(r *row, start time.Time) *v1.Node {
	name := r.name("sn")
	has := v1.ResourceList{
		v1.ResourceCPU:    *resource.NewMilliQuantity(r.number("cpu_milli"), resource.DecimalSI),
		v1.ResourceMemory: *resource.NewQuantity(r.number("memory_mib")<<20, resource.BinarySI),
		v1.ResourcePods:   *resource.NewQuantity(openbPodsPerNode, resource.DecimalSI),
	}
	labels := map[string]string{v1.LabelHostname: name}
	if cards := r.number("gpu"); cards > 0 {
		has[OpenbGPU] = *resource.NewQuantity(cards*1000, resource.DecimalSI)
		labels[OpenbModel] = r.text("model")
	}
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("node-" + name), CreationTimestamp: metav1.Time{Time: start}, Labels: labels},
		Status: v1.NodeStatus{
			Capacity: has, Allocatable: has,
			Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}},
		},
	}
}

// openbPod is a pod's coming and, unless it stays, its going.
func openbPod(r *row, start time.Time) []world.Input {
	name := r.name("name")
	comes, goes := r.number("creation_time"), r.number("deletion_time")
	if goes < comes {
		r.fail("deletion_time", fmt.Errorf("%d is before creation_time, %d", goes, comes))
	}
	created := start.Add(time.Duration(comes) * time.Second)
	asks := v1.ResourceList{
		v1.ResourceCPU:    *resource.NewMilliQuantity(r.number("cpu_milli"), resource.DecimalSI),
		v1.ResourceMemory: *resource.NewQuantity(r.number("memory_mib")<<20, resource.BinarySI),
	}
	if share := r.number("num_gpu") * r.number("gpu_milli"); share > 0 {
		asks[OpenbGPU] = *resource.NewQuantity(share, resource.DecimalSI)
	}
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "openb", Name: name, UID: types.UID("pod-" + name), CreationTimestamp: metav1.Time{Time: created},
			Labels: map[string]string{OpenbQoS: r.text("qos")},
		},
		Spec: v1.PodSpec{
			SchedulerName: v1.DefaultSchedulerName, RestartPolicy: v1.RestartPolicyNever, Affinity: openbAffinity(r.text("gpu_spec")),
			Containers: []v1.Container{{Name: "main", Resources: v1.ResourceRequirements{Requests: asks}}},
		},
		Status: v1.PodStatus{Phase: v1.PodPending},
	}
	inputs := []world.Input{{At: created, Event: world.Changed{Op: world.Added, Object: pod}}}
	if goes > comes {
		inputs = append(inputs, world.Input{
			At: start.Add(time.Duration(goes) * time.Second), Event: world.Changed{Op: world.Deleted, Object: pod},
		})
	}
	return inputs
}

func openbAffinity(models string) *v1.Affinity {
	if models == "" {
		return nil
	}
	return &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
			MatchExpressions: []v1.NodeSelectorRequirement{{
				Key: OpenbModel, Operator: v1.NodeSelectorOpIn, Values: strings.Split(models, "|"),
			}},
		}}},
	}}
}

// row is one line of a table, to be asked for its columns. It remembers the first mistake.
type row struct {
	file    string
	line    int
	columns map[string]int
	cells   []string
	err     error
}

func readTable(file string, from io.Reader, needed []string, each func(*row)) error {
	r := csv.NewReader(from)
	r.ReuseRecord = true
	head, err := r.Read()
	if err != nil {
		return &FileError{file, 1, "", fmt.Errorf("reading the names of the columns: %w", err)}
	}
	columns := make(map[string]int, len(head))
	for i, name := range head {
		columns[strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))] = i
	}
	for _, name := range needed {
		if _, ok := columns[name]; !ok {
			return &FileError{file, 1, name, errors.New("there is no column of this name")}
		}
	}
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return tableError(file, err)
		}
		line, _ := r.FieldPos(0)
		one := row{file: file, line: line, columns: columns, cells: cells}
		if each(&one); one.err != nil {
			return one.err
		}
	}
}

func tableError(file string, err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return &FileError{file, parse.Line, "", parse.Err}
	}
	return fmt.Errorf("reading %s: %w", file, err)
}

func (r *row) fail(column string, cause error) {
	if r.err == nil {
		r.err = &FileError{r.file, r.line, column, cause}
	}
}

func (r *row) text(column string) string {
	return strings.Clone(r.cells[r.columns[column]]) // the row's own memory is used again
}

func (r *row) name(column string) string {
	name := r.text(column)
	if name == "" {
		r.fail(column, errors.New("is empty"))
	}
	return name
}

// number is an amount: whole and not negative. It may be written as 1000.0. Bounded so that no unit overflows.
func (r *row) number(column string) int64 {
	text := r.text(column)
	value, err := strconv.ParseFloat(text, 64)
	const most = 1 << 33
	if err != nil || value != math.Trunc(value) || value < 0 || value > most {
		r.fail(column, fmt.Errorf("%q is not a whole number from 0 to %d", text, int64(most)))
		return 0
	}
	return int64(value)
}
