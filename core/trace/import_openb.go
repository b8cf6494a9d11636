package trace

import (
	"bytes"
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

	"orrery/core/requests"
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

// ImportOpenB reads the two files of the openb trace: nodes (sn, cpu_milli, memory_mib, gpu, model) and pods (name,
// cpu_milli, memory_mib, num_gpu, gpu_milli, gpu_spec, qos, pod_phase, creation_time, deletion_time, scheduled_time, in
// seconds since start). It finds columns by name. Progress, if not nil, is called after every 1000 lines with their
// count.
//
// All nodes exist from the start; pods are created and deleted at their times, deletions first within a second. A pod
// requests num_gpu × gpu_milli of [OpenBGPU] and requires one of the models it names. An extended resource cannot
// express that a share has to be on a single GPU: a node with two free halves accepts a pod that requests three
// quarters. The nodes and times of the original bindings are ignored.
func ImportOpenB(nodesFile string, nodes io.Reader, podsFile string, pods io.Reader, start time.Time, progress func(lines int)) (*ImportedTrace, error) {
	im := &ImportedTrace{Start: start}
	lines := 0
	count := func() {
		if lines++; progress != nil && lines%1000 == 0 {
			progress(lines)
		}
	}
	list := world.Listed{Kind: world.Node}
	err := readTable(nodesFile, nodes, openbNodeColumns, func(r *tableRow) {
		list.Objects = append(list.Objects, openbNode(r, start))
		count()
	})
	if err != nil {
		return nil, err
	}
	im.Inputs = append(im.Inputs, world.Input{At: start, Event: list})
	err = readTable(podsFile, pods, openbPodColumns, func(r *tableRow) {
		im.Inputs = append(im.Inputs, openbPod(r, start)...)
		count()
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(im.Inputs[1:], func(a, b world.Input) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(deletionRank(b), deletionRank(a)))
	})
	return im, nil
}

func deletionRank(in world.Input) int {
	if c, ok := in.Event.(world.Changed); ok && c.Op == world.Deleted {
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
	if cards := r.number("gpu"); cards > 0 {
		has[OpenBGPU] = *resource.NewQuantity(cards*1000, resource.DecimalSI)
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

// openbPod returns the creation of a pod and, if it has an end, its deletion.
func openbPod(r *tableRow, start time.Time) []world.Input {
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
	if share := r.product("num_gpu", "gpu_milli", requests.Most(OpenBGPU)); share > 0 {
		asks[OpenBGPU] = *resource.NewQuantity(share, resource.DecimalSI)
	}
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "openb", Name: name, UID: types.UID("pod-" + name), CreationTimestamp: metav1.Time{Time: created},
			Labels: map[string]string{OpenBQoS: r.text("qos")},
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
			At: deleted, Event: world.Changed{Op: world.Deleted, Object: pod},
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
				Key: OpenBModel, Operator: v1.NodeSelectorOpIn, Values: strings.Split(models, "|"),
			}},
		}}},
	}}
}

// tableRow is one line of a table; err is the first error in it.
type tableRow struct {
	file    string
	line    int
	columns map[string]int
	cells   []string
	err     error
}

// maxRowBytes bounds a row of a table, and rowMemory is more than it takes as objects.
const (
	maxRowBytes = 1 << 20
	rowMemory   = 3 << 10
)

// rowReader bounds a row: what has no end, such as a device, is read no further.
type rowReader struct {
	from io.Reader
	left int   // of the row
	read int64 // of the table
}

func (r *rowReader) Read(to []byte) (int, error) {
	n, err := r.from.Read(to)
	r.left, r.read = r.left-n, r.read+int64(n)
	switch {
	case bytes.IndexByte(to[:n], 0) >= 0:
		return 0, fmt.Errorf("this is no table: %w", errZeroByte)
	case r.left < 0:
		return 0, fmt.Errorf("a row has more than %d bytes", maxRowBytes)
	}
	return n, err
}

func readTable(file string, from io.Reader, needed []string, each func(*tableRow)) error {
	rows := &rowReader{from: from, left: maxRowBytes}
	r := csv.NewReader(rows)
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
	var memory memory
	for {
		rows.left = maxRowBytes
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return tableError(file, err)
		}
		line, _ := r.FieldPos(0)
		memory.fileBytes = rows.read
		if err := memory.spend(rowMemory); err != nil {
			return &FileError{file, line, "", err}
		}
		one := tableRow{file: file, line: line, columns: columns, cells: cells}
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

func (r *tableRow) fail(column string, cause error) {
	if r.err == nil {
		r.err = &FileError{r.file, r.line, column, cause}
	}
}

func (r *tableRow) text(column string) string {
	return strings.Clone(r.cells[r.columns[column]]) // the csv reader reuses the row's memory
}

func (r *tableRow) name(column string) string {
	name := r.text(column)
	if name == "" {
		r.fail(column, errors.New("is empty"))
	}
	return name
}

// time reads a number of seconds after the start.
func (r *tableRow) time(column string, start time.Time) time.Time {
	at := start.Add(time.Duration(r.number(column)) * time.Second)
	if !canBeMeant(at) {
		r.fail(column, fmt.Errorf("%d s after %s is %s, and times from %d to %d are taken",
			r.number(column), start.Format(time.RFC3339), at.Format(time.RFC3339), firstTime.Year(), afterLast.Year()-1))
	}
	return at
}

// product reads the product of two numbers.
func (r *tableRow) product(column, times string, most int64) int64 {
	a, b := r.number(column), r.number(times)
	if a > 0 && b > most/a {
		r.fail(column, fmt.Errorf("%d times %d is more than %d", a, b, most))
		return 0
	}
	return a * b
}

// number parses a non-negative whole number, also in the form 1000.0. The bound keeps conversions to nanoseconds, bytes and
// thousandths from overflowing.
func (r *tableRow) number(column string) int64 {
	text := r.text(column)
	value, err := strconv.ParseFloat(text, 64)
	const most = 1 << 33
	if err != nil || value != math.Trunc(value) || value < 0 || value > most {
		r.fail(column, fmt.Errorf("%q is not a whole number from 0 to %d", text, int64(most)))
		return 0
	}
	return int64(value)
}
