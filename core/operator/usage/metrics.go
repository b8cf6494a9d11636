package usage

import (
	"encoding/json"
	"fmt"
	"regexp"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict/pressure"
	"orrery/core/safe/printable"
	"orrery/core/world"
)

// plainQuantity matches the amounts that metrics servers write. It excludes exponents: a short one can stand for a
// number of unbounded length.
var plainQuantity = regexp.MustCompile(`^[0-9]{1,19}(\.[0-9]{1,9})?([numkMGTPE]|[KMGTPE]i)?$`)

// bytesOf parses an amount of memory.
func bytesOf(text string) (uint64, error) {
	if !plainQuantity.MatchString(text) {
		return 0, fmt.Errorf("%q is no amount of memory", printable.Line(text, 40))
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no amount of memory: %w", text, err)
	}
	if n := q.Value(); n >= 0 && n <= maxAmount {
		return uint64(n), nil
	}
	return 0, fmt.Errorf("memory is said to be %s", text)
}

// usageField is the part of metrics that the package reads.
type usageField struct {
	Memory string `json:"memory"`
}

func memoryStats(at metav1.Time, bytes uint64) *pressure.MemoryStats {
	return &pressure.MemoryStats{Time: at, UsageBytes: &bytes, WorkingSetBytes: &bytes}
}

// PodMemory parses a pod's metrics.
func PodMemory(answer []byte, pod world.PodRef) (pressure.PodStats, error) {
	var read struct {
		Timestamp  metav1.Time `json:"timestamp"`
		Containers []struct {
			Name  string     `json:"name"`
			Usage usageField `json:"usage"`
		} `json:"containers"`
	}
	p := pressure.PodStats{PodRef: pressure.PodReference{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}}
	if err := json.Unmarshal(answer, &read); err != nil {
		return p, fmt.Errorf("reading the metrics of a pod: %s", printable.Line(err.Error(), ReasonLength))
	}
	if len(read.Containers) > maxSummaryParts {
		return p, fmt.Errorf("the metrics of a pod have %d containers", len(read.Containers))
	}
	var sum uint64
	for _, c := range read.Containers {
		n, err := bytesOf(c.Usage.Memory)
		if err != nil {
			return p, fmt.Errorf("reading the metrics of a pod: %w", err)
		}
		sum += n
		p.Containers = append(p.Containers, pressure.ContainerStats{Name: c.Name, Memory: memoryStats(read.Timestamp, n)})
	}
	p.Memory = memoryStats(read.Timestamp, sum)
	return p, nil
}

// NodeMemory parses a node's metrics. Available memory is the capacity in the node's status less the usage.
func NodeMemory(answer []byte, node *v1.Node) (*pressure.MemoryStats, error) {
	var read struct {
		Timestamp metav1.Time `json:"timestamp"`
		Usage     usageField  `json:"usage"`
	}
	if err := json.Unmarshal(answer, &read); err != nil {
		return nil, fmt.Errorf("reading the metrics of the node: %s", printable.Line(err.Error(), ReasonLength))
	}
	n, err := bytesOf(read.Usage.Memory)
	if err != nil {
		return nil, fmt.Errorf("reading the metrics of the node: %w", err)
	}
	m := memoryStats(read.Timestamp, n)
	if capacity := node.Status.Capacity.Memory().Value(); capacity > 0 {
		left := uint64(max(capacity-int64(n), 0))
		m.AvailableBytes = &left
	}
	return m, nil
}
