package scenario_test

import (
	"slices"
	"strings"
	"testing"
)

// twoZones is a cluster whose driver makes volumes where the scheduler has selected a node.
const twoZones = `
length: 5m
cluster:
  nodes: [{name: n, zones: {east: 2, west: 2}, cpu: 4, memory: 8Gi, drivers: {disks: 9}}]
  storage:
    drivers: {disks: {topology: zone, capacity: {east: 3Gi, west: 20Gi}}}
    classes:
      fast: {provisioner: disks, default: true, binding: WaitForFirstConsumer}
      local: {provisioner: kubernetes.io/no-provisioner, binding: WaitForFirstConsumer}
    volumes: [{name: east, size: 5Gi, class: local, zone: east}, {name: west, count: 2, size: 5Gi, class: local, zone: west}]
workloads:
  - {statefulset: db, replicas: 4, cpu: 1, volumes: {data: 2Gi}}
  - {deployment: shop, replicas: 2, volumes: {scratch: 1Gi}}
  - {statefulset: store, replicas: 3, volumes: {data: {size: 4Gi, class: local}}}
`

// The scheduler, the volume controller, the provisioner and the kubelets bring every pod up, whatever goes wrong on the way.
func TestStorage_SchedulerPlacesClaims(t *testing.T) {
	untracked := strings.Replace(twoZones, "topology: zone,", "topology: zone, trackCapacity: false,", 1)
	for name, story := range map[string]string{
		"nothing goes wrong": twoZones,
		// The scheduler selects the full zone again and again, since it does not know.
		"capacity is not tracked": untracked + "steps: [{at: 2m, storage: {capacity: {disks: {east: 9Gi}}}}]\n",
		"nodes take two volumes":  strings.Replace(twoZones, "disks: 9", "disks: 2", 1),
		"updates are rejected":    twoZones + "steps: [{at: 0s, apiserver: {reject: {volume: 3}}}, {at: 5s, apiserver: {dropResponses: {volume: 2}}}]\n",
		"the API server is down":  twoZones + "steps: [{at: 1s, every: 10s, times: 4, apiserver: {down: 3s}}]\n",
		"a provisioner hangs":     twoZones + "steps: [{at: 1s, storage: {provisionerHangs: {disks: 1m}}}]\n",
		"several schedulers":      twoZones + "scheduler: {replicas: 2}\nsteps: [{at: 5s, kill: leader}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			placed := observedText(t, story).status
			if len(placed) != 9 {
				t.Errorf("there are the pods %v, want 9", placed)
			}
			for pod, node := range placed {
				if node == "" {
					t.Errorf("pod %s is pending", pod)
				}
			}
			for _, line := range storageAtEnd(t, story) {
				if strings.HasSuffix(line, "Pending") || strings.HasSuffix(line, "false") || strings.HasSuffix(line, "Available") {
					t.Errorf("at the end there is %s", line)
				}
			}
		})
	}
}

// A claim is deleted under a pending pod: its stateful set makes another one, and the pod is placed.
func TestStorage_ClaimDeletedUnderPod(t *testing.T) {
	full := strings.Replace(twoZones, "east: 3Gi, west: 20Gi", "east: 0, west: 0", 1)
	got := storageAtEnd(t, full+`steps:
  - {at: 30s, storage: {deleteClaims: data-db-0}}
  - {at: 40s, storage: {capacity: {disks: {west: 9Gi}}}}
`)
	if want := "volume for data-db-0 Bound in west"; !slices.Contains(got, want) {
		t.Errorf("at the end there are %q, want %s", got, want)
	}
}
