package nodepools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/answers/pool"
	"orrery/core/parity/difftest"
	"orrery/core/parity/oracle/nodepools"
	"orrery/core/testing/drawn"
)

// scene is a drawn cluster without nodes, whose pods all wait.
type scene struct {
	manifests, sizes string
	pools            []json.RawMessage
	machines         []nodepools.Machine
}

var zones = []string{"a", "b", "c"}

func draw(s *difftest.Source) *scene {
	c := &scene{}
	for i := range s.Range(1, 4) {
		c.machines = append(c.machines, machine(s, i))
	}
	for i := range s.Range(1, 3) {
		c.pools = append(c.pools, nodePool(s, fmt.Sprintf("pool-%c", 'a'+i)))
	}
	for i := range c.pools {
		for _, m := range c.machines {
			for _, zone := range m.Zones {
				c.sizes += fmt.Sprintf("pool-%c cpu=%s,memory=%s,pods=%s,type=%s,zone=%s\n", 'a'+i, m.Allocatable.Cpu(), m.Allocatable.Memory(), m.Allocatable.Pods(), m.Name, zone)
			}
		}
	}
	var all []string
	for i := range s.Range(1, 4) {
		name := fmt.Sprintf("job-%d", i)
		all = append(all, drawn.Written("Job", name, "app: "+name, s.Range(1, 5), difftest.Pick(s, "500m", "1", "1500m", "3", "7", "15"), constraints(s, name)...))
	}
	if s.OneIn(3) {
		all = append(all, drawn.Written("DaemonSet", "agent", "app: agent", 1, difftest.Pick(s, "100m", "700m"), "tolerations: [{operator: Exists}]"))
	}
	c.manifests = strings.Join(all, "---\n")
	return c
}

func machine(s *difftest.Source, i int) nodepools.Machine {
	cpu := difftest.Pick(s, 4, 8, 16, 2)
	m := nodepools.Machine{Name: fmt.Sprintf("type-%d", i), Price: float64(cpu) + float64(s.IntN(3))/10}
	m.Allocatable = v1.ResourceList{
		v1.ResourceCPU: *resource.NewQuantity(int64(cpu), resource.DecimalSI), v1.ResourceMemory: *resource.NewQuantity(int64(cpu)<<32, resource.BinarySI),
		v1.ResourcePods: *resource.NewQuantity(int64(difftest.Pick(s, 110, 4)), resource.DecimalSI),
	}
	for _, zone := range zones {
		if len(m.Zones) == 0 || s.Bool() {
			m.Zones = append(m.Zones, zone)
		}
	}
	return m
}

// nodePool draws what a NodePool declares.
func nodePool(s *difftest.Source, name string) json.RawMessage {
	type object = map[string]any
	var requirements, taints []any
	require := func(key, operator string, values ...string) {
		requirements = append(requirements, object{"key": key, "operator": operator, "values": values})
	}
	if s.OneIn(3) {
		require(v1.LabelTopologyZone, difftest.Pick(s, "In", "NotIn"), difftest.Pick(s, zones...))
	}
	if s.OneIn(4) {
		require(v1.LabelInstanceTypeStable, difftest.Pick(s, "In", "NotIn"), "type-0", difftest.Pick(s, "type-1", "type-2"))
	}
	if s.OneIn(4) {
		require("team", "In", difftest.Pick(s, "shop", "mail"), "shop")
	}
	if s.OneIn(3) {
		taints = append(taints, object{"key": "dedicated", "value": "batch", "effect": difftest.Pick(s, "NoSchedule", "NoExecute")})
	}
	labels := object{}
	if s.OneIn(3) {
		labels["tier"] = difftest.Pick(s, "gold", "silver")
	}
	text, err := json.Marshal(object{
		"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": object{"name": name},
		"spec": object{"weight": difftest.Pick(s, 1, 10, 50), "template": object{
			"metadata": object{"labels": labels}, "spec": object{"requirements": requirements, "taints": taints},
		}},
	})
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	return text
}

// constraints draws what the pods of a job want of their nodes.
func constraints(s *difftest.Source, app string) (lines []string) {
	if s.OneIn(3) {
		lines = append(lines, "tolerations: [{key: dedicated, operator: Exists}]")
	}
	switch s.IntN(8) {
	case 1:
		lines = append(lines, fmt.Sprintf("nodeSelector: {%s: %s}", v1.LabelTopologyZone, difftest.Pick(s, zones...)))
	case 2:
		lines = append(lines, fmt.Sprintf("nodeSelector: {team: %s}", difftest.Pick(s, "shop", "mail")))
	case 3:
		lines = append(lines, fmt.Sprintf("nodeSelector: {tier: %s}", difftest.Pick(s, "gold", "silver")))
	case 4:
		key, operator, value := v1.LabelTopologyZone, difftest.Pick(s, "NotIn", "In"), "a"
		if s.Bool() {
			key, value = v1.LabelInstanceTypeStable, "type-0"
		}
		lines = append(lines, fmt.Sprintf("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: %s, operator: %s, values: [%s]}]}]}}}", key, operator, value))
	case 5:
		lines = append(lines, fmt.Sprintf("affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: %s, labelSelector: {matchLabels: {app: %s}}}]}}", v1.LabelHostname, app))
	}
	return lines
}

// read returns the pools of a scene as Orrery reads them.
func (c *scene) read(t testing.TB) []*pool.Pool {
	t.Helper()
	sized, err := pool.Read("sizes", strings.NewReader(c.sizes))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range c.pools {
		p, err := pool.KarpenterPool(text)
		if err != nil {
			t.Fatal(err)
		}
		sized = append(sized, p)
	}
	return sized
}
