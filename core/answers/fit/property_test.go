package fit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"orrery/core/answers/change"
	"orrery/core/answers/fit"
	"orrery/core/testing/drawn"
)

const (
	// worlds are how many ways in which ties fall the objects are really created with.
	worlds = 3
	// moreWorlds are tried if these are of one mind, and not of that of the answer: the ways that the answer tried may be rare ones.
	moreWorlds = 40
)

// really creates the objects, beside some nodes, in clusters that differ in how ties fall.
func really(t drawn.T, cluster, nodes string, set *fit.Set) (all []drawn.Outcome, agree bool) {
	agree = true
	for seed := range uint64(worlds) {
		o := world(t, cluster, nodes, set, seed)
		all = append(all, o)
		agree = agree && o.Placed == all[0].Placed && o.Pending == all[0].Pending && o.Preempted == all[0].Preempted
	}
	return all, agree
}

func world(t drawn.T, cluster, nodes string, set *fit.Set, seed uint64) drawn.Outcome {
	s := drawn.New(t, 7, cluster).Ties(100 * seed)
	s.Apply(nodes)
	s.Pass(time.Minute)
	return s.Create(set)
}

// happens reports whether what is said happens: in all of a few worlds but for ties, or else in one of many.
func happens(t drawn.T, cluster, nodes string, set *fit.Set, said func(drawn.Outcome) bool) (bool, drawn.Outcome) {
	all, agree := really(t, cluster, nodes, set)
	if !agree || said(all[0]) {
		return true, all[0]
	}
	for seed := range uint64(moreWorlds) {
		if said(world(t, cluster, nodes, set, worlds+seed)) {
			return true, all[0]
		}
	}
	return false, all[0]
}

// TestAsk_TellsWhatHappens creates drawn objects in drawn clusters, as the answer says beforehand.
func TestAsk_TellsWhatHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cluster := drawn.Cluster(t)
		manifests := drawn.Workload(t, "Deployment", "Job", "StatefulSet", "ReplicaSet", "DaemonSet", "Pod")
		a := ask(t, drawn.New(t, 7, cluster), manifests)
		happened, agree := really(t, cluster, "", drawn.Set(t, manifests))
		if a.ByTies {
			return // it says that it does not know
		}
		if !agree {
			least, most := happened[0].Placed, happened[0].Placed
			for _, o := range happened {
				least, most = min(least, o.Placed), max(most, o.Placed)
			}
			if got := a.Placed(); got < least || got > most {
				t.Errorf("%d pods are said to be placed, and really %d to %d are\n%s\nin\n%s", got, least, most, manifests, cluster)
			}
			return
		}
		said, want := told(a), happened[0]
		// Which of equally good nodes pods are on may differ, and with that the victims: preemption begins to look at nodes anywhere, and pods
		// that wait take the room that the first victims leave. On one node, with none that wait, there is one set of victims.
		exact := strings.Count(cluster, "node n") == 1 && waiting(drawn.New(t, 7, cluster)) == 0
		as := func(o drawn.Outcome) bool {
			same := o.Preempted == said.Preempted || !exact && o.Preempted > 0 && said.Preempted > 0
			return o.Placed == said.Placed && o.Pending == said.Pending && same
		}
		if is, _ := happens(t, cluster, "", drawn.Set(t, manifests), as); !is {
			t.Errorf("said: %+v, really: %+v (%s)\n%s\nin\n%s", said, want, a.Verdict(), manifests, cluster)
		}
		if a.Fits != (want.Pending == 0 && a.Placed() >= a.Wanted()) {
			t.Errorf("fits is %v, and really %+v (%s)\n%s\nin\n%s", a.Fits, want, a.Verdict(), manifests, cluster)
		}
	})
}

// TestHowMany_OneMoreDoesNotFit creates as many pods as are said to fit, and one more.
func TestHowMany_OneMoreDoesNotFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cluster := drawn.Cluster(t)
		set := drawn.Set(t, drawn.Workload(t, "Deployment", "Job", "StatefulSet", "ReplicaSet", "Pod"))
		s := drawn.New(t, 7, cluster)
		count, err := fit.HowMany(s.Engine, set, fit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sized := func(n int) *fit.Set {
			other, err := fit.Sized(set, n)
			if err != nil {
				t.Fatal(err)
			}
			return other
		}
		if count.Pods > 0 {
			said := func(o drawn.Outcome) bool { return o.Placed == count.Pods && o.Preempted == 0 }
			if is, o := happens(t, cluster, "", sized(count.Pods), said); !is {
				t.Errorf("%d are said to fit, and really: %+v\n%s", count.Pods, o, cluster)
			}
		}
		said := func(o drawn.Outcome) bool { return o.Placed <= count.Pods || o.Preempted > 0 }
		if is, o := happens(t, cluster, "", sized(count.Pods+1), said); !is {
			t.Errorf("%d are said to fit and no more, and really: %+v\n%s", count.Pods, o, cluster)
		}
		if count.Pods > count.Bound {
			t.Errorf("%d fit, beyond the bound of %d", count.Pods, count.Bound)
		}
	})
}

// TestFewestNodes_OneFewerIsNotEnough creates the objects beside as many new nodes as are said to be needed, and beside one fewer.
func TestFewestNodes_OneFewerIsNotEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cluster := drawn.Cluster(t)
		set := drawn.Set(t, drawn.Workload(t, "Deployment", "Job", "ReplicaSet"))
		cores := rapid.IntRange(1, 4).Draw(t, "new cores")
		adding := func(n int) change.Change {
			c, err := change.ParseShape(fmt.Sprintf("cpu=%d,memory=64Gi,pods=30,zone=a", cores), n)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		nodes, err := fit.FewestNodes(drawn.New(t, 7, cluster).Engine, set, adding, fit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		with := func(n int) string {
			text := ""
			for i := range n {
				text += fmt.Sprintf("---\nnode new-node-%d %d a\n", i+1, cores)
			}
			return text
		}
		if !nodes.Enough {
			if nodes.Answer.Fits && len(nodes.Answer.Outcome.Preempted()) == 0 && nodes.Answer.Harm() == 0 {
				t.Error("no number of nodes is said to be enough, and one is")
			}
			return
		}
		enough := func(o drawn.Outcome) bool { return o.Pending == 0 && o.Preempted == 0 }
		if is, o := happens(t, cluster, with(nodes.Nodes), set, enough); !is {
			t.Errorf("%d nodes are said to be enough, and really: %+v\n%s", nodes.Nodes, o, cluster)
		}
		if nodes.Nodes == 0 {
			return
		}
		if nodes.Fewer.Harm() > 0 {
			return // a pod that would have had a node has none, which Create does not count
		}
		if is, o := happens(t, cluster, with(nodes.Nodes-1), set, func(o drawn.Outcome) bool { return !enough(o) }); !is {
			t.Errorf("%d nodes are said to be needed, and with one fewer: %+v\n%s", nodes.Nodes, o, cluster)
		}
	})
}

// waiting counts the pods without a node.
func waiting(s *drawn.Scene) (n int) {
	for _, pod := range s.Pods() {
		if pod.Spec.NodeName == "" {
			n++
		}
	}
	return n
}

// told is the outcome that an answer tells.
func told(a *fit.Answer) drawn.Outcome {
	o := drawn.Outcome{Preempted: len(a.Outcome.Preempted())}
	var nodes []string
	for i := range a.Outcome.Created {
		for _, pod := range a.Outcome.Created[i].Pods {
			if pod.Node == "" {
				o.Pending++
				continue
			}
			o.Placed++
			nodes = append(nodes, pod.Node)
		}
	}
	slices.Sort(nodes)
	o.Nodes = strings.Join(nodes, " ")
	return o
}

func ask(t drawn.T, s *drawn.Scene, manifests string) *fit.Answer {
	t.Helper()
	a, err := fit.Ask(s.Engine, drawn.Set(t, manifests), fit.Options{Again: "orrery fit -f FILE"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}
