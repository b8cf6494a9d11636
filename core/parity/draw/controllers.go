package draw

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"orrery/core/parity/difftest"
	"orrery/core/world"
)

// template draws a template of pods, which mostly have the label app: a.
func (r Filler) template(policies ...v1.RestartPolicy) v1.PodTemplateSpec {
	t := v1.PodTemplateSpec{Spec: drawPod(r).Spec}
	t.Labels = map[string]string{"app": pick(r, "a", "a", "b", "x y", "")}
	t.Spec.RestartPolicy = pick(r, append(policies, v1.RestartPolicyAlways, v1.RestartPolicyOnFailure, v1.RestartPolicyNever, "Other")...)
	if !r.atEdge() {
		t.Spec.ActiveDeadlineSeconds = nil
	}
	return t
}

func (r Filler) selector() *metav1.LabelSelector {
	if r.atEdge() {
		return difftest.Pick(r.Source, &metav1.LabelSelector{}, &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x y"}},
			&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Other"}}})
	}
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}}
}

func (r Filler) count() *int32 { return ptr.To(pick(r, int32(1), 3, 0, -1)) }

func (r Filler) shareOfPods() *intstr.IntOrString {
	n := pick(r, intstr.FromInt32(1), intstr.FromString("25%"), intstr.FromInt32(0), intstr.FromString("0%"), intstr.FromInt32(-1), intstr.FromString("101%"), intstr.FromString("half"))
	return difftest.Pick(r.Source, nil, &n)
}

// Deployment draws one.
func (r Filler) Deployment() *appsv1.Deployment {
	o := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Replicas: r.count(), Selector: r.selector(), Template: r.template("Always", ""), MinReadySeconds: pick(r, int32(0), 1, -1),
	}}
	r.Meta(o, "default")
	o.Spec.Strategy.Type = pick[appsv1.DeploymentStrategyType](r, "", "RollingUpdate", "Recreate", "Other")
	if r.Bool() {
		o.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxUnavailable: r.shareOfPods(), MaxSurge: r.shareOfPods()}
	}
	return o
}

// ReplicaSet draws one.
func (r Filler) ReplicaSet() *appsv1.ReplicaSet {
	o := &appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Replicas: r.count(), Selector: r.selector(), Template: r.template("Always", "")}}
	r.Meta(o, "default")
	return o
}

// ReplicationController draws one.
func (r Filler) ReplicationController() *v1.ReplicationController {
	t := r.template("Always", "")
	o := &v1.ReplicationController{Spec: v1.ReplicationControllerSpec{Replicas: r.count(), Template: &t}}
	r.Meta(o, "default")
	o.Spec.Selector = difftest.Pick(r.Source, nil, map[string]string{"app": "a"})
	return o
}

// StatefulSet draws one.
func (r Filler) StatefulSet() *appsv1.StatefulSet {
	o := &appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Replicas: r.count(), Selector: r.selector(), Template: r.template("Always", "")}}
	r.Meta(o, "default")
	o.Spec.PodManagementPolicy = pick[appsv1.PodManagementPolicyType](r, "", "Parallel", "OrderedReady", "Other")
	for range r.IntN(2) {
		o.Spec.VolumeClaimTemplates = append(o.Spec.VolumeClaimTemplates, v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: r.claimSpec()})
	}
	return o
}

// DaemonSet draws one.
func (r Filler) DaemonSet() *appsv1.DaemonSet {
	o := &appsv1.DaemonSet{Spec: appsv1.DaemonSetSpec{Selector: r.selector(), Template: r.template("Always", ""), MinReadySeconds: pick(r, int32(0), 1, -1)}}
	r.Meta(o, "default")
	return o
}

// Job draws one.
func (r Filler) Job() *batchv1.Job {
	o := &batchv1.Job{Spec: batchv1.JobSpec{Parallelism: r.count(), Completions: r.count(), BackoffLimit: r.count(), Template: r.template("Never", "OnFailure")}}
	if o.Spec.Template.Spec.RestartPolicy == "" {
		o.Spec.Template.Spec.RestartPolicy = "Never"
	}
	r.Meta(o, "default")
	return o
}

// All draw an object of each kind.
var All = map[world.Kind]func(Filler) world.Object{
	world.Pod:                   func(r Filler) world.Object { return drawPod(r) },
	world.Node:                  func(r Filler) world.Object { return r.Node() },
	world.Namespace:             func(r Filler) world.Object { o := &v1.Namespace{}; r.Meta(o, ""); return o },
	world.LimitRange:            func(r Filler) world.Object { return r.LimitRange() },
	"ResourceQuota":             func(r Filler) world.Object { return r.Quota() },
	world.PriorityClass:         func(r Filler) world.Object { return r.PriorityClass() },
	world.RuntimeClass:          func(r Filler) world.Object { return r.RuntimeClass() },
	world.PodDisruptionBudget:   func(r Filler) world.Object { return r.Budget() },
	world.PersistentVolumeClaim: func(r Filler) world.Object { return r.Claim() },
	world.PersistentVolume:      func(r Filler) world.Object { return r.Volume() },
	world.StorageClass:          func(r Filler) world.Object { return r.StorageClass() },
	world.CSIDriver:             func(r Filler) world.Object { return r.CSIDriver() },
	world.CSINode:               func(r Filler) world.Object { return r.CSINode() },
	world.VolumeAttachment:      func(r Filler) world.Object { return r.VolumeAttachment() },
	world.CSIStorageCapacity:    func(r Filler) world.Object { return r.StorageCapacity() },
	world.Deployment:            func(r Filler) world.Object { return r.Deployment() },
	world.ReplicaSet:            func(r Filler) world.Object { return r.ReplicaSet() },
	world.ReplicationController: func(r Filler) world.Object { return r.ReplicationController() },
	world.StatefulSet:           func(r Filler) world.Object { return r.StatefulSet() },
	world.DaemonSet:             func(r Filler) world.Object { return r.DaemonSet() },
	world.Job:                   func(r Filler) world.Object { return r.Job() },
	world.ResourceClaim:         func(r Filler) world.Object { return r.ResourceClaim() },
	world.DeviceClass:           func(r Filler) world.Object { return r.DeviceClass() },
	world.ResourceSlice:         func(r Filler) world.Object { return r.ResourceSlice() },
	world.Workload:              func(r Filler) world.Object { return r.Workload() },
}
