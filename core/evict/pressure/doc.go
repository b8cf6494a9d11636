// Package pressure evicts pods as a kubelet does whose node runs out of memory, disk or process IDs.
//
//	configuration.go  the eviction part of a KubeletConfiguration, and the defaults
//	flags.go          the same as flags of a kubelet                                LoadFlags
//	reserved.go       what of a node is left for pods                               Allocatable
//	threshold.go      minimum available amounts, with grace periods
//	signal.go         the measured signals and what can be reclaimed, on the three layouts of filesystems
//	summary.go        the measurements: the part of the kubelet's summary API that eviction reads
//	layout.go         the layout of the filesystems, as far as a summary shows it   LayoutOf
//	usage.go rank.go  the order of eviction                                         Rank
//	message.go        the message in the pod's status                               Message
//	limits.go         pods that exceed their own limits                             OverLimit
//	admit.go          admission under pressure                                      Admit
//	cgroup.go         what the kernel enforces for a pod and its containers         PodCgroup, ContainerCgroup
//	oom.go            which container the kernel kills when memory runs out         OOMScoreAdj, OOMOrder
//	kubelet.go …      one node's kubelet over time                                  Kubelet
//	kubelets.go …     all kubelets of a simulated cluster                           Kubelets
//	oomkiller.go      the kernels of their nodes
//
// The functions on the right need only objects and a Summary, so a console on a real cluster can call them for a node with a
// real kubelet. [Kubelet] is the state machine: its inputs are pods and measurements, its output timed actions.
//
//	Observe ──► sync, every 10 s ──► ConditionsChanged ──► StatusWritten, at the next status update
//	               │
//	               ├─ beyond their own limits ──► EvictPod, one after the other
//	               └─ a threshold met for its grace period
//	                     ├─► ThresholdMet ─► ReclaimResources ──Reclaimed──► enough? idle
//	                     └─► Rank ─► EvictPod ──Stopped──► poll each second ──Gone, or 30 s──► sync
//
// Its caller performs the actions: it writes the statuses ([Conditions], [EvictPod.Status]), reclaims resources, stops pods,
// and reports the outcomes. In a simulated cluster [Kubelets] does that, and measures the usage that a scenario sets. All of it
// is plain data and can be forked. A kubelet writes to the [evict.Record] which pods it evicts, and which one is next if the
// pressure lasts.
//
// # Choices
//
// Where Kubernetes' documentation and its kubelet differ, this package does as the kubelet, 1.35:
//
//   - A pod evicted in a soft eviction has the lesser of evictionMaxPodGracePeriod, zero by default, and its own
//     terminationGracePeriodSeconds. (In the documentation: the lesser of the threshold's grace period and the maximum.)
//   - A pod evicted in a hard eviction has one second. (In the documentation: none.)
//   - A reclaim is enough only if every threshold is satisfied afterwards, its minimum reclaim included; otherwise a pod is
//     evicted as well. (In the documentation: if less than the minimum could be freed, nothing is. The kubelet cannot know
//     beforehand, and tries.)
//   - Static and mirror pods are never evicted, nor are pods of system-critical priority. (In the documentation: static pods
//     may be.)
//   - A percentage is kept in single precision: 10% of 10Gi is sixteen bytes more than 1Gi.
//   - Amounts are not rounded: 1Gi with a minimum reclaim of 500Mi is 1524Mi, and a system-reserved of 1.5Gi is 1536Mi,
//     where the documentation rounds both to 1.5GiB, and once to 1GiB.
//
// # Differences from the kubelet
//
//   - Of several thresholds that are met the kubelet acts on memory first, then in the order of a map. Here the hard ones come
//     before the soft ones, each in the order of the signals.
//   - Pods of equal rank are in the order of namespace and name, not of an unstable sort.
//   - Thresholds for containerfs are ignored wherever they are given, with a warning for each. The kubelet overrides one hard
//     and one soft of them, with a warning for the last.
//   - An eviction round that the kernel's memory notification starts waits for its pods like any other.
//
// # The kernel of a simulated node
//
// It kills at the moment at which more memory is used than a container may have, than all pods together may have (what is
// allocatable, and the hard threshold), or than the node has. Memory that grows is followed to the millisecond, so that what is
// faster, the kernel or the kubelet, is seen. With the gate MemoryQoS a container's memory does not grow beyond its memory.high; a real one is slowed
// down there, and may creep on. A pod's usage is attributed to its first container: that is killed, and starts again. What the node's own
// daemons use belongs to no container, and they are not killed. A filesystem has an inode for every 16Ki, if nothing else is said.
package pressure
