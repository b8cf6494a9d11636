package scenario_test

import (
	"strings"
	"testing"
)

// An API server refuses all of these objects. The simulated one takes them, and the scheduler, the controllers and the kubelets cope:
// the pod that makes sense runs, whatever is beside it.
func TestScenario_CopesWithInvalidObjects(t *testing.T) {
	const objects = `
  - {apiVersion: apps/v1, kind: Deployment, metadata: {name: fewer}, spec: {replicas: -3, selector: {matchLabels: {a: "?"}}, strategy: {rollingUpdate: {maxSurge: half, maxUnavailable: "-7%"}}, template: {spec: {containers: [{name: X}]}}}}
  - {apiVersion: apps/v1, kind: Deployment, metadata: {name: empty}, spec: {replicas: 2, template: {}}}
  - {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: set}, spec: {replicas: 1, volumeClaimTemplates: [{metadata: {name: "/"}}, {}], template: {spec: {containers: [{name: a}]}}}}
  - {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: daemons}, spec: {template: {spec: {containers: [{name: a}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: "", operator: Like}]}]}}}}}}}
  - {apiVersion: batch/v1, kind: Job, metadata: {name: job}, spec: {parallelism: -1, completions: -1, backoffLimit: -1, template: {spec: {restartPolicy: Sometimes, containers: [{name: a}, {name: a}]}}}}
  - {apiVersion: v1, kind: ReplicationController, metadata: {name: controller}, spec: {replicas: 1}}
  - {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: both}, spec: {minAvailable: most, maxUnavailable: -1, selector: {matchExpressions: [{key: a, operator: Like}]}}}
  - {apiVersion: v1, kind: LimitRange, metadata: {name: limits, namespace: odd}, spec: {limits: [{type: Other, max: {cpu: -1}}, {type: Container, maxLimitRequestRatio: {cpu: 0}}]}}
  - {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: nothing}, spec: {accessModes: [Some, Some], selector: {matchExpressions: [{key: "", operator: Like}]}}}
  - {apiVersion: v1, kind: PersistentVolume, metadata: {name: nothing}, spec: {capacity: {storage: -1}, nodeAffinity: {required: {nodeSelectorTerms: [{matchFields: [{key: a, operator: Gt, values: [x, y]}]}]}}}}
  - {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: odd, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}, volumeBindingMode: Sometimes, reclaimPolicy: Other, allowedTopologies: [{}, {matchLabelExpressions: [{key: zone}]}]}
  - {apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n}, spec: {drivers: [{name: "", nodeID: "", allocatable: {count: -1}}, {name: ""}]}}
  - {apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: nothing}, spec: {}}
  - {apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {name: nothing}, capacity: -1, nodeTopology: {matchExpressions: [{key: a, operator: Like}]}}
  - {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: broken}, spec: {extendedResourceName: cpu, selectors: [{cel: {expression: "1 +"}}, {}]}}
  - {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: all}}
  - {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: odd}, spec: {driver: d, nodeName: n, allNodes: true, pool: {name: p, resourceSliceCount: -1}, devices: [{name: a}, {name: a}]}}
  - apiVersion: resource.k8s.io/v1
    kind: ResourceSlice
    metadata: {name: steps}
    spec:
      driver: d
      nodeName: n
      pool: {name: q, resourceSliceCount: 1}
      devices: [{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8Gi, requestPolicy: {validRange: {min: 0, step: 0}}}}}]
  - {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: odd}, spec: {devices: {requests: [{name: a, exactly: {deviceClassName: broken, count: -1}}, {name: a}], constraints: [{requests: [b/c/d]}, {matchAttribute: x}]}}}
  - {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: steps}, spec: {devices: {requests: [{name: a, exactly: {deviceClassName: all, capacity: {requests: {memory: 1Gi}}}}]}}}
  - {apiVersion: scheduling.k8s.io/v1alpha1, kind: Workload, metadata: {name: gang}, spec: {podGroups: [{name: g}, {name: g, policy: {basic: {}, gang: {minCount: -1}}}]}}
  - {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: system-top}, value: 2147483647, preemptionPolicy: Sometimes}
  - {apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: odd}, overhead: {podFixed: {cpu: -1}}, scheduling: {tolerations: [{operator: Like}]}}`
	pods := map[string]string{
		"amounts":  `containers: [{name: a, resources: {requests: {cpu: -8, memory: 2Gi, odd: 1, example.com/gpu: 500m, hugepages-x: 1}, limits: {memory: 1Gi}}, ports: [{hostPort: -1}, {containerPort: 99999, hostPort: 99999, protocol: Other}]}], resources: {requests: {cpu: -1, odd: 2}}`,
		"affinity": `containers: [{name: a}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: a, operator: Exists}]}]}}, podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{}]}, podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{namespaces: ["/"], matchLabelKeys: [""]}]}}`,
		"spread":   `containers: [{name: a}], topologySpreadConstraints: [{maxSkew: 1, minDomains: -1, matchLabelKeys: ["", ""]}, {maxSkew: 1, whenUnsatisfiable: Sometimes, nodeTaintsPolicy: Other}]`,
		"claims":   `containers: [{name: a, resources: {claims: [{name: b}, {name: b}, {}]}}], resourceClaims: [{name: a}, {name: a, resourceClaimName: odd}, {name: b, resourceClaimName: odd, resourceClaimTemplateName: gone}]`,
		"steps":    `containers: [{name: a, resources: {claims: [{name: a}]}}], resourceClaims: [{name: a, resourceClaimName: steps}]`,
		"names":    `containers: [{}, {}], priorityClassName: system-top, runtimeClassName: odd, tolerations: [{operator: Like}, {value: a}], schedulingGates: [], restartPolicy: Sometimes, activeDeadlineSeconds: -1, workloadRef: {}`,
		"gang":     `containers: [{name: a}], workloadRef: {name: gang, podGroup: g}`,
		"volumes":  `containers: [{name: a}], volumes: [{name: a, persistentVolumeClaim: {claimName: nothing}}, {name: a}, {ephemeral: {}}]`,
		"node":     `containers: [{name: a}], nodeName: "no node"`,
	}
	text := "warmup: 10s\nlength: 10m\ncluster: {nodes: [{name: n, cpu: 4, memory: 16Gi}]}\nobjects:" + objects + "\nworkloads:\n  - {pod: sensible, cpu: 1}\n"
	steps := "steps:\n  - {at: 5s, create: sensible}\n"
	for name, spec := range pods {
		text += "  - {pod: " + name + ", spec: {" + spec + "}}\n"
		steps += "  - {at: 0s, create: " + name + "}\n"
	}
	l := observedText(t, text+steps)
	if l.status["sensible"] != "n" {
		t.Errorf("the pod that makes sense is on %q, want n:\n%s", l.status["sensible"], strings.Join(l.lines, "\n"))
	}
}
