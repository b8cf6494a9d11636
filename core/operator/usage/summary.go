package usage

import (
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict/pressure"
	"orrery/core/safe/printable"
)

// These limits are generous, and keep sums over a pod's parts within an int64. Filesystems of volumes may be larger,
// and are ignored.
const (
	//orrery:limit kubelets; an amount in a summary, in bytes; an error
	maxAmount = 1 << 52
	maxPIDs   = 1 << 40
	//orrery:limit kubelets; pods in a summary; an error
	maxSummaryPods = 4096
	//orrery:limit kubelets; containers, or volumes, of a pod in a summary; an error
	maxSummaryParts = 512
)

// Summary parses the response of /stats/summary for a node.
func Summary(answer []byte, node string) (*pressure.Summary, error) {
	var read struct {
		Node struct {
			NodeName string `json:"nodeName"`
			pressure.NodeStats
		} `json:"node"`
		Pods []pressure.PodStats `json:"pods"`
	}
	if err := json.Unmarshal(answer, &read); err != nil {
		return nil, fmt.Errorf("reading the kubelet's summary: %s", printable.Line(err.Error(), ReasonLength))
	}
	if read.Node.NodeName != node {
		return nil, fmt.Errorf("the kubelet's summary is about node %q and not about %q", printable.Line(read.Node.NodeName, 80), node)
	}
	s := &pressure.Summary{Node: read.Node.NodeStats, Pods: read.Pods}
	if err := check(s); err != nil {
		return nil, fmt.Errorf("the kubelet's summary makes no sense: %w", err)
	}
	return s, nil
}

// check rejects values that are too large to sum.
func check(s *pressure.Summary) error {
	if len(s.Pods) > maxSummaryPods {
		return fmt.Errorf("it has %d pods", len(s.Pods))
	}
	n := &s.Node
	errs := []error{checkMemory("the node's memory", n.Memory), checkFs("the node's filesystem", n.Fs), checkPIDs(n.Rlimit)}
	if r := n.Runtime; r != nil {
		errs = append(errs, checkFs("the images' filesystem", r.ImageFs), checkFs("the containers' filesystem", r.ContainerFs))
	}
	if len(n.SystemContainers) > maxSummaryParts {
		return fmt.Errorf("it has %d system containers", len(n.SystemContainers))
	}
	for i := range n.SystemContainers {
		errs = append(errs, checkMemory("a system container's memory", n.SystemContainers[i].Memory))
	}
	if err := errors.Join(errs...); err != nil {
		return firstError(errs)
	}
	seen := make(map[types.UID]bool, len(s.Pods))
	for i := range s.Pods {
		p := &s.Pods[i]
		if seen[p.PodRef.UID] {
			return fmt.Errorf("pod %s is in it twice", podName(p))
		}
		seen[p.PodRef.UID] = true
		if err := checkPod(p); err != nil {
			return fmt.Errorf("pod %s: %w", podName(p), err)
		}
	}
	return nil
}

func firstError(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func podName(p *pressure.PodStats) string {
	return printable.Line(p.PodRef.Namespace+"/"+p.PodRef.Name, 120)
}

// checkPod also drops the sizes of volumes' filesystems, as some are unlimited.
func checkPod(p *pressure.PodStats) error {
	if len(p.Containers)+len(p.Volumes) > maxSummaryParts {
		return fmt.Errorf("it has %d containers and %d volumes", len(p.Containers), len(p.Volumes))
	}
	errs := []error{checkMemory("memory", p.Memory), checkUse("storage", p.EphemeralStorage)}
	for i := range p.Containers {
		c := &p.Containers[i]
		errs = append(errs, checkMemory("a container's memory", c.Memory), checkUse("a writable layer", c.Rootfs), checkUse("logs", c.Logs))
	}
	for i := range p.Volumes {
		v := &p.Volumes[i]
		v.AvailableBytes, v.CapacityBytes, v.Inodes, v.InodesFree = nil, nil, nil, nil
		errs = append(errs, checkUse("a volume", &v.FsStats))
	}
	if p.Processes != nil {
		errs = append(errs, checkMax("processes", p.Processes.Count, maxPIDs))
	}
	return firstError(errs)
}

func checkMemory(what string, m *pressure.MemoryStats) error {
	if m == nil {
		return nil
	}
	return firstError([]error{
		checkMax(what, m.AvailableBytes, maxAmount), checkMax(what, m.UsageBytes, maxAmount), checkMax(what, m.WorkingSetBytes, maxAmount),
	})
}

func checkFs(what string, f *pressure.FsStats) error {
	if f == nil {
		return nil
	}
	return firstError([]error{
		checkUse(what, f), checkMax(what, f.AvailableBytes, maxAmount), checkMax(what, f.CapacityBytes, maxAmount),
		checkMax(what, f.InodesFree, maxAmount), checkMax(what, f.Inodes, maxAmount),
	})
}

func checkUse(what string, f *pressure.FsStats) error {
	if f == nil {
		return nil
	}
	return firstError([]error{checkMax(what, f.UsedBytes, maxAmount), checkMax(what, f.InodesUsed, maxAmount)})
}

func checkMax(what string, n *uint64, most uint64) error {
	if n != nil && *n > most {
		return fmt.Errorf("%s is said to be %d", what, *n)
	}
	return nil
}

func checkPIDs(r *pressure.RlimitStats) error {
	if r == nil {
		return nil
	}
	for _, n := range []*int64{r.MaxPID, r.Running} {
		if n != nil && (*n < 0 || *n > maxPIDs) {
			return fmt.Errorf("process IDs are said to be %d", *n)
		}
	}
	return nil
}

// Thresholds parses the response of /configz: the eviction thresholds.
func Thresholds(answer []byte, system string) (pressure.Configuration, error) {
	var read struct {
		Kubelet map[string]json.RawMessage `json:"kubeletconfig"`
	}
	if err := json.Unmarshal(answer, &read); err != nil {
		return pressure.Configuration{}, fmt.Errorf("reading the kubelet's configuration: %s", printable.Line(err.Error(), ReasonLength))
	}
	if read.Kubelet == nil {
		return pressure.Configuration{}, errors.New("the kubelet's answer to /configz has no kubeletconfig")
	}
	for field, is := range map[string]string{"apiVersion": pressure.ConfigurationVersion, "kind": pressure.ConfigurationKind} {
		if _, ok := read.Kubelet[field]; !ok { // kubelets omit them here
			read.Kubelet[field] = json.RawMessage(fmt.Sprintf("%q", is))
		}
	}
	whole, err := json.Marshal(read.Kubelet)
	if err != nil {
		return pressure.Configuration{}, fmt.Errorf("reading the kubelet's configuration: %w", err)
	}
	c, err := pressure.Load(whole, system)
	if err != nil {
		return pressure.Configuration{}, errors.New(printable.Line(err.Error(), ReasonLength))
	}
	return c, nil
}
