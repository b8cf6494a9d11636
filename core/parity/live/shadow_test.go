package live_test

import (
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/engine"
	"orrery/core/parity/apiserver"
	"orrery/core/shadow"
	"orrery/core/world"
	"orrery/core/world/live"
)

// Kube-scheduler schedules mixed pods, with all nodes scored. Orrery looks on with the rights to read, and every node that
// kube-scheduler takes is among those Orrery holds best, or an event that one saw later than the other explains it.
func TestInTheShadowOfKubeSchedulerEveryNodeIsAmongTheBest(t *testing.T) {
	pods := count(t, 500)
	var nodes []*v1.Node
	for i := range max(10, pods/25) {
		node := apiserver.Node(i, fmt.Sprint(4+4*(i%3)), fmt.Sprintf("%dGi", 8+8*(i%2)), "110")
		if i%7 == 0 {
			node.Spec.Taints = []v1.Taint{{Key: "slow", Effect: v1.TaintEffectPreferNoSchedule}}
		}
		nodes = append(nodes, node)
	}
	s := newScene(t, nodes...)
	tell := s.shadow()
	s.scheduleAs(scheduler, kubeScheduler)
	// A wave at a time: bindings of one wave still overtake one another, but a slow machine does not make one wave of all.
	const wave = 25
	for i := range pods {
		if _, err := s.create(mixedPod(i)); err != nil {
			t.Fatal(err)
		}
		if (i+1)%wave == 0 {
			s.bound(i + 1)
		}
	}
	s.bound(pods)
	var tally shadow.Tally
	s.eventually(func() error {
		var differs []string
		if tally, differs = tell(); tally.Differs > 0 {
			t.Fatalf("%+v: %q", tally, differs)
		}
		if tally.Judged() < uint64(pods) {
			return fmt.Errorf("only %d of %d decisions were judged", tally.Judged(), pods)
		}
		return nil
	})
	if tally.Missed > 0 {
		t.Errorf("%d decisions were missed", tally.Missed)
	}
	t.Logf("%d pods on %d nodes: %+v", pods, len(nodes), tally)
}

// mixedPod is one of five kinds of pods.
func mixedPod(i int) *v1.Pod {
	pod := apiserver.Pod(fmt.Sprintf("mixed-%d", i), fmt.Sprintf("%dm", 20+10*(i%5)), fmt.Sprintf("%dMi", 16+16*(i%4)))
	app := fmt.Sprintf("app-%d", i%5)
	pod.Labels = map[string]string{"app": app}
	same := &metav1.LabelSelector{MatchLabels: pod.Labels}
	term := v1.PodAffinityTerm{TopologyKey: v1.LabelHostname, LabelSelector: same}
	switch i % 5 {
	case 1:
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: same,
		}}
	case 2:
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 10, PodAffinityTerm: term}},
		}}
	case 3:
		pod.Spec.NodeSelector = map[string]string{v1.LabelTopologyZone: "zone-1"}
	case 4:
		pod.Spec.Tolerations = []v1.Toleration{{Key: "slow", Operator: v1.TolerationOpExists}}
	}
	return pod
}

// shadow has Orrery look on until the test ends. What it gives back tells what has come of it so far.
func (s *scene) shadow() (tell func() (shadow.Tally, []string)) {
	c := s.configuration()
	c.PercentageOfNodesToScore = 100
	o := engine.Options{Config: c, Seed: 1}
	e, err := engine.New(o)
	if err != nil {
		s.t.Fatal(err)
	}
	kinds, err := live.Watched(e)
	if err != nil {
		s.t.Fatal(err)
	}
	cluster, err := live.New(live.Options{Client: s.client, Kinds: kinds, Allowed: func() bool { return false }})
	if err != nil {
		s.t.Fatal(err)
	}
	o.Start = cluster.Now()
	beside, err := shadow.New(shadow.Options{Engine: o})
	if err != nil {
		s.t.Fatal(err)
	}
	asked, stop, ended := make(chan func()), make(chan struct{}), make(chan struct{})
	cluster.Start()
	go func() {
		defer close(ended)
		for {
			lookOn(cluster, beside)
			select {
			case ask := <-asked:
				ask()
			case <-stop:
				return
			default:
			}
		}
	}()
	s.t.Cleanup(func() {
		close(stop)
		<-ended
		cluster.Stop()
	})
	s.eventually(func() error {
		select {
		case <-cluster.Synced():
			return nil
		default:
			return fmt.Errorf("no list has come of %v", cluster.Missing())
		}
	})
	return func() (tally shadow.Tally, differs []string) {
		told := make(chan struct{})
		asked <- func() {
			defer close(told)
			tally = beside.Judge().Tally()
			for f := range beside.Judge().Findings() {
				if f.Class == shadow.Differs {
					differs = append(differs, fmt.Sprintf("%+v", *f))
				}
			}
		}
		<-told
		return tally, differs
	}
}

// lookOn takes in what happens next, within a moment, and decides about all there is to decide.
func lookOn(cluster *live.Cluster, beside *shadow.Shadow) {
	until := cluster.Now().Add(20 * time.Millisecond)
	in, ok := cluster.Next(until)
	if !ok {
		in = world.Input{At: cluster.Now(), Event: world.Passed{}}
	}
	_ = beside.Apply(in) // what is wrong with an input is the engine's to say, and here nothing is
	select {
	case <-cluster.Synced():
	default:
		return
	}
	for more := true; more; {
		_, more = beside.Step()
	}
}
