package cache

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
)

// AssumePod takes the pod's resources on spec.nodeName at once, before the binding is confirmed. The node may be unknown.
func (c *Cache) AssumePod(pod *v1.Pod) error {
	uid, err := podKey(pod)
	if err != nil {
		return err
	}
	if c.pods.get(uid) != nil {
		return fmt.Errorf("pod %s is in the cache, so can't be assumed", described(pod))
	}
	c.place(uid, pod)
	c.assumed[uid] = false
	return nil
}

// FinishBinding notes that the binding ended, well or badly. An assumed pod never expires: it stays until the cluster
// confirms it or ForgetPod takes it back. For a pod that is not assumed there is nothing to note.
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

// ForgetPod takes an assumed pod back. A pod that is not in the cache is forgotten already.
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
			described(pod), shown(pod.Spec.NodeName), shown(cached.pod.Spec.NodeName))
	}
	if _, assumed := c.assumed[uid]; !assumed {
		return fmt.Errorf("pod %s wasn't assumed so cannot be forgotten", described(pod))
	}
	return c.displace(uid, cached)
}

// AddPod takes in a pod that the cluster says is bound: it confirms an assumed pod, which moves if the cluster bound
// it elsewhere, and adds an unknown one.
func (c *Cache) AddPod(pod *v1.Pod) error {
	uid, err := podKey(pod)
	if err != nil {
		return err
	}
	if cached := c.pods.get(uid); cached != nil {
		if _, assumed := c.assumed[uid]; !assumed {
			return fmt.Errorf("pod %s was already in added state", described(pod))
		}
		if err := c.displace(uid, cached); err != nil {
			return err
		}
	}
	c.place(uid, pod)
	return nil
}

// UpdatePod replaces a bound pod by a newer version of itself. A version on another node is a *CorruptionError.
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
		return fmt.Errorf("pod %s is not added to scheduler cache, so cannot be updated", described(oldPod))
	}
	if _, assumed := c.assumed[uid]; assumed {
		return fmt.Errorf("assumed pod %s should not be updated", described(oldPod))
	}
	if uid != newUID {
		return fmt.Errorf("update pod %s: pod %s is another pod, remove the one and add the other",
			described(oldPod), described(newPod))
	}
	if cached.pod.Spec.NodeName != newPod.Spec.NodeName {
		return &CorruptionError{"update", podName(newPod), cached.pod.Spec.NodeName, newPod.Spec.NodeName}
	}
	if err := c.displace(uid, cached); err != nil {
		return err
	}
	c.place(uid, newPod)
	return nil
}

// RemovePod takes a pod out, assumed or not. The given pod may lack its node name, which happens when the deletion
// was missed and only an old state is known; another node name than the cached one is a *CorruptionError.
func (c *Cache) RemovePod(pod *v1.Pod) error {
	uid, err := podKey(pod)
	if err != nil {
		return err
	}
	cached := c.pods.get(uid)
	if cached == nil {
		return fmt.Errorf("pod %s is not found in scheduler cache, so cannot be removed from it", described(pod))
	}
	if given := pod.Spec.NodeName; given != "" && given != cached.pod.Spec.NodeName {
		return &CorruptionError{"remove", podName(pod), cached.pod.Spec.NodeName, given}
	}
	return c.displace(uid, cached)
}

// GetPod is the cached version of a pod, which may be on a node that is gone.
func (c *Cache) GetPod(pod *v1.Pod) (*v1.Pod, error) {
	uid, err := podKey(pod)
	if err != nil {
		return nil, err
	}
	cached := c.pods.get(uid)
	if cached == nil {
		return nil, fmt.Errorf("pod %s does not exist in scheduler cache", described(pod))
	}
	return cached.pod, nil
}

// IsAssumedPod tells whether the pod is assumed and not yet confirmed.
func (c *Cache) IsAssumedPod(pod *v1.Pod) (bool, error) {
	uid, err := podKey(pod)
	if err != nil {
		return false, err
	}
	_, assumed := c.assumed[uid]
	return assumed, nil
}

// place puts a pod on the node it names. A node that is not known yet becomes a ghost that holds the pod.
func (c *Cache) place(uid string, pod *v1.Pod) {
	info, _ := c.accounting.NewPodInfo(pod) // terms that do not parse attract and repel nothing; the pod counts all the same
	e := c.entry(pod.Spec.NodeName)
	c.own(e).attach(info, c.nextGeneration())
	c.moveToFront(e)
	c.pods.set(uid, info)
}

// displace takes a pod off its node and forgets it. A ghost without pods is dropped.
func (c *Cache) displace(uid string, cached *PodInfo) error {
	if e := c.entries[cached.pod.Spec.NodeName]; e != nil {
		at := e.info.pods.indexOf(cached)
		if at < 0 {
			return fmt.Errorf("no corresponding pod %s in pods of node %s", shown(cached.pod.Name), shown(e.name))
		}
		info := c.own(e)
		info.detach(at, c.nextGeneration())
		c.settle(e)
	}
	c.pods.remove(uid)
	delete(c.assumed, uid)
	return nil
}

// settle files an entry after a change: at the front of the list, or nowhere when neither node nor pods are left.
func (c *Cache) settle(e *entry) {
	if e.info.node == nil && len(e.info.pods.items) == 0 {
		c.drop(e)
		return
	}
	c.moveToFront(e)
}
