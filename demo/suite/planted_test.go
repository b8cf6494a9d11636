package suite

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// shop is a scenario in which everything is as expected.
const shop = `title: A shop
length: 1m
seed: 3
cluster:
  latency: {request: 5ms, response: 5ms, watch: 5ms}
  nodes:
    - {name: web, zones: {east: 3, west: 3}, cpu: 4, memory: 16Gi}
    - {name: gpu, zone: east, count: 3, cpu: 8, memory: 32Gi, taints: ["gpu=true:NoSchedule"], labels: {accelerator: a}}
  priorityClasses: {critical: 1000, batch: -10}
scheduler:
  config:
    profiles:
    - {schedulerName: default-scheduler}
workloads:
  - {deployment: train, replicas: 2, cpu: "6", memory: 8Gi, tolerations: ["gpu=true:NoSchedule"], nodeSelector: {accelerator: a}}
  - {deployment: batch, replicas: 8, cpu: 500m, memory: 1Gi, priorityClass: batch}
  - {deployment: huge, replicas: 1, cpu: 99, memory: 1Gi}
  - {statefulset: db, replicas: 2, cpu: 500m, memory: 1Gi, podAntiAffinity: node}
  - {deployment: shop, replicas: 6, cpu: "1", memory: 1Gi, topologySpread: zone, priorityClass: critical}
steps:
  - {at: 20s, scale: {shop: 10}}
expect:
  - {app: shop, placed: {within: 2s}}
  - {app: shop, spread: {key: zone, max: 1}}
  - {app: shop, p99: {of: waiting, below: 1s}}
  - {app: shop, max: {of: attempts, below: 2}}
  - {app: train, placed: {on: {accelerator: a}}}
  - {app: batch, placed: {on: {name: web-*}}}
  - {app: batch, placed: {count: 8}}
  - {app: db, spread: {key: node, max: 1}}
  - {app: huge, pending: {reason: resources-insufficient}}
  - {preempts: none}
  - {agrees-with: kubernetes 1.37}
`

// written returns the scenario of a text as a file that can be tested.
func written(t *testing.T, text string, plugins ...framework.Registry) []*Subject {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var registry framework.Registry
	if len(plugins) > 0 {
		registry = plugins[0]
	}
	subjects, err := Find([]string{path}, registry)
	if err != nil {
		t.Fatal(err)
	}
	return subjects
}

// failuresOf returns what the expectations of a scenario fail by, each with its message.
func failuresOf(t *testing.T, text string, o Options) []string {
	t.Helper()
	var all []string
	for _, r := range Run(written(t, text, o.Plugins), o) {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		for _, x := range r.Results {
			if x.Failure != nil {
				all = append(all, x.String()+" -- "+x.Failure.Message)
			}
		}
	}
	return all
}

func TestRun_ShopIsAsExpected(t *testing.T) {
	if all := failuresOf(t, shop, Options{Seeds: 3, Parallel: 2}); len(all) > 0 {
		t.Errorf("%s", strings.Join(all, "\n"))
	}
}

// TestRun_FindsPlantedMistakes makes one mistake after the other, in the cluster, the workloads or the scheduler's configuration. The expectation
// that should finds it.
func TestRun_FindsPlantedMistakes(t *testing.T) {
	profile := func(fields string) [2]string {
		return [2]string{"{schedulerName: default-scheduler}", "{schedulerName: default-scheduler, " + fields + "}"}
	}
	step := func(text string) [2]string { return [2]string{"steps:\n", "steps:\n  - " + text + "\n"} }
	for _, row := range []struct {
		name    string
		mistake [2]string // what is written, and what is written instead
		found   string    // the expectation that finds it
	}{
		{"the label of the nodes is another", [2]string{"accelerator: a}}\n  priority", "accelerator: b}}\n  priority"}, "app: train, placed"},
		{"the toleration is misspelt", [2]string{"gpu=true:NoSchedule\"], nodeSelector", "gpu=yes:NoSchedule\"], nodeSelector"}, "app: train, placed"},
		{"the nodes have lost their taint", [2]string{`taints: ["gpu=true:NoSchedule"], `, ""}, "app: batch, placed: {on"},
		{"TaintToleration is disabled", profile("plugins: {filter: {disabled: [{name: TaintToleration}]}}"), "app: batch, placed: {on"},
		{"the nodes are smaller", [2]string{"cpu: 4,", "cpu: 2,"}, "preempts: none"},
		{"there are too few nodes", [2]string{"{east: 3, west: 3}", "{east: 1, west: 1}"}, "preempts: none"},
		{"batch is too large", [2]string{"replicas: 8", "replicas: 60"}, "app: batch, placed: {count"},
		{"the database attracts itself", [2]string{"podAntiAffinity: node", "podAffinity: node"}, "app: db, spread"},
		{"a request is smaller", [2]string{"cpu: 99", "cpu: 1"}, "app: huge, pending"},
		{"a request is refused for another reason", [2]string{"cpu: 99", "nodeSelector: {disk: ssd}"}, "app: huge, pending"},
		{"NodeResourcesFit is disabled", profile("plugins: {filter: {disabled: [{name: NodeResourcesFit}]}}"), "app: huge, pending"},
		{"a zone is cordoned", step("{at: 10s, cordon: zone=west}"), "app: shop, placed: {within: 2s}"},
		{"PodTopologySpread is disabled, and an extender refuses a zone", [2]string{
			"{schedulerName: default-scheduler}\n", "{schedulerName: default-scheduler, plugins: {filter: {disabled: [{name: PodTopologySpread}]}}}\n  extenders: [{name: licences, refuses: [zone=west]}]\n",
		}, "app: shop, spread"},
		{"an extender refuses a zone", [2]string{"{schedulerName: default-scheduler}\n", "{schedulerName: default-scheduler}\n  extenders: [{name: licences, refuses: [zone=west]}]\n"}, "app: shop, placed: {within"},
		{"the API server is slow", [2]string{"request: 5ms", "request: 3s"}, "app: shop, p99"},
		{"bindings are rejected", step("{at: 19s, apiserver: {reject: {bind: 30}}}"), "app: shop, max"},
		{"the shop has a gate", [2]string{"topologySpread: zone, priority", "schedulingGates: [quota], topologySpread: zone, priority"}, "app: shop, placed"},
		{"added affinity keeps pods from a zone", profile("pluginConfig: [{name: NodeAffinity, args: {addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [west]}]}]}}}}]"), "app: train, placed"},
		{"nothing spreads", [2]string{"topologySpread: zone, ", "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [east]}]}]}}}, "}, "app: shop, spread"},
		{"nodes are drained", step("{at: 30s, drain: {nodes: [web-west-1, web-west-2, web-west-3]}}"), "app: shop, "},
		{"a batch of higher priority comes", step(`{at: 25s, scale: {batch: 30}}`), "app: batch, placed: {count"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(shop, row.mistake[0], row.mistake[1], 1)
			if text == shop {
				t.Fatalf("%q is not in the scenario", row.mistake[0])
			}
			all := failuresOf(t, text, Options{Parallel: 1})
			for _, f := range all {
				if strings.HasPrefix(f, row.found) {
					return
				}
			}
			t.Errorf("want a failure of %q, and these fail:\n%s", row.found, strings.Join(all, "\n"))
		})
	}
}

// mistaken is a plugin of somebody else. It refuses nodes whose name has a suffix, by a mistake.
type mistaken struct{ suffix string }

func (mistaken) Name() string { return "Mistaken" }

func (p mistaken) Filter(_ context.Context, _ fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if p.suffix != "" && strings.Contains(node.Node().Name, p.suffix) {
		return fwk.NewStatus(fwk.Unschedulable, "mistaken")
	}
	return nil
}

// TestRun_FindsMistakesOfPlugins tests a plugin that is not Orrery's, with and without its mistake.
func TestRun_FindsMistakesOfPlugins(t *testing.T) {
	text := strings.Replace(shop, "{schedulerName: default-scheduler}", "{schedulerName: default-scheduler, plugins: {filter: {enabled: [{name: Mistaken}]}}}", 1)
	for suffix, found := range map[string]string{"": "", "west": "app: shop, placed: {within", "gpu": "app: train, placed", "web": "app: batch, placed"} {
		plugins := framework.Registry{"Mistaken": func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return mistaken{suffix}, nil }}
		all := failuresOf(t, text, Options{Parallel: 1, Plugins: plugins})
		if found == "" && len(all) > 0 || found != "" && !slices.ContainsFunc(all, func(f string) bool { return strings.HasPrefix(f, found) }) {
			t.Errorf("with nodes %q refused, want a failure of %q, and these fail:\n%s", suffix, found, strings.Join(all, "\n"))
		}
	}
}
