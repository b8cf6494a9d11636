package scenario_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"orrery/demo/scenario"
)

const boundsHead = "title: a\nlength: 1s\n"

// hostile are scenarios of up to a megabyte that ask for much.
func hostile() map[string]struct{ text, want string } {
	nodes := "cluster: {nodes: [{name: n, count: 1000, cpu: 1, memory: 1Gi}]}\n"
	many := func(n int, format string) string {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, format, i)
		}
		return text.String()
	}
	return map[string]struct{ text, want string }{
		"a long name around much": {"cluster: {priorityClasses: {? " + strings.Repeat("a", 200_000) + " : {value: 1, globalDefault: true}" + many(1000, ", "+strings.Repeat("b", 100)+"%d: {value: 1}") + "}}\n", "a cluster needs nodes"},
		"labels of 10,000 nodes":  {"cluster: {nodes: [{name: n, count: 10000, cpu: 1, memory: 1Gi, labels: {" + many(200, "l%d: v, ") + "}}]}\n", "all nodes together have more than 1000000 labels, taints, resources and drivers"},
		"drivers of 10,000 nodes": {"cluster: {nodes: [{name: n, count: 10000, cpu: 1, memory: 1Gi, drivers: {" + many(200, "d%d: 1, ") + "}}]}\n", "all nodes together have more than 1000000 labels, taints, resources and drivers"},
		"many devices":            {"cluster: {nodes: [{name: n, count: 1000, cpu: 1, memory: 1Gi, devices: {a: 1000}}], devices: {models: {a: {driver: d, partitions: [16, 16]}}}}\n", "more than 100000 devices"},
		"many models":             {nodes[:len(nodes)-2] + ", devices: {models: {" + many(10_000, "m%d: {driver: d, attributes: {a: b}}, ") + "}}}\n", ""},
		"many claims to devices":  {nodes + "workloads: [{deployment: a, replicas: 50000, devices: {" + many(100, "d%d: c, ") + "}}]\n", "more than 100000"},
		"many volumes":            {nodes[:len(nodes)-2] + ", storage: {volumes: [" + many(2000, "{name: v%d, count: 100, size: 1Gi},") + "]}}\n", "more than 100000"},
		"many claims":             {nodes + "workloads: [{statefulset: a, replicas: 50000, volumes: {" + many(100, "v%d: 1Gi, ") + "}}]\n", "more than 100000"},
		"large pods":              {nodes + "workloads: [{pod: a, replicas: 90000, spec: {containers: [{name: a, image: " + strings.Repeat("a", 2000) + "}]}}]\n", "all pods together take more than 128 MiB, encoded"},
		"large daemons":           {nodes + "workloads: [{daemonset: a, spec: {containers: [{name: a, image: " + strings.Repeat("a", 200_000) + "}]}}]\n", "all pods together take more than 128 MiB, encoded"},
		"large pods in a step":    {nodes + "workloads: [{deployment: a, replicas: 0, spec: {containers: [{name: a, image: " + strings.Repeat("a", 2000) + "}]}}]\nsteps: [{at: 0s, scale: {a: 90000}}]\n", "all pods together take more than 128 MiB, encoded"},
		"many patterns":           {nodes + "steps: [{at: 0s, cordon: [" + strings.Repeat("'*1000',", 6_000) + "]}]\n", "nodes are selected by too many patterns and labels"},
		"large patches":           {nodes + "steps: [{at: 0s, patch: [{node: n-*, with: {metadata: {annotations: {a: " + strings.Repeat("a", 100_000) + "}}}}]}]\n", "all patches together may write more than 64 MiB"},
		"many added nodes":        {"cluster: {nodes: [{name: n, cpu: 1, memory: 1Gi}]}\nsteps: [{at: 0s, add: [" + many(1000, "{name: a%d, cpu: 1, memory: 1},") + "]}]\n", ""},
		"many workloads in steps": {nodes + "workloads: [" + many(1000, "{pod: a%d},") + "]\nsteps: [{at: 0s, restart: [" + strings.Repeat("a999, ", 20_000) + "]}]\n", "only a deployment can be rolled over"},
		"many restarts":           {nodes + "workloads: [{deployment: a}]\nsteps: [{at: 0s, every: 1ms, times: 1000, restart: [" + strings.Repeat("a, ", 2000) + "]}]\n", "the steps name workloads more than 1000000 times"},
		"a kubelet of much":       {nodes[:len(nodes)-2] + ", kubelet: {evictionHard: {" + many(20_000, "a%d: 1, ") + "}}}\n", "cluster.kubelet: it has more than 20000 names and values"},
	}
}

func TestParse_BoundsMemory(t *testing.T) {
	for name, c := range hostile() {
		t.Run(name, func(t *testing.T) {
			_, took, err := measured([]byte(boundsHead + c.text))
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("the error is %v, want one with %q", err, c.want)
			}
			if took > mostMemory {
				t.Errorf("%d bytes allocate %d MiB", len(c.text), took>>20)
			}
		})
	}
}

// mostMemory is what reading a scenario may allocate.
const mostMemory = 256 << 20

// measured parses a scenario and returns what that allocates.
func measured(text []byte) (*scenario.Scenario, uint64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := scenario.Parse("story.yaml", text)
	runtime.ReadMemStats(&after)
	return s, after.TotalAlloc - before.TotalAlloc, err
}
