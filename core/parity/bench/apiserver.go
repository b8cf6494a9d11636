package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// apiserver stores the pods as an API server would and returns the changes that each write makes. All pods are in one
// namespace, so the name is enough as a key. storageServer has the other objects that are written.
type apiserver struct {
	pods        map[string]*v1.Pod
	version     int
	bound       int      // pods bound since the start
	deleteEvery int      // after this many bindings one of the deletable pods is deleted; 0 means never
	deletable   []string // one of the two pods on every node at the start, or those with claims for devices
	nodes       nodeChurn
}

func newAPIServer(c testCase, objects []world.Object) *apiserver {
	s := &apiserver{pods: map[string]*v1.Pod{}, version: 2_000_000, deleteEvery: c.deleteEvery, nodes: nodeChurn{every: c.changeNodeEvery}}
	for _, object := range objects {
		if node, is := object.(*v1.Node); is && c.changeNodeEvery > 0 {
			s.nodes.all = append(s.nodes.all, node)
		}
		pod, ok := object.(*v1.Pod)
		if !ok {
			continue
		}
		if len(s.pods)%2 == 0 && c.claim == nil || len(claimsOf(pod)) > 0 {
			s.deletable = append(s.deletable, pod.Name)
		}
		s.pods[pod.Name] = pod
	}
	return s
}

// change is a watch event: without an old object the new one was added, without a new one the old one was deleted.
type change struct{ old, new world.Object }

func (s *apiserver) create(pods []*v1.Pod) {
	for _, pod := range pods {
		s.pods[pod.Name] = pod
	}
}

// bind binds a pod to its node. Every deleteEvery bindings it deletes another pod.
func (s *apiserver) bind(name, node string) ([]change, error) {
	old := s.pods[name]
	if old == nil || old.Spec.NodeName != "" {
		return nil, fmt.Errorf("binding %s to %s: the pod was deleted or already has a node", name, node)
	}
	bound := s.next(old)
	bound.Spec.NodeName = node
	s.bound++
	changes := []change{{old: old, new: bound}}
	if s.deleteEvery > 0 && s.bound%s.deleteEvery == 0 && len(s.deletable) > 0 {
		changes = append(changes, s.remove(s.deletable[0])...)
		s.deletable = s.deletable[1:]
	}
	if every := s.nodes.every; every > 0 && s.bound%every == 0 {
		changes = append(changes, s.changeNode())
	}
	return changes, nil
}

// patch writes a condition, a nominated node, or both.
func (s *apiserver) patch(name string, condition *v1.PodCondition, nominated *string) []change {
	old := s.pods[name]
	if old == nil {
		return nil
	}
	patched := s.next(old)
	if condition != nil {
		patched.Status.Conditions = slices.DeleteFunc(slices.Clone(patched.Status.Conditions), func(had v1.PodCondition) bool {
			return had.Type == condition.Type
		})
		patched.Status.Conditions = append(patched.Status.Conditions, *condition)
	}
	if nominated != nil {
		patched.Status.NominatedNodeName = *nominated
	}
	return []change{{old: old, new: patched}}
}

// patchJSON is patch for a strategic merge patch as kube-scheduler sends it.
func (s *apiserver) patchJSON(name string, data []byte) ([]change, error) {
	var body struct {
		Status struct {
			Conditions        []v1.PodCondition `json:"conditions"`
			NominatedNodeName json.RawMessage   `json:"nominatedNodeName"`
		} `json:"status"`
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return nil, fmt.Errorf("reading the patch of %s: %w", name, err)
	}
	var condition *v1.PodCondition
	if len(body.Status.Conditions) > 0 {
		condition = &body.Status.Conditions[0]
	}
	var nominated *string
	if raw := body.Status.NominatedNodeName; raw != nil {
		nominated = new(string)
		if err := json.Unmarshal(raw, nominated); err != nil {
			return nil, fmt.Errorf("reading the patch of %s: %w", name, err)
		}
	}
	return s.patch(name, condition, nominated), nil
}

// remove deletes a pod at once.
func (s *apiserver) remove(name string) []change {
	old := s.pods[name]
	if old == nil {
		return nil
	}
	delete(s.pods, name)
	return []change{{old: old}}
}

// next returns a copy of a pod with a new resourceVersion, to be changed.
func (s *apiserver) next(old *v1.Pod) *v1.Pod {
	pod := *old
	s.version++
	pod.ResourceVersion = strconv.Itoa(s.version)
	s.pods[pod.Name] = &pod
	return &pod
}

// pending counts the pods without a node.
func (s *apiserver) pending(pods []*v1.Pod) int {
	n := 0
	for _, pod := range pods {
		if now := s.pods[pod.Name]; now == nil || now.Spec.NodeName == "" {
			n++
		}
	}
	return n
}
