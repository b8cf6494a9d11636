package engine_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// The plugins of volumes read objects through the engine: its store, its CSINodes, and what changed in them since the last
// cycle. A fork reads its own.
func TestVolumes_LimitsFollowObjects(t *testing.T) {
	const driver = "ebs.csi.aws.com"
	disk := func(name string) *v1.Pod {
		return mk.Pod(name).Volume("disk", v1.VolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-" + name}}).Obj()
	}
	s := newFixture(t, engine.Options{})
	s.added(mk.Node("n").CPU("4").Memory("8Gi").Obj(), mk.CSINode("n").Limit(driver, 1).Obj(), disk("ada"), disk("bob"))
	decisions := s.decide()
	want := "0/1 nodes are available: 1 node(s) exceed max volume count. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
	if len(decisions) != 2 || decisions[0].Node != "n" || decisions[1].Message != want {
		t.Fatalf("got %+v, want ada on n, and for bob %q", decisions, want)
	}
	fork, err := s.e.Fork()
	if err != nil {
		t.Fatal(err)
	}
	raised := world.Changed{Op: world.Modified, Object: mk.CSINode("n").Limit(driver, 2).Obj()}
	if err := fork.Apply(world.Input{At: s.now, Event: raised}); err != nil {
		t.Fatal(err)
	}
	s.apply(world.Changed{Op: world.Modified, Object: mk.CSINode("n").Limit(driver, 1).Migrated("kubernetes.io/aws-ebs").Obj()})
	for name, e := range map[string]*engine.Engine{"the engine, whose limit is the same": s.e, "the fork, whose limit is raised": fork} {
		x, err := e.Explain("default", "bob")
		if err != nil {
			t.Fatal(err)
		}
		if fits := x.Decision.Node == "n"; fits != (e == fork) {
			t.Errorf("%s: bob's node is %q", name, x.Decision.Node)
		}
	}
	if got := s.e.PodState("default", "bob"); got != engine.StateUnschedulable {
		t.Errorf("bob is %v, though no limit was raised", got)
	}
	s.apply(raised)
	if got := s.e.PodState("default", "bob"); got == engine.StateUnschedulable {
		t.Error("bob is unschedulable, though the limit was raised")
	}
}

// No in-tree plugin is called where it may block, so that listers need no lock.
func TestProfile_BlocksOnlyWithOtherPlugins(t *testing.T) {
	for _, want := range []bool{false, true} {
		s := &storyRun{t: t, now: start, objects: map[string]world.Object{}}
		if want {
			s.runLine("plugin", []string{"Waits", "preBind"})
		}
		s.open()
		if got := s.players[0].Profile(v1.DefaultSchedulerName).MayBlock(); got != want {
			t.Errorf("with a PreBind plugin that is not in-tree (%v): the profile may block: %v", want, got)
		}
	}
}
