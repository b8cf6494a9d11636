package soak

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"k8s.io/utils/ptr"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

const (
	namespace        = "default"
	diskDriver       = "disk.example.com"
	diskClass        = "disk"
	deviceDriver     = "gpu.example.com"
	deviceClass      = "gpu"
	eagerClass       = "disk-at-once"
	slowDeviceDriver = "fabric.example.com"
	slowDeviceClass  = "fabric"
	appLabel         = "app"
	runLabel         = "run" // of pods that end by themselves
	fragileLabel     = "fragile"
)

// template draws the pods of a workload of this name.
func template(draw *rand.Rand, name string, most int64) *mk.PodBuilder {
	var fitting []shape
	for _, s := range podShapes {
		if s.milliCPU <= most {
			fitting = append(fitting, s)
		}
	}
	pod := pick(draw, fitting...).requests(mk.Pod(name)).Label(appLabel, name).UID("")
	pod.Obj().Spec.PriorityClassName = pick(draw, "", "", "", "low", "high", "polite")
	if draw.IntN(6) == 0 {
		pod.NodeSelector("disk", "ssd")
	}
	if draw.IntN(4) == 0 {
		pod.Toleration(v1.Toleration{Key: "dedicated", Operator: v1.TolerationOpExists})
	}
	return pod
}

func selector(name string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{appLabel: name}}
}

func spread(pod *v1.Pod, app, key string, otherwise v1.UnsatisfiableConstraintAction) {
	pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, v1.TopologySpreadConstraint{
		MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: otherwise, LabelSelector: selector(app),
	})
}

func templateOf(pod *v1.Pod) v1.PodTemplateSpec {
	return v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec}
}

func meta(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: namespace, Name: name} }

// deployment has pods that are spread, and sometimes a disruption budget.
func deployment(draw *rand.Rand, name string, replicas int) []world.Object {
	pod, n := template(draw, name, 8000).Obj(), int32(replicas)
	switch draw.IntN(4) {
	case 0:
		spread(pod, name, v1.LabelTopologyZone, v1.DoNotSchedule)
	case 1:
		spread(pod, name, v1.LabelHostname, v1.ScheduleAnyway)
	case 2:
		pod.Spec.Affinity = apart(name, v1.LabelHostname)
	}
	objects := []world.Object{&appsv1.Deployment{
		ObjectMeta: meta(name), Spec: appsv1.DeploymentSpec{Replicas: &n, Selector: selector(name), Template: templateOf(pod)},
	}}
	if draw.IntN(2) == 0 {
		least := intstr.FromInt(max(0, replicas-1))
		objects = append(objects, &policyv1.PodDisruptionBudget{
			ObjectMeta: meta(name), Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: &least, Selector: selector(name)},
		})
	}
	return objects
}

func apart(app, key string) *v1.Affinity {
	return &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{LabelSelector: selector(app), TopologyKey: key}},
	}}
}

func together(app, key string) *v1.Affinity {
	return &v1.Affinity{PodAffinity: &v1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{LabelSelector: selector(app), TopologyKey: key}},
	}}
}

// statefulSet has a disk for each pod.
func statefulSet(draw *rand.Rand, name string, replicas int) []world.Object {
	pod, n := template(draw, name, 2000).Obj(), int32(replicas)
	pod.Spec.Containers[0].VolumeMounts = []v1.VolumeMount{{Name: "data", MountPath: "/data"}}
	claim := mk.Claim("data").Size("1Gi").Class(diskClass).Obj()
	policy := pick(draw, appsv1.ParallelPodManagement, appsv1.OrderedReadyPodManagement)
	return []world.Object{&appsv1.StatefulSet{
		ObjectMeta: meta(name),
		Spec: appsv1.StatefulSetSpec{
			Replicas: &n, Selector: selector(name), Template: templateOf(pod), PodManagementPolicy: policy,
			VolumeClaimTemplates: []v1.PersistentVolumeClaim{*claim},
		},
	}}
}

// volumes are there before there are claims for them, each in one zone.
func volumes(draw *rand.Rand, name string, n int) (objects []world.Object) {
	for i := range n {
		zone := "zone-" + strconv.Itoa(draw.IntN(2))
		objects = append(objects, mk.Volume(fmt.Sprintf("%s-%d", name, i)).Size("2Gi").Class(diskClass).CSI(diskDriver, fmt.Sprintf("%s-%d", name, i)).On(v1.LabelTopologyZone, zone).Obj())
	}
	return objects
}

// job runs pods until so many have succeeded.
func job(draw *rand.Rand, name string, completions int) []world.Object {
	pod, n := template(draw, name, 32000).Obj(), int32(completions)
	pod.Spec.RestartPolicy = v1.RestartPolicyNever
	at := min(n, int32(1+draw.IntN(8)))
	return []world.Object{&batchv1.Job{
		ObjectMeta: meta(name), Spec: batchv1.JobSpec{Completions: &n, Parallelism: &at, Template: templateOf(pod)},
	}}
}

func daemonSet(draw *rand.Rand, name string, _ int) []world.Object {
	pod := template(draw, name, 100).Obj()
	return []world.Object{&appsv1.DaemonSet{ObjectMeta: meta(name), Spec: appsv1.DaemonSetSpec{Selector: selector(name), Template: templateOf(pod)}}}
}

// gang has pods that are bound together.
func gang(draw *rand.Rand, name string, size int) []world.Object {
	objects := []world.Object{mk.Workload(name, mk.Gang("workers", int32(size)))}
	for i := range size {
		pod := template(drawing(draw.Uint64()), fmt.Sprintf("%s-%d", name, i), 4000).Label(appLabel, name).InGroup(name, "workers")
		objects = append(objects, pod.Obj())
	}
	return objects
}

// deviceUsers have a claim each, of a template.
func deviceUsers(draw *rand.Rand, name string, replicas int) []world.Object {
	n := int32(replicas)
	pod := template(draw, name, 2000).Obj()
	useClaim(pod, v1.PodResourceClaim{Name: "gpu", ResourceClaimTemplateName: &name})
	return []world.Object{
		&resourcev1.ResourceClaimTemplate{ObjectMeta: meta(name), Spec: resourcev1.ResourceClaimTemplateSpec{Spec: deviceRequest(draw, name).Spec}},
		&appsv1.ReplicaSet{ObjectMeta: meta(name), Spec: appsv1.ReplicaSetSpec{Replicas: &n, Selector: selector(name), Template: templateOf(pod)}},
	}
}

// deviceSharers are pods of one claim, which stays when they are gone.
func deviceSharers(draw *rand.Rand, name string, n int) []world.Object {
	objects := []world.Object{deviceRequest(draw, name)}
	for i := range n {
		pod := template(draw, fmt.Sprintf("%s-%d", name, i), 2000).Label(appLabel, name).Label(runLabel, pick(draw, "1m", "10m", "24h")).Obj()
		useClaim(pod, v1.PodResourceClaim{Name: "gpu", ResourceClaimName: &name})
		objects = append(objects, pod)
	}
	return objects
}

// deviceRequest is a claim for some devices: so many, the first class of two that there are devices of, or all of a node.
func deviceRequest(draw *rand.Rand, name string) *resourcev1.ResourceClaim {
	claim := mk.ResourceClaim(name)
	switch draw.IntN(6) {
	case 0:
		claim.First("gpu", slowDeviceClass, deviceClass)
	case 1:
		claim.All("gpu", deviceClass)
	case 2:
		claim.Request("gpu", slowDeviceClass, 1)
	default:
		claim.Request("gpu", deviceClass, int64(1+draw.IntN(2)))
	}
	return claim.Obj()
}

func useClaim(pod *v1.Pod, claim v1.PodResourceClaim) {
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{claim}
	pod.Spec.Containers[0].Resources.Claims = []v1.ResourceClaim{{Name: claim.Name}}
}

// setting are the objects that every run begins with.
func (p *Plan) setting() []world.Object {
	never := v1.PreemptNever
	objects := []world.Object{
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "low"}, Value: 10},
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000},
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "polite"}, Value: 100, PreemptionPolicy: &never},
		mk.Class(diskClass, diskDriver).WaitForFirstConsumer().Obj(), mk.CSIDriver(diskDriver),
		mk.Class(eagerClass, diskDriver).Obj(),
		mk.DeviceClass(deviceClass, ofDriver(deviceDriver)), mk.DeviceClass(slowDeviceClass, ofDriver(slowDeviceDriver)),
	}
	for i, number := range p.Nodes {
		objects = append(objects, p.node(fmt.Sprintf("node-%d", i), number))
	}
	return objects
}

func ofDriver(name string) string { return fmt.Sprintf("device.driver == %q", name) }

// publishDevices gives a node's drivers some devices. Those of the slow one have to be attached before a pod is bound.
func publishDevices(c *memory.Cluster, node string, n int) error {
	pool := memory.DevicePool{Driver: deviceDriver, Node: node, Name: node}
	slow := memory.DevicePool{Driver: slowDeviceDriver, Node: node, Name: node}
	for i := range n {
		name := fmt.Sprintf("device-%d", i)
		pool.Devices = append(pool.Devices, resourcev1.Device{Name: name})
		slow.Devices = append(slow.Devices, resourcev1.Device{
			Name: name, BindsToNode: ptr.To(true), BindingConditions: []string{"example.com/attached"}, BindingFailureConditions: []string{"example.com/broken"},
		})
	}
	return errors.Join(c.PublishDevices(pool), c.PublishDevices(slow))
}
