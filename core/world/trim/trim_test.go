package trim_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/trim"
)

// fromYAML reads an object of a kind.
func fromYAML(t *testing.T, kind world.Kind, text string) world.Object {
	t.Helper()
	o, err := world.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict([]byte(text), o); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return o
}

// Everything in these objects is read by scheduling, or by the parts of controllers that a memory world plays: a
// trimmed object is equal to its original.
var keptWhole = []struct {
	name string
	kind world.Kind
	yaml string
}{
	{"identity, time and ownership", world.Pod, `
metadata:
  {name: p, generateName: p-, namespace: ns, uid: u, resourceVersion: "7", generation: 3, labels: {app: web},
   creationTimestamp: "2025-01-01T00:00:00Z", deletionTimestamp: "2025-01-02T00:00:00Z", deletionGracePeriodSeconds: 30,
   finalizers: [f], ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: rs, uid: r, controller: true}],
   annotations: {kubernetes.io/config.mirror: x, controller.kubernetes.io/pod-deletion-cost: "5"}}
spec: {containers: []}
status: {}`},
	{"what a pod asks of a node", world.Pod, `
metadata: {name: p, annotations: {~spec.workloadRef: w/g/0}}
spec:
  schedulerName: mine
  nodeName: n1
  nodeSelector: {disk: ssd}
  hostNetwork: true
  priorityClassName: high
  priority: 100
  preemptionPolicy: Never
  runtimeClassName: gvisor
  restartPolicy: Always
  terminationGracePeriodSeconds: 5
  activeDeadlineSeconds: 60
  os: {name: linux}
  overhead: {cpu: 100m}
  resources: {requests: {cpu: "2"}}
  schedulingGates: [{name: wait}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]
  tolerations: [{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 3}]
  topologySpreadConstraints:
  - {maxSkew: 1, minDomains: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {a: b}},
     matchLabelKeys: [c], nodeAffinityPolicy: Honor, nodeTaintsPolicy: Honor}
  affinity:
    nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: a, operator: Exists}]}}]}
    podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z, namespaceSelector: {}, mismatchLabelKeys: [x]}]}
  initContainers:
  - {name: sidecar, image: i, restartPolicy: Always, resources: {requests: {cpu: 1m}}, ports: [{containerPort: 1, hostPort: 1, protocol: UDP, hostIP: 1.2.3.4}]}
  containers:
  - name: main
    image: app:v1
    resources: {requests: {cpu: "1"}, limits: {cpu: "2"}, claims: [{name: gpu, request: r}]}
    resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]
    restartPolicyRules: [{action: RestartAllContainers}]
    ports: [{containerPort: 80, hostPort: 80}]
status: {}`},
	{"the disks of a pod", world.Pod, `
metadata: {name: p}
spec:
  containers: []
  volumes:
  - {name: claim, persistentVolumeClaim: {claimName: c, readOnly: true}}
  - {name: own, ephemeral: {volumeClaimTemplate: {metadata: {labels: {a: b}}, spec: {accessModes: [ReadWriteOnce], storageClassName: s, resources: {requests: {storage: 1Gi}}}}}}
  - {name: inline, csi: {driver: d, fsType: ext4}}
  - {name: gce, gcePersistentDisk: {pdName: d, readOnly: true, partition: 1}}
  - {name: ebs, awsElasticBlockStore: {volumeID: v}}
  - {name: azure, azureDisk: {diskName: d, diskURI: u}}
  - {name: azurefile, azureFile: {secretName: "", shareName: n1}}
  - {name: cinder, cinder: {volumeID: v}}
  - {name: vsphere, vsphereVolume: {volumePath: v}}
  - {name: portworx, portworxVolume: {volumeID: v}}
  - {name: iscsi, iscsi: {targetPortal: "", iqn: q, lun: 1, readOnly: true}}
  - {name: rbd, rbd: {monitors: [m], image: i, pool: p, readOnly: true}}
status: {}`},
	{"how a pod fares", world.Pod, `
metadata: {name: p}
spec: {containers: []}
status:
  phase: Running
  reason: Preempting
  observedGeneration: 4
  startTime: "2025-01-01T00:00:00Z"
  nominatedNodeName: n1
  qosClass: Burstable
  resize: InProgress
  conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: no room, observedGeneration: 4, lastProbeTime: null, lastTransitionTime: "2025-01-01T00:00:00Z"}]
  allocatedResources: {cpu: "1"}
  resources: {requests: {cpu: "1"}}
  resourceClaimStatuses: [{name: gpu, resourceClaimName: p-gpu}]
  extendedResourceClaimStatus: {resourceClaimName: e, requestMappings: [{containerName: main, resourceName: r, requestName: q}]}
  containerStatuses: [{name: main, ready: false, restartCount: 0, image: "", imageID: "", allocatedResources: {cpu: "1"}, resources: {requests: {cpu: "2"}}}]
  initContainerStatuses: [{name: sidecar, ready: false, restartCount: 0, image: "", imageID: "", resources: {requests: {cpu: "2"}}}]`},
	{"what a node offers", world.Node, `
metadata: {name: n1, labels: {zone: a}}
spec: {unschedulable: true, taints: [{key: k, value: v, effect: NoSchedule, timeAdded: "2025-01-01T00:00:00Z"}]}
status:
  capacity: {cpu: "4"}
  allocatable: {cpu: "3", pods: "110"}
  conditions: [{type: Ready, status: "True", reason: KubeletReady, lastHeartbeatTime: null, lastTransitionTime: "2025-01-01T00:00:00Z"}]
  images: [{names: ["app:v1"], sizeBytes: 5}]
  declaredFeatures: [RestartAllContainers]
  daemonEndpoints: {kubeletEndpoint: {Port: 0}}
  nodeInfo: {machineID: "", systemUUID: "", bootID: "", kernelVersion: "", osImage: "", containerRuntimeVersion: "", kubeletVersion: "", kubeProxyVersion: "", operatingSystem: "", architecture: ""}`},
	{"a volume and whose it is", world.PersistentVolume, `
metadata: {name: v, labels: {topology.kubernetes.io/zone: a}, annotations: {pv.kubernetes.io/bound-by-controller: "yes", pv.kubernetes.io/provisioned-by: d}}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  claimRef: {namespace: ns, name: c, uid: u}
  persistentVolumeReclaimPolicy: Delete
  storageClassName: s
  volumeMode: Block
  volumeAttributesClassName: fast
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}}
  csi: {driver: d, volumeHandle: h, fsType: ext4, readOnly: true}
status: {phase: Bound}`},
	{"a claim and its binding", world.PersistentVolumeClaim, `
metadata: {name: c, namespace: ns, annotations: {volume.kubernetes.io/selected-node: n1, pv.kubernetes.io/bind-completed: "yes", volume.beta.kubernetes.io/storage-class: s, volume.kubernetes.io/storage-provisioner: d}}
spec: {accessModes: [ReadWriteOncePod], selector: {matchLabels: {a: b}}, resources: {requests: {storage: 1Gi}}, volumeName: v, storageClassName: s, volumeMode: Block, volumeAttributesClassName: fast}
status: {phase: Bound, accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, currentVolumeAttributesClassName: fast}`},
	{"the drivers of a node", world.CSINode, `
metadata: {name: n1, annotations: {storage.alpha.kubernetes.io/migrated-plugins: kubernetes.io/aws-ebs}}
spec: {drivers: [{name: d, nodeID: "", topologyKeys: [zone], allocatable: {count: 5}}]}`},
	{"a driver", world.CSIDriver, `
metadata: {name: d}
spec: {attachRequired: false, storageCapacity: true, preventPodSchedulingIfMissing: true}`},
	{"a disk of AWS", world.PersistentVolume, `
metadata: {name: v, labels: {failure-domain.beta.kubernetes.io/zone: a__b}}
spec: {awsElasticBlockStore: {volumeID: h, fsType: ext4, partition: 2, readOnly: true}}
status: {}`},
	{"a disk of GCE", world.PersistentVolume, `
metadata: {name: v}
spec: {gcePersistentDisk: {pdName: h, fsType: ext4, partition: 2, readOnly: true}}
status: {}`},
	{"a disk of Azure", world.PersistentVolume, `
metadata: {name: v}
spec: {azureDisk: {diskName: d, diskURI: h, cachingMode: None, fsType: ext4, readOnly: true, kind: Managed}}
status: {}`},
	{"a share of Azure", world.PersistentVolume, `
metadata: {name: v, annotations: {kubernetes.io/azure-file-resource-group: g}}
spec: {azureFile: {shareName: h, secretName: "", readOnly: true}, claimRef: {namespace: ns}}
status: {}`},
	{"a volume of Cinder", world.PersistentVolume, `
metadata: {name: v}
spec: {cinder: {volumeID: h, fsType: ext4, readOnly: true}}
status: {}`},
	{"a volume of vSphere", world.PersistentVolume, `
metadata: {name: v}
spec: {vsphereVolume: {volumePath: h, fsType: ext4, storagePolicyName: gold, storagePolicyID: i}}
status: {}`},
	{"a volume of Portworx", world.PersistentVolume, `
metadata: {name: v}
spec: {portworxVolume: {volumeID: h, fsType: ext4, readOnly: true}}
status: {}`},
	{"a class of storage", world.StorageClass, `
metadata: {name: s, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: d
reclaimPolicy: Retain
allowVolumeExpansion: true
volumeBindingMode: WaitForFirstConsumer
allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a]}]}]`},
	{"room for volumes", world.CSIStorageCapacity, `
metadata: {name: c, namespace: ns}
storageClassName: s
capacity: 1Gi
maximumVolumeSize: 1Mi
nodeTopology: {matchLabels: {zone: a}}`},
	{"an attached volume", world.VolumeAttachment, `
metadata: {name: a}
spec: {attacher: d, nodeName: n1, source: {persistentVolumeName: v}}
status: {attached: true}`},
	{"a claim for devices", world.ResourceClaim, `
metadata: {name: c, namespace: ns, uid: u, finalizers: [resource.kubernetes.io/delete-protection], annotations: {resource.kubernetes.io/extended-resource-claim: "true", resource.kubernetes.io/pod-claim-name: gpu}}
spec:
  devices:
    requests: [{name: r, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 2, selectors: [{cel: {expression: "true"}}], tolerations: [{operator: Exists}]}}]
    constraints: [{requests: [r], matchAttribute: d/model}]
    config: [{requests: [r], opaque: {driver: d, parameters: null}}]
status:
  reservedFor: [{resource: pods, name: p, uid: u}]
  devices: [{driver: d, pool: p, device: x, conditions: [{type: Ready, status: "True", reason: r, message: "", lastTransitionTime: "2025-01-01T00:00:00Z"}, {type: Broken, status: "True", reason: r, message: no power, lastTransitionTime: "2025-01-01T00:00:00Z"}]}]
  allocation:
    allocationTimestamp: "2025-01-01T00:00:00Z"
    nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}
    devices: {results: [{request: r, driver: d, pool: p, device: x, bindingConditions: [Ready], bindingFailureConditions: [Broken]}]}`},
	{"a class of devices", world.DeviceClass, `
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: "true"}}], extendedResourceName: example.com/gpu}`},
	{"devices", world.ResourceSlice, `
metadata: {name: s}
spec: {driver: d, nodeName: n1, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [{name: x, attributes: {model: {string: a100}}, capacity: {memory: {value: 40Gi}}, taints: [{key: k, effect: NoExecute}]}]}`},
	{"a tainted device", world.DeviceTaintRule, `
metadata: {name: r}
spec: {deviceSelector: {driver: d}, taint: {key: k, effect: NoSchedule}}`},
	{"a budget", world.PodDisruptionBudget, `
metadata: {name: b, namespace: ns}
spec: {minAvailable: 1, selector: {matchLabels: {a: b}}, unhealthyPodEvictionPolicy: AlwaysAllow}
status: {disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, observedGeneration: 1, disruptedPods: {p: "2025-01-01T00:00:00Z"}}`},
	{"what selects pods", world.Service, `
metadata: {name: s, namespace: ns}
spec: {selector: {app: web}}
status: {loadBalancer: {}}`},
	{"a set of pods", world.ReplicaSet, `
metadata: {name: rs, namespace: ns}
spec: {replicas: 3, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: main, image: i, resources: {requests: {cpu: "1"}}}]}}}
status: {replicas: 2}`},
	{"a gang", world.Workload, `
metadata: {name: w, namespace: ns}
spec: {podGroups: [{name: g, policy: {gang: {minCount: 3}}}]}`},
	{"templates of groups", world.Workload, `
metadata: {name: w, namespace: ns}
spec: {controllerRef: {kind: Job, name: j}, podGroupTemplates: [{name: t, schedulingPolicy: {gang: {minCount: 3}}, schedulingConstraints: {topology: [{key: rack}]}}]}`},
	{"a group of pods", world.PodGroup, `
metadata: {name: g, namespace: ns, labels: {a: b}}
spec:
  {parentCompositePodGroupName: c, workloadRef: {workloadName: w, templateName: t}, schedulingPolicy: {gang: {minCount: 8}}, schedulingConstraints: {topology: [{key: rack}]},
   resourceClaims: [{name: net, resourceClaimTemplateName: net}], disruptionMode: {all: {}}, priorityClassName: high, priority: 10}
status:
  conditions: [{type: PodGroupInitiallyScheduled, status: "False", reason: Unschedulable, message: "0/3 placements are feasible", lastTransitionTime: "2025-01-01T00:00:00Z"}]
  resourceClaimStatuses: [{name: net, resourceClaimName: g-net-x7}]`},
	{"a group of groups", world.CompositePodGroup, `
metadata: {name: c, namespace: ns}
spec: {workloadRef: {workloadName: w, templateName: t}, schedulingPolicy: {gang: {minGroupCount: 2}}, schedulingConstraints: {topology: [{key: zone}]}, disruptionMode: {single: {}}}
status: {conditions: [{type: CompositePodGroupInitiallyScheduled, status: "True", reason: Scheduled, message: ok, lastTransitionTime: "2025-01-01T00:00:00Z"}]}`},
	{"a member of a group", world.Pod, `
metadata: {name: p, namespace: ns}
spec: {containers: [], schedulingGroup: {podGroupName: g}}
status: {}`},
	{"a lease", world.Lease, `
metadata: {name: l, namespace: kube-system}
spec: {holderIdentity: a, leaseDurationSeconds: 15, renewTime: "2025-01-01T00:00:00.000000Z", leaseTransitions: 2}`},
	{"the overhead of a runtime", world.RuntimeClass, `
metadata: {name: r}
handler: h
overhead: {podFixed: {cpu: 1m}}
scheduling: {nodeSelector: {a: b}}`},
	{"labels of a namespace", world.Namespace, `
metadata: {name: ns, labels: {team: a}}
spec: {}
status: {phase: Active}`},
}

func TestObject_KeepsFieldsRead(t *testing.T) {
	for _, tt := range keptWhole {
		t.Run(tt.name, func(t *testing.T) {
			o := fromYAML(t, tt.kind, tt.yaml)
			if diff := cmp.Diff(o, trim.Object(o)); diff != "" {
				t.Errorf("Trim (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(o, trim.LiveObject(o)); diff != "" {
				t.Errorf("TrimLive (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLiveObject_KeepsWrittenBack(t *testing.T) {
	meta := metav1.ObjectMeta{
		Name: "it", Annotations: map[string]string{"somebody": "else's"}, ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m"}},
	}
	for _, o := range []world.Object{
		&resourcev1.ResourceClaim{ObjectMeta: meta},
		&resourcev1.DeviceClass{ObjectMeta: meta},
	} {
		want := o.DeepCopyObject().(world.Object)
		want.SetManagedFields(nil)
		if diff := cmp.Diff(want, trim.LiveObject(o)); diff != "" {
			t.Errorf("%T (-want +got):\n%s", o, diff)
		}
		if o.GetManagedFields() == nil {
			t.Errorf("%T: the original was changed", o)
		}
	}
	if got := trim.LiveObject(&v1.Pod{ObjectMeta: meta}); got.GetAnnotations() != nil {
		t.Errorf("a pod, which is only patched, keeps %v", got.GetAnnotations())
	}
}

func TestObject_KeepsEvictionMessageOnly(t *testing.T) {
	const why = "Usage of EmptyDir volume \"scratch\" exceeds the limit \"1Gi\". "
	evicted := v1.PodStatus{Phase: v1.PodFailed, Reason: "Evicted", Message: why}
	with := func(change func(*v1.PodStatus)) v1.PodStatus {
		s := evicted
		change(&s)
		return s
	}
	for name, tt := range map[string]struct {
		status v1.PodStatus
		want   string
	}{
		"evicted, and nothing else says why": {evicted, why},
		"a condition says why": {with(func(s *v1.PodStatus) {
			s.Conditions = []v1.PodCondition{{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Message: why}}
		}), ""},
		"ended for another reason":  {with(func(s *v1.PodStatus) { s.Reason = "DeadlineExceeded" }), ""},
		"running":                   {with(func(s *v1.PodStatus) { s.Phase = v1.PodRunning }), ""},
		"longer than any kubelet's": {with(func(s *v1.PodStatus) { s.Message = strings.Repeat("é", 100_000) }), strings.Repeat("é", 512)},
		"cut within a character":    {with(func(s *v1.PodStatus) { s.Message = "x" + strings.Repeat("é", 100_000) }), "x" + strings.Repeat("é", 511)},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &v1.Pod{Status: tt.status}
			for _, cut := range []func(world.Object) world.Object{trim.Object, trim.LiveObject} {
				once := cut(pod)
				if got := once.(*v1.Pod).Status.Message; got != tt.want {
					t.Errorf("kept %.80q, want %.80q", got, tt.want)
				}
				if diff := cmp.Diff(once, cut(once)); diff != "" {
					t.Errorf("trimming once more changes it:\n%s", diff)
				}
			}
		})
	}
}

func TestObject_DropsLongAnnotation(t *testing.T) {
	p := mk.Pod("p").Obj()
	p.Annotations = map[string]string{"kubernetes.io/config.mirror": strings.Repeat("x", 10<<20)}
	if got := trim.Object(p).GetAnnotations(); got != nil {
		t.Errorf("kept an annotation of %d bytes", len(got["kubernetes.io/config.mirror"]))
	}
}

func BenchmarkTrim_Pod(b *testing.B) {
	p := mk.Pod("p").CPU("1").Memory("1Gi").HostPort(80).PVC("data").Obj()
	b.ReportAllocs()
	for b.Loop() {
		trim.Object(p)
	}
}

// BenchmarkStore_Fill reports what the store takes for itself, besides the objects.
