package engine

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
)

// Displacement tries one pod on nodes without some of the pods there. It belongs to a fork and changes nothing.
type Displacement struct{ attempt *attempt }

// Displacement prepares the trials of a pod. It is an error if a plugin rejects the pod whatever the node.
func (e *Engine) Displacement(namespace, name string) (*Displacement, error) {
	pod, err := e.pendingPod(namespace, name)
	if err != nil {
		return nil, err
	}
	f, err := e.forkForExplain()
	if err != nil {
		return nil, fmt.Errorf("trying pod %q without others: %w", name, err)
	}
	a := f.newAttempt(pod)
	if err := f.cache.UpdateSnapshot(f.snapshot); err != nil {
		return nil, err
	}
	if _, status, _ := a.profile.RunPreFilterPlugins(f.ctx, a.state, a.pod); !status.IsSuccess() {
		return nil, fmt.Errorf("trying pod %q without others: %w", name, status.AsError())
	}
	return &Displacement{a}, nil
}

// Fits reports whether the pod would fit on a node without some of its pods.
func (d *Displacement) Fits(node string, without ...*v1.Pod) bool {
	a := d.attempt
	info, err := a.engine.snapshot.NodeInfos().Get(node)
	if err != nil {
		return false
	}
	left, state := info.Snapshot(), a.state.Clone()
	for _, pod := range without {
		for _, there := range info.GetPods() {
			if there.GetPod().UID != pod.UID {
				continue
			}
			if left.RemovePod(klog.Logger{}, there.GetPod()) != nil ||
				!a.profile.RunPreFilterExtensionRemovePod(a.engine.ctx, state, a.pod, there, left).IsSuccess() {
				return false
			}
		}
	}
	return a.profile.RunFilterPluginsWithNominatedPods(a.engine.ctx, state, a.pod, left).IsSuccess()
}
