package admission

import (
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/parity/difftest"
	"orrery/core/world"
	"orrery/core/world/admission"
)

var keys = []string{"a", "b", "node.kubernetes.io/not-ready", "node.kubernetes.io/memory-pressure", "example.com/gpu", ""}

// drawCluster draws what there is in a cluster: at most one limit range, since upstream takes several in any order.
func drawCluster(r *difftest.Source) []world.Object {
	ns := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	if r.Bool() {
		node.Status.DeclaredFeatures = difftest.Pick(r, []string{"InPlacePodVerticalScalingInitContainers"}, []string{"InPlacePodLevelResourcesVerticalScaling", "Unheard"})
	}
	all := []world.Object{ns, node}
	if r.Bool() {
		all = append(all, limits(r))
	}
	for i, name := range []string{"low", "high"} { // of two defaults of one priority upstream takes any
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: int32(i + 1), GlobalDefault: r.OneIn(4)}
		class.PreemptionPolicy = policy(r)
		all = append(all, class)
	}
	return append(all, runtimeClass(r))
}

func limits(r *difftest.Source) *v1.LimitRange {
	item := v1.LimitRangeItem{
		Type: difftest.Pick(r, v1.LimitTypeContainer, v1.LimitTypePod, v1.LimitTypePersistentVolumeClaim),
		Max:  amounts(r), Min: amounts(r), MaxLimitRequestRatio: amounts(r),
	}
	if item.Type == v1.LimitTypeContainer {
		item.Default, item.DefaultRequest = amounts(r), amounts(r)
	}
	if item.Type == v1.LimitTypePersistentVolumeClaim {
		item.Max, item.Min = v1.ResourceList{"storage": quantity(r)}, v1.ResourceList{"storage": quantity(r)}
	}
	return &v1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: difftest.Pick(r, "default", "default", "other"), Name: "limits"}, Spec: v1.LimitRangeSpec{Limits: []v1.LimitRangeItem{item}}}
}

func runtimeClass(r *difftest.Source) *nodev1.RuntimeClass {
	class := &nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: "kata"}, Handler: "kata"}
	if r.Bool() {
		class.Overhead = &nodev1.Overhead{PodFixed: amounts(r)}
	}
	if r.Bool() {
		class.Scheduling = &nodev1.Scheduling{NodeSelector: selector(r), Tolerations: tolerations(r)}
	}
	return class
}

// amounts are of at most one resource, since upstream takes several in any order.
func amounts(r *difftest.Source) v1.ResourceList {
	if r.Bool() {
		return nil
	}
	return v1.ResourceList{difftest.Pick[v1.ResourceName](r, "cpu", "memory", "example.com/gpu"): quantity(r)}
}

func quantity(r *difftest.Source) resource.Quantity {
	return resource.MustParse(difftest.Pick(r, "1", "2", "500m", "0", "3", "1Gi", "1500m"))
}

func selector(r *difftest.Source) map[string]string {
	return difftest.Pick(r, nil, map[string]string{"zone": "east"}, map[string]string{"zone": "west"}, map[string]string{"disk": "ssd"})
}

func policy(r *difftest.Source) *v1.PreemptionPolicy {
	p := difftest.Pick(r, v1.PreemptLowerPriority, v1.PreemptNever)
	return difftest.Pick(r, nil, &p)
}

func tolerations(r *difftest.Source) []v1.Toleration {
	var list []v1.Toleration
	for range r.IntN(4) {
		t := v1.Toleration{
			Key: difftest.Pick(r, keys...), Operator: difftest.Pick(r, v1.TolerationOpExists, v1.TolerationOpEqual, "", v1.TolerationOpGt),
			Effect: difftest.Pick(r, v1.TaintEffectNoExecute, v1.TaintEffectNoSchedule, ""), Value: difftest.Pick(r, "", "x"),
		}
		if r.OneIn(3) {
			seconds := int64(r.Range(0, 2))
			t.TolerationSeconds = &seconds
		}
		list = append(list, t)
	}
	return list
}

// drawRequest draws a wish to store an object; most are pods.
func drawRequest(r *difftest.Source) *admission.Request {
	q := drawWish(r)
	q.Resource = world.KindOf(q.Object).Resource()
	return q
}

func node(r *difftest.Source) *v1.Node {
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n2"}}
	node.Spec.Taints = difftest.Pick(r, nil, []v1.Taint{{Key: v1.TaintNodeNotReady, Effect: v1.TaintEffectNoSchedule}}, []v1.Taint{{Key: "a", Effect: v1.TaintEffectNoSchedule}})
	return node
}

func drawWish(r *difftest.Source) *admission.Request {
	switch r.IntN(11) {
	case 6, 7:
		q := &admission.Request{Object: node(r)}
		if r.Bool() {
			q.Old = node(r)
		}
		return q
	case 8:
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: difftest.Pick(r, "new", "high")}, GlobalDefault: r.Bool()}
		if class.Name == "high" {
			return &admission.Request{Object: class, Old: class.DeepCopy()}
		}
		return &admission.Request{Object: class}
	case 9:
		claim := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "data"}}
		claim.Spec.Resources.Requests = v1.ResourceList{"storage": quantity(r)}
		return &admission.Request{Object: claim}
	}
	if r.OneIn(3) {
		return change(r)
	}
	return &admission.Request{Object: pod(r)}
}

// change is a change of a pod, or a resize.
func change(r *difftest.Source) *admission.Request {
	old := pod(r)
	changed := pod(r)
	kept := old.DeepCopy().Spec
	changed.Spec.Containers, changed.Spec.InitContainers = kept.Containers, kept.InitContainers
	if r.Bool() {
		changed.Spec.Containers[0].Resources.Requests = amounts(r)
	}
	if len(kept.InitContainers) > 0 && r.Bool() {
		changed.Spec.InitContainers[0].Resources.Requests = amounts(r)
	}
	old.Spec.Resources, changed.Spec.Resources = podAmounts(r), podAmounts(r)
	old.Spec.Volumes, changed.Spec.Volumes = memoryVolumes(r), memoryVolumes(r)
	old.Spec.NodeName = difftest.Pick(r, "n1", "n1", "", "gone")
	changed.Spec.NodeName = old.Spec.NodeName
	old.Status.QOSClass, changed.Generation = difftest.Pick(r, v1.PodQOSGuaranteed, v1.PodQOSBurstable), int64(r.IntN(2))
	changed.Status.QOSClass = old.Status.QOSClass
	return &admission.Request{Object: changed, Old: old, Subresource: difftest.Pick(r, "", "resize", "status")}
}

// podAmounts are resources of a pod itself, most often none.
func podAmounts(r *difftest.Source) *v1.ResourceRequirements {
	return difftest.Pick(r, nil, nil, &v1.ResourceRequirements{}, &v1.ResourceRequirements{Requests: amounts(r)})
}

// memoryVolumes are volumes, among which one in memory may be.
func memoryVolumes(r *difftest.Source) []v1.Volume {
	limit := quantity(r)
	dir := v1.EmptyDirVolumeSource{Medium: difftest.Pick(r, v1.StorageMediumMemory, v1.StorageMediumMemory, ""), SizeLimit: difftest.Pick(r, nil, &limit, &limit)}
	return difftest.Pick(r, nil, []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{EmptyDir: &dir}}})
}

func pod(r *difftest.Source) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
	for _, name := range []string{"a", "b"}[:r.Range(1, 2)] {
		p.Spec.Containers = append(p.Spec.Containers, v1.Container{Name: name, Resources: v1.ResourceRequirements{Requests: amounts(r), Limits: amounts(r)}})
	}
	if r.OneIn(3) {
		c := v1.Container{Name: "i", Resources: v1.ResourceRequirements{Requests: amounts(r), Limits: amounts(r)}}
		always := v1.ContainerRestartPolicyAlways
		c.RestartPolicy = difftest.Pick(r, nil, &always)
		p.Spec.InitContainers = []v1.Container{c}
	}
	p.Spec.NodeSelector, p.Spec.Tolerations, p.Spec.PreemptionPolicy = selector(r), tolerations(r), policy(r)
	p.Spec.PriorityClassName = difftest.Pick(r, "", "high", "low", "unheard")
	if r.OneIn(3) {
		n := int32(r.Range(0, 3))
		p.Spec.Priority = &n
	}
	if r.Bool() {
		name := difftest.Pick(r, "kata", "kata", "unheard")
		p.Spec.RuntimeClassName = &name
	}
	if r.OneIn(4) {
		p.Spec.Overhead = amounts(r)
	}
	admission.Default(p, metav1.Time{})
	p.Spec.SecurityContext = &v1.PodSecurityContext{} // as it is after a conversion
	return p
}
