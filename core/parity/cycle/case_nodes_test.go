package cycle

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
)

var (
	topologyKeys = []string{v1.LabelHostname, v1.LabelTopologyZone, v1.LabelTopologyRegion, "rack"}
	zones        = []string{"a", "b", "c", ""}
	nodeKeys     = []string{"disk", "gen"}
	nodeValues   = []string{"a", "b", "", "4", "5", "-1"}
	taintKeys    = []string{"t", "u"}
	taintValues  = []string{"", "x", "5", "950", "0900"}
	effects      = []v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute, v1.TaintEffectPreferNoSchedule}

	imageNames = []string{"redis", "redis:latest", "redis:7", "reg.io:5000/app", "reg.io:5000/app:latest", "app@sha256:abc"}
	// An image has one size on all nodes: with several sizes, the one that counts depends on the order of the nodes.
	imageSizes = []int64{0, 250 << 20, 23 << 20, 1000 << 20, 40 << 20, 5000 << 20}
	declared   = []string{"RestartAllContainersOnContainerExits", "GuaranteedQoSPodCPUResize"}
)

// samplingSize is the number of nodes from which kube-scheduler examines only some of them.
const samplingSize = 101

func (g *generator) addNodes() {
	count := 1 + g.IntN(7)
	if g.oneIn(30) {
		count = samplingSize + g.IntN(90)
	}
	if g.oneIn(200) {
		count = 0
	}
	plain := count >= samplingSize && g.oneIn(2)
	for i := range count {
		g.c.Nodes = append(g.c.Nodes, g.node(fmt.Sprintf("node-%d", i), plain))
	}
}

// node draws a node with random properties, or a plain one that any pod fits.
func (g *generator) node(name string, plain bool) *v1.Node {
	node := &v1.Node{ObjectMeta: objectMeta("", name)}
	node.Labels = map[string]string{v1.LabelHostname: name}
	for _, key := range topologyKeys[1:] {
		if !g.oneIn(6) {
			node.Labels[key] = pick(g, zones...)
		}
	}
	node.Status.Allocatable = v1.ResourceList{"cpu": quantity("8"), "memory": quantity("16Gi"), "pods": quantity("110")}
	if plain {
		return node
	}
	if g.oneIn(20) {
		delete(node.Labels, v1.LabelHostname)
	}
	if g.often(resources, 4) {
		g.size(node)
	}
	if g.about[preemption] {
		node.Status.Allocatable["cpu"] = quantity(pick(g, "2", "3", "4"))
	}
	if g.often(selectors, 4) {
		for _, key := range some(g, 2, nodeKeys...) {
			node.Labels[key] = pick(g, nodeValues...)
		}
	}
	if g.often(taints, 10) {
		node.Spec.Taints = g.taints()
		node.Spec.Unschedulable = g.oneIn(4)
	}
	if g.often(images, 8) {
		for i, name := range imageNames {
			if g.oneIn(2) {
				node.Status.Images = append(node.Status.Images, v1.ContainerImage{Names: []string{name}, SizeBytes: imageSizes[i]})
			}
		}
	}
	if g.often(features, 8) {
		node.Status.DeclaredFeatures = some(g, 2, declared...)
	}
	return node
}

func (g *generator) taints() (list []v1.Taint) {
	for range 1 + g.IntN(2) {
		list = append(list, v1.Taint{Key: pick(g, taintKeys...), Value: pick(g, taintValues...), Effect: pick(g, effects...)})
	}
	if g.oneIn(6) {
		list = append(list, v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule})
	}
	return list
}
