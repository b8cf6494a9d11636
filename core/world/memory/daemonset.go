package memory

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"orrery/core/world"
)

// enqueueDaemonSets enqueues every daemon set.
func (c *Cluster) enqueueDaemonSets() {
	if len(c.objects[world.DaemonSet]) == 0 {
		return
	}
	for _, o := range c.List(world.DaemonSet) {
		c.enqueue(workItem{kind: world.DaemonSet, key: keyOf(o), uid: o.GetUID()}, 0)
	}
}

// syncDaemonSet keeps one pod for every node that the template may run on. Node affinity selects the node, and the
// scheduler binds the pod.
func (c *Cluster) syncDaemonSet(set *appsv1.DaemonSet) error {
	template := daemonTemplate(set)
	model := &v1.Pod{Spec: set.Spec.Template.Spec}
	model.Spec.Tolerations = template.Spec.Tolerations
	required := nodeaffinity.GetRequiredNodeAffinity(model)
	had := c.daemonPods(set)
	wanted := 0
	for _, o := range c.List(world.Node) {
		node := o.(*v1.Node)
		fits, _ := required.Match(node)
		place := fits && !c.hasUntoleratedTaint(template.Spec.Tolerations, node.Spec.Taints, v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute)
		stay := fits && !c.hasUntoleratedTaint(template.Spec.Tolerations, node.Spec.Taints, v1.TaintEffectNoExecute)
		pod := had[node.Name]
		delete(had, node.Name)
		switch {
		case pod != nil && (!stay || isTerminal(pod)):
			c.deletePod(pod, nil)
		case pod == nil && place:
			daemon := newPod(set, appsv1.SchemeGroupVersion.WithKind("DaemonSet"), template)
			daemon.GenerateName = set.Name + "-"
			daemon.Spec.Affinity = onlyOn(daemon.Spec.Affinity, node.Name)
			if _, err := c.create(world.Pod, daemon); err != nil {
				return err
			}
		}
		if place {
			wanted++
		}
	}
	for _, pod := range c.podsOf(set.UID) {
		if node := daemonNode(pod); had[node] == pod {
			c.deletePod(pod, nil)
		}
	}
	f := c.dependentsOf(set.UID)
	if had := set.Status; had.DesiredNumberScheduled != int32(wanted) || had.NumberReady != int32(f.ready) ||
		had.ObservedGeneration != set.Generation {
		next := *set
		next.Status.DesiredNumberScheduled, next.Status.NumberReady = int32(wanted), int32(f.ready)
		next.Status.CurrentNumberScheduled, next.Status.NumberAvailable = int32(f.active), int32(f.ready)
		next.Status.ObservedGeneration = set.Generation
		c.write(world.DaemonSet, set, &next)
	}
	return nil
}

// daemonPods returns a daemon set's pods by node, including pods that are being deleted.
func (c *Cluster) daemonPods(set *appsv1.DaemonSet) map[string]*v1.Pod {
	byNode := map[string]*v1.Pod{}
	for _, pod := range c.podsOf(set.UID) {
		byNode[daemonNode(pod)] = pod
	}
	return byNode
}

// daemonNode is the node of a daemon set's pod.
func daemonNode(pod *v1.Pod) string {
	for _, term := range requiredTerms(pod) {
		for _, r := range term.MatchFields {
			if r.Key == metav1.ObjectNameField && len(r.Values) == 1 {
				return r.Values[0]
			}
		}
	}
	return pod.Spec.NodeName
}

func requiredTerms(pod *v1.Pod) []v1.NodeSelectorTerm {
	a := pod.Spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	return a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
}

// onlyOn requires one node by name, instead of the earlier required node affinity.
func onlyOn(a *v1.Affinity, node string) *v1.Affinity {
	if a == nil {
		a = &v1.Affinity{}
	}
	if a.NodeAffinity == nil {
		a.NodeAffinity = &v1.NodeAffinity{}
	}
	a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{{
			Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{node},
		}}}},
	}
	return a
}

// daemonTemplate returns the template with the default tolerations of daemon sets for node problems.
func daemonTemplate(set *appsv1.DaemonSet) *v1.PodTemplateSpec {
	t := set.Spec.Template.DeepCopy()
	tolerate := func(key string, effect v1.TaintEffect) {
		own := v1.Toleration{Key: key, Operator: v1.TolerationOpExists, Effect: effect}
		i := slices.IndexFunc(t.Spec.Tolerations, func(has v1.Toleration) bool { return has.MatchToleration(&own) })
		if i < 0 {
			t.Spec.Tolerations = append(t.Spec.Tolerations, own)
		} else {
			t.Spec.Tolerations[i] = own // without a limit in time
		}
	}
	tolerate(v1.TaintNodeNotReady, v1.TaintEffectNoExecute)
	tolerate(v1.TaintNodeUnreachable, v1.TaintEffectNoExecute)
	tolerate(v1.TaintNodeDiskPressure, v1.TaintEffectNoSchedule)
	tolerate(v1.TaintNodeMemoryPressure, v1.TaintEffectNoSchedule)
	tolerate(v1.TaintNodePIDPressure, v1.TaintEffectNoSchedule)
	tolerate(v1.TaintNodeUnschedulable, v1.TaintEffectNoSchedule)
	if t.Spec.HostNetwork {
		tolerate(v1.TaintNodeNetworkUnavailable, v1.TaintEffectNoSchedule)
	}
	return t
}
