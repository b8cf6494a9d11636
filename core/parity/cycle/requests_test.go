package cycle

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"orrery/core/world"
)

// request is a write of a pod by one of the two.
type request interface {
	name() types.NamespacedName
	deletes() bool
	// on returns the pod after the write.
	on(was *v1.Pod) *v1.Pod
}

// carryOut compares the writes of both, carries them out, and applies the result on both sides.
func (p *decisionCase) carryOut() string {
	if mismatch := p.readClaims(); mismatch != "" || p.divergence != "" {
		return mismatch
	}
	after, mismatch := p.compareCalls()
	if mismatch != "" {
		return mismatch
	}
	for _, pod := range after {
		if mismatch := p.applyPod(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}, pod); mismatch != "" {
			return mismatch
		}
	}
	return ""
}

// compareCalls compares the writes of both, and returns the pods as they are after them.
func (p *decisionCase) compareCalls() (after []*v1.Pod, mismatch string) {
	theirs, ours := requestsOf(p.client.calls), append(requestsOf(p.orrery.calls), requestsOf(p.orrery.client.calls)...)
	p.logCalls()
	p.client.calls, p.orrery.calls, p.orrery.client.calls = nil, nil, nil
	if diff := cmp.Diff(deletedPods(theirs), deletedPods(ours)); diff != "" {
		return nil, "victims: in order (-kube-scheduler +Orrery):\n" + diff
	}
	for _, name := range changedPods(append(slices.Clone(theirs), ours...)) {
		was := p.pods[name]
		if was == nil {
			return nil, fmt.Sprintf("calls: for pod %s, which does not exist", name)
		}
		their, our := podAfter(theirs, was, name), podAfter(ours, was, name)
		// A patch that changes nothing but a hosted plugin's name drops empty fields.
		if diff := cmp.Diff(their, our, cmpopts.EquateEmpty()); diff != "" {
			return nil, fmt.Sprintf("calls: pod %s after them (-kube-scheduler +Orrery):\n%s", name, diff)
		}
		after = append(after, their.DeepCopy()) // it may be the pod as both have it, if only Orrery wrote
	}
	return after, ""
}

// logCalls puts kube-scheduler's writes into the log. It makes some of them in goroutines.
func (p *decisionCase) logCalls() {
	var calls []string
	for _, call := range p.client.calls {
		calls = append(calls, fmt.Sprintf("write: pod %s, node %q, deleted: %v, patch %s", call.pod, call.bind, call.delete, call.patch))
	}
	slices.Sort(calls)
	p.log = append(p.log, calls...)
}

func requestsOf[W request](list []W) []request {
	all := make([]request, len(list))
	for i, w := range list {
		all[i] = w
	}
	return all
}

// deletedPods returns the pods to be deleted, in order.
func deletedPods(all []request) (pods []string) {
	for _, w := range all {
		if w.deletes() {
			pods = append(pods, w.name().Name)
		}
	}
	return pods
}

// changedPods returns all pods that are written, each once.
func changedPods(all []request) (pods []types.NamespacedName) {
	for _, w := range all {
		if !slices.Contains(pods, w.name()) {
			pods = append(pods, w.name())
		}
	}
	return pods
}

// podAfter returns a pod after all its writes.
func podAfter(all []request, pod *v1.Pod, name types.NamespacedName) *v1.Pod {
	for _, w := range all {
		if w.name() == name {
			pod = w.on(pod)
		}
	}
	return pod
}

// applyPod applies a pod's new state. A pod that is deleted is removed at once, or, depending on its name, later.
func (p *decisionCase) applyPod(name types.NamespacedName, pod *v1.Pod) string {
	was := p.pods[name]
	if pod.DeletionTimestamp == nil || was.DeletionTimestamp != nil {
		return p.apply(world.Modified, pod)
	}
	if len(name.Name)%2 == 0 {
		p.terminating = append(p.terminating, name)
		return p.apply(world.Modified, pod)
	}
	return p.apply(world.Deleted, pod)
}

func (c apiCall) name() types.NamespacedName { return c.pod }
func (e effect) name() types.NamespacedName  { return e.pod }

func (c apiCall) deletes() bool { return c.delete }

func (e effect) deletes() bool {
	_, deletes := e.act.(world.Delete)
	return deletes
}

func (c apiCall) on(was *v1.Pod) *v1.Pod {
	if c.patch == nil {
		return changed(was, c.bind, c.delete)
	}
	before, err := json.Marshal(was)
	must(err)
	after, err := strategicpatch.StrategicMergePatch(before, c.patch, v1.Pod{})
	must(err)
	pod := &v1.Pod{}
	must(json.Unmarshal(after, pod))
	return canonical(pod)
}

func (e effect) on(was *v1.Pod) *v1.Pod {
	switch act := e.act.(type) {
	case world.Bind:
		return changed(was, act.Node, false)
	case world.Delete:
		return changed(was, "", true)
	case world.PatchStatus:
		pod := was.DeepCopy()
		if act.NominatedNode != nil {
			pod.Status.NominatedNodeName = *act.NominatedNode
		}
		if act.Condition != nil {
			setCondition(pod, *act.Condition)
		}
		return canonical(pod)
	}
	panic(fmt.Sprintf("unexpected action of type %T", e.act))
}

func setCondition(pod *v1.Pod, c v1.PodCondition) {
	c.LastTransitionTime = metav1.Now()
	for i, has := range pod.Status.Conditions {
		if has.Type == c.Type {
			if has.Status == c.Status {
				c.LastTransitionTime = has.LastTransitionTime
			}
			pod.Status.Conditions[i] = c
			return
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, c)
}

func changed(was *v1.Pod, bind string, deleted bool) *v1.Pod {
	pod := was.DeepCopy()
	if bind != "" {
		pod.Spec.NodeName, pod.Status.NominatedNodeName = bind, ""
	}
	if deleted {
		pod.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	}
	return canonical(pod)
}

// canonical returns a pod as an API server would return it.
func canonical(pod *v1.Pod) *v1.Pod {
	text, err := json.Marshal(pod)
	must(err)
	again := &v1.Pod{}
	must(json.Unmarshal(text, again))
	return again
}
