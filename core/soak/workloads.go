package soak

import (
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

	"orrery/core/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

const (
	namespace    = "default"
	diskDriver   = "disk.example.com"
	diskClass    = "disk"
	deviceDriver = "gpu.example.com"
	deviceClass  = "gpu"
	appLabel     = "app"
	runLabel     = "run" // of pods that end by themselves
	fragileLabel = "fragile"
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
	source := name
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: &source}}
	pod.Spec.Containers[0].Resources.Claims = []v1.ResourceClaim{{Name: "gpu"}}
	return []world.Object{
		&resourcev1.ResourceClaimTemplate{
			ObjectMeta: meta(name),
			Spec:       resourcev1.ResourceClaimTemplateSpec{Spec: mk.ResourceClaim(name).Request("gpu", deviceClass, int64(1+draw.IntN(2))).Obj().Spec},
		},
		&appsv1.ReplicaSet{ObjectMeta: meta(name), Spec: appsv1.ReplicaSetSpec{Replicas: &n, Selector: selector(name), Template: templateOf(pod)}},
	}
}

// pods are of a shape of openb each, without an owner.
func pods(draw *rand.Rand, name string, n int) (objects []world.Object) {
	for i := range n {
		pod := template(draw, fmt.Sprintf("%s-%d", name, i), 32000).Label(appLabel, name)
		if draw.IntN(3) > 0 {
			pod.Label(runLabel, pick(draw, "30s", "2m", "10m"))
		}
		objects = append(objects, pod.Obj())
	}
	return objects
}

// chaos are pods of which no two are alike.
func chaos(draw *rand.Rand, name string, n int) (objects []world.Object) {
	for i := range n {
		app := pick(draw, "red", "blue", "green")
		pod := template(draw, fmt.Sprintf("%s-%d", name, i), 16000).Label(appLabel, app).Label(runLabel, pick(draw, "1m", "5m", "24h"))
		key := pick(draw, v1.LabelHostname, v1.LabelTopologyZone)
		switch draw.IntN(11) {
		case 0:
			pod.NodeSelector("disk", "ssd")
		case 1:
			pod.Gate("hold")
		case 2:
			pod.HostPort(int32(8080 + draw.IntN(2)))
		case 3:
			pod.Affinity(apart(app, key))
		case 4:
			pod.Affinity(together(app, key))
		case 5:
			spread(pod.Obj(), app, key, v1.DoNotSchedule)
		case 6:
			pod.CPU("640") // fits nowhere
		case 7:
			pod.NodeSelector("disk", "tape") // until a node is relabelled
		case 8:
			pod.Affinity(apart(app, key))
			spread(pod.Obj(), app, v1.LabelTopologyZone, v1.ScheduleAnyway)
		}
		objects = append(objects, pod.Obj())
	}
	return objects
}

// fragilePods are pods for which the plugin [fragile] does not work.
func fragilePods(draw *rand.Rand, name string, n int) (objects []world.Object) {
	for i := range n {
		pod := template(draw, fmt.Sprintf("%s-%d", name, i), 500).Label(appLabel, name).Label(runLabel, "5m")
		objects = append(objects, pod.Label(fragileLabel, pick(draw, fragileWays...)).Obj())
	}
	return objects
}

// setting are the objects that every run begins with.
func (p *Plan) setting() []world.Object {
	never := v1.PreemptNever
	objects := []world.Object{
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "low"}, Value: 10},
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000},
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "polite"}, Value: 100, PreemptionPolicy: &never},
		mk.Class(diskClass, diskDriver).WaitForFirstConsumer().Obj(), mk.CSIDriver(diskDriver), mk.DeviceClass(deviceClass),
	}
	for i, number := range p.Nodes {
		objects = append(objects, p.node(fmt.Sprintf("node-%d", i), number))
	}
	return objects
}

// publishDevices gives a node's driver some devices.
func publishDevices(c *memory.Cluster, node string, n int) error {
	pool := memory.DevicePool{Driver: deviceDriver, Node: node, Name: node}
	for i := range n {
		pool.Devices = append(pool.Devices, resourcev1.Device{Name: fmt.Sprintf("device-%d", i)})
	}
	return c.PublishDevices(pool)
}
