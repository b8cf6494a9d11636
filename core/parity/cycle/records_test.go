package cycle

import (
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/plugins/defaultpreemption"
)

// record has a queue's data about a pod.
type record struct {
	Attempts, Unschedulable, Errors int
	Rejectors, Pending              []string
	Gate                            string
}

func recordOf(info fwk.QueuedEntityInfo) record {
	return record{
		Attempts: info.GetAttempts(), Unschedulable: info.GetUnschedulableCount(), Errors: info.GetConsecutiveErrorsCount(),
		Rejectors: pluginNames(info.GetUnschedulablePlugins()), Pending: pluginNames(info.GetPendingPlugins()), Gate: plain(info.GetGatingPlugin()),
	}
}

func pluginNames(plugins sets.Set[string]) []string {
	names := []string{}
	for name := range plugins {
		names = append(names, plain(name))
	}
	slices.Sort(names)
	return names
}

// compareRecords compares the two queues' data about a pod.
func (p *decisionCase) compareRecords(pod *v1.Pod) string {
	their, known := p.upstream.record(pod)
	ours, known2 := p.orrery.engine.Queue().Get(pod.Namespace, pod.Name)
	if !known || !known2 {
		return fmt.Sprintf(", pod %s is in kube-scheduler's queue: %v, in Orrery's: %v", pod.Name, known, known2)
	}
	our := recordOf(ours)
	if p.gatedBySeveral(pod, their, our) {
		return ""
	}
	if diff := cmp.Diff(their, our); diff != "" {
		return fmt.Sprintf(", pod %s (-kube-scheduler +Orrery):\n%s", pod.Name, diff)
	}
	if ours.GetUnschedulablePlugins().Has(defaultpreemption.Name) {
		p.seen.Count(heldBack)
	}
	return ""
}

const heldBack = "preemptors held back while their victims are evicted"

// compareNominations compares the nominated pods of each node.
func (p *decisionCase) compareNominations() string {
	if len(p.nodes) > 20 {
		return ""
	}
	for node := range p.nodes {
		theirs, ours := p.upstream.nominatedTo(node), nominatedTo(p.orrery.engine.Queue(), node)
		if diff := cmp.Diff(theirs, ours); diff != "" {
			return fmt.Sprintf(", pods nominated for %s (-kube-scheduler +Orrery):\n%s", node, diff)
		}
	}
	return ""
}

func nominatedTo(nominator interface {
	NominatedPodsForNode(node string) []fwk.PodInfo
}, node string,
) (pods []string) {
	for _, info := range nominator.NominatedPodsForNode(node) {
		pods = append(pods, info.GetPod().Name)
	}
	return pods
}
