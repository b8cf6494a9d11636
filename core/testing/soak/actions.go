package soak

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict/budget"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// actions are what steps do. What there is nothing of to change, is not changed: any steps can be left out.
var actions map[string]func(*run, Step)

func init() {
	actions = map[string]func(*run, Step){
		"deployment": create(deployment), "stateful": create(statefulSet), "volumes": create(volumes), "job": create(job), "daemons": create(daemonSet),
		"gang": create(gang), "devices": create(deviceUsers), "shared-device": create(deviceSharers), "pods": create(pods), "chaos": create(chaos), "fragile": create(fragilePods),
		"scale": (*run).scale, "delete-workload": (*run).deleteWorkload, "delete-pods": (*run).deletePods, "change-pods": (*run).changePods,
		"add-node": (*run).addNode, "remove-node": (*run).removeNode, "lose-node": (*run).loseNode, "drain": (*run).drain,
		"cordon": changeNode(func(_ *rand.Rand, n *v1.Node) { n.Spec.Unschedulable = !n.Spec.Unschedulable }),
		"relabel": changeNode(func(draw *rand.Rand, n *v1.Node) {
			n.Labels["disk"] = pick(draw, "ssd", "hdd", "tape")
		}),
		"taint": changeNode(func(draw *rand.Rand, n *v1.Node) {
			n.Spec.Taints = pick(draw, nil, []v1.Taint{{Key: "dedicated", Value: "batch", Effect: pick(draw, v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute)}})
		}),
		"resize-node": (*run).resizeNode, "resize-pods": (*run).resizePods, "evict": (*run).evict, "quota": (*run).limitPods, "hostile": (*run).createOnNode,
	}
	for name, act := range faultActions {
		actions[name] = act
	}
}

// create is an action that creates a workload. Its name is the step's.
func create(objects func(draw *rand.Rand, name string, n int) []world.Object) func(*run, Step) {
	return func(r *run, s Step) {
		name := fmt.Sprintf("%s-%06x", s.Do, s.N&0xffffff)
		for _, o := range objects(drawing(s.N), name, max(1, s.Count)) {
			_, _ = r.cluster.Create(o) // the API server may be down
		}
	}
}

// chosen returns one of the objects of some kinds, or nil if none is eligible.
func (r *run) chosen(n uint64, eligible func(world.Object) bool, kinds ...world.Kind) world.Object {
	var all []world.Object
	for _, kind := range kinds {
		for _, o := range r.cluster.List(kind) {
			if eligible == nil || eligible(o) {
				all = append(all, o)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[n%uint64(len(all))]
}

func ownerless(o world.Object) bool { return metav1.GetControllerOfNoCopy(o) == nil }

func (r *run) scale(s Step) {
	n := int32(s.Count)
	switch o := r.chosen(s.N, ownerless, world.Deployment, world.StatefulSet, world.ReplicaSet).(type) {
	case *appsv1.Deployment:
		next := o.DeepCopy()
		next.Spec.Replicas = &n
		_, _ = r.cluster.Update(next)
	case *appsv1.StatefulSet:
		next := o.DeepCopy()
		next.Spec.Replicas = &n
		_, _ = r.cluster.Update(next)
	case *appsv1.ReplicaSet:
		next := o.DeepCopy()
		next.Spec.Replicas = &n
		_, _ = r.cluster.Update(next)
	}
}

// workloadKinds are the kinds whose objects make pods.
var workloadKinds = []world.Kind{world.Deployment, world.StatefulSet, world.ReplicaSet, world.DaemonSet, world.Job}

func (r *run) deleteWorkload(s Step) {
	if o := r.chosen(s.N, ownerless, workloadKinds...); o != nil {
		r.deleteWithPods(o)
	}
}

// deleteWithPods deletes a workload, and what it made, as the garbage collector does.
func (r *run) deleteWithPods(owner world.Object) {
	_ = r.cluster.Delete(memory.KindOf(owner), owner.GetNamespace(), owner.GetName(), metav1.DeleteOptions{})
	for _, kind := range []world.Kind{world.ReplicaSet, world.Pod} {
		for _, o := range r.cluster.List(kind) {
			if by := metav1.GetControllerOfNoCopy(o); by != nil && by.UID == owner.GetUID() {
				r.deleteWithPods(o)
			}
		}
	}
}

func (r *run) deletePods(s Step) {
	draw := drawing(s.N)
	for range max(1, s.Count) {
		if o := r.chosen(draw.Uint64(), nil, world.Pod); o != nil {
			_ = r.cluster.Delete(world.Pod, o.GetNamespace(), o.GetName(), metav1.DeleteOptions{})
		}
	}
}

// changePods removes gates, adds tolerations, changes labels and mends what the fragile plugin fails for.
func (r *run) changePods(s Step) {
	draw := drawing(s.N)
	for range max(1, s.Count) {
		o, what := r.chosen(draw.Uint64(), nil, world.Pod), draw.IntN(4)
		if o == nil {
			return
		}
		pod := o.DeepCopyObject().(*v1.Pod)
		switch what {
		case 0, 1:
			pod.Spec.SchedulingGates = nil
			delete(pod.Labels, fragileLabel)
		case 2:
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{Key: "dedicated", Operator: v1.TolerationOpExists})
		case 3:
			pod.Labels["colour"] = pick(draw, "red", "blue")
		}
		_, _ = r.cluster.Update(pod)
	}
}

func (r *run) addNode(s Step) {
	node := r.plan.node(fmt.Sprintf("node-%06x", s.N&0xffffff), s.N)
	if _, err := r.cluster.Create(node); err == nil {
		r.equip(node.Name, s.N)
	}
}

// equip gives a node its drivers.
func (r *run) equip(node string, n uint64) {
	_, _ = r.cluster.Create(mk.CSINode(node).Limit(diskDriver, int32(1+n%6)).Obj())
	if n%3 == 0 {
		_ = publishDevices(r.cluster, node, int(1+n%4))
	}
}

func (r *run) removeNode(s Step) {
	if node := r.chosen(s.N, nil, world.Node); node != nil && len(r.cluster.List(world.Node)) > 1 {
		_ = r.cluster.Delete(world.Node, "", node.GetName(), metav1.DeleteOptions{})
	}
}

func (r *run) loseNode(s Step) {
	if node := r.chosen(s.N, nil, world.Node); node != nil {
		name := node.GetName()
		_ = r.cluster.LoseNode(name)
		r.cluster.After(time.Duration(s.For), func(c *memory.Cluster) { _ = c.RecoverNode(name) })
	}
}

func changeNode(change func(*rand.Rand, *v1.Node)) func(*run, Step) {
	return func(r *run, s Step) {
		if o := r.chosen(s.N, nil, world.Node); o != nil {
			node := o.DeepCopyObject().(*v1.Node)
			change(drawing(s.N), node)
			_, _ = r.cluster.Update(node)
		}
	}
}

func (r *run) resizeNode(s Step) {
	if o := r.chosen(s.N, nil, world.Node); o != nil {
		node := o.DeepCopyObject().(*v1.Node)
		node.Status.Allocatable[v1.ResourceCPU] = mk.Resources("cpu", pick(drawing(s.N), "1", "16", "64"))[v1.ResourceCPU]
		_, _ = r.cluster.UpdateStatus(node)
	}
}

// drain cordons a node and evicts its pods, each as far as the budgets allow it.
func (r *run) drain(s Step) {
	o := r.chosen(s.N, nil, world.Node)
	if o == nil {
		return
	}
	node := o.DeepCopyObject().(*v1.Node)
	node.Spec.Unschedulable = true
	if _, err := r.cluster.Update(node); err != nil {
		return
	}
	r.evictAll(func(pod *v1.Pod) bool { return pod.Spec.NodeName == node.Name })
}

// evict evicts the pods of one budget, as far as it allows it.
func (r *run) evict(s Step) {
	if pdb, _ := r.chosen(s.N, nil, world.PodDisruptionBudget).(*policyv1.PodDisruptionBudget); pdb != nil {
		r.evictAll(func(pod *v1.Pod) bool { return pod.Spec.NodeName != "" && budget.Selects(pdb, pod) })
	}
}

func (r *run) evictAll(these func(*v1.Pod) bool) {
	budgets := r.budgetsInStep()
	for _, o := range r.cluster.List(world.Pod) {
		if pod := o.(*v1.Pod); these(pod) && pod.DeletionTimestamp == nil {
			if r.cluster.Evict(&policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}) == nil {
				r.checkEviction(pod, budgets)
			}
		}
	}
}

// resizePods changes the CPU that running pods request, in place.
func (r *run) resizePods(s Step) {
	draw := drawing(s.N)
	onNode := func(o world.Object) bool { return o.(*v1.Pod).Spec.NodeName != "" }
	for range max(1, s.Count) {
		o := r.chosen(draw.Uint64(), onNode, world.Pod)
		if o == nil {
			return
		}
		pod := o.DeepCopyObject().(*v1.Pod)
		if requests := pod.Spec.Containers[0].Resources.Requests; !requests.Cpu().IsZero() {
			requests[v1.ResourceCPU] = mk.Resources("cpu", pick(draw, "100m", "1", "4"))[v1.ResourceCPU]
			_, _ = r.cluster.Resize(pod)
		}
	}
}

// limitPods limits how many pods there may be, for some time.
func (r *run) limitPods(s Step) {
	quota := &v1.ResourceQuota{ObjectMeta: meta(fmt.Sprintf("quota-%06x", s.N&0xffffff)), Spec: v1.ResourceQuotaSpec{
		Hard: mk.Resources("pods", strconv.Itoa(s.Count)),
	}}
	if _, err := r.cluster.Create(quota); err == nil {
		r.cluster.After(time.Duration(s.For), func(c *memory.Cluster) {
			_ = c.Delete(memory.ResourceQuota, quota.Namespace, quota.Name, metav1.DeleteOptions{})
		})
	}
}
