package cache

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
)

// AssumePod adds the pod to a node before the binding is confirmed. The node may be unknown. It returns the assumed pod: a copy with
// the node's name.
func (c *Cache) AssumePod(pod *v1.Pod, node string) (*v1.Pod, error) {
	uid, err := podKey(pod)
	if err != nil {
		return nil, err
	}
	if c.pods.get(uid) != nil {
		return nil, fmt.Errorf("pod %s is in the cache, so can't be assumed", describePod(pod))
	}
	placed := &placedPod{pod: *pod} // shallow: objects are never changed once they are shared
	placed.pod.Spec.NodeName = node
	_ = placed.info.init(c.accounting, &placed.pod)
	c.attachInfo(uid, &placed.info)
	c.assumed[uid] = false
	return &placed.pod, nil
}

// placedPod is an assumed pod with its PodInfo, in one allocation.
type placedPod struct {
	pod  v1.Pod
	info PodInfo
}

// FinishBinding marks the binding as ended, successfully or not. An assumed pod never expires: it stays until the
// cluster confirms it or ForgetPod removes it. Upstream's expired after 30 seconds once, too soon for a watch that was late (kubernetes
// issue 106361). A pod that is not assumed is ignored.
func (c *Cache) FinishBinding(pod *v1.Pod) error {
	uid, err := podKey(pod)
	if err != nil {
		return err
	}
	if _, assumed := c.assumed[uid]; assumed {
		c.assumed[uid] = true
	}
	return nil
}

// ForgetPod removes an assumed pod. A pod that is not in the cache is ignored.
func (c *Cache) ForgetPod(pod *v1.Pod) error {
	uid, err := podKey(pod)
	if err != nil {
		return err
	}
	cached := c.pods.get(uid)
	if cached == nil {
		return nil
	}
	if cached.pod.Spec.NodeName != pod.Spec.NodeName {
		// kube-scheduler names the two nodes the wrong way round; the text is kept, since people search for it.
		return fmt.Errorf("pod %s was assumed on %s but assigned to %s",
			describePod(pod), printableName(pod.Spec.NodeName), printableName(cached.pod.Spec.NodeName))
	}
	if _, assumed := c.assumed[uid]; !assumed {
		return fmt.Errorf("pod %s is not assumed, so it cannot be removed or forgotten", describePod(pod))
	}
	return c.detachPod(uid, cached)
}

// AddPod adds a bound pod. It confirms an assumed pod, and moves it if the cluster bound it to another node. If the
// node lost the assumed pod, AddPod returns an error for logging and still adds the pod.
func (c *Cache) AddPod(pod *v1.Pod) error {
	uid, err := podKey(pod)
	if err != nil {
		return err
	}
	if cached := c.pods.get(uid); cached != nil {
		if _, assumed := c.assumed[uid]; !assumed {
			return fmt.Errorf("pod %s was already in added state", describePod(pod))
		}
		err = c.detachPod(uid, cached)
		delete(c.assumed, uid)
	}
	c.attachPod(uid, pod)
	return err
}

// UpdatePod replaces a bound pod by a newer version. A version on another node is a *CorruptionError.
func (c *Cache) UpdatePod(oldPod, newPod *v1.Pod) error {
	uid, err := podKey(oldPod)
	if err != nil {
		return err
	}
	newUID, err := podKey(newPod)
	if err != nil {
		return err
	}
	cached := c.pods.get(uid)
	if cached == nil {
		return fmt.Errorf("pod %s is not added to scheduler cache, so cannot be updated", describePod(oldPod))
	}
	if _, assumed := c.assumed[uid]; assumed {
		return fmt.Errorf("assumed pod %s should not be updated", describePod(oldPod))
	}
	if uid != newUID {
		return fmt.Errorf("update pod %s: pod %s is another pod, remove the one and add the other",
			describePod(oldPod), describePod(newPod))
	}
	if cached.pod.Spec.NodeName != newPod.Spec.NodeName {
		return &CorruptionError{"update", podName(newPod), cached.pod.Spec.NodeName, newPod.Spec.NodeName}
	}
	if err := c.detachPod(uid, cached); err != nil {
		return err
	}
	c.attachPod(uid, newPod)
	return nil
}

// RemovePod removes a bound or assumed pod. The given pod may lack its node name, if the deletion was missed and only
// an old state is known; another node name than the cached one is a *CorruptionError.
func (c *Cache) RemovePod(pod *v1.Pod) error {
	uid, err := podKey(pod)
	if err != nil {
		return err
	}
	cached := c.pods.get(uid)
	if cached == nil {
		return fmt.Errorf("pod %s is not found in scheduler cache, so cannot be removed from it", describePod(pod))
	}
	if given := pod.Spec.NodeName; given != "" && given != cached.pod.Spec.NodeName {
		return &CorruptionError{"remove", podName(pod), cached.pod.Spec.NodeName, given}
	}
	return c.detachPod(uid, cached)
}

// GetPod returns the cached version of a pod, which may be on a deleted node.
func (c *Cache) GetPod(pod *v1.Pod) (*v1.Pod, error) {
	uid, err := podKey(pod)
	if err != nil {
		return nil, err
	}
	cached := c.pods.get(uid)
	if cached == nil {
		return nil, fmt.Errorf("pod %s does not exist in scheduler cache", describePod(pod))
	}
	return cached.pod, nil
}

// IsAssumedPod reports whether the pod is assumed and not yet confirmed.
func (c *Cache) IsAssumedPod(pod *v1.Pod) (bool, error) {
	uid, err := podKey(pod)
	if err != nil {
		return false, err
	}
	_, assumed := c.assumed[uid]
	return assumed, nil
}

// attachPod adds a pod to its node. An unknown node becomes an imaginary node.
func (c *Cache) attachPod(uid string, pod *v1.Pod) {
	info, _ := c.accounting.NewPodInfo(pod) // terms that do not parse are left out; the pod still counts
	c.attachInfo(uid, info)
}

func (c *Cache) attachInfo(uid string, info *PodInfo) {
	e := c.entry(info.pod.Spec.NodeName)
	c.writableInfo(e).attach(info, c.nextGeneration())
	c.moveToFront(e)
	c.pods.set(uid, info)
}

// detachPod removes a pod from its node and the table. An imaginary node without pods is dropped.
func (c *Cache) detachPod(uid string, cached *PodInfo) error {
	if e := c.entries[cached.pod.Spec.NodeName]; e != nil {
		at := e.info.pods.indexOf(cached)
		if at < 0 {
			return fmt.Errorf("no corresponding pod %s in pods of node %s", printableName(cached.pod.Name), printableName(e.name))
		}
		info := c.writableInfo(e)
		info.detach(at, c.nextGeneration())
		c.moveToFrontOrDrop(e)
	}
	c.pods.remove(uid)
	delete(c.assumed, uid)
	return nil
}

// moveToFrontOrDrop moves a changed entry to the front of the list, or drops it if it has neither node nor pods.
func (c *Cache) moveToFrontOrDrop(e *entry) {
	if e.info.node == nil && len(e.info.pods.items) == 0 {
		c.drop(e)
		return
	}
	c.moveToFront(e)
}
