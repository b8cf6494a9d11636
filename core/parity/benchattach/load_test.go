package benchattach

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// newNode returns a node as a cluster has them.
func newNode(i int) *v1.Node {
	name := fmt.Sprintf("ip-10-0-%d-%d.internal", i/256, i%256)
	room := v1.ResourceList{
		v1.ResourceCPU: resource.MustParse("64"), v1.ResourceMemory: resource.MustParse("256Gi"), v1.ResourcePods: resource.MustParse("250"),
		v1.ResourceEphemeralStorage: resource.MustParse("200Gi"),
	}
	node := &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), CreationTimestamp: metav1.Now(), Labels: map[string]string{
			v1.LabelHostname: name, v1.LabelTopologyZone: fmt.Sprintf("eu-west-1%c", 'a'+i%3), v1.LabelTopologyRegion: "eu-west-1",
			v1.LabelInstanceTypeStable: "m6i.16xlarge", v1.LabelArchStable: "amd64", v1.LabelOSStable: "linux",
		}},
		Spec:   v1.NodeSpec{ProviderID: "aws:///eu-west-1a/i-" + name},
		Status: v1.NodeStatus{Capacity: room, Allocatable: room},
	}
	for _, c := range []v1.NodeConditionType{v1.NodeMemoryPressure, v1.NodeDiskPressure, v1.NodePIDPressure} {
		node.Status.Conditions = append(node.Status.Conditions, v1.NodeCondition{Type: c, Status: v1.ConditionFalse, LastHeartbeatTime: metav1.Now()})
	}
	node.Status.Conditions = append(node.Status.Conditions, v1.NodeCondition{Type: v1.NodeReady, Status: v1.ConditionTrue, Reason: "KubeletReady", LastHeartbeatTime: metav1.Now()})
	for image := range 20 {
		node.Status.Images = append(node.Status.Images, v1.ContainerImage{
			Names: []string{fmt.Sprintf("registry.example.com/team-%d/service:v%d", image, i%7)}, SizeBytes: int64(image+1) << 24,
		})
	}
	return node
}

// newPod returns a pod of one of 200 Deployments, with what a cluster adds to one.
func newPod(i int) *v1.Pod {
	app := fmt.Sprintf("service-%d", i%200)
	name := fmt.Sprintf("pod-%07d", i)
	requests := v1.ResourceList{v1.ResourceCPU: resource.MustParse("100m"), v1.ResourceMemory: resource.MustParse("128Mi")}
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, GenerateName: app + "-7d4f9c8b6-", Namespace: "shop", UID: types.UID("7d0c2c1e-5d1f-4a5e-9d5e-" + name), CreationTimestamp: metav1.Now(),
			Labels: map[string]string{"app.kubernetes.io/name": app, "app.kubernetes.io/part-of": "shop", "pod-template-hash": "7d4f9c8b6"},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app + "-7d4f9c8b6", UID: types.UID(app), Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
			}},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kube-controller-manager", Operation: "Update", FieldsV1: &metav1.FieldsV1{Raw: make([]byte, 700)}}},
		},
		Spec: v1.PodSpec{
			Containers: []v1.Container{{
				Name: "main", Image: fmt.Sprintf("registry.example.com/team-%d/service:v3", i%20),
				Env:          []v1.EnvVar{{Name: "LISTEN", Value: ":8080"}, {Name: "DATABASE", Value: "postgres.shop.svc.cluster.local:5432"}},
				Resources:    v1.ResourceRequirements{Requests: requests, Limits: requests},
				VolumeMounts: []v1.VolumeMount{{Name: "kube-api-access", ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"}},
			}},
			Volumes:       []v1.Volume{{Name: "kube-api-access", VolumeSource: v1.VolumeSource{Projected: &v1.ProjectedVolumeSource{}}}},
			RestartPolicy: v1.RestartPolicyAlways, SchedulerName: v1.DefaultSchedulerName, Priority: ptr.To[int32](0), ServiceAccountName: "default",
			Tolerations: []v1.Toleration{
				{Key: v1.TaintNodeNotReady, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](300)},
				{Key: v1.TaintNodeUnreachable, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](300)},
			},
		},
		Status: v1.PodStatus{Phase: v1.PodPending, QOSClass: v1.PodQOSGuaranteed},
	}
}

// running returns a bound pod as its kubelet reports it.
func running(pod *v1.Pod) *v1.Pod {
	own := *pod
	own.Status.Phase, own.Status.PodIP, own.Status.StartTime = v1.PodRunning, "10.1.2.3", ptr.To(metav1.Now())
	for _, c := range []v1.PodConditionType{v1.PodInitialized, v1.PodReadyToStartContainers, v1.ContainersReady, v1.PodReady} {
		own.Status.Conditions = append(own.Status.Conditions, v1.PodCondition{Type: c, Status: v1.ConditionTrue, LastTransitionTime: metav1.Now()})
	}
	own.Status.ContainerStatuses = []v1.ContainerStatus{{Name: "main", Ready: true, Image: own.Spec.Containers[0].Image, State: v1.ContainerState{Running: &v1.ContainerStateRunning{}}}}
	return &own
}

// load creates pods at a rate, and deletes the oldest when there are more than at first.
type load struct {
	to      *standIn
	next    int // to be created
	created atomic.Int64
	oldest  int // that there is
	bound   atomic.Int64

	mu      sync.Mutex
	boundAt map[int]time.Time
}

// newLoad fills a stand-in with pods that run.
func newLoad(to *standIn, pods int) *load {
	l := &load{to: to, next: pods, boundAt: map[int]time.Time{}}
	for i := range pods {
		pod := newPod(i)
		pod.Spec.NodeName = to.nodes[i%len(to.nodes)].Name
		to.change("ADDED", running(pod))
	}
	to.onBound = func(pod *v1.Pod) {
		var i int
		_, _ = fmt.Sscanf(pod.Name, "pod-%d", &i)
		l.mu.Lock()
		l.boundAt[i] = time.Now()
		l.mu.Unlock()
		l.bound.Add(1)
		to.change("MODIFIED", running(pod))
	}
	return l
}

// run creates pods until the context ends.
func (l *load) run(ctx context.Context, perSecond int) {
	const tick = 10 * time.Millisecond
	each := time.NewTicker(tick)
	defer each.Stop()
	began, made := time.Now(), 0
	for {
		select {
		case <-each.C:
		case <-ctx.Done():
			return
		}
		for due := int(time.Since(began).Seconds() * float64(perSecond)); made < due; made++ {
			l.to.change("ADDED", newPod(l.next))
			l.next++
			l.created.Store(int64(l.next))
			l.deleteOldest()
		}
	}
}

func (l *load) deleteOldest() {
	pod := l.to.get(fmt.Sprintf("pod-%07d", l.oldest))
	l.oldest++
	if pod == nil {
		return
	}
	gone := *pod
	gone.DeletionTimestamp, gone.DeletionGracePeriodSeconds = ptr.To(metav1.Now()), ptr.To[int64](30)
	l.to.change("MODIFIED", &gone)
	last := gone
	l.to.change("DELETED", &last)
}

// lateness returns how long ago a pod was bound; false if it is not known.
func (l *load) lateness(pod int) (time.Duration, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, known := l.boundAt[pod]
	return time.Since(at), known
}
