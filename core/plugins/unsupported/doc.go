// Package unsupported stands in for the plugins whose work Orrery does not do: volumes, dynamic resource allocation and
// gangs. Each goes under its own name and refuses the pods that would need it, so that no such pod is placed as if its
// disk, its device or its gang did not matter:
//
//	VolumeRestrictions   PersistentVolumeClaims; inline disks that two pods cannot share
//	NodeVolumeLimits     PersistentVolumeClaims, generic ephemeral volumes, inline disks that count against a driver's limit
//	VolumeBinding        PersistentVolumeClaims, generic ephemeral volumes
//	VolumeZone           PersistentVolumeClaims
//	DynamicResources     resource claims
//	GangScheduling       pods of a workload, with the gate GangScheduling
//
// A refused pod stays pending with the reason "Orrery cannot place a pod that uses … yet". All other pods pass as if the
// plugin had found nothing to do, which is what the real one would say of them.
//
// The plugins have the same extension points as the real ones, so every configuration and every order of plugins means
// what it means to kube-scheduler. DynamicResources also keeps its part of the message of a failed cycle: its PostFilter
// says "no new claims to deallocate", and fails with "not found" when an earlier plugin ended PreFilter before it.
//
// What a pod uses cannot be changed while it lives, so no event in the cluster wakes a refused pod but an update of
// the pod itself that takes the need away.
//
// # Differences from kube-scheduler
//
// Everything above that refuses a pod. DynamicResources refuses at PreFilter, not at PreEnqueue, so that the reason
// reaches the pod's status.
package unsupported
