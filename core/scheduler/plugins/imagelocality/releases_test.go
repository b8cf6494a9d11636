package imagelocality_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/imagelocality"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

// Three releases have three rules for the image of a volume.
func TestScore_ImageVolumes(t *testing.T) {
	pod := mk.Pod("p").Image("none:1").Obj()
	pod.Spec.Volumes = []v1.Volume{{Name: "model", VolumeSource: v1.VolumeSource{Image: &v1.ImageVolumeSource{Reference: "model"}}}}
	snapshot := cache.SnapshotOf(nil, []*v1.Node{mk.Node("n").Image(500*mib, "model:latest").Obj()})
	node, err := snapshot.Get("n")
	if err != nil {
		t.Fatal(err)
	}
	for r, want := range map[release.Release]int64{release.V135: 0, release.V136: 48, release.V137: 24} {
		made, err := imagelocality.New(t.Context(), nil, plugintest.Handle{Nodes: snapshot}, config.FeaturesOf(r))
		if err != nil {
			t.Fatal(err)
		}
		p := made.(*imagelocality.ImageLocality)
		if got, _ := p.Score(t.Context(), framework.NewCycleState(), pod, node); got != want {
			t.Errorf("in %v the node scores %d, want %d", r, got, want)
		}
		if counts := p.ScoreCountsNodes(pod, node); counts != (want > 0) {
			t.Errorf("in %v the number of nodes matters: %v", r, counts)
		}
		without, _ := p.AppendSignature(nil, nil, mk.Pod("p").Image("none:1").Obj())
		with, _ := p.AppendSignature(nil, nil, pod)
		if differs := string(with) != string(without); differs != (want > 0) {
			t.Errorf("in %v a pod with the volume is told from one without: %v", r, differs)
		}
	}
}
