// Package nodevolumelimits keeps a node from having more volumes of a CSI driver than the driver can attach to it.
//
// The limits stand in the node's CSINode. A volume counts once for each node, however many pods there use it:
//
//	a claim bound to a PersistentVolume   the volume's driver and handle
//	a claim that is not bound yet         the driver of its class, and the claim itself in place of a handle
//	a generic ephemeral volume            its claim, which has to belong to the pod
//	an in-tree volume, inline or not      driver and handle of its translation, if its plugin is in the node's scope
//	a VolumeAttachment of the node        the attacher, and the handle of its PersistentVolume
//
// Scopes are those of package csimigration. An attachment whose volume a pod on the node uses is not counted again; the volume of
// the pod to be scheduled counts beside its own attachment, as in kube-scheduler.
//
// A node's volumes are read when the node changes or one of the objects that they were read from, not for every pod:
//
//	PreFilter ─► request            the pod's own volumes, for each scope that a node may have
//	       └──► usageIndex.sync     drops stale usages, by framework.ObjectChanges
//	              attachments       VolumeAttachments by node
//	              readers           which nodes' usages were read from a claim, a volume or a CSINode
//	Filter ─► usageIndex.usageOf    by the node's generation
//	              measure ─► usage  a node's limits, and the volumes that it has
//	       └──► request + usage ─► verdict
//	FilterClasses ─► describe       nodes with equal limits and as many attached volumes get one verdict
//
// A copy of a node, as of a dry run or with nominated pods, is measured when it is filtered. The index holds nothing that could
// not be read again, so the plugin of a fork begins with an empty one. There is none where the handle does not tell of changes, as
// in kube-scheduler, which also filters several nodes at a time.
//
// kube-scheduler takes a random prefix, new with every process, for the handles of claims that are not bound yet, so that none
// equals a real one. Here a field tells the two apart, and nothing is random.
//
// # Differences from kube-scheduler
//
// With VolumeLimitScaling, a node that lacks several of a pod's drivers is rejected for the first in the order of the pod's
// volumes, not for a random one.
package nodevolumelimits
