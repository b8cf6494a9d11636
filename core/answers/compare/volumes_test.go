package compare_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/compare"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// The recorded scheduler put the pods where the smaller node is, and their volumes there. A configuration that decides
// otherwise gets volumes of its own: what was recorded of them is no part of the workload.
func TestTraces_IgnoresRecordedVolumes(t *testing.T) {
	change := func(at int, op world.Op, o world.Object) world.Input {
		return world.Input{At: seconds(at), Event: world.Changed{Op: op, Object: o}}
	}
	claim := mk.Claim("data").Size("1Gi").Class("fast")
	arrived := *claim.Obj()
	selected := *mk.Claim("data").Size("1Gi").Class("fast").Annotation("volume.kubernetes.io/selected-node", "small").Obj()
	bound := *mk.Claim("data").Size("1Gi").Class("fast").Annotation("volume.kubernetes.io/selected-node", "small").Bound("pvc-1").Obj()
	disk := mk.Volume("pvc-1").Size("1Gi").Class("fast").For(&arrived).On(v1.LabelTopologyZone, "west").Obj()
	first, second := pod("first", "2"), pod("second", "6")
	for _, p := range []*v1.Pod{first, second} {
		p.Spec.Volumes = mk.Pod("").PVC("data").Obj().Spec.Volumes
	}
	onSmall := *first
	onSmall.Spec.NodeName = "small"
	file := traceOf(t,
		change(0, world.Added, mk.Node("big").CPU("8").Memory("64Gi").Pods("110").Zone("east").Obj()),
		change(0, world.Added, mk.Node("small").CPU("3").Memory("6Gi").Pods("110").Zone("west").Obj()),
		change(0, world.Added, mk.Class("fast", "example.com/disks").WaitForFirstConsumer().Obj()),
		change(0, world.Added, &arrived),
		arrival(1, first),
		change(1, world.Modified, &selected), change(2, world.Added, disk), change(2, world.Modified, &bound), change(3, world.Modified, &onSmall),
		arrival(4, second),
	)
	c := compared(t, file, compare.Options{}, plain("default"))
	if got := c.Results[0]; got.Placements != 2 {
		t.Errorf("%d pods are placed, want both on the big node, where the volume is then", got.Placements)
	}
}
