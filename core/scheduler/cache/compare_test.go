package cache

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// state is everything a NodeInfo shows, in a form that can be compared and read.
type state struct {
	Node                            *v1.Node
	Pods, Affine, RequiredAnti      []string
	Requested, NonZero, Allocatable amounts
	Ports                           []string
	Images                          map[string]fwk.ImageStateSummary
	Claims                          map[string]int
}

type amounts struct {
	CPU, Memory, Ephemeral int64
	Pods                   int
	Scalars                map[v1.ResourceName]int64
}

func stateOf(n fwk.NodeInfo) state {
	s := state{
		Node: n.Node(),
		Pods: podNames(n.GetPods()), Affine: podNames(n.GetPodsWithAffinity()),
		RequiredAnti: podNames(n.GetPodsWithRequiredAntiAffinity()),
		Requested:    amountsOf(n.GetRequested()), NonZero: amountsOf(n.GetNonZeroRequested()),
		Allocatable: amountsOf(n.GetAllocatable()),
		Images:      map[string]fwk.ImageStateSummary{}, Claims: map[string]int{},
	}
	for ip, ports := range n.GetUsedPorts() {
		for p := range ports {
			s.Ports = append(s.Ports, fmt.Sprintf("%s %s:%d", p.Protocol, ip, p.Port))
		}
	}
	slices.Sort(s.Ports)
	for name, image := range n.GetImageStates() {
		s.Images[name] = *image
	}
	maps.Copy(s.Claims, n.GetPVCRefCounts())
	return s
}

func amountsOf(r fwk.Resource) amounts {
	a := amounts{r.GetMilliCPU(), r.GetMemory(), r.GetEphemeralStorage(), r.GetAllowedPodNumber(), map[v1.ResourceName]int64{}}
	maps.Copy(a.Scalars, r.GetScalarResources())
	return a
}

func podNames(infos []fwk.PodInfo) []string {
	names := []string{}
	for _, info := range infos {
		names = append(names, info.GetPod().Name)
	}
	return names
}

func nodeNames(infos []fwk.NodeInfo, _ error) []string {
	names := []string{}
	for _, info := range infos {
		names = append(names, info.Node().Name)
	}
	return names
}

// same fails the test with the difference.
func same(t interface {
	Helper()
	Fatalf(string, ...any)
}, what string, want, got any,
) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// errorText is the error's text, or nothing.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// refreshed is the snapshot after a refresh that went well.
func refreshed(t *testing.T, c *Cache, s *Snapshot) *Snapshot {
	t.Helper()
	if err := c.UpdateSnapshot(s); err != nil {
		t.Fatal(err)
	}
	return s
}

// recent are the cache's entries from the newest to the oldest, imaginary nodes as "name?".
func recent(c *Cache) []string {
	names := []string{}
	for e := c.newest; e != nil; e = e.older {
		if e.info.node == nil {
			names = append(names, e.name+"?")
			continue
		}
		names = append(names, e.name)
	}
	return names
}
