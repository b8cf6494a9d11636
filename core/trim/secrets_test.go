package trim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"orrery/core/trim"
	"orrery/core/world"
)

// Everything that says "secret" in these objects must be gone from the trimmed ones.
func secretive(t *testing.T) []world.Object {
	pod := fromYAML(t, world.Pod, `
metadata: {name: p, selfLink: secret, annotations: {own: secret, kubernetes.io/config.mirror: kept}, managedFields: [{manager: secret}]}
spec:
  serviceAccountName: secret
  hostname: secret
  imagePullSecrets: [{name: secret}]
  securityContext: {seccompProfile: {type: secret}}
  hostAliases: [{ip: secret}]
  dnsConfig: {searches: [secret]}
  volumes:
  - {name: secret, secret: {secretName: secret}}
  - {name: secret-config, configMap: {name: secret}}
  - {name: inline, csi: {driver: d, volumeAttributes: {a: secret}, nodePublishSecretRef: {name: secret}}}
  - {name: own, ephemeral: {volumeClaimTemplate: {metadata: {annotations: {a: secret}}, spec: {dataSource: {kind: k, name: secret}}}}}
  - {name: rbd, rbd: {monitors: [m], image: i, user: secret, keyring: secret, secretRef: {name: secret}}}
  - {name: iscsi, iscsi: {targetPortal: secret, iqn: q, lun: 0, secretRef: {name: secret}}}
  ephemeralContainers: [{name: secret}]
  containers:
  - name: main
    command: [secret]
    args: [secret]
    workingDir: secret
    env: [{name: PASSWORD, value: secret}]
    envFrom: [{secretRef: {name: secret}}]
    volumeMounts: [{name: secret, mountPath: secret}]
    livenessProbe: {exec: {command: [secret]}}
    lifecycle: {preStop: {exec: {command: [secret]}}}
    ports: [{containerPort: 80, name: secret}]
  initContainers: [{name: init, env: [{name: PASSWORD, value: secret}]}]
status:
  podIP: secret
  hostIP: secret
  message: secret
  containerStatuses: [{name: secret, state: {terminated: {exitCode: 1, message: secret}}, ready: true, restartCount: 1, image: secret, imageID: secret}]`).(*v1.Pod)
	template := v1.PodTemplateSpec{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}
	opaque := resourcev1.DeviceConfiguration{Opaque: &resourcev1.OpaqueDeviceConfiguration{
		Driver: "d", Parameters: runtime.RawExtension{Raw: []byte(`{"key":"secret"}`)},
	}}
	meta := pod.ObjectMeta
	return []world.Object{
		pod,
		&appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Template: template}},
		&appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Template: template}},
		&appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Template: template}},
		&appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{
			Template: template, VolumeClaimTemplates: []v1.PersistentVolumeClaim{{ObjectMeta: meta}},
		}},
		&v1.ReplicationController{ObjectMeta: meta, Spec: v1.ReplicationControllerSpec{Template: &template}},
		&schedulingv1.PriorityClass{ObjectMeta: meta, Description: "secret"},
		&policyv1.PodDisruptionBudget{ObjectMeta: meta, Status: policyv1.PodDisruptionBudgetStatus{
			Conditions: []metav1.Condition{{Message: "secret"}},
		}},
		&resourcev1.DeviceClass{ObjectMeta: meta, Spec: resourcev1.DeviceClassSpec{
			Config: []resourcev1.DeviceClassConfiguration{{DeviceConfiguration: opaque}},
		}},
		&resourcev1.ResourceClaim{
			ObjectMeta: meta,
			Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{
				Config: []resourcev1.DeviceClaimConfiguration{{DeviceConfiguration: opaque}},
			}},
			Status: resourcev1.ResourceClaimStatus{
				Allocation: &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
					Config: []resourcev1.DeviceAllocationConfiguration{{DeviceConfiguration: opaque}},
				}},
				Devices: []resourcev1.AllocatedDeviceStatus{{Data: &opaque.Opaque.Parameters, NetworkData: &resourcev1.NetworkDeviceData{InterfaceName: "secret"}, Conditions: []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue, Message: "secret"}}}},
			},
		},
		&v1.Node{ObjectMeta: meta, Spec: v1.NodeSpec{ProviderID: "secret", PodCIDR: "secret"}, Status: v1.NodeStatus{
			Addresses:       []v1.NodeAddress{{Address: "secret"}},
			NodeInfo:        v1.NodeSystemInfo{MachineID: "secret"},
			VolumesInUse:    []v1.UniqueVolumeName{"secret"},
			VolumesAttached: []v1.AttachedVolume{{Name: "secret"}},
			Conditions:      []v1.NodeCondition{{Type: "Ready", Message: "secret", LastHeartbeatTime: metav1.NewTime(time.Unix(1, 0))}},
		}},
		&v1.Service{ObjectMeta: meta, Spec: v1.ServiceSpec{ClusterIP: "secret", ExternalName: "secret"}},
		fromYAML(t, world.PersistentVolume, `
metadata: {name: v, annotations: {volume.kubernetes.io/provisioner-deletion-secret-name: secret, a: secret}, managedFields: [{manager: secret}]}
spec:
  mountOptions: [secret]
  csi:
    driver: d
    volumeHandle: h
    volumeAttributes: {a: secret}
    controllerPublishSecretRef: {name: secret, namespace: secret}
    nodeStageSecretRef: {name: secret, namespace: secret}
    nodePublishSecretRef: {name: secret, namespace: secret}
    controllerExpandSecretRef: {name: secret, namespace: secret}
    nodeExpandSecretRef: {name: secret, namespace: secret}
status: {message: secret, reason: secret, lastPhaseTransitionTime: "2025-01-01T00:00:00Z"}`),
		fromYAML(t, world.PersistentVolume, `
metadata: {name: v}
spec: {azureFile: {shareName: h, secretName: secret, secretNamespace: secret}}`),
		fromYAML(t, world.PersistentVolume, `
metadata: {name: v, annotations: {openstorage.io/auth-secret-name: secret, openstorage.io/auth-secret-namespace: secret}}
spec: {portworxVolume: {volumeID: h}}`),
		fromYAML(t, world.PersistentVolume, `
metadata: {name: v}
spec: {cinder: {volumeID: h, secretRef: {name: secret, namespace: secret}}}`),
		fromYAML(t, world.PersistentVolume, `
metadata: {name: v}
spec:
  nfs: {server: secret, path: secret}
  hostPath: {path: secret}
  local: {path: secret}
  glusterfs: {endpoints: secret, path: secret}
  rbd: {monitors: [secret], image: secret, user: secret, keyring: secret, secretRef: {name: secret}}
  iscsi: {targetPortal: secret, iqn: secret, lun: 0, initiatorName: secret, secretRef: {name: secret}}
  cephfs: {monitors: [secret], user: secret, secretFile: secret, secretRef: {name: secret}}
  fc: {wwids: [secret]}
  flexVolume: {driver: secret, options: {a: secret}, secretRef: {name: secret}}
  quobyte: {registry: secret, volume: secret}
  photonPersistentDisk: {pdID: secret}
  scaleIO: {gateway: secret, system: secret, secretRef: {name: secret}}
  storageos: {volumeName: secret, secretRef: {name: secret}}
  flocker: {datasetName: secret}`),
		fromYAML(t, world.PersistentVolumeClaim, `
metadata: {name: c, annotations: {a: secret, kubectl.kubernetes.io/last-applied-configuration: secret}, managedFields: [{manager: secret}]}
spec: {dataSource: {kind: k, name: secret}, dataSourceRef: {kind: k, name: secret, namespace: secret}}
status:
  conditions: [{type: Resizing, status: "True", message: secret, reason: secret}]
  allocatedResources: {storage: 1Gi}
  modifyVolumeStatus: {targetVolumeAttributesClassName: secret, status: Pending}`),
		fromYAML(t, world.StorageClass, `
metadata: {name: s, annotations: {a: secret}}
provisioner: d
parameters: {csi.storage.k8s.io/provisioner-secret-name: secret}
mountOptions: [secret]`),
		fromYAML(t, world.CSINode, `
metadata: {name: n1, annotations: {a: secret}, managedFields: [{manager: secret}]}
spec: {drivers: [{name: d, nodeID: secret, topologyKeys: [zone]}]}`),
		fromYAML(t, world.CSIDriver, `
metadata: {name: d, annotations: {a: secret}}
spec: {tokenRequests: [{audience: secret}], fsGroupPolicy: File, volumeLifecycleModes: [Ephemeral], podInfoOnMount: true, seLinuxMount: true}`),
		fromYAML(t, world.CSIStorageCapacity, `
metadata: {name: c, namespace: ns, annotations: {a: secret}, managedFields: [{manager: secret}]}
storageClassName: s
capacity: 1Gi`),
		fromYAML(t, world.VolumeAttachment, `
metadata: {name: a, annotations: {csi.alpha.kubernetes.io/node-id: secret}}
spec: {attacher: d, nodeName: n1, source: {inlineVolumeSpec: {csi: {driver: d, volumeHandle: secret, volumeAttributes: {a: secret}}}}}
status: {attached: true, attachmentMetadata: {a: secret}, attachError: {message: secret}, detachError: {message: secret}}`),
	}
}

func TestObject_DropsOtherFields(t *testing.T) {
	for _, o := range secretive(t) {
		before := o.DeepCopyObject()
		trimmed := trim.Object(o)
		if live := trim.LiveObject(o); isStorage(o) && !cmp.Equal(trimmed, live) {
			t.Errorf("%T: in memory it differs from a recording:\n%s", o, cmp.Diff(trimmed, live))
		}
		text, err := yaml.Marshal(trimmed)
		if err != nil {
			t.Fatal(err)
		}
		fields := strings.NewReplacer(`secretName: ""`, "", "secretNamespace: hidden", "") // their names say "secret"
		if s := fields.Replace(string(text)); strings.Contains(s, "secret") {
			t.Errorf("%T: a secret is left in\n%s", o, s)
		}
		if diff := cmp.Diff(before, o); diff != "" {
			t.Errorf("%T: the original was changed:\n%s", o, diff)
		}
		if diff := cmp.Diff(trimmed, trim.Object(trimmed)); diff != "" {
			t.Errorf("%T: trimming once more changes it:\n%s", o, diff)
		}
		if trimmed.GetName() != o.GetName() {
			t.Errorf("%T: the name is gone", o)
		}
	}
}

// isStorage reports whether an object is written by patches only, if at all.
func isStorage(o world.Object) bool {
	kind := world.KindOf(o)
	return kind.Resource().Group == "storage.k8s.io" || kind == world.PersistentVolume || kind == world.PersistentVolumeClaim
}
