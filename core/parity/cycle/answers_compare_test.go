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

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/scheduler/config"
	"orrery/core/world"
)

func TestPlugins_SameAnswers(t *testing.T) {
	compareCases(t, comparisons.Answers.Cases, compareAnswers)
}

// compareAnswers schedules the pending pods of a case one by one and compares the four hosts' answers for each. Time does
// not pass: for a victim without a start time, kube-scheduler takes the time of each comparison.
func compareAnswers(t *testing.T, c *clusterCase, seen difftest.Coverage) (mismatch string) {
	s, mismatch := read(c, map[string]bool{"SchedulerAsyncPreemption": false})
	if s == nil {
		seen.Count("configurations not run")
		return mismatch
	}
	synctest.Test(t, func(*testing.T) {
		mismatch = s.scheduleAll(c, seen)
		time.Sleep(2 * time.Second) // kube-scheduler's metrics recorders sleep for a second at a time
	})
	return mismatch
}

func (s *settings) scheduleAll(c *clusterCase, seen difftest.Coverage) string {
	cl := s.newCluster()
	hosts := s.hosts(cl)
	cl.fill(c)
	for _, pod := range c.Waiting {
		cl.refresh()
		node, mismatch := s.compareHosts(hosts, pod, seen)
		if mismatch != "" {
			return mismatch
		}
		cl.removeNomination(pod)
		if node != "" {
			bound := pod.DeepCopy()
			bound.Spec.NodeName = node
			cl.addPod(bound)
		}
	}
	return s.compareHints(hosts[0], hosts[len(hosts)-1], c, seen)
}

// fill adds all objects of a case to both caches and the informers.
func (cl *cluster) fill(c *clusterCase) {
	for _, object := range objects(c) {
		cl.informers.Apply(world.Added, object)
		deltas, err := cl.store.Apply(world.Changed{Op: world.Added, Object: object})
		must(err)
		for _, d := range deltas {
			cl.volumes.Changed(d)
			cl.devices.Changed(d)
		}
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

// objects returns all objects of a case in an order in which they can be created.
func objects(c *clusterCase) (list []world.Object) {
	list = appendAll(list, c.Namespaces)
	list = appendAll(list, c.Services)
	list = appendAll(list, c.Controllers)
	list = appendAll(list, c.ReplicaSets)
	list = appendAll(list, c.StatefulSets)
	list = appendAll(list, c.Budgets)
	list = appendAll(list, c.Nodes)
	list = append(list, c.Storage.objects()...)
	list = append(list, c.Devices.objects()...)
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

// compareHosts compares all hosts' answers for a pod. It returns the node to bind the pod to, if there is one.
func (s *settings) compareHosts(hosts []*host, pod *v1.Pod, seen difftest.Coverage) (node, mismatch string) {
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
			return "", fmt.Sprintf("answers of %s: for %s (-kube-scheduler +it):\n%s", h.name, pod.Name, diff)
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

// comparePreemption compares the hosts' preemption for a pod that fits no node.
func (s *settings) comparePreemption(hosts []*host, after []*postFilter, pod *v1.Pod, seen difftest.Coverage) string {
	last := len(hosts) - 1
	made := allPreemptionCandidates(hosts[last], after[last].state, pod, after[last].statuses)
	seen.Count("pods with preemption candidates on %d nodes", min(len(made.victims), 5))
	for i, h := range hosts {
		if problem := made.check(after[i].nominated, after[i].victims, s.sampled(len(h.nodes()))); problem != "" {
			return fmt.Sprintf("preemption by %s: %s for %s", h.name, problem, pod.Name)
		}
	}
	return ""
}

// sampled reports whether preemption's dry run tries only some of the nodes.
func (s *settings) sampled(nodes int) bool {
	return slices.ContainsFunc(s.orreryConfig.Profiles, func(p config.Profile) bool {
		return int(*p.Args["DefaultPreemption"].(*configv1.DefaultPreemptionArgs).MinCandidateNodesAbsolute) < nodes
	})
}
