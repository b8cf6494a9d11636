package scenario

import (
	"fmt"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"orrery/core/objects/workloads"
	"orrery/core/world"
)

// objects returns the objects of a workload: its budget and its gang, if it has them, the templates of its pods' claims to
// devices, and the controller of its pods, or the pods.
func (w *workload) objects() []world.Object {
	var all []world.Object
	if w.DisruptionBudget != nil {
		all = append(all, w.budget())
	}
	if w.Gang > 0 {
		all = append(all, w.gang())
	}
	all = append(all, w.claimTemplateObjects()...)
	meta := metav1.ObjectMeta{Namespace: w.Namespace, Name: w.name, Labels: w.labels()}
	replicas := int32(*w.Replicas)
	switch w.kind {
	case world.Deployment:
		all = append(all, &appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Selector: w.selector(), Template: w.template(), Strategy: w.strategy(),
		}})
	case world.StatefulSet:
		all = append(all, &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{
			Replicas: &replicas, Selector: w.selector(), Template: w.template(), ServiceName: w.name,
			VolumeClaimTemplates: w.claimTemplates(),
		}})
	case world.DaemonSet:
		all = append(all, &appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{
			Selector: w.selector(), Template: w.template(),
		}})
	case world.Job:
		parallel := int32(w.Parallelism)
		if parallel == 0 {
			parallel = replicas
		}
		all = append(all, &batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{
			Completions: &replicas, Parallelism: &parallel, Template: w.template(),
		}})
	case world.Pod:
		for i := range replicas {
			all = append(all, w.pod(int(i), int(replicas)))
		}
	}
	return all
}

// gangName is the name of the only group of a workload's gang.
const gangName = "pods"

// gang returns the Workload of which the pods are a gang.
func (w *workload) gang() *workloads.Workload {
	return &workloads.Workload{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.name},
		Spec: workloads.Spec{PodGroups: []workloads.PodGroup{{
			Name:   gangName,
			Policy: workloads.Policy{Gang: &workloads.GangPolicy{MinCount: int32(w.Gang)}},
		}}},
	}
}

// pod returns one of the bare pods.
func (w *workload) pod(i, of int) *v1.Pod {
	name := w.name
	if of > 1 {
		name += "-" + strconv.Itoa(i)
	}
	t := w.template()
	meta := metav1.ObjectMeta{Namespace: w.Namespace, Name: name, Labels: t.Labels, Annotations: t.Annotations}
	return &v1.Pod{ObjectMeta: meta, Spec: t.Spec}
}

func (w *workload) strategy() appsv1.DeploymentStrategy {
	if w.MaxSurge == "" && w.MaxUnavailable == "" {
		return appsv1.DeploymentStrategy{}
	}
	rolling := &appsv1.RollingUpdateDeployment{}
	if w.MaxSurge != "" {
		n := intstr.Parse(w.MaxSurge)
		rolling.MaxSurge = &n
	}
	if w.MaxUnavailable != "" {
		n := intstr.Parse(w.MaxUnavailable)
		rolling.MaxUnavailable = &n
	}
	return appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: rolling}
}

func (w *workload) budget() *policyv1.PodDisruptionBudget {
	pdb := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.name},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: w.selector()},
	}
	if w.DisruptionBudget.MinAvailable != "" {
		n := intstr.Parse(w.DisruptionBudget.MinAvailable)
		pdb.Spec.MinAvailable = &n
	} else {
		n := intstr.Parse(w.DisruptionBudget.MaxUnavailable)
		pdb.Spec.MaxUnavailable = &n
	}
	return pdb
}

// eachGroup visits the groups of nodes: those that exist from the beginning, and those that steps add.
func (f *file) eachGroup(visit func(*nodeGroup)) {
	for i := range f.Cluster.Nodes {
		visit(&f.Cluster.Nodes[i])
	}
	for i := range f.Steps {
		for j := range f.Steps[i].Add {
			visit(&f.Steps[i].Add[j])
		}
	}
}

// nodes returns the nodes of the group.
func (g *nodeGroup) nodes() []*v1.Node {
	zones := g.Zones
	prefixed := len(zones) > 0
	if !prefixed {
		zones = map[string]int{g.Zone: g.Count}
	}
	var all []*v1.Node
	for _, zone := range sortedKeys(zones) {
		name := g.Name
		if prefixed {
			name += "-" + zone
		}
		for i := range zones[zone] {
			full := name
			if zones[zone] > 1 || prefixed {
				full = fmt.Sprintf("%s-%0*d", name, len(strconv.Itoa(zones[zone])), i+1)
			}
			all = append(all, g.node(full, zone))
		}
	}
	return all
}

func (g *nodeGroup) node(name, zone string) *v1.Node {
	labels := map[string]string{v1.LabelHostname: name, v1.LabelOSStable: "linux", "pool": g.Name}
	for key, value := range map[string]string{v1.LabelTopologyZone: zone, v1.LabelTopologyRegion: g.Region} {
		if value != "" {
			labels[key] = value
		}
	}
	for key, value := range g.Labels {
		labels[key] = value
	}
	node := &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Status:     v1.NodeStatus{Capacity: g.capacity(), Allocatable: g.capacity()},
	}
	for _, t := range g.Taints {
		node.Spec.Taints = append(node.Spec.Taints, t.Taint)
	}
	return node
}

func priorityClass(name string, p priority) *schedulingv1.PriorityClass {
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: p.Value, GlobalDefault: p.GlobalDefault}
	if p.PreemptionPolicy != "" {
		class.PreemptionPolicy = &p.PreemptionPolicy
	}
	return class
}
