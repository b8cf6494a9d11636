package cycle

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
)

// wait lets time pass, and compares what pods that time out on permit do meanwhile, when it happens.
func (p *decisionCase) wait(d time.Duration) string {
	if !p.hasGangs() {
		p.pass(d)
		return ""
	}
	for until := time.Now().Add(d); p.divergence == ""; {
		next, waits := p.orrery.engine.NextWake()
		if left := time.Until(until); !waits || time.Until(next) > left {
			p.pass(left)
			return p.compareTimeouts()
		}
		p.pass(max(time.Until(next)-tick, -tick))
		if mismatch := p.compareTimeouts(); mismatch != "" {
			return mismatch
		}
	}
	return ""
}

// compareTimeouts compares what both do without deciding.
func (p *decisionCase) compareTimeouts() string {
	p.orrery.carryOutEffects()
	timedOut := len(changedPods(requestsOf(p.client.calls)))
	if mismatch := p.compareEvents(); mismatch != "" {
		return mismatch
	}
	if timedOut == 0 && len(p.orrery.calls) == 0 {
		return ""
	}
	p.seen["pods that time out on permit"] += timedOut
	if timedOut > 1 {
		if _, mismatch := p.compareCalls(); mismatch != "" {
			return mismatch
		}
		p.divergence = requeuedTogether
		return ""
	}
	return p.carryOut()
}

const requeuedTogether = "pods of gangs that lose their places at once, which kube-scheduler requeues in any order"

// tiedInQueue reports whether pods of gangs were requeued at one instant, as when one decision preempts several on permit.
func (p *decisionCase) tiedInQueue() bool {
	if !p.hasGangs() {
		return false
	}
	type place struct {
		priority int32
		since    time.Time
	}
	taken := map[place]bool{}
	queue := p.here.sched.SchedulingQueue
	pending, _ := queue.PendingPods()
	for _, pod := range pending {
		info, queued := queue.GetPod(pod.Name, pod.Namespace)
		if !queued || pod.Spec.WorkloadRef == nil {
			continue
		}
		at := place{corev1helpers.PodPriority(pod), info.GetTimestamp()}
		if taken[at] {
			return true
		}
		taken[at] = true
	}
	return false
}

// countGangs counts the gangs that are bound, and the pods that wait for others of theirs.
func (p *decisionCase) countGangs(all []request) {
	if !p.hasGangs() {
		return
	}
	bound := 0
	for _, w := range all {
		if call, is := w.(apiCall); is && call.bind != "" {
			bound++
		}
	}
	if bound > 1 {
		p.seen.Count("gangs of which several pods are bound at once")
	}
	for _, b := range p.orrery.engine.Bindings() {
		if len(b.Waiting) > 0 {
			p.seen.Count("decisions while pods are on permit")
			return
		}
	}
}

// compareGroups compares how far the pods of each group are.
func (p *decisionCase) compareGroups(after string) string {
	if !p.hasGangs() {
		return ""
	}
	ours := gangs.NewManager(p.orrery.engine.Gangs(), p.orrery.engine)
	for _, pod := range p.pods {
		if pod.Spec.WorkloadRef == nil {
			continue
		}
		their, theirErr := p.here.sched.WorkloadManager.PodGroupInfo(pod.Namespace, pod.Spec.WorkloadRef)
		our, ourErr := ours.PodGroupInfo(pod.Namespace, pod.Spec.WorkloadRef)
		if theirErr != nil || ourErr != nil {
			return fmt.Sprintf("groups: after %s, of pod %s: kube-scheduler %v, Orrery %v", after, pod.Name, theirErr, ourErr)
		}
		if diff := cmp.Diff(stagesOf(their), stagesOf(our)); diff != "" {
			return fmt.Sprintf("groups: after %s, of pod %s (-kube-scheduler +Orrery):\n%s", after, pod.Name, diff)
		}
	}
	return ""
}

// stagesOf lists the pods of a group by how far they are.
func stagesOf(group fwk.PodGroupInfo) map[string][]string {
	uids := func(of sets.Set[types.UID]) (list []string) {
		for _, uid := range sets.List(of) {
			list = append(list, string(uid))
		}
		return list
	}
	return map[string][]string{
		"all": uids(group.AllPods()), "assumed": uids(group.AssumedPods()), "assigned": uids(group.AssignedPods()),
		"unscheduled": slices.Sorted(maps.Keys(group.UnscheduledPods())),
	}
}

func (p *decisionCase) hasGangs() bool { return p.settings.features.Enabled(config.GangScheduling) }

// onPermit reports whether a pod waits on permit.
func (p *decisionCase) onPermit(pod *v1.Pod) bool {
	return p.orrery.engine.PodState(pod.Namespace, pod.Name) == engine.StateWaiting
}
