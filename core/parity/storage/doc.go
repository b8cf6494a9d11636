// Package storage is the storage of a cluster on a real API server: upstream's own controllers with a fake CSI driver.
//
//	            pod of a StatefulSet, with a claim
//	                  │
//	scheduler ── selected-node ──► claim ──► provisioner ──► volume ──► upstream's volume controller binds the two
//	                  │                                                              │
//	                  └── binds the pod ──► upstream's attach controller ──► VolumeAttachment ──► attacher
//	                                                                                              │
//	                                                            kubelet runs the pod  ◄───────────┘
//
//	driver.go       the CSI driver: what it says of itself and of each node
//	provisioner.go  creates a volume for each claim, in the zone of the selected node, and deletes those no longer claimed
//	attacher.go     attaches at once what is to be attached
//	kubelet.go      runs a bound pod once its volumes are attached
//	controllers.go  upstream's controllers: volumes, their protection, attachments, generic ephemeral claims, StatefulSets
//	queue.go        a work queue of names, with retries
//	storage.go      Start runs all of it
//
// What is fake holds no data: a volume is an object and nothing else. The provisioner can be slow and can run out of space in
// a zone. It then gives the claim back to the scheduler, as the external-provisioner does.
package storage
