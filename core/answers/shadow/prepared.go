package shadow

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

// preparedBindings shows the other scheduler's decisions about pods with claims when they are made. The volumes of such a pod
// may be provisioned for minutes before its binding arrives. But the other scheduler has written its node before: into a
// claim, or into the pod, with the claim in a volume. From then on the comparator's engine has the pod on that node.
type preparedBindings struct {
	window time.Duration
	ours   func(schedulerName string) bool
	pods   map[types.UID]*claimingPod
	users  map[types.NamespacedName][]types.UID
	writes map[types.NamespacedName]claimWrite // of claims without a volume
}

// claimingPod is a pending pod with claims.
type claimingPod struct {
	*v1.Pod     // as it arrived last
	claims      []types.NamespacedName
	node        string    // where the other scheduler prepares its binding; empty if nowhere
	written     string    // the resource version of the write that shows it
	nominatedAt time.Time // of the last change of its nominated node
}

// claimWrite is a write of the other scheduler that prepares a binding: of a node into the claim, or, without a node, of the
// claim into a volume.
type claimWrite struct {
	node    string
	at      time.Time
	version string
}

func newPreparedBindings(window time.Duration, ours func(string) bool) preparedBindings {
	return preparedBindings{
		window: window, ours: ours, pods: map[types.UID]*claimingPod{}, users: map[types.NamespacedName][]types.UID{},
		writes: map[types.NamespacedName]claimWrite{},
	}
}

// observe returns what the comparator is to see of an input: the input itself, with pods on the nodes that are prepared for
// them, and the bindings that it shows.
func (s *preparedBindings) observe(in world.Input) []numberedInput {
	switch event := in.Event.(type) {
	case world.Changed:
		switch o := event.Object.(type) {
		case *v1.Pod:
			return s.observePod(in, o, event.Op)
		case *v1.PersistentVolumeClaim:
			return append(s.observeClaim(in.At, o, event.Op == world.Deleted), numberedInput{Input: in})
		case *v1.PersistentVolume:
			return append(s.observeVolume(in.At, o), numberedInput{Input: in})
		}
	case world.Listed:
		return []numberedInput{{Input: world.Input{At: in.At, Event: s.observeList(event)}}}
	}
	return []numberedInput{{Input: in}}
}

func (s *preparedBindings) observePod(in world.Input, pod *v1.Pod, op world.Op) []numberedInput {
	p := s.pods[pod.UID]
	if op == world.Deleted || pod.Spec.NodeName != "" || !s.ours(pod.Spec.SchedulerName) {
		s.forget(pod.UID)
		if op != world.Deleted && p != nil && p.node != "" && p.node != pod.Spec.NodeName {
			return []numberedInput{p.release(in.At), {Input: in}}
		}
		return []numberedInput{{Input: in}}
	}
	if p == nil {
		if p = s.add(pod); p == nil {
			return []numberedInput{{Input: in}}
		}
	}
	was := p.Pod
	p.Pod = pod
	switch {
	case newFailure(was, pod) != nil && !p.beforeWrite(pod):
		p.node = ""
	case pod.Status.NominatedNodeName != was.Status.NominatedNodeName:
		p.nominatedAt = in.At
	}
	if p.node != "" {
		return []numberedInput{p.show(in.At)}
	}
	return append([]numberedInput{{Input: in}}, s.prepare(in.At, p)...)
}

// observeClaim returns the bindings that a claim's selected node begins or ends.
func (s *preparedBindings) observeClaim(at time.Time, claim *v1.PersistentVolumeClaim, gone bool) []numberedInput {
	key := types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}
	was, node := s.writes[key].node, claim.Annotations[volume.AnnSelectedNode]
	if gone || claim.Spec.VolumeName != "" {
		delete(s.writes, key)
		return nil
	}
	if node == was {
		return nil
	}
	if node == "" {
		delete(s.writes, key)
	} else {
		s.writes[key] = claimWrite{node, at, claim.ResourceVersion}
	}
	p := s.onlyUser(key)
	if p == nil {
		return nil
	}
	var shown []numberedInput
	if p.node != "" && p.node != node {
		shown = append(shown, p.release(at))
	}
	return append(shown, s.prepare(at, p)...)
}

// observeVolume returns the binding that a claim in a volume begins.
func (s *preparedBindings) observeVolume(at time.Time, pv *v1.PersistentVolume) []numberedInput {
	ref := pv.Spec.ClaimRef
	if ref == nil || ref.UID == "" || pv.Status.Phase == v1.VolumeBound {
		return nil
	}
	key := types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}
	p := s.onlyUser(key)
	if _, written := s.writes[key]; written || p == nil {
		return nil
	}
	s.writes[key] = claimWrite{at: at, version: pv.ResourceVersion}
	return s.prepare(at, p)
}

// observeList keeps what a list still has. Writes before it show nothing: nothing tells when they were made.
func (s *preparedBindings) observeList(list world.Listed) world.Listed {
	switch list.Kind {
	case world.Pod:
		known := s.pods
		s.pods, s.users = map[types.UID]*claimingPod{}, map[types.NamespacedName][]types.UID{}
		list.Objects = slices.Clone(list.Objects)
		for i, o := range list.Objects {
			pod, ok := o.(*v1.Pod)
			if !ok || pod.Spec.NodeName != "" || !s.ours(pod.Spec.SchedulerName) {
				continue
			}
			was, p := known[pod.UID], s.add(pod)
			if p != nil && was != nil && was.node != "" && newFailure(was.Pod, pod) == nil {
				p.node, p.written = was.node, was.written
				list.Objects[i] = p.onNode()
			}
		}
	case world.PersistentVolumeClaim:
		clear(s.writes)
		for _, o := range list.Objects {
			if claim, ok := o.(*v1.PersistentVolumeClaim); ok && claim.Spec.VolumeName == "" && claim.Annotations[volume.AnnSelectedNode] != "" {
				s.writes[types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}] = claimWrite{node: claim.Annotations[volume.AnnSelectedNode]}
			}
		}
	}
	return list
}

// prepare returns the binding of a pod for which a claim was written within the window.
func (s *preparedBindings) prepare(at time.Time, p *claimingPod) []numberedInput {
	nominated := at.Sub(p.nominatedAt) <= s.window
	for _, key := range p.claims {
		written, ok := s.writes[key]
		if !ok || at.Sub(written.at) > s.window || s.onlyUser(key) != p {
			continue
		}
		if p.node = written.node; p.node == "" && nominated {
			p.node = p.Status.NominatedNodeName
		}
		if p.node != "" {
			p.written = written.version
			shown := p.show(at)
			shown.expected = nominated
			return []numberedInput{shown}
		}
	}
	return nil
}

// add records a pending pod; nil if it has no claims.
func (s *preparedBindings) add(pod *v1.Pod) *claimingPod {
	p := &claimingPod{Pod: pod}
	for i := range pod.Spec.Volumes {
		if name, ok := world.ClaimOf(pod, &pod.Spec.Volumes[i]); ok {
			p.claims = append(p.claims, types.NamespacedName{Namespace: pod.Namespace, Name: name})
		}
	}
	if p.claims == nil {
		return nil
	}
	s.pods[pod.UID] = p
	for _, key := range p.claims {
		s.users[key] = append(s.users[key], pod.UID)
	}
	return p
}

func (s *preparedBindings) forget(uid types.UID) {
	p := s.pods[uid]
	if p == nil {
		return
	}
	delete(s.pods, uid)
	for _, key := range p.claims {
		if s.users[key] = slices.DeleteFunc(s.users[key], func(user types.UID) bool { return user == uid }); len(s.users[key]) == 0 {
			delete(s.users, key)
		}
	}
}

// onlyUser returns the pending pod that a claim is written for; nil if it is not certain which one that is.
func (s *preparedBindings) onlyUser(key types.NamespacedName) *claimingPod {
	if users := s.users[key]; len(users) == 1 {
		return s.pods[users[0]]
	}
	return nil
}

// beforeWrite reports whether a state of the pod is older than the write that prepares its binding: the kinds of objects are
// watched apart, but one etcd counts their versions.
func (p *claimingPod) beforeWrite(pod *v1.Pod) bool {
	order, err := resourceversion.CompareResourceVersion(pod.ResourceVersion, p.written)
	return err == nil && order < 0
}

// release returns the end of a binding. The other scheduler no longer counts the pod as nominated either, until its next
// change shows the nomination again.
func (p *claimingPod) release(at time.Time) numberedInput {
	nominated := p.Status.NominatedNodeName == p.node
	p.node = ""
	pod := p.onNode()
	if nominated {
		pod.Status.NominatedNodeName = ""
	}
	return modified(at, pod)
}

// show returns a change of the pod to the node that is prepared for it.
func (p *claimingPod) show(at time.Time) numberedInput { return modified(at, p.onNode()) }

func modified(at time.Time, pod *v1.Pod) numberedInput {
	return numberedInput{Input: world.Input{At: at, Event: world.Changed{Op: world.Modified, Object: pod}}}
}

// onNode returns the pod on the node that is prepared for it. It has no resource version, as the cluster has no such state of the
// pod.
func (p *claimingPod) onNode() *v1.Pod {
	pod := *p.Pod
	pod.ResourceVersion, pod.Spec.NodeName = "", p.node
	return &pod
}
