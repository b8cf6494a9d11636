// Package memory simulates a Kubernetes cluster in virtual time: an API server, kubelets and a few controllers, for tests,
// demos and what-ifs of a scheduler. It implements [world.World].
//
//	  Do(effect)                                          Next(until)
//	     │ request latency                                    ▲ watch latency
//	     ▼                                                    │
//	┌──────────────────────── API server ────────────────────────────┐
//	│ server.go   Create Update UpdateStatus Resize Delete Get List  │
//	│ binding.go podstatus.go deletion.go volumecalls.go  effects    │
//	│ eviction.go   evictions and disruption budgets                 │
//	│ admission*.go defaults.go podresize.go                         │
//	│ write.go ─► index.go (counts) ─► watch.go ─► react             │
//	└───▲──────────────────────────────────────────────────│─────────┘
//	    │ writes, after a latency of their own             ▼
//	kubelet*.go pressure.go   node*.go   replicaset.go deployment.go statefulset.go job.go daemonset.go quota.go
//	storage.go ─► volume*.go provisioner.go attach.go detach.go mount.go ephemeral.go claimtemplates.go
//	devices.go ─► generatedclaims.go resourceclaims.go devicedrivers.go deviceslices.go
//
// There is one event queue (eventqueue.go), a heap by time and then by insertion: effects in transit to the API server,
// watch events and outcomes in transit to the scheduler, syncs of kubelets and controllers, and the actions of a script.
// Next pops events until there is an input for the scheduler. Nothing else advances time, and time costs nothing.
//
// Everything random (latencies, faults, names and UIDs) comes from three streams of numbers that the seed determines
// (rng.go). So the same options and the same calls give the same inputs, bit for bit; Digest is a hash of them. Fork
// returns a second cluster with the same future.
//
// An object is never changed once it is stored: a new state is a new object, which shares with the old one what did not
// change. So inputs can share objects, and a fork costs no more than its indexes.
//
// # Guarantees for inputs
//
// The first Next begins with a list of every watched kind, the kinds that pods refer to before the pods. After that, the events
// of one kind come in the order of the changes, each at or after its change, none lost and none twice. Kinds do not wait
// for each other, and an outcome may come before or after the event it caused. Only configured
// faults (faults.go) break this, and never the order: a lost event ends the watch of its kind, and a relist replaces it.
//
// # Storage
//
//	claim ──► volumebinder.go ──► a free volume, or provisioner.go ──► storagetopology.go storagecapacity.go
//	  │            ▲ volumecalls.go: the scheduler claims a volume or selects a node
//	  ▼            │
//	volume ──► volumereclaim.go volumeprotection.go                 released, deleted, kept while in use
//	  │
//	  ▼
//	pod on a node ──► attach.go ──► mount.go ──► the pod starts; it is gone ──► detach.go
//
// Everything is worked out from objects, so that the objects of another cluster can be loaded and it goes on from there.
// What drivers have under way, and the room that SetCapacity gave them, is in storage (storage.go, storageindex.go).
// Drivers need no registration: a driver with a CSIDriver or in a CSINode is a CSI driver, and any other makes directories.
// Nothing is tried again periodically: a claim that found no room is retried when there may be some. Clusters without storage
// objects do nothing for it.
//
// # Devices
//
//	template ──► generatedclaims.go ──► claim ──► the scheduler allocates and reserves it, and binds its pod
//	                                      │
//	                        resourceclaims.go: no pod needs it ──► free, or deleted with its pod
//
//	pod on a node ──► kubelet_devices.go: its claims are reserved, its drivers there ──► the pod starts, and later ends
//
//	PublishDevices ──► devicedrivers.go ──► deviceslices.go ──► slices, one write after another
//	                       ▲ devicefaults.go: a device fails, is plugged in or out
//	claim with a device that has binding conditions ──► devicebinding.go ──► the conditions, in the claim's status
//
// Claims are released and deleted as kube-controller-manager does. ResourceClaimTemplates are a kind that no scheduler watches.
// A driver restores its slices, and they go with their node, or half a minute after the driver.
//
// # Extenders
//
// Extenders of the scheduler are web servers beside the cluster (extender.go): they refuse and prefer nodes, take their time,
// fail, and die and come back as a script wants. A call is not ordered with the other effects on its pod. The scheduler's
// other extenders, of another address, give no answer.
//
// # Checks
//
// Overcommitted and BoundTwice list errors of the scheduler, and Endpoints where a Service sends connections. Kubelets
// reject a pod that does not fit (kubelet_admit.go), as real ones do.
//
// # Differences from Kubernetes
//
//   - A node created with Ready=True carries no not-ready taint, which a real one does for a moment.
//   - Silent nodes are detected, and conditions add taints, only if the options have a NodeLifecycle.
//   - A pod whose quality of service is not BestEffort gets a toleration of memory pressure when it is created. The
//     documentation describes it; the API server needs an admission plugin for it that is off by default.
//   - Spread constraints have their node inclusion policies written out, which the API server leaves to the scheduler, and
//     containers may do without an image.
//   - PatchStatus and Delete check the UID of their PodRef, so that they never affect a later pod of the same name.
//   - A namespace with objects cannot be deleted.
//   - Nothing evicts pods from tainted nodes.
//   - Invalid objects are stored, but for those that package admission refuses. A name is a DNS subdomain whatever the kind.
//   - Quotas are for pods.
//   - Of the gates of dynamic resource allocation, the API server has those off that it is told to ([Options.DeviceGatesOff]):
//     it drops no other field.
//   - A kubelet prepares devices at once, and a missing template is waited for instead of tried again. The claim
//     controller makes and reserves nothing for a pod that has ended.
//   - A volume that no provisioner made is never deleted by its reclaim policy: it stays Released.
//   - A volume may do without a source. No volume is resized, and no VolumeAttributesClass applied.
//   - An attacher sets an error in a VolumeAttachment only if the node's limit is reached, and tries again when it is not.
//   - Inline volumes of pods are always there: only claims have volumes that are attached.
//   - Disruption budgets have a status, and limit evictions, only if the options have DisruptionBudgets.
//   - Nodes run out of resources only if the options have a Pressure and a script reports usage.
//   - A kubelet that is silent starts no killed container again until it is back. Where containers do not start again, the first
//     that the kernel kills makes the pod fail.
package memory
