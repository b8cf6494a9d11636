package soak

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
)

// shape is what a pod requests or a node has: thousandths of a CPU, MiB and GPUs.
type shape struct{ milliCPU, memory, gpus int64 }

// podShapes are the most frequent ones of openb, the trace of a GPU cluster, and a few small ones.
var podShapes = []shape{
	{3152, 5600, 1},
	{11300, 49152, 1},
	{11400, 48128, 1},
	{11908, 47104, 1},
	{12500, 57344, 0},
	{8000, 30517, 1},
	{32000, 49152, 0},
	{18708, 64512, 1},
	{9810, 41560, 1},
	{8000, 30517, 0},
	{12000, 24576, 1},
	{15400, 51200, 0},
	{0, 0, 0},
	{100, 128, 0},
	{500, 1024, 0},
	{2000, 512, 0},
}

// nodeShapes are those of openb, and smaller ones.
var nodeShapes = []shape{
	{96000, 393216, 8},
	{104000, 524288, 2},
	{32000, 262144, 0},
	{16000, 122880, 2},
	{96000, 524288, 0},
	{32000, 131072, 4},
	{4000, 8192, 0},
	{4000, 8192, 1},
	{2000, 4096, 0},
	{8000, 16384, 0},
}

var images = []string{"example.com/web:1", "example.com/batch:2"}

const gpuResource = v1.ResourceName("example.com/gpu")

func (s shape) requests(pod *mk.PodBuilder) *mk.PodBuilder {
	if s.milliCPU > 0 {
		pod.CPU(fmt.Sprintf("%dm", s.milliCPU)).Memory(fmt.Sprintf("%dMi", s.memory))
	}
	if s.gpus > 0 {
		pod.Request(gpuResource, strconv.FormatInt(s.gpus, 10))
		limits := pod.Obj().Spec.Containers
		limits[0].Resources.Limits = mk.Resources(string(gpuResource), strconv.FormatInt(s.gpus, 10))
	}
	return pod
}

// node returns a node that its number shapes.
func (p *Plan) node(name string, number uint64) *v1.Node {
	draw := drawing(number)
	s := pick(draw, nodeShapes...)
	b := mk.Node(name).CPU(fmt.Sprintf("%dm", s.milliCPU)).Memory(fmt.Sprintf("%dMi", s.memory)).
		Pods(pick(draw, "4", "20", "110", "110")).Label("disk", pick(draw, "ssd", "hdd")).
		Zone("zone-" + strconv.Itoa(draw.IntN(p.Zones)))
	if s.gpus > 0 {
		b.Resource(gpuResource, strconv.FormatInt(s.gpus, 10))
	}
	if draw.IntN(2) == 0 {
		b.Image(300<<20, pick(draw, images...))
	}
	switch draw.IntN(8) {
	case 0:
		b.Taint("dedicated", "batch", v1.TaintEffectNoSchedule)
	case 1:
		b.Taint("slow", "", v1.TaintEffectPreferNoSchedule)
	}
	return b.Obj()
}

// drawing is a source of random numbers that a number determines.
func drawing(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, 0x50a4)) }

func pick[T any](draw *rand.Rand, from ...T) T { return from[draw.IntN(len(from))] }
