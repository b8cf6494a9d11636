package cycle

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/config"
	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/world"
)

func TestPlugins_SameAnswers(t *testing.T) {
	compareCases(t, comparisons.Answers.Cases, compareAnswers)
}

// compareAnswers places the waiting pods of a case one by one, and has the four hosts agree about each. Time stands
// still: kube-scheduler takes a pod that has no start time for one that starts at the moment of each comparison.
func compareAnswers(t *testing.T, c *clusterCase, seen difftest.Coverage) (mismatch string) {
	s, err := read(c, map[string]bool{"SchedulerAsyncPreemption": false})
	if err != nil {
		seen.Count("configurations that both refuse")
		return ""
	}
	synctest.Test(t, func(*testing.T) {
		mismatch = s.placeAll(c, seen)
		time.Sleep(2 * time.Second) // kube-scheduler's recorders of metrics sleep for a second at a time
	})
	return mismatch
}

func (s *settings) placeAll(c *clusterCase, seen difftest.Coverage) string {
	cl := s.newCluster()
	hosts := s.hosts(cl)
	cl.fill(c)
	for _, pod := range c.Waiting {
		cl.refresh()
		place, mismatch := s.compareHosts(hosts, pod, seen)
		if mismatch != "" {
			return mismatch
		}
		cl.removeNomination(pod)
		if place != "" {
			placed := pod.DeepCopy()
			placed.Spec.NodeName = place
			cl.addPod(placed)
		}
	}
	return s.compareHints(hosts[0], hosts[len(hosts)-1], c, seen)
}

// fill tells both caches and the informers of everything there is.
func (cl *cluster) fill(c *clusterCase) {
	for _, object := range objects(c) {
		cl.informers.Apply(world.Added, object)
		switch o := object.(type) {
		case *v1.Node:
			cl.addNode(o)
		case *v1.Pod:
			if o.Spec.NodeName != "" {
				cl.addPod(o)
			} else if o.Status.NominatedNodeName != "" {
				cl.nominate(o)
			}
		}
	}
}

// objects are all objects of a case, in an order in which they can come into being.
func objects(c *clusterCase) (list []world.Object) {
	list = appendAll(list, c.Namespaces)
	list = appendAll(list, c.Services)
	list = appendAll(list, c.Controllers)
	list = appendAll(list, c.ReplicaSets)
	list = appendAll(list, c.StatefulSets)
	list = appendAll(list, c.Budgets)
	list = appendAll(list, c.Nodes)
	list = appendAll(list, c.Bound)
	list = appendAll(list, c.Nominated)
	return appendAll(list, c.Waiting)
}

func appendAll[O world.Object](list []world.Object, objects []O) []world.Object {
	for _, o := range objects {
		list = append(list, o)
	}
	return list
}

// agree asks all hosts about a pod. It returns the node that the pod should go to, if there is one.
func (s *settings) compareHosts(hosts []*host, pod *v1.Pod, seen difftest.Coverage) (place, mismatch string) {
	var want *answers
	after := make([]*postFilter, len(hosts))
	for i, h := range hosts {
		var got *answers
		got, after[i] = h.answer(pod)
		if i == 0 {
			want = got
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return "", fmt.Sprintf("answers of %s: about %s (-kube-scheduler +it):\n%s", h.name, pod.Name, diff)
		}
	}
	seen.Count("pods")
	if len(want.Best) > 1 {
		seen.Count("pods with several best nodes")
	}
	if want.PostFilter != "" {
		return "", s.comparePreemption(hosts, after, pod, seen)
	}
	for _, node := range want.Best {
		if want.Search[node] == "Success" {
			return node, ""
		}
	}
	return "", ""
}

// agreeOnRoom compares what the hosts did to make room for a pod that fits nowhere.
func (s *settings) comparePreemption(hosts []*host, after []*postFilter, pod *v1.Pod, seen difftest.Coverage) string {
	last := len(hosts) - 1
	made := allPreemptionCandidates(hosts[last], after[last].state, pod, after[last].statuses)
	seen.Count("pods that room could be made for on %d nodes", min(len(made.victims), 5))
	for i, h := range hosts {
		if wrong := made.check(after[i].nominated, after[i].victims, s.sampled(len(h.nodes()))); wrong != "" {
			return fmt.Sprintf("preemption by %s: %s for %s", h.name, wrong, pod.Name)
		}
	}
	return ""
}

// sampled tells whether the dry run of a preemption looks at some of so many nodes only.
func (s *settings) sampled(nodes int) bool {
	return slices.ContainsFunc(s.orreryConfig.Profiles, func(p config.Profile) bool {
		return int(*p.Args["DefaultPreemption"].(*configv1.DefaultPreemptionArgs).MinCandidateNodesAbsolute) < nodes
	})
}
