// Package csimigration tells which volumes of in-tree kinds a node's CSI drivers serve, and what such a volume is as a CSI
// volume. The volume plugins and the simulated cluster share it. Names, handles and topology come from
// k8s.io/csi-translation-lib.
//
// Seven in-tree volume plugins have a CSI driver in their place. The scheduler knows five of them as migrated; Azure files and
// vSphere volumes can be translated, and no scheduler plugin treats them as migrated:
//
//	kubernetes.io/aws-ebs  azure-disk  cinder  gce-pd     always migrated
//	kubernetes.io/portworx-volume                         with the gate CSIMigrationPortworx
//	kubernetes.io/azure-file  vsphere-volume              never
//
// Whether a node's kubelet has migrated a plugin is written in the annotation storage.alpha.kubernetes.io/migrated-plugins of
// its CSINode. kube-scheduler's plugins read it differently, and so there are two questions:
//
//	ScopeOf   NodeVolumeLimits: the node has a CSINode; the annotation matters for Portworx alone
//	OnNode    VolumeBinding: the annotation names the plugin
//
// # Differences from kube-scheduler
//
//   - An inline vSphere volume with a storage policy is an error here. The library panics on it, and kube-scheduler with it.
//   - A volume with the sources of several plugins, which the API server rejects, is that of the first by name. kube-scheduler
//     takes one at random.
package csimigration
