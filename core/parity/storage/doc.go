// Package storage is the storage of a cluster on a real API server: upstream's own controllers with fake CSI drivers.
//
//	            pod of a StatefulSet, with a claim
//	                  │
//	scheduler ── selected-node ──► claim ──► provisioner ──► volume ──► upstream's volume controller binds the two
//	                  │                                                              │
//	                  └── binds the pod ──► upstream's attach controller ──► VolumeAttachment ──► attacher
//	                                                                                              │
//	                                                            kubelet runs the pod  ◄───────────┘
//
//	driver.go       a CSI driver: what it says of itself and of each node
//	provisioner.go  creates a volume for each claim, where the selected node can use it, and deletes those no longer claimed
//	attacher.go     attaches at once what is to be attached
//	kubelet.go      runs a bound pod once its volumes are attached
//	controllers.go  upstream's controllers: volumes, their protection, attachments, generic ephemeral claims, StatefulSets
//	manager.go      the same of any release, in a kube-controller-manager; unhosted.go is without its own, with the build tag processes
//	queue.go        a work queue of names, with retries
//	storage.go      Start runs all of it, and Parts is what others run themselves
//
// What is fake holds no data: a volume is an object and nothing else. The provisioner can be slow and can run out of space in
// a zone. It then gives the claim back to the scheduler, as the external-provisioner does.
package storage
